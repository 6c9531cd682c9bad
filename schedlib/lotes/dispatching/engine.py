"""The event loop of stage 3: jobs arrive, start, end; a policy decides at arrivals and at exits and nowhere else.

At equal times exits come before arrivals, and each kind in the order in which it was scheduled.
"""

from typing import NamedTuple

import numba
import numpy as np
from numba.core import types

from schedlib.core import compiling, events
from schedlib.core.prefetch import prefetch
from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching import job_table, meter, waiting_line
from schedlib.lotes.dispatching.job_table import CLASS, KIND, MACHINE, ROW, SIZE, SUBMIT, WORK
from schedlib.lotes.dispatching.machine_tree import Machines, fits, gave, machines, refresh, took
from schedlib.lotes.dispatching.meter import (
    LOOKED,
    WAITING,
    note_arrival,
    note_finish,
    note_queue,
    note_start,
    tick,
)
from schedlib.lotes.policies import greedy, lotes, tetris
from schedlib.lotes.policies.own import RULE, Cluster, first_in_line

add, take, enter, leave, note_wait = events.add, events.take, job_table.enter, job_table.leave, job_table.note_wait
join, quit_line = waiting_line.join, waiting_line.quit_line
lotes_arrive, lotes_rank, lotes_pick = lotes.arrive, lotes.rank, lotes.pick
lotes_demote, add_to_score = lotes.demote, lotes.add_to_score
greedy_arrive, greedy_wait, greedy_pick, greedy_mark = greedy.arrive, greedy.wait, greedy.pick, greedy.mark
tetris_arrive, tetris_wait, tetris_pick, incline = tetris.arrive, tetris.wait, tetris.pick, tetris.incline

LOTES, GREEDY, TETRIS, OWN = range(4)
DONE, MORE_SLOTS, MORE_INTERVALS, BAD_MACHINE, BAD_JOB = range(5)


class System(NamedTuple):
    """All that a run changes; a policy uses its own part of it."""

    m: Machines
    scores: lotes.Scores
    queues: greedy.Queues
    weights: tetris.Weights
    line: waiting_line.Line
    jobs: job_table.Jobs
    events: events.EventQueue
    meter: meter.Meter
    running: np.ndarray  # (N, K) for a reader's policy, else empty
    target: np.ndarray  # (N, K) likewise
    hall: np.ndarray  # (S,) waiting jobs in order, for a reader's policy
    seen: np.ndarray  # jobs taken from the present block, jobs taken in all


class Block(NamedTuple):
    """Jobs that arrive one after another: `submit (B,)`, `job_class (B,)`, `work (B,)`, `size (B, R)` in fractions."""

    submit: np.ndarray
    job_class: np.ndarray
    work: np.ndarray
    size: np.ndarray


class Log(NamedTuple):
    """A row per job: `start`, `finish`, `machine`; empty arrays when nothing is recorded."""

    start: np.ndarray
    finish: np.ndarray
    machine: np.ndarray


@kernel
def place(m, jobs, events, meter, log, slot, row, machine, now):
    """Start a job on a machine; the machine's tree is brought up to date by the caller."""
    for l in range(m.free.shape[1]):
        size = jobs.real[slot, SIZE + l]
        m.free[machine, l] -= size
        meter.used[l] += size
    submit = jobs.real[slot, SUBMIT]
    finish = now + jobs.real[slot, WORK] * m.pace[m.config[machine], int(jobs.real[slot, CLASS])]
    jobs.real[slot, MACHINE] = machine
    note_start(meter, now - submit)
    add(events, finish, slot)
    if log.start.size > 0:
        log.start[row], log.finish[row], log.machine[row] = now, finish, machine


@kernel
def seen_by_policy(sys, now):
    """What a reader's policy sees."""
    m, jobs = sys.m, sys.jobs
    size, work, submit = jobs.real[:, SIZE : SIZE + m.free.shape[1]], jobs.real[:, WORK], jobs.real[:, SUBMIT]
    of_jobs = size, work, submit, jobs.whole[:, KIND], sys.hall[: int(sys.meter.state[WAITING])]
    return Cluster(m.capacity, m.pace, m.config, m.free, sys.running, sys.target, *of_jobs, now)


@kernel
def own_arrival(sys, arrive, slot, now):
    """The machine that a reader's policy gives an arriving job; -2 when it cannot be."""
    m, jobs = sys.m, sys.jobs
    machine = arrive(seen_by_policy(sys, now), slot)
    if machine == -1:
        return -1
    if machine < 0 or machine >= m.config.size or not fits(m.free[machine], jobs.real[slot, SIZE : SIZE + m.free.shape[1]]):
        return -2
    return -2 if m.pace[m.config[machine], int(jobs.real[slot, CLASS])] == np.inf else machine


