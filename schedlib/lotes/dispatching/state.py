"""What a run of stage 3 works on, apart from what its policy keeps."""

from typing import NamedTuple

import numpy as np

from schedlib.core.events import EventQueue, event_queue
from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching import job_table
from schedlib.lotes.dispatching.job_table import JobTable, aligned
from schedlib.lotes.dispatching.machine_tree import Machines
from schedlib.lotes.dispatching.meter import Meter, meter
from schedlib.lotes.model import Plan

NONE, REFUSED = -1, -2  # in place of a machine or a job: there is none; the policy's choice is impossible
PROGRESS = np.dtype([("taken", "i8"), ("arrived", "i8")])
REFUSAL = np.dtype([("now", "f8"), ("on_arrival", "i8"), ("slot", "i8"), ("machine", "i8"), ("choice", "i8")])


class State(NamedTuple):
    """All that a run changes, but for its policy's own part."""

    machines: Machines
    table: JobTable
    events: EventQueue
    meter: Meter
    progress: np.recarray  # (1,): jobs `taken` from the present block, and `arrived` in all
    refusal: np.recarray  # (1,): an impossible choice: the arriving `slot`, or the `machine` that a job left


class Block(NamedTuple):
    """B jobs in order of arrival: `submit`, `job_class`, `work (B,)`, and `size (B, R)` in fractions."""

    submit: np.ndarray
    job_class: np.ndarray
    work: np.ndarray
    size: np.ndarray


class Log(NamedTuple):
    """A row per job: `start`, `finish`, `machine`; empty arrays when nothing is recorded."""

    start: np.ndarray
    finish: np.ndarray
    machine: np.ndarray


class Given(NamedTuple):
    """What a policy knows when it begins: the machines, the plan or None, the workload's unit of time.

    `typical (R,)`, the size of jobs in fractions, matters for speed alone.
    """

    machines: Machines
    plan: Plan | None
    time_unit: str
    typical: np.ndarray

    def targets(self) -> np.ndarray:
        """Each machine's bin, (N, K) int; zeros without a plan."""
        m = self.machines
        if self.plan is None:
            return np.zeros((len(m.config), m.pace.shape[1]), np.int64)
        return np.concatenate([self.plan.targets(j) for j in range(len(m.capacity))]).astype(np.int64)


def state_of(machines: Machines, *, slots: int, intervals: int, width: float) -> State:
    """The state at time 0, with room for so many jobs in the system and intervals of the meter."""
    resources = machines.free.shape[1]
    return State(machines=machines, table=job_table.job_table(slots, resources),
                 events=event_queue(max(slots, 2)), meter=meter(resources, intervals, width),
                 progress=aligned(1, PROGRESS), refusal=aligned(1, REFUSAL))


def enlarged(state: State) -> State:
    """The same state with room for half as many jobs again."""
    table, old = job_table.enlarged(state.table), state.events
    events = event_queue(len(table.spare))
    for name in events._fields:
        getattr(events, name)[: len(getattr(old, name))] = getattr(old, name)
    return state._replace(table=table, events=events)


def log_of(size: int) -> Log:
    """A log with room for so many jobs; with room for none it records nothing."""
    return Log(start=np.full(size, np.nan), finish=np.full(size, np.nan), machine=np.full(size, -1))


def longer_log(log: Log, rows: int) -> Log:
    """The same log with room for so many jobs."""
    if rows <= len(log.start):
        return log
    longer = log_of(max(rows, 2 * len(log.start)))
    for new, old in zip(longer, log, strict=True):
        new[: len(old)] = old
    return longer


@kernel
def refuse(state, on_arrival, slot, machine, choice):
    """Record an impossible choice of the policy; give REFUSED."""
    refusal = state.refusal[0]
    refusal.now, refusal.on_arrival = state.meter.clock[0].now, on_arrival
    refusal.slot, refusal.machine, refusal.choice = slot, machine, choice
    return REFUSED
