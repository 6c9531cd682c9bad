"""A user's policy: it names a machine for an arriving job, a job when another has left, and jobs to stop.

    def worst_fit(cluster, job):
        best = -1
        for machine in range(len(cluster.config)):
            if lotes.can_start(cluster, job, machine):
                if best < 0 or cluster.free[machine, 0] > cluster.free[best, 0]:
                    best = machine
        return best

    lotes.simulate(lotes.Policy(arrive=worst_fit), configs, workload)

A rule may call `lotes.can_start`; `lotes.first_fit`, which looks a machine up without a scan; `lotes.room_at`;
`lotes.remaining`.
A global variable of yours keeps the value that it has when the rule compiles: for a rule with another number, let
a function of that number make the rule.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numba.extending import typeof_impl

from schedlib.core import columns
from schedlib.core.arrays import zeroed
from schedlib.core.checks import frozen, positive, require_fields
from schedlib.core.events import LABEL
from schedlib.core.functions import names_in, reached, reads, variables
from schedlib.core.heap import move
from schedlib.core.rules import FLOAT_ROWS, FLOATS, INT_ROWS, INTS, NOTES, RNG, RuleKind, read_only
from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching import machine_tree as tree
from schedlib.lotes.dispatching.decisions import hand_over
from schedlib.lotes.dispatching.engine import fill
from schedlib.lotes.dispatching.machine_tree import first_machine, fits
from schedlib.lotes.dispatching.state import (
    MORE_PIECES,
    NONE,
    REFUSED,
    TIME,
    Given,
    Tasks,
    ask,
    longer,
    refuse,
)
from schedlib.lotes.dispatching.waiting_line import (
    EARLIEST,
    Line,
    best_that_fits,
    join,
    line,
    quit_line,
)
from schedlib.lotes.model import FIT

OPTIONS: dict = {}


class Room(NamedTuple):
    """What is free on the machines and the sizes of jobs, as the engine counts them, for `can_start`, `first_fit`
    and `room_at`: parts of a power of two, and a billionth more is free, so that rounding keeps no job out; as in
    `machine_tree.Machines`."""

    size: np.ndarray
    free: np.ndarray
    first: np.ndarray
    closed: np.ndarray
    leaves: np.ndarray
    root: np.ndarray
    bound: np.ndarray


class Cluster(NamedTuple):
    """The view of a policy: N machines, M configurations, K classes, R resources, and S jobs. A job's number is its
    row in `Simulation.jobs`, from 0 on: jobs are numbered in the order of the workload's tasks. Amounts
    are in the units of `MachineConfigs.capacity`.

    - `capacity (M, R)`, `pace (M, K)`: what a machine has; time per unit of work (infinite: cannot run there)
    - `config (N,)`, `free (N, R)`, `running (N, K)`: each machine's configuration, what it has left (0 on
      a full machine), and its jobs by class
    - `target (N, K)`: each machine's bin when `simulate` was given a plan, else zeros
    - `share (K,)`, `demand (K, R)`: the mix of classes: the part of all jobs, and the mean size
    - `size (S, R)`, `work (S,)`, `submit (S,)`, `job_class (S,)`: of the jobs
    - `ends (S,)`: when each job that runs will end; the jobs that run on a machine,
      the next to end first, are `first[machine]`, `following[it]` and so on, until -1
    - `waiting (W,)`: the jobs that wait, without the arriving one, in the order in which they came or were stopped;
      `now`: the time
    - `machine (S,)`: where each job runs, -1 while it waits; `left (S,)`: the work that each job had still to do
      when it was last stopped, or came: `remaining` says it of jobs that run, too; `begun (S,)`: when each job
      that runs started last
    - `room`: for `can_start`, `first_fit` and `room_at`; `rng`: the policy's own random numbers
    - `woken`: whether `Policy.wake`, or a time of `wake`, is why the rule is asked; jobs may have ended at that time, too
    - `jobs`: the columns of your own in `Workload.jobs`, as in `cluster.jobs.deadline[job]`: each numeric column
      beyond `job, submit, class` whose name can follow a dot, (S,) floats in the column's own unit. A rule that
      reads a column with NaN must ask `np.isnan` somewhere, else `simulate` raises ValueError

    All are read-only but `notes (S, 4)` and `machine_notes (N, 4)`, the policy's own numbers for each job and
    each machine: zeros when the job comes, and at the start; and `wake (1,)`: a later time at which the policy is
    asked although nothing else happens, as in `cluster.wake[0] = 5.0`. It stands until it comes or another takes
    its place; infinite is none.

    >>> def to_the_emptier(cluster, job):  # of the first two machines
    ...     machine = 0 if cluster.free[0, 0] >= cluster.free[1, 0] else 1
    ...     return machine if can_start(cluster, job, machine) else -1
    >>> Policy(to_the_emptier, name="emptier of two").name
    'emptier of two'
    """

    capacity: np.ndarray
    pace: np.ndarray
    config: np.ndarray
    free: np.ndarray
    running: np.ndarray
    target: np.ndarray
    share: np.ndarray
    demand: np.ndarray
    size: np.ndarray
    work: np.ndarray
    submit: np.ndarray
    job_class: np.ndarray
    ends: np.ndarray
    first: np.ndarray
    following: np.ndarray
    waiting: np.ndarray
    now: float
    room: Room
    notes: np.ndarray
    machine_notes: np.ndarray
    rng: np.random.Generator
    woken: bool
    jobs: Any
    machine: np.ndarray
    left: np.ndarray
    begun: np.ndarray
    wake: np.ndarray


ROOM = Room(
    size=FLOAT_ROWS,
    free=FLOAT_ROWS,
    first=INTS,
    closed=frozen(np.ones(8, np.int8)),
    leaves=INTS,
    root=INTS,
    bound=FLOAT_ROWS,
)
SMALL_INTS = frozen(np.ones((8, 8), np.int32))[:, 0]  # fields of records lie apart
CLUSTER = Cluster(
    capacity=FLOAT_ROWS,
    pace=FLOAT_ROWS,
    config=INTS,
    free=FLOAT_ROWS,
    running=INT_ROWS,
    target=INT_ROWS,
    share=FLOATS,
    demand=FLOAT_ROWS,
    size=FLOAT_ROWS,
    work=FLOAT_ROWS[:, 0],
    submit=FLOAT_ROWS[:, 0],
    job_class=SMALL_INTS,
    ends=FLOATS,
    first=INTS,
    following=INTS,
    waiting=INTS,
    now=0.0,
    room=ROOM,
    notes=NOTES,
    machine_notes=NOTES,
    rng=RNG,
    woken=False,
    jobs=FLOAT_ROWS,
    machine=SMALL_INTS,
    left=FLOATS,
    begun=FLOATS,
    wake=np.ones(1),
)
CALLED, ASKS = (
    1,
    2,
)  # the time for which the policy asked has come; it is asked about each machine for that
MOST = 1e300  # in place of infinite and unknown numbers in the order of the jobs that wait
MOST_VAIN = 1_000_000  # in a row at which no job starts although no other is to come or to end
PIECE = np.dtype([("job", "i8"), ("machine", "i8"), ("start", "f8"), ("finish", "f8")])
_NOTED = "cluster.notes and cluster.machine_notes"
KINDS = {
    "arrive": RuleKind({"cluster": CLUSTER, "job": 0}, "machine", notes=_NOTED),
    "leave": RuleKind({"cluster": CLUSTER, "machine": 0}, "job", notes=_NOTED),
    "stop": RuleKind({"cluster": CLUSTER, "running": INTS}, "job", notes=_NOTED),
    "order": RuleKind({"cluster": CLUSTER, "job": 0}, "key", 0.0, notes=_NOTED),
}
KINDS_OF = {**KINDS, "at_moment": KINDS["leave"]}


@dataclass(frozen=True)
class Policy:
    """A reader's policy. It decides at each event, or after all events of a moment.

    At each event: of those at the same time, jobs end first, one by one, and the machine of each is filled before
    the next ends; then jobs arrive, one by one, and each starts or waits before the next arrives.

    - `arrive(cluster, job)`: the machine on which the arriving job starts now, or -1 to let it wait
    - `leave(cluster, machine)`: a member of `cluster.waiting` that starts on the machine a job has just left,
      or -1 for none; asked again after each start. Left out, the first in line that fits.
    - `wake`: every so often, in the workload's unit of time, `leave` is asked about each machine, too, after
      what else happens at that time, as long as jobs wait; `cluster.woken` is then true. A run in which
      nothing else is to happen ends when a call starts no job

    After all events of a moment:

    - `at_moment(cluster, machine)`, in place of `arrive` and `leave`: a member of `cluster.waiting` that starts on
      the machine, or -1 for none. Once all that end at this time have left, and all that arrive wait, it is asked
      about each machine, in order, again after each start, until it gives -1. `wake` asks it, too
    - `stop(cluster, running)`: before that, a member of `running (A,)`, the jobs that run, machine by machine; or -1
      for none. The job stops, and waits behind all others; asked again after each stop, until it gives -1. If it
      stopped any, it is asked again after the starts, until it stops none; what started at this time cannot stop at it
    - `keep`: whether a job that is stopped keeps what it has done, and goes on from there on any machine; else it
      starts again from nothing

    - `order(cluster, job)`, in place of `leave`, or of `at_moment`: a number. Of the jobs that wait a machine takes the
      one with the least that fits, of equal ones the first. It is asked when a job comes to wait, and stays. Few
      steps, however many wait, where a rule that goes through `cluster.waiting` takes as many; it cannot be read then

    So the order of a moment is: ends, arrivals, stops, starts. At a time that a rule has named in `cluster.wake[0]`
    the policy is asked as by `wake`, even where nothing else is to happen and the last call started no job.

    All are small functions of numbers, loops and arrays. They are compiled; those that read `cluster.jobs`
    by `simulate`, which knows the columns. Raises ValueError, with the reason, when a function does not
    compile or writes to what it sees, and (from `simulate`) when it names an invalid machine or job, asks for
    a column that does not exist, or raises an error itself: that error is the `__cause__`.

    See also: `lotes.Cluster`, what they see; `lotes.first_fit`, `lotes.can_start`, `lotes.room_at` and
    `lotes.remaining`, what they may call; `boards.lotes`; `boards.literature`, with five policies that stop jobs.

    >>> Policy(lambda cluster, job: first_fit(cluster, job), name="first fit").name
    'first fit'
    >>> def shortest(cluster, machine):
    ...     best = -1
    ...     for job in cluster.waiting:
    ...         if can_start(cluster, job, machine) and (best < 0 or cluster.work[job] < cluster.work[best]):
    ...             best = job
    ...     return best
    >>> Policy(at_moment=shortest, name="shortest first").name
    'shortest first'
    >>> def longer(cluster, running):
    ...     for job in running:
    ...         for other in cluster.waiting:
    ...             if cluster.work[other] < cluster.work[job]:
    ...                 return job
    ...     return -1
    >>> Policy(at_moment=shortest, stop=longer, name="preemptive shortest first").keep
    True
    >>> Policy(order=lambda cluster, job: cluster.work[job], name="shortest first, quick").name
    'shortest first, quick'
    """

    arrive: Callable | None = None
    leave: Callable | None = None
    name: str = "own"
    wake: float | None = None
    at_moment: Callable | None = None
    stop: Callable | None = None
    keep: bool = True
    order: Callable | None = None

    def __post_init__(self):
        require_fields(self)
        if self.wake is not None:
            positive("wake", self.wake)
        if (self.arrive is None) == (self.at_moment is None) and not self.order:
            raise ValueError(
                "arrive: give arrive, perhaps with leave or order; or at_moment; or order alone"
            )
        if self.at_moment and self.leave:
            raise ValueError("leave: at_moment decides in its place; leave one of them out")
        if self.order and (self.at_moment or self.leave):
            raise ValueError("order: decides in place of leave and at_moment; leave them out")
        if self.stop and not self.at_moment:
            raise ValueError(
                "stop: give at_moment, too, which starts jobs after the stops of a moment"
            )
        if not (self.stop or self.keep):
            raise ValueError("keep: no job is ever stopped; give stop, too")
        for argument, function in self.rules().items():
            if getattr(self, argument):
                if self.order and reads(function, "waiting"):
                    raise ValueError(
                        f"{argument}: reads cluster.waiting, which a policy with order has not; a column "
                        "of that name is cluster.jobs.waiting"
                    )
                object.__setattr__(self, argument, KINDS_OF[argument](function, argument))

    def rules(self) -> dict[str, Callable]:
        """What decides about an arriving job, about a machine, and about jobs that run, by the names of the arguments."""
        others = {"stop": self.stop or goes_on, "order": self.order or no_order}
        if self.at_moment:
            return {"arrive": self.arrive or waits, "at_moment": self.at_moment, **others}
        return {"arrive": self.arrive or waits, "leave": self.leave or first_in_line, **others}


@kernel
def can_start(cluster: Cluster, job: int, machine: int) -> bool:
    """Whether a job can start on a machine now: its class runs there, and has room for it.

    >>> policy = Policy(lambda cluster, job: 0 if can_start(cluster, job, 0) else -1, name="the first only")
    """
    able = cluster.pace[cluster.config[machine], cluster.job_class[job]] < np.inf
    return able and fits(cluster.room.free[machine], cluster.room.size[job])


@kernel
def first_fit(cluster: Cluster, job: int) -> int:
    """The first machine where an arriving job (in `leave`: ask `can_start`) can start now, or -1; few steps.

    >>> policy = Policy(lambda cluster, job: first_fit(cluster, job), name="first fit")
    """
    size = cluster.room.size[job]
    return first_machine(cluster.room, cluster.pace, cluster.job_class[job], size)


@kernel
def room_at(cluster: Cluster, job: int, machine: int) -> float:
    """The earliest time at which a job can start on a machine, if no other job starts on it before; infinite
    where the job can never start.

    >>> def soon(cluster, job):  # start on the second machine, unless the first has room within an hour
    ...     if room_at(cluster, job, 0) < cluster.now + 1 or not can_start(cluster, job, 1):
    ...         return 0 if can_start(cluster, job, 0) else -1
    ...     return 1
    >>> policy = Policy(soon, name="soon")
    """
    if not cluster.pace[cluster.config[machine], cluster.job_class[job]] < np.inf:
        return np.inf
    when = cluster.now
    size = cluster.room.size
    for l in range(size.shape[1]):
        free = cluster.room.free[machine, l]
        other = cluster.first[machine]
        while free < size[job, l]:
            if other < 0:
                return np.inf
            free += size[other, l]
            when = max(when, cluster.ends[other])
            other = cluster.following[other]
    return when


@kernel
def remaining(cluster: Cluster, job: int) -> float:
    """The work that a job has still to do now, in the unit of `cluster.work`; the rest of that is done.

    >>> def fresh(cluster, job):
    ...     return 0 if remaining(cluster, job) == cluster.work[job] else -1
    >>> Policy(fresh, name="all come with their work").name
    'all come with their work'
    """
    machine = cluster.machine[job]
    if machine < 0:
        return cluster.left[job]
    pace = cluster.pace[cluster.config[machine], cluster.job_class[job]]
    return max(0.0, cluster.ends[job] - cluster.now) / pace


@KINDS["leave"]
def first_in_line(cluster: Cluster, machine: int) -> int:
    """The first waiting job that can start on the machine, or -1."""
    for job in cluster.waiting:
        if can_start(cluster, job, machine):
            return job
    return -1


@KINDS["arrive"]
def waits(cluster: Cluster, job: int) -> int:
    """Each job waits at first."""
    return NONE


@KINDS["stop"]
def goes_on(cluster: Cluster, running: np.ndarray) -> int:
    """No job is stopped."""
    return NONE


@KINDS["order"]
def no_order(cluster: Cluster, job: int) -> float:
    """The jobs wait as they come."""
    return 0.0


class Memory(NamedTuple):
    """The state of a user's policy: its functions, and of `Cluster` and `Room` what the engine does not have."""

    on_arrival: Callable
    on_exit: Callable
    on_running: Callable
    on_order: Callable
    running: np.ndarray
    target: np.ndarray
    share: np.ndarray
    demand: np.ndarray
    first: np.ndarray
    machine_notes: np.ndarray
    rng: np.random.Generator
    ends: np.ndarray
    following: np.ndarray
    notes: np.ndarray
    columns: np.ndarray  # (C, S)
    at_moment: bool  # whether the policy decides after all of a moment
    ordered: bool  # whether jobs wait in `line`, in the order of the policy's numbers, and not in the hall
    line: Line
    group: np.ndarray  # (K,): the queue of the line in which jobs of each class wait
    able: np.ndarray  # (M, G): which queues each configuration can take jobs from
    asks: np.ndarray  # (N,): 0 on machines that no job of the line fits
    capacity: np.ndarray  # (M, R), as `free` and `size` in the reader's units
    free: np.ndarray
    size: np.ndarray
    unit: np.ndarray  # (R,): the reader's amount that the engine calls 1
    left: np.ndarray
    wake: np.ndarray
    period: float  # between calls of the timer
    vain: (
        np.ndarray
    )  # (1,): calls in a row at which no job started, although no other was to come or to end
    preempts: bool  # whether the policy may stop jobs
    keep: bool
    runs: np.ndarray  # (S,): the jobs that run, as `on_running` is given them
    begun: np.ndarray  # (S,): when each job started last
    stops: np.ndarray  # (S,): how often each job was stopped
    pieces: (
        np.recarray
    )  # of `PIECE`: the stretches of time during which jobs ran before they were stopped
    kept: np.ndarray  # (1,): how many of them there are


