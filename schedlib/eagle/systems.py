"""The paper's noun: a system, built from parts; and the six that the paper compares.

A shipped part and a reader's function are records of the same kind:

    def emptiest_of_two(cluster, job, probe, rng):
        a, b = int(rng.random() * len(cluster.queued)), int(rng.random() * len(cluster.queued))
        return a if cluster.queued[a] + cluster.busy[a] <= cluster.queued[b] + cluster.busy[b] else b

    mine = eagle.System("two choices", short_jobs=emptiest_of_two, long_jobs="lwl", queue="fifo")
    eagle.simulate(workload, mine, workers=100, short_partition=0.1, cutoff=60)
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from schedlib.core import columns
from schedlib.core.checks import frozen, require_fields, typed, unknown
from schedlib.core.functions import reads
from schedlib.core.rules import FLOAT_ROWS, FLOATS, INT_ROWS, INTS, NOTES, RNG, RuleKind
from schedlib.core.uncounted import kernel


class Way(IntEnum):
    """A way in which the tasks of a job come to workers: a branch of `engine.bring`."""

    ANYWHERE = 0
    THREE_ROUNDS = 1
    OLD_VECTOR = 2
    CLEAR = 3
    LEAST_WORK = 4
    OLD_NEWS = 5
    READERS_PROBES = 6
    READERS_PLACES = 7


class Order(IntEnum):
    """An order in which a worker serves its queue: a branch of `reorder.choose`."""

    FIRST_COME = 0
    SHORTEST_JOB = 1
    SHORTEST_TASK = 2
    READERS = 3


class Charge(IntEnum):
    """The entries of a queue whose bypass counters grow when a task overtakes them."""

    NOTHING = 0
    SHORT = 1
    EVERYTHING = 2


class Refusal(IntEnum):
    """A choice of a reader's function that ends a run."""

    NOTHING = 0
    UNKNOWN_WORKER = 1
    UNKNOWN_PLACE = 2  # in a queue
    FEW_PROBES = 3  # fewer than the job needs


class SystemView(NamedTuple):
    """The view of a system that a reader's function gets: W workers, their S slots and N jobs by number.

    The function can write to the notes. All other arrays are read-only.

    All times are in the workload's unit.

    - `now`, `short_only`: workers 0 to short_only - 1 are the short partition
    - `queued (W,)`: entries waiting; `busy (W,)`: its slots that ask for a task or run one
    - `long_tasks (W,)`: tasks placed there by least work left and not finished, short ones too where these
      are placed, and no probed one; `work (W,)`: the sum of their estimates
    - `first_slot (W + 1,)`: the slots of worker w are those from first_slot[w] to first_slot[w + 1] - 1; with one
      slot each, slot w is worker w's
    - `job (S,)`: the job whose task a slot asks for or runs (-1: none), `since (S,)`: when it asked, `placed
      (S,)`: 1 when the centre placed that task, so that it is part of `work`
    - `estimate (N,)` of one task, `tasks (N,)`, `unstarted (N,)` tasks, `long (N,)` 1 for long jobs
    - `sent (k,)`: the workers to which this job's k probes have gone so far (empty except for a function that sends)
    - `notes (N, 4)`, `worker_notes (W, 4)`: floats of your own for jobs and workers, zeros when a run begins
    - `jobs`: the columns of your own in `Workload.jobs`, as in `cluster.jobs.deadline[job]`: each numeric column
      beyond `job, submit, class` whose name is a Python identifier, (N,) floats in the column's own unit. A
      function that names `jobs` is compiled when `simulate` knows the columns

    >>> def another(cluster, job, probe, rng):
    ...     cluster.notes[job, 0] += 1
    ...     return (cluster.sent[-1] + 1) % len(cluster.queued) if len(cluster.sent) else 0
    >>> System("one by one", short_jobs=another).name
    'one by one'
    """

    now: float
    short_only: int
    queued: np.ndarray
    busy: np.ndarray
    long_tasks: np.ndarray
    work: np.ndarray
    first_slot: np.ndarray
    job: np.ndarray
    since: np.ndarray
    placed: np.ndarray
    estimate: np.ndarray
    tasks: np.ndarray
    unstarted: np.ndarray
    long: np.ndarray
    sent: np.ndarray
    notes: np.ndarray
    worker_notes: np.ndarray
    jobs: Any


