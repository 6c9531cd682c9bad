"""A user's policy: it names a machine for an arriving job, and a job when another has left.

    def worst_fit(cluster, job):
        best = -1
        for machine in range(len(cluster.config)):
            if lotes.can_start(cluster, job, machine):
                if best < 0 or cluster.free[machine, 0] > cluster.free[best, 0]:
                    best = machine
        return best

    lotes.simulate(lotes.Policy(arrive=worst_fit), configs, workload)

A rule may call `lotes.can_start`; `lotes.first_fit`, which looks a machine up without a scan; `lotes.room_at`.
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
from schedlib.core.arrays import grown
from schedlib.core.checks import frozen, positive, require_fields
from schedlib.core.functions import names_in, reached, variables
from schedlib.core.rules import FLOAT_ROWS, FLOATS, INT_ROWS, INTS, NOTES, RNG, RuleKind, read_only
from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching.decisions import hand_over
from schedlib.lotes.dispatching.engine import fill_all
from schedlib.lotes.dispatching.machine_tree import first_machine, fits
from schedlib.lotes.dispatching.state import NONE, Given, Tasks, ask, refuse
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
    - `waiting (W,)`: the jobs that wait, in order of arrival, without the arriving one; `now`: the time
    - `room`: for `can_start`, `first_fit` and `room_at`; `rng`: the policy's own random numbers
    - `woken`: whether it is `Policy.wake` that asks, and no job has left the machine
    - `jobs`: the columns of your own in `Workload.jobs`, as in `cluster.jobs.deadline[job]`: each numeric column
      beyond `job, submit, class` whose name can follow a dot, (S,) floats in the column's own unit. A rule that
      reads a column with NaN must ask `np.isnan` somewhere, else `simulate` raises ValueError

    All are read-only but `notes (S, 4)` and `machine_notes (N, 4)`, the policy's own numbers for each job and
    each machine: zeros when the job comes, and at the start.

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


ROOM = Room(
    size=FLOAT_ROWS,
    free=FLOAT_ROWS,
    first=INTS,
    closed=frozen(np.ones(8, np.int8)),
    leaves=INTS,
    root=INTS,
    bound=FLOAT_ROWS,
)
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
    work=FLOAT_ROWS[:, 0],  # fields of records lie apart
    submit=FLOAT_ROWS[:, 0],
    job_class=frozen(np.ones((8, 8), np.int32))[:, 0],
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
)
_NOTED = "cluster.notes and cluster.machine_notes"
KINDS = {
    "arrive": RuleKind({"cluster": CLUSTER, "job": 0}, "machine", notes=_NOTED),
    "leave": RuleKind({"cluster": CLUSTER, "machine": 0}, "job", notes=_NOTED),
}


@dataclass(frozen=True)
class Policy:
    """A reader's policy. It decides at each event, or after all events of a moment.

    At each event: of those at the same time, jobs end first, one by one, and the machine of each is filled before
    the next ends; then jobs arrive, one by one, and each starts or waits before the next arrives.

    - `arrive(cluster, job)`: the machine on which the arriving job starts now, or -1 to let it wait
    - `leave(cluster, machine)`: a member of `cluster.waiting` that starts on the machine a job has just left,
      or -1 for none; asked again after each start. Left out, the first in line that fits.
    - `wake`: every so often, in the workload's unit of time, `leave` is asked about each machine, too, before
      what else happens at that time, as long as jobs wait; `cluster.woken` is then true. A run in which
      nothing else is to happen ends when a call starts no job

    After all events of a moment:

    - `at_moment(cluster, machine)`, in place of `arrive` and `leave`: a member of `cluster.waiting` that starts on
      the machine, or -1 for none. Once all that end at this time have left, and all that arrive wait, it is asked
      about each machine, in order, again after each start, until it gives -1. `wake` asks it, too

    All are small functions of numbers, loops and arrays. They are compiled; those that read `cluster.jobs`
    by `simulate`, which knows the columns. Raises ValueError, with the reason, when a function does not
    compile or writes to what it sees, and (from `simulate`) when it names an invalid machine or job, asks for
    a column that does not exist, or raises an error itself: that error is the `__cause__`.

    See also: `lotes.Cluster`, what they see; `lotes.first_fit`, `lotes.can_start` and `lotes.room_at`, what
    they may call; `boards.lotes`.

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
    """

    arrive: Callable | None = None
    leave: Callable | None = None
    name: str = "own"
    wake: float | None = None
    at_moment: Callable | None = None

    def __post_init__(self):
        require_fields(self)
        if self.wake is not None:
            positive("wake", self.wake)
        if (self.arrive is None) == (self.at_moment is None):
            raise ValueError("arrive: give either arrive, and perhaps leave, or at_moment")
        if self.at_moment and self.leave:
            raise ValueError("leave: at_moment decides in its place; leave one of them out")
        for argument, function in self.rules().items():
            kind = KINDS["arrive" if argument == "arrive" else "leave"]
            object.__setattr__(self, argument, kind(function, argument))

    def rules(self) -> dict[str, Callable]:
        """What decides about an arriving job, and about a machine, by the names of the arguments."""
        if self.at_moment:
            return {"arrive": self.arrive or waits, "at_moment": self.at_moment}
        return {"arrive": self.arrive, "leave": self.leave or first_in_line}  # type: ignore[dict-item]


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


class Memory(NamedTuple):
    """The state of a user's policy: its functions, and of `Cluster` and `Room` what the engine does not have."""

    on_arrival: Callable
    on_exit: Callable
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
    capacity: np.ndarray  # (M, R), as `free` and `size` in the reader's units
    free: np.ndarray
    size: np.ndarray
    unit: np.ndarray  # (R,): the reader's amount that the engine calls 1


