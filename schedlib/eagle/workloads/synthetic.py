"""The evaluation's three workloads, generated like Google's, Cloudera's and Yahoo's; measures of workloads.

The traces themselves cannot be shipped. What the paper states is met as printed: the number of jobs, the
share of long ones, their share of the task-seconds (Table 1); the short partitions (Section 5); the fewest
workers (Table 2). The cut-offs, which the paper does not print, are those that the authors published with
their simulator. All else is a law, stated here, none fitted to a result:

| | Google | Cloudera | Yahoo |
|---|---|---|---|
| tasks of a short job | one in 75 % of jobs, else power law | geometric, mean 187 | geometric, mean 23.6 |
| tasks of a long job | the same | geometric, mean by type (`TYPES`) | geometric, mean by type |
| seconds of a task of a short job, mean | 105 | 94.6 | 48.9 |
| submissions, on average | 1.0 s apart | 13 s apart | 14 s apart |

- *Tasks.* Google: three of four jobs have one task (Reiss et al., SoCC 2012); the others have n with
  probability proportional to n^-1.4018, so that jobs have 25.67 tasks on average and the trace 13.0 million.
  Cloudera and Yahoo: an exponential number, rounded up. The short jobs' mean follows from Table 2: in Hawk
  0.87 million probes, 84 % of all, are queued behind long tasks, two probes a task, which makes 23.6 tasks a
  short job for Yahoo; for Cloudera the percentage is not printed and 75 % is assumed. By the same sum
  Google's short jobs would have 12.9 million tasks; here they have 11.7.
- *Long jobs* of Cloudera and Yahoo are of the types found by k-means in the traces (Chen et al., PVLDB 5(12)
  2012 and MASCOTS 2011), which Hawk's and Eagle's authors expand as well: their numbers of jobs add up to
  Table 1's. A type's number of tasks is its task-seconds over its duration. The mean duration of a long job
  lies an exponential time above the cut-off, in proportion to its type's.
- *Short jobs'* mean duration is a logit-normal fraction of the cut-off (standard deviation 1 of the logit):
  close to lognormal, never above.
- *Within a job* durations are Gaussian with a standard deviation of twice the mean, negative ones drawn
  again, divided by their average, so that the job's mean is what was drawn.
- *Work.* The shift of the logit and the scale of the exponential are solved for, so that short jobs have the
  task-seconds of the table above and long jobs have exactly Table 1's share of all.
- *Submissions* are a Poisson process, given its number of jobs, over the time in which the fewest workers of
  the paper (15,000 or 4,000) would be busy to 95 % (`LOAD`); more workers mean less load: 95, 84, 75, 68 and
  62 % for Google's 15,000 to 23,000. Fewer are busy in fact (some 88 % on average), as the cluster is empty
  first and long tasks outlast the last submission. Times are whole seconds, as in the authors' files; at real
  ones, as published, a probe in a million passes a long task in flight.
- *Largest job.* A short job, or one of Google's, has at most a fifth as many tasks as there are workers (the
  fewest of the paper), a long one of Cloudera or Yahoo as many.

`scale` times the workers see the same load. The laws stay; only the largest number of tasks shrinks with the
cluster, as a short job of 3,000 tasks would swamp 600 workers, which no short job does in the paper's. The
tasks cut off are made up for by earlier arrivals: with `scale=0.1` Google's jobs have 7.4 tasks on average
and come 2.9 s apart instead of 10. Cloudera's and Yahoo's long jobs have hundreds of tasks: in a cluster of
hundreds each is a wave of work. At full scale, which takes seconds, these two are better run.
"""

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from schedlib.core.checks import typed
from schedlib.core.portable import dot, exp
from schedlib.core.streams import streams
from schedlib.workload import Workload

