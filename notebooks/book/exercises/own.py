"""Checks for chapter 9, one trace and five papers, and chapter 10, your own policy."""

import math
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

from book import exercises
from book.exercises.eagle import own_send
from book.exercises.reading import (
    a,
    expect,
    expect_near,
    hinted,
    limited,
    made,
    number,
    numbers,
    unlike,
    wholes,
)
from book.lessons import one_trace
from schedlib import boards, hmhs, lotes, mch
from schedlib.intervals import mean_ci
from schedlib.lotes.policies.own import can_start

five_papers = partial(exercises.exercise, "one_trace")


@five_papers(
    "look at the job's rows in `stages.jobs` and in `pairs`",
    "LoTES counts instances, HMHS rows of `pairs`, MCH and Eagle both count stages: "
    "`np.diff(stages.offsets)` has the instances of each stage",
)
def four_views(answer: object) -> str:
    """Give four whole numbers: the jobs that LoTES, HMHS, MCH (leaves), Eagle see in trace job 42086."""
    values = wholes(numbers(answer, 4, unit="jobs", names="lotes hmhs mch eagle"), "four counts")
    seen = (
        ("LoTES", 7, "each instance is a job of its own; count all stages' tasks"),
        ("HMHS", 2, "a pair is a map and a reduce that waits for it"),
        ("MCH", 5, "the trace's job is the group; its leaves are the stages"),
        ("Eagle", 5, "a job is what has tasks of one kind, and one estimate"),
    )
    for (of, right, hint), jobs in zip(seen, values, strict=True):
        expect(jobs == right, f"{of}: {hint}")
    return "four papers, and more than one answer to what a job is."


@five_papers(
    "a task that comes at s and lasts d does at most `min(d, 600 - s)` seconds of work in the slice",
    "`workload = eagle.alibaba(1, trace=part)`; `np.repeat(workload.jobs['submit'], "
    "np.diff(workload.offsets))` gives s for each task; the workers are "
    "`np.ceil(eagle.offered_load(workload, 1) / 0.8)`",
)
def load_within(answer: object) -> str:
    """Give one number from 0 to 1: the load that counts only what is done within the ten minutes."""
    value = number(answer)
    right, whole = 0.2034, 0.7973
    expect(0 < value < 1, "give a share of what all workers can do in 600 s, between 0 and 1")
    expect_near(
        value,
        right,
        "work within the slice, over 600 s times the workers that `probe` would have",
        (whole, "that is all of the work: leave out what is done after ten minutes", 0.01),
        (0.2218, "a task that comes at minute 5 has five minutes left in the slice", 0.005),
        (whole - right, "that is the part of the work that comes after the ten minutes"),
    )
    return "most of the 80 % comes from a few tasks that last for hours."


@five_papers(
    "`lotes.simulate('lotes', configs, jobs, plan=plan, exit=...)` on "
    "`lotes.alibaba_hour(trace=one_trace.part(20), load=0.8, first=100)`",
    "the plan is `lotes.plan(configs, classes)` of that call; run it with `exit='delta'` and "
    "with `exit='all'`, and take `mean_wait` in seconds",
)
def exits(answer: object) -> str:
    """Give two numbers: LoTES's mean wait (s) on the slice of minute 20 as printed, and with exit='all'."""
    values = numbers(answer, 2, unit="s seconds", names="print|delta all")
    right = np.array([78.61, 44.67])
    expect((values >= 0).all(), "waits in seconds are not negative")
    unlike(values, (right[::-1], "as printed (`exit='delta'`) first, then `exit='all'`"))
    expect_near(
        values[0], right[0], "the first: `one_trace.place(one_trace.part(20))['lotes']` has it"
    )
    expect_near(
        values[1],
        right[1],
        "the second: change nothing but `exit='all'` in the call of `lotes.simulate`",
    )
    return (
        "as printed, a machine never looks for a class outside its plan; `exit='all'` fixes that."
    )


