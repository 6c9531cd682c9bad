"""One workload, many policies: the papers' first, then the reader's, each judged by the same rules."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from schedlib.leaderboard.standings import COLUMNS, standings

PATIENCE = 10
"""A job starves when it waits longer than so many times the papers' longest wait (the median over their policies), or a task takes."""


IDLE = 0.01
"""A board warns of a policy that idles, while work could run, for more than this share, and more than twice the least of the papers'."""


class Outcome(NamedTuple):
    """What one run gave: a value for each metric, how long each job waited (NaN: it never started), and what was wrong.

    `idle` is the share that passes idle while work could run, `warned` the sentence on it.
    """

    values: tuple
    waits: np.ndarray = np.zeros(0)
    broke: str = ""
    idle: float = 0.0
    warned: str = ""


class Waiting(NamedTuple):
    """How a board speaks of those that wait: what they are, when they were submitted, what a task takes, the unit and the way out."""

    what: str
    submit: np.ndarray
    task: float
    unit: str
    way_out: str


class Game(NamedTuple):
    """What a board plays: metrics with the better end, a case per seed, a run of a policy on it, and of whom to speak.

    `reason` says why a run of a reader's policy raised this ValueError, empty when it finds nothing better than the error.
    """

    metrics: dict[str, str]
    case: Callable
    run: Callable
    waiting: Callable
    reason: Callable


def race(game: Game, mine: tuple, against: Iterable, seeds, each: bool) -> pd.DataFrame:
    """The leaderboard (or, with `each`, its runs) of the reader's policies and the papers' on the same cases.

    `seeds` is a number, for 0 to seeds - 1, or the seeds themselves. Only a reader's policy may break a rule: an error under a
    paper's is an error of the arguments and raised. ValueError on two policies of one name and on no seed.
    """
    numbers = list(range(seeds)) if isinstance(seeds, int | np.integer) else [int(seed) for seed in seeds]
    if not numbers or len(set(numbers)) < len(numbers):
        raise ValueError(f"seeds: {seeds}, must be at least 1, or a list of different seeds")
    papers = tuple(against)
    names = [policy if isinstance(policy, str) else policy.name for policy in (*papers, *mine)]
    if not names:
        raise ValueError("mine: no policy; give one, or a paper's name in `against`")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"mine: two policies are called {twice!r}; give yours a name=")
    rows, refused = [], {}
    for seed in numbers:
        case = game.case(seed)
        ended = [game.run(policy, case, seed) for policy in papers]
        least = min((outcome.idle for outcome in ended), default=0.0)
        idle, beside = max(IDLE, 2 * least), f"; the papers' least: {least:.0%}" if least else ""
        waiting = game.waiting(case)
        limit = PATIENCE * max(_typical([outcome.waits for outcome in ended]), waiting.task)
        ended += [refused.get(policy.name) or _guarded(game, policy, case, seed, refused) for policy in mine]
        for name, policy, outcome in zip(names, (*papers, *mine), ended, strict=True):
            broke = outcome.broke or starved(outcome.waits, waiting, limit)
            broke = f"{broke} (seed {seed})" if broke and name not in refused else broke
            own = policy not in papers and not broke
            warned = f"{outcome.warned} (seed {seed}{beside})" if own and outcome.idle > idle else ""
            values = (np.nan,) * len(game.metrics) if outcome.broke else outcome.values
            parts = zip(game.metrics.items(), values, strict=True)
            rows += [(name, metric, better, seed, float(value), broke, warned) for (metric, better), value in parts]
    runs = pd.DataFrame(rows, columns=COLUMNS)
    return runs if each else standings(runs)


def _typical(waits) -> float:
    """The longest wait under a policy, the median over the policies; 0 without any."""
    longest = [of_one[~np.isnan(of_one)].max(initial=0.0) for of_one in waits]
    return float(np.median(longest)) if longest else 0.0


def _guarded(game, policy, case, seed, refused) -> Outcome:
    """A run of a reader's policy; one that is refused gives the reason instead of values, and is not tried on further seeds."""
    try:
        return game.run(policy, case, seed)
    except ValueError as error:
        text = game.reason(policy, case, seed, str(error)) or f"a rule: {error}"
        refused[policy.name] = Outcome((np.nan,) * len(game.metrics), broke=f"{text} (seed {seed})")
        return refused[policy.name]


def starved(waits: np.ndarray, waiting: Waiting, limit: float) -> str:
    """The sentence on jobs that never start, or wait longer than `limit`; empty when there is none.

    >>> told = starved(np.array([0.0, np.nan]), Waiting("job", np.array([1.0, 2.5]), 1.0, "s", "start it"), 10.0)
    >>> told
    'starvation: job 1, submitted at 2.5 s, never starts (1 of 2 do not); start it'
    """
    never = np.flatnonzero(np.isnan(waits))
    if len(never):
        row = int(never[0])
        when = f"{waiting.what} {row}, submitted at {waiting.submit[row]:.4g} {waiting.unit}"
        return f"starvation: {when}, never starts ({len(never)} of {len(waits)} do not); {waiting.way_out}"
    if waits.size and waits.max() > limit:
        row = int(waits.argmax())
        when = f"{waiting.what} {row}, submitted at {waiting.submit[row]:.4g} {waiting.unit}, waits {waits[row]:.4g} {waiting.unit}"
        return f"starvation: {when}, and {limit:.4g} {waiting.unit} is the limit, {PATIENCE} times the papers' longest wait or a " \
               f"task; {waiting.way_out}"  # fmt: skip
    return ""
