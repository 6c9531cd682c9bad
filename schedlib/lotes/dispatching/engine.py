"""The event loop of stage 3: jobs arrive, start, end; a policy decides at arrivals and exits alone.

At equal times exits come before arrivals, and each kind in the order in which it was scheduled. numba
compiles the same source once for each type of what a policy keeps, with that policy's entry points in line.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from schedlib.core.events import add, take
from schedlib.core.prefetch import prefetch
from schedlib.core.stopping import poll
from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching import machine_tree as tree
from schedlib.lotes.dispatching import state as states
from schedlib.lotes.dispatching.state import (
    REFUSED,
    Arrivals,
    Log,
    State,
    lengthened,
    note_queue,
    tick,
)
from schedlib.lotes.model import MachineConfigs
from schedlib.lotes.policies import arrive, changed, grown, left, pick, wait

DONE, MORE_SLOTS, MORE_INTERVALS, BROKEN = range(4)
"""Why `advance` returns: it is at the end, needs room, or the policy made an impossible choice."""


@kernel
def start(state, log, slot, machine):
    """Start a job on a machine; the caller brings the machine's tree up to date."""
    m, meter, now = state.machines, state.meter, state.meter.clock[0].now
    job = state.table.job[slot]
    for l in range(m.free.shape[1]):
        size = state.table.size[slot, l]
        m.free[machine, l] -= size
        meter.used[l] += size
    finish = now + job.work * m.pace[m.config[machine], job.job_class]
    job.machine = machine
    states.note_start(meter, now - job.submit)
    add(state.events, finish, slot)
    if log.start.size > 0:
        log.start[job.row], log.finish[job.row], log.machine[job.row] = now, finish, machine


@kernel
def fill(policy, state, log, machine):
    """Let the policy start waiting jobs on the machine; gives their number, or REFUSED."""
    started = 0
    while state.meter.clock[0].waiting > 0:
        slot = pick(policy, state, machine)
        if slot == REFUSED:
            return REFUSED
        if slot < 0:
            return started
        started += 1
        note_queue(state.meter, -1)
        start(state, log, slot, machine)
    return started


@kernel
def ends(policy, state, log, slot):
    """End a job and fill its machine; gives False when the policy's choice is impossible."""
    m = state.machines
    machine = state.table.job[slot].machine
    for l in range(m.free.shape[1]):
        size = state.table.size[slot, l]
        m.free[machine, l] += size
        state.meter.used[l] -= size
    clock = state.meter.clock[0]
    clock.present -= 1
    state.meter.series[clock.interval].finished += 1
    states.leave(state.table, slot)
    left(policy, state, slot, machine)
    started = fill(policy, state, log, machine)
    if started == REFUSED:
        return False
    changed(policy, state, machine)
    if started > 0:
        tree.refresh(m, machine)
    elif not m.closed[machine]:
        tree.gave(m, machine)
    return True


@kernel
def arrives(policy, state, log, slot, rng):
    """Start the arriving job, or let it wait; gives False when the policy's choice is impossible."""
    clock = state.meter.clock[0]
    clock.present += 1
    state.meter.series[clock.interval].arrived += 1
    machine = arrive(policy, state, slot, rng)
    if machine == REFUSED:
        return False
    if machine >= 0:
        before = tree.outline(state.machines.free[machine])
        start(state, log, slot, machine)
        changed(policy, state, machine)
        tree.took(state.machines, machine, before)
    else:
        wait(policy, state, slot, rng)
        note_queue(state.meter, 1)
    return True


@kernel
def advance(policy, state, block, log, rng, until, last):
    """Run until the block is used up (the `last` one: until `until`); gives why it stopped."""
    while True:
        poll()
        progress = state.progress[0]
        at = progress.taken
        arrival = block.submit[at] if at < block.submit.size else np.inf
        exit_at = state.events.time[0] if state.events.count[0] > 0 else np.inf
        if arrival == np.inf and not last:
            return DONE
        now = min(arrival, exit_at)
        if now >= until:
            return DONE
        if now >= state.meter.width * state.meter.series.size:
            return MORE_INTERVALS
        if exit_at <= arrival:
            tick(state.meter, now)
            _, slot = take(state.events)
            # most likely the next to end
            prefetch(state.table.job, state.events.label[0] & 0x7FFFFFFF)
            if not ends(policy, state, log, slot):
                return BROKEN
        else:
            if state.table.taken[0] == state.table.spare.size:
                return MORE_SLOTS
            tick(state.meter, now)
            job_class, work, size = block.job_class[at], block.work[at], block.demand[at]
            slot = states.enter(state.table, progress.arrived, now, job_class, work, size)
            progress.taken += 1
            progress.arrived += 1
            if not arrives(policy, state, log, slot, rng):
                return BROKEN