@five_papers(
    "for each pair compare two numbers: `longest` of the reduce, and its `end` less the map's "
    "`end`, plus 1",
    "`longest` is the maximum of a stage's tasks: `np.maximum.reduceat(durations, "
    "stages.offsets[:-1])`. Take the mean of `longest > gap + 1` over the pairs",
)
def overlap(answer: object) -> str:
    """Give one number from 0 to 1: the share of the hour's pairs whose reduce did not wait for its map."""
    value = number(answer)
    right = 0.4192
    expect(0 < value < 1, "a share of the pairs, between 0 and 1")
    expect_near(
        value,
        right,
        "compare a reduce's longest instance with the time from its map's end to its own end, plus 1 s",
        (1 - right, "those may have waited: the other pairs are asked for", 0.01),
        (0.0779, "those end before their map ends: even more begin before it", 0.01),
        (0.6825, "allow one second for rounding", 0.003),
        (0.6486, "by *more* than a second, not by one second or more", 0.003),
        within=0.01,
    )
    return "either reduces begin before their maps end, or the trace's durations include waiting."


@cache
def _batch(start):
    part = one_trace.part(start)
    orders, _ = one_trace.order(part, alike=True)
    return one_trace.batch(part, alike=True), min(done.job_end.mean() for done in orders.values())


@five_papers(
    "which order has the least mean end on one machine?",
    "`def my_order(instance)` gives a number for each job, and the least goes first; `hmhs.total_times(instance)` "
    "says how much work a job has in each stage",
)
def mean_end(answer: Any) -> str:
    """Give a `hmhs.Policy`, or a policy's order as a function `my_order(instance)`: a number for each job."""
    policy = made(answer, hmhs.Policy, "a `hmhs.Policy`, as `hmhs.Policy(order=my_order)`")
    policy = replace(policy, order=limited()(policy.order))
    for start in (20, 40):
        instance, best = _batch(start)
        with hinted("the policy does not run"):
            end = hmhs.schedule(instance, policy).job_end.mean()
        where = "on minute 20" if start == 20 else "on another minute of the hour"
        hint = "Forget the makespan: who should go first while others wait?"
        expect(end < best, f"{where} the best of the five shipped has a smaller mean end. {hint}")
    return "the mean end is shorter than under the best of the five, on this slice and on another."


own_policy = partial(exercises.exercise, "own_policy")
# A leaf of CPUs, of memory, and of both, in exercise 4.
TREE = [(1, 0), (0, 1), (1, 1)]
CAPACITY = (20.0, 20.0)
UNTIL = 600.0


def best_fit(cluster: lotes.Cluster, job: int) -> int:
    """The chapter's `arrive`: the machine with the least left over."""
    best = -1
    least = np.inf
    for machine in range(len(cluster.config)):
        left = (cluster.free[machine] - cluster.size[job]).sum()
        if left < least and can_start(cluster, job, machine):
            best, least = machine, left
    return best


@own_policy(
    "the standard deviation (divide by n - 1) over the root of n, times Student's t for n - 1",
    "`t = 2.776` for five values; `np.std(values, ddof=1) / np.sqrt(5)` is the deviation of "
    "the mean. The third is of `B - A`, value by value",
)
def paired(answer: object) -> str:
    """Give three numbers: the half-widths (s) of the 95 % intervals of A, of B, and of differences B - A."""
    values = numbers(answer, 3, "three half-widths", "s seconds", "^A$ ^B$ B.*A|diff")
    waits_a = np.array([40, 12, 25, 58, 30])  # in s, by seed
    waits_b = np.array([37, 10, 21, 53, 29])
    samples = np.array([waits_a, waits_b, waits_b - waits_a])
    deviations = samples.std(axis=1, ddof=1)
    errors = deviations / math.sqrt(5)
    half_widths = 2.776 * errors  # Student's t with 4 degrees of freedom
    unlike(
        values,
        (deviations, "these are standard deviations: how much does a mean of five deviate?"),
        (1.96 * errors, "use Student's t in place of 1.96"),
        (2 * half_widths, "these are whole widths: give half of each"),
    )
    for name, half, right in zip("AB", values[:2], half_widths[:2], strict=True):
        expect_near(
            half,
            right,
            f"{name}: from the standard deviation of the five numbers to that of their mean",
        )
    expect_near(
        values[2],
        half_widths[2],
        "the third: take the five differences first, and then their interval",
    )
    return "the intervals of A and B overlap, and that of B - A lies below 0: that is what common seeds gain."


def _surely_ahead(runs, rival):
    """Hint unless the policy "yours" breaks no rule and is surely below its rival by the first metric."""
    board = boards.standings(runs)
    broke = board.loc[board["policy"] == "yours", "broke"].iloc[0]
    expect(not broke, f"it broke {broke}")
    values = runs[runs["metric"] == board["metric"][0]].pivot(
        index="seed", columns="policy", values="value"
    )
    expect(values["yours"].notna().all(), "some of its jobs never start")
    apart = mean_ci(values["yours"] - values[rival])
    expect(apart.mean < 0, f"it is not ahead of {rival} in the mean over the seeds")
    expect(apart.high < 0, f"it is ahead of {rival} in the mean, but the interval reaches above 0")


