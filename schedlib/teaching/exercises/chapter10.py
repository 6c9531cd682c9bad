"""Checks for chapter 10: your own policy."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from schedlib import eagle, hmhs, leaderboard, lotes, mch
from schedlib.intervals import mean_ci
from schedlib.lotes.policies.own import can_start
from schedlib.teaching.exercises.chapter07 import own_send
from schedlib.teaching.exercises.checking import exercise
from schedlib.teaching.exercises.reading import a, expect, hinted, near, numbers

CHAPTER = "10-your-own"
A, B = (40.0, 12.0, 25.0, 58.0, 30.0), (37.0, 10.0, 21.0, 53.0, 29.0)
"""Two policies' mean waits (s) on five seeds, in exercise 1."""
TREE, CAPACITY, UNTIL = [(1, 0), (0, 1), (1, 1)], (20.0, 20.0), 600.0
"""The tree of exercise 4: a leaf needs only CPUs, one only memory, and one both."""


def best_fit(cluster: lotes.Cluster, job: int) -> int:
    """The chapter's `arrive`: the machine with the least left over."""
    best, least = -1, np.inf
    for machine in range(len(cluster.config)):
        left = (cluster.free[machine] - cluster.size[job]).sum()
        if left < least and can_start(cluster, job, machine):
            best, least = machine, left
    return best


def half(values: npt.ArrayLike) -> float:
    """Half of the width of the mean's 95 % interval."""
    return (mean_ci(values).high - mean_ci(values).low) / 2


@exercise(1)
def paired(answer: object) -> str:
    """Give three numbers: the half-widths (s) of the 95 % intervals of A, of B, and of the differences B - A.
    """
    given = numbers(answer, 3, "three half-widths")
    samples = A, B, np.subtract(B, A)
    right = np.array([half(values) for values in samples])
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


@exercise(2)
def above_best_fit(answer: object) -> str:
    """Give a `lotes.Policy` that is surely ahead of best fit by the mean wait (the 95 % interval of the
    difference lies below 0), and breaks no rule."""
    mine = replace(a(lotes.Policy, answer, "a `lotes.Policy`"), name="yours")
    rival = lotes.Policy(best_fit, name="best fit")
    _surely_ahead(leaderboard.lotes(mine, rival, seeds=4, against=["greedy"], each=True), "best fit")
    return "and its longest wait? Look at the other metrics before you deploy it."


@exercise(3)
def above_hawk(answer: object) -> str:
    """Give an `eagle.System` with a `short_jobs` function of yours that is ahead of Hawk (the 95 % interval
    of the difference lies below 0), and breaks no rule."""
    mine = eagle.System(**{**vars(own_send(answer)), "name": "yours"})
    _surely_ahead(leaderboard.eagle(mine, seeds=5, against=["hawk"], each=True), "hawk")
    return "how many messages does it take? `eagle.simulate(...).stats` knows."


@exercise(4)
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


@exercise(5)
def above_hmhs(answer: object) -> str:
    """Give an `hmhs.Policy` that is ahead of HMHS itself on the board's first ten seeds (the 95 % interval of
    the difference lies below 0), and breaks no rule."""
    mine = replace(a(hmhs.Policy, answer, "an `hmhs.Policy`"), name="yours")
    _surely_ahead(leaderboard.hmhs(mine, seeds=10, against=["hmhs"], each=True), "hmhs")
    return "the paper's policy is not the last word. Does yours hold on the hybrid workload, and elsewhere?"
