"""The paper's problems: Google's cluster as Tables 1 and 2 print it, and random instances (Section 5.4),
whose jobs are drawn block by block, so that a long run fits in memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from schedlib.core import streams
from schedlib.core.checks import amounts, numbers, positive, require_fields, typed, unknown
from schedlib.lotes.dispatching.state import BLOCK, Arrivals
from schedlib.lotes.model import JobClasses, MachineConfigs, Plan
from schedlib.lotes.planning.plan import plan

MACHINES = (6732, 3863, 1001, 795, 126, 52, 5, 5, 3, 1)
CORES = (0.50, 0.50, 0.50, 1.00, 0.25, 0.50, 0.50, 0.50, 1.00, 1.00)
MEMORY = (0.50, 0.25, 0.75, 1.00, 0.25, 0.12, 0.03, 0.97, 0.50, 0.06)
# abs(K^j) as printed: one optimum of stage 1 among very many
SUPPORTS = (4, 2, 1, 2, 2, 1, 1, 2, 2, 1)
HOURS = (0.03, 0.04, 0.04, 0.03)
PROPORTIONS = (0.23, 0.46, 0.30, 0.01)
CLASS_CORES = (0.02, 0.02, 0.07, 0.20)
CLASS_MEMORY = (0.01, 0.03, 0.03, 0.06)
SIZES = ("independent", "common", "fixed")
K = 9  # classes of a random instance
CV = 0.5  # deviation of a size over its mean
MOST_MACHINES = 1_000_000  # of each kind: the linear programs of stage 1 have their number in them


def google2011() -> tuple[MachineConfigs, JobClasses]:
    """The 10 machine configurations of Table 1 and the 4 job classes of Table 2.

    Cores and memory are fractions of the largest machine's; rates are one over the printed mean hours (of two
    digits), the same on every configuration, as the paper assumes (Section 5.3).

    >>> configs, classes = google2011()
    >>> configs.n_machines, configs.capacity[3].tolist(), classes.share.tolist()
    (12583, [1.0, 1.0], [0.23, 0.46, 0.3, 0.01])
    """
    configs = MachineConfigs(np.c_[CORES, MEMORY], MACHINES)  # type: ignore[arg-type]
    rate = np.tile(1 / np.array(HOURS), (len(MACHINES), 1))
    return configs, JobClasses(PROPORTIONS, np.c_[CLASS_CORES, CLASS_MEMORY], rate)  # type: ignore[arg-type]


@typed
def fewer_machines(configs: MachineConfigs, shrink: float) -> MachineConfigs:
    """The numbers of machines over `shrink`, rounded, at least one of each configuration.

    >>> fewer_machines(MachineConfigs([[1.0], [0.5]], [900, 4]), 10).count.tolist()
    [90, 1]
    """
    positive("shrink", shrink)
    return replace(configs, count=np.maximum(np.round(configs.count / shrink), 1).astype(int))


def truncated(
    rng: np.random.Generator, mean: npt.ArrayLike, cv: float, high: npt.ArrayLike
) -> np.ndarray:
    """Gaussians of these means and deviations cv * mean, each drawn again until it lies in [0, high]."""
    mean, high = np.broadcast_arrays(np.asarray(mean, float), np.asarray(high, float))
    drawn = (rng.standard_normal(mean.shape) * cv + 1) * mean
    outside = np.flatnonzero((drawn < 0) | (drawn > high))
    while len(outside):
        again = mean.flat[outside] * (1 + cv * rng.standard_normal(len(outside)))
        drawn.flat[outside] = again
        outside = outside[(again < 0) | (again > high.flat[outside])]
    return drawn


@cache
def parent_mean(mean: float, cv: float, high: float) -> float:
    """The mean of the Gaussian that, truncated to [0, high], has that `mean`; ValueError if none can.

    >>> round(parent_mean(0.025, 0.5, 1.0), 6)
    0.024328
    """
    from scipy.optimize import brentq  # slow to load
    from scipy.stats import truncnorm

    def excess(m):
        return truncnorm.mean(-1 / cv, (high - m) / (cv * m), loc=m, scale=cv * m) - mean

    if not excess(mean / 2) < 0 < excess(mean):
        raise ValueError(
            f"mean: {mean:g} is too near the largest size {high:g} for a Gaussian truncated "
            "there; match no means"
        )
    return float(brentq(excess, mean / 2, mean, xtol=1e-15))


@dataclass(frozen=True, eq=False)
class RandomWorkload:
    """Poisson arrivals of jobs with random classes, work and sizes (Section 5.4).

    - `classes`: shares, mean demands r_kl, and rates mu_jk: a job of work w runs w / mu_jk on configuration j
    - `rate`: jobs per unit of time; `hours`: when arrivals stop, in the same unit (`time_unit`); `limit`: the
      rate that stage 2 sustains, if any
    - `sizes`: `"independent"`, each resource a truncated Gaussian of its own (the text's words); `"common"`,
      one truncated Gaussian factor per job for all its resources; `"fixed"`, every job needs its class's r_kl
    - `matched`: whether sizes have the mean r_kl after truncation, or (the text's words) before it, which
      makes jobs 2.8 % larger than planned; `largest`: where sizes are truncated
    - `burst`: a rate, and for how long jobs come at it before they come at `rate`

    Work is exponential with mean one. Seeded streams, one for each purpose, give every policy the same jobs.
    Raises ValueError on a rate or time that is not positive, and on an unknown law of sizes.

    See also: `lotes.simulate`, `lotes.random_instance`.

    >>> classes = JobClasses([1.0], [[0.1, 0.2]], [[2.0]])
    >>> first = next(RandomWorkload(classes, rate=50.0, hours=1.0).blocks())
    >>> first.demand.shape == (len(first.submit), 2)
    True
    """

    classes: JobClasses
    rate: float
    hours: float
    sizes: str = "independent"
    matched: bool = False
    largest: float = 1.0
    seed: int = 0
    limit: float | None = None
    time_unit: str = "h"
    burst: tuple[float, float] = (1.0, 0.0)
    begin: ClassVar[float] = 0.0  # when measuring begins; of a `Workload` at the first submission

    def __post_init__(self):
        require_fields(self)
        for name in ("rate", "hours", "largest"):
            if not 0 < getattr(self, name) < 1e300:
                raise ValueError(f"{name}: {getattr(self, name)}, must be a positive number")
        if self.limit is not None and not self.limit > 0:
            raise ValueError(f"limit: {self.limit}, must be a positive rate, or None")
        if len(self.burst) != 2:
            raise ValueError(f"burst: {self.burst}; needs a rate, and for how long")
        amounts("burst", numbers("burst", self.burst, 1, "a rate, and for how long"))
        if self.sizes not in SIZES:
            raise unknown("sizes", self.sizes, SIZES)
        if (self.classes.demand > self.largest).any():
            raise ValueError(
                f"classes: a mean demand exceeds largest = {self.largest:g}, where sizes are "
                "truncated"
            )
        streams(self.seed)

    def pace(self) -> np.ndarray:
        """Time per unit of work, (M, K): one over the rates, infinite where a class cannot run."""
        with np.errstate(divide="ignore"):
            return 1 / self.classes.rate

    def typical(self) -> np.ndarray:
        """The largest mean demand, (R,)."""
        return self.classes.demand.max(axis=0)

    @cached_property
    def _law(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each class's sizes, (K, R), or factor, (K,): the parent's mean, and where it is truncated."""
        mean = self.classes.demand.copy()
        high = np.full(mean.shape, self.largest)
        if self.sizes == "common":
            high = self.largest / mean.max(axis=1)
            mean = np.ones(len(mean))
        if self.matched and self.sizes != "fixed":
            for place in np.argwhere(mean > 0):
                mean[*place] = parent_mean(mean[*place], CV, high[*place])
        return mean, high

    def demands(self, rng: np.random.Generator, job_class: np.ndarray) -> np.ndarray:
        """The demands of jobs of these classes (n,): (n, R)."""
        mean, high = self._law
        if self.sizes == "fixed":
            return mean[job_class]
        drawn = truncated(rng, mean[job_class], CV, high[job_class])
        if self.sizes == "independent":
            return drawn
        return drawn[:, None] * self.classes.demand[job_class]

    def blocks(self) -> Iterator[Arrivals]:
        """The jobs in order of arrival, some ten thousand at a time."""
        names = ("lotes arrivals", "lotes classes", "lotes work", "lotes sizes")
        arrivals, which, work, sizes = streams(self.seed, *names)
        edges = np.cumsum(self.classes.share)
        edges[np.flatnonzero(self.classes.share)[-1] :] = np.inf
        faster, length = self.burst
        now = drawn = 0.0
        while now < self.hours:
            gaps = np.cumsum(arrivals.standard_exponential(BLOCK))
            submit = now + gaps / self.rate
            if now < length:
                due = drawn + gaps
                over = faster * length
                submit = np.where(due < over, due / faster, length + (due - over) / self.rate)
            now = submit[-1]
            drawn = drawn + gaps[-1]
            job_class = np.searchsorted(edges, which.random(BLOCK), side="right")
            amount = work.standard_exponential(BLOCK)
            demand = self.demands(sizes, job_class)
            if n := np.searchsorted(submit, self.hours):
                yield Arrivals(submit[:n], job_class[:n], amount[:n], demand[:n])


class RandomInstance(NamedTuple):
    """One instance of Section 5.4: machines, job classes, the plan of stages 1 and 2, and jobs.

    See also: `lotes.random_instance`.

    >>> small = random_instance(machines=1, hours=1.0)
    >>> small.configs.n_machines, small.classes.n_classes, small.workload.hours
    (10, 9, 1.0)
    """

    configs: MachineConfigs
    classes: JobClasses
    plan: Plan
    workload: RandomWorkload


@typed
def random_instance(
    phi: float = 0.006,
    *,
    omega: float = 0.0,
    load: float = 0.97,
    machines: int = 1000,
    hours: float = 100.0,
    sizes: str = "independent",
    matched: bool = False,
    seed: int = 0,
    rounded: bool = False,
) -> RandomInstance:
    """A random instance of Section 5.4: `machines` of each of Table 1's configurations, equal class shares.

    Mean sizes are 0.025 + U[-phi, phi] per class and resource; mean processing times u_k = U[0, 1] hours,
    divided on configuration j by U[1 - omega, 1 + omega]. (Misprints: mu = u * omega in Section 5.4.3, where
    5.4.2 has mu = 1/u, and Phi = 0.06, for 0.006.) Arrivals come at `load` times lambda2 of the plan, or
    (`rounded`) what whole machines leave of it. The same seed draws the same uniforms for every phi and
    omega. Raises ValueError on phi outside [0, 0.025), omega outside [0, 1), and as `RandomWorkload` does.

    See also: `lotes.google2011`.

    >>> instance = random_instance(machines=5, hours=1.0)
    >>> instance.configs.n_machines, round(instance.workload.rate / instance.plan.rate, 2)
    (50, 0.97)
    """
    for name, value, most in (("phi", phi, 0.025), ("omega", omega, 1.0)):
        if not 0 <= value < most:
            raise ValueError(f"{name}: {value}, must lie in [0, {most:g})")
    positive("load", load)
    if not 1 <= machines <= MOST_MACHINES:
        raise ValueError(f"machines: {machines}, must be a number from 1 to {MOST_MACHINES:,}")
    capacity = google2011()[0].capacity
    configs = MachineConfigs(capacity, np.full(len(capacity), float(machines)))  # type: ignore[arg-type]
    demands, times, speeds = streams(
        seed, "lotes mean demands", "lotes mean times", "lotes machine speeds"
    )
    demand = 0.025 + phi * demands.uniform(-1, 1, (K, capacity.shape[1]))
    speed = 1 + omega * speeds.uniform(-1, 1, (len(capacity), K))
    classes = JobClasses(np.full(K, 1 / K), demand, speed / (1 - times.random(K)))
    made = plan(configs, classes)
    limit = made.rate_rounded if rounded else made.rate
    jobs = RandomWorkload(classes, load * limit, hours, sizes, matched, seed=seed, limit=limit)
    return RandomInstance(configs=configs, classes=classes, plan=made, workload=jobs)
