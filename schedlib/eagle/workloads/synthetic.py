"""The evaluation's three workloads, generated like Google's, Cloudera's and Yahoo's.

The traces themselves cannot be shipped. What the paper states is met: the number of jobs, the share of long
ones, their share of the task-seconds (Table 1); the short partitions (Section 5); the fewest workers (Table
2). The cut-offs, which the paper does not print, are those that the authors published with their simulator.
All else is a law of `schedlib.eagle.workloads.laws`, with its source; none is fitted to a result.

Work: the long jobs' durations are scaled so that they have their share of it. Submissions then span the time
in which the fewest workers of the paper (15,000 or 4,000) would have the law's load; more workers mean less
load. Times are whole seconds, as in the authors' files.

`scale` times the workers see the same load. The laws stay; only the largest number of tasks shrinks with the
cluster, as a short job of 3,000 tasks would swamp 600 workers, which no short job does in the paper's. Then
jobs are smaller on average and come earlier. Cloudera's and Yahoo's long jobs have hundreds of tasks: in a
cluster of hundreds each is a wave of work. At full scale, which takes seconds, these two are better run.
"""

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from schedlib.core.checks import typed, unknown
from schedlib.core.portable import dot
from schedlib.core.streams import streams
from schedlib.eagle.workloads.laws import (
    ARRIVALS,
    LAWS,
    POWER,
    TRACES,
    TYPES,
    Law,
    durations,
    long_means,
    numbers_of_tasks,
    short_means,
)
from schedlib.workload import Workload

JOBS = {"google": 506_460, "cloudera": 21_030, "yahoo": 24_262}
"""Number of jobs (Table 1)."""
LONG_SHARE = {"google": 0.10, "cloudera": 0.0502, "yahoo": 0.0941}
"""Long jobs among all (Table 1)."""
PARTITION = {"google": 0.17, "cloudera": 0.09, "yahoo": 0.02, "alibaba": 0.24}
"""Share of the workers reserved for short jobs: the short jobs' share of the task-seconds (Section 5)."""
CUTOFF = {"google": 1129.532, "cloudera": 272.783, "yahoo": 90.5811, "alibaba": 48.99}
"""Mean task duration (s) above which a job is long: the authors'; Alibaba's by `cutoff_for`."""
WORKERS = dict.fromkeys(("google", "cloudera"), (15_000, 17_000, 19_000, 21_000, 23_000)) | {
    "yahoo": (4_000, 4_500, 5_000, 5_500, 6_000),
    "alibaba": (2_150, 2_450, 2_750, 3_000, 3_300),
}
"""Workers, high load to low: Google's, and the fewest of the others (Table 2), are the paper's; the rest is
assumed."""
HEARTBEAT = {"google": 3.0, "cloudera": 12.0, "yahoo": 7.0, "alibaba": 3.0}
"""Seconds between DLWL's updates (Section 6.2; Alibaba's assumed)."""
GAP = {"google": 1.0, "cloudera": 14.5, "yahoo": 7.5}
"""Seconds between submissions on the paper's cluster: Google's by Section 6.2, the others' by the laws."""
LOAD = {trace: law.load for trace, law in TRACES.items()}
"""Offered load of the fewest workers, by Table 2."""
MOST_WORKERS = 100_000_000
MOST_TASKS = 100_000_000
STEEPEST = 60.0
"""The largest inverse exponent of the power law of long jobs' durations."""


@typed
def google(
    jobs: int | None = None, seed: int = 0, scale: float = 1.0, *, law: str | Law = "traces"
) -> Workload:
    """Google-like jobs: 506,460 with 16 million tasks, or fewer, or for a smaller cluster.

    jobs: `job`, `submit` (whole s), `class` (1 is long), `mean` (s, of its durations, on the right side of
    `CUTOFF`); tasks: `job`, `duration` (s, > 0). `law` is `"traces"`, as in the authors' files, `"text"`, or a
    `Law` (see `schedlib.eagle.workloads.laws`). The load on `scale` times 15,000 workers is the law's, whatever
    `jobs` and `seed`. Raises ValueError on an unknown `law`, on too few `jobs` for a long one among them, on
    a `scale` that leaves less than 10 workers, and when a handful of jobs cannot meet Table 1. Source: Eagle,
    Section 5 and Tables 1 and 2.

    >>> from schedlib.eagle.workloads.measures import table1
    >>> table1(google(1000, seed=1, scale=0.1), CUTOFF["google"]).round(3).to_dict("records")
    [{'jobs': 1000, 'long_jobs': 10.0, 'long_work': 83.0}]
    """
    return _made("google", jobs, seed, scale, law)


@typed
def cloudera(
    jobs: int | None = None, seed: int = 0, scale: float = 1.0, *, law: str | Law = "traces"
) -> Workload:
    """Cloudera-like jobs: 21,030 with 4.6 million tasks, 15,000 workers, else as `google`.

    >>> from schedlib.eagle.workloads.measures import table1
    >>> table1(cloudera(1000, seed=1, scale=0.1), CUTOFF["cloudera"]).round(3).to_dict("records")
    [{'jobs': 1000, 'long_jobs': 5.0, 'long_work': 91.0}]
    """
    return _made("cloudera", jobs, seed, scale, law)


