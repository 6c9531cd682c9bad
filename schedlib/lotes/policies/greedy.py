"""Greedy: the first machine with room, else the shortest machine queue (Section 5.1)."""

from typing import NamedTuple

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching import machine_tree as tree
from schedlib.lotes.dispatching.decisions import hand_over
from schedlib.lotes.dispatching.machine_tree import WIDTH, first_machine, fits, machines_of
from schedlib.lotes.dispatching.state import NONE, Given

FULL = 2**30
OPTIONS = {"greedy": {"bypass": False}}


class Queues(NamedTuple):
    """One first-come-first-served queue per machine, linked through the jobs."""

    head: np.ndarray  # (N,): first waiting job, -1 without one
    tail: np.ndarray  # (N,): last waiting job
    length: np.ndarray  # (N,)
    shortest: np.ndarray  # (nodes,): the smallest length below each node of the machines' trees
    ties: np.ndarray  # (nodes,): how many machines there have it
    bypass: bool  # whether an arrival may start on a machine on which others wait


def begin(policy: str, settings: dict, given: Given) -> Queues:
    """Empty queues at the given machines."""
    m = given.machines
    machines = len(m.config)
    nodes = len(m.bound)
    queues = Queues(
        head=np.full(machines, -1),
        tail=np.full(machines, -1),
        length=np.zeros(machines, np.int32),
        shortest=np.full(nodes, FULL, np.int32),
        ties=np.zeros(nodes, np.int32),
        bypass=bool(settings["bypass"]),
    )
    for j in range(len(m.root)):
        for machine in range(m.first[j], m.first[j + 1], WIDTH):
            _lengthen(m, queues, machine, 0)
    return queues


@kernel
def _ties(q, row, least):
    """How many machines below a row of the trees have a queue of this length, if none has a shorter one."""
    return q.ties[row] if q.shortest[row] == least else 0


@kernel
def _lengthen(m, q, machine, change):
    """Note a longer or shorter queue, in the trees too, and close the machine unless arrivals may start."""
    q.length[machine] += change
    m.closed[machine] = 1 if q.head[machine] >= 0 and not q.bypass else 0
    root = m.root[m.config[machine]]
    node, start, end = tree.block_of(m, machine)
    least = FULL
    ties = 0
    for other in range(start, end):
        if q.length[other] < least:
            least = q.length[other]
            ties = 0
        ties += q.length[other] == least
    q.shortest[root + node] = least
    q.ties[root + node] = ties
    while node > 1:
        node >>= 1
        left = root + 2 * node
        least = min(q.shortest[left], q.shortest[left + 1])
        q.shortest[root + node] = least
        q.ties[root + node] = _ties(q, left, least) + _ties(q, left + 1, least)


@kernel
def arrive(q, state, slot, rng):
    """The first machine, in the order of the table, on which the arriving job can start at once, or NONE."""
    m = state.machines
    k = state.table.job[slot].job_class
    machine = first_machine(m, m.pace, k, state.table.size[slot])
    state.meter.clock[0].looked += machine + 1 if machine >= 0 else m.config.size
    return machine


@kernel
def _large_enough(m, j, k, size):
    """Whether a job of class k and size (R,) can ever run on a machine of configuration j."""
    return m.pace[j, k] < np.inf and fits(m.capacity[j], size)


@kernel
def _tie(m, q, j, least, drawn):
    """The machine of configuration j before which `drawn` others have a queue of the same `least` length."""
    node = 1
    while node < m.leaves[j]:
        node = 2 * node
        left = _ties(q, m.root[j] + node, least)
        if drawn >= left:
            drawn -= left
            node += 1
    machine, _ = machines_of(m, j, node)
    while q.length[machine] != least or drawn > 0:
        drawn -= q.length[machine] == least
        machine += 1
    return machine


@kernel
def wait(q, state, slot, rng):
    """Let the job wait at a machine with the shortest queue among those large enough, ties drawn evenly."""
    m = state.machines
    job = state.table.job
    k = job[slot].job_class
    size = state.table.size[slot]  # (R,)
    least = FULL
    ties = 0
    for j in range(m.capacity.shape[0]):
        if _large_enough(m, j, k, size):
            shortest = q.shortest[m.root[j] + 1]
            if shortest < least:
                least = shortest
                ties = 0
            ties += _ties(q, m.root[j] + 1, least)
    drawn = int(rng.random() * ties)
    machine = -1
    for j in range(m.capacity.shape[0]):
        if _large_enough(m, j, k, size):
            here = _ties(q, m.root[j] + 1, least)
            if drawn < here:
                machine = _tie(m, q, j, least, drawn)
                break
            drawn -= here
    job[slot].child[0] = -1
    if q.head[machine] < 0:
        q.head[machine] = slot
    else:
        job[q.tail[machine]].child[0] = slot
    q.tail[machine] = slot
    _lengthen(m, q, machine, 1)
    tree.refresh(m, machine)


@kernel
def pick(q, state, machine):
    """Take the job at the head of the machine's queue if it fits, else NONE: those behind it wait for it."""
    m = state.machines
    slot = q.head[machine]
    if slot < 0 or not fits(m.free[machine], state.table.size[slot]):
        return NONE
    q.head[machine] = state.table.job[slot].child[0]
    _lengthen(m, q, machine, -1)
    return slot


hand_over(Queues, arrive=arrive, wait=wait, pick=pick)
