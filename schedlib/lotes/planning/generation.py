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
from schedlib.lotes.planning.allocate import GAP, allocate
from schedlib.lotes.planning.bins import most_that_fit
from schedlib.lotes.planning.plan import assign, make_plan, sustained

MOST_ROUNDS = 500
PATIENCE = 2_000_000  # steps of the search after which the gap asked for is made four times as wide


class Mix(NamedTuple):
    """A mix `number (K,)`, its `value`, and the proved `bound` on the value of any mix."""

    number: np.ndarray
    value: float
    bound: float


@compiled
def _best(room, size, value, price, gap, number):
    """Search depth first; gives the best value and a bound on it, and writes the mix to `number (C,)`.

    `room (R,)`, `size (C, R)`; `value (C,)`; `price[q]`, P times (R,), price the resources for classes q, q + 1,
    ...; `gap`: of what is cut off.
    """
    classes, resources = size.shape
    left = np.empty((classes + 1, resources), np.int64)
    left[0] = room
    worth = np.zeros(classes + 1)
    now = np.zeros(classes, np.int64)
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
                for p in range(price.shape[1]):
                    money = 0.0
                    for l in range(resources):
                        money += price[q, p, l] * left[q, l]
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


def _prices_of_rests(size, value) -> np.ndarray:
    """For the classes q, q + 1, ... such prices each, (Q, P, R): those of all classes, lowered until they bind.

    They bound more loosely than every vertex for these classes would, and take a fifth of the time.
    """
    bounding: list[int] = []
    prices = np.zeros((1, size.shape[1]))
    while True:
        paid = dot(prices, size.T)  # (P, Q)
        lack = (value - paid).max(axis=0)
        most = int(lack.argmax())
        if lack[most] <= 0:
            break
        bounding.append(most)
        prices = _prices(size[bounding], value[bounding])
    enough = np.divide(value, paid, out=np.ones_like(paid), where=paid > value)
    lowest = np.maximum.accumulate(enough[:, ::-1], axis=1)[:, ::-1]
    return lowest.T[:, :, None] * prices * (1 + 1e-12)


def best_mix(
    capacity: npt.ArrayLike, demand: npt.ArrayLike, value: npt.ArrayLike, gap: float = 1e-7
) -> Mix:
    """The mix of jobs that fits one machine and is worth most: an integer knapsack by branch and bound.

    `capacity (R,)`, `demand (K, R)`, `value (K,)` >= 0, what one job of each class is worth. The search stops
    when no mix can be worth over 1 + `gap` times the best found, and says what it proved; that gap widens if
    the search takes millions of steps. Bounds: vertices of the dual of the divisible problem.

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
    unit = prices / np.maximum(room, 1)
    mix = np.zeros(len(order), np.int64)
    best, bound = _best(room, size[usable], worth, unit, gap, mix)
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

    Stops when `rate` is proved to be within a hundred-thousandth of the optimum: the loss that `plan(integer=True)`
    takes. Where 500 rounds, or a search of millions of steps, do not prove so much, `bound / rate - 1` is the larger
    gap that they prove. Only bins in use are kept; machines are rounded as in `plan`. `allocation` is stage 1's and
    restricts nothing. Raises ValueError as `allocate` does, RuntimeError after 600 s in the solver.

    See also: `lotes.plan`.

    >>> generate_plan(MachineConfigs([[5.0]], [2]), JobClasses([1.0], [[3.0]], [[1.0]])).rate
    2.0
    """
    allocation = allocate(configs, classes)
    alone = np.where(classes.rate > 0, holds(configs.capacity, classes.demand), 0)
    pool = [[np.zeros_like(most), *np.diag(most)[most > 0]] for most in alone]  # to begin with
    bound = np.inf
    rounds = 0
    joined = 0
    proved = np.zeros(classes.n_classes)  # the prices of the bound
    while rounds < MOST_ROUNDS:
        rounds += 1
        bins = [np.array(mixes, np.int32) for mixes in pool]
        fractions, price = assign(configs, classes, bins)
        rate = sustained(classes, bins, fractions)
        # prices swing from round to round: halfway to the best so far they make better mixes (Wentges 1997)
        smooth = joined > 0
        asked = (price + proved) / 2 if smooth else price
        total = 0.0
        joined = 0
        near = max(GAP, min(bound / rate - 1, 0.01)) / 10 if rate > 0 else GAP
        for j, n in enumerate(configs.count.tolist()):
            mix = best_mix(configs.capacity[j], classes.demand, asked * classes.rate[j], near)
            total += n * mix.bound
            value = price * classes.rate[j]
            better = mix.number @ value > (bins[j] @ value).max() * (1 + 1e-12)
            if better and not (bins[j] == mix.number).all(axis=1).any():
                pool[j].append(mix.number)
                joined += 1
        tighter = total < bound
        if tighter:
            bound = total
            proved = asked
        if bound <= rate * (1 + GAP) or not (joined or smooth or tighter):
            break
    for j, mixes in enumerate(bins):
        used = np.flatnonzero(fractions[j] > 0)
        used = used[np.lexsort(mixes[used].T[::-1])]
        bins[j] = mixes[used]
        fractions[j] = fractions[j][used]
    made = make_plan(configs, classes, allocation, bins, fractions)
    return GeneratedPlan(
        **vars(made), bound=bound, rounds=rounds, priced=rounds * configs.n_configs
    )
