"""Tetris: the machine, or queued job, with the best packing less work (Section 5.1; Grandl et al., 2014).

A job with sizes r, work w and pace p (time per unit of work on that configuration) scores

    packing * (r . C) - work * (p * (w * sum(r)))

on a machine with C free: omega - gamma of the paper. Sizes are fractions of the largest capacity of each
resource.
"""

from typing import NamedTuple

import numpy as np

from schedlib.core.checks import unknown
from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching import machine_tree as tree
from schedlib.lotes.dispatching.decisions import hand_over
from schedlib.lotes.dispatching.machine_tree import first_leaf, fits, machines_of, may_fit
from schedlib.lotes.dispatching.state import NONE, Given
from schedlib.lotes.dispatching.waiting_line import Line, best_that_fits, join, line, quit_line
from schedlib.workload import SECONDS

SLACK = 1 + 1e-12
OPTIONS = {"tetris": {"packing": 1.0, "work": 1.0, "gamma_unit": "h"}}


class Weights(NamedTuple):
    """Tetris's state. Waiting jobs of class k are in the queue `group[k]` of `line` with the key `fold[k]
    * w * sum(r)`; times `factor[j, group]` it is gamma on configuration j.
    """

    packing: float  # the weight of omega
    work: float  # the weight of gamma
    factor: np.ndarray
    group: np.ndarray
    fold: np.ndarray
    line: Line
    stack: np.ndarray  # working space, as are the next two
    dot: np.ndarray
    limit: np.ndarray


def check(settings: dict) -> None:
    """Raise ValueError on a value that an option cannot have."""
    if settings["gamma_unit"] not in SECONDS:
        raise unknown("gamma_unit", settings["gamma_unit"], SECONDS)
    for option in ("packing", "work"):
        if not settings[option] >= 0:
            raise ValueError(f"{option}: {settings[option]}, a weight must not be negative")


def begin(policy: str, settings: dict, given: Given) -> Weights:
    """One queue for all jobs where no pace depends on the machine, else one for the classes of equal pace."""
    pace = given.machines.pace
    gamma_unit = SECONDS[settings["gamma_unit"]]
    # an unknown unit counts as that of gamma
    unit = SECONDS.get(given.jobs.time_unit, gamma_unit) / gamma_unit
    if np.isfinite(pace).all() and (pace == pace[0]).all():
        factor = np.ones((len(pace), 1))
        group = np.zeros(pace.shape[1], np.int64)
        fold = pace[0].copy()
    else:
        factor, group = np.unique(pace, axis=1, return_inverse=True)
        group = group.reshape(-1)  # numpy 2.0 gives a row
        fold = np.ones(pace.shape[1])
    return Weights(
        packing=float(settings["packing"]),
        work=float(settings["work"] * unit),
        group=group,
        fold=fold,
        factor=np.ascontiguousarray(factor),
        line=line(factor.shape[1], given.typical),
        stack=np.zeros(128, np.int64),
        dot=np.zeros(128),
        limit=np.zeros(len(pace)),
    )


@kernel
def _dot_bound(bound, row, job):
    """At least as much as r . C of every machine below a node, or -1 where the job does not fit.

    `job`: the outline of r, its largest size except the first, and a factor for the rounding of sums that
    are added up otherwise than r . C. What the two sizes have in common meets the sum of all that is free.
    """
    need, other, slack = job
    first = bound[row, 0]
    rest = bound[row, 1]
    common = min(need[0], other)
    corner = need[0] * first + other * rest
    mixed = ((need[0] - common) * first + (other - common) * rest + common * bound[row, 3]) * SLACK
    return min(corner * slack, mixed) if may_fit(bound, row, need) else -1.0


