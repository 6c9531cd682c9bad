"""The month of Google's cluster on which the paper runs its policies (Section 5.3, Figs. 6-10): when its
jobs come and how long they run, from the real job table or from a model fitted to it.

The table, `job_events` of clusterdata-2011-2, says nothing of what jobs need: these are Table 2's classes,
drawn for each job by itself. Table 1's machines are scaled until the month's jobs take a given share of them.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from schedlib.core import streams
from schedlib.core.checks import amounts, positive, require_fields, typed
from schedlib.core.portable import dot, exp
from schedlib.lotes.model import JobClasses, MachineConfigs
from schedlib.lotes.workloads.instances import RandomWorkload, fewer_machines
from schedlib.workload import Workload

JOBS = 672_074
BATCH = 3_986
HOURS = 29 * 24


def wander(
    rng: np.random.Generator, steps: tuple[int, ...], spread: float, memory: float
) -> np.ndarray:
    """A stationary AR(1) path (steps, ...) of deviation `spread`; correlations 1/e after `memory` steps."""
    keep = np.exp(-1 / memory)
    path = rng.standard_normal(steps)
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
        require_fields(self)
        if not (self.typical > 0 and self.memory > 0 and self.spread >= 0):
            raise ValueError(
                f"typical, memory, spread: {self.typical}, {self.memory}, {self.spread}; the first "
                "two must be positive, the third not negative"
            )
        if any(not period > 0 for period, _, _ in self.cycles):
            raise ValueError(f"cycles: {self.cycles}; each needs a positive period")

    def expected(self, hours: npt.ArrayLike) -> np.ndarray:
        """The expected number of jobs in each of these hours, (H,) like `hours`."""
        hours = np.asarray(hours, float)
        swing = 0 * hours
        for period, amplitude, peak in self.cycles:
            swing = swing + amplitude * np.cos(2 * np.pi * (hours - peak) / period)
        return self.typical * np.exp(swing + self.spread**2 / 2)

    def draw(self, hours: int, jobs: int | None, rng: np.random.Generator) -> np.ndarray:
        """Jobs in each hour, (hours,) integers: `jobs` in all, or as many as come when that is None."""
        noise = wander(rng, (hours,), self.spread, self.memory) - self.spread**2 / 2
        intensity = self.expected(np.arange(hours)) * np.exp(noise)
        if jobs is None:
            return rng.poisson(intensity)
        return rng.multinomial(jobs, intensity / intensity.sum())


GOOGLE_ARRIVALS = ArrivalModel(
    typical=917.5,
    spread=0.2629,
    memory=1.752,
    cycles=((168.0, 0.1718, 77.86), (24.0, 0.0665, 22.54), (4.0, 0.0784, 1.019)),
)
"""The fit to the 696 hours of Google's table, clusterdata-2011-2, without the 3,986 jobs at its beginning, by
maximum likelihood (`tests/google_fits.py`): cycles of a week, a day, and four hours, which stand out.

It has the mean (960 an hour), the spread of the logarithms (0.30) and their correlations from hour to hour
and week to week. It lacks the one great burst, in hours 414 to 431, whose peak of 3,164 jobs is above those
of 99 in 100 months of the model (median 2,280).
"""

_TABLE = """
1 1.944e-09 2.778e-10
0.995 0.06279 0.003764
0.99 0.2152 0.00436
0.975 1.35 0.005206
0.95 10.53 0.005994
0.9 31.93 0.00732
0.85 46.04 0.009272
0.8 58.7 0.01276
0.75 120.4 0.01723
0.7 237.4 0.02127
0.65 403.3 0.0257
0.6 571.8 0.03158
0.585 691.9 0.0337
0.55 696 0.03918
0.5 696 0.04904
0.4 696 0.0709
0.32 696 0.0914
0.256 696 0.1195
0.2048 696 0.1683
0.1638 696 0.2385
0.1311 696 0.3313
0.1049 696 0.4433
0.08389 696 0.5809
0.06711 696 0.751
0.05369 696 1.002
0.04295 696 1.382
0.03436 696 1.955
0.02749 696 2.687
0.02199 696 3.441
0.01759 696 4.3
0.01407 696 6.052
0.01126 696 10.51
0.009007 696 15.25
0.007206 696 23.31
0.005765 696 44.53
0.004612 696 73.44
0.003689 696 138.2
0.002951 696 168
0.002361 696 217.5
0.001889 696 338.5
0.001511 696 496.6
0.001209 696 696
0.0009671 696 696
0 696 696
"""
DURATIONS = np.loadtxt(_TABLE.splitlines())
"""How long Google's jobs run: the share that runs longer than a number of hours, in the batch and of those that
come later; 696 h means the rest of the month. Kaplan and Meier's estimate, to four digits.
Facts of Google's clusterdata-2011-2, CC-BY 4.0 (Reiss, Wilkes and Hellerstein, 2011)."""


