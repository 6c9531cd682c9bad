"""One workload, many policies: the shipped ones first, then the reader's, each judged by the same rules."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from tqdm import tqdm

from schedlib.leaderboard.apart import Broke, apart
from schedlib.leaderboard.standings import COLUMNS, standings

PATIENCE = (
    10  # a job starves that waits so many times a task and the median of the papers' longest waits
)
IDLE = (
    0.01  # a policy is warned that idles, while work could run, more than this and twice the others
)
Seeds = int | Iterable[int]
READ_ONLY = "are the simulator's own: read them, and change none"
LIMIT = 60.0  # seconds that a run of a reader's policy may take
SHORTEST = 10.0  # seconds that a job counts as in a bounded slowdown, at least


class Outcome(NamedTuple):
    """The result of one run: a value for each metric, each job's wait (NaN: it never started), a broken rule.
    `idle` is the share of time or jobs lost although work could run; the sentence `warned` says so."""

    values: tuple
    waits: np.ndarray = np.zeros(0)
    broke: str = ""
    idle: float = 0.0
    warned: str = ""


class Waiting(NamedTuple):
    """Those who wait, in words and times: what they are, when submitted, a task's time, unit, way out."""

    what: str
    submit: np.ndarray
    task: float
    unit: str
    way_out: str


def queue_of(way_out: str, case: Any) -> Waiting:
    """The words for a case whose `workload` is a Workload of jobs."""
    jobs = case.workload
    return Waiting(
        what="job",
        submit=jobs.jobs["submit"].to_numpy(),
        unit=jobs.time_unit,
        task=float(jobs.tasks["duration"].max()),
        way_out=way_out,
    )


class Game(NamedTuple):
    """What a board plays: its metrics with the better end ("low" or "high"), and functions.

    - `play(policy, case, seed)` gives a record; `judge(record, case)` gives an `Outcome`, from the record and
      from a case that no rule has seen; `waiting(case)` gives the words for a case
    - `plain` is a policy of the library that runs through the same kernels as a reader's, `small(case)` a
      small part of a case: both together compile these before the clock starts
    - a reader's policy is a `kind`, or a function from which `make` makes one; `ways` names both
    """

    metrics: dict[str, str]
    play: Callable[[Any, Any, int], Any]
    judge: Callable[[Any, Any], Outcome]
    waiting: Callable[[Any], Waiting]
    plain: Any
    small: Callable[[Any], Any]
    kind: type
    make: Callable[[Callable], Any]
    ways: str

    def policy(self, given: Any) -> Any:
        """A reader's policy as this board's kind; ValueError when it is neither that nor a function."""
        if isinstance(given, self.kind | Unusable):
            return given
        if not callable(given):
            raise ValueError(f"mine: {given!r}; give {self.ways}")
        try:
            return self.make(given)
        except ValueError as error:
            return Unusable(name_of(given), error)


class Unusable(NamedTuple):
    """A function that makes no policy, and why."""

    name: str
    error: ValueError

    def looks(self) -> bool:
        """It looked at nothing."""
        return False


def cases(
    workload: Any, default: Callable[[int], Any], read: Callable[[Any], Any]
) -> Callable[[int], Any]:
    """A function from a seed to a case: the `default`, or what `read` makes of the workload given."""
    if workload is None:
        return default
    if callable(workload):
        return lambda seed: read(workload(seed))
    case = read(workload)
    return lambda seed: case


def checked(workload: Any, kind: type) -> Any:
    """The workload itself; ValueError when it is of another kind."""
    if not isinstance(workload, kind):
        wanted = f"give a {kind.__name__}, or a function from a seed to one"
        raise ValueError(f"workload: a {type(workload).__name__}; {wanted}")
    return workload


def name_of(function: Callable) -> str:
    """The name under which a plain function stands on a board."""
    return getattr(function, "__name__", "own")