def run(
    name: str,
    kept: Any,
    state: State,
    configs: MachineConfigs,
    jobs: Any,
    choices: np.random.Generator,
    *,
    end: float,
    record: bool,
    planner: Any = None,
    enough: Callable[[float, int], bool] | None = None,
) -> tuple[State, list[Arrivals], Log, float]:
    """Let the jobs pass through the engine until time `end`, under the policy that keeps `kept`.

    `choices`: the policy's random generator; `planner`: what swaps plans on the way; `enough`: as in
    `simulate`. Gives the state, (when `record`) the blocks of jobs and their log, and when the run ended.
    Raises ValueError on a job that no machine can run and on a policy's impossible choice.
    """
    none, whole, last, progress = np.zeros(0), np.zeros(0, np.int64), False, state.progress[0]
    width, looks = state.meter.width, 1
    log, blocks, coming = (
        Log(start=none, finish=none, machine=whole),
        [],
        jobs.blocks(),
    )
    while not last:
        block = next(coming, None)  # type: Any
        if last := block is None:
            nothing = none.reshape(0, configs.n_resources)
            block = Arrivals(submit=none, job_class=whole, work=none, demand=nothing)
        size = tree.fractions(configs.capacity, block.demand)[1]
        if len(size):
            _check(block, size, state.machines, int(progress.arrived))
        if record:
            blocks.append(block)
        if record or planner:
            log = states.longer_log(log, int(progress.arrived) + len(size))
        progress.taken = 0
        given = Arrivals(
            submit=np.array(block.submit, float),
            job_class=np.array(block.job_class, np.int64),
            work=np.array(block.work, float),
            demand=np.ascontiguousarray(size),
        )
        if planner:
            planner.relabel(given, progress)
        while True:
            look = looks * width if enough else np.inf
            stop = min(end, look, planner.due if planner else np.inf)
            status = advance(kept, state, given, log, choices, float(stop), last)
            if status == DONE:
                more = progress.taken < len(size) or (last and state.events.count[0] > 0)
                if stop == end or not more:
                    break
                if enough and stop == look:
                    looks += 1
                    if enough(look, int(state.meter.clock[0].waiting)):
                        end = look
                else:
                    kept, state = planner.swap(kept, state, log)
                    planner.relabel(given, progress)
            elif status == MORE_SLOTS:
                state = states.enlarged(state)
                kept = grown(kept, len(state.table.spare))
            elif status == MORE_INTERVALS:
                over = state.meter.width * len(state.meter.series)
                state = state._replace(meter=lengthened(state.meter, over))
            else:
                raise ValueError(f"policy {name!r}: {_refusal(state, configs, jobs)}")
        if progress.taken < len(size):
            break
    return state, blocks, log, end


def _check(block, size, m, before):
    """Refuse a job that no machine can ever run, or of a class that is not there."""
    classes, job_class = m.pace.shape[1], block.job_class
    for row in np.flatnonzero((job_class < 0) | (job_class >= classes)):
        raise ValueError(
            f"workload: job {before + row} is of class {job_class[row]}; there are {classes}, "
            "from 0 on"
        )
    largest = size.max(axis=0, initial=0.0)
    if (np.isfinite(m.pace).all(axis=1) & (largest <= m.capacity).all(axis=1)).any():
        return
    able = (size[:, None] <= m.capacity).all(axis=2) & np.isfinite(m.pace[:, job_class].T)
    for row in np.flatnonzero(~able.any(axis=1)):
        demand = ", ".join(f"{value:g}" for value in block.demand[row])
        raise ValueError(
            f"workload: job {before + row} (class {job_class[row]}) needs ({demand}), more than "
            "any machine that may run it has; leave it out, split it, or add such machines"
        )


def _refusal(state, configs, jobs):
    """What was impossible in the policy's last choice: job, time, machine, why, and a way out."""
    record, m, table = state.refusal[0], state.machines, state.table
    when, machines = f"at {record.now:.4g} {jobs.time_unit}", len(m.config)
    if record.on_arrival:
        slot, machine, otherwise = record.slot, record.choice, "to let it wait"
        if not 0 <= machine < machines:
            return (
                f"unknown machine: job {table.job[slot].row} {when} is sent to machine {machine}; there "
                f"are {machines}, 0 to {machines - 1}, and -1 lets it wait"
            )
    else:
        slot, machine, otherwise = record.choice, record.machine, "when none fits"
        if slot not in table.hall[: state.meter.clock[0].waiting]:
            return (
                f"unknown job: machine {machine} {when} is given number {slot}, which does not wait; "
                "return a member of cluster.waiting, or -1 for none"
            )
    job = table.job[slot]
    why = f"is of class {job.job_class}, which machine {machine} cannot run"
    for l in np.flatnonzero(table.size[slot] > m.free[machine])[:1]:
        names = getattr(jobs, "resources", None)  # those of a random workload have no names
        both = np.array([table.size[slot, l], m.free[machine, l]])
        need, free = both * configs.capacity[:, l].max()
        why = (
            f"needs {need:.4g} of {names[l] if names else f'resource {l}'}, and machine {machine} has "
            f"{free:.4g} free"
        )
    return (
        f"capacity: job {job.row} {when} {why}; return -1 {otherwise}, or ask lotes.can_start first"
    )
