"""LoTES, stage 3: steer every machine towards the bin that stage 2 gave it (Sections 4.3.1 and 4.3.2)."""

from typing import NamedTuple

import numpy as np

from schedlib.core.checks import unknown
from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching import machine_tree as tree
from schedlib.lotes.dispatching.decisions import hand_over
from schedlib.lotes.dispatching.machine_tree import (
    first_fit,
    first_leaf,
    fits,
    machines_of,
    may_fit,
)
from schedlib.lotes.dispatching.state import NONE, Given
from schedlib.lotes.dispatching.waiting_line import (
    EARLIEST,
    Line,
    best_that_fits,
    join,
    line,
    quit_line,
)

NO_SCORE = -(2**30)  # below every upsilon
OPTIONS = {
    "lotes": {"exit": "delta", "fallback": True, "sampled": None, "wheel": "delta"},
    "lotes-first": {"exit": "delta", "sampled": None, "wheel": "delta"},
}


class Scores(NamedTuple):
    """LoTES's state for M configurations, N machines and K classes."""

    # (K, N): upsilon, the jobs of the class in the machine's bin less those it runs
    score: np.ndarray
    top: np.ndarray  # (K, nodes): the largest score below each node of the machines' trees
    wheel: np.ndarray  # (K, M): rho_jk of Section 4.3.1 up to a factor per class
    serve: np.ndarray  # (M, K): which classes a machine looks for on an exit
    line: Line  # a queue per class
    first: bool  # the first version's fall-back
    fallback: bool  # whether arrivals try configurations with Delta = 0
    sample: int  # how many machines of a configuration are looked at, 0 for all
    order: np.ndarray  # (K,): the classes that the machine of the last exit looks for
    listed: np.ndarray  # (1,): how many of them remain
    tried: np.ndarray  # (M,), working space, as are the next two
    stack: np.ndarray
    drawn: np.ndarray


def check(settings: dict) -> None:
    """Raise ValueError on a value that an option cannot have."""
    for option, values in (("exit", ("delta", "all")), ("wheel", ("delta", "rate"))):
        if settings[option] not in values:
            raise unknown(option, settings[option], values)
    if settings["sampled"] is not None and not settings["sampled"] >= 1:
        raise ValueError(
            f"sampled: {settings['sampled']}, must be 1 or more machines, or None for all"
        )


def begin(policy: str, settings: dict, given: Given, running: np.ndarray | int = 0) -> Scores:
    """The scores of machines that run `running (N, K)` jobs already; ValueError without a plan."""
    m = given.machines
    plan = given.plan
    if plan is None:
        raise ValueError(f"plan: {policy!r} follows one; make it with lotes.plan(configs, classes)")
    able = np.isfinite(m.pace)
    held = plan.running > 0
    wheel = np.where(
        able, plan.running * (plan.classes.rate if settings["wheel"] == "rate" else 1.0), 0.0
    )
    sample = settings["sampled"] or 0
    score = np.array((given.targets() - running).T, np.int32, order="C")
    return Scores(
        score=score,
        top=np.array(tree.maxima(m, score.T, NO_SCORE).T, order="C"),
        wheel=np.ascontiguousarray(wheel.T, float),
        # a class that is in no bin is served by every machine that can run it
        serve=able & (held | ~held.any(axis=0) | (settings["exit"] == "all")),
        line=line(len(score), given.typical),
        first=policy == "lotes-first",
        fallback=settings.get("fallback", True),
        sample=sample,
        order=np.zeros(len(score), np.int64),
        listed=np.zeros(1, np.int64),
        stack=np.zeros(128, np.int64),
        tried=np.zeros(len(m.root), np.int64),
        drawn=np.zeros(max(sample, 1), np.int64),
    )


@kernel
def add_to_score(m, s, machine, k, change):
    """A job of class k starts (-1) or ends (+1) on the machine."""
    score = s.score[k]  # (N,)
    top = s.top[k, m.root[m.config[machine]] :]  # of the nodes of the machine's tree
    score[machine] += change
    node, start, end = tree.block_of(m, machine)
    largest = score[start]
    for other in range(start + 1, end):
        largest = max(largest, score[other])
    while top[node] != largest:
        top[node] = largest
        if node == 1:
            return
        largest = max(largest, top[node ^ 1])
        node >>= 1


