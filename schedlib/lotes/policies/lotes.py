"""LoTES, stage 3: steer every machine towards the bin that stage 2 gave it (Sections 4.3.1 and 4.3.2)."""

from typing import NamedTuple

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching.machine_tree import (
    WIDTH,
    block_of,
    first_fit,
    first_leaf,
    fits,
    least_and_total,
    machines_of,
    may_fit,
)
from schedlib.lotes.dispatching.waiting_line import first_that_fits

NOBODY = -(2**30)


class Scores(NamedTuple):
    """LoTES's own state over M configurations and K classes.

    - `score (K, N)`: upsilon, the number of jobs of the class in the machine's bin less those it runs; `top (K, nodes)`: the
      largest below each node of the machines' trees (rows as in `Machines.bound`)
    - `wheel (K, M)`: rho_jk of Section 4.3.1 up to a factor per class; `serve (M, K)`: whom a machine looks for on an exit
    - `first`: the first version's fall-back; `fallback`: whether configurations with Delta = 0 are tried at all on arrival
    - `sample`: how many machines of a configuration are looked at, 0 for all
    - `looked (1,)`: how many machines the last arrival asked for their state; the rest is working space
    """

    score: np.ndarray
    top: np.ndarray
    wheel: np.ndarray
    serve: np.ndarray
    first: bool
    fallback: bool
    sample: int
    looked: np.ndarray
    tried: np.ndarray
    order: np.ndarray
    stack: np.ndarray
    drawn: np.ndarray


def scores(m, target, wheel, serve, *, first=False, fallback=True, sample=0) -> Scores:
    """The scores of empty machines whose bins are `target (N, K)`."""
    score = np.array(target.T, np.int32, order="C")
    classes = len(score)
    top = np.full((classes, len(m.bound)), NOBODY, np.int32)
    for j, (root, leaves) in enumerate(zip(m.root, m.leaves, strict=True)):
        starts = np.arange(m.first[j], m.first[j + 1], WIDTH)
        at = root + leaves
        top[:, at : at + len(starts)] = np.maximum.reduceat(score[:, : m.first[j + 1]], starts, axis=1)
        for node in range(leaves - 1, 0, -1):
            top[:, root + node] = np.maximum(top[:, root + 2 * node], top[:, root + 2 * node + 1])
    space = (np.zeros(size, np.int64) for size in (1, len(m.root), classes, 128, max(sample, 1)))
    return Scores(score, top, np.ascontiguousarray(wheel.T, float), serve.copy(), first, fallback, sample, *space)


@kernel
def add_to_score(m, s, machine, k, change):
    """A job of class k starts (-1) or ends (+1) on the machine."""
    before = s.score[k, machine]
    s.score[k, machine] = before + change
    root, top = m.root[m.config[machine]], s.top
    node, start, end = block_of(m, machine)
    if change > 0:
        while node >= 1 and top[k, root + node] <= before:
            top[k, root + node] = before + change
            node >>= 1
        return
    if before < top[k, root + node]:
        return
    largest = s.score[k, start]
    for other in range(start + 1, end):
        largest = max(largest, s.score[k, other])
    while top[k, root + node] != largest:
        top[k, root + node] = largest
        if node == 1:
            return
        node >>= 1
        largest = max(top[k, root + 2 * node], top[k, root + 2 * node + 1])


@kernel
def highest_score(m, s, j, k, size, least, total, best, best_score):
    """The machine of configuration j with room and the highest upsilon, the first of equals; it must beat `best_score`."""
    bound, top, root, leaves = m.bound, s.top, m.root[j], m.leaves[j]
    if top[k, root + 1] <= best_score or not may_fit(bound, root + 1, size, least, total):
        return best, best_score
    s.stack[0] = 1
    stack = 1
    while stack > 0:
        stack -= 1
        node = s.stack[stack]
        while True:
            score = top[k, root + node]
            if score < best_score:
                break
            if score == best_score and machines_of(m, j, first_leaf(node, leaves))[0] >= best:
                break
            if node >= leaves:
                start, end = machines_of(m, j, node)
                for machine in range(start, end):
                    score = s.score[k, machine]
                    if (score > best_score or (score == best_score and machine < best)) and fits(m.free[machine], size):
                        best, best_score = machine, score
                break
            left = root + 2 * node
            left_open = (top[k, left] >= best_score) & may_fit(bound, left, size, least, total)
            right_open = (top[k, left + 1] >= best_score) & may_fit(bound, left + 1, size, least, total)
            if left_open and right_open:
                right_first = top[k, left + 1] > top[k, left]
                s.stack[stack] = 2 * node + (0 if right_first else 1)
                stack += 1
                node = 2 * node + (1 if right_first else 0)
            elif left_open:
                node = 2 * node
            elif right_open:
                node = 2 * node + 1
            else:
                break
    return best, best_score


