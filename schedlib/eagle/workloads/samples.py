"""Smaller workloads: the prototype's (Section 7), the four nodes of Section 4.1, the Alibaba hour thinned."""

import numpy as np
import pandas as pd

from schedlib import traces
from schedlib.core.checks import positive, typed
from schedlib.core.streams import streams
from schedlib.eagle.workloads.measures import job_means
from schedlib.eagle.workloads.synthetic import CUTOFF, WORKERS, google
from schedlib.workload import Workload

SAMPLE_JOBS = 3_300
SAMPLE_NODES = 100
"""Jobs and nodes of the prototype's experiment (Section 7)."""
SHORTEST = 1.0  # s: Alibaba's whole seconds are rounded down, so 0 means less than 1


@typed
def google_sample(
    ratio: float = 1.2, seed: int = 0, jobs: int = SAMPLE_JOBS, nodes: int = SAMPLE_NODES
) -> Workload:
    """Section 7's 3,300 jobs for 100 nodes: `google` jobs with fewer and longer tasks, seconds read as ms.

    Columns as in `google`, but times are in ms (`time_unit`). `class` is that of the job before it was shrunk,
    `mean` what its tasks take now. The offered load on `nodes` is 1 / `ratio`. Raises ValueError unless
    `ratio` is positive and `nodes` from 1 to 15,000, and as `google` does. Source: Eagle, Section 7, which is
    read as follows:

    - "The ratio between the number of nodes": 15,000, the fewest of the simulations, over `nodes`. A job of n
      tasks keeps n / 150, rounded, at least one.
    - "Increase the task duration in the affected jobs by the same ratio": by what its number of tasks really
      was divided by, so that jobs and classes keep their task-seconds, the stated purpose.
    - "By a factor of 1,000 (from seconds to milliseconds)": the numbers stay, the unit changes.
    - "The mean job inter-arrival time as a multiple of the mean task runtime", "of the average job completion
      time" (Fig. 9): the unit is the time in which all nodes together do the work of a mean job. In either
      phrase taken literally, a ratio of 1.2, Fig. 9's high load, leaves three quarters of the nodes or more
      idle.

    Nearly all jobs now have one task, and a short one that had hundreds lasts up to 150 times as long: the
    mean no longer tells short from long. Above Google's cut-off of 1,130 ms there are 24 % of the jobs with
    nearly all of the work. No other cut-off mends it, as the tasks of short jobs now take 6,000 to 10,000 ms on
    average, depending on the seed.

    >>> from schedlib.eagle.workloads.measures import offered_load
    >>> w = google_sample(ratio=2.0, seed=1)
    >>> w.time_unit, int(w.jobs["class"].sum()), round(offered_load(w, 100), 2)
    ('ms', 330, 0.5)
    """
    positive("ratio", ratio)
    all_nodes = WORKERS["google"][0]
    if not 1 <= nodes <= all_nodes:
        raise ValueError(
            f"nodes: {nodes}, must be from 1 to the {all_nodes} that the trace is shrunk from"
        )
    original = google(jobs, seed)
    before = np.diff(original.offsets)
    duration = original.tasks["duration"].to_numpy()
    shrunk = np.rint(before * nodes / all_nodes).astype(np.int64)
    tasks = np.maximum(1, shrunk)
    first = np.repeat(original.offsets[:-1], before)
    place_in_job = np.arange(len(duration)) - first
    kept = place_in_job < np.repeat(tasks, before)
    duration = duration[kept]
    work = original.jobs["mean"].to_numpy() * before
    begins = np.cumsum(tasks) - tasks
    longer = work / np.add.reduceat(duration, begins)
    duration *= np.repeat(longer, tasks)
    (arrivals,) = streams(seed, "google sample arrivals")
    span = ratio * work.sum() / nodes
    submit = np.sort(arrivals.random(jobs)) * span
    number = np.arange(jobs)
    frame = original.jobs.assign(submit=submit, mean=work / tasks)
    of_tasks = pd.DataFrame({"job": np.repeat(number, tasks), "duration": duration})
    return Workload(frame, of_tasks, time_unit="ms")


