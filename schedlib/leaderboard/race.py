"""One workload, many policies: the papers' first, then the reader's, each judged by the same rules."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from schedlib.leaderboard.standings import COLUMNS, standings

PATIENCE = 10
"""A job starves when it waits longer than so many times the papers' longest wait (the median over their policies), or longest task."""


class Outcome(NamedTuple):
    """What one run gave: a value for each metric, how long each job waited (NaN: it never started), and the sentences on it."""

    values: tuple
    waits: np.ndarray = np.zeros(0)
    broke: str = ""
    warned: str = ""


class Waiting(NamedTuple):
    """How a board speaks of those that wait: what they are, when they were submitted, the unit of time and the way out."""

    what: str
    submit: np.ndarray
    longest_task: float
    unit: str
    way_out: str


class Game(NamedTuple):
    """What a board plays: metrics with the better end, a case per seed, a run of a policy on it, and of whom to speak."""

    metrics: dict[str, str]
    case: Callable
    run: Callable
    waiting: Callable
    name: Callable


def race(game: Game, mine: tuple, against: Iterable, seeds, each: bool) -> pd.DataFrame:
    """The leaderboard (or, with `each`, its runs) of the reader's policies and the papers' on the same cases.

    `seeds` is a number, for 0 to seeds - 1, or the seeds themselves. Only a reader's policy may break a rule: an error under a
    paper's is an error of the arguments and raised. ValueError on two policies of one name and on no seed.
    """
    numbers = list(range(seeds)) if isinstance(seeds, int | np.integer) else [int(seed) for seed in seeds]
    if not numbers or len(set(numbers)) < len(numbers):
        raise ValueError(f"seeds: {seeds}, must be at least 1, or a list of different seeds")
    papers = tuple(against)
    names = [game.name(policy) for policy in (*papers, *mine)]
    if not names:
        raise ValueError("mine: no policy; give one, or a paper's name in `against`")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"mine: two policies are called {twice!r}; give yours a name=")
    rows = []
    for seed in numbers:
        case = game.case(seed)
        ended = [game.run(policy, case, seed, seed == numbers[0]) for policy in papers]
        longest = [outcome.waits[~np.isnan(outcome.waits)].max(initial=0.0) for outcome in ended if outcome.waits.size]
        ended += [_guarded(game, policy, case, seed, seed == numbers[0]) for policy in mine]
        waiting = game.waiting(case)
        limit = PATIENCE * max(float(np.median(longest)) if longest else 0.0, waiting.longest_task)
        for name, outcome in zip(names, ended, strict=True):
            broke = outcome.broke or starved(outcome.waits, waiting, limit)
            broke = f"{broke} (seed {seed})" if broke else ""
            parts = zip(game.metrics.items(), outcome.values, strict=True)
            rows += [(name, metric, better, seed, float(value), broke, outcome.warned) for (metric, better), value in parts]
    runs = pd.DataFrame(rows, columns=COLUMNS)
    return runs if each else standings(runs)


def _guarded(game, policy, case, seed, first) -> Outcome:
    """A run of a reader's policy; one that is refused gives the reason instead of values."""
    try:
        return game.run(policy, case, seed, first)
    except ValueError as error:
        return Outcome((np.nan,) * len(game.metrics), broke=f"the rules: {error}")


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
        return f"starvation: {when}, and {limit:.4g} {waiting.unit} is the limit ({PATIENCE} times the longest wait under the papers' " \
               f"policies, or the longest task); {waiting.way_out}"  # fmt: skip
    return ""