class Candidate(NamedTuple):
    """A machine that has room for a job, and the upsilon of the job's class there."""

    machine: int
    score: int


NOBODY = Candidate(NONE, NO_SCORE)


@kernel
def _may_win(m, s, j, k, node, best):
    """Whether a machine below the node may be better than the candidate: of equal scores the first wins."""
    score = s.top[k, m.root[j] + node]
    if score != best.score:
        return score > best.score
    first, _ = machines_of(m, j, first_leaf(node, m.leaves[j]))
    return first < best.machine


@kernel
def _open_children(m, s, j, k, node, need, least):
    """The children of a node that may have room and a score of at least `least`, the better first; 0 for none."""
    root = m.root[j]
    top = s.top[k, root:]
    left = 2 * node
    right = left + 1
    left_open = (top[left] >= least) & may_fit(m.bound, root + left, need)
    right_open = (top[right] >= least) & may_fit(m.bound, root + right, need)
    if not left_open:
        return right if right_open else 0, 0
    if not right_open:
        return left, 0
    return (right, left) if top[right] > top[left] else (left, right)


@kernel
def _highest_score(m, s, j, k, size, need, best):
    """The first machine of configuration j with room and the highest upsilon, if above that of `best`.

    `size (R,)`: of the job, of class k; `need`: its outline.
    """
    root = m.root[j] + 1
    if s.top[k, root] <= best.score or not may_fit(m.bound, root, need):
        return best
    s.stack[0] = 1
    height = 1
    while height > 0:
        height -= 1
        node = s.stack[height]
        # down to a leaf; a second child that may have the answer is put on the stack for later
        while node > 0 and _may_win(m, s, j, k, node, best):
            if node >= m.leaves[j]:
                best = _best_of_block(m, s, j, k, node, size, best)
                break
            node, later = _open_children(m, s, j, k, node, need, best.score)
            if later > 0:
                s.stack[height] = later
                height += 1
    return best


@kernel
def _best_of_block(m, s, j, k, leaf, size, best):
    """The better of the candidate and the machines below a leaf."""
    start, end = machines_of(m, j, leaf)
    for machine in range(start, end):
        score = np.int64(s.score[k, machine])
        wins = score > best.score or (score == best.score and machine < best.machine)
        if wins and fits(m.free[machine], size):
            best = Candidate(machine, score)
    return best


@kernel
def _sampled(m, s, j, k, size, rng, best):
    """`_highest_score` over `s.sample` machines, drawn without replacement by Floyd's algorithm."""
    first = m.first[j]
    n = m.first[j + 1] - first
    wanted = min(s.sample, n)
    for i in range(wanted):
        last = n - wanted + i
        pick = int(rng.random() * (last + 1))
        for earlier in range(i):
            if s.drawn[earlier] == pick:
                pick = last
                break
        s.drawn[i] = pick
        machine = first + pick
        score = np.int64(s.score[k, machine])
        if score > best.score and fits(m.free[machine], size):
            best = Candidate(machine, score)
    return best


@kernel
def _look(s, state, j, k, size, need, rng, best):
    """`_sampled` or `_highest_score`, with a note of how many machines are looked at."""
    m = state.machines
    machines = m.first[j + 1] - m.first[j]
    clock = state.meter.clock[0]
    if s.sample > 0:
        clock.looked += min(s.sample, machines)
        return _sampled(m, s, j, k, size, rng, best)
    clock.looked += machines
    return _highest_score(m, s, j, k, size, need, best)


@kernel
def _spin(wheel, tried, rng):
    """The roulette wheel: a configuration that was not tried yet, with the probability rho_jk; NONE at the end."""
    weight = 0.0
    for j in range(wheel.size):
        if not tried[j]:
            weight += wheel[j]
    if weight == 0:
        return NONE
    spin = rng.random() * weight
    picked = NONE
    passed = 0.0
    for j in range(wheel.size):
        if not tried[j] and wheel[j] > 0:
            picked = j
            passed += wheel[j]
            if spin < passed:
                break
    return picked


