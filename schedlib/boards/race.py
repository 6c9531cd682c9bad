"""One workload, many policies: the shipped ones first, then the reader's, each judged by the same rules."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from pandas import DataFrame
from tqdm import tqdm

from schedlib.boards.apart import Broke, apart
from schedlib.boards.standings import COLUMNS, standings
from schedlib.core.checks import unknown
from schedlib.workload import Workload

PATIENCE = 10
"""A job starves when it waits longer than this times a task's duration, and this times the median of the papers'
longest waits."""
IDLE = 0.01
"""A policy is warned when it idles, while work could run, for more than this share and more than twice the papers'
least."""
READ_ONLY = "the arrays that a policy is given are the simulator's own: read them, and change none"
Seeds = int | Iterable[int]
MOST_SEEDS = 100_000
LONGEST = 1e6  # seconds that a limit may be
LIMIT = 60.0  # seconds of processor time that a run of a reader's policy may take
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
    """The words for those who wait: what they are, when each was submitted, a task's time, the unit, a way out."""

    what: str
    submit: np.ndarray
    task: float
    unit: str
    way_out: str


def queue_of(workload: Workload, way_out: str) -> Waiting:
    """The words for a workload of jobs."""
    return Waiting(
        what="job",
        submit=workload.jobs["submit"].to_numpy(),
        unit=workload.time_unit,
        task=float(workload.tasks["duration"].max()),
        way_out=way_out,
    )


class Case(Protocol):
    """A workload on a board: policies play it, and a referee judges their records.

    `metrics` names the values of an outcome, with the better end ("low" or "high"). `plain` is a policy of the
    library that runs through the same kernels as a reader's; played on a `small` part, it compiles these before
    the clock starts.
    """

    metrics: ClassVar[dict[str, str]]
    plain: ClassVar[Any]

    def play(self, policy: Any, seed: int) -> Any:
        """The record of a run."""

    def judge(self, record: Any) -> Outcome:
        """The outcome, from the record and from this case, which no rule has seen."""

    def waiting(self) -> Waiting:
        """The words for messages."""

    def small(self) -> "Case":
        """A small part of this case."""


class Unusable(NamedTuple):
    """A function that makes no policy, and why."""

    name: str
    why: str

    def uses_estimates(self) -> bool:
        """No, since it never ran."""
        return False


def policies(mine: Iterable, kind: type, make: Callable[[Callable], Any], ways: str) -> list[Any]:
    """A reader's policies: each is of this `kind`, or a function from which `make` makes one.

    Raises ValueError, with the `ways` to write a policy, on anything else.
    """
    made = []
    for policy in mine:
        if isinstance(policy, kind):
            made.append(policy)
            continue
        if not callable(policy):
            raise ValueError(f"mine: {policy!r}; give {ways}")
        try:
            made.append(make(policy))
        except ValueError as error:
            made.append(Unusable(name_of(policy), str(error)))
    return made


def cases(
    workload: Any, kind: type, default: Callable[[int], Any], read: Callable[[Any], Any]
) -> Callable[[int], Any]:
    """A function from a seed to a case: the `default` without a workload, else what `read` makes of it.

    `workload` is of that `kind`, or a function from a seed to one. Raises ValueError on another.
    """
    if workload is None:
        return default

    def case_of(drawn: Any) -> Any:
        if not isinstance(drawn, kind):
            wanted = f"give a {kind.__name__}, or a function from a seed to one"
            raise ValueError(f"workload: a {type(drawn).__name__}; {wanted}")
        return read(drawn)

    if callable(workload):
        return lambda seed: case_of(workload(seed))
    case = case_of(workload)
    return lambda seed: case


def name_of(function: Callable) -> str:
    """The name under which a plain function stands on a board."""
    return getattr(function, "__name__", "own")


