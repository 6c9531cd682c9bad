"""Tetris: the machine, or the queued job, with the best packing less work (Section 5.1; Grandl et al., SIGCOMM 2014).

A job with sizes r, work w and pace p (time per unit of work on that configuration) scores

    packing * (r . C) - work * (p * (w * sum(r)))

on a machine with C free: omega - gamma of the paper. Sizes are fractions of the largest capacity of each resource.
"""

from typing import NamedTuple

import numpy as np

from schedlib.lotes.job_table import SIZE, WORK
from schedlib.lotes.kernel import kernel
from schedlib.lotes.machine_tree import WIDTH, block_of, first_leaf, fits, least_and_total, machines_of, may_fit
from schedlib.lotes.waiting import best_that_fits, join

SLACK = 1 + 1e-12


class Weights(NamedTuple):
    """`packing` and `work` weigh omega and gamma.

    Waiting jobs of class k are in the queue `group[k]` with the key `fold[k] * w * sum(r)`; times `factor[j, group]` it is gamma
    on configuration j. `tilt (nodes, 2)`: with two resources, the largest 2 C_0 + C_1 and C_0 + 2 C_1 below each node of the
    machines' trees, which bound r . C of jobs that need more of one resource than of the other; `mix (5,)`: how r is put together
    from the two axes, the diagonal and these. The rest is working space.
    """

    packing: float
    work: float
    factor: np.ndarray
    group: np.ndarray
    fold: np.ndarray
    tilt: np.ndarray
    mix: np.ndarray
    stack: np.ndarray
    limit: np.ndarray


def weights(m, packing: float, work: float) -> Weights:
    """One queue for all where no class's pace depends on the machine, else one for all classes of equal pace."""
    pace, r = m.pace, m.free.shape[1]
    if np.isfinite(pace).all() and (pace == pace[0]).all():
        factor, group, fold = np.ones((len(pace), 1)), np.zeros(pace.shape[1], np.int64), pace[0].copy()
    else:
        factor, group = np.unique(pace, axis=1, return_inverse=True)
        group, fold = group.reshape(-1).astype(np.int64), np.ones(pace.shape[1])
    tilt = np.full((len(m.bound) if r == 2 else 1, 2), -1.0)
    made = Weights(
        float(packing),
        float(work),
        np.ascontiguousarray(factor),
        group,
        fold,
        tilt,
        np.zeros(5),
        np.zeros(128, np.int64),
        np.zeros(len(pace)),
    )
    for machine in np.flatnonzero((np.arange(len(m.config)) - m.first[m.config]) % WIDTH == 0):
        incline(m, made, machine)
    return made


@kernel
def incline(m, w, machine):
    """Bring `tilt` up to date with what is free on the machine."""
    if m.free.shape[1] != 2:
        return
    tilt, root = w.tilt, m.root[m.config[machine]]
    node, start, end = block_of(m, machine)
    one = other = -1.0
    for near in range(start, end):
        one = max(one, 2 * m.free[near, 0] + m.free[near, 1])
        other = max(other, m.free[near, 0] + 2 * m.free[near, 1])
    while True:
        row = root + node
        if (one == tilt[row, 0]) & (other == tilt[row, 1]):
            return
        tilt[row, 0], tilt[row, 1] = one, other
        if node == 1:
            return
        node >>= 1
        left = root + 2 * node
        one = max(tilt[left, 0], tilt[left + 1, 0])
        other = max(tilt[left, 1], tilt[left + 1, 1])


@kernel
def _decompose(w, size):
    """Write r = mix . ((1, 0), (0, 1), (1, 1), (2, 1), (1, 2)) with the two directions next to r, no part negative."""
    a, b = size[0], size[1]
    mix = w.mix
    mix[:] = 0.0
    if a > 2 * b:
        mix[0], mix[3] = a - 2 * b, b
    elif a >= b:
        mix[2], mix[3] = 2 * b - a, a - b
    elif 2 * a >= b:
        mix[2], mix[4] = 2 * a - b, b - a
    else:
        mix[1], mix[4] = b - 2 * a, a


@kernel
def work_of(real, slot, resources):
    """w * sum(r), the sum in the order of the resources."""
    total = 0.0
    for l in range(resources):
        total += real[slot, SIZE + l]
    return real[slot, WORK] * total


