"""Stage 2 without K^j: bins made when they are needed, by column generation (beyond the paper).

The assignment program's dual prices say what one job of each class is worth (pi_k mu_jk on configuration j).
The most valuable mix for one machine is a knapsack; if it beats the bins at hand it joins them. For any
prices with sum alpha_k pi_k = 1, no plan sustains more than the sum over configurations of n_j times the
value of that mix: the proof that nothing better exists.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from schedlib.core.checks import typed
from schedlib.core.compiling import compiled
from schedlib.core.portable import dot
from schedlib.lotes.model import JobClasses, MachineConfigs, Plan, holds, scaled
from schedlib.lotes.planning.allocate import allocate
from schedlib.lotes.planning.bins import most_that_fit
from schedlib.lotes.planning.plan import assign, make_plan, sustained

GAP = 1e-6  # between the rate and its bound, as a part of the rate
MOST_ROUNDS = 500
PATIENCE = 2_000_000  # steps of the search after which the gap asked for is made four times as wide


class Mix(NamedTuple):
    """A mix `number (K,)`, its `value`, and the proved `bound` on the value of any mix."""

    number: np.ndarray
    value: float
    bound: float


@compiled
def _best(room, size, value, price, first, number):
    """Search depth first; gives the best value and a bound on it, and writes the mix to `number (C,)`.

    `room (R,)`, `size (C, R)`; `value (C,)`; `price[first[q]:first[q + 1]]`, each (R,), price the resources for
    classes q, q + 1, ...
    """
    classes, resources = size.shape
    left = np.empty((classes + 1, resources), np.int64)
    left[0] = room
    worth = np.zeros(classes + 1)
    now = np.zeros(classes, np.int64)
    gap = GAP / 10  # of what is cut off
    best = 0.0
    bound = 0.0  # what was cut off is worth at most this
    q = 0
    nodes = 0
    patience = PATIENCE
    descending = True
    while q >= 0:
        if descending:
            # the rest of the machine cannot bring more than its resources are worth, at any of the prices
            rest = 0.0
            if q < classes:
                rest = np.inf
                for p in range(first[q], first[q + 1]):
                    money = 0.0
                    for l in range(resources):
                        money += price[p, l] * left[q, l]
                    rest = min(rest, money)
            nodes += 1
            if nodes == patience:
                patience += PATIENCE
                gap *= 4
            if worth[q] > best:
                best = worth[q]
                number[:q] = now[:q]
                number[q:] = 0
            if q == classes or worth[q] + rest <= best * (1 + gap):
                bound = max(bound, worth[q] + rest)
                q -= 1
                descending = False
                continue
            now[q] = most_that_fit(left[q], size[q])
        else:
            if now[q] == 0:
                q -= 1
                continue
            now[q] -= 1
        for l in range(resources):
            left[q + 1, l] = left[q, l] - now[q] * size[q, l]
        worth[q + 1] = worth[q] + now[q] * value[q]
        q += 1
        descending = True
    return best, max(bound, best)


def _prices(size, value) -> np.ndarray:
    """Every vertex u of {u >= 0: size u >= value}, (P, R): no mix is worth more than its use, priced at u."""
    resources = size.shape[1]
    longest = size.max(axis=1)
    rows = np.r_[size / longest[:, None], np.eye(resources)]
    right = np.r_[value / longest, np.zeros(resources)]
    picks = np.array(list(combinations(range(len(rows)), resources)))
    picks = picks[np.abs(np.linalg.det(rows[picks])) >= 1e-12]
    u = np.linalg.solve(rows[picks], right[picks][..., None])[..., 0]
    u = u[(u >= -1e-12).all(axis=1) & (dot(u, size.T) >= value * (1 - 1e-12)).all(axis=1)]
    return np.maximum(u, 0) * (1 + 1e-12)


def _prices_of_rests(size, value) -> list[np.ndarray]:
    """For each q such vertices for the classes q, q + 1, ... (Q, R): few of the classes bound them."""
    prices = np.zeros((1, size.shape[1]))
    bounding = np.zeros(0, np.int64)
    rests = []
    for q in reversed(range(len(size))):
        if (dot(prices, size[q]) < value[q]).any():
            bounding = np.r_[q, bounding]
            prices = _prices(size[bounding], value[bounding])
            paid = dot(prices, size[bounding].T)  # (P, B)
            bounding = bounding[(paid <= value[bounding] * (1 + 1e-9)).any(axis=0)]
        rests.append(prices)
    return rests[::-1]


def best_mix(capacity: npt.ArrayLike, demand: npt.ArrayLike, value: npt.ArrayLike) -> Mix:
    """The mix of jobs that fits one machine and is worth most: an integer knapsack by branch and bound.

    `capacity (R,)`, `demand (K, R)`, `value (K,)` >= 0, what one job of each class is worth. The search stops
    when no mix can be worth over 1 + 1e-7 times the best found, and says what it proved; that gap widens if
    the search takes millions of steps. Bounds: every vertex of the dual of the divisible problem.

    >>> best_mix([7.0], [[2.0], [3.0]], [2.0, 3.1]).number.tolist()
    [2, 1]
    """
    room, size = scaled(capacity, demand)
    value = np.asarray(value, np.float64)
    number = np.zeros(len(value), np.int64)
    usable = np.flatnonzero((size <= room).all(axis=1) & (value > 0))
    if not len(usable):
        return Mix(number, 0.0, 0.0)
    relative = size[usable] / np.maximum(room, 1)
    scale = value[usable].max()
    worth = value[usable] / scale
    root = _prices_of_rests(relative, worth)[0]
    density = worth / (relative @ root[root.sum(axis=1).argmin()])
    order = np.lexsort((-relative.max(axis=1), -density.round(9)))
    relative = relative[order]
    worth = worth[order]
    usable = usable[order]
    prices = _prices_of_rests(relative, worth)
    unit = np.concatenate(prices) / np.maximum(room, 1)
    first = np.cumsum([0] + [len(p) for p in prices])
    mix = np.zeros(len(order), np.int64)
    best, bound = _best(room, size[usable], worth, unit, first, mix)
    number[usable] = mix
    return Mix(number, best * scale, bound * scale)


@dataclass(frozen=True, eq=False)
class GeneratedPlan(Plan):
    """A `Plan` with the `bound` that no assignment exceeds, `rounds` of pricing and knapsacks `priced`.

    See also: `lotes.generate_plan`, `lotes.Plan`.

    >>> from schedlib import lotes
    >>> classes = lotes.JobClasses([1.0], [[1.0]], [[3.0]])
    >>> made = lotes.generate_plan(lotes.MachineConfigs([[4.0]], [2]), classes)
    >>> round(float(made.bound), 6), made.bins[0].tolist()
    (24.0, [[4]])
    """

    bound: float
    rounds: int
    priced: int


@typed
def generate_plan(configs: MachineConfigs, classes: JobClasses) -> GeneratedPlan:
    """Stages 1 and 2 with every class allowed on every configuration: the largest lambda2 there is.

    Stops when `rate` is proved to be within a millionth of the optimum (`bound`). Only bins in use are kept;
    machines are rounded as in `plan`. `allocation` is stage 1's and restricts nothing. Raises ValueError as
    `allocate` does, RuntimeError without a proof after 500 rounds, or 600 s in the solver.

    See also: `lotes.plan`.

    >>> generate_plan(MachineConfigs([[5.0]], [2]), JobClasses([1.0], [[3.0]], [[1.0]])).rate
    2.0
    """
    allocation = allocate(configs, classes)
    alone = np.where(classes.rate > 0, holds(configs.capacity, classes.demand), 0)
    pool = [[np.zeros_like(most), *np.diag(most)[most > 0]] for most in alone]  # to begin with
    bound = np.inf
    rounds = 0
    while rounds < MOST_ROUNDS:
        rounds += 1
        bins = [np.array(mixes, np.int32) for mixes in pool]
        fractions, price = assign(configs, classes, bins)
        rate = sustained(classes, bins, fractions)
        total = 0.0
        joined = 0
        for j, n in enumerate(configs.count.tolist()):
            value = price * classes.rate[j]
            mix = best_mix(configs.capacity[j], classes.demand, value)
            total += n * mix.bound
            better = mix.value > (bins[j] @ value).max() * (1 + 1e-12)
            if better and not (bins[j] == mix.number).all(axis=1).any():
                pool[j].append(mix.number)
                joined += 1
        bound = min(bound, total)
        if bound <= rate * (1 + GAP) or not joined:
            break
    if bound > rate * (1 + GAP):
        raise RuntimeError(
            f"{rate:g} is not proved to be within {GAP:g} of the best, {bound:g}, after {rounds} rounds"
        )
    for j, mixes in enumerate(bins):
        used = np.flatnonzero(fractions[j] > 0)
        used = used[np.lexsort(mixes[used].T[::-1])]
        bins[j] = mixes[used]
        fractions[j] = fractions[j][used]
    made = make_plan(configs, classes, allocation, bins, fractions)
    return GeneratedPlan(
        **vars(made), bound=bound, rounds=rounds, priced=rounds * configs.n_configs
    )
