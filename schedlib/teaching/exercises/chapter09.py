"""Checks for chapter 9: one trace, five papers."""

from functools import cache

import numpy as np

from schedlib import eagle, hmhs, lotes
from schedlib.teaching.exercises.checking import exercise
from schedlib.teaching.exercises.reading import expect, kind_of, near, number, numbers, wholes
from schedlib.teaching.lessons import one_trace

CHAPTER = "09-one-trace"
TOY = 904740  # the trace's job of exercise 1


@exercise(CHAPTER, 1, "four whole numbers: the jobs that LoTES, HMHS, MCH (its leaves) and Eagle see in the trace's job 904740")
def four_views(answer):
    given = wholes(numbers(answer, 4), "four counts")
    stages, pairs = one_trace.hour()
    mine = (stages.jobs["trace_job"] == TOY).to_numpy()
    instances, leaves = int(np.diff(stages.offsets)[mine].sum()), int(mine.sum())
    expect(given[0] == instances, "LoTES: each instance is a job of its own; count the tasks of all of its stages")
    expect(given[1] == (pairs["trace_job"] == TOY).sum(), "HMHS: a pair is a map stage and a reduce stage that waits for it alone")
    expect(given[2] == leaves, "MCH: the trace's job is the group; its leaves are the stages")
    expect(given[3] == leaves, "Eagle: a job is what has tasks of one kind, and one estimate")
    return "four papers, and three answers to what a job is."


@cache
def _loads():
    """All of the work, what is done of it when each task is cut off at 600 s, and what falls within the slice, as loads."""
    stages = one_trace.part(10, 8, 4)
    workload = eagle.alibaba(1, trace=stages)
    duration = workload.tasks["duration"].to_numpy()
    left = one_trace.SPAN - np.repeat(workload.jobs["submit"].to_numpy(), np.diff(workload.offsets))
    capacity = np.ceil(eagle.offered_load(workload, 1) / 0.8) * one_trace.SPAN
    return [work.sum() / capacity for work in (duration, np.minimum(duration, one_trace.SPAN), np.minimum(duration, left))]


@exercise(CHAPTER, 2, "one number from 0 to 1: the load that counts only what is done within the ten minutes")
def load_within(answer):
    given = number(answer)
    expect(0 < given < 1, "a share of what all workers can do in 600 s, between 0 and 1")
    whole, cut, within = _loads()
    expect(not near(given, whole, 0.01), "that is all of the work: leave out what is done after the ten minutes")
    expect(not near(given, cut, 0.005), "a task that comes at minute 5 has only five minutes left within the slice")
    expect(near(given, within, 0.02), "sum of min(duration, 600 - submit), over workers times 600 s; on the workers that `probe` takes for 0.8")
    return "a few tasks that last for hours are most of the 80 %: the machines are bought for them, and nobody else waits."


@cache
def _exits():
    stages = one_trace.part(20)
    configs, classes, jobs = lotes.alibaba_hour(trace=stages, load=0.8, first=one_trace.FIRST)
    plan = lotes.plan(configs, classes)
    return [lotes.simulate("lotes", configs, jobs, plan=plan, exit=how).mean_response for how in ("delta", "all")]


@exercise(CHAPTER, 3, "two numbers: LoTES's mean wait (s) on the slice of minute 20 as printed, and with exit='all'")
def exits(answer):
    given, right = numbers(answer, 2), np.array(_exits())
    expect((given >= 0).all(), "waits in seconds are not negative")
    expect(not near(given, right[::-1], 0.02), "as printed (`exit='delta'`) first, then `exit='all'`")
    expect(near(given[0], right[0], 0.02), "the first: `one_trace.place(one_trace.part(20))['lotes']` has it, at load 0.8")
    expect(near(given[1], right[1], 0.02), "the second: the same machines, classes and plan, and `exit='all'` handed to `lotes.simulate`")
    return "a class that the plan has not seen somewhere is not served there, however long it waits; one word mends it."


@cache
def _overlaps():
    """The shares of the hour's pairs whose reduce lasts longer than from its map's end to its own, and which end before their map does."""
    stages, pairs = one_trace.hour()
    longest = np.maximum.reduceat(stages.tasks["duration"].to_numpy(), stages.offsets[:-1])
    jobs = stages.jobs.assign(longest=longest).set_index(["trace_job", "stage"])
    first, then = (jobs.loc[list(zip(pairs["trace_job"], pairs[f"{kind}_stage"], strict=True))] for kind in ("map", "reduce"))
    gap = then["end"].to_numpy() - first["end"].to_numpy()
    return (then["longest"].to_numpy() > gap + 1).mean(), (gap < 0).mean()


@exercise(CHAPTER, 4, "one number from 0 to 1: the share of the hour's pairs whose reduce cannot have waited for its map")
def overlap(answer):
    given = number(answer)
    expect(0 < given < 1, "a share of the pairs, between 0 and 1")
    right, before = _overlaps()
    expect(not near(given, 1 - right, 0.01), "those are the pairs that may have waited: the others are asked for")
    expect(not near(given, before, 0.01), "those end before their map does: more of them must have begun before it ended")
    expect(near(given, right, 0.03), "a reduce's longest instance against the time from its map's end to its own; a second more, for rounding")
    return "either reduces begin before their maps end, or what the trace calls a duration holds some waiting too."


@cache
def _batch():
    part = one_trace.part(20)
    return one_trace.batch(part, alike=True), min(done.job_end.mean() for done in one_trace.order(part, alike=True)[0].values())


@exercise(CHAPTER, 5, "a `hmhs.Policy`, or a function that gives a policy's order: `my_order(instance)`, a number for each job")
def mean_end(answer):
    policy = answer if isinstance(answer, hmhs.Policy) or not callable(answer) else hmhs.Policy(answer)
    expect(isinstance(policy, hmhs.Policy), f"needs a `hmhs.Policy`, as `hmhs.Policy(order=my_order)`, and this is {kind_of(answer)}")
    instance, best = _batch()
    end = hmhs.schedule(instance, policy).job_end.mean()
    expect(end < best, "the best of the five shipped has a smaller mean end. Forget the makespan: who should go first while others wait?")
    return f"pairs end {1 - end / best:.0%} sooner on average than under the best of the five."