@own_policy(
    "a `leave` function that takes a short job before a long one; their size alone gains too little to be sure",
    "keep best fit as `arrive`: it does not decide who waits. Which of the jobs that `can_start` holds up "
    "the others for the shortest time, and takes the least from them?",
)
def above_best_fit(answer: object) -> str:
    """Give a `lotes.Policy` that is surely ahead of best fit by the mean wait (the 95 % interval of the
    difference lies below 0), and breaks no rule."""
    mine = replace(made(answer, lotes.Policy, "a `lotes.Policy`"), name="yours")
    rival = lotes.Policy(best_fit, name="best fit")
    _surely_ahead(boards.lotes(mine, rival, seeds=4, against=["greedy"], each=True), "best fit")
    return "and its longest wait? Look at the other metrics before you deploy it."


@own_policy(
    "look at `cluster.long_tasks` before you send, and take the shorter of two queues",
    "two ideas of the book help at once: one says which workers to avoid, one how many to compare. Where is a "
    "short job safe when you find no such worker? And what may a queue do besides first come, first served?",
)
def above_hawk(answer: object) -> str:
    """Give an `eagle.System` with a `short_jobs` function of yours that is ahead of Hawk (the 95 % interval
    of the difference lies below 0), and breaks no rule."""
    mine = replace(own_send(answer), name="yours")
    _surely_ahead(boards.eagle(mine, seeds=20, against=["hawk"], each=True), "hawk")
    return "how many messages does it take? `eagle.simulate(...).stats` knows."


@own_policy(
    "give leaves 0 and 1 more tasks than fit, from time 0 on, whose ends never coincide",
    "leaf 0 with tasks of a round number of seconds, leaf 1 with tasks of an irrational one, "
    "both at time 0 and with far more tasks than fit; leaf 2 comes a little later",
)
def nobody_lets_it_in(answer: object) -> str:
    """Give a table of jobs for `mch.simulate` (`leaf, submit, tasks, duration`) under which leaf 2 starves by
    all three rules."""
    jobs = a(pd.DataFrame, answer, "a table of jobs")
    for rule in ("drf", "h-drf", "mch"):
        with hinted("the simulator refuses this table"):
            run = mch.simulate(mch.Tree(TREE), CAPACITY, rule, jobs, until=UNTIL)
        third = run.jobs[run.jobs["leaf"] == 2]
        expect(
            len(third),
            "leaf 2 has no jobs here: give it some, for only a leaf with jobs can starve",
        )
        expect((third["tasks"] > 0).all(), "a job of leaf 2 has no task, so nothing of it can wait")
        longest = run.jobs["duration"].max()
        blocked = f"tasks of {longest:g} s hold the cluster, and there is nothing to choose"
        expect(longest <= UNTIL / 10, f"{blocked}: give tasks of {UNTIL / 10:g} s or less")
        expect(
            third["submit"].min() <= UNTIL / 2,
            f"leaf 2 comes too late to starve within {UNTIL:g} s",
        )
        hint = "When are a CPU and a unit of memory given back at the same time?"
        expect(third["start"].isna().all(), f"under {rule} a task of leaf 2 starts. {hint}")
    return "the rule chooses leaf 2 each time, but one of its two resources is missing, and none is reserved."


@own_policy(
    "no large job should be left for the end: how much work does each have?",
    "keep the paper's rule for the reduces. A free machine can ask of each waiting job how far it is from the "
    "machine that suits that job best; `stage.time` has the times of both",
)
def above_hmhs(answer: object) -> str:
    """Give an `hmhs.Policy` that is ahead of HMHS itself on the board's first ten seeds (the 95 % interval of
    the difference lies below 0), and breaks no rule."""
    policy = a(hmhs.Policy, answer, "an `hmhs.Policy`")
    mine = replace(policy, name="yours", order=limited()(policy.order))
    _surely_ahead(boards.hmhs(mine, seeds=10, against=["hmhs"], each=True), "hmhs")
    return "the paper's policy is not the last word. Does yours hold on the hybrid workload, and elsewhere?"
