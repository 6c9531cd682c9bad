"""The paper's noun: a system, built from parts; and the six that the paper compares.

A shipped part and a reader's function are records of the same kind:

    def emptiest_of_two(cluster, job, probe, rng):
        a, b = int(rng.random() * len(cluster.queued)), int(rng.random() * len(cluster.queued))
        return a if cluster.queued[a] + cluster.busy[a] <= cluster.queued[b] + cluster.busy[b] else b

    mine = eagle.System("two choices", short_jobs=emptiest_of_two, long_jobs="lwl", queue="fifo")
    eagle.simulate(workload, mine, workers=100, short_partition=0.1, cutoff=60)
"""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from schedlib.core import columns
from schedlib.core.checks import typed, unknown
from schedlib.core.compiling import compiled
from schedlib.core.rules import rule, seen

ANYWHERE, THREE_ROUNDS, OLD_VECTOR, CLEAR, LEAST_WORK, OLD_NEWS, READERS_WAY, READERS_PLACES = (
    range(8)
)
"""Ways in which the tasks of a job come to workers: the branches of `engine.bring`."""
FIRST_COME, SHORTEST_JOB, SHORTEST_JOB_AS_WRITTEN, SHORTEST_TASK, READERS_ORDER = range(5)
"""Orders in which a worker serves its queue: the branches of `reorder.choose`."""
NOBODY, SHORT, EVERYBODY = range(3)
UNKNOWN_WORKER = 1
UNKNOWN_PLACE = 2
FEW_PROBES = 3
"""Choices of a reader's function that end a run: a worker or a place in a queue that does not exist, and fewer
probes than a job needs."""


class Cluster(NamedTuple):
    """What a reader's function sees: W workers and N jobs by number. Of the arrays only the notes can be
    written to.

    - `now` (s), `short_only`: workers 0 to short_only - 1 are the short partition
    - `queued (W,)`: entries waiting; `busy (W,)`: 1 when a worker asks for a task or runs one
    - `long_tasks (W,)`: tasks placed there by least work left and not finished, short ones too where these
      are placed, and no probed one; `work (W,)`: the sum of their estimates (s)
    - `job (W,)`: whose task it asks for or runs (-1: nobody's), `since (W,)`: when it asked (s), `placed
      (W,)`: 1 when the centre placed that task, so that it is part of `work`
    - `estimate (N,)` of one task (s), `tasks (N,)`, `unstarted (N,)` tasks, `long (N,)` 1 for long jobs
    - `sent (k,)`: the workers to which this job's k probes have gone so far (empty except for a function that sends)
    - `notes (N, 4)`, `worker_notes (W, 4)`: floats of your own for jobs and workers, zeros when a run begins
    - `jobs`: the columns of your own in `Workload.jobs`, as in `cluster.jobs.deadline[job]`: each numeric column
      beyond `job, submit, class` whose name can stand after a dot, (N,) floats in the column's own unit. A
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


SIZES = ("work", "estimate")
"""What a function that does not know sizes would not look at."""
KINDS = {
    "now": types.float64,
    "short_only": types.int64,
    **dict.fromkeys(Cluster._fields[2:], seen(types.int64, 1, "A")),
    "sent": seen(types.int64),
    "job": seen(types.int32, 1, "A"),
    "placed": seen(types.int8, 1, "A"),
    "estimate": seen(types.float64, 1, "A"),
    **dict.fromkeys(("work", "since"), seen(types.float64)),
    **dict.fromkeys(("notes", "worker_notes"), types.float64[:, ::1]),
    "jobs": seen(types.float64, 2),  # as the engine hands them over, a row for each column
}
RANDOM = numba.typeof(np.random.default_rng(0))


def _signatures(kinds):
    """Of functions that send, pick and count, for a cluster of such fields."""
    cluster = types.NamedTuple(list(kinds.values()), Cluster)
    whole = types.int64
    return (
        whole(cluster, whole, whole, RANDOM),
        whole(cluster, whole, seen(whole), RANDOM),
        whole(cluster, whole, RANDOM),
    )


SEND, PICK, COUNT = _signatures(KINDS)
BLIND = dict(
    zip((SEND, PICK, COUNT), _signatures(KINDS | dict.fromkeys(SIZES, types.none)), strict=True)
)
"""The same for one that is not shown sizes."""
SIGNATURES = (SEND, SEND, COUNT, PICK)
"""Of a reader's functions, in the order of `engine.advance`."""
FORMS = {
    SEND: "(cluster, job, probe, rng) -> worker",
    PICK: "(cluster, worker, line, rng) -> place",
    COUNT: "(cluster, job, rng) -> probes",
}
_OWN = {"notes": "cluster.notes and cluster.worker_notes"}
_sends, _picks, _counts = (rule(kind, form, **_OWN) for kind, form in FORMS.items())


