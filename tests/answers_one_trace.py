"""Right and wrong answers to the exercises of chapter 9, by the exercise's name, made when they are asked for."""

import numpy as np
import pandas as pd

from book.lessons import one_trace
from schedlib import eagle, hmhs, lotes


def within(cut=False):
    """The second answer, task by task."""
    stages = one_trace.part(10, 8, 4)
    jobs = eagle.alibaba(1, trace=stages)
    tasks = jobs.tasks.merge(jobs.jobs[["job", "submit"]], on="job")
    workers = int(np.ceil(eagle.offered_load(jobs, 1) / 0.8))
    done = (
        tasks["duration"].clip(upper=600)
        if cut
        else pd.concat([tasks["duration"], 600 - tasks["submit"]], axis=1).min(axis=1)
    )
    return done.sum() / workers / 600


def overlap():
    """The fourth answer, by merging."""
    stages, pairs = one_trace.hour()
    tasks = stages.tasks.groupby("job")["duration"].max()
    ends = stages.jobs.assign(time=stages.jobs["job"].map(tasks))[
        ["trace_job", "stage", "end", "time"]
    ]
    both = pairs.merge(ends, left_on=["trace_job", "map_stage"], right_on=["trace_job", "stage"])
    both = both.merge(
        ends,
        left_on=["trace_job", "reduce_stage"],
        right_on=["trace_job", "stage"],
        suffixes=("_map", "_reduce"),
    )
    return (both["end_map"] + both["time_reduce"] > both["end_reduce"] + 1).mean()


def ends(second=1.0, before=False):
    """`overlap` with another second for rounding; or the reduces that end before their map."""
    stages, pairs = one_trace.hour()
    jobs = stages.jobs.assign(
        longest=stages.tasks.groupby("job")["duration"].max().to_numpy()
    ).set_index(["trace_job", "stage"])
    first, then = (
        jobs.loc[list(zip(pairs["trace_job"], pairs[at], strict=True))]
        for at in ("map_stage", "reduce_stage")
    )
    gap = then["end"].to_numpy() - first["end"].to_numpy()
    return (gap < 0).mean() if before else (then["longest"].to_numpy() > gap + second).mean()


def exits():
    configs, classes, jobs = lotes.alibaba_hour(
        trace=one_trace.part(20), load=0.8, first=one_trace.FIRST
    )
    plan = lotes.plan(configs, classes)
    return [
        lotes.simulate("lotes", configs, jobs, plan=plan, exit=how).mean_response
        for how in ("delta", "all")
    ]


def late():
    jobs = eagle.alibaba(1, trace=one_trace.part(10, 8, 4))
    tasks = jobs.tasks.merge(jobs.jobs[["job", "submit"]], on="job")
    workers = int(np.ceil(eagle.offered_load(jobs, 1) / 0.8))
    return tasks["duration"].sum() / workers / 600 - within()


def waits():
    return one_trace.place(one_trace.part(20), known=False)["lotes"].mean_response


RIGHT = {
    "one_trace.load_within": lambda: [within()],
    "one_trace.overlap": lambda: [overlap()],
    "one_trace.exits": exits,
}
WRONG = {
    "one_trace.load_within": lambda: [
        late() + within(),  # whole
        within(cut=True),  # cut
        late(),  # late
        80,  # per cent
        0,
        0.5,
    ],
    "one_trace.exits": lambda: [
        exits()[::-1],  # swapped
        (exits()[0],) * 2,  # same
        (waits() / 3600, 1),  # hours
        (-1, 1),
        3,
    ],
    "one_trace.overlap": lambda: [
        1 - overlap(),  # may have waited
        ends(before=True),  # ended before
        ends(0.0),  # no second
        42,  # per cent
        0.5,
        0,
    ],
    "one_trace.mean_end": lambda: [hmhs.Policy(), lambda instance: [1], 3, "shortest first"],
}