JOBS = {"google": 506_460, "cloudera": 21_030, "yahoo": 24_262}
"""Number of jobs (Table 1)."""
LONG_SHARE = {"google": 0.10, "cloudera": 0.0502, "yahoo": 0.0941}
"""Long jobs among all (Table 1)."""
LONG_WORK = {"google": 0.83, "cloudera": 0.91, "yahoo": 0.98}
"""Long jobs' share of the task-seconds (Table 1)."""
PARTITION = {"google": 0.17, "cloudera": 0.09, "yahoo": 0.02, "alibaba": 0.24}
"""Share of the workers reserved for short jobs: the short jobs' share of the task-seconds (Section 5)."""
CUTOFF = {
    "google": 1129.532,
    "cloudera": 272.783,
    "yahoo": 90.5811,
    "alibaba": 48.99,
}
"""Mean task duration (s) above which a job is long: the authors'; Alibaba's by `cutoff_for`."""
WORKERS = dict.fromkeys(("google", "cloudera"), (15_000, 17_000, 19_000, 21_000, 23_000)) | {
    "yahoo": (4_000, 4_500, 5_000, 5_500, 6_000),
    "alibaba": (2_150, 2_450, 2_750, 3_000, 3_300),
}
"""Workers, high load to low: Google's and the fewest of the others (Table 2) the paper's, else assumed."""
HEARTBEAT = {"google": 3.0, "cloudera": 12.0, "yahoo": 7.0, "alibaba": 3.0}
"""Seconds between DLWL's updates (Section 6.2; Alibaba's assumed)."""
GAP = {"google": 1.0, "cloudera": 13.0, "yahoo": 14.0}
"""Seconds from one submission to the next on the paper's cluster, on average (see above)."""
LOAD = 0.95
"""Offered load of the fewest workers (assumed: the paper's highest load, not printed in its text)."""
SHORT_DURATION = {"google": 105.0, "cloudera": 94.6, "yahoo": 48.9}
"""Mean duration (s) of a short job's task; from Cloudera on Chen et al.'s task-seconds over `SHORT_TASKS`."""
SHORT_TASKS = {"cloudera": 187.0, "yahoo": 23.6}
"""Mean number of tasks of a short job (before rounding up)."""
TYPES = {
    "google": [(1, 1, 1)],
    "cloudera": [
        (477, 847, 2820),
        (246, 48, 15240),
        (197, 875, 3180),
        (105, 1938, 7860),
        (23, 405, 61200),
        (7, 3577, 18900),
    ],
    "yahoo": [
        (838, 409, 2100),
        (91, 1004, 2400),
        (7, 133, 9300),
        (35, 455, 13500),
        (5, 2119, 30900),
        (1303, 8, 3600),
        (2, 954, 16800),
    ],
}
"""Types of long jobs: jobs, tasks of one, duration (s); Chen et al.'s clusters without that of small jobs."""
ONE_TASK = 0.75
EXPONENT = 1.4018
MOST_WORKERS = 100_000_000
LARGEST_SHORT = 1 / 5
LARGEST_LONG = {"google": 1 / 5, "cloudera": 1.0, "yahoo": 1.0}
"""The largest number of tasks of a job, as a share of the fewest workers."""


@typed
def job_means(workload: Workload) -> np.ndarray:
    """Mean duration of the tasks of each job, (N,), s: it makes a job long or short, and is its estimate.

    Raises ValueError on a job without tasks.

    >>> job_means(Workload.from_arrays([0, 1], [2.0, 4.0, 9.0], tasks=[2, 1])).tolist()
    [3.0, 9.0]
    """
    return workload.work() / np.diff(workload.offsets)


@typed
def table1(workload: Workload, cutoff: float) -> pd.DataFrame:
    """Table 1 for this workload, one row: `jobs`, `long_jobs` (%), `long_work` (% of the task-seconds).

    `cutoff` in s: jobs with a mean duration above are long. Raises ValueError when it leaves no short or no
    long job. Source: Eagle, Table 1.

    >>> w = Workload.from_arrays([0, 1, 2, 3], [2, 4, 9, 1, 15], tasks=[2, 1, 1, 1])
    >>> table1(w, cutoff=10)
       jobs  long_jobs  long_work
    0     4       25.0  48.387097
    """
    work, long = _work_and_class(workload, cutoff)
    return pd.DataFrame(
        {
            "jobs": [len(work)],
            "long_jobs": [100 * long.mean()],
            "long_work": [100 * work[long].sum() / work.sum()],
        }
    )


@typed
def short_share(workload: Workload, cutoff: float) -> float:
    """The short jobs' share of the task-seconds, 0 to 1: by the paper's rule their part of the workers.

    `cutoff` as in `table1`. Source: Eagle, Section 5.

    >>> short_share(Workload.from_arrays([0, 1], [1.0, 3.0]), cutoff=2)
    0.25
    """
    work, long = _work_and_class(workload, cutoff)
    return float(work[~long].sum() / work.sum())


@typed
def cutoff_for(workload: Workload, long_share: float = 0.1) -> float:
    """A cut-off (s), half-way between two jobs' means, that makes close to `long_share` of the jobs long.

    As close as means differ; of two cut-offs equally close the higher one. Hawk's authors take the tenth of
    Google's jobs with the longest means. Raises ValueError unless 0 < long_share < 1, and when all jobs have
    the same mean.

    >>> w = Workload.from_arrays([0, 1, 2, 3], [1.0, 2.0, 6.0, 8.0])
    >>> cutoff_for(w, 0.25), cutoff_for(w, 0.5)
    (7.0, 4.0)
    """
    if not 0 < long_share < 1:
        raise ValueError(f"long_share: {long_share}, must be above 0 and below 1")
    means, count = np.unique(job_means(workload), return_counts=True)
    if len(means) < 2:
        alike = f"every job's tasks take {means[0]:g} s on average"
        raise ValueError(f"workload: {alike}, so that no cut-off makes two classes")
    # long jobs when the cut-off lies between means i and i + 1
    jobs = count.sum()
    above = (jobs - np.cumsum(count))[:-1]
    misses = np.abs(above - long_share * jobs)
    least = np.flatnonzero(misses == misses.min())
    i = least[-1]
    return float((means[i] + means[i + 1]) / 2)