@typeof_impl.register(Memory)
def _of_one_type(memory: Memory, context: Any) -> Any:
    """The same type for every policy, so that the engine compiles once."""
    functions = [types.FunctionType(kind.signature) for kind in KINDS.values()]
    return types.NamedTuple([*functions, *map(numba.typeof, memory[2:])], Memory)


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
    (on_arrival, on_exit), table = _bound(policy, given)
    return Memory(
        on_arrival=on_arrival,
        on_exit=on_exit,
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
        at_moment=policy.at_moment is not None,
        capacity=given.configs.capacity.copy(),
        free=given.configs.capacity[given.machines.config],
        size=np.zeros((2, given.configs.n_resources)),
        unit=given.unit,
    )


def with_room(memory: Memory, slots: int) -> Memory:
    """The state with room for this number of jobs."""
    return memory._replace(
        ends=grown(memory.ends, slots),
        following=grown(memory.following, slots),
        notes=grown(memory.notes, slots),
        size=grown(memory.size, slots),
    )


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
        waiting=read_only(table.hall[: clock.waiting]),
        now=clock.now,
        room=room,
        notes=memory.notes,
        machine_notes=memory.machine_notes,
        rng=memory.rng,
        woken=clock.woken > 0,
        jobs=read_only(memory.columns),
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
    end = state.meter.clock[0].now + job.work * m.pace[m.config[machine], job.job_class]
    memory.ends[slot] = end
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
    for l in range(memory.unit.size):
        memory.size[slot, l] = state.table.size[slot, l] * memory.unit[l]
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
def wait(memory, state, slot, rng):
    """Let the job wait behind all others."""
    clock = state.meter.clock[0]
    state.table.hall[clock.waiting] = slot
    clock.unasked = 1


@kernel
def left(memory, state, slot, machine):
    """The machine runs one job less. No other job gets its number, which is its row."""
    state.meter.clock[0].unasked = 1
    state.table.taken[0] += 1
    memory.running[machine, state.table.job[slot].job_class] -= 1
    _note_free(memory, state, machine, slot, 0)
    # of a machine's jobs the first one ends, also of those that end at the same time, as events do
    memory.first[machine] = memory.following[slot]


@kernel
def pick(memory, state, machine):
    """The waiting job that the policy starts on the machine, taken out of the hall, or NONE."""
    if memory.at_moment and state.meter.clock[0].unasked:  # not all of the moment has happened
        return NONE
    ask(state, NONE, machine)
    cluster = _view(memory, state)
    hall = state.table.hall
    slot = memory.on_exit(cluster, machine)
    waiting = cluster.waiting.size
    if slot == NONE:
        return NONE
    place = 0
    while place < waiting and hall[place] != slot:
        place += 1
    if place == waiting or not can_start(cluster, slot, machine):
        return refuse(state, slot)
    for later in range(place, waiting - 1):
        hall[later] = hall[later + 1]
    _starts(memory, state, slot, machine)
    return slot


@kernel
def moment(memory, state, log):
    """Ask about each machine, if the policy decides after all of a moment and is still to be asked about this one."""
    clock = state.meter.clock[0]
    if not memory.at_moment or not clock.unasked:
        return 0
    clock.unasked = 0
    return fill_all(memory, state, log)


hand_over(Memory, arrive=arrive, wait=wait, pick=pick, left=left, moment=moment, grown=with_room)
