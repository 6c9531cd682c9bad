"""Stage 2 without K^j: bins made when they are needed, by column generation (beyond the paper).

The assignment program's dual prices say what one job of each class is worth (pi_k mu_jk on configuration j).
The most valuable mix for one machine is a knapsack; if it beats the bins at hand it joins them. For any
prices with sum alpha_k pi_k = 1, no plan sustains more than the sum over configurations of n_j times the
value of that mix: the proof that nothing better exists.
"""

from dataclasses import dataclass

import numpy as np

from schedlib.lotes.model import JobClasses, MachineConfigs, Plan, check
from schedlib.lotes.planning.allocate import allocate
from schedlib.lotes.planning.knapsack import best_mix
from schedlib.lotes.planning.plan import assign, make_plan, sustained


@dataclass(frozen=True, eq=False)
class GeneratedPlan(Plan):
    """A `Plan` with the `bound` that no assignment exceeds, `rounds` of pricing and knapsacks `priced`."""

    bound: float
    rounds: int
    priced: int


def generate_plan(configs: MachineConfigs, classes: JobClasses, *, gap: float = 1e-6, integer: bool = False,
                  max_rounds: int = 500, solver: str = "HiGHS", seconds: float = 600.0) -> GeneratedPlan:
    """Stages 1 and 2 with every class allowed on every configuration: the largest lambda2 there is.

    Stops when `rate` is proved to be within the fraction `gap` of the optimum (`bound`). Only bins in use are
    kept; machines are rounded as in `plan`, or, with `integer`, chosen by the integer program over all bins
    made (not a proved integer optimum, but `bound` limits the loss). `allocation` is stage 1's and restricts
    nothing. Raises ValueError as `allocate` does, RuntimeError without a proof after `max_rounds`, or
    `seconds` in the solver. Beyond the paper.

    >>> generate_plan(MachineConfigs([[5.0]], [2]), JobClasses([1.0], [[3.0]], [[1.0]])).rate
    2.0
    """
    check(configs, classes)
    allocation = allocate(configs, classes, solver=solver)
    pool = [_start(configs, classes, j) for j in range(configs.n_configs)]
    bound, rounds, priced = np.inf, 0, 0
    while rounds < max_rounds:
        rounds += 1
        bins = tuple(np.array(mixes, np.int32) for mixes in pool)
        fractions, price = assign(configs, classes, bins, solver=solver)
        rate = sustained(classes, bins, fractions)
        total, joined = 0.0, 0
        for j, n in enumerate(configs.count.tolist()):
            value = price * classes.rate[j]
            mix = best_mix(configs.capacity[j], classes.demand, value, gap=gap / 10)
            total, priced = total + n * mix.bound, priced + 1
            if (mix.value > (bins[j] @ value).max() * (1 + 1e-12)
                and not (bins[j] == mix.number).all(axis=1).any()):
                pool[j].append(mix.number)
                joined += 1
        bound = min(bound, total)
        if bound <= rate * (1 + gap) or not joined:
            break
    if bound > rate * (1 + gap):
        raise RuntimeError(f"max_rounds: {rate:g} is not proved to be within {gap:g} of the best, {bound:g}, "
                           f"after {rounds} rounds")
    machines = tuple(np.zeros(len(x), np.int64) for x in fractions)
    if integer:
        machines = assign(configs, classes, bins, integer=True, solver=solver, seconds=seconds).fractions
    kept = [np.flatnonzero((x > 0) | (n > 0)) for x, n in zip(fractions, machines, strict=True)]
    kept = [rows[np.lexsort(mixes[rows].T[::-1])] for mixes, rows in zip(bins, kept, strict=True)]
    bins, fractions, machines = (  # type: ignore[assignment]
        [each[rows] for each, rows in zip(it, kept, strict=True)] for it in (bins, fractions, machines))
    made = make_plan(configs, classes, allocation, bins, fractions, machines if integer else None)
    fields = {name: getattr(made, name) for name in Plan.__dataclass_fields__}
    return GeneratedPlan(**fields, bound=bound, rounds=rounds, priced=priced)


def _start(configs, classes, j) -> list:
    """The bins to begin with: the empty one, and each class alone."""
    mixes = [np.zeros(classes.n_classes, np.int64)]
    for k in np.flatnonzero(classes.rate[j] > 0):
        mix = best_mix(configs.capacity[j], classes.demand, np.eye(classes.n_classes)[k])
        if mix.value > 0:
            mixes.append(mix.number)
    return mixes