SIZES = {"work", "estimate", "remaining_work"}
"""The names by which a function sees sizes."""
VIEW = SystemView(
    now=0.0,
    short_only=0,
    queued=INT_ROWS[:, 0],  # fields of records lie apart
    busy=INT_ROWS[:, 0],
    long_tasks=INT_ROWS[:, 0],
    work=FLOATS,
    first_slot=INTS,
    job=frozen(np.ones((8, 8), np.int32))[:, 0],
    since=FLOATS,
    placed=frozen(np.ones((8, 8), np.int8))[:, 0],
    estimate=FLOAT_ROWS[:, 0],
    tasks=INT_ROWS[:, 0],
    unstarted=INT_ROWS[:, 0],
    long=INT_ROWS[:, 0],
    sent=INTS,
    notes=NOTES,
    worker_notes=NOTES,
    jobs=FLOAT_ROWS,
)
_NOTED = "cluster.notes and cluster.worker_notes"
SEND = RuleKind({"cluster": VIEW, "job": 0, "probe": 0, "rng": RNG}, "worker", notes=_NOTED)
PICK = RuleKind({"cluster": VIEW, "worker": 0, "line": INTS, "rng": RNG}, "place", notes=_NOTED)
COUNT = RuleKind({"cluster": VIEW, "job": 0, "rng": RNG}, "probes", notes=_NOTED)
KINDS = {"short_jobs": SEND, "long_jobs": SEND, "queue": PICK, "probes": COUNT}
"""The kind of a reader's function, by the argument of `System` that it is given as."""


@kernel
def remaining_work(cluster: SystemView, worker: int) -> float:
    """The work that a worker has, by estimates: the rest of its tasks, and the tasks placed there.

    For a reader's function: `cluster` is the `eagle.SystemView` that it gets, `worker` a number.

    >>> def least_of_two(cluster, job, probe, rng):
    ...     a, b = int(rng.random() * len(cluster.busy)), int(rng.random() * len(cluster.busy))
    ...     return a if remaining_work(cluster, a) <= remaining_work(cluster, b) else b
    >>> System("least of two", short_jobs=least_of_two).uses_estimates()
    True
    """
    left = cluster.work[worker]
    for slot in range(cluster.first_slot[worker], cluster.first_slot[worker + 1]):
        job = cluster.job[slot]
        if job >= 0:
            estimate = cluster.estimate[job]
            left += estimate * (1 - cluster.placed[slot]) - min(
                cluster.now - cluster.since[slot], estimate
            )
    return left


class Part(NamedTuple):
    """A way in which tasks come to workers, or an order in which a worker serves its queue.

    The fields say what the part needs: only `engine.bring` and `reorder.choose` ask which part it is.
    """

    branch: Any  # a `Way`, or an `Order` of a queue
    places: bool = False  # whole tasks are placed; otherwise probes are sent
    stale: bool = False  # by the news of the last heartbeat
    # it needs the bits of a centre: long jobs placed by "lwl", and a short partition
    shares: bool = False
    rejects: bool = False  # workers with a long task reject probes
    charges: Charge = Charge.NOTHING
    news: bool = False  # it goes by what workers know of started tasks
    bunches: bool = False  # of entries that are equal it takes the first
    uses_estimates: bool = False


class Parts(NamedTuple):
    """The parts of a system, resolved once."""

    short: Part
    long: Part
    queue: Part
    functions: dict[str, Callable]  # a reader's, compiled, by the argument of `System`

    def choices(self) -> tuple[Callable, ...]:
        """The functions that `engine.advance` takes: a reader's, or placeholders where shipped parts decide."""
        return tuple((PLACEHOLDERS | self.functions).values())


WAYS = {
    "probes": Part(branch=Way.ANYWHERE),
    "sss": Part(branch=Way.THREE_ROUNDS, shares=True, rejects=True),
    "old-sss": Part(branch=Way.OLD_VECTOR, shares=True),
    "clear": Part(branch=Way.CLEAR, shares=True),
    "lwl": Part(branch=Way.LEAST_WORK, places=True, uses_estimates=True),
    "stale-lwl": Part(branch=Way.OLD_NEWS, places=True, stale=True, uses_estimates=True),
}
ORDERS = {
    "fifo": Part(branch=Order.FIRST_COME),
    "srpt": Part(
        branch=Order.SHORTEST_JOB,
        charges=Charge.SHORT,
        news=True,
        bunches=True,
        uses_estimates=True,
    ),
    "srpt-tasks": Part(
        branch=Order.SHORTEST_TASK, charges=Charge.EVERYTHING, bunches=True, uses_estimates=True
    ),
}
SHIPPED = {
    "short_jobs": WAYS,
    "long_jobs": {name: WAYS[name] for name in ("lwl", "probes", "stale-lwl")},
    "queue": ORDERS,
}
"""The shipped parts for each argument of a `System`."""


