"""Errors of stage 3: a job that no machine can run, and a policy's impossible choice."""

import numpy as np

from schedlib.lotes.dispatching.machine_tree import Machines
from schedlib.lotes.dispatching.state import Arrivals, Given, State


def require_able(block: Arrivals, size: np.ndarray, m: Machines, before: int) -> None:
    """Raise ValueError on a job of the block that no machine can ever run, or of a class that is not there.

    `size (B, R)`: the demands in fractions; `before`: how many jobs came earlier.
    """
    classes = m.pace.shape[1]
    job_class = block.job_class
    unknown = (job_class < 0) | (job_class >= classes)
    for row in np.flatnonzero(unknown):
        raise ValueError(
            f"workload: job {before + row} is of class {job_class[row]}; there are {classes}, "
            "from 0 on"
        )
    largest = size.max(axis=0, initial=0.0)
    runs_all = np.isfinite(m.pace).all(axis=1)
    holds_all = (largest <= m.capacity).all(axis=1)
    if (runs_all & holds_all).any():
        return
    fits = (size[:, None] <= m.capacity).all(axis=2)
    runs = np.isfinite(m.pace[:, job_class].T)
    able = (fits & runs).any(axis=1)
    for row in np.flatnonzero(~able):
        amounts = [f"{value:g}" for value in block.demand[row]]
        demand = ", ".join(amounts)
        raise ValueError(
            f"workload: job {before + row} (class {job_class[row]}) needs ({demand}), more than "
            "any machine that may run it has; leave it out, split it, or add such machines"
        )


def asked(state: State, given: Given) -> str:
    """The policy's last question: job or machine, and the time."""
    record = state.refusal[0]
    unit = given.jobs.time_unit
    when = f"at {record.now:.4g} {unit}"
    if not record.on_arrival:
        return f"machine {record.machine} {when}"
    table = state.table
    job = table.job[record.slot]
    row = job.row
    return f"job {row} {when}"


def refusal(state: State, given: Given) -> str:
    """The fault of the policy's last choice: job, time, machine, why, and a way out."""
    record = state.refusal[0]
    table = state.table
    machines = len(state.machines.config)
    when = f"at {record.now:.4g} {given.jobs.time_unit}"
    slot = record.choice
    machine = record.machine
    otherwise = "when none fits"
    if record.on_arrival:
        slot = record.slot
        machine = record.choice
        otherwise = "to let it wait"
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
        f"{_why(state, given, slot, machine, when)}; return -1 {otherwise}, or ask lotes.can_start "
        "first"
    )


def _why(state, given, slot, machine, when):
    """Why the job cannot start on the machine."""
    job = state.table.job[slot]
    size = state.table.size[slot]
    free = state.machines.free[machine]
    names = getattr(given.jobs, "resources", None)  # those of a random workload have no names
    for l in np.flatnonzero(size > free)[:1]:
        largest = given.configs.capacity[:, l].max()
        need = size[l] * largest
        room = free[l] * largest
        name = names[l] if names else f"resource {l}"
        return (
            f"capacity: job {job.row} {when} needs {need:.4g} of {name}, and machine {machine} has "
            f"{room:.4g} free"
        )
    return f"class: job {job.row} {when} is of class {job.job_class}, which machine {machine} cannot run"
