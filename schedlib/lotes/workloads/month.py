"""A synthetic month of Google's cluster, after what the paper says of it (Section 5.3, Figs. 6-7, Table 2),
and its jobs per hour: a log-normal autoregression with cycles, fitted to Google's job table (Fig. 6).

Google's task table may not be shipped. Known are Table 2's classes, that the mix drifts, and the job table:
672,074 jobs, of which 3,986 at time 0, the others over 29 days, 960 an hour on average and up to 3,152.
Everything else here is assumed, and said.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from schedlib.core import streams
from schedlib.core.checks import unknown
from schedlib.core.portable import dot, exp, least_squares
from schedlib.lotes.model import JobClasses, MachineConfigs
from schedlib.lotes.planning.allocate import allocate
from schedlib.lotes.workloads.instances import SIZES, truncated
from schedlib.workload import Workload

JOBS, BATCH, HOURS = 672_074, 3_986, 29 * 24
PERIODS = (168.0, 24.0, 4.0)
"""Hours: a week, a day, and every four hours, a line of the spectrum of Google's arrivals that stands out."""


def wander(rng: np.random.Generator, steps: tuple[int, ...], spread: float, memory: float) -> np.ndarray:
    """A stationary AR(1) path (steps, ...) of deviation `spread`; correlations 1/e after `memory` steps."""
    keep, path = np.exp(-1 / memory), rng.standard_normal(steps)
    for i in range(1, len(path)):
        path[i] = keep * path[i - 1] + np.sqrt(1 - keep**2) * path[i]
    return spread * path


@dataclass(frozen=True)
class ArrivalModel:
    """Hourly arrivals whose intensity is exp(level + cycles + AR(1)), uniform within the hour.

    - `typical`: jobs in an hour without cycle and noise (exp of the level)
    - `spread`: the AR(1)'s standard deviation, of the logarithm; `memory`: hours until correlations are 1/e
    - `cycles`: for each its period (h), the amplitude of the logarithm, and the hour of its peak

    Raises ValueError on numbers that make no model.

    >>> model = ArrivalModel(900.0, 0.25, 2.0, cycles=((24.0, 0.1, 15.0),))
    >>> model.draw(48, 30_000, np.random.default_rng(0)).sum().item()
    30000
    """

    typical: float
    spread: float
    memory: float
    cycles: tuple[tuple[float, float, float], ...] = ()

    def __post_init__(self):
        for name in ("typical", "spread", "memory"):
            value = getattr(self, name)
            if not (np.isfinite(value) and (value > 0 or (name == "spread" and value == 0))):
                raise ValueError(f"{name}: {value}; typical and memory must be positive, spread not negative")
        if any(len(cycle) != 3 or not cycle[0] > 0 for cycle in self.cycles):
            raise ValueError(f"cycles: {self.cycles}; each needs a positive period, an amplitude and the "
                             "hour of its peak")

    def expected(self, hours: npt.ArrayLike) -> np.ndarray:
        """The expected number of jobs in each of these hours, (H,) like `hours`."""
        hours = np.asarray(hours, float)
        swing = sum((amplitude * np.cos(2 * np.pi * (hours - peak) / period)
                     for period, amplitude, peak in self.cycles), 0 * hours)
        return self.typical * np.exp(swing + self.spread**2 / 2)

    def draw(self, hours: int, jobs: int | None, rng: np.random.Generator) -> np.ndarray:
        """Jobs in each hour, (hours,) integers: `jobs` in all, or as many as come when that is None."""
        intensity = self.expected(np.arange(hours)) * np.exp(
            wander(rng, (hours,), self.spread, self.memory) - self.spread**2 / 2)
        return rng.poisson(intensity) if jobs is None else rng.multinomial(jobs, intensity / intensity.sum())


def fit_arrivals(counts: npt.ArrayLike, *, first: int = 0,
                 periods: Sequence[float] = PERIODS) -> ArrivalModel:
    """Fit the model to `counts (H,)`, the jobs of H consecutive whole hours from hour number `first` on.

    Maximum likelihood of log counts as a Gaussian AR(1) around a level and waves of the `periods` (h): given
    what one hour keeps of the last one's deviation, the rest is least squares on whitened logarithms; that
    one number is searched. The counts' own Poisson noise counts as the AR(1)'s, which is right for hundreds
    of jobs an hour. Raises ValueError when an hour has no jobs or there are too few hours.

    >>> again = fit_arrivals(GOOGLE_ARRIVALS.draw(20_000, None, np.random.default_rng(0)))
    >>> round(again.spread, 2), round(GOOGLE_ARRIVALS.spread, 2)
    (0.26, 0.26)
    """
    from scipy.optimize import minimize_scalar  # slow to load

    counts = np.asarray(counts, float)
    if counts.ndim != 1 or len(counts) < 2 * len(periods) + 4:
        raise ValueError(f"counts: shape {counts.shape}, periods {periods}; needs one row of at least "
                         f"{2 * len(periods) + 4} hours")
    for hour in np.flatnonzero(~(counts > 0)):
        raise ValueError(f"counts: hour {hour} has {counts[hour]:g} jobs; leave out hours without jobs at "
                         "the ends, or count longer spans")
    log, hours = np.log(counts), first + np.arange(len(counts))
    waves = [wave(2 * np.pi * hours / period) for period in periods for wave in (np.cos, np.sin)]
    design = np.column_stack([np.ones(len(log)), *waves])

    def white(values, keep):
        return np.concatenate((np.sqrt(1 - keep**2) * values[:1], values[1:] - keep * values[:-1]))

    def around(keep):
        """Coefficients, and the variance of what each hour adds, when it keeps that share."""
        x, y = white(design, keep), white(log, keep)
        best = least_squares(x, y)
        return best, float(np.mean((y - dot(x, best)) ** 2))

    def loss(keep):
        return len(log) / 2 * np.log(around(keep)[1]) - np.log(1 - keep**2) / 2

    keep = float(minimize_scalar(loss, bounds=(1e-6, 1 - 1e-6), method="bounded", options={"xatol": 1e-9}).x)
    best, variance = around(keep)
    cycles = tuple((float(period), float(np.hypot(*wave)),
                    float(np.arctan2(*wave[::-1]) / (2 * np.pi) * period % period))
                   for period, wave in zip(periods, best[1:].reshape(-1, 2), strict=True))
    return ArrivalModel(float(np.exp(best[0])), float(np.sqrt(variance / (1 - keep**2))),
                        float(-1 / np.log(keep)), cycles)


