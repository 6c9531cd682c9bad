"""The paper's noun: a system, built from parts; and the six that the paper compares."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real

from schedlib.core.checks import unknown
from schedlib.eagle import parts


@dataclass(frozen=True)
class System:
    """A scheduler of short and long jobs, built from parts.

    | part | value | what it does |
    |---|---|---|
    | `short_jobs` | `"probes"` | `probe_ratio` (2) probes a task, to any workers (batch sampling, Sparrow) |
    | | `"sss"` | the same, but never behind a long task: Succinct State Sharing (Section 3.3) |
    | | `"clear"` | to workers that have no long task at this moment, known without delay (ideal) |
    | | `"lwl"`, `"stale-lwl"` | tasks placed by least work left, known now or as of the last heartbeat |
    | | a function | `send(cluster, job, probe, rng)` gives each probe's worker, see `eagle.Cluster` |
    | `long_jobs` | `"lwl"`, `"stale-lwl"` | placed in the general partition by least work left |
    | | `"probes"` | as short jobs' probes, to any worker |
    | `queue` | `"fifo"` | first come, first served |
    | | `"srpt"` | the probe of the job with least remaining time that may bypass the others (Algorithm 1) |
    | | `"srpt-tasks"` | the same for placed tasks, long ones included (Yaq's reordering) |
    | | a function | `pick(cluster, line)` gives the place in the line of jobs |
    | `sticky` | | a probe stays until its job has no task left: Sticky Batch Probing (Section 4) |
    | `steal` | | idle workers steal short probes from behind long tasks (Hawk) |
    | `thieves` | `"any"`, `"general"` | the idle workers that steal (None: as `simulate`'s `detail` says) |
    | `min_probes` | | at least so many probes a job, the paper's K |
    | `cap` | | a task may be bypassed by tasks of `cap` times its own estimate in all (Section 5: 5) |
    | `updates` | | whether workers learn that tasks were started; else "srpt" ranks by the job's first size |

    Raises ValueError on a function that does not compile, an unknown part, a negative `min_probes` or `cap`,
    and on "sss" without a centre that places long jobs.

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
        for argument in parts.ARGUMENTS:
            if (made := self.part(argument)).function:
                object.__setattr__(self, argument, made.function)
        if self.part("short_jobs").shares and self.long_jobs != "lwl":
            raise ValueError(f"short_jobs: {self.short_jobs!r} needs a centre's bits; give long_jobs='lwl'")
        if self.thieves not in (None, "any", "general"):
            raise unknown("thieves", self.thieves, ("any", "general"), "or None")
        least = self.min_probes
        if not (isinstance(least, Real) and 0 <= least < math.inf and least == int(least)):
            raise ValueError(f"min_probes: {least!r}, must be a whole number, at least 0")
        if not (isinstance(self.cap, Real) and self.cap >= 0):
            raise ValueError(f"cap: {self.cap!r}, must be a number, not negative")

    def part(self, argument: str) -> parts.Part:
        """The part given as `"short_jobs"`, `"long_jobs"` or `"queue"`."""
        return parts.part(argument, getattr(self, argument))


def Eagle(*, sss: bool = True, sbp: bool = True, srpt: bool = True, min_probes: int = 20,
          updates: bool = True) -> System:
    """Eagle (Sections 3 and 4), or what is left of it without one of its parts (Section 6.3).

    >>> Eagle(sbp=False, srpt=False).name
    'eagle without sbp+srpt'
    """
    switches = {"sss": sss, "sbp": sbp, "srpt": srpt, "minimum probes": min_probes > 0}
    off = "+".join(name for name, on in switches.items() if not on)
    return System(name=f"eagle without {off}" if off else "eagle", short_jobs="sss" if sss else "probes",
                  queue="srpt" if srpt else "fifo", sticky=sbp, min_probes=min_probes, updates=updates)


def Hawk(*, steal: bool = True, thieves: str | None = None) -> System:
    """Hawk (Delgado et al., ATC 2015): batch sampling of short jobs, a centre for long, work stealing."""
    return System("hawk" if steal else "hawk without stealing", steal=steal, thieves=thieves)


def Sparrow() -> System:
    """Sparrow (Ousterhout et al., SOSP 2013): batch sampling with late binding, for all jobs and workers."""
    return System("sparrow", long_jobs="probes")


def DLWL(*, srpt: bool = True) -> System:
    """Distributed least work left (Section 6.2): each scheduler knows the queues of the last heartbeat."""
    name, queue = ("dlwl", "srpt-tasks") if srpt else ("dlwl without srpt", "fifo")
    return System(name, short_jobs="stale-lwl", long_jobs="stale-lwl", queue=queue)


def Omniscient(*, srpt: bool = False) -> System:
    """The omniscient scheduler (Section 6.4): least work left, known now, for all; short jobs anywhere."""
    name, queue = ("omniscient with srpt", "srpt-tasks") if srpt else ("omniscient", "fifo")
    return System(name, short_jobs="lwl", queue=queue)


def IdealEagle() -> System:
    """Eagle whose schedulers always know where long tasks are; without SRPT, as in the authors' simulator."""
    return System("ideal-eagle", short_jobs="clear", sticky=True, min_probes=20)


SYSTEMS = {made.name: made for made in (Eagle(), Hawk(), Sparrow(), DLWL(), Omniscient(), IdealEagle())}


def system_of(system: str | System, min_probes: int | None = None) -> System:
    """A system by its name, or the one given, with these `min_probes` unless None; ValueError if unknown."""
    if not isinstance(system, System):
        if not (isinstance(system, str) and system in SYSTEMS):
            raise unknown("system", system, SYSTEMS, "or give an eagle.System")
        system = SYSTEMS[system]
    return system if min_probes is None else replace(system, min_probes=min_probes)