OF_JOBS = ("ends", "following", "notes", "size", "left", "runs", "begun", "stops")
"""Fields of `Memory` with a row for each slot."""


@typeof_impl.register(Memory)
def _of_one_type(memory: Memory, context: Any) -> Any:
    """The same type for every policy, so that the engine compiles once."""
    functions = [types.FunctionType(kind.signature) for kind in KINDS.values()]
    return types.NamedTuple([*functions, *map(numba.typeof, memory[len(functions) :])], Memory)


def _bound(policy: Policy, given: Given) -> tuple[list[Callable], np.ndarray]:
    """A policy's functions for these jobs, and the columns of theirs that they read (C, S)."""
    functions: dict[str, Any] = policy.rules()
    kinds = list(KINDS.values())
    if not any(kinds[0].reads_columns(function) for function in functions.values()):
        return [*functions.values()], np.zeros((0, 0))
    if not isinstance(given.jobs, Tasks):
        raise ValueError(
            f"policy {policy.name!r}: reads cluster.jobs, but a random workload's jobs have no columns; "
            "give a Workload"
        )
    table = given.jobs.columns()
    _require_known(table, functions)
    bound = [
        columns.bind(kind, function, table, name)
        for kind, (name, function) in zip(kinds, functions.items(), strict=True)
    ]
    rows = [np.repeat(values, given.jobs.counts) for values in table.values()]
    return bound, np.array(rows).reshape(len(rows), len(given.jobs.work))