@dataclass(frozen=True)
class Place:
    """A function of your own that places whole tasks (early binding): `place(cluster, job, task, rng)` gives
    the worker of each task of a job when the job is submitted.

    The task is queued at that worker and runs nowhere else. `cluster.sent` are the workers of the job's
    earlier tasks, and `cluster.work` counts these already. Raises ValueError on what does not compile.

    >>> def last(cluster, job, task, rng):
    ...     return len(cluster.work) - 1
    >>> System("last", long_jobs=Place(last)).short_jobs
    'probes'
    """

    function: Callable


# Placeholders: `engine.advance` takes four functions, and does not call those that shipped parts replace.
@SEND
def no_send(cluster: Any, job: int, probe: int, rng: Any) -> int:
    """Placeholder; never called."""
    return 0


@PICK
def no_pick(cluster: Any, worker: int, line: Any, rng: Any) -> int:
    """Placeholder; never called."""
    return 0


@COUNT
def no_count(cluster: Any, job: int, rng: Any) -> int:
    """Placeholder; never called."""
    return 0


PLACEHOLDERS = {"short_jobs": no_send, "long_jobs": no_send, "probes": no_count, "queue": no_pick}
"""The functions of `engine.advance`, in its order, of a system whose parts are all shipped."""


def _part(argument, value):
    """The part that an argument of a `System` names."""
    if isinstance(value, Place) and argument != "queue":
        return Part(branch=Way.READERS_PLACES, places=True)
    if callable(value):
        return Part(branch=Order.READERS if argument == "queue" else Way.READERS_PROBES)
    if not isinstance(value, str) or value not in SHIPPED[argument]:
        raise unknown(argument, value, SHIPPED[argument])
    return SHIPPED[argument][value]


@dataclass(frozen=True)
class System:
    """A scheduler of short and long jobs, built from parts.

    | part | value | what it does |
    |---|---|---|
    | `short_jobs` | `"probes"` | `probe_ratio` (2) probes a task, to any workers (batch sampling, Sparrow) |
    | | `"sss"` | the same, but never behind a long task: Succinct State Sharing (Section 3.3) |
    | | `"old-sss"` | the same, as published, but the first round, too, goes by the newest bit vector seen |
    | | `"clear"` | to workers that have no long task at this moment, known without delay (ideal) |
    | | `"lwl"`, `"stale-lwl"` | tasks placed by least work left, known now or as of the last heartbeat |
    | | a function | `send(cluster, job, probe, rng)` gives each probe's worker, see `eagle.SystemView` |
    | `long_jobs` | `"lwl"`, `"stale-lwl"` | placed in the general partition by least work left |
    | | `"probes"` | as short jobs' probes, to any worker |
    | | a function | as for short jobs: `send` says where each of their probes goes |
    | either | `eagle.Place(function)` | the function says where each whole task goes, see there |
    | `queue` | `"fifo"` | first come, first served |
    | | `"srpt"` | the probe of the job with least remaining time that may bypass the others (Algorithm 1) |
    | | `"srpt-tasks"` | the same for placed tasks, long ones included (Yaq's reordering) |
    | | a function | `pick(cluster, worker, line, rng)` gives the place in the line of jobs |
    | `probes` | a function | `count(cluster, job, rng)` gives the number of a job's probes |
    | `sticky` | | a probe stays until its job has no task left: Sticky Batch Probing (Section 4) |
    | `cancel` | | probes of a job whose last task is handed out are dropped, from two hops later on |
    | `steal` | | idle workers steal short probes from behind long tasks (Hawk) |
    | `thieves` | `"any"`, `"general"` | the idle workers that steal (None: as `simulate`'s `detail` says) |
    | `min_probes` | | the least number of probes of a job, the paper's K |
    | `cap` | | a task may be bypassed by tasks of `cap` times its own estimate in all (Section 5: 5) |
    | `updates` | | workers learn of every task that is started; else "srpt" ranks by the job's first size |

    Raises ValueError on a function that does not compile, an unknown part, a negative `min_probes` or `cap`,
    and on "sss" without a centre that places long jobs.

    See also: `eagle.SystemView`, `eagle.remaining_work`, `boards.eagle`.

    >>> System("mine", short_jobs="probes", long_jobs="lwl", queue="srpt", sticky=True).min_probes
    0
    """

    name: str
    short_jobs: str | Callable | Place = "probes"
    long_jobs: str | Callable | Place = "lwl"
    queue: str | Callable = "fifo"
    probes: Callable | None = None
    sticky: bool = False
    cancel: bool = False
    steal: bool = False
    thieves: str | None = None
    min_probes: int = 0
    cap: float = 5.0
    updates: bool = True

    def __post_init__(self):
        require_fields(self)
        parts = self.resolved()
        for argument, function in parts.functions.items():
            places = isinstance(getattr(self, argument), Place)
            object.__setattr__(self, argument, Place(function) if places else function)
        if parts.short.shares and not (
            self.long_jobs == "lwl" or isinstance(self.long_jobs, Place)
        ):
            raise ValueError(
                f"short_jobs: {self.short_jobs!r} needs a centre's bits; give long_jobs='lwl'"
            )
        if self.thieves not in (None, "any", "general"):
            raise unknown("thieves", self.thieves, ("any", "general"), "or None")
        for name, number in (("min_probes", self.min_probes), ("cap", self.cap)):
            if not number >= 0:
                raise ValueError(f"{name}: {number!r}, must not be negative")

    def resolved(self, own_columns: Iterable[str] | None = None) -> Parts:
        """The parts; functions that read the jobs' own columns are compiled for these names.

        Raises ValueError on an unknown part, a function that does not compile, and a missing column.
        """
        functions = {}
        parts = {name: _part(name, getattr(self, name)) for name in SHIPPED}
        for argument, kind in KINDS.items():
            value = getattr(self, argument)
            if isinstance(value, Place):
                functions[argument] = columns.bind(kind, value.function, own_columns, argument)
            elif callable(value):
                functions[argument] = columns.bind(kind, value, own_columns, argument)
        return Parts(parts["short_jobs"], parts["long_jobs"], parts["queue"], functions)

    def uses_estimates(self) -> bool:
        """Whether it goes by the jobs' sizes, that is by estimates. All know which jobs are long.

        >>> [name for name, system in SYSTEMS.items() if not system.uses_estimates()]
        ['sparrow']
        """
        parts = self.resolved()
        if any(part.uses_estimates for part in (parts.short, parts.long, parts.queue)):
            return True
        return any(reads(rule, size) for rule in parts.functions.values() for size in SIZES)