@kernel
def own_pick(sys, leave, machine, now):
    """The waiting job that a reader's policy starts on the machine, taken out of the hall; -2 when it cannot be."""
    m, jobs = sys.m, sys.jobs
    waiting = int(sys.meter.state[WAITING])
    slot = leave(seen_by_policy(sys, now), machine)
    if slot == -1:
        return -1
    place = 0
    while place < waiting and sys.hall[place] != slot:
        place += 1
    if place == waiting or not fits(m.free[machine], jobs.real[slot, SIZE : SIZE + m.free.shape[1]]):
        return -2
    if m.pace[m.config[machine], int(jobs.real[slot, CLASS])] == np.inf:
        return -2
    for later in range(place, waiting - 1):
        sys.hall[later] = sys.hall[later + 1]
    return slot


@kernel
def exits(kind, own_leave, sys, log, slot, now):
    """End the job in `slot` and let its machine start what the policy picks; the machine and whether the policy broke the rules."""
    m, jobs, meter = sys.m, sys.jobs, sys.meter
    machine, k = int(jobs.real[slot, MACHINE]), int(jobs.real[slot, CLASS])
    for l in range(m.free.shape[1]):
        size = jobs.real[slot, SIZE + l]
        m.free[machine, l] += size
        meter.used[l] -= size
    note_finish(meter, now - jobs.real[slot, SUBMIT])
    leave(jobs, slot)
    if kind == LOTES:
        add_to_score(m, sys.scores, machine, k, 1)
    elif kind == OWN:
        sys.running[machine, k] -= 1
    started = False
    if meter.state[WAITING] > 0:
        ranked = lotes_rank(m, sys.scores, sys.line, machine) if kind == LOTES else 0
        while meter.state[WAITING] > 0:
            if kind == LOTES:
                picked, ranked = lotes_pick(m, sys.scores, sys.line, jobs, machine, ranked)
                if picked >= 0:
                    quit_line(sys.line, jobs, jobs.whole[picked, KIND], picked)
            elif kind == GREEDY:
                picked = greedy_pick(m, sys.queues, jobs, machine)
            elif kind == TETRIS:
                picked = tetris_pick(m, sys.weights, sys.line, jobs, machine)
                if picked >= 0:
                    quit_line(sys.line, jobs, sys.weights.group[jobs.whole[picked, KIND]], picked)
            else:
                picked = own_pick(sys, own_leave, machine, now)
                if picked == -2:
                    return machine, True
            if picked < 0:
                break
            started = True
            note_queue(meter, -1)
            place(m, jobs, sys.events, meter, log, picked, jobs.whole[picked, ROW], machine, now)
            if kind == LOTES:
                add_to_score(m, sys.scores, machine, jobs.whole[picked, KIND], -1)
                lotes_demote(sys.scores, machine, ranked)
            elif kind == OWN:
                sys.running[machine, jobs.whole[picked, KIND]] += 1
    if kind == TETRIS:
        incline(m, sys.weights, machine, not started)
    elif kind == GREEDY and started:
        greedy_mark(m, sys.queues, machine)
    if started:
        refresh(m, machine)
    elif not m.closed[machine]:
        gave(m, machine)
    return machine, False


@kernel
def arrives(kind, own_arrive, sys, log, slot, row, rng, now):
    """Start job number `row`, in `slot`, where the policy says, or let it wait; its machine and whether the policy broke the rules."""
    m, jobs, meter = sys.m, sys.jobs, sys.meter
    k = int(jobs.real[slot, CLASS])
    size = jobs.real[slot, SIZE : SIZE + m.free.shape[1]]
    note_arrival(meter)
    if log.start.size > 0 or kind == OWN:
        note_wait(jobs, slot, row, k)  # a plan made anew, or a reader's policy, may ask of any job who it is
    if kind == LOTES:
        machine = lotes_arrive(m, sys.scores, k, size, rng)
        meter.state[LOOKED] += sys.scores.looked[0]
    elif kind == GREEDY:
        machine = greedy_arrive(m, k, size)
        meter.state[LOOKED] += machine + 1 if machine >= 0 else m.config.size
    elif kind == TETRIS:
        machine = tetris_arrive(m, sys.weights, k, size, jobs.real[slot, WORK])
        meter.state[LOOKED] += m.config.size
    else:
        machine = own_arrival(sys, own_arrive, slot, now)
        if machine == -2:
            return machine, True
    if machine >= 0:
        place(m, jobs, sys.events, meter, log, slot, row, machine, now)
        if kind == LOTES:
            add_to_score(m, sys.scores, machine, k, -1)
        elif kind == OWN:
            sys.running[machine, k] += 1
        elif kind == TETRIS:
            incline(m, sys.weights, machine, False)
        took(m, machine, size)
        return machine, False
    note_wait(jobs, slot, row, k)
    if kind == LOTES:
        join(sys.line, jobs, k, slot, float(row))
    elif kind == GREEDY:
        target = greedy_wait(m, sys.queues, jobs, slot, k, size, rng)
        refresh(m, target)
    elif kind == TETRIS:
        tetris_wait(sys.weights, sys.line, jobs, slot, k)
    else:
        sys.hall[int(meter.state[WAITING])] = slot
    note_queue(meter, 1)
    return machine, False