@kernel
def sampled(m, s, j, k, size, rng, best, best_score):
    """As `highest_score` over `s.sample` machines drawn without replacement (Floyd's algorithm); of equals the one drawn first."""
    n = m.first[j + 1] - m.first[j]
    wanted = min(s.sample, n)
    for i in range(wanted):
        last = n - wanted + i
        pick = int(rng.random() * (last + 1))
        for earlier in range(i):
            if s.drawn[earlier] == pick:
                pick = last
                break
        s.drawn[i] = pick
        score = s.score[k, m.first[j] + pick]
        if score > best_score and fits(m.free[m.first[j] + pick], size):
            best, best_score = m.first[j] + pick, score
    return best, best_score


@kernel
def _look(m, s, j, k, size, least, total, rng, best, best_score):
    machines = m.first[j + 1] - m.first[j]
    s.looked[0] += min(s.sample, machines) if s.sample > 0 else machines
    if s.sample > 0:
        return sampled(m, s, j, k, size, rng, best, best_score)
    return highest_score(m, s, j, k, size, least, total, best, best_score)


@kernel
def arrive(m, s, k, size, rng):
    """The machine on which an arriving job of class k starts, or -1 when it joins its class's queue (Section 4.3.1).

    The roulette wheel picks among the configurations with Delta > 0 not tried yet; in each the highest upsilon with room wins.
    Then the remaining configurations are tried in the order of the table, first fit. In the first version the best upsilon
    anywhere else follows the first spin.
    """
    least, total = least_and_total(size)
    wheel, tried = s.wheel[k], s.tried
    s.looked[0] = 0
    left = 0
    for j in range(wheel.size):
        tried[j] = 0
        if wheel[j] > 0:
            left += 1
    while left > 0:
        weight = 0.0
        for j in range(wheel.size):
            if not tried[j]:
                weight += wheel[j]
        spin = rng.random() * weight
        picked, passed = -1, 0.0
        for j in range(wheel.size):
            if not tried[j] and wheel[j] > 0:
                picked = j
                passed += wheel[j]
                if spin < passed:
                    break
        machine, _ = _look(m, s, picked, k, size, least, total, rng, -1, NOBODY)
        if machine >= 0:
            return machine
        tried[picked] = 1
        left -= 1
        if s.first:
            break
    if s.first:
        best, best_score = -1, NOBODY
        for j in range(wheel.size):
            if not tried[j] and m.pace[j, k] < np.inf:
                best, best_score = _look(m, s, j, k, size, least, total, rng, best, best_score)
        return best
    if s.fallback:
        for j in range(wheel.size):
            if not tried[j] and m.pace[j, k] < np.inf:
                if s.sample > 0:
                    machine, _ = _look(m, s, j, k, size, least, total, rng, -1, NOBODY)
                else:
                    machine = first_fit(m, j, size, least, total)
                    s.looked[0] += (m.first[j + 1] if machine < 0 else machine + 1) - m.first[j]
                if machine >= 0:
                    return machine
    return -1


@kernel
def rank(m, s, line, machine):
    """Put the classes that the machine serves and that have jobs waiting into `s.order`, highest upsilon first; how many."""
    j = m.config[machine]
    ranked = 0
    for k in range(s.order.size):
        if line.count[k] > 0 and s.serve[j, k]:
            place = ranked
            while place > 0 and s.score[s.order[place - 1], machine] < s.score[k, machine]:
                s.order[place] = s.order[place - 1]
                place -= 1
            s.order[place] = k
            ranked += 1
    return ranked


@kernel
def pick(m, s, line, jobs, machine, ranked):
    """The next queued job for the machine, or -1, and how many classes remain ranked (Section 4.3.2).

    The first class in the ranking offers its earliest job that fits. A class that offers none leaves the ranking: the machine
    only fills up further.
    """
    while ranked > 0:
        job = first_that_fits(line, jobs, s.order[0], m.free[machine])
        if job >= 0:
            return job, ranked
        ranked -= 1
        for place in range(ranked):
            s.order[place] = s.order[place + 1]
    return -1, 0


@kernel
def demote(s, machine, ranked):
    """After a start, move the first class behind those whose upsilon is now higher; equal ones stay behind it."""
    k = s.order[0]
    place = 0
    while place + 1 < ranked and s.score[s.order[place + 1], machine] > s.score[k, machine]:
        s.order[place] = s.order[place + 1]
        place += 1
    s.order[place] = k

