"""Checks for chapter 9: one trace, five papers."""

from functools import cache
from typing import Any

import numpy as np

from schedlib import eagle, hmhs, lotes
from schedlib.teaching.exercises.checking import exercise
from schedlib.teaching.exercises.reading import expect, kind_of, near, number, numbers, wholes
from schedlib.teaching.lessons import one_trace

CHAPTER = "09-one-trace"
TOY = 904740  # the trace's job of exercise 1


@exercise(1)
def four_views(answer: object) -> str:
    """Give four whole numbers: the jobs that LoTES, HMHS, MCH (leaves), Eagle see in the trace's job 904740.
    """
    given = wholes(numbers(answer, 4), "four counts")
    stages, pairs = one_trace.hour()
    mine = (stages.jobs["trace_job"] == TOY).to_numpy()
    instances, leaves, both = np.diff(stages.offsets)[mine].sum(), mine.sum(), pairs["trace_job"] == TOY
    expect(given[0] == instances, "LoTES: each instance is a job of its own; count all stages' tasks")
    expect(given[1] == both.sum(), "HMHS: a pair is a map and a reduce that waits for it")
    expect(given[2] == leaves, "MCH: the trace's job is the group; its leaves are the stages")
    expect(given[3] == leaves, "Eagle: a job is what has tasks of one kind, and one estimate")
    return "four papers, and three answers to what a job is."


@cache
def _loads():
    """Loads: of all the work, of each task's first 600 s, and of what falls within the slice."""
    workload = eagle.alibaba(1, trace=one_trace.part(10, 8, 4))
    duration = workload.tasks["duration"].to_numpy()
    left = one_trace.SPAN - np.repeat(workload.jobs["submit"].to_numpy(), np.diff(workload.offsets))
    capacity = np.ceil(eagle.offered_load(workload, 1) / 0.8) * one_trace.SPAN
    return [np.minimum(duration, most).sum() / capacity for most in (np.inf, one_trace.SPAN, left)]


@exercise(2)
def load_within(answer: object) -> str:
    """Give one number from 0 to 1: the load that counts only what is done within the ten minutes."""
    given = number(answer)
    expect(0 < given < 1, "a share of what all workers can do in 600 s, between 0 and 1")
    whole, cut, within = _loads()
    expect(not near(given, whole, 0.01), "that is all of the work: leave out what is done after ten minutes")
    expect(not near(given, cut, 0.005), "a task that comes at minute 5 has five minutes left in the slice")
    expect(near(given, within, 0.02), "sum min(duration, 600 - submit), over 600 s times `probe`'s workers")
    return "a few tasks that last for hours are most of the 80 %; machines are bought for them."


@cache
def _exits():
    configs, classes, jobs = lotes.alibaba_hour(trace=one_trace.part(20), load=0.8, first=one_trace.FIRST)
    plan = lotes.plan(configs, classes)
    return [lotes.simulate("lotes", configs, jobs, plan=plan, exit=how).mean_response
            for how in ("delta", "all")]


@exercise(3)
def exits(answer: object) -> str:
    """Give two numbers: LoTES's mean wait (s) on the slice of minute 20 as printed, and with exit='all'."""
    given, right = numbers(answer, 2), np.array(_exits())
    expect((given >= 0).all(), "waits in seconds are not negative")
    expect(not near(given, right[::-1], 0.02), "as printed (`exit='delta'`) first, then `exit='all'`")
    expect(near(given[0], right[0], 0.02), "the first: `one_trace.place(one_trace.part(20))['lotes']` has it")
    same = "the same machines, classes and plan, and `exit='all'` handed to `lotes.simulate`"
    expect(near(given[1], right[1], 0.02), f"the second: {same}")
    return "a class that the plan has not seen on a machine is never served there; one word mends it."


@cache
def _overlaps():
    """The shares of pairs whose reduce lasts longer than from its map's end to its own, or ends before it."""
    stages, pairs = one_trace.hour()
    longest = np.maximum.reduceat(stages.tasks["duration"].to_numpy(), stages.offsets[:-1])
    jobs = stages.jobs.assign(longest=longest).set_index(["trace_job", "stage"])
    maps, reduces = (jobs.loc[list(zip(pairs["trace_job"], pairs[stage], strict=True))]
                     for stage in ("map_stage", "reduce_stage"))
    gap = reduces["end"].to_numpy() - maps["end"].to_numpy()
    return (reduces["longest"].to_numpy() > gap + 1).mean(), (gap < 0).mean()


@exercise(4)
def overlap(answer: object) -> str:
    """Give one number from 0 to 1: the share of the hour's pairs whose reduce did not wait for its map."""
    given = number(answer)
    expect(0 < given < 1, "a share of the pairs, between 0 and 1")
    right, before = _overlaps()
    expect(not near(given, 1 - right, 0.01), "those may have waited: the other pairs are asked for")
    expect(not near(given, before, 0.01), "those end before their map does: more of them begin before")
    hint = "a reduce's longest instance against the time from its map's end to its own, plus 1 s for rounding"
    expect(near(given, right, 0.03), hint)
    return "reduces begin before their maps end, or what the trace calls a duration holds waiting, too."


@cache
def _batch():
    part = one_trace.part(20)
    orders, _ = one_trace.order(part, alike=True)
    return one_trace.batch(part, alike=True), min(done.job_end.mean() for done in orders.values())


@exercise(5)
def mean_end(answer: Any) -> str:
    """Give a `hmhs.Policy`, or a policy's order as a function `my_order(instance)`: a number for each job."""
    policy = answer if isinstance(answer, hmhs.Policy) or not callable(answer) else hmhs.Policy(answer)
    what = "a `hmhs.Policy`, as `hmhs.Policy(order=my_order)`"
    expect(isinstance(policy, hmhs.Policy), f"needs {what}, and this is {kind_of(answer)}")
    instance, best = _batch()
    end = hmhs.schedule(instance, policy).job_end.mean()
    hint = "Forget the makespan: who should go first while others wait?"
    expect(end < best, f"the best of the five shipped has a smaller mean end. {hint}")
    return f"pairs end {1 - end / best:.0%} sooner on average than under the best of the five."