@typed
def offered_load(workload: Workload, workers: int) -> float:
    """Work that arrives as a share of what `workers` can do: task-seconds over workers times the time span.

    Above 1 queues grow. Raises ValueError on `workers` below 1 and when all jobs come at once.

    >>> offered_load(Workload.from_arrays([0, 10], [4.0, 5.0]), workers=2)
    0.45
    """
    if workers < 1:
        raise ValueError(f"workers: {workers}, must be at least 1")
    submit = workload.jobs["submit"].to_numpy()
    if submit[0] == submit[-1]:
        raise ValueError(
            f"workload: all jobs are submitted at {submit[0]:g} s; a load needs a time span"
        )
    work = workload.tasks["duration"].sum()
    span = submit[-1] - submit[0]
    return float(work / (workers * span))


def _work_and_class(workload, cutoff):
    """Each job's task-seconds, and whether it is long."""
    means = job_means(workload)
    long = means > cutoff
    if not (cutoff > 0 and long.any() and not long.all()):
        span = f"{means.min():g} to {means.max():g} s"
        raise ValueError(
            f"cutoff: {cutoff} s does not part the jobs, whose mean durations go from {span}; "
            "choose one in between, such as cutoff_for(workload)"
        )
    return workload.work(), long


@typed
def google(jobs: int | None = None, seed: int = 0, scale: float = 1.0) -> Workload:
    """Google-like jobs: 506,460 with 13 million tasks, one second apart, or fewer, or for a smaller cluster.

    jobs: `job`, `submit` (whole s), `class` (1 is long), `mean` (s, of its durations, on the right side of
    `CUTOFF`); tasks: `job`, `duration` (s, > 0). The load is `LOAD` on `scale` times 15,000 workers, whatever
    `jobs` and `seed`. Raises ValueError on too few `jobs` for a long one among them, on a `scale` that leaves
    less than 10 workers, and when a handful of jobs cannot meet Table 1. Source: Eagle, Section 5 and Tables
    1 and 2; the laws, and what is assumed, are in the module's text.

    >>> table1(google(1000, seed=1, scale=0.1), CUTOFF["google"]).round(3).to_dict("records")
    [{'jobs': 1000, 'long_jobs': 10.0, 'long_work': 83.0}]
    """
    return _made("google", jobs, seed, scale)


@typed
def cloudera(jobs: int | None = None, seed: int = 0, scale: float = 1.0) -> Workload:
    """Cloudera-like jobs: 21,030 with 4.6 million tasks, 13 s apart, else as `google`.

    >>> table1(cloudera(1000, seed=1, scale=0.1), CUTOFF["cloudera"]).round(3).to_dict("records")
    [{'jobs': 1000, 'long_jobs': 5.0, 'long_work': 91.0}]
    """
    return _made("cloudera", jobs, seed, scale)


@typed
def yahoo(jobs: int | None = None, seed: int = 0, scale: float = 1.0) -> Workload:
    """Yahoo-like jobs: 24,262 with 1.0 million tasks, 14 s apart, for 4,000 workers, else as `google`.

    >>> table1(yahoo(1000, seed=1, scale=0.1), CUTOFF["yahoo"]).round(3).to_dict("records")
    [{'jobs': 1000, 'long_jobs': 9.4, 'long_work': 98.0}]
    """
    return _made("yahoo", jobs, seed, scale)


