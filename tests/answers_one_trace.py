"""What makes right and wrong answers to the exercises of chapter 9, which answers_made.toml lists."""

import numpy as np

from book.lessons import one_trace
from schedlib import eagle, lotes


def loads():
    """The second answer (within), and the loads by all work (whole) and by tasks cut at ten minutes (cut)."""
    jobs = eagle.alibaba(1, trace=one_trace.part(10, 8, 4))
    tasks = jobs.tasks.merge(jobs.jobs[["job", "submit"]], on="job")
    workers = int(np.ceil(eagle.offered_load(jobs, 1) / 0.8))
    whole = tasks["duration"]
    seconds = {
        "within": np.minimum(whole, 600 - tasks["submit"]),
        "whole": whole,
        "cut": whole.clip(upper=600),
    }
    return {name: busy.sum() / workers / 600 for name, busy in seconds.items()}


def pairs():
    """The hour's pairs, with the end of both stages and the time of their longest instances (s)."""
    stages, found = one_trace.hour()
    longest = stages.tasks.groupby("job")["duration"].max()
    ends = stages.jobs.assign(time=stages.jobs["job"].map(longest))
    ends = ends.set_index(["trace_job", "stage"])[["end", "time"]]
    for kind in ("map", "reduce"):
        found = found.join(ends.add_suffix(f"_{kind}"), on=["trace_job", f"{kind}_stage"])
    return found


def overlap(rounding=1.0):
    """The fourth answer, or the one with other seconds for rounding."""
    both = pairs()
    return (both["end_map"] + both["time_reduce"] > both["end_reduce"] + rounding).mean()


def ended_before():
    both = pairs()
    return (both["end_reduce"] < both["end_map"]).mean()


def exits():
    configs, classes, jobs = lotes.alibaba_hour(
        trace=one_trace.part(20), load=0.8, first=one_trace.FIRST
    )
    plan = lotes.plan(configs, classes)
    return [
        lotes.simulate("lotes", configs, jobs, plan=plan, exit=how).mean_wait
        for how in ("delta", "all")
    ]


def waits():
    return one_trace.place(one_trace.part(20), known=False)["lotes"].mean_wait