@typed
def google_times(jobs: pd.DataFrame) -> pd.DataFrame:
    """When the jobs of Google's table come and how long they run, in hours: `submit, duration, ended`.

    `jobs` are those of `traces.google2011_jobs`; the month begins where the trace does, at 600 s. A job runs
    from its first SCHEDULE event (without one, its submission) to its last EVICT, FAIL, FINISH, KILL or LOST;
    one that was there before from the month's beginning, one that does not end (not `ended`) to its end.

    >>> jobs = pd.DataFrame({"submit": [0.0, 4000.0], "start": [0.0, 4200.0], "end": [np.nan, 6000.0]})
    >>> google_times(jobs).round(3).to_numpy().tolist()
    [[0.0, 696.0, False], [0.944, 0.5, True]]
    """
    if not {"submit", "start", "end"} <= set(jobs):
        raise ValueError(f"jobs: needs columns submit, start and end, not {list(jobs)}")
    submit, start, end = (jobs[["submit", "start", "end"]].to_numpy().T - 600.0).clip(0) / 3600
    ended = ~np.isnan(end)
    duration = np.where(ended, end, HOURS) - np.where(np.isnan(start), submit, start)
    return pd.DataFrame({"submit": submit, "duration": duration, "ended": ended})


@typed
def google_month(
    configs: MachineConfigs,
    classes: JobClasses,
    *,
    load: float = 0.8,
    thin: float = 1,
    ended: bool = False,
    hours: float = HOURS,
    times: pd.DataFrame | None = None,
    arrivals: ArrivalModel = GOOGLE_ARRIVALS,
    sizes: str = "common",
    drift: float = 0.0,
    seed: int = 0,
) -> tuple[MachineConfigs, JobClasses, Workload]:
    """The month's machines, classes and jobs, in hours, at a mean `load` of the machines' cores.

    - Jobs: of `times`, as `google_times` gives them, every `thin`-th from number `seed` on. Without it a
      `thin`-th (0.1: ten times as many) of 3,986 at time 0 and, by `arrivals`, of 668,088 over 696 hours,
      with durations of `DURATIONS`, each quantile once. Those after the first `hours` are left out.
    - Jobs that never end: 0.6 % of the jobs with two thirds of the work. They run to the month's end, or are
      left out with `ended`.
    - Classes: drawn by their shares; with `drift`, log-odds wander with that deviation and two days' memory.
      All have the same rate: one over the mean duration.
    - Demands: `sizes`, a law as in `RandomWorkload`; with `-matched` behind it, means after truncation.
    - Machines: those of `configs` in proportion, at least one of each: as many as it takes for all jobs, each run from
      its submission, to take `load` of the cores as nearly as can be (`core_load`): neither `thin` nor `drift`
      nor the law changes the load.

    Raises ValueError on a load, size or number of hours that makes no month, and on an unknown law of sizes.
    Source: LoTES, extended, Section 5.3.

    >>> from schedlib.lotes import google2011
    >>> fewer, same, month = google_month(*google2011(), load=0.8, thin=20)
    >>> len(month), month.resources, round(core_load(fewer, month), 1)
    (33603, ('cores', 'memory'), 0.8)
    """
    if not (0 < load < np.inf and thin >= 0.01 and 0 < hours <= HOURS):
        raise ValueError(
            f"load, thin, hours: {load:g}, {thin}, {hours:g}; needs a load above 0, thin of at "
            f"least 0.01, and at most {HOURS} hours"
        )
    amounts("drift", np.asarray(drift, float))
    if configs.n_resources != 2 or classes.n_resources != 2:
        raise ValueError(
            "configs, classes: the month has cores and memory; give machines and classes of two "
            "resources"
        )
    names = ("month arrivals", "month mix", "month durations", "month demands")
    when, mix, long, demands = streams(seed, *names)
    if times is None:
        times = _model(arrivals, thin, when, long)
    elif not {"submit", "duration", *["ended"] * ended} <= set(times):
        also = ", ended" if ended else ""
        raise ValueError(f"times: needs columns submit, duration{also}, not {list(times)}")
    elif thin != int(thin):
        raise ValueError(f"thin: {thin:g}; needs a whole number where times are given")
    else:
        times = times[seed % int(thin) :: int(thin)]
    if ended:
        times = times[times["ended"]]
    submit, duration = times.loc[times["submit"] < hours, ["submit", "duration"]].to_numpy().T
    odds = np.log(np.maximum(classes.share, 1e-300)) + wander(
        mix, (HOURS, classes.n_classes), drift, 48.0
    )
    shares = exp(odds - odds.max(axis=1, keepdims=True))
    edges = np.cumsum(shares / shares.sum(axis=1, keepdims=True), axis=1)
    job_class = (mix.random(len(submit))[:, None] > edges[submit.astype(int)][:, :-1]).sum(axis=1)
    rate = np.full_like(classes.rate, len(duration) / math.fsum(duration))
    planned = JobClasses(classes.share, classes.demand, rate)
    law = RandomWorkload(
        planned, 1.0, 1.0, sizes.removesuffix("-matched"), sizes.endswith("-matched")
    )
    cores, memory = law.demands(demands, job_class).T
    made = Workload.from_arrays(
        submit, duration, job_class=job_class, time_unit="h", cores=cores, memory=memory
    )
    return machines_for(configs, made, load, hours), planned, made


