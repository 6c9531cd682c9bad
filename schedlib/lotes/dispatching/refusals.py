"""Errors of stage 3: a job that no machine can run, and a policy's impossible choice."""

import numpy as np

from schedlib.lotes.dispatching.machine_tree import Machines
from schedlib.lotes.dispatching.state import Arrivals, Given, State


def require_able(block: Arrivals, size: np.ndarray, m: Machines, before: int) -> None:
    """Raise ValueError on a job of the block that no machine can ever run, or of a class that is not there.

    `size (B, R)`: the demands in fractions; `before`: how many jobs came earlier.
    """
    classes, job_class = m.pace.shape[1], block.job_class
    for row in np.flatnonzero((job_class < 0) | (job_class >= classes)):
        raise ValueError(
            f"workload: job {before + row} is of class {job_class[row]}; there are {classes}, "
            "from 0 on"
        )
    largest = size.max(axis=0, initial=0.0)
    if (np.isfinite(m.pace).all(axis=1) & (largest <= m.capacity).all(axis=1)).any():
        return
    fits = (size[:, None] <= m.capacity).all(axis=2)
    able = fits & np.isfinite(m.pace[:, job_class].T)
    for row in np.flatnonzero(~able.any(axis=1)):
        demand = ", ".join(f"{value:g}" for value in block.demand[row])
        raise ValueError(
            f"workload: job {before + row} (class {job_class[row]}) needs ({demand}), more than "
            "any machine that may run it has; leave it out, split it, or add such machines"
        )


def refusal(state: State, given: Given) -> str:
    """What was impossible in the policy's last choice: job, time, machine, why, and a way out."""
    record, table, machines = state.refusal[0], state.table, len(state.machines.config)
    when = f"at {record.now:.4g} {given.jobs.time_unit}"
    slot, machine, otherwise = record.choice, record.machine, "when none fits"
    if record.on_arrival:
        slot, machine, otherwise = record.slot, record.choice, "to let it wait"
        if not 0 <= machine < machines:
            return (
                f"unknown machine: job {table.job[slot].row} {when} is sent to machine {machine}; there "
                f"are {machines}, 0 to {machines - 1}, and -1 lets it wait"
            )
    elif slot not in table.hall[: state.meter.clock[0].waiting]:
        return (
            f"unknown job: machine {machine} {when} is given number {slot}, which does not wait; "
            "return a member of cluster.waiting, or -1 for none"
        )
    return (
        f"capacity: job {table.job[slot].row} {when} {_why(state, given, slot, machine)}; return -1 "
        f"{otherwise}, or ask lotes.can_start first"
    )


def _why(state, given, slot, machine):
    """Why the job cannot start on the machine."""
    size, free = state.table.size[slot], state.machines.free[machine]
    names = getattr(given.jobs, "resources", None)  # those of a random workload have no names
    for l in np.flatnonzero(size > free)[:1]:
        need, room = np.array([size[l], free[l]]) * given.configs.capacity[:, l].max()
        name = names[l] if names else f"resource {l}"
        return f"needs {need:.4g} of {name}, and machine {machine} has {room:.4g} free"
    return f"is of class {state.table.job[slot].job_class}, which machine {machine} cannot run"
