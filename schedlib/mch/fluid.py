"""Flat rules, H-DRF and the naive hierarchical DRF with tasks as fine as sand, exact from event to event.

Under H-DRF a group's vector is B + f A: B of its blocked children as they are, A of the others, each rescaled
to share/omega = f, the least among them. Only laggards (children whose share/omega is f) are served, so f and
everything else grows at constant rates until a laggard catches up with a sibling, a group's largest share
changes its resource, or a resource is used up. In the last case shares drop, for used-up resources count no
more, and groups that lag on the rest catch up. Source: H-DRF, Bhattacharya et al., SoCC 2013.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from schedlib.core.compiling import compiled
from schedlib.mch.model import Tree

TIE, ZERO, USED_UP = 1e-9, 1e-12, 1e-10
"""Rounding: shares/omega that differ by less, relatively, are tied after a jump (later, ties are remembered);
a rate below this part of the largest beside it is none; a resource with less than this left is used up."""


@dataclass(frozen=True, eq=False)
class FluidShares:
    """Dominant shares (p,), saturated resources (R,), events until full, and whether the limit is unique.

    It is not when siblings with equal shares competed for the flow and neither's share grew while served: the
    one a task behind then goes first, however small tasks are, and the order can decide who ends with what.
    """

    shares: np.ndarray
    saturated: np.ndarray
    events: int
    unique: bool


def fluid_hdrf(
    tree: Tree, capacity: npt.ArrayLike, naive: bool = False, stop: int | None = None
) -> FluidShares:
    """H-DRF's allocation, or the naive hierarchical DRF's, as the limit of ever smaller tasks.

    - `naive`: a group's vector is the plain sum of its leaves' usage, its share the largest entry of all
    - `stop`: end after so many events, before the cluster is full

    From empty, all children grow together, at shares in proportion to omega. A laggard whose share does not
    grow while it is served takes the flow alone; of several, those with the least total usage do, at the same
    speed (see `FluidShares`). Exact up to rounding. An event costs O(q R); 10,000 nodes take tens to some
    hundreds. RuntimeError after 20 (q + 10) (R + 1) events: rounding that goes in circles.

    >>> from schedlib import mch
    >>> tree = mch.Tree([[(1, 0), (0, 1)], [(1, 0), (1, 0), (0, 1)], [(1, 0)]])
    >>> fluid_hdrf(tree, (200, 200)).shares.round(4).tolist()
    [0.3333, 0.5, 0.1667, 0.1667, 0.5, 0.3333]
    """
    need = tree.demand / np.asarray(capacity, float)
    most = 20 * (tree.n_nodes + 10) * (tree.n_resources + 1)
    nodes = tree.copies("child_start", "child", "leaf_of", "weight").values()
    direction = need / need.max(axis=1, keepdims=True)  # (p, R) what a dominant share of 1 uses
    shares, saturated, events, unique = _fill(
        *nodes, direction, naive, most if stop is None else stop
    )
    if stop is None and events < 0:
        raise RuntimeError(
            f"fluid H-DRF: no end after {most} events; demands differ by too many orders of "
            "magnitude, rescale them"
        )
    return FluidShares(shares, saturated, events if stop is None else stop, bool(unique))


@compiled
def _fill(child_start, child, leaf_of, weight, direction, naive, most):
    """Fill from event to event: the fields of `FluidShares`, -1 events when there are more than `most`."""
    q, (p, resources), jumped, unique = len(leaf_of), direction.shape, False, True
    share_of_leaf, saturated, blocked = (
        np.zeros(p),
        np.zeros(resources, np.bool_),
        np.zeros(q, np.bool_),
    )
    tied, level = np.ones(q, np.bool_), np.zeros(q)  # whether it is a laggard; f
    # vectors, shares and total usage; then their rates per unit of flow into the node: a group's unit raises
    # its f by 1, or, where it serves laggards that do not grow, their total usage by 1
    vector, share, used = np.zeros((q, resources)), np.zeros(q), np.zeros(q)
    rate, growth, pace = np.zeros((q, resources)), np.zeros(q), np.zeros(q)
    # `step`: a child's flow per unit of its group's
    step, flow, when = (np.zeros(q), np.zeros(q), np.zeros(q))
    for event in range(most):
        for i in range(q - 1, -1, -1):  # from the leaves up: vectors and shares, and their rates
            if leaf_of[i] >= 0:
                n, x = direction[leaf_of[i]], share_of_leaf[leaf_of[i]]
                vector[i], share[i], used[i] = n * x, x, n.sum() * x
                rate[i], growth[i], pace[i] = n, 1, n.sum()
                continue
            vector[i], rate[i], used[i], pace[i], level[i], blocked[i] = 0, 0, 0, 0, np.inf, True
            below = child[child_start[i] : child_start[i + 1]]
            for c in below:
                used[i] += used[c]
                if not blocked[c]:
                    blocked[i] = False
                    level[i] = min(level[i], share[c] / weight[c])
            alone, least = False, np.inf
            for c in below:
                if jumped:
                    tied[c] = not blocked[c] and share[c] / weight[c] <= level[i] * (1 + TIE)
                if tied[c] and not blocked[c] and growth[c] == 0:
                    alone, least = True, min(least, used[c])
            for c in below:
                step[c] = 0
                if blocked[c] or naive or share[c] == 0:
                    vector[i] += vector[c]
                else:
                    vector[i] += vector[c] * (level[i] * weight[c] / share[c])
                if blocked[c]:
                    continue
                if tied[c] and alone and growth[c] == 0 and used[c] <= least * (1 + TIE):
                    step[c] = 1 / pace[c]
                elif tied[c] and not alone:
                    step[c] = weight[c] / growth[c]
                elif not (naive or alone or tied[c]):
                    rate[i] += vector[c] * (weight[c] / share[c])
                rate[i] += step[c] * rate[c]
                pace[i] += step[c] * pace[c]
            if blocked[i]:
                continue
            share[i], growth[i] = 0, 0
            for j in range(resources):
                if naive or not saturated[j]:
                    share[i] = max(share[i], vector[i, j])
            for j in range(resources):
                if (naive or not saturated[j]) and vector[i, j] >= share[i] * (1 - USED_UP):
                    growth[i] = max(growth[i], rate[i, j])
            if growth[i] <= ZERO * rate[i].max():
                growth[i] = 0
        if blocked[0]:
            return share_of_leaf, saturated, event, unique
        flow[:], when[:], span = 0, np.inf, np.inf
        flow[0] = 1
        left, drain = np.ones(resources), np.zeros(resources)
        for i in range(q):  # from the root down: who gets how much, and what happens next
            if leaf_of[i] >= 0:
                left -= direction[leaf_of[i]] * share_of_leaf[leaf_of[i]]
                drain += direction[leaf_of[i]] * flow[i]
                continue
            if flow[i] == 0:
                continue
            rivals, least = 0, np.inf  # laggards that do not grow; the least total usage among them
            below = child[child_start[i] : child_start[i + 1]]
            for c in below:
                flow[c] = flow[i] * step[c]
                if tied[c] and not blocked[c] and growth[c] == 0:
                    rivals, least = rivals + 1, min(least, used[c])
            unique &= rivals < 2
            for c in below:
                if blocked[c] or step[c] > 0:
                    continue
                if rivals == 0:  # a sibling ahead, until the laggards reach it
                    when[c] = max(share[c] / weight[c] - level[i], 0.0) / flow[i]
                    span = min(span, when[c])
                elif tied[c] and growth[c] == 0:
                    span = min(span, (used[c] - least) / flow[i])
            if i > 0:
                for j in range(resources):
                    behind = vector[i, j] < share[i] * (1 - USED_UP) and rate[i, j] > growth[i]
                    if (naive or not saturated[j]) and behind:
                        span = min(
                            span, (share[i] - vector[i, j]) / ((rate[i, j] - growth[i]) * flow[i])
                        )
        first = -1
        for j in range(resources):
            if not saturated[j] and drain[j] > 0 and max(left[j], 0.0) / drain[j] <= span:
                span, first = max(left[j], 0.0) / drain[j], j
        if span == np.inf:
            break
        jumped = first >= 0
        for j in range(resources):
            saturated[j] |= jumped and (
                j == first or (drain[j] > 0 and left[j] - drain[j] * span <= USED_UP)
            )
        for i in range(q):
            tied[i] |= when[i] <= span * (1 + ZERO)
            if leaf_of[i] >= 0:
                share_of_leaf[leaf_of[i]] += flow[i] * span
                for j in range(resources if jumped else 0):
                    blocked[i] |= saturated[j] and direction[leaf_of[i], j] > 0
    return share_of_leaf, saturated, -1, unique


@compiled
def fluid_flat(need, speed, late, first, stop):
    """Weighted DRF with tasks as fine as sand: tasks (p,), saturated resources (R,) and the number of events.

    `need (p, R)`: share of each resource that one task takes; `speed (p,)`: tasks per unit of the common
    level, weight over share. A resource that is used up freezes the leaves that demand it. Once resource
    `first` is (-1: none), speeds are `late`: leaves with the least level grow, the others wait until it has
    reached theirs. Source: DRF (Ghodsi et al., NSDI 2011); MCH, Section II.B.3.
    """
    (p, resources), events, level = need.shape, 0, 0.0
    tasks, growing, saturated = np.zeros(p), np.ones(p, np.bool_), np.zeros(resources, np.bool_)
    rate, left = np.zeros(resources), np.ones(resources)
    begins = np.zeros(p)  # the level from which on a leaf grows
    while growing.any() and events != stop:
        full, span = -1, np.inf
        for i in range(p):
            if growing[i] and begins[i] > level:
                span = min(span, begins[i] - level)
        reached = level + span
        for j in range(resources):
            rate[j] = 0.0
            for i in range(p):
                rate[j] += speed[i] * need[i, j] if growing[i] and begins[i] <= level else 0.0
            if rate[j] > 0 and not saturated[j] and max(left[j], 0.0) / rate[j] < span:
                full, span = j, max(left[j], 0.0) / rate[j]
        for i in range(p):
            tasks[i] += speed[i] * span if growing[i] and begins[i] <= level else 0.0
        level = reached if full < 0 else level + span
        for j in range(resources):
            used = 0.0
            for i in range(p):
                used += tasks[i] * need[i, j]
            left[j] = 1 - used
            saturated[j] |= j == full or (rate[j] > 0 and left[j] <= USED_UP)
        for i in range(p):
            for j in range(resources):
                growing[i] &= not (saturated[j] and need[i, j] > 0)
        if first >= 0 and saturated[first]:
            speed, first, level = late, -1, np.inf
            for i in range(p):
                begins[i] = tasks[i] / speed[i]
                level = min(level, begins[i]) if growing[i] else level
        events += 1
    return tasks, saturated, events