def machines_for(
    configs: MachineConfigs, jobs: Workload, load: float, hours: float = HOURS
) -> MachineConfigs:
    """The machines of `configs` in proportion, as many as it takes for these jobs to take `load` of the cores."""
    need = core_load(configs, jobs, hours) * _cores(configs)
    low, high = (_cores(configs) * load / need * factor for factor in (0.5, 9.0))
    for _ in range(30):
        middle = (low + high) / 2
        if need <= load * _cores(fewer_machines(configs, middle)):
            low = middle
        else:
            high = middle
    near = (fewer_machines(configs, shrink) for shrink in (low, high))
    return min(near, key=lambda fewer: abs(need / _cores(fewer) - load))


def _cores(configs):
    return float(dot(configs.count, configs.capacity[:, 0]))


def _model(arrivals, thin, when, long):
    """Submissions and durations (h) of a month by the model."""
    first = int(BATCH // thin)
    later = int((JOBS - BATCH) // thin)
    submit = np.repeat(np.arange(HOURS), arrivals.draw(HOURS, later, when)) + when.random(later)
    longer, *tables = DURATIONS.T
    durations = [
        np.interp((long.permutation(n) + 0.5) / n, 1 - longer, hours)
        for n, hours in zip((first, later), tables, strict=True)
    ]
    submit = np.append(np.zeros(first), np.sort(submit))
    duration = np.concatenate(durations)
    ended = submit + duration < HOURS
    return pd.DataFrame({"submit": submit, "duration": duration, "ended": ended})


@typed
def core_load(configs: MachineConfigs, jobs: Workload, hours: float = HOURS) -> float:
    """The share of all cores that these jobs take in the first `hours` when each starts at its submission.

    >>> jobs = Workload.from_arrays([0, 2], [1.0, 4.0], cores=[0.5, 0.5], memory=[0.0, 0.0])
    >>> core_load(MachineConfigs([[1.0, 1.0]], [1]), jobs, hours=4)
    0.375
    """
    positive("hours", hours)
    if "cores" not in jobs.resources:
        raise ValueError(f"jobs: demand {jobs.resources}; needs tasks with a column cores")
    submit = jobs.jobs["submit"].to_numpy()
    tasks = jobs.tasks
    work = np.minimum(tasks["duration"].to_numpy(), hours - submit) * tasks["cores"].to_numpy()
    return math.fsum(work) / hours / _cores(configs)