def _require_known(table: dict[str, np.ndarray], functions: dict[str, Callable]) -> None:
    """Raise ValueError where a rule reads a column with NaN and never asks `isnan`: comparisons with NaN are false.

    A rule reads what it names, itself or in a text that it takes from outside, as `getattr` does.
    """
    names: set[str] = set()
    for function in functions.values():
        names |= names_in(function)
        for part in reached(function):
            names |= {value for value in variables(part).values() if isinstance(value, str)}
    for name in names.intersection(table) if "isnan" not in names else ():
        for row in np.flatnonzero(np.isnan(table[name]))[:1]:
            raise ValueError(
                f"workload: {name}[{row}] is NaN in workload.jobs, and the policy reads it; fill the column, leave "
                "such jobs out, or ask np.isnan in the rule"
            )


def begin(policy: Policy, settings: dict, given: Given) -> Memory:
    """The initial state of a user's policy, no job running."""
    bins = given.targets()
    share, demand = given.mix()
    machines = len(bins)
    (on_arrival, on_exit, on_running, on_order), table = _bound(policy, given)
    able = np.isfinite(given.machines.pace)
    kinds, group = np.unique(able, axis=1, return_inverse=True)
    return Memory(
        on_arrival=on_arrival,
        on_exit=on_exit,
        on_running=on_running,
        on_order=on_order,
        target=bins,
        share=share,
        running=np.zeros_like(bins),
        demand=demand,
        first=np.full(machines, -1),
        machine_notes=np.zeros((machines, 4)),
        rng=given.rng,
        ends=np.zeros(0),
        following=np.zeros(0, np.int64),
        notes=np.zeros((0, 4)),
        columns=table,
        at_moment=policy.at_moment is not None or policy.arrive is None,
        ordered=policy.order is not None,
        line=line(kinds.shape[1], given.typical),
        group=group.reshape(-1),  # numpy 2.0 gives a row
        able=np.ascontiguousarray(kinds),
        asks=np.ones(machines, np.int8),
        capacity=given.configs.capacity.copy(),
        free=given.configs.capacity[given.machines.config],
        size=np.zeros((2, given.configs.n_resources)),
        unit=given.unit,
        left=np.zeros(0),
        wake=np.full(1, np.inf),
        period=float(policy.wake or np.inf),
        vain=np.zeros(1, np.int64),
        preempts=policy.stop is not None,
        keep=policy.keep,
        runs=np.zeros(0, np.int64),
        begun=np.zeros(0),
        stops=np.zeros(0, np.int64),
        pieces=zeroed(PIECE, 1),
        kept=np.zeros(1, np.int64),
    )


