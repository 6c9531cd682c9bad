"""The state of a run of stage 3, apart from what its policy keeps: jobs that come, wait and run, each in a
slot, and what is measured: counts, waits, queue and use of resources per interval, a histogram of waits.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from schedlib.core.arrays import grown, zeroed
from schedlib.core.events import EventQueue, event_queue
from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching.machine_tree import Machines, unit_of
from schedlib.lotes.model import MachineConfigs, Plan
from schedlib.workload import Workload

# in place of a machine or a job: none of them; an impossible choice of the policy; the policy needs room first
NONE = -1
REFUSED = -2
MORE_PIECES = -3
TIME = -2
"""In place of a machine, in the policy's last question: a time that it has named."""
BLOCK = 1 << 15  # jobs that come at a time
# room at first for jobs in the system (at least 2: of one row, numpy does not tell the layout of a column),
# and for intervals of the meter
SLOTS = 1 << 16
INTERVALS = 128
MOST_ROWS = 8192  # of intervals whose width nobody chose: with more, they become twice as wide
JOB = np.dtype(
    [
        ("submit", "f8"),
        ("work", "f8"),
        ("key", "f8"),
        ("row", "i8"),
        ("job_class", "i4"),
        ("machine", "i4"),
        ("child", "i4", (2,)),
        ("twin", "i4"),  # the next job with the same key and sizes; -1: none
        ("last_twin", "i4"),
    ],
    align=True,
)
PROGRESS = np.dtype([("taken", "i8"), ("arrived", "i8")])
REFUSAL = np.dtype([("slot", "i8"), ("machine", "i8"), ("choice", "i8")])

SKETCH_LOW, SKETCH_BASE, SKETCH_BINS = 1e-12, 1.01, 4200  # from 1e-12 to 1e6 intervals
INTERVAL = np.dtype(
    [(name, "i8") for name in ("arrived", "started", "finished", "queue_end")]
    + [(name, "f8") for name in ("wait", "queue_area", "queued_time")]
)
"""Jobs that arrived, started, finished; jobs waiting at the end; the waits of those that started, in all; the
integral of the queue over time; the time during which at least one waited."""
CLOCK = np.dtype(
    [("now", "f8"), ("edge", "f8"), ("longest", "f8")]
    + [(name, "i8") for name in ("interval", "waiting", "first", "looked", "woken", "unasked")]
)
"""The time, the end of the present interval, the longest wait; the interval's number, jobs waiting, the place of the first
of them in the hall, how many machines arrivals looked at, whether a timer asks, whether a policy that decides after all of a moment is still to be asked
about this one."""


class Meter(NamedTuple):
    """Measurements over T intervals and R resources."""

    series: np.recarray  # (T,): records of `INTERVAL`
    busy: np.ndarray  # (T, R): integrals of `used` over time
    busy_queued: np.ndarray  # (T, R): the same while jobs wait
    used: np.ndarray  # (R,): the amounts in use now
    clock: np.recarray  # (1,): a record of `CLOCK`
    sketch: np.ndarray  # (B,): how many positive waits fall into each bin
    width: float  # of an interval
    origin: float  # when the first interval begins
    unit: float  # of the sketch: the width at first
    fixed: bool  # whether the width stays


def meter(resources: int, width: float, origin: float, fixed: bool) -> Meter:
    """A meter at time `origin`."""
    clock = zeroed(CLOCK, 1)
    clock[0].now = origin
    clock[0].edge = origin + width
    return Meter(
        series=zeroed(INTERVAL, INTERVALS),
        busy=np.zeros((INTERVALS, resources)),
        busy_queued=np.zeros((INTERVALS, resources)),
        clock=clock,
        used=np.zeros(resources),
        sketch=np.zeros(SKETCH_BINS, np.int64),
        width=float(width),
        origin=origin,
        unit=float(width),
        fixed=fixed,
    )


def lengthened(m: Meter, until: float) -> Meter:
    """The same meter with room for the time `until`: with more intervals, or wider ones."""
    intervals = len(m.series)
    while until >= m.origin + m.width * intervals:
        if m.fixed or intervals < MOST_ROWS:
            intervals *= 2
        else:
            m = _coarser(longer(m, intervals, "series", "busy", "busy_queued"))
    try:
        return longer(m, intervals, "series", "busy", "busy_queued")
    except MemoryError as error:
        raise MemoryError(f"{error}, for {intervals:,} intervals; widen interval=") from None


