"""The most valuable mix of jobs for a machine: an integer knapsack by branch and bound (beyond the paper)."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from schedlib.core.compiling import compiled
from schedlib.lotes.model import scaled

PATIENCE = 2_000_000  # steps of the search after which the gap asked for is made four times as wide


class Mix(NamedTuple):
    """A mix `number (K,)`, its `value`, and the proved `bound` on the value of any mix."""

    number: np.ndarray
    value: float
    bound: float


@compiled
def _best(room, size, value, price, first, gap, best, number):
    """Search depth first; `price[first[q]:first[q + 1]]` price the resources for classes q, q + 1, ..."""
    classes, resources = size.shape
    left = np.empty((classes + 1, resources), np.int64)
    left[0] = room
    worth = np.zeros(classes + 1)
    now = np.zeros(classes, np.int64)
    bound = best  # nothing that was cut off is worth more
    nodes, patience = 0, PATIENCE
    q = 0
    descending = True
    while q >= 0:
        if descending:
            # the rest of the machine cannot bring more than its resources are worth, at any of the prices
            rest = np.inf if q < classes else 0.0
            if q < classes:
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
                number[:q], number[q:] = now[:q], 0
            if q == classes or worth[q] + rest <= best * (1 + gap):
                bound = max(bound, worth[q] + rest)
                q -= 1
                descending = False
                continue
            most = np.int64(2**62)
            for l in range(resources):
                if size[q, l] > 0:
                    most = min(most, left[q, l] // size[q, l])
            now[q] = most
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
    vertices = []
    for pick in combinations(range(len(rows)), resources):
        matrix = rows[list(pick)]
        if abs(np.linalg.det(matrix)) < 1e-12:
            continue
        u = np.linalg.solve(matrix, right[list(pick)])
        if (u >= -1e-12).all() and (size @ u >= value * (1 - 1e-12)).all():
            vertices.append(np.maximum(u, 0))
    return np.array(vertices) * (1 + 1e-12)


def best_mix(capacity: npt.ArrayLike, demand: npt.ArrayLike, value: npt.ArrayLike, *,
             gap: float = 1e-9) -> Mix:
    """The mix of jobs that fits one machine and is worth most.

    `capacity (R,)`, `demand (K, R)`, `value (K,)` >= 0, what one job of each class is worth. The search stops
    when no mix can be worth more than (1 + gap) times the best found, and says what it proved; a gap above 0
    widens if the search takes millions of steps. Bounds: every vertex of the dual of the divisible problem.
    What fits is decided as in `non_dominated_bins`.

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
    root = _prices(relative, worth)
    tightest = root[root.sum(axis=1).argmin()]
    density = worth / (relative @ tightest)
    order = np.lexsort((-relative.max(axis=1), -density.round(9)))
    relative, worth = relative[order], worth[order]
    prices = [_prices(relative[q:], worth[q:]) for q in range(len(order))]
    first = np.cumsum([0] + [len(p) for p in prices])
    own = np.zeros(len(order), np.int64)
    unit = np.concatenate(prices) / np.maximum(room, 1)
    best, bound = _best(room, size[usable[order]], worth, unit, first, gap, 0.0, own)
    number[usable[order]] = own
    return Mix(number, best * scale, bound * scale)