def with_room(memory: Memory, slots: int) -> Memory:
    """The state with room for this number of jobs."""
    if memory.preempts:
        memory = longer(memory, 2 * memory.kept[0] + slots, "pieces")
    return longer(memory, slots, *OF_JOBS)


@kernel
def _view(memory, state):
    m = state.machines
    table = state.table
    clock = state.meter.clock[0]
    room = Room(
        size=read_only(table.size),
        free=read_only(m.free),
        first=read_only(m.first),
        closed=read_only(m.closed),
        leaves=read_only(m.leaves),
        root=read_only(m.root),
        bound=read_only(m.bound),
    )
    return Cluster(
        capacity=read_only(memory.capacity),
        pace=read_only(m.pace),
        config=read_only(m.config),
        free=read_only(memory.free),
        running=read_only(memory.running),
        target=read_only(memory.target),
        share=read_only(memory.share),
        demand=read_only(memory.demand),
        size=read_only(memory.size),
        work=read_only(table.job.work),
        submit=read_only(table.job.submit),
        job_class=read_only(table.job.job_class),
        ends=read_only(memory.ends),
        first=read_only(memory.first),
        following=read_only(memory.following),
        waiting=read_only(table.hall[clock.first : clock.first + clock.waiting]),
        now=clock.now,
        room=room,
        notes=memory.notes,
        machine_notes=memory.machine_notes,
        rng=memory.rng,
        woken=clock.woken == ASKS,
        jobs=read_only(memory.columns),
        machine=read_only(table.job.machine),
        left=read_only(memory.left),
        begun=read_only(memory.begun),
        wake=memory.wake,
    )


