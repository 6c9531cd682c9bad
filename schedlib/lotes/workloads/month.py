"""A synthetic month of Google's cluster, after what the paper says of it (Section 5.3, Figs. 6-7, Table 2).

Google's task table may not be shipped. Known are Table 2's classes, that the mix drifts, and the job table:
672,074 jobs, of which 3,986 at time 0, the others over 29 days, 960 an hour on average and up to 3,152.
Everything else here is assumed, and said.
"""

import numpy as np
import numpy.typing as npt

from schedlib.core import streams
from schedlib.core.checks import unknown
from schedlib.core.portable import exp
from schedlib.lotes.model import JobClasses, MachineConfigs
from schedlib.lotes.planning.allocate import allocate
from schedlib.lotes.workloads.arrivals import GOOGLE_ARRIVALS, ArrivalModel, wander
from schedlib.lotes.workloads.random_instances import SIZES, truncated
from schedlib.workload import Workload

JOBS, BATCH, HOURS = 672_074, 3_986, 29 * 24


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

    stretch = load * allocate(configs, classes).rate * hours / (jobs - batch)
    rate = classes.rate / stretch
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