@compiled
def remaining_work(cluster, worker):
    """The work that a worker has, by estimates (s): the rest of its task, and the tasks placed there.

    For a reader's function: `cluster` is the `eagle.Cluster` that it sees, `worker` a number.

    >>> def least_of_two(cluster, job, probe, rng):
    ...     a, b = int(rng.random() * len(cluster.busy)), int(rng.random() * len(cluster.busy))
    ...     return a if remaining_work(cluster, a) <= remaining_work(cluster, b) else b
    >>> System("least of two", short_jobs=least_of_two).uses_estimates()
    True
    """
    job = cluster.job[worker]
    left = cluster.work[worker]
    if job >= 0:
        estimate = cluster.estimate[job]
        left += estimate * (1 - cluster.placed[worker]) - min(
            cluster.now - cluster.since[worker], estimate
        )
    return left


class Part(NamedTuple):
    """A way in which tasks come to workers, or an order in which a worker serves its queue.

    The fields say what the part needs: only `engine.bring` and `reorder.choose` ask which part it is.
    """

    branch: int
    written: int = -1  # another branch as written (-1: the same)
    places: bool = False  # whole tasks are placed; otherwise probes are sent
    stale: bool = False  # by the news of the last heartbeat
    # it needs the bits of a centre: long jobs placed by "lwl", and a short partition
    shares: bool = False
    # workers with a long task reject probes; as written they do when these arrive
    rejects: bool = False
    # whose bypass counters grow: short ones' when short ones overtake, or everybody's
    charges: int = NOBODY
    news: bool = False  # it goes by what workers know of started tasks
    bunches: bool = False  # of entries that are equal it takes the first
    uses_estimates: bool = False  # it goes by estimates
    function: Callable | None = None  # a reader's function, compiled

    def at(self, published: bool) -> int:
        """The branch as published or as written."""
        return self.branch if published or self.written < 0 else self.written


WAYS = {
    "probes": Part(branch=ANYWHERE),
    "sss": Part(branch=THREE_ROUNDS, written=ANYWHERE, shares=True, rejects=True),
    "old-sss": Part(branch=OLD_VECTOR, shares=True),
    "clear": Part(branch=CLEAR, shares=True),
    "lwl": Part(branch=LEAST_WORK, places=True, uses_estimates=True),
    "stale-lwl": Part(branch=OLD_NEWS, places=True, stale=True, uses_estimates=True),
}
ORDERS = {
    "fifo": Part(branch=FIRST_COME),
    "srpt": Part(
        branch=SHORTEST_JOB,
        written=SHORTEST_JOB_AS_WRITTEN,
        charges=SHORT,
        news=True,
        bunches=True,
        uses_estimates=True,
    ),
    "srpt-tasks": Part(branch=SHORTEST_TASK, charges=EVERYBODY, bunches=True, uses_estimates=True),
}


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


ARGUMENTS = {
    "short_jobs": (WAYS, READERS_WAY, _sends),
    "long_jobs": (
        {name: WAYS[name] for name in ("lwl", "probes", "stale-lwl")},
        READERS_WAY,
        _sends,
    ),
    "queue": (ORDERS, READERS_ORDER, _picks),
}
"""For each argument of a `System`: its shipped parts, and a reader's function's branch and compiler."""


# What the engine is handed where probes go, are counted, or a queue is served, as shipped parts say.
@_sends
def nowhere(cluster: Any, job: int, probe: int, rng: Any) -> int:
    """No worker is asked for."""
    return 0


@_picks
def first(cluster: Any, worker: int, line: Any, rng: Any) -> int:
    """No place is asked for."""
    return 0


@_counts
def none(cluster: Any, job: int, rng: Any) -> int:
    """No number is asked for."""
    return 0


def _compiled(argument, compiler, function):
    if columns.reads(function):
        return inspect.unwrap(getattr(function, "py_func", function))
    try:
        return compiler(function)
    except ValueError as error:
        raise ValueError(f"{argument}: {error}") from error


@functools.lru_cache(64)
def with_columns(signature: Any, function: Callable, names: tuple[str, ...]) -> Callable:
    """A function that reads `cluster.jobs`, compiled for jobs of these columns; the engine calls it like any other.

    Raises ValueError as `rule` does."""
    record, kinds, rows = columns.record(names)
    cluster = types.NamedTuple([*KINDS.values()][:-1] + [kinds], Cluster)
    kind = signature.return_type(cluster, *signature.args[1:])
    inner = rule(kind, FORMS[signature], **_OWN)(function)

    def of_four(cluster, a, b, rng):
        jobs = record(*rows(cluster.jobs))
        return inner(Cluster(*(cluster[:-1] + (jobs,))), a, b, rng)

    def of_three(cluster, a, rng):
        jobs = record(*rows(cluster.jobs))
        return inner(Cluster(*(cluster[:-1] + (jobs,))), a, rng)

    outer = of_four if len(signature.args) == 4 else of_three
    return numba.njit(signature, nogil=True)(outer)