def race(
    game: Game,
    mine: Iterable,
    case_of: Callable,
    against: Iterable[str],
    seeds: Seeds,
    each: bool,
    limit: float = LIMIT,
) -> pd.DataFrame:
    """The leaderboard (with `each` its runs) of the reader's policies and of shipped ones on the same cases.

    `case_of` gives a seed's case; `seeds` is a number, for 0 to seeds - 1, or the seeds themselves. Each run of
    a reader's policy has a process of its own (see `apart`), so it can break nothing here and change nothing
    that it is judged by. An error, a process that ends, or one that takes longer than `limit` seconds, costs
    the policy its row; an error under a shipped policy comes from the arguments and is raised.
    Progress is shown on a terminal after two seconds. ValueError also on two policies of one name and on no
    seed.
    """
    numbers = (
        list(range(seeds)) if isinstance(seeds, int | np.integer) else [int(seed) for seed in seeds]
    )
    if not numbers or len(set(numbers)) < len(numbers):
        raise ValueError(f"seeds: {seeds}, must be at least 1, or a list of different seeds")
    shipped, own = tuple(against), tuple(map(game.policy, mine))
    names = [*shipped, *(policy.name for policy in own)]
    if not names:
        raise ValueError("mine: no policy; give one, or a paper's name in `against`")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"mine: two policies are called {twice!r}; give yours a name=")
    refused: dict[str, Outcome] = {}
    rows = []
    with tqdm(
        total=len(numbers) * len(names),
        unit="run",
        delay=2,
        leave=False,
        file=sys.stderr,
        disable=not sys.stderr.isatty(),
    ) as bar:
        for seed in numbers:
            case = case_of(seed)
            if own and seed == numbers[0]:
                game.play(game.plain, game.small(case), seed)
            outcomes = []
            for name in shipped:
                bar.set_description(f"{name}, seed {seed}")
                outcomes.append(game.judge(game.play(name, case, seed), case))
                bar.update()
            least = min((outcome.idle for outcome in outcomes), default=0.0)
            beside = f"; the papers' least: {least:.0%}" if least else ""
            longest = [
                outcome.waits[~np.isnan(outcome.waits)].max(initial=0.0) for outcome in outcomes
            ]
            waiting = game.waiting(case)
            patience = PATIENCE * max(float(np.median(longest or [0.0])), waiting.task)
            for policy in own:
                bar.set_description(f"{policy.name}, seed {seed}")
                outcome = refused.get(policy.name) or _alone(game, policy, case, seed, limit)
                if not outcome.values:
                    refused[policy.name] = outcome
                bar.update()
                outcomes.append(outcome)
            for place, (name, outcome) in enumerate(zip(names, outcomes, strict=True)):
                broke = outcome.broke or starved(outcome.waits, waiting, patience)
                broke = f"{broke} (seed {seed})" if broke and name not in refused else broke
                idles = place >= len(shipped) and not broke and outcome.idle > max(IDLE, 2 * least)
                warned = f"{outcome.warned} (seed {seed}{beside})" if idles else ""
                values = (np.nan,) * len(game.metrics) if outcome.broke else outcome.values
                for (metric, better), value in zip(game.metrics.items(), values, strict=True):
                    rows.append((name, metric, better, seed, float(value), broke, warned))
    runs = pd.DataFrame(rows, columns=COLUMNS)
    return runs if each else standings(runs)


def _alone(game: Game, policy: Any, case: Any, seed: int, limit: float) -> Outcome:
    """The outcome of a reader's policy, run in a process of its own."""
    if isinstance(policy, Unusable):
        return _refusal(policy, str(policy.error), seed)
    try:
        record = apart(partial(_watched, game.play, policy, case, seed), limit)
    except Broke as error:
        return _refusal(policy, str(error), seed)
    try:
        return game.judge(record, case)
    except Exception as error:  # a record that was written over may be anything
        return _refusal(
            policy, f"its record cannot be read ({type(error).__name__}: {error})", seed
        )


