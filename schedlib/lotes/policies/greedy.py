"""Greedy: the first machine with room, else the shortest machine queue (Section 5.1)."""

from typing import NamedTuple

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching.job_table import LEFT, SIZE
from schedlib.lotes.dispatching.machine_tree import (
    WIDTH,
    block_of,
    first_fit,
    fits,
    least_and_total,
    machines_of,
)

FULL = 2**30


class Queues(NamedTuple):
    """One first-come-first-served queue per machine, linked through the jobs.

    - `head (N,)`, `tail (N,)`: first and last waiting job, -1 when there is none
    - `length (N,)`: of each queue; `shortest (nodes,)`, `ties (nodes,)`: the smallest below each node of the machines' trees, and
      how many machines there have it
    - `bypass`: whether an arrival may start on a machine on which others wait
    """

    head: np.ndarray
    tail: np.ndarray
    length: np.ndarray
    shortest: np.ndarray
    ties: np.ndarray
    bypass: bool


def queues(m, bypass: bool) -> Queues:
    """Empty queues for these machines."""
    shortest, ties = np.full(len(m.bound), FULL, np.int32), np.zeros(len(m.bound), np.int32)
    for j, (root, leaves) in enumerate(zip(m.root, m.leaves, strict=True)):
        starts = np.arange(m.first[j], m.first[j + 1], WIDTH)
        leaf = slice(root + leaves, root + leaves + len(starts))
        shortest[leaf], ties[leaf] = 0, np.minimum(m.first[j + 1] - starts, WIDTH)
        for node in range(leaves - 1, 0, -1):
            _play(shortest, ties, root, node)
    empty = np.full(len(m.config), -1)
    return Queues(empty, empty.copy(), np.zeros(len(empty), np.int32), shortest, ties, bypass)


@kernel
def _play(shortest, ties, root, node):
    left, right = root + 2 * node, root + 2 * node + 1
    least = min(shortest[left], shortest[right])
    shortest[root + node] = least
    ties[root + node] = (ties[left] if shortest[left] == least else 0) + (ties[right] if shortest[right] == least else 0)


@kernel
def _lengthen(m, q, machine, change):
    q.length[machine] += change
    root = m.root[m.config[machine]]
    node, start, end = block_of(m, machine)
    least, ties = FULL, 0
    for other in range(start, end):
        if q.length[other] < least:
            least, ties = q.length[other], 0
        ties += q.length[other] == least
    q.shortest[root + node], q.ties[root + node] = least, ties
    node >>= 1
    while node >= 1:
        _play(q.shortest, q.ties, root, node)
        node >>= 1


@kernel
def mark(m, q, machine):
    """Close a machine to arrivals while others wait there, unless they may pass."""
    m.closed[machine] = 1 if q.head[machine] >= 0 and not q.bypass else 0


@kernel
def arrive(m, k, size):
    """The first machine, in the order of the table, on which an arriving job can start at once, or -1."""
    least, total = least_and_total(size)
    for j in range(m.capacity.shape[0]):
        if m.pace[j, k] < np.inf:
            machine = first_fit(m, j, size, least, total)
            if machine >= 0:
                return machine
    return -1


@kernel
def wait(m, q, jobs, slot, k, size, rng):
    """Let a job wait at a machine with the shortest queue, ties drawn evenly, among those that could hold it when empty."""
    least, ties = FULL, 0
    for j in range(m.capacity.shape[0]):
        if m.pace[j, k] < np.inf and fits(m.capacity[j], size):
            root = m.root[j] + 1
            if q.shortest[root] < least:
                least, ties = q.shortest[root], 0
            if q.shortest[root] == least:
                ties += q.ties[root]
    drawn = int(rng.random() * ties)
    machine = -1
    for j in range(m.capacity.shape[0]):
        if m.pace[j, k] < np.inf and fits(m.capacity[j], size) and q.shortest[m.root[j] + 1] == least:
            root = m.root[j]
            if drawn < q.ties[root + 1]:
                node = 1
                while node < m.leaves[j]:
                    node = 2 * node
                    here = q.ties[root + node] if q.shortest[root + node] == least else 0
                    if drawn >= here:
                        drawn -= here
                        node += 1
                machine, _ = machines_of(m, j, node)
                while q.length[machine] != least or drawn > 0:
                    drawn -= q.length[machine] == least
                    machine += 1
                break
            drawn -= q.ties[root + 1]
    jobs.whole[slot, LEFT] = -1
    if q.head[machine] < 0:
        q.head[machine] = slot
    else:
        jobs.whole[q.tail[machine], LEFT] = slot
    q.tail[machine] = slot
    _lengthen(m, q, machine, 1)
    mark(m, q, machine)
    return machine


@kernel
def pick(m, q, jobs, machine):
    """Take the job at the head of the machine's queue when it fits, else -1: those behind it wait for it."""
    slot = q.head[machine]
    if slot < 0 or not fits(m.free[machine], jobs.real[slot, SIZE : SIZE + m.free.shape[1]]):
        return -1
    q.head[machine] = jobs.whole[slot, LEFT]
    _lengthen(m, q, machine, -1)
    return slot