GOOGLE_ARRIVALS = ArrivalModel(typical=918.7, spread=0.2595, memory=1.922,
                               cycles=((168.0, 0.1723, 78.04), (24.0, 0.0685, 22.83), (4.0, 0.0775, 1.079)))
"""The fit to the 695 whole hours of Google's table, clusterdata-2011-2, without the 3,986 jobs at time 0.

It has the mean (960 an hour), the spread of the logarithms (0.30) and their correlations from hour to hour
and week to week. It lacks the one great burst, in hours 414 to 431, whose peak of 3,152 jobs is above those
of 99 in 100 months of the model (median 2,250).
"""


def google_month(configs: MachineConfigs, classes: JobClasses, *, jobs: int = JOBS, batch: int = BATCH,
                 hours: int = HOURS, load: float = 0.8,
                 arrivals: ArrivalModel | npt.ArrayLike = GOOGLE_ARRIVALS, sizes: str = "common",
                 drift: float = 0.8, tail: float = 1.5, seed: int = 0) -> tuple[JobClasses, Workload]:
    """The classes with the rates that the month's jobs really have, and a month of jobs, in hours.

    - Arrivals: `arrivals` is an `ArrivalModel`, of which `jobs - batch` jobs over the hours are drawn (the
      default is fitted to the trace), or the jobs in each hour `(hours,)`. They are uniform within the hour;
      `batch` more jobs come at time 0.
    - Mix: log-odds of the classes wander with deviation `drift` and two days' memory around Table 2's shares.
    - Durations: log-normal with deviation `tail` of the logarithm, in the classes' printed proportions. The
      printed means (0.035 h) would load Table 1's machines to a hundredth, so all are stretched until the
      arrivals after the batch use `load` of the fluid limit lambda*.
    - Demands: Table 2's means under a law of `sizes` as in `RandomWorkload`, with cv 0.5, not matched.

    Raises ValueError on counts that make no month and on an unknown law of sizes.

    >>> from schedlib.lotes import google2011
    >>> stretched, month = google_month(*google2011(), jobs=2_000, batch=100, hours=48)
    >>> len(month), month.resources, bool((month.jobs["submit"] == 0).sum() >= 100)
    (2000, ('cores', 'memory'), True)
    """
    if sizes not in SIZES:
        raise unknown("sizes", sizes, SIZES)
    if not isinstance(arrivals, ArrivalModel):
        arrivals = np.asarray(arrivals, np.int64)
        hours, jobs = len(arrivals), batch + int(arrivals.sum())
    if not (hours >= 1 and jobs > batch >= 0 and load > 0):
        raise ValueError(f"jobs, batch, hours, load: {jobs}, {batch}, {hours}, {load:g}; needs jobs > batch "
                         ">= 0, hours, load > 0")
    if configs.n_resources != 2 or classes.n_resources != 2:
        raise ValueError("configs, classes: the month has cores and memory; give machines and classes of two "
                         "resources")
    names = ("month arrivals", "month mix", "month durations", "month demands")
    when, mix, durations, demands = streams(seed, *names)
    if isinstance(arrivals, ArrivalModel):
        arrivals = arrivals.draw(hours, jobs - batch, when)
    hour = np.concatenate((np.zeros(batch, np.int64), np.repeat(np.arange(hours), arrivals)))
    submit = hour + when.random(jobs)
    submit[:batch] = 0.0
    submit.sort()
    odds = np.log(np.maximum(classes.share, 1e-300)) + wander(mix, (hours, classes.n_classes), drift, 48.0)
    shares = exp(odds - odds.max(axis=1, keepdims=True))
    edges = np.cumsum(shares / shares.sum(axis=1, keepdims=True), axis=1)
    job_class = (mix.random(jobs)[:, None] > edges[hour][:, :-1]).sum(axis=1)
    rate = classes.rate / (load * allocate(configs, classes).rate * hours / (jobs - batch))
    mean = np.array([1 / row[row > 0].mean() for row in rate.T])
    duration = mean[job_class] * exp(tail * durations.standard_normal(jobs) - tail**2 / 2)
    demand = classes.demand[job_class]
    if sizes == "common":
        demand = demand * truncated(demands, np.ones(jobs), 0.5, 1 / demand.max(axis=1))[:, None]
    elif sizes == "independent":
        demand = truncated(demands, demand, 0.5, 1.0)
    made = Workload.from_arrays(submit, duration, job_class=job_class, time_unit="h", cores=demand[:, 0],
                                memory=demand[:, 1])
    return JobClasses(classes.share, classes.demand, rate), made