@kernel
def _note_free(memory, state, machine, slot, jobs):
    """Note what is free there with `jobs` more jobs like that in the slot, in the reader's units; what rounding leaves
    is nothing."""
    m = state.machines
    config = m.config[machine]
    for l in range(memory.unit.size):
        free = m.free[machine, l] - jobs * state.table.size[slot, l]
        capacity = memory.capacity[config, l]
        used = m.capacity[config, l] - free
        left = capacity - used * memory.unit[l]
        memory.free[machine, l] = left if left > FIT * capacity else 0.0


@kernel
def _starts(memory, state, slot, machine):
    """Note a job that starts: it takes its place among those of the machine by its end."""
    m = state.machines
    job = state.table.job[slot]
    memory.running[machine, job.job_class] += 1
    _note_free(memory, state, machine, slot, 1)
    now = state.meter.clock[0].now
    end = now + memory.left[slot] * m.pace[m.config[machine], job.job_class]
    memory.ends[slot] = end
    memory.begun[slot] = now
    memory.vain[0] = 0
    before = -1
    after = memory.first[machine]
    while after >= 0 and memory.ends[after] <= end:
        before = after
        after = memory.following[after]
    memory.following[slot] = after
    if before < 0:
        memory.first[machine] = slot
    else:
        memory.following[before] = slot