@typed
def yahoo(
    jobs: int | None = None, seed: int = 0, scale: float = 1.0, *, law: str | Law = "traces"
) -> Workload:
    """Yahoo-like jobs: 24,262 with 1.0 million tasks, 7.5 s apart, for 4,000 workers, else as `google`.

    Long jobs have 98.4 % of the work, where Table 1 prints 98: it follows from the excerpts of the authors' file
    (see `schedlib.eagle.workloads.laws`).

    >>> from schedlib.eagle.workloads.measures import table1
    >>> table1(yahoo(1000, seed=1, scale=0.1), CUTOFF["yahoo"]).round(3).to_dict("records")
    [{'jobs': 1000, 'long_jobs': 9.4, 'long_work': 98.4}]
    """
    return _made("yahoo", jobs, seed, scale, law)


def _made(trace: str, jobs: int | None, seed: int, scale: float, law: str | Law) -> Workload:
    if isinstance(law, str):
        if law not in LAWS:
            raise unknown("law", law, LAWS)
        law = LAWS[law][trace]
    n_jobs = JOBS[trace] if jobs is None else jobs
    share = LONG_SHARE[trace]
    fewest = WORKERS[trace][0]
    if n_jobs < 1:
        raise ValueError(f"jobs: {jobs}, must be at least 1")
    n_long = round(share * n_jobs)
    workers = scale * fewest
    if n_long < 1:
        too_few = f"jobs: {jobs} have no long one among them at {share:.2%}"
        enough = int(np.ceil(1 / share))
        raise ValueError(f"{too_few}; ask for {enough} or more")
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
    tasks = numbers_of_tasks(sizes, law, long, mean_tasks[kind], workers)
    if tasks.sum() > MOST_TASKS:
        asked = (
            f"jobs, scale: {n_jobs:,} jobs at scale {scale:g} have {float(tasks.sum()):.2g} tasks"
        )
        raise ValueError(f"{asked}; ask for at most {MOST_TASKS:,}")

    mean = np.empty(n_jobs)
    normal = means.standard_normal(n_jobs - n_long)
    above = means.standard_exponential(n_long)
    of_short, of_long = _means(
        trace, law, tasks[~long], normal, tasks[long], above, type_duration[kind]
    )
    mean[~long] = of_short
    mean[long] = of_long
    span = (mean * tasks).sum() / (law.load * workers)
    submit = np.floor(ARRIVALS[law.arrivals](arrivals, n_jobs, span))
    number = np.arange(n_jobs)
    duration = durations(within, law, tasks, mean, long)
    frame = pd.DataFrame(
        {"job": number, "submit": submit, "class": long.astype(np.int64), "mean": mean}
    )
    of_tasks = pd.DataFrame({"job": np.repeat(number, tasks), "duration": duration})
    return Workload(frame, of_tasks)


def _means(
    trace: str,
    law: Law,
    short_tasks: np.ndarray,
    normal: np.ndarray,
    long_tasks: np.ndarray,
    above: np.ndarray,
    type_duration: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Mean durations of short and of long jobs with exactly the law's share of the task-seconds."""
    cutoff = CUTOFF[trace]
    share = law.long_work
    # A mean cut to whole seconds, as the authors' program does, has to stay above the cut-off.
    least = np.floor(cutoff) + 1
    n_short = short_tasks.sum()
    n_long = long_tasks.sum()

    def short(shift):
        return short_means(law, cutoff, short_tasks, normal, shift)

    def long(scale):
        return long_means(law, least, type_duration, above, scale)

    shift = 0.0
    work = dot(short_tasks, short(shift))
    # In a small sample long jobs may have so many tasks that short ones must be longer to keep their share.
    needed = 1.1 * least * n_long * (1 - share) / share
    if needed > 0.9 * cutoff * n_short:
        raise _too_few(share)
    if needed > work:
        shift = brentq(lambda x: dot(short_tasks, short(x)) - needed, 0, 60, xtol=1e-13)
        work = needed
    of_long = work * share / (1 - share)
    scale = 1.0
    if law.long_means == POWER:
        # where few long jobs must bear much work, all are as long as they need to be
        scale = STEEPEST
        if dot(long_tasks, long(STEEPEST)) > of_long:
            scale = brentq(lambda x: dot(long_tasks, long(x)) - of_long, 0, STEEPEST, xtol=1e-13)
    excess = long(scale) - least
    # by type the excess has the right proportions only; by the power law the root has the last digits to go
    excess *= (of_long - least * n_long) / dot(long_tasks, excess)
    return short(shift), least + excess


def _too_few(share: float) -> ValueError:
    part = f"{1 - share:.0%} of the task-seconds"
    return ValueError(f"jobs: the few short ones drawn are too small for {part}; ask for more")
