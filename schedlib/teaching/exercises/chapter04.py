"""Checks for chapter 4: dispatching."""

from typing import Any

import numpy as np

from schedlib import lotes
from schedlib.teaching.exercises.checking import exercise
from schedlib.teaching.exercises.reading import a, expect, hinted, near, number
from schedlib.workload import Workload

CHAPTER = "04-dispatching"
LOADS = (1.0, 1.02, 1.04, 1.06, 1.08, 1.1)
POLICIES = ("lotes", "greedy", "tetris")


def _toy():
    configs = lotes.MachineConfigs([[5.0]], [2])
    return configs, lotes.plan(configs, lotes.JobClasses([0.5, 0.5], [[3.0], [2.0]], [[1.0, 1.0]]))


@exercise(1)
def against_lotes(answer: object) -> str:
    """Give a `Workload` of four jobs, made by `Workload.from_arrays(..., job_class=..., cores=...)`."""
    jobs = a(Workload, answer, "a `Workload`")
    expect(len(jobs.jobs) == len(jobs.tasks) == 4, "four jobs of one task each")
    configs, plan = _toy()
    with hinted("the simulator refuses these jobs"):
        ours = lotes.simulate("lotes", configs, jobs, plan=plan)
    greedy = max(max(lotes.simulate("greedy", configs, jobs, seed=seed).response) for seed in range(5))
    expect(greedy == 0, "a job waits under Greedy, too: it takes any machine with room")
    expect(max(ours.response) > 0, "under LoTES none waits. When does it harm to spread a class?")
    return "a plan is as good as the classes it was made for."


@exercise(2)
def beyond_the_limit(answer: object) -> str:
    """Give a dictionary: for "lotes", "greedy", "tetris" the first load of 1.00, 1.02, ..., 1.10 with a run
    that is not stable, or None."""
    given = a(dict, answer, "a dictionary of loads")
    named = ", ".join(map(repr, POLICIES))
    expect(set(given) == set(POLICIES), f"needs an entry for each of {named}, and no other")
    for policy, load in given.items():
        if load is None:
            expect(_stable(policy, LOADS[-1]), f"{policy}: not stable at the highest load; look at `.stable`")
            continue
        place = next((i for i, other in enumerate(LOADS) if near(number(load), other, 1e-6)), -1)
        hint = "one of the loads 1.00, 1.02, ..., 1.10, or None when it is stable at all of them"
        expect(place >= 0, f"{policy}: {hint}")
        expect(not _stable(policy, LOADS[place]), f"{policy}: stable at that load, for the given instance")
        before = place == 0 or _stable(policy, LOADS[place - 1])
        expect(before, f"{policy}: nor is it stable at the load before")
    return "sizes that vary separately fill each other's gaps, so the limit of the means is none."


def _stable(policy, load):
    case = lotes.random_instance(0.006, load=load, machines=100, hours=10.0, sizes="independent", seed=0)
    plan = case.plan if policy == "lotes" else None
    return lotes.simulate(policy, case.configs, case.workload, plan=plan, record=False).stable


@exercise(3)
def by_score(answer: object) -> None:
    """Give a `lotes.Policy` whose `arrive` gives the machine with the largest score that has room, or -1."""
    policy = a(lotes.Policy, answer, "a `lotes.Policy`")
    configs, plan = _toy()
    kinds: dict[str, Any] = {"job_class": [0, 1, 1, 0, 1, 0], "cores": [3, 2, 2, 3, 2, 3]}
    jobs = Workload.from_arrays([0, 1, 2, 3, 5, 6], [4, 8, 2, 7, 4, 4], **kinds)
    toy = lotes.simulate(policy, configs, jobs, plan=plan)
    count = "count, of its own class, what the bin has less what is running"
    expect(max(toy.response) == 0, f"of the chapter's six jobs one waits: {count}")
    twenty = lotes.MachineConfigs([[5.0]], [20])  # type: ignore[arg-type]
    plan = lotes.plan(twenty, plan.classes)
    crowd = lotes.RandomWorkload(plan.classes, rate=0.95 * plan.rate, hours=20.0, sizes="fixed", largest=5.0)
    cores = np.concatenate([block.demand for block in crowd.blocks()])[:, 0]
    _follows_the_score(lotes.simulate(policy, twenty, crowd, plan=plan).jobs, cores, plan.targets(0))


def _follows_the_score(jobs, cores, target):
    """Hint unless a job starts, when it arrives, on a machine with the largest score of those with room."""
    submit, start, finish = (jobs[name].to_numpy() for name in ("submit", "start", "finish"))
    job_class, machine = jobs["class"].to_numpy(), jobs["machine"].to_numpy()
    for i in range(len(jobs)):
        there = (start < submit[i]) & ~(finish <= submit[i])
        there[i] = False
        free = 5.0 - np.bincount(machine[there].astype(int), weights=cores[there], minlength=len(target))
        alike = there & (job_class == job_class[i])
        running = np.bincount(machine[alike].astype(int), minlength=len(target))
        score = np.where(free >= cores[i] - 1e-9, target[:, job_class[i]] - running, -np.inf)
        here = f"on a random run job {i}"
        if start[i] == submit[i]:
            largest = score[int(machine[i])] == score.max()
            expect(largest, f"{here} starts on a machine with a smaller score than another with room has")
        else:
            expect(not np.isfinite(score).any(), f"{here} waits although a machine has room")


@exercise(4)
def weight_of_work(answer: object) -> str:
    """Give a dictionary: the mean wait (seconds) by weight of gamma, for four weights or more, 0 to 4."""
    waits = a(dict, answer, "a dictionary of waits by weight")
    given = {number(weight): number(wait) for weight, wait in waits.items()}
    ends = len(given) >= 4 and min(given) == 0 and max(given) == 4
    expect(ends, "needs at least four weights, 0 the smallest and 4 the largest")
    case = lotes.random_instance(0.006, machines=50, hours=20.0, sizes="common", seed=0)
    for weight in (0.0, 4.0):
        hours = lotes.simulate("tetris", case.configs, case.workload, record=False, work=weight).mean_response
        expect(not near(given[weight], hours, 0.02), "these waits are in hours: 3,600 seconds each")
        call = f"`lotes.simulate('tetris', ..., work={weight:g})` on the exercise's instance"
        expect(near(given[weight], 3600 * hours, 0.02), f"weight {weight:g}: the mean wait (s) of {call}")
    return "and the longest wait, and the queue at the end? The mean hides those that never start."