@kernel
def arrive(memory, state, slot, rng):
    """The machine that the policy gives the arriving job, or NONE."""
    memory.notes[slot, :] = 0.0
    memory.left[slot] = state.table.job[slot].work
    for l in range(memory.unit.size):
        memory.size[slot, l] = state.table.size[slot, l] * memory.unit[l]
    if memory.at_moment:
        return NONE
    ask(state, slot, NONE)
    cluster = _view(memory, state)
    machine = memory.on_arrival(cluster, slot)
    if machine == NONE:
        return NONE
    if not 0 <= machine < cluster.config.size or not can_start(cluster, slot, machine):
        return refuse(state, machine)
    _starts(memory, state, slot, machine)
    return machine


@kernel
def _join_hall(state, slot):
    """Put a job behind all that wait."""
    hall = state.table.hall
    clock = state.meter.clock[0]
    if clock.first + clock.waiting == hall.size:
        for place in range(clock.waiting):
            hall[place] = hall[clock.first + place]
        clock.first = 0
    hall[clock.first + clock.waiting] = slot


@kernel
def _quit_hall(state, place):
    """Take out the job at a place of those that wait: the fewer of those before and behind it move up."""
    hall = state.table.hall
    clock = state.meter.clock[0]
    at = clock.first + place
    if 2 * place < clock.waiting:
        for before in range(at, clock.first, -1):
            hall[before] = hall[before - 1]
        clock.first += 1
    else:
        for behind in range(at, clock.first + clock.waiting - 1):
            hall[behind] = hall[behind + 1]


