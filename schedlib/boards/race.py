"""One workload, many policies: the shipped ones first, then the reader's, each judged by the same rules."""

import re
from collections.abc import Callable, Collection, Iterable
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from pandas import DataFrame
from tqdm import tqdm

from schedlib.boards.apart import Broke, apart
from schedlib.boards.standings import COLUMNS, standings
from schedlib.core.checks import unknown

PATIENCE = 10
"""A job starves when it waits longer than this times a task's duration, and this times the median of the papers'
longest waits."""
IDLE = 0.01
"""A policy is warned when it idles, while work could run, for more than this share and more than twice the papers'
least."""
READ_ONLY = "the arrays that a policy is given are the simulator's own: read them, and change none"
Seeds = int | Iterable[int]
MOST_SEEDS = 100_000
LONGEST = 1e5  # seconds that a limit may be: a pipe cannot wait for more than 24 days
LIMIT = 60.0  # seconds of processor time that a run of a reader's policy may take
SHORTEST = 10.0  # seconds that a job counts as in a bounded slowdown, at least


class Outcome(NamedTuple):
    """The result of one run: a value for each metric, each job's wait (NaN: it never started), a broken rule.

    `submit` says when each job came, `task` how long a task takes, for messages in this `unit`. `idle` is the share
    of time or jobs lost although work could run; the sentence `warned` says so.
    """

    values: tuple
    waits: np.ndarray = np.zeros(0)
    submit: np.ndarray = np.zeros(0)
    task: float = 0.0
    unit: str = "s"
    broke: str = ""
    idle: float = 0.0
    warned: str = ""


class Case(Protocol):
    """A workload on a board: policies play it, and a referee judges their records.

    `metrics` names the values of an outcome, with the better end ("low" or "high"). `plain` is a policy of the
    library that runs through the same kernels as a reader's; it is played first, so that these are compiled before
    the clock starts. `what` waits here, and `way_out` says what helps it.
    """

    metrics: ClassVar[dict[str, str]]
    plain: ClassVar[Any]
    what: ClassVar[str]
    way_out: ClassVar[str]

    def play(self, policy: Any, seed: int) -> Any:
        """The record of a run."""

    def judge(self, record: Any) -> Outcome:
        """The outcome, from the record and from this case, which no rule has seen."""


def policies(mine: Iterable, kind: type, make: Callable[[Callable], Any], ways: str) -> list[Any]:
    """A reader's policies: each is of this `kind`, or a function from which `make` makes one.

    Raises ValueError, with the `ways` to write a policy, on anything else, and on a function that does not compile.
    """
    made = []
    for policy in mine:
        if isinstance(policy, kind):
            made.append(policy)
        elif callable(policy):
            made.append(make(policy))
        else:
            raise ValueError(f"mine: {policy!r}; give {ways}")
    return made


def cases(
    workload: Any, kind: type, default: Callable[[int], Any], read: Callable[[Any], Any]
) -> Callable[[int], Any]:
    """A function from a seed to a case: the `default` without a workload, else what `read` makes of it.

    `workload` is of that `kind`, or a function from a seed to one. Raises ValueError when it gives another.
    """
    if workload is None:
        return default
    if not callable(workload):
        case = read(workload)
        return lambda seed: case

    def case_of(seed: int) -> Any:
        drawn = workload(seed)
        if not isinstance(drawn, kind):
            wanted = f"give a {kind.__name__}, or a function from a seed to one"
            raise ValueError(f"workload: a {type(drawn).__name__}; {wanted}")
        return read(drawn)

    return case_of


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
                case.play(case.plain, seed)
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


def named(against: Iterable[str], known: Collection[str]) -> list[str]:
    """The names of shipped policies as a list; ValueError on one that is unknown."""
    names = listed(against)
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise unknown("against", name, known)
    return names


def listed(argument: Any) -> list[Any]:
    """An argument as a list: with one item where it is text, bytes or an array of no dimension."""
    one = isinstance(argument, str | bytes) or getattr(argument, "ndim", 1) == 0
    return [argument] if one else list(argument)


def numbered(seeds: Seeds) -> list[int]:
    """The seeds themselves; ValueError unless there is one at least, and all are different."""
    numbers: list[int] = []
    if isinstance(seeds, Integral):
        numbers = list(range(min(int(seeds), MOST_SEEDS + 1)))
    elif isinstance(seeds, Iterable):
        numbers = listed(seeds)
    whole = all(isinstance(seed, Integral) and 0 <= seed < 2**63 for seed in numbers)
    if not whole or not 0 < len(set(numbers)) == len(numbers) <= MOST_SEEDS:
        wanted = f"must be a number from 1 to {MOST_SEEDS:,}, or a list of different seeds"
        raise ValueError(f"seeds: {seeds!r:.60}, {wanted}")
    return [int(seed) for seed in numbers]