def _uses_estimates(function, signature):
    """Whether it does not compile without sizes to see; if it is plain Python, whether it names them."""
    if not hasattr(function, "py_func"):
        return not {*SIZES, "remaining_work"}.isdisjoint(function.__code__.co_names)
    try:
        rule(BLIND[signature])(function.py_func)
    except ValueError:
        return True
    return False


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
    | | a function | `send(cluster, job, probe, rng)` gives each probe's worker, see `eagle.Cluster` |
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
    | `updates` | `True` | workers learn of every task that is started |
    | | `"halved"` | when half of those that they know of are: two are never more than a factor of 2 apart |
    | | `False` | never: "srpt" ranks by the job's first size |

    Raises ValueError on a function that does not compile, an unknown part, a negative `min_probes` or `cap`,
    and on "sss" without a centre that places long jobs.

    See also: `eagle.Cluster`, `eagle.remaining_work`, `boards.eagle`.

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
    updates: bool | str = True

    def __post_init__(self):
        for argument in ARGUMENTS:
            if (made := self.part(argument)).function:
                own = Place(made.function) if made.places else made.function
                object.__setattr__(self, argument, own)
        if self.probes is not None:
            object.__setattr__(self, "probes", _compiled("probes", _counts, self.probes))
        if self.part("short_jobs").shares and not (
            self.long_jobs == "lwl" or isinstance(self.long_jobs, Place)
        ):
            raise ValueError(
                f"short_jobs: {self.short_jobs!r} needs a centre's bits; give long_jobs='lwl'"
            )
        if self.thieves not in (None, "any", "general"):
            raise unknown("thieves", self.thieves, ("any", "general"), "or None")
        if self.updates not in (True, False, "halved"):
            raise unknown("updates", self.updates, ("halved",), "or True or False")
        for name, least in (("min_probes", self.min_probes), ("cap", self.cap)):
            if not least >= 0:
                raise ValueError(f"{name}: {least!r}, must not be negative")

    def part(self, argument: str) -> Part:
        """What was given as `"short_jobs"`, `"long_jobs"` or `"queue"`; a reader's function is compiled."""
        given = getattr(self, argument)
        (shipped, branch, compiler) = ARGUMENTS[argument]
        if isinstance(given, Place) and argument != "queue":
            function = _compiled(argument, compiler, given.function)
            return Part(branch=READERS_PLACES, places=True, function=function)
        if callable(given):
            return Part(branch=branch, function=_compiled(argument, compiler, given))
        if not isinstance(given, str) or given not in shipped:
            raise unknown(argument, given, shipped)
        return shipped[given]

    def uses_estimates(self) -> bool:
        """Whether it goes by the jobs' sizes, that is by estimates. All know which jobs are long.

        >>> [name for name, system in SYSTEMS.items() if not system.uses_estimates()]
        ['sparrow']
        """
        parts = [self.part(argument) for argument in ARGUMENTS]
        if any(part.uses_estimates for part in parts):
            return True
        functions = [part.function for part in parts] + [self.probes]
        signatures = (SEND, SEND, PICK, COUNT)
        return any(
            _uses_estimates(function, signature)
            for function, signature in zip(functions, signatures, strict=True)
            if function
        )


System.__init__ = typed(System.__init__)  # type: ignore[method-assign]


@typed
def Eagle(
    *,
    sss: bool = True,
    sbp: bool = True,
    srpt: bool = True,
    min_probes: int = 20,
    updates: bool | str = True,
) -> System:
    """Eagle (Sections 3 and 4), or what is left of it without one of its parts (Section 6.3).

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
        updates=updates,
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


@typed
def DLWL(*, srpt: bool = True) -> System:
    """Distributed least work left (Section 6.2): each scheduler knows the queues of the last heartbeat.

    >>> DLWL().queue, DLWL(srpt=False).queue
    ('srpt-tasks', 'fifo')
    """
    name, queue = ("dlwl", "srpt-tasks") if srpt else ("dlwl without srpt", "fifo")
    return System(name, short_jobs="stale-lwl", long_jobs="stale-lwl", queue=queue)


@typed
def Omniscient(*, srpt: bool = False) -> System:
    """The omniscient scheduler (Section 6.4): least work left, known now, for all; short jobs anywhere.

    >>> Omniscient().short_jobs
    'lwl'
    """
    name, queue = ("omniscient with srpt", "srpt-tasks") if srpt else ("omniscient", "fifo")
    return System(name, short_jobs="lwl", queue=queue)


def IdealEagle() -> System:
    """Eagle whose schedulers always know where long tasks are; without SRPT, as in the authors' simulator.

    >>> IdealEagle().short_jobs, IdealEagle().sticky
    ('clear', True)
    """
    return System("ideal-eagle", short_jobs="clear", sticky=True, min_probes=20)


SHIPPED = (Eagle(), Hawk(), Sparrow(), DLWL(), Omniscient(), IdealEagle())
SYSTEMS = {system.name: system for system in SHIPPED}
"""The six systems by name."""


def system_of(system: str | System, min_probes: int | None = None) -> System:
    """A system by its name, or the one given, with these `min_probes` unless None; ValueError if unknown."""
    if not isinstance(system, System):
        if not (isinstance(system, str) and system in SYSTEMS):
            raise unknown("system", system, SYSTEMS, "or give an eagle.System")
        system = SYSTEMS[system]
    return system if min_probes is None else replace(system, min_probes=min_probes)