def race(
    mine: Iterable,
    case_of: Callable[[int], Case],
    against: Iterable[str],
    seeds: Seeds,
    each: bool,
    limit: float,
    baseline: str | None,
) -> DataFrame:
    """The leaderboard (with `each` its runs) of a reader's policies (`mine`) and of shipped ones on the same cases.

    `case_of` gives a seed's case; `seeds` is a number, for 0 to seeds - 1, or the seeds themselves; `baseline`
    is as for `standings`. Each run of a reader's policy has a process of its own (see `apart`), so it can break
    nothing here and change nothing that it is judged by. An error, a process that ends, or one that takes more
    than `limit` seconds of processor time, costs the policy its row (the referee's own does not count); an error
    under a shipped policy comes from the arguments and is raised. Progress is shown on a terminal after two seconds.
    Raises ValueError also on two policies of one name and on no seed.
    """
    numbers = numbered(seeds)
    if not 0 < limit <= LONGEST:
        raise ValueError(f"limit: {limit:g} s; must lie above 0, up to {LONGEST:g}")
    field: dict[str, Any] = dict(zip(against, against, strict=True))
    for policy in mine:
        if policy.name in field:
            raise ValueError(f"mine: two policies are called {policy.name!r}; give yours a name=")
        field[policy.name] = policy
    if not field:
        raise ValueError("mine: no policy; give one, or a paper's name in `against`")
    if baseline is not None and baseline not in field:
        raise unknown("baseline", baseline, field)
    failed: dict[str, Outcome] = {}  # a policy that fails on one seed is not run on the rest
    rows = []
    total = len(numbers) * len(field)
    with tqdm(total=total, unit="run", delay=2, leave=False, disable=None) as bar:
        for seed in numbers:
            case = case_of(seed)
            if mine and seed == numbers[0]:
                case.small().play(case.plain, seed)
            outcomes = {}
            for name, policy in field.items():
                bar.set_description(f"{name}, seed {seed}")
                outcome = failed.get(name) or _outcome(case, policy, seed, limit)
                if not outcome.values:
                    failed[name] = outcome
                outcomes[name] = outcome
                bar.update()
            rows += _rows(case, seed, outcomes, against)
    runs = DataFrame(rows, columns=COLUMNS)
    return runs if each else standings(runs, baseline)


def named(against: Iterable[str], known: Iterable[str]) -> list[str]:
    """The names of shipped policies as a list; TypeError on a name that is not text, ValueError when it is unknown."""
    names = _listed(against)
    if names is None or not all(isinstance(name, str) for name in names):
        raise TypeError(f"against: {against!r:.60}; needs a list of names, as ['greedy']")
    known = list(known)
    if strange := next((name for name in names if name not in known), None):
        raise unknown("against", strange, known)
    return names


def _listed(argument: Any) -> list[Any] | None:
    """An argument as a list; None for text, and for anything that is not a sequence."""
    if isinstance(argument, str | bytes) or getattr(argument, "ndim", 1) != 1:
        return None
    return list(argument) if isinstance(argument, Iterable) else None


def numbered(seeds: Seeds) -> list[int]:
    """The seeds themselves; ValueError unless there is one at least, and all are different."""
    if isinstance(seeds, Integral):
        numbers = list(range(min(int(seeds), MOST_SEEDS + 1)))
    else:
        numbers = _listed(seeds) or []
    whole = all(isinstance(seed, Integral) and 0 <= seed < 2**63 for seed in numbers)
    if not whole or not 0 < len(set(numbers)) == len(numbers) <= MOST_SEEDS:
        wanted = f"must be a number from 1 to {MOST_SEEDS:,}, or a list of different seeds"
        raise ValueError(f"seeds: {seeds!r:.60}, {wanted}")
    return [int(seed) for seed in numbers]


def _rows(
    case: Case, seed: int, outcomes: dict[str, Outcome], shipped: Iterable[str]
) -> list[tuple]:
    """The rows of one seed: one for each policy and metric."""
    waiting = case.waiting()
    papers = [outcomes[name] for name in shipped]
    longest = [np.nanmax(outcome.waits, initial=0.0) for outcome in papers]
    usual = float(np.median(longest)) if papers else 0.0
    patience = PATIENCE * max(usual, waiting.task)
    least = min((outcome.idle for outcome in papers), default=0.0)
    beside = f"; the papers' least: {least:.0%}" if least else ""
    rows = []
    for name, outcome in outcomes.items():
        broke = outcome.broke
        if broke and outcome.values:
            broke = f"{broke} (seed {seed})"
        warned = starved(outcome.waits, waiting, patience)
        if warned:
            warned = f"{warned} (seed {seed})"
        elif name not in shipped and outcome.idle > max(IDLE, 2 * least):
            warned = f"{outcome.warned} (seed {seed}{beside})"
        if broke:
            warned = ""
        values = (np.nan,) * len(case.metrics) if outcome.broke else outcome.values
        for (metric, better), value in zip(case.metrics.items(), values, strict=True):
            rows.append((name, metric, better, seed, float(value), broke, warned))
    return rows