def _made(trace: str, jobs: int | None, seed: int, scale: float) -> Workload:
    n_jobs = JOBS[trace] if jobs is None else jobs
    share = LONG_SHARE[trace]
    fewest = WORKERS[trace][0]
    if n_jobs < 1:
        raise ValueError(f"jobs: {jobs}, must be at least 1")
    n_long = round(share * n_jobs)
    workers = scale * fewest
    if n_long < 1:
        given = f"jobs: {jobs} have no long one among them at {share:.2%}"
        enough = int(np.ceil(1 / share))
        raise ValueError(f"{given}; ask for {enough} or more")
    if not 10 <= workers <= MOST_WORKERS:
        left = f"scale: {scale} leaves {workers:g} of {fewest:,} workers"
        raise ValueError(f"{left}; it must leave 10 or more, and at most {MOST_WORKERS:,}")
    arrivals, classes, sizes, means, within = streams(
        seed,
        f"{trace} arrivals",
        f"{trace} classes",
        f"{trace} tasks",
        f"{trace} means",
        f"{trace} durations",
    )

    long = np.zeros(n_jobs, bool)
    chosen = classes.permutation(n_jobs)[:n_long]
    long[chosen] = True
    of_type, mean_tasks, type_duration = np.array(TYPES[trace], float).T
    types = len(of_type)
    chance = of_type / of_type.sum()
    kind = classes.choice(types, size=n_long, p=chance)
    most_of_long = int(workers * LARGEST_LONG[trace])
    most_of_short = int(workers * LARGEST_SHORT)
    most = np.where(long, most_of_long, most_of_short)
    if trace == "google":
        tasks = _power_law(sizes, n_jobs, most[0])
    else:
        mean = np.full(n_jobs, SHORT_TASKS[trace])
        mean[long] = mean_tasks[kind]
        drawn = np.ceil(sizes.standard_exponential(n_jobs) * mean)
        tasks = np.clip(drawn, 1, most).astype(np.int64)

    mean = np.empty(n_jobs)
    logit = means.standard_normal(n_jobs - n_long)
    above = means.standard_exponential(n_long) * type_duration[kind]
    of_short, of_long = _means(trace, tasks[~long], logit, tasks[long], above)
    mean[~long] = of_short
    mean[long] = of_long
    span = (mean * tasks).sum() / (LOAD * workers)
    arrival = np.sort(arrivals.random(n_jobs)) * span
    submit = np.floor(arrival)
    number = np.arange(n_jobs)
    duration = durations(within, tasks, mean)
    frame = pd.DataFrame(
        {"job": number, "submit": submit, "class": long.astype(np.int64), "mean": mean}
    )
    of_tasks = pd.DataFrame({"job": np.repeat(number, tasks), "duration": duration})
    return Workload(frame, of_tasks)


def _power_law(rng: np.random.Generator, n: int, most: int) -> np.ndarray:
    """Numbers of tasks: 1 in `ONE_TASK` of the jobs, else 2 to `most` by a power law."""
    weight = np.arange(1, most + 1) ** -EXPONENT
    others = weight[1:].sum()
    weight[1:] *= (1 - ONE_TASK) / others
    weight[0] = ONE_TASK
    cumulated = np.cumsum(weight)
    drawn = rng.random(n) * cumulated[-1]
    return 1 + np.searchsorted(cumulated, drawn, side="right")


def _means(trace: str, short_tasks, logit, long_tasks, above) -> tuple[np.ndarray, np.ndarray]:
    """Mean durations of short and of long jobs with exactly Table 1's share of the task-seconds."""
    cutoff = CUTOFF[trace]
    share = LONG_WORK[trace]
    n_short = short_tasks.sum()
    # A mean cut to whole seconds, as the authors' program does, has to stay above the cut-off.
    least = np.floor(cutoff) + 1
    # In a small sample long jobs may have so many tasks that short ones must be longer to keep their share.
    usual = SHORT_DURATION[trace] * n_short
    n_long = long_tasks.sum()
    needed = 1.1 * least * n_long * (1 - share) / share
    work = max(usual, needed)
    if work > 0.9 * cutoff * n_short:
        part = f"{1 - share:.0%} of the task-seconds"
        raise ValueError(f"jobs: the few short ones drawn are too small for {part}; ask for more")

    def short_mean(shift):
        return cutoff / (1 + exp(-shift - logit))

    def excess_work(shift):
        return dot(short_tasks, short_mean(shift)) - work

    shift = brentq(excess_work, -30, 30, xtol=1e-13)
    short = short_mean(shift)
    long_work = dot(short_tasks, short) * share / (1 - share)
    excess = long_work - least * n_long
    scale = excess / dot(long_tasks, above)
    return short, least + above * scale


def durations(rng: np.random.Generator, tasks: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Durations (s) of the tasks of all jobs: positive Gaussians, scaled so that each job has its mean.

    `tasks (N,)` is each job's number of tasks, `mean (N,)` its mean duration (s). The coefficient of variation
    within a job is 0.7 before the scaling.

    >>> durations(np.random.default_rng(0), np.array([2, 1]), np.array([3.0, 5.0])).round(2).tolist()
    [3.78, 2.22, 5.0]
    """
    duration = 1 + 2 * rng.standard_normal(tasks.sum())
    wrong = np.flatnonzero(duration <= 0)
    while len(wrong):
        duration[wrong] = 1 + 2 * rng.standard_normal(len(wrong))
        wrong = wrong[duration[wrong] <= 0]
    first = np.cumsum(tasks) - tasks
    total = np.add.reduceat(duration, first)
    return duration * np.repeat(mean * tasks / total, tasks)
