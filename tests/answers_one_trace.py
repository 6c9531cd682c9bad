"""Right and wrong answers to the exercises of chapter 9, by chapter and number, made when they are asked for."""

import numpy as np
import pandas as pd

from schedlib import eagle, hmhs
from schedlib.teaching.lessons import one_trace


def within(cut=False):
    """The second answer, task by task."""
    stages = one_trace.part(10, 8, 4)
    jobs = eagle.alibaba(1, trace=stages)
    tasks = jobs.tasks.merge(jobs.jobs[["job", "submit"]], on="job")
    workers = int(np.ceil(eagle.offered_load(jobs, 1) / 0.8))
    done = tasks["duration"].clip(upper=600) if cut else pd.concat([tasks["duration"], 600 - tasks["submit"]], axis=1).min(axis=1)
    return done.sum() / workers / 600


def overlap():
    """The fourth answer, by merging."""
    stages, pairs = one_trace.hour()
    tasks = stages.tasks.groupby("job")["duration"].max()
    ends = stages.jobs.assign(time=stages.jobs["job"].map(tasks))[["trace_job", "stage", "end", "time"]]
    both = pairs.merge(ends, left_on=["trace_job", "map_stage"], right_on=["trace_job", "stage"])
    both = both.merge(ends, left_on=["trace_job", "reduce_stage"], right_on=["trace_job", "stage"], suffixes=("_map", "_reduce"))
    return (both["end_map"] + both["time_reduce"] > both["end_reduce"] + 1).mean()


def waits():
    return one_trace.place(one_trace.part(20), known=False)["lotes"].mean_response


def shortest(instance):
    return np.sum(hmhs.total_times(instance), axis=0)


RIGHT = {
    ("09-one-trace", 1): lambda: (4, 1, 4, 4),
    ("09-one-trace", 2): lambda: [within()],
    ("09-one-trace", 4): lambda: [overlap()],
    ("09-one-trace", 5): lambda: hmhs.Policy(shortest),
}
WRONG = {
    ("09-one-trace", 1): lambda: [(1, 1, 4, 4), (4, 2, 4, 4), (4, 1, 1, 4), (4, 1, 4, 1), (4.5, 1, 4, 4), (4, 1, 4)],
    ("09-one-trace", 2): lambda: [0.797, within(cut=True), 80, 0, 0.5],
    ("09-one-trace", 3): lambda: [(waits(), waits()), (waits() / 3600, 1), (-1, 1), (1, waits()), 3],
    ("09-one-trace", 4): lambda: [1 - overlap(), 42, 0.5, 0],
    ("09-one-trace", 5): lambda: [hmhs.Policy(), lambda instance: -shortest(instance), 3, "shortest first"],
}