@kernel
def wait(memory, state, slot, rng):
    """Let the job wait behind all others, or in its place in the order."""
    state.meter.clock[0].unasked = 1
    if not memory.ordered:
        _join_hall(state, slot)
        return
    ask(state, slot, NONE)
    key = memory.on_order(_view(memory, state), slot)
    if not abs(key) < MOST:
        key = -MOST if key < 0 else MOST
    m = state.machines
    k = state.table.job[slot].job_class
    size = state.table.size[slot]  # (R,)
    join(memory.line, state.table, memory.group[k], slot, key)
    machine = first_machine(m, m.pace, k, size)
    while 0 <= machine < m.config.size:
        memory.asks[machine] |= fits(m.free[machine], size)
        machine += 1


@kernel
def left(memory, state, slot, machine):
    """The machine runs one job less. No other job gets its number, which is its row."""
    state.meter.clock[0].unasked = 1
    state.table.taken[0] += 1
    memory.asks[machine] = 1
    memory.running[machine, state.table.job[slot].job_class] -= 1
    _note_free(memory, state, machine, slot, 0)
    # of a machine's jobs the first one ends, also of those that end at the same time, as events do
    memory.first[machine] = memory.following[slot]


@kernel
def _pick_in_order(memory, state, machine):
    """The first job in the policy's order that fits the machine, taken out of its queue, or NONE."""
    m = state.machines
    table = state.table
    slot = NONE
    score = -np.inf
    for g in range(memory.line.root.size):
        if memory.able[m.config[machine], g]:
            slot, score = best_that_fits(
                memory.line, table, g, m.free[machine], EARLIEST, slot, score
            )
    if slot >= 0:
        quit_line(memory.line, table, memory.group[table.job[slot].job_class], slot)
        _starts(memory, state, slot, machine)
    else:
        memory.asks[machine] = 0
    return slot


@kernel
def pick(memory, state, machine):
    """The waiting job that the policy starts on the machine, taken out of the hall, or NONE."""
    if memory.at_moment and state.meter.clock[0].unasked:  # not all of the moment has happened
        return NONE
    if memory.ordered:
        return _pick_in_order(memory, state, machine)
    ask(state, NONE, machine)
    cluster = _view(memory, state)
    slot = memory.on_exit(cluster, machine)
    if slot == NONE:
        return NONE
    waiting = cluster.waiting
    place = 0
    while place < waiting.size and waiting[place] != slot:
        place += 1
    if place == waiting.size or not can_start(cluster, slot, machine):
        return refuse(state, slot)
    _quit_hall(state, place)
    _starts(memory, state, slot, machine)
    return slot


@kernel
def start(memory, state, slot, machine):
    """Whether a job that starts does so for the first time, and when it will end."""
    return memory.stops[slot] == 0, memory.ends[slot]


@kernel
def _list_running(memory):
    """Write down the jobs that run, machine by machine; gives their number."""
    count = 0
    for machine in range(memory.first.size):
        slot = memory.first[machine]
        while slot >= 0:
            memory.runs[count] = slot
            count += 1
            slot = memory.following[slot]
    return count


@kernel
def _cancel(events, slot):
    """Take the end of a job out of the queue of events."""
    count = events.count[0] - 1
    at = 0
    while events.label[at] & LABEL != slot:
        at += 1
    events.count[0] = count
    if at < count:
        move(events.time, events.label, None, count, at, events.time[count], events.label[count])


