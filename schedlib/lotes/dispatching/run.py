"""Feed a workload to the engine, give it room when it asks, and say why a policy's choice is impossible."""

from typing import Any, NamedTuple

import numpy as np

from schedlib.lotes.dispatching import engine
from schedlib.lotes.dispatching.machine_tree import fractions
from schedlib.lotes.dispatching.meter import lengthened
from schedlib.lotes.dispatching.state import Block, Log, State, enlarged, log_of, longer_log
from schedlib.lotes.model import MachineConfigs
from schedlib.lotes.workloads.job_stream import Arrivals


class Ended(NamedTuple):
    """A run that has ended: its state, the blocks that were kept (when rows are recorded), and the log."""

    state: State
    blocks: list
    log: Log


def run(name: str, kept: Any, state: State, configs: MachineConfigs, jobs: Any, choices: np.random.Generator,
        *, end: float, record: bool, planner: Any = None) -> Ended:
    """Let the jobs pass through the engine until time `end`, under the policy that keeps `kept`.

    `choices`: the policy's random generator; `planner`: what swaps plans on the way. Raises ValueError on a
    job that no machine can run and on a policy's impossible choice.
    """
    log, blocks, coming = log_of(0), [], jobs.blocks()
    last, progress = False, state.progress[0]
    while not last:
        block = next(coming, None)  # type: Any
        if last := block is None:
            none = np.zeros(0)
            block = Arrivals(none, none.astype(np.int64), none, np.zeros((0, configs.n_resources)))
        size = fractions(configs.capacity, block.demand)[1]
        if len(size):
            _check(block, size, state.machines, int(progress.arrived))
        if record:
            blocks.append(block)
        if record or planner:
            log = longer_log(log, int(progress.arrived) + len(size))
        progress.taken = 0
        given = Block(np.array(block.submit, float), np.array(block.job_class, np.int64),
                      np.array(block.work, float), np.ascontiguousarray(size))
        if planner:
            planner.relabel(given, progress)
        while True:
            stop = min(end, planner.due) if planner else end
            status = engine.advance(kept, state, given, log, choices, float(stop), last)
            if status == engine.DONE:
                more = progress.taken < len(size) or (last and state.events.count[0] > 0)
                if stop == end or not more:
                    break
                kept, state = planner.swap(kept, state, log)
                planner.relabel(given, progress)
            elif status == engine.MORE_SLOTS:
                state = enlarged(state)
            elif status == engine.MORE_INTERVALS:
                over = state.meter.width * len(state.meter.series)
                state = state._replace(meter=lengthened(state.meter, over))
            else:
                raise ValueError(f"policy {name!r}: {refusal(state, configs, jobs)}")
        if progress.taken < len(size):
            break
    return Ended(state, blocks, log)


def _check(block, size, m, before):
    """Refuse a job that no machine can ever run, or of a class that is not there."""
    classes, job_class = m.pace.shape[1], block.job_class
    strange = np.flatnonzero((job_class < 0) | (job_class >= classes))
    if len(strange):
        row = strange[0]
        raise ValueError(f"workload: job {before + row} is of class {job_class[row]}; there are {classes}, "
                         "from 0 on")
    largest = size.max(axis=0, initial=0.0)
    if (np.isfinite(m.pace).all(axis=1) & (largest <= m.capacity).all(axis=1)).any():
        return
    able = (size[:, None] <= m.capacity).all(axis=2) & np.isfinite(m.pace[:, job_class].T)
    lost = np.flatnonzero(~able.any(axis=1))
    if len(lost):
        row = lost[0]
        demand = ", ".join(f"{value:g}" for value in block.demand[row])
        raise ValueError(f"workload: job {before + row} (class {job_class[row]}) needs ({demand}), more than "
                         "any machine that may run it has; leave it out, split it, or add such machines")


def refusal(state: State, configs: MachineConfigs, jobs: Any) -> str:
    """What was impossible in the policy's last choice: job, time, machine, why, and a way out."""
    record, m, table = state.refusal[0], state.machines, state.table
    when, machines = f"at {record.now:.4g} {jobs.time_unit}", len(m.config)
    if record.on_arrival:
        slot, machine, otherwise = record.slot, record.choice, "to let it wait"
        if not 0 <= machine < machines:
            return (f"unknown machine: job {table.job[slot].row} {when} is sent to machine {machine}; there "
                    f"are {machines}, 0 to {machines - 1}, and -1 lets it wait")
    else:
        slot, machine, otherwise = record.choice, record.machine, "when none fits"
        if slot not in table.hall[: state.meter.clock[0].waiting]:
            return (f"unknown job: machine {machine} {when} is given number {slot}, which does not wait; "
                    "return a member of cluster.waiting, or -1 for none")
    job = table.job[slot]
    way_out = f"return -1 {otherwise}, or ask lotes.can_start first"
    short = np.flatnonzero(table.size[slot] > m.free[machine])
    if len(short):
        resource = short[0]
        names = getattr(jobs, "resources", None)  # those of a random workload have no names
        what = names[resource] if names else f"resource {resource}"
        largest = configs.capacity[:, resource].max()
        need, free = table.size[slot, resource] * largest, m.free[machine, resource] * largest
        why = f"needs {need:.4g} of {what}, and machine {machine} has {free:.4g} free"
    else:
        why = f"is of class {job.job_class}, which machine {machine} cannot run"
    return f"capacity: job {job.row} {when} {why}; {way_out}"
