"""Checks for chapter 9, one trace and five papers, and chapter 10, your own policy."""

from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from schedlib import eagle, hmhs, leaderboard, lotes, mch
from schedlib.intervals import mean_ci
from schedlib.lotes.policies.own import can_start
from schedlib.teaching import exercises
from schedlib.teaching.exercises import a, expect, hinted, kind_of, near, number, numbers, wholes
from schedlib.teaching.exercises.chapters_07_08 import own_send
from schedlib.teaching.lessons import one_trace

five_papers = partial(exercises.exercise, "09-one-trace")
TOY = 904740  # the trace's job of exercise 1


@five_papers(1)
def four_views(answer: object) -> str:
    """Give four whole numbers: the jobs that LoTES, HMHS, MCH (leaves), Eagle see in trace job 904740."""
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


@five_papers(2)
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


@five_papers(3)
def exits(answer: object) -> str:
    """Give two numbers: LoTES's mean wait (s) on the slice of minute 20 as printed, and with exit='all'."""
    given, right = numbers(answer, 2), np.array(_exits())
    expect((given >= 0).all(), "waits in seconds are not negative")
    expect(not near(given, right[::-1], 0.02), "as printed (`exit='delta'`) first, then `exit='all'`")
    expect(near(given[0], right[0], 0.02), "the first: `one_trace.place(one_trace.part(20))['lotes']` has it")
    expect(near(given[1], right[1], 0.02), "the second: all the same, and `exit='all'` for `lotes.simulate`")
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


@five_papers(4)
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


@five_papers(5)
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


own_policy = partial(exercises.exercise, "10-your-own")
# Two policies' mean waits (s) on five seeds, in exercise 1; a leaf of CPUs, of memory, and of both, in 4.
A, B = (40.0, 12.0, 25.0, 58.0, 30.0), (37.0, 10.0, 21.0, 53.0, 29.0)
TREE, CAPACITY, UNTIL = [(1, 0), (0, 1), (1, 1)], (20.0, 20.0), 600.0


def best_fit(cluster: lotes.Cluster, job: int) -> int:
    """The chapter's `arrive`: the machine with the least left over."""
    best, least = -1, np.inf
    for machine in range(len(cluster.config)):
        left = (cluster.free[machine] - cluster.size[job]).sum()
        if left < least and can_start(cluster, job, machine):
            best, least = machine, left
    return best


@own_policy(1)
def paired(answer: object) -> str:
    """Give three numbers: the half-widths (s) of the 95 % intervals of A, of B, and of differences B - A."""
    given = numbers(answer, 3, "three half-widths")
    samples = A, B, np.subtract(B, A)
    right = np.array([mean_ci(values).high - mean_ci(values).mean for values in samples])
    spread = [np.std(values, ddof=1) for values in samples]
    expect(not near(given, spread, 0.02), "standard deviations: what is left in the mean of five seeds?")
    expect(not near(given, right * 1.96 / stats.t.ppf(0.975, 4), 0.02), "use Student's t in place of 1.96")
    expect(not near(given, 2 * right, 0.02), "these are whole widths; half of it stands on each side")
    hint = "the standard deviation (divide by n - 1) over the root of n, times Student's t for n - 1"
    expect(near(given[:2], right[:2], 0.02), f"A or B: {hint}")
    expect(near(given[2], right[2], 0.02), "the third: first the five differences, and then their interval")
    return "A and B overlap widely, and yet B is better on every seed: that is what common seeds buy."


def _surely_ahead(runs, rival):
    """Hint unless the policy "yours" breaks no rule and is surely below its rival by the first metric."""
    board = leaderboard.standings(runs)
    broke = board.loc[board["policy"] == "yours", "broke"].iloc[0]
    expect(not broke, f"it broke {broke}")
    values = runs[runs["metric"] == board["metric"][0]].pivot(index="seed", columns="policy", values="value")
    apart = mean_ci(values["yours"] - values[rival])
    expect(apart.mean < 0, f"it is not ahead of {rival} in the mean over the seeds")
    expect(apart.high < 0, f"it is ahead of {rival} in the mean, but the interval reaches above 0")


@own_policy(2)
def above_best_fit(answer: object) -> str:
    """Give a `lotes.Policy` that is surely ahead of best fit by the mean wait (the 95 % interval of the
    difference lies below 0), and breaks no rule."""
    mine = replace(a(lotes.Policy, answer, "a `lotes.Policy`"), name="yours")
    rival = lotes.Policy(best_fit, name="best fit")
    _surely_ahead(leaderboard.lotes(mine, rival, seeds=4, against=["greedy"], each=True), "best fit")
    return "and its longest wait? Look at the other metrics before you deploy it."


@own_policy(3)
def above_hawk(answer: object) -> str:
    """Give an `eagle.System` with a `short_jobs` function of yours that is ahead of Hawk (the 95 % interval
    of the difference lies below 0), and breaks no rule."""
    mine = eagle.System(**{**vars(own_send(answer)), "name": "yours"})
    _surely_ahead(leaderboard.eagle(mine, seeds=5, against=["hawk"], each=True), "hawk")
    return "how many messages does it take? `eagle.simulate(...).stats` knows."


@own_policy(4)
def nobody_lets_it_in(answer: object) -> str:
    """Give a table of jobs for `mch.simulate` (`leaf, submit, tasks, duration`) under which leaf 2 starves by
    all three rules."""
    jobs = a(pd.DataFrame, answer, "a table of jobs")
    for rule in ("drf", "h-drf", "mch"):
        with hinted("the simulator refuses this table"):
            run = mch.simulate(mch.Tree(TREE), CAPACITY, rule, jobs, until=UNTIL)
        third = run.jobs[run.jobs["leaf"] == 2]
        expect(len(third), "leaf 2 has no jobs here, and who wants nothing cannot starve")
        expect(third["submit"].min() <= UNTIL / 2, f"leaf 2 comes too late to starve within {UNTIL:g} s")
        hint = "When are a CPU and a unit of memory given back at the same time?"
        expect(third["start"].isna().all(), f"under {rule} a task of leaf 2 starts. {hint}")
    return "the rule chooses leaf 2 each time, and one of its two resources is always missing: none is kept."


@own_policy(5)
def above_hmhs(answer: object) -> str:
    """Give an `hmhs.Policy` that is ahead of HMHS itself on the board's first ten seeds (the 95 % interval of
    the difference lies below 0), and breaks no rule."""
    mine = replace(a(hmhs.Policy, answer, "an `hmhs.Policy`"), name="yours")
    _surely_ahead(leaderboard.hmhs(mine, seeds=10, against=["hmhs"], each=True), "hmhs")
    return "the paper's policy is not the last word. Does yours hold on the hybrid workload, and elsewhere?"
