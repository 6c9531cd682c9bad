"""Errors of stage 3: a job that no machine can run, and a policy's impossible choice."""

import numpy as np

from schedlib.core.events import LABEL
from schedlib.lotes.dispatching.machine_tree import Machines
from schedlib.lotes.dispatching.state import NONE, TIME, Arrivals, Given, State


def require_able(block: Arrivals, size: np.ndarray, m: Machines, before: int) -> None:
    """Raise ValueError on a job of the block that no machine can ever run, or of an unknown class.

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
        demand = ", ".join(f"{amount:g}" for amount in block.demand[row])
        raise ValueError(
            f"workload: job {before + row} (class {job_class[row]}) needs ({demand}), more than "
            "any machine that may run it has; leave it out, split it, or add such machines"
        )


def _now(state, given):
    """The time, as messages say it."""
    return f"{state.meter.clock[0].now:.4g} {given.jobs.time_unit}"


def asked(state: State, given: Given) -> str:
    """The policy's last question: job or machine, and the time."""
    record = state.refusal[0]
    subject = "the jobs that run,"
    if record.slot >= 0:
        subject = f"job {state.table.job[record.slot].row}"
    elif record.machine >= 0:
        subject = f"machine {record.machine}"
    return f"{subject} at {_now(state, given)}"


def refusal(state: State, given: Given) -> str:
    """The fault of the policy's last choice: job, time, machine, why, and a way out."""
    record = state.refusal[0]
    subject = asked(state, given)
    choice = record.choice
    now = _now(state, given)
    if record.machine == TIME and choice == NONE:
        return f"cluster.wake: a time is named at {now} that is not later; infinite names no time"
    if record.machine == TIME:
        return (
            f"cluster.wake: {choice:,} times were named in a row at which no job started, up to {now}, although no "
            "job was to come or to end; name no time then"
        )
    if record.slot < 0 and record.machine < 0:
        running = state.events.label[: state.events.count[0]] & LABEL
        why = "started at this very time" if choice in running else "does not run"
        return (
            f"unknown job: at {now} it stops job {choice}, which {why}; return a member of running that started before "
            "cluster.now, or -1 for none"
        )
    clock = state.meter.clock[0]
    slots = state.table.hall[clock.first : clock.first + clock.waiting]
    if record.slot >= 0:
        machines = len(state.machines.config)
        if not 0 <= choice < machines:
            return (
                f"unknown machine: {subject} is sent to machine {choice}; there are {machines}, "
                f"0 to {machines - 1}, and -1 lets it wait"
            )
        why = _why(state, given, record.slot, choice)
        otherwise = "to let it wait"
    elif choice not in slots:
        return (
            f"unknown job: {subject} is given number {choice}, which does not wait; return a member "
            "of cluster.waiting, or -1 for no job"
        )
    else:
        why = _why(state, given, choice, record.machine)
        otherwise = "when none fits"
    return f"{why}; return -1 {otherwise}, or ask lotes.can_start first"


def _why(state, given, slot, machine):
    """Why the job cannot start on the machine."""
    job = state.table.job[slot]
    size = state.table.size[slot]
    free = state.machines.free[machine]
    subject = f"job {job.row} at {_now(state, given)}"
    names = getattr(given.jobs, "resources", None)  # those of a random workload have no names
    for l in np.flatnonzero(size > free)[:1]:
        unit = given.unit[l]
        name = names[l] if names else f"resource {l}"
        return (
            f"capacity: {subject} needs {size[l] * unit:.4g} of {name}, and machine {machine} has "
            f"{free[l] * unit:.4g} free"
        )
    return f"class: {subject} is of class {job.job_class}, which machine {machine} cannot run"