def four_nodes() -> Workload:
    """Section 4.1: four nodes with 100, 100, 10 and 10 s of work left, then a job of four tasks of 10 s.

    The first four jobs, of one task each, come at 0 and have that much left at 1 s, when job 4 comes. With a
    cut-off of 50 s the centre places the first two on nodes 0 and 1; the next two probe all nodes and find 2
    and 3 idle. Job 4 sends one probe to each node (`probe_ratio=1, min_probes=4`, `detail="as_written"`).
    First come, first served, it then takes 110 s; with Sticky Batch Probing the two nodes that are free first
    run all its tasks, in 30 s (and some ms for messages).

    >>> from schedlib.eagle.systems import System
    >>> from schedlib.eagle.simulating.simulate import simulate
    >>> how = dict(short_partition=0, cutoff=50, probe_ratio=1, min_probes=4, detail="as_written")
    >>> for sticky in (False, True):
    ...     done = simulate(four_nodes(), System("probes", sticky=sticky), 4, **how)
    ...     print(round(done.jobs["completion"].iloc[4], 1))
    110.0
    30.0
    """
    submit = [0, 0, 0, 0, 1]
    durations = [101, 101, 11, 11, 10, 10, 10, 10]
    return Workload.from_arrays(submit, durations, tasks=[1, 1, 1, 1, 4])


@typed
def alibaba(every: int = 16, *, trace: Workload | None = None) -> Workload:
    """Every `every`-th stage of Alibaba's hour as a job, its instances the tasks: at 16 they are 4,228 jobs.

    jobs: `job` (0, 1, ...), `submit` (whole s), `class` (1 is long: mean above `CUTOFF["alibaba"]`), `mean`
    (s), `stage` (its row in the trace); tasks: `job`, `duration` (whole s, those of 0 s last 1 s and are
    counted in `report`). Stages are in the order of submission, so that every n-th is a sample spread over
    the hour; all stages of a job of the trace come at its submission, as that is all the trace tells. The
    full hour needs 47,000 workers to be busy to 95 %, every 16th stage 2,150 (`WORKERS["alibaba"]`). A job of
    more tasks than workers (up to 10,396 in the sample) runs in waves, as it would have to.

    As for the paper's Google trace, the cut-off makes a tenth of the jobs long, and the short partition is
    the short jobs' share of the task-seconds (`short_share`), a quarter. `trace` is
    `traces.alibaba2018("stages")` or a stretch of it. Raises ValueError unless `every` is a whole number from
    1 to the number of stages. Sources: Eagle, Section 5; Alibaba cluster-trace-v2018.

    >>> from schedlib.eagle.workloads.measures import table1
    >>> table1(alibaba(), CUTOFF["alibaba"]).round(1).values.tolist()
    [[4228.0, 10.3, 75.6]]
    """
    trace = traces.alibaba2018("stages") if trace is None else trace
    if not 1 <= every <= len(trace):
        raise ValueError(
            f"every: {every}, must be a whole number from 1 to the trace's {len(trace)} stages"
        )
    chosen = np.arange(len(trace)) % every == 0
    counts = np.diff(trace.offsets)
    kept = np.flatnonzero(chosen)
    of_chosen = np.repeat(chosen, counts)
    duration = trace.tasks["duration"].to_numpy()[of_chosen]
    number = np.arange(len(kept))
    lasted = np.maximum(duration, SHORTEST)
    tasks = pd.DataFrame({"job": np.repeat(number, counts[kept]), "duration": lasted})
    jobs = pd.DataFrame(
        {"job": number, "submit": trace.jobs["submit"].to_numpy()[kept], "stage": kept}
    )
    mean = job_means(Workload(jobs, tasks))
    jobs["class"] = (mean > CUTOFF["alibaba"]).astype(np.int64)
    jobs["mean"] = mean
    short = f"instances of less than {SHORTEST:g} s (last {SHORTEST:g} s)"
    count = int((duration < SHORTEST).sum())
    return Workload(jobs, tasks, report={short: count})