def _watched(play: Callable, policy: Any, case: Any, seed: int) -> Any:
    """The record of a run; ValueError when the case is another one after it."""
    shown = list(_arrays(case))
    before = [array.tobytes() for array in shown]
    record = play(policy, case, seed)
    if before != [array.tobytes() for array in shown]:
        raise ValueError("it changed what it was shown")
    return record


def _arrays(part: Any) -> Iterator[np.ndarray]:
    """All arrays in a case, as deep as they lie."""
    if isinstance(part, np.ndarray):
        yield part
    elif isinstance(part, pd.DataFrame):
        for name in part:
            yield part[name].to_numpy()
    else:
        parts = (
            part
            if isinstance(part, tuple | list)
            else vars(part).values()
            if hasattr(part, "__dict__")
            else ()
        )
        for inner in parts:
            yield from _arrays(inner)


def _refusal(policy: Any, why: str, seed: int) -> Outcome:
    """What a policy broke: a rule of the simulator, or its own function did."""
    # the row names the policy
    text = re.sub(rf"^\w+ {re.escape(repr(policy.name))}: ", "", why)
    return Outcome((), broke=f"a rule: {text} (seed {seed})")


def tampered(
    start: np.ndarray, finish: np.ndarray, duration: np.ndarray, ready: np.ndarray, what: str
) -> str:
    """What cannot be in a record, in words: a task that ran for another time than it takes, or before it was
    ready; empty where all is well. All (T,), NaN where a task did not run.

    >>> one = np.array([1.0])
    >>> tampered(one, one + 0.5, one * 2, one, "job")
    "duration: job 0 runs for 0.5, and it takes 2; ...read them, and change none"
    """
    ran, slack = ~np.isnan(start), 1e-9 * (np.abs(finish) + 1)
    if (wrong := np.flatnonzero(ran & ~(np.abs(finish - start - duration) <= slack))).size:
        task = wrong[0]
        took = f"runs for {finish[task] - start[task]:.4g}, and it takes {duration[task]:.4g}"
        return f"duration: {what} {task} {took}; the arrays that a policy is given {READ_ONLY}"
    if (early := np.flatnonzero(ran & (start < ready - slack))).size:
        task = early[0]
        begins = f"starts at {start[task]:.4g}, and is ready at {ready[task]:.4g}"
        return f"duration: {what} {task} {begins}; the arrays that a policy is given {READ_ONLY}"
    return ""


def bounded_slowdown(response: np.ndarray, alone: np.ndarray) -> float:
    """The mean over jobs of response time over what a job takes alone, (N,) each, in s: 1 where nobody waits.

    Jobs of less than 10 s count as 10 s, for else a few of no length decide all, and no job as less than 1.
    Source: Feitelson, Rudolph, Schwiegelshohn, Sevcik and Wong, JSSPP 1997.

    >>> bounded_slowdown(np.array([4.0, 60.0]), np.array([1.0, 20.0]))
    2.0
    """
    return float(np.maximum(response / np.maximum(alone, SHORTEST), 1.0).mean())


def starved(waits: np.ndarray, waiting: Waiting, limit: float) -> str:
    """The sentence on jobs that never start, or wait longer than `limit`; empty when there is none.

    >>> starved(np.array([0.0, np.nan]), Waiting("job", np.array([1.0, 2.5]), 1.0, "s", "start it"), 10.0)
    'starvation: job 1, submitted at 2.5 s, never starts (1 of 2 do not); start it'
    """
    never, unit = np.isnan(waits), waiting.unit
    if never.any():
        row, text = int(never.argmax()), f"never starts ({never.sum()} of {len(waits)} do not)"
    elif waits.max(initial=0.0) > limit:
        limited = (
            f"{limit:.4g} {unit} is the limit, {PATIENCE} times the papers' longest wait or a task"
        )
        row = int(waits.argmax())
        text = f"waits {waits[row]:.4g} {unit}, and {limited}"
    else:
        return ""
    who = f"{waiting.what} {row}, submitted at {waiting.submit[row]:.4g} {unit}"
    return f"starvation: {who}, {text}; {waiting.way_out}"