@kernel
def _choose(s, state, k, size, rng):
    """The roulette wheel picks among the configurations with Delta > 0 not tried yet, in the first version once; in
    each the highest upsilon with room wins. Then come the other configurations.

    `size (R,)`: of the job, of class k.
    """
    need = tree.outline(size)
    s.tried[:] = 0
    picked = _spin(s.wheel[k], s.tried, rng)
    while picked >= 0:
        best = _look(s, state, picked, k, size, need, rng, NOBODY)
        if best.machine >= 0:
            return best.machine
        s.tried[picked] = 1
        picked = NONE if s.first else _spin(s.wheel[k], s.tried, rng)
    return _fall_back(s, state, k, size, need, rng) if s.fallback else NONE


@kernel
def _fall_back(s, state, k, size, need, rng):
    """A machine of the configurations that the wheel did not try, in the order of the table: the first that fits; in
    the first version the best upsilon anywhere.

    `size (R,)`: of the job, of class k; `need`: its outline.
    """
    m = state.machines
    best = NOBODY
    for j in range(s.tried.size):
        if s.tried[j] or m.pace[j, k] == np.inf:
            continue
        if s.first or s.sample > 0:
            best = _look(s, state, j, k, size, need, rng, best)
        else:
            machine = first_fit(m, j, size, need)
            end = m.first[j + 1] if machine < 0 else machine + 1
            state.meter.clock[0].looked += end - m.first[j]
            best = Candidate(machine, NO_SCORE)
        if best.machine >= 0 and not s.first:
            break
    return best.machine


@kernel
def arrive(s, state, slot, rng):
    """The machine on which the arriving job starts, or NONE (Section 4.3.1)."""
    k = state.table.job[slot].job_class
    machine = _choose(s, state, k, state.table.size[slot], rng)
    if machine >= 0:
        add_to_score(state.machines, s, machine, k, -1)
    return machine


@kernel
def wait(s, state, slot, rng):
    """Let the job wait in its class's queue, in order of arrival."""
    job = state.table.job[slot]
    join(s.line, state.table, job.job_class, slot, float(job.row))


@kernel
def left(s, state, slot, machine):
    """Raise the score of the class whose job ended, and list the classes that the machine now looks for."""
    add_to_score(state.machines, s, machine, state.table.job[slot].job_class, 1)
    if state.meter.clock[0].waiting > 0:
        list_classes(s, state.machines.config[machine])


@kernel
def list_classes(s, j):
    """List the waiting classes that a machine of configuration j serves."""
    s.listed[0] = 0
    for k in range(s.order.size):
        if s.line.count[k] > 0 and s.serve[j, k]:
            s.order[s.listed[0]] = k
            s.listed[0] += 1


@kernel
def pick(s, state, machine):
    """The earliest job that fits of the class with the highest upsilon that offers one, or NONE (Section
    4.3.2). A class without one leaves the list: the machine only fills up further.
    """
    _sort(s, machine)
    while s.listed[0] > 0:
        k = s.order[0]
        free = state.machines.free[machine]
        slot, _ = best_that_fits(s.line, state.table, k, free, EARLIEST, NONE, -np.inf)
        if slot >= 0:
            quit_line(s.line, state.table, k, slot)
            add_to_score(state.machines, s, machine, k, -1)
            return slot
        s.listed[0] -= 1
        for place in range(s.listed[0]):
            s.order[place] = s.order[place + 1]
    return NONE


@kernel
def _sort(s, machine):
    """Sort the listed classes, the highest upsilon first; equal ones keep their order."""
    for last in range(1, s.listed[0]):
        k = s.order[last]
        place = last
        while place > 0 and s.score[s.order[place - 1], machine] < s.score[k, machine]:
            s.order[place] = s.order[place - 1]
            place -= 1
        s.order[place] = k


hand_over(Scores, arrive=arrive, wait=wait, pick=pick, left=left)