def _rows(
    case: Case, seed: int, outcomes: dict[str, Outcome], shipped: Iterable[str]
) -> list[tuple]:
    """The rows of one seed: one for each policy and metric."""
    papers = [outcomes[name] for name in shipped]
    longest = [np.nanmax(outcome.waits, initial=0.0) for outcome in papers]
    usual = float(np.median(longest)) if papers else 0.0
    least = min((outcome.idle for outcome in papers), default=0.0)
    beside = f"; the papers' least: {least:.0%}" if least else ""
    rows = []
    for name, outcome in outcomes.items():
        broke = outcome.broke
        if broke and outcome.values:
            broke = f"{broke}; {READ_ONLY} (seed {seed})"
        warned = starved(outcome, case, PATIENCE * max(usual, outcome.task))
        if not warned and name not in shipped and outcome.idle > max(IDLE, 2 * least):
            warned = outcome.warned + beside
        if broke:
            warned = ""
        elif warned:
            warned = f"{warned} (seed {seed})"
        values = (np.nan,) * len(case.metrics) if broke else outcome.values
        for (metric, better), value in zip(case.metrics.items(), values, strict=True):
            rows.append((name, metric, better, seed, float(value), broke, warned))
    return rows


def _outcome(case: Case, policy: Any, seed: int, limit: float) -> Outcome:
    """The outcome of a run, without values when it fails; a reader's policy has a process of its own."""
    if isinstance(policy, str):
        return case.judge(case.play(policy, seed))
    try:
        record = apart(partial(case.play, policy, seed), limit)
    except Broke as error:
        # the row names the policy
        why = re.sub(rf"^\w+ {re.escape(repr(policy.name))}: ", "", str(error))
    else:
        try:
            return case.judge(record)
        except Exception as error:  # a record that was written over may be anything
            why = f"its record cannot be read ({type(error).__name__}: {error})"
    return Outcome((), broke=f"a rule: {why} (seed {seed})")


def tampered(
    start: np.ndarray, finish: np.ndarray, duration: np.ndarray, ready: np.ndarray, what: str
) -> str:
    """The sentence on a forged record, of a task that ran for another time than it takes or before it was ready;
    empty where all is well. All (T,), NaN where a task did not run.

    >>> one = np.array([1.0])
    >>> tampered(one, one + 0.5, one * 2, one, "job")
    'duration: job 0 runs from 1 to 1.5, takes 2 and can begin at 1'
    """
    ran = ~np.isnan(start)
    took = finish - start
    slack = 1e-9 * (np.abs(finish) + 1)
    as_told = (np.abs(took - duration) <= slack) & (start >= ready - slack)
    wrong = ran & ~as_told
    if not wrong.any():
        return ""
    row = wrong.argmax()
    return (
        f"duration: {what} {row} runs from {start[row]:.4g} to {finish[row]:.4g}, "
        f"takes {duration[row]:.4g} and can begin at {ready[row]:.4g}"
    )


def bounded_slowdown(response: np.ndarray, alone: np.ndarray) -> float:
    """The mean over jobs of response time over what a job takes alone, (N,) each, in s: 1 where nobody waits.

    Jobs of less than 10 s count as 10 s, for else a few of no length decide all, and no job as less than 1.
    Source: Feitelson, Rudolph, Schwiegelshohn, Sevcik and Wong, JSSPP 1997.

    >>> bounded_slowdown(np.array([4.0, 60.0]), np.array([1.0, 20.0]))
    2.0
    """
    return float(np.maximum(response / np.maximum(alone, SHORTEST), 1.0).mean())


def starved(outcome: Outcome, case: Case, limit: float) -> str:
    """The sentence on jobs that never start, or wait longer than `limit`; else empty."""
    waits = outcome.waits
    unit = outcome.unit
    never = np.isnan(waits)
    if never.any():
        row = never.argmax()
        text = f"never starts ({never.sum()} of {len(waits)} do not)"
    elif waits.max(initial=0.0) > limit:
        row = waits.argmax()
        text = (
            f"waits {waits[row]:.4g} {unit}, and {limit:.4g} {unit} is the limit, "
            f"{PATIENCE} times the papers' longest wait or a task"
        )
    else:
        return ""
    who = f"{case.what} {row}, submitted at {outcome.submit[row]:.4g} {unit}"
    return f"starvation: {who}, {text}; {case.way_out}"
