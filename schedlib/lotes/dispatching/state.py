"""What a run of stage 3 works on, apart from what its policy keeps: jobs that come, wait and run, and the
rest.

Each job in the system has a slot: a start or an end reads one cache line (up to two resources).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from schedlib.core.events import EventQueue, event_queue
from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching.machine_tree import Machines, aligned
from schedlib.lotes.dispatching.meter import Meter, meter
from schedlib.lotes.model import MachineConfigs, Plan
from schedlib.workload import Workload

NONE, REFUSED = -1, -2  # in place of a machine or a job: there is none; the policy's choice is impossible
BLOCK = 1 << 15  # jobs that come at a time
MOST = 2  # resources whose sizes lie in a job's own cache line
JOB = np.dtype([("submit", "f8"), ("work", "f8"), ("key", "f8"), ("row", "i8"), ("job_class", "i4"),
                ("machine", "i4"), ("size", "f8", (MOST,)), ("child", "i4", (2,))], align=True)
PROGRESS = np.dtype([("taken", "i8"), ("arrived", "i8")])
REFUSAL = np.dtype([("now", "f8"), ("on_arrival", "i8"), ("slot", "i8"), ("machine", "i8"), ("choice", "i8")])


class Arrivals(NamedTuple):
    """B jobs in order of arrival: `submit, job_class, work (B,)`, `demand (B, R)`; kernels: in fractions."""

    submit: np.ndarray
    job_class: np.ndarray
    work: np.ndarray
    demand: np.ndarray


class Tasks:
    """A `Workload` as the simulator takes it: each task is a job of its own, whose work is its duration."""

    def __init__(self, workload: Workload):
        jobs, tasks, counts = workload.jobs, workload.tasks, np.diff(workload.offsets)
        self.job = np.repeat(jobs["job"].to_numpy(), counts)
        self.submit = np.repeat(jobs["submit"].to_numpy(float), counts)
        self.job_class = np.repeat(jobs["class"].to_numpy(np.int64), counts)
        self.work = tasks["duration"].to_numpy(float)
        self.demand = tasks[list(workload.resources)].to_numpy(float)
        self.resources, self.time_unit = workload.resources, workload.time_unit

    def typical(self) -> np.ndarray:
        """The mean demand, (R,)."""
        return self.demand.mean(axis=0)

    def blocks(self) -> Iterator[Arrivals]:
        """The jobs in order of arrival, some ten thousand at a time."""
        for at in range(0, len(self.submit), BLOCK):
            columns = self.submit, self.job_class, self.work, self.demand
            yield Arrivals(*(column[at : at + BLOCK] for column in columns))


class JobTable(NamedTuple):
    """Slots for S jobs in the system."""

    job: np.recarray  # (S,) of `JOB`: `row` counts arrivals, `machine` -1 waits, `key`, `child`: its queue's
    size: np.ndarray  # (S, R): fractions of the largest capacity; up to two lie in the job's record
    pieces: np.ndarray  # (S,): which pieces of its machine a job that runs has, as bits
    code: np.ndarray  # (S,): where a job that waits belongs in its queue's tree
    hall: np.ndarray  # (S,): the jobs that wait, in order of arrival, for a policy without queues of its own
    spare: np.ndarray  # (S,): slots in the order in which they are handed out
    taken: np.ndarray  # (1,): how many are handed out


class State(NamedTuple):
    """All that a run changes, but for its policy's own part."""

    machines: Machines
    table: JobTable
    events: EventQueue
    meter: Meter
    progress: np.recarray  # (1,): jobs `taken` from the present block, and `arrived` in all
    refusal: np.recarray  # (1,): an impossible choice: the arriving `slot`, or the `machine` that a job left


class Log(NamedTuple):
    """A row per job: `start`, `finish`, `machine`, its `pieces` as bits; empty when nothing is recorded."""

    start: np.ndarray
    finish: np.ndarray
    machine: np.ndarray
    pieces: np.ndarray


class Given(NamedTuple):
    """What a policy knows when it begins; `typical (R,)`, jobs' size in fractions, is for speed alone."""

    configs: MachineConfigs
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


def _job_table(slots, resources):
    """An empty table of two slots or more (of one row, numpy does not tell the layout of `size`)."""
    slots = max(slots, 2)
    job = aligned(slots, JOB)
    size = (job["size"] if resources <= MOST else np.zeros((slots, resources + 1)))[:, :resources]
    return JobTable(job=job, size=size, pieces=np.zeros(slots, np.int64), code=np.zeros(slots, np.int64),
                    hall=np.zeros(slots, np.int64), spare=np.arange(slots), taken=np.zeros(1, np.int64))


def state_of(machines: Machines, *, slots: int, intervals: int, width: float) -> State:
    """The state at time 0, with room for so many jobs in the system and intervals of the meter."""
    resources = machines.free.shape[1]
    return State(machines=machines, table=_job_table(slots, resources), events=event_queue(max(slots, 2)),
                 meter=meter(resources, intervals, width), progress=aligned(1, PROGRESS),
                 refusal=aligned(1, REFUSAL))


def enlarged(state: State) -> State:
    """The same state with room for half as many jobs again."""
    old, slots = state.table, len(state.table.spare)
    table = _job_table(slots + slots // 2 + 1, old.size.shape[1])
    for name in ("job", "size", "pieces", "code", "hall", "spare"):
        getattr(table, name)[:slots] = getattr(old, name)
    events = event_queue(len(table.spare))
    for new, kept in zip(events, state.events, strict=True):
        new[: len(kept)] = kept
    return state._replace(table=table._replace(taken=old.taken), events=events)


def longer_log(log: Log, rows: int) -> Log:
    """The same log with room for so many jobs."""
    if rows <= len(log.start):
        return log
    more = 0, max(rows - len(log.start), len(log.start))
    return Log(start=np.pad(log.start, more, constant_values=np.nan),
               finish=np.pad(log.finish, more, constant_values=np.nan),
               machine=np.pad(log.machine, more, constant_values=-1), pieces=np.pad(log.pieces, more))


def present(table: JobTable) -> np.ndarray:
    """The slots of the jobs in the system, in the order of the slots."""
    return np.setdiff1d(np.arange(len(table.spare)), table.spare[table.taken[0] :])


@kernel
def enter(table, row, submit, job_class, work, size):
    """Give an arriving job a slot, of which one must be free."""
    slot = table.spare[table.taken[0]]
    table.taken[0] += 1
    job = table.job[slot]
    job.row, job.submit, job.job_class = row, submit, job_class
    job.work, job.machine = work, -1
    for l in range(size.size):
        table.size[slot, l] = size[l]
    return slot


@kernel
def leave(table, slot):
    """Free the slot of a job that has ended."""
    table.taken[0] -= 1
    table.spare[table.taken[0]] = slot


@kernel
def refuse(state, on_arrival, slot, machine, choice):
    """Record an impossible choice of the policy; give REFUSED."""
    refusal = state.refusal[0]
    refusal.now, refusal.on_arrival = state.meter.clock[0].now, on_arrival
    refusal.slot, refusal.machine, refusal.choice = slot, machine, choice
    return REFUSED
