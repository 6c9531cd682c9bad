"""The Alibaba hour as a workload of Eagle's kind: real jobs, thinned to some thousand workers."""

import numpy as np
import pandas as pd

from schedlib import traces
from schedlib.eagle.workloads.measures import job_means
from schedlib.eagle.workloads.synthetic import CUTOFF
from schedlib.workload import Workload

SHORTEST = 1.0  # s: the trace's whole seconds are rounded down, so 0 stands for less than 1


def alibaba(every: int = 16, *, trace: Workload | None = None) -> Workload:
    """Every `every`-th stage of Alibaba's hour as a job, its instances the tasks: at 16 they are 4,228 jobs.

    jobs: `job` (0, 1, ...), `submit` (whole s), `class` (1 is long: mean above `CUTOFF["alibaba"]`), `mean`
    (s), `stage` (its row in the trace); tasks: `job`, `duration` (whole s, those of 0 s last 1 s and are
    counted in `report`). Stages come one after the other in the order of submission, so that every n-th is a
    sample spread over the hour; all stages of a job of the trace come at its submission, as that is all the
    trace tells. The full hour needs 47,000 workers to be busy to 95 %, every 16th stage 2,150
    (`WORKERS["alibaba"]`). A job may have more tasks than the cluster workers (10,396 in the sample); it runs
    in waves, as it would have to.

    The cut-off is that of the paper's Google trace, a tenth of the jobs, and so is the rule for the short
    partition: the short jobs' share of the task-seconds (`short_share`), a quarter. `trace` is
    `traces.alibaba2018("stages")` or a stretch of it. Raises ValueError unless `every` is a whole number from
    1 to the number of stages. Sources: Eagle, Section 5; Alibaba cluster-trace-v2018.

    >>> from schedlib.eagle.workloads.measures import table1
    >>> table1(alibaba(), CUTOFF["alibaba"]).round(1).values.tolist()
    [[4228.0, 10.3, 75.6]]
    """
    trace = traces.alibaba2018("stages") if trace is None else trace
    if every != int(every) or not 1 <= every <= len(trace):
        raise ValueError(f"every: {every}, must be a whole number from 1 to the trace's {len(trace)} stages")
    chosen, counts = np.arange(len(trace)) % int(every) == 0, np.diff(trace.offsets)
    kept = np.flatnonzero(chosen)
    duration = trace.tasks["duration"].to_numpy()[np.repeat(chosen, counts)]
    number = np.arange(len(kept))
    tasks = pd.DataFrame({"job": np.repeat(number, counts[kept]), "duration": np.maximum(duration, SHORTEST)})
    jobs = pd.DataFrame({"job": number, "submit": trace.jobs["submit"].to_numpy()[kept], "stage": kept})
    mean = job_means(Workload(jobs, tasks))
    jobs["class"], jobs["mean"] = (mean > CUTOFF["alibaba"]).astype(np.int64), mean
    short = f"instances of less than {SHORTEST:g} s (last {SHORTEST:g} s)"
    return Workload(jobs, tasks, report={short: int((duration < SHORTEST).sum())})