@kernel
def _stop(memory, state, log, slot):
    """Let a job that runs wait behind all others."""
    m = state.machines
    meter = state.meter
    clock = meter.clock[0]
    job = state.table.job[slot]
    machine = job.machine
    _cancel(state.events, slot)
    for l in range(m.free.shape[1]):
        size = state.table.size[slot, l]
        m.free[machine, l] += size
        meter.used[l] -= size
    tree.gave(m, machine)
    if memory.first[machine] == slot:
        memory.first[machine] = memory.following[slot]
    else:
        before = memory.first[machine]
        while memory.following[before] != slot:
            before = memory.following[before]
        memory.following[before] = memory.following[slot]
    memory.running[machine, job.job_class] -= 1
    _note_free(memory, state, machine, slot, 0)
    left = memory.ends[slot] - clock.now
    memory.left[slot] = left / m.pace[m.config[machine], job.job_class] if memory.keep else job.work
    memory.stops[slot] += 1
    if log.start.size > 0:
        log.finish[job.row] = np.nan
        piece = memory.pieces[memory.kept[0]]
        piece.job = job.row
        piece.machine = machine
        piece.start = memory.begun[slot]
        piece.finish = clock.now
        memory.kept[0] += 1
    job.machine = NONE
    _join_hall(state, slot)
    clock.waiting += 1


@kernel
def _stop_all(memory, state, log):
    """Stop the jobs that the policy names, one by one; gives their number, REFUSED or MORE_PIECES."""
    stopped = 0
    while True:
        running = _list_running(memory)
        if memory.kept[0] == memory.pieces.size:
            return MORE_PIECES
        ask(state, NONE, NONE)
        cluster = _view(memory, state)
        slot = memory.on_running(cluster, read_only(memory.runs[:running]))
        if slot == NONE:
            return stopped
        place = 0
        while place < running and memory.runs[place] != slot:
            place += 1
        if place == running or memory.begun[slot] == cluster.now:
            return refuse(state, slot)
        _stop(memory, state, log, slot)
        stopped += 1


@kernel
def _fill_all(memory, state, log):
    """Fill each machine, in order, except those that no job fits; gives False when the policy's choice is impossible."""
    for machine in range(memory.asks.size):
        if memory.asks[machine]:
            started = fill(memory, state, log, machine)
            if started == REFUSED:
                return False
            if started > 0:
                tree.refresh(state.machines, machine)
    return True


@kernel
def moment(memory, state, log):
    """Ask which jobs stop, and about each machine, if the policy decides after all of a moment, or asked to be called
    then, and is still to be asked about this one."""
    clock = state.meter.clock[0]
    if not clock.unasked or not (memory.at_moment or clock.woken):
        return 0
    stopped = 1
    while stopped > 0:
        stopped = _stop_all(memory, state, log) if memory.preempts else 0
        if stopped < 0:
            return stopped
        clock.unasked = 0
        if clock.woken:
            clock.woken = ASKS
        if not _fill_all(memory, state, log):
            return REFUSED
        clock.unasked = stopped
    clock.woken = 0
    return 1


@kernel
def clock(memory, state, ahead):
    """When the policy asks to be called: at the time that it has named, or by its timer while jobs wait. Not while no
    job is in the system; nor by the timer, when nothing else is to happen and the last call started no job."""
    now = state.meter.clock[0].now
    waiting = state.meter.clock[0].waiting
    named = memory.wake[0]
    timer = np.inf
    if memory.period < np.inf and waiting > 0 and (ahead < np.inf or memory.vain[0] == 0):
        calls = now // memory.period + 1
        timer = calls * memory.period
        if timer <= now:  # rounding
            timer = (calls + 1) * memory.period
    if named == np.inf or (waiting == 0 and ahead == np.inf):
        return timer
    if not named > now:
        ask(state, NONE, TIME)
        return float(refuse(state, NONE))
    return min(named, timer)


@kernel
def call(memory, state, log, ahead):
    """A time for which the policy asked has come: ask about each machine after all of the moment."""
    now = state.meter.clock[0]
    if memory.wake[0] <= now.now:
        memory.wake[0] = np.inf
    if ahead == np.inf:
        memory.vain[0] += 1
        if memory.vain[0] > MOST_VAIN:
            ask(state, NONE, TIME)
            return refuse(state, MOST_VAIN)
    now.woken = CALLED
    now.unasked = 1
    return 0


hand_over(
    Memory,
    arrive=arrive,
    wait=wait,
    pick=pick,
    left=left,
    start=start,
    moment=moment,
    clock=clock,
    call=call,
    grown=with_room,
)