@kernel
def arrive(w, state, slot, rng):
    """The machine with room on which the job scores best, or NONE; ties by r . C, then the first machine."""
    m = state.machines
    job = state.table.job[slot]
    size = state.table.size[slot]
    k = job.job_class
    configs = m.capacity.shape[0]
    pace = m.pace[:, k]
    limit = w.limit  # (M,): at least as much as any machine of each configuration scores
    state.meter.clock[0].looked += m.config.size
    need = tree.outline(size)
    gamma = job.work * need[3]
    largest = size[size.size - 1]
    for l in range(1, size.size - 1):
        largest = max(largest, size[l])
    slack = SLACK if size.size > 2 else 1.0  # of two the corner is added up as r . C is
    outlined = need, largest, slack
    for j in range(configs):
        most = _dot_bound(m.bound, m.root[j] + 1, outlined)
        limit[j] = -np.inf
        if pace[j] < np.inf and most >= 0:
            limit[j] = w.packing * most - w.work * (pace[j] * gamma)
    best = NONE
    best_score = -np.inf
    best_dot = -np.inf
    while True:
        j = 0
        for other in range(1, configs):
            if limit[other] > limit[j]:
                j = other
        if limit[j] == -np.inf or limit[j] < best_score:
            return best
        limit[j] = -np.inf
        loss = w.work * (pace[j] * gamma)
        best, best_score, best_dot = _best_in(
            m, w, j, size, outlined, loss, (best, best_score, best_dot)
        )


@kernel
def _best_in(m, w, j, size, job, loss, offer):
    """The best of configuration j and of the `offer`: machine, score, r . C.

    `size (R,)`: r; `job`: as in `_dot_bound`; `loss`: gamma, weighed.
    """
    best, best_score, best_dot = offer
    root = m.root[j]
    leaves = m.leaves[j]
    w.stack[0] = 1
    w.dot[0] = np.inf
    stack = 1
    while stack > 0:
        stack -= 1
        node = w.stack[stack]
        dot = w.dot[stack]
        while True:
            score = w.packing * dot - loss
            if score < best_score or (score == best_score and dot < best_dot):
                break
            tie = score == best_score and dot == best_dot
            if tie and machines_of(m, j, first_leaf(node, leaves))[0] > best:
                break
            if node >= leaves:
                start, end = machines_of(m, j, node)
                for machine in range(start, end):
                    exact = size[0] * m.free[machine, 0]
                    for l in range(1, size.size):
                        exact += size[l] * m.free[machine, l]
                    score = w.packing * exact - loss
                    if score < best_score or not fits(m.free[machine], size):
                        continue
                    if (
                        score > best_score
                        or exact > best_dot
                        or (exact == best_dot and machine < best)
                    ):
                        best = machine
                        best_score = score
                        best_dot = exact
                break
            left = root + 2 * node
            dot = _dot_bound(m.bound, left, job)
            other = _dot_bound(m.bound, left + 1, job)
            node, near = 2 * node, 2 * node + 1
            if other > dot:
                dot, other, node, near = other, dot, near, node
            if dot < 0:
                break
            if other >= 0 and w.packing * other - loss >= best_score:
                w.stack[stack] = near
                w.dot[stack] = other
                stack += 1
    return best, best_score, best_dot


@kernel
def wait(w, state, slot, rng):
    """Let the job wait in the queue of its pace, ordered by its work."""
    job = state.table.job[slot]
    k = job.job_class
    total = tree.outline(state.table.size[slot])[3]
    join(w.line, state.table, w.group[k], slot, w.fold[k] * (job.work * total))


@kernel
def pick(w, state, machine):
    """The queued job that fits the machine and scores best, or NONE; of equal scores the first in line."""
    m = state.machines
    table = state.table
    j = m.config[machine]
    best = NONE
    best_score = -np.inf
    for g in range(w.line.root.size):
        if w.line.count[g] > 0 and w.factor[j, g] < np.inf:
            weights = w.packing, w.work, w.factor[j, g]
            best, best_score = best_that_fits(
                w.line, table, g, m.free[machine], weights, best, best_score
            )
    if best >= 0:
        quit_line(w.line, table, w.group[table.job[best].job_class], best)
    return best


hand_over(Weights, arrive=arrive, wait=wait, pick=pick)