def _outcome(case: Case, policy: Any, seed: int, limit: float) -> Outcome:
    """The outcome of a run, without values when it fails; a reader's policy has a process of its own."""
    if isinstance(policy, str):
        return case.judge(case.play(policy, seed))
    try:
        if isinstance(policy, Unusable):
            raise Broke(policy.why)
        record = apart(partial(_watched, case, policy, seed), limit)
    except Broke as error:
        # the row names the policy
        why = re.sub(rf"^\w+ {re.escape(repr(policy.name))}: ", "", str(error))
    else:
        try:
            return case.judge(record)
        except Exception as error:  # a record that was written over may be anything
            why = f"its record cannot be read ({type(error).__name__}: {error})"
    return Outcome((), broke=f"a rule: {why} (seed {seed})")


def _watched(case: Case, policy: Any, seed: int) -> Any:
    """The record of a run; ValueError when the case is another one after it."""
    shown = list(_arrays(case))
    before = [array.tobytes() for array in shown]
    record = case.play(policy, seed)
    after = [array.tobytes() for array in shown]
    if after != before:
        raise ValueError("it changed what it was shown")
    return record


def _arrays(part: Any) -> Iterator[np.ndarray]:
    """All arrays in a case, as deep as they lie."""
    if isinstance(part, np.ndarray):
        yield part
        return
    inside: Iterable = getattr(part, "__dict__", {}).values()
    if isinstance(part, DataFrame):
        inside = (part[name].to_numpy() for name in part)
    elif isinstance(part, tuple | list):
        inside = part
    for inner in inside:
        yield from _arrays(inner)


def tampered(
    start: np.ndarray, finish: np.ndarray, duration: np.ndarray, ready: np.ndarray, what: str
) -> str:
    """The sentence on a forged record, of a task that ran for another time than it takes or before it was ready;
    empty where all is well. All (T,), NaN where a task did not run.

    >>> one = np.array([1.0])
    >>> tampered(one, one + 0.5, one * 2, one, "job")
    "duration: job 0 runs for 0.5, and it takes 2; ...read them, and change none"
    """
    ran = ~np.isnan(start)
    took = finish - start
    slack = 1e-9 * (np.abs(finish) + 1)
    other = ran & ~(np.abs(took - duration) <= slack)
    early = ran & (start < ready - slack)
    if other.any():
        task = other.argmax()
        text = f"runs for {took[task]:.4g}, and it takes {duration[task]:.4g}"
    elif early.any():
        task = early.argmax()
        text = f"starts at {start[task]:.4g}, and is ready at {ready[task]:.4g}"
    else:
        return ""
    return f"duration: {what} {task} {text}; {READ_ONLY}"


def bounded_slowdown(response: np.ndarray, alone: np.ndarray) -> float:
    """The mean over jobs of response time over what a job takes alone, (N,) each, in s: 1 where nobody waits.

    Jobs of less than 10 s count as 10 s, for else a few of no length decide all, and no job as less than 1.
    Source: Feitelson, Rudolph, Schwiegelshohn, Sevcik and Wong, JSSPP 1997.

    >>> bounded_slowdown(np.array([4.0, 60.0]), np.array([1.0, 20.0]))
    2.0
    """
    return float(np.maximum(response / np.maximum(alone, SHORTEST), 1.0).mean())


def starved(waits: np.ndarray, waiting: Waiting, limit: float) -> str:
    """The sentence on jobs that never start, or wait longer than `limit`; else empty.

    >>> starved(np.array([0.0, np.nan]), Waiting("job", np.array([1.0, 2.5]), 1.0, "s", "start it"), 10.0)
    'starvation: job 1, submitted at 2.5 s, never starts (1 of 2 do not); start it'
    """
    never = np.isnan(waits)
    unit = waiting.unit
    if never.any():
        row = int(never.argmax())
        text = f"never starts ({never.sum()} of {len(waits)} do not)"
    elif waits.max(initial=0.0) > limit:
        row = int(waits.argmax())
        most = (
            f"{limit:.4g} {unit} is the limit, {PATIENCE} times the papers' longest wait or a task"
        )
        text = f"waits {waits[row]:.4g} {unit}, and {most}"
    else:
        return ""
    who = f"{waiting.what} {row}, submitted at {waiting.submit[row]:.4g} {unit}"
    return f"starvation: {who}, {text}; {waiting.way_out}"