def _coarser(m: Meter) -> Meter:
    """The same meter with half as many intervals, each twice as wide."""
    rows = len(m.series) // 2
    series = zeroed(INTERVAL, rows)
    for name in INTERVAL.names or ():
        pairs = m.series[name].reshape(rows, 2)
        series[name] = pairs[:, 1] if name == "queue_end" else pairs.sum(axis=1)
    busy, busy_queued = (
        amounts.reshape(rows, 2, -1).sum(axis=1) for amounts in (m.busy, m.busy_queued)
    )
    width = 2 * m.width
    clock = m.clock[0]
    clock.interval //= 2
    clock.edge = m.origin + (clock.interval + 1) * width
    return m._replace(series=series, busy=busy, busy_queued=busy_queued, width=width)


class Arrivals(NamedTuple):
    """B jobs in order of arrival: `submit, job_class, work (B,)`, `demand (B, R)`; kernels: in fractions."""

    submit: np.ndarray
    job_class: np.ndarray
    work: np.ndarray
    demand: np.ndarray


class Tasks:
    """A `Workload` as the simulator takes it: each task is a job of its own, whose work is its duration; demands
    in the order of the resources that `names` has, if given."""

    def __init__(self, workload: Workload, names: tuple[str, ...] | None = None):
        jobs = workload.jobs
        tasks = workload.tasks
        workload.require_tasks()
        counts = np.diff(workload.offsets)
        self.columns = workload.numeric_columns
        self.own = jobs
        self.counts = counts
        self.job = np.repeat(jobs["job"].to_numpy(), counts)
        self.submit = np.repeat(jobs["submit"].to_numpy(float), counts)
        self.job_class = np.repeat(jobs["class"].to_numpy(np.int64), counts)
        self.work = tasks["duration"].to_numpy(float)
        self.resources = names or workload.resources
        if set(self.resources) != set(workload.resources):
            raise ValueError(
                f"workload: demands {', '.join(workload.resources) or 'nothing'}, but machines have "
                f"{', '.join(self.resources)}; name the columns of tasks as MachineConfigs(names=...)"
            )
        self.demand = tasks[list(self.resources)].to_numpy(float)
        self.time_unit = workload.time_unit
        self.begin = float(self.submit[0]) if len(self.submit) else 0.0
        self.hours = np.inf  # no time ends the run, as it ends that of a random workload

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

    # (S,) of `JOB`: `row` counts arrivals, `machine` -1 waits, `key`, `child`, `twin`: its queue's
    job: np.recarray
    size: np.ndarray  # (S, R): fractions of the largest capacity
    code: np.ndarray  # (S,): where a job that waits belongs in its queue's tree
    # (S,): the jobs that wait, in order of arrival, from `Clock.first` on, for a policy without queues of its own
    hall: np.ndarray
    spare: np.ndarray  # (S,): slots in the order in which they are handed out
    taken: np.ndarray  # (1,): how many are handed out


class State(NamedTuple):
    """All that a run changes, except its policy's own part."""

    machines: Machines
    table: JobTable
    events: EventQueue
    meter: Meter
    progress: np.recarray  # (1,): jobs `taken` from the present block, and `arrived` in all
    # (1,): the policy's last question, about the arriving `slot` or the `machine`; an impossible choice
    refusal: np.recarray


class Log(NamedTuple):
    """A row per job: `start`, `finish`, `machine`; empty without `record`."""

    start: np.ndarray
    finish: np.ndarray
    machine: np.ndarray