def _advance(own_arrive, own_leave, kind, sys, block, log, rng, until, last):
    """Run until the block is used up (the `last` one: until `until`); gives a status, and a job's row and machine when bad."""
    while True:
        at = sys.seen[0]
        arrival = block.submit[at] if at < block.submit.size else np.inf
        exit_at = sys.events.time[0] if sys.events.count[0] > 0 else np.inf
        if arrival == np.inf and not last:
            return DONE, 0, 0
        now = min(arrival, exit_at)
        if now >= until:
            return DONE, 0, 0
        if now >= sys.meter.width * sys.meter.series.shape[0]:
            return MORE_INTERVALS, 0, 0
        if exit_at <= arrival:
            tick(sys.meter, now)
            _, slot = take(sys.events)
            prefetch(sys.jobs.real, sys.events.label[0] & 0x7FFFFFFF)  # most likely the next to end
            machine, bad = exits(kind, own_leave, sys, log, slot, now)
            if bad:
                return BAD_JOB, machine, 0
        else:
            if sys.jobs.taken[0] == sys.jobs.spare.size:
                return MORE_SLOTS, 0, 0
            tick(sys.meter, now)
            slot, row = enter(sys.jobs, now, block.job_class[at], block.work[at], block.size[at]), sys.seen[1]
            sys.seen[0] += 1
            sys.seen[1] += 1
            machine, bad = arrives(kind, own_arrive, sys, log, slot, row, rng, now)
            if bad:
                return BAD_MACHINE, row, 0


def system(m, *, slots, intervals, width, **parts) -> System:
    """A system at time 0, with the `parts` that its policy uses."""
    resources, classes = m.free.shape[1], m.pace.shape[1]
    tiny = machines(np.ones((1, resources)), np.ones(1, np.int64), np.ones((1, 1)))
    nothing = np.zeros((1, 1), np.int64)
    own = "target" in parts
    unused = {
        "scores": lotes.scores(tiny, nothing, np.ones((1, 1)), np.ones((1, 1), bool)),
        "queues": greedy.queues(tiny, False),
        "weights": tetris.weights(tiny, 1.0, 1.0),
        "line": waiting_line.line(1, np.ones(resources)),
        "target": nothing,
    }
    return System(
        m=m,
        jobs=job_table.job_table(slots, resources),
        events=events.event_queue(slots),
        meter=meter.meter(resources, intervals, width),
        running=np.zeros((len(m.config), classes), np.int64) if own else nothing,
        hall=np.zeros(slots if own else 1, np.int64),
        seen=np.zeros(2, np.int64),
        **unused | parts,
    )


def enlarged(sys: System) -> System:
    """The same system with room for half as many jobs again."""
    jobs, queue = job_table.enlarged(sys.jobs), sys.events
    more = len(jobs.spare) - len(sys.jobs.spare)
    time, label = np.concatenate((queue.time, np.zeros(more))), np.concatenate((queue.label, np.zeros(more, np.int64)))
    hall = np.concatenate((sys.hall, np.zeros(more, np.int64))) if len(sys.hall) == len(sys.jobs.spare) else sys.hall
    return sys._replace(jobs=jobs, events=events.EventQueue(time, label, queue.count), hall=hall)


def no_log() -> Log:
    return Log(np.zeros(0), np.zeros(0), np.zeros(0, np.int64))


def _signature():
    m = machines(np.ones((1, 1)), np.ones(1, np.int64), np.ones((1, 1)))
    sys = system(m, slots=1, intervals=1, width=1.0)
    block = Block(np.zeros(0), np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 1)))
    rule = compiling.function_type(RULE)
    arguments = [numba.typeof(value) for value in (sys, block, no_log(), np.random.default_rng(0), 1.0, True)]
    return types.UniTuple(types.int64, 3)(rule, rule, types.int64, *arguments)


advance = kernel(signature=_signature())(_advance)
nobody = first_in_line
