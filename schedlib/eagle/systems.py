"""The paper's noun: a system, built from parts."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real

from schedlib.eagle import own

SENDS = ("probes", "sss", "clear", "lwl", "stale-lwl")
CENTRES = ("lwl", "probes", "stale-lwl")
QUEUES = ("fifo", "srpt", "srpt-tasks")
THIEVES = (None, "any", "general")
DETAILS = ("as_published", "as_written")


def _known(argument, value, names):
    if value not in names:
        raise ValueError(f"{argument}: {value!r}; known: {', '.join(map(repr, names))}")


@dataclass(frozen=True)
class System:
    """A scheduler of short and long jobs, built from parts.

    | part | value | what it does |
    |---|---|---|
    | `short_jobs` | `"probes"` | `probe_ratio` (2) probes a task, to any workers (batch sampling, Sparrow) |
    | | `"sss"` | the same, but never behind a long task: Succinct State Sharing (Section 3.3) |
    | | `"clear"` | to workers that have no long task at this moment, known without delay (ideal) |
    | | `"lwl"`, `"stale-lwl"` | tasks placed by least work left, known now or as of the last heartbeat |
    | | a function | `send(cluster, job, probe, rng)` gives each probe's worker, see `eagle.own.Cluster` |
    | `long_jobs` | `"lwl"`, `"stale-lwl"` | placed in the general partition by least work left |
    | | `"probes"` | as short jobs' probes, to any worker |
    | `queue` | `"fifo"` | first come, first served |
    | | `"srpt"` | the probe of the job with least remaining time that may bypass those in front (Algorithm 1) |
    | | `"srpt-tasks"` | the same for placed tasks, long ones included (Yaq's reordering) |
    | | a function | `pick(cluster, line)` gives the place in the line of jobs |
    | `sticky` | | a probe stays until its job has no task left: Sticky Batch Probing (Section 4) |
    | `steal` | | idle workers steal short probes from behind long tasks (Hawk) |
    | `thieves` | `"any"`, `"general"` | which idle workers steal: all, or those of the general partition; None: by detail |
    | `min_probes` | | at least so many probes a job, the paper's K |
    | `cap` | | anti-starvation: a task may be bypassed by tasks of `cap` times its own estimate in all (Section 5: 5) |
    | `updates` | | whether workers learn that tasks were started; else "srpt" ranks by the job's size at submission |

    A function is compiled. Raises ValueError on one that does not compile, an unknown part, a negative `min_probes` or `cap`, and on
    "sss" without a centre that places long jobs.

    >>> System("mine", short_jobs="probes", long_jobs="lwl", queue="srpt", sticky=True).min_probes
    0
    """

    name: str
    short_jobs: str | Callable = "probes"
    long_jobs: str = "lwl"
    queue: str | Callable = "fifo"
    sticky: bool = False
    steal: bool = False
    thieves: str | None = None
    min_probes: int = 0
    cap: float = 5.0
    updates: bool = True

    def __post_init__(self):
        for argument, names, signature in (("short_jobs", SENDS, own.SEND), ("queue", QUEUES, own.PICK)):
            if callable(getattr(self, argument)):
                object.__setattr__(self, argument, own.part(getattr(self, argument), signature))
            else:
                _known(argument, getattr(self, argument), names)
        _known("long_jobs", self.long_jobs, CENTRES)
        _known("thieves", self.thieves, THIEVES)
        if not (isinstance(self.min_probes, Real) and 0 <= self.min_probes < math.inf and self.min_probes == int(self.min_probes)):
            raise ValueError(f"min_probes: {self.min_probes!r}, must be a whole number, at least 0")
        if not (isinstance(self.cap, Real) and self.cap >= 0):
            raise ValueError(f"cap: {self.cap!r}, must be a number, not negative")
        if self.short_jobs in ("sss", "clear") and self.long_jobs != "lwl":
            raise ValueError(f"short_jobs: {self.short_jobs!r} needs long_jobs='lwl', the centre whose bits it uses")


def Eagle(*, sss=True, sbp=True, srpt=True, min_probes=20, updates=True) -> System:
    """Eagle (Sections 3 and 4), or what is left of it without one of its parts (Section 6.3).

    >>> Eagle(sbp=False, srpt=False).name
    'eagle without sbp+srpt'
    """
    off = [name for name, on in (("sss", sss), ("sbp", sbp), ("srpt", srpt), ("minimum probes", min_probes > 0)) if not on]
    name = "eagle without " + "+".join(off) if off else "eagle"
    queue = "srpt" if srpt else "fifo"
    return System(name, "sss" if sss else "probes", "lwl", queue, sticky=sbp, min_probes=min_probes, updates=updates)


def Hawk(*, steal=True, thieves=None) -> System:
    """Hawk (Delgado et al., ATC 2015): batch sampling for short jobs, a centre for long ones, randomised work stealing."""
    return System("hawk" if steal else "hawk without stealing", "probes", "lwl", "fifo", steal=steal, thieves=thieves)


def Sparrow() -> System:
    """Sparrow (Ousterhout et al., SOSP 2013): batch sampling with late binding, for every job and over all workers."""
    return System("sparrow", "probes", "probes", "fifo")


def DLWL(*, srpt=True) -> System:
    """Distributed least work left, the distributed Yaq (Section 6.2): every scheduler knows the queues of the last heartbeat."""
    return System("dlwl" if srpt else "dlwl without srpt", "stale-lwl", "stale-lwl", "srpt-tasks" if srpt else "fifo")


def Omniscient(*, srpt=False) -> System:
    """The omniscient scheduler of Section 6.4: least work left, known now, for every task; short jobs anywhere."""
    return System("omniscient with srpt" if srpt else "omniscient", "lwl", "lwl", "srpt-tasks" if srpt else "fifo")


def IdealEagle() -> System:
    """Eagle without SRPT whose schedulers know at every moment where long tasks are (READINGS 40): no bound on Eagle itself."""
    return System("ideal-eagle", "clear", "lwl", "fifo", sticky=True, min_probes=20)


SYSTEMS = {
    "eagle": Eagle(),
    "hawk": Hawk(),
    "sparrow": Sparrow(),
    "dlwl": DLWL(),
    "omniscient": Omniscient(),
    "ideal-eagle": IdealEagle(),
}


def system_of(system, min_probes=None) -> System:
    """A system by its name, or the one given, with its `min_probes` replaced unless None; ValueError when it is unknown."""
    if isinstance(system, str):
        _known("system", system, tuple(SYSTEMS))
        system = SYSTEMS[system]
    if not isinstance(system, System):
        raise ValueError(f"system: {system!r}; give a name ({', '.join(SYSTEMS)}) or an eagle.System")
    return system if min_probes is None else replace(system, min_probes=min_probes)
