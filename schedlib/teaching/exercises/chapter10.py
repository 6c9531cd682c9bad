"""Checks for chapter 10: your own policy."""

import numpy as np
import pandas as pd
from scipy import stats

from schedlib import eagle, hmhs, leaderboard, lotes, mch
from schedlib.intervals import mean_ci
from schedlib.lotes.policies.own import can_start
from schedlib.teaching.exercises.checking import exercise
from schedlib.teaching.exercises.reading import a, expect, near, numbers, told

CHAPTER = "10-your-own"
A, B = (40.0, 12.0, 25.0, 58.0, 30.0), (37.0, 10.0, 21.0, 53.0, 29.0)
"""Two policies' mean waits (s) on five seeds, in exercise 1."""
SURELY = "(the 95 % interval of the difference lies below 0), and breaks no rule"
TREE, CAPACITY, UNTIL = [(1, 0), (0, 1), (1, 1)], (20.0, 20.0), 600.0
"""The tree of exercise 4: a leaf that needs only CPUs, one that needs only memory, and one that needs both."""


def best_fit(cluster, job):
    """The chapter's `arrive`: the machine with the least left over."""
    best, least = -1, np.inf
    for machine in range(len(cluster.config)):
        left = (cluster.free[machine] - cluster.size[job]).sum()
        if left < least and can_start(cluster, job, machine):
            best, least = machine, left
    return best


def half(values) -> float:
    found = mean_ci(values)
    return (found.high - found.low) / 2


def _row(board, policy):
    return board[board["policy"] == policy].iloc[0]


def _runs_clean(board, policy):
    row = _row(board, policy)
    expect(not row["broke"], f"it broke {row['broke']}")
    return row


@exercise(CHAPTER, 1, "three numbers: the half-widths of the 95 % intervals of A, of B, and of the differences B - A, in seconds")
def paired(answer):
    found = numbers(answer, 3, "three half-widths")
    samples = A, B, np.subtract(B, A)
    right = np.array([half(values) for values in samples])
    spread = [np.std(values, ddof=1) for values in samples]
    expect(not near(found, spread, 0.02), "these are standard deviations: what is left of them in the mean of five seeds?")
    expect(not near(found, right * 1.96 / stats.t.ppf(0.975, 4), 0.02), "with so few seeds Student's t takes the place of 1.96")
    expect(not near(found, 2 * right, 0.02), "these are whole widths; half of it stands on each side")
    text = "A or B: the standard deviation (divide by n - 1) over the root of n, times Student's t with n - 1 degrees of freedom"
    expect(near(found[:2], right[:2], 0.02), text)
    expect(near(found[2], right[2], 0.02), "the third: take the five differences first, and then their interval")
    return "A and B overlap widely, and yet B is better on every seed: that is what common seeds buy."


@exercise(CHAPTER, 2, f"a `lotes.Policy` whose mean wait is below best fit's {SURELY}")
def above_best_fit(answer):
    policy = a(lotes.Policy, answer, "a `lotes.Policy`")
    mine = lotes.Policy(policy.arrive, policy.leave, "yours")
    rival = lotes.Policy(best_fit, name="best fit")
    runs = leaderboard.lotes(mine, rival, seeds=4, against=["greedy"], each=True)
    row = _runs_clean(leaderboard.standings(runs), "yours")
    _surely_lower(runs, row["metric"], "yours", "best fit")
    return "and its longest wait? Look at the other metrics before you deploy it."


def _surely_lower(runs, metric, mine, rival):
    values = runs[runs["metric"] == metric].pivot(index="seed", columns="policy", values="value")
    apart = mean_ci(values[mine] - values[rival])
    expect(apart.mean < 0, f"it is not ahead of {rival} in the mean over the seeds")
    expect(apart.high < 0, f"it is ahead of {rival} in the mean, but the interval of the difference reaches above 0")


@exercise(CHAPTER, 3, f"an `eagle.System` with a `short_jobs` function of yours that is ahead of Hawk {SURELY}")
def above_hawk(answer):
    system = a(eagle.System, answer, "an `eagle.System`")
    expect(callable(system.short_jobs), "`short_jobs` names one of the shipped parts; write a function send(cluster, job, probe, rng)")
    mine = eagle.System(**{**vars(system), "name": "yours"})
    runs = leaderboard.eagle(mine, seeds=5, against=["hawk"], each=True)
    row = _runs_clean(leaderboard.standings(runs), "yours")
    _surely_lower(runs, row["metric"], "yours", "hawk")
    return "how many messages does it take? `eagle.simulate(...).stats` knows."


@exercise(CHAPTER, 4, "a table of jobs for `mch.simulate` (`leaf, submit, tasks, duration`) under which leaf 2 starves by all three rules")
def nobody_lets_it_in(answer):
    jobs = a(pd.DataFrame, answer, "a table of jobs")
    tree = mch.Tree(TREE)
    for rule in ("drf", "h-drf", "mch"):
        try:
            run = mch.simulate(tree, CAPACITY, rule, jobs, until=UNTIL)
        except ValueError as error:
            expect(False, f"the simulator refuses this table: {told(error)}")
        third = run.jobs[run.jobs["leaf"] == 2]
        expect(len(third), "leaf 2 has no jobs here, and who wants nothing cannot starve")
        early = third["submit"].min()
        expect(early <= UNTIL / 2, f"leaf 2 comes too late to starve within {UNTIL:g} s; let it come in the first half")
        text = f"under {rule} a task of leaf 2 starts. When are a CPU and a unit of memory given back at the same time?"
        expect(third["start"].isna().all(), text)
    return "the rule chooses leaf 2 every time, and every time one of its two resources is missing. Nothing is ever kept for it."


@exercise(CHAPTER, 5, f"an `hmhs.Policy` that is ahead of HMHS itself on the board's first ten seeds {SURELY}")
def above_hmhs(answer):
    policy = a(hmhs.Policy, answer, "an `hmhs.Policy`")
    mine = hmhs.Policy(**{**vars(policy), "name": "yours"})
    runs = leaderboard.hmhs(mine, seeds=10, against=["hmhs"], each=True)
    row = _runs_clean(leaderboard.standings(runs), "yours")
    _surely_lower(runs, row["metric"], "yours", "hmhs")
    return "so the paper's policy is not the last word. Does yours hold on the hybrid workload, and on other machines?"