class Given(NamedTuple):
    """The input of a policy when it begins, and its `rng`; `typical (R,)`, jobs' size in fractions, is for speed
    alone."""

    configs: MachineConfigs
    machines: Machines
    plan: Plan | None
    typical: np.ndarray
    jobs: Any
    rng: np.random.Generator
    own: bool  # whether a reader's rule decides

    @property
    def unit(self) -> np.ndarray:
        """The reader's amount that the engine calls 1, (R,)."""
        return unit_of(self.configs.capacity, self.own)

    def mix(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each class the part of all jobs (K,) and the mean demand (K, R), in the reader's units."""
        jobs = self.jobs
        if not isinstance(jobs, Tasks):
            return jobs.classes.share, jobs.classes.demand.copy()
        k = self.machines.pace.shape[1]
        size = jobs.demand
        count = np.bincount(jobs.job_class, minlength=k)
        total = np.zeros((k, size.shape[1]))
        np.add.at(total, jobs.job_class, size)
        return count / max(len(size), 1), total / np.maximum(count, 1)[:, None]

    def targets(self) -> np.ndarray:
        """Each machine's bin, (N, K) int; zeros without a plan."""
        m = self.machines
        if self.plan is None:
            return np.zeros((len(m.config), m.pace.shape[1]), np.int64)
        bins = [self.plan.targets(j) for j in range(len(m.capacity))]
        return np.concatenate(bins).astype(np.int64)


def state_of(machines: Machines, width: float, origin: float, fixed: bool) -> State:
    """The state at time `origin`; `width`: of an interval of the meter; `fixed`: whether it stays."""
    resources = machines.free.shape[1]
    slots = SLOTS
    table = JobTable(
        job=zeroed(JOB, slots),
        size=np.zeros((slots, resources)),
        code=np.zeros(slots, np.int64),
        hall=np.zeros(slots, np.int64),
        spare=np.arange(slots),
        taken=np.zeros(1, np.int64),
    )
    return State(
        machines=machines,
        table=table,
        events=event_queue(slots),
        meter=meter(resources, width, origin, fixed),
        progress=zeroed(PROGRESS, 1),
        refusal=zeroed(REFUSAL, 1),
    )


def enlarged(state: State) -> State:
    """The same state with room for half as many jobs again."""
    before = len(state.table.spare)
    slots = before + before // 2 + 1
    table = longer(state.table, slots, "job", "size", "code", "hall", "spare")
    table.spare[before:] = np.arange(before, slots)
    return state._replace(table=table, events=longer(state.events, slots, "time", "label"))


def longer(record: Any, rows: int, *fields: str) -> Any:
    """The same record with that number of rows in these fields."""
    return record._replace(**{field: grown(getattr(record, field), rows) for field in fields})


def longer_log(log: Log, rows: int) -> Log:
    """The same log with room for `rows` jobs."""
    before = len(log.start)
    if rows > before:
        log = longer(log, max(rows, 2 * before), *Log._fields)
        log.start[before:] = np.nan
        log.finish[before:] = np.nan
        log.machine[before:] = -1
    return log


def present(table: JobTable) -> np.ndarray:
    """The slots of the jobs in the system, in the order of the slots."""
    taken = np.ones(len(table.spare), bool)
    taken[table.spare[table.taken[0] :]] = False
    return np.flatnonzero(taken)


@kernel
def enter(table, block, at, row):
    """Give the job at a place of the block a slot, of which one must be free; `row`: how many came before."""
    slot = table.spare[table.taken[0]]
    table.taken[0] += 1
    job = table.job[slot]
    job.row = row
    job.submit = block.submit[at]
    job.job_class = block.job_class[at]
    job.work = block.work[at]
    job.machine = -1
    for l in range(block.demand.shape[1]):
        table.size[slot, l] = block.demand[at, l]
    return slot


@kernel
def leave(table, slot):
    """Free the slot of a job that has ended."""
    table.taken[0] -= 1
    table.spare[table.taken[0]] = slot


@kernel
def ask(state, slot, machine):
    """Record the question to a user's policy, about an arriving job or a machine; the other is NONE."""
    refusal = state.refusal[0]
    refusal.slot = slot
    refusal.machine = machine


@kernel
def refuse(state, choice):
    """Record its answer, which is impossible; give REFUSED."""
    state.refusal[0].choice = choice
    return REFUSED


@kernel
def tick(m, now):
    """Let the clock run to `now`, which must lie in an interval of the series."""
    clock = m.clock[0]
    waiting = clock.waiting
    while True:
        at = clock.interval
        interval = m.series[at]
        until = min(now, clock.edge)
        passed = until - clock.now
        if passed > 0:
            for l in range(m.used.size):
                amount = m.used[l] * passed
                m.busy[at, l] += amount
                if waiting > 0:
                    m.busy_queued[at, l] += amount
            if waiting > 0:
                interval.queue_area += waiting * passed
                interval.queued_time += passed
            clock.now = until
        if now < clock.edge:
            return
        interval.queue_end = waiting
        clock.interval += 1
        clock.edge = m.origin + (clock.interval + 1) * m.width


@kernel
def note_start(m, wait):
    """Count a job that starts after this wait, in the interval in which it starts (Section 5.3.3)."""
    clock = m.clock[0]
    interval = m.series[clock.interval]
    interval.started += 1
    if wait > 0:
        interval.wait += wait
        clock.longest = max(clock.longest, wait)
        place = int(np.log(wait / (m.unit * SKETCH_LOW)) / np.log(SKETCH_BASE))
        m.sketch[max(0, min(place, SKETCH_BINS - 1))] += 1