@typed
def Eagle(*, sss: bool = True, sbp: bool = True, srpt: bool = True, min_probes: int = 20) -> System:
    """Eagle (Sections 3 and 4), or Eagle without some of its parts (Section 6.3).

    See also: `eagle.System`, from whose parts all six are built.

    >>> Eagle(sbp=False, srpt=False).name
    'eagle without sbp+srpt'
    """
    switches = {"sss": sss, "sbp": sbp, "srpt": srpt, "minimum probes": min_probes > 0}
    off = "+".join(name for name, on in switches.items() if not on)
    return System(
        name=f"eagle without {off}" if off else "eagle",
        short_jobs="sss" if sss else "probes",
        queue="srpt" if srpt else "fifo",
        sticky=sbp,
        min_probes=min_probes,
    )


@typed
def Hawk(*, steal: bool = True, thieves: str | None = None) -> System:
    """Hawk (Delgado et al., ATC 2015): batch sampling of short jobs, a centre for long, work stealing.

    >>> Hawk(steal=False).name
    'hawk without stealing'
    """
    return System("hawk" if steal else "hawk without stealing", steal=steal, thieves=thieves)


def Sparrow() -> System:
    """Sparrow (Ousterhout et al., SOSP 2013): batch sampling with late binding, for all jobs and workers.

    >>> Sparrow().uses_estimates()
    False
    """
    return System("sparrow", long_jobs="probes")


def DLWL() -> System:
    """Distributed least work left (Section 6.2): each scheduler knows the queues of the last heartbeat.

    >>> DLWL().queue
    'srpt-tasks'
    """
    return System("dlwl", short_jobs="stale-lwl", long_jobs="stale-lwl", queue="srpt-tasks")


def Omniscient() -> System:
    """The omniscient scheduler (Section 6.4): least work left, known now, for all; short jobs anywhere.

    >>> Omniscient().short_jobs
    'lwl'
    """
    return System("omniscient", short_jobs="lwl")


def IdealEagle() -> System:
    """Eagle whose schedulers always know where long tasks are; without SRPT, as in the authors' simulator.

    >>> IdealEagle().short_jobs, IdealEagle().sticky
    ('clear', True)
    """
    return System("ideal-eagle", short_jobs="clear", sticky=True, min_probes=20)


SYSTEMS = {
    system.name: system
    for system in (Eagle(), Hawk(), Sparrow(), DLWL(), Omniscient(), IdealEagle())
}
"""The six systems by name."""


def system_of(system: str | System, min_probes: int | None = None) -> System:
    """A system, which may be given by its name, with these `min_probes` unless None; ValueError if unknown."""
    if not isinstance(system, System):
        if not (isinstance(system, str) and system in SYSTEMS):
            raise unknown("system", system, SYSTEMS, "or give an eagle.System")
        system = SYSTEMS[system]
    return system if min_probes is None else replace(system, min_probes=min_probes)