@kernel
def _dot_bound(bound, w, row, size, least):
    """At least as much as r . C of every machine below a node."""
    r = size.size
    if r == 2:
        corner = size[0] * bound[row, 0] + size[1] * bound[row, 1]
        mixed = w.mix[0] * bound[row, 0] + w.mix[1] * bound[row, 1] + w.mix[2] * bound[row, 3]
        mixed += w.mix[3] * w.tilt[row, 0] + w.mix[4] * w.tilt[row, 1]
        return min(corner, mixed * SLACK)
    corner, diagonal = 0.0, least * bound[row, r + 1]
    for l in range(r):
        corner += size[l] * bound[row, l]
        diagonal += (size[l] - least) * bound[row, l]
    return min(corner, diagonal * SLACK)


@kernel
def arrive(m, w, k, size, work):
    """The machine with room on which an arriving job scores best, or -1; equal scores by r . C, then the first machine."""
    least, total = least_and_total(size)
    gamma = work * total
    configs = m.capacity.shape[0]
    if size.size == 2:
        _decompose(w, size)
    for j in range(configs):
        w.limit[j] = -np.inf
        if m.pace[j, k] < np.inf and may_fit(m.bound, m.root[j] + 1, size, least, total):
            w.limit[j] = w.packing * _dot_bound(m.bound, w, m.root[j] + 1, size, least) - w.work * (m.pace[j, k] * gamma)
    best, best_score, best_dot = -1, -np.inf, -np.inf
    while True:
        j = 0
        for other in range(1, configs):
            if w.limit[other] > w.limit[j]:
                j = other
        if w.limit[j] == -np.inf or w.limit[j] < best_score:
            return best
        w.limit[j] = -np.inf
        loss = w.work * (m.pace[j, k] * gamma)
        best, best_score, best_dot = _best_in(m, w, j, size, least, total, loss, best, best_score, best_dot)


@kernel
def _best_in(m, w, j, size, least, total, loss, best, best_score, best_dot):
    bound, root, leaves = m.bound, m.root[j], m.leaves[j]
    w.stack[0] = 1
    stack = 1
    while stack > 0:
        stack -= 1
        node = w.stack[stack]
        dot = _dot_bound(bound, w, root + node, size, least)
        while True:
            score = w.packing * dot - loss
            if score < best_score or (score == best_score and dot < best_dot):
                break
            if score == best_score and dot == best_dot and machines_of(m, j, first_leaf(node, leaves))[0] > best:
                break
            if node >= leaves:
                start, end = machines_of(m, j, node)
                for machine in range(start, end):
                    exact = 0.0
                    for l in range(size.size):
                        exact += size[l] * m.free[machine, l]
                    score = w.packing * exact - loss
                    if score < best_score or not fits(m.free[machine], size):
                        continue
                    ahead = score > best_score or exact > best_dot
                    if ahead or (exact == best_dot and machine < best):
                        best, best_score, best_dot = machine, score, exact
                break
            left = root + 2 * node
            left_dot = right_dot = -1.0
            if may_fit(bound, left, size, least, total):
                left_dot = _dot_bound(bound, w, left, size, least)
            if may_fit(bound, left + 1, size, least, total):
                right_dot = _dot_bound(bound, w, left + 1, size, least)
            if left_dot < 0 and right_dot < 0:
                break
            right_first = right_dot > left_dot
            if left_dot >= 0 and right_dot >= 0:
                w.stack[stack] = 2 * node + (0 if right_first else 1)
                stack += 1
            node = 2 * node + (1 if right_first else 0)
            dot = max(left_dot, right_dot)
    return best, best_score, best_dot


@kernel
def wait(w, line, jobs, slot, k):
    """Let a job wait."""
    join(line, jobs, w.group[k], slot, w.fold[k] * work_of(jobs.real, slot, line.top.size))


@kernel
def pick(m, w, line, jobs, machine):
    """The queued job that fits the machine and scores best, or -1; of equal scores the first in line."""
    j = m.config[machine]
    best, best_score = -1, -np.inf
    for g in range(line.root.size):
        if line.count[g] > 0 and w.factor[j, g] < np.inf:
            offers = line, jobs, g, m.free[machine], w.packing, w.work, w.factor[j, g]
            best, best_score = best_that_fits(*offers, best, best_score)
    return best
