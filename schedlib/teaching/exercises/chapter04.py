"""Checks for chapter 4: dispatching."""

import numpy as np

from schedlib import lotes
from schedlib.teaching.exercises.checking import exercise
from schedlib.teaching.exercises.reading import Hint, a, expect, near, number, told
from schedlib.workload import Workload

CHAPTER = "04-dispatching"
LOADS = (1.0, 1.02, 1.04, 1.06, 1.08, 1.1)
POLICIES = ("lotes", "greedy", "tetris")


def _toy():
    configs = lotes.MachineConfigs([[5.0]], [2])
    return configs, lotes.plan(configs, lotes.JobClasses([0.5, 0.5], [[3.0], [2.0]], [[1.0, 1.0]]))


@exercise(CHAPTER, 1, "a `Workload` of four jobs, made by `Workload.from_arrays(..., job_class=..., cores=...)`")
def against_lotes(answer):
    jobs = a(Workload, answer, "a `Workload`")
    expect(len(jobs.jobs) == len(jobs.tasks) == 4, "four jobs of one task each")
    configs, plan = _toy()
    try:
        ours = lotes.simulate("lotes", configs, jobs, plan=plan)
    except ValueError as error:
        raise Hint(f"the simulator refuses these jobs: {told(error)}") from error
    greedy = [lotes.simulate("greedy", configs, jobs, seed=seed) for seed in range(5)]
    expect(max(max(run.response) for run in greedy) == 0, "under Greedy a job waits, too: it takes the first machine with room")
    expect(max(ours.response) > 0, "under LoTES none waits. When does spreading a class over both machines do harm?")
    return "a plan is as good as the classes it was made for."


@exercise(
    CHAPTER, 2, 'a dictionary: for "lotes", "greedy", "tetris" the first load of 1.00, 1.02, ..., 1.10 with a run that is not stable, or None'
)
def beyond_the_limit(answer):
    given = a(dict, answer, "a dictionary of loads")
    expect(set(given) == set(POLICIES), f"needs an entry for each of {', '.join(map(repr, POLICIES))}, and no other")
    for policy in POLICIES:
        load = given[policy]
        if load is None:
            expect(_stable(policy, LOADS[-1]), f"{policy}: it is not stable at the highest load; look at `.stable`")
            continue
        at = [i for i, other in enumerate(LOADS) if near(number(load), other, 1e-6)]
        expect(at, f"{policy}: one of the loads 1.00, 1.02, ..., 1.10, or None when it is stable at all of them")
        expect(not _stable(policy, LOADS[at[0]]), f"{policy}: it is stable at that load, with the instance of the exercise")
        expect(at[0] == 0 or _stable(policy, LOADS[at[0] - 1]), f"{policy}: it is not stable at the load before, either")
    return "sizes that vary separately fill each other's gaps, so the limit of the means is none."


def _stable(policy, load):
    case = lotes.random_instance(0.006, load=load, machines=100, hours=10.0, sizes="independent", seed=0)
    return lotes.simulate(policy, case.configs, case.workload, plan=case.plan if policy == "lotes" else None, record=False).stable


@exercise(CHAPTER, 3, "a `lotes.Policy` whose `arrive` gives the machine with the largest score that has room, or -1")
def by_score(answer):
    policy = a(lotes.Policy, answer, "a `lotes.Policy`")
    configs, plan = _toy()
    jobs = Workload.from_arrays([0, 1, 2, 3, 5, 6], [4, 8, 2, 7, 4, 4], job_class=[0, 1, 1, 0, 1, 0], cores=[3, 2, 2, 3, 2, 3])
    toy = lotes.simulate(policy, configs, jobs, plan=plan)
    expect(max(toy.response) == 0, "on the chapter's six jobs one waits: count, of the job's own class, what the bin has less what is running")
    twenty = lotes.MachineConfigs([[5.0]], [20])
    plan = lotes.plan(twenty, plan.classes)
    crowd = lotes.RandomWorkload(plan.classes, rate=0.95 * plan.rate, hours=20.0, sizes="fixed", largest=5.0)
    rows = lotes.simulate(policy, twenty, crowd, plan=plan).jobs
    _follows_the_score(rows, np.concatenate([block.demand for block in crowd.blocks()])[:, 0], plan.targets(0))


def _follows_the_score(rows, cores, target):
    """Hint unless each job that starts at its arrival starts on a machine with the largest score of those with room."""
    submit, start, finish = (rows[name].to_numpy() for name in ("submit", "start", "finish"))
    which, machine = rows["class"].to_numpy(), rows["machine"].to_numpy()
    for i in range(len(rows)):
        there = (start < submit[i]) & ~(finish <= submit[i])
        there[i] = False
        free = 5.0 - np.bincount(machine[there].astype(int), weights=cores[there], minlength=len(target))
        running = np.bincount(machine[there & (which == which[i])].astype(int), minlength=len(target))
        score = np.where(free >= cores[i] - 1e-9, target[:, which[i]] - running, -np.inf)
        if start[i] == submit[i]:
            text = f"on a random run job {i} starts on a machine with a smaller score than another with room has"
            expect(score[int(machine[i])] == score.max(), text)
        else:
            expect(not np.isfinite(score).any(), f"on a random run job {i} has to wait although a machine has room")


@exercise(CHAPTER, 4, "a dictionary: the mean wait in seconds by weight of gamma, for at least four weights from 0 to 4, both ends among them")
def weight_of_work(answer):
    given = {number(weight): number(wait) for weight, wait in a(dict, answer, "a dictionary of waits by weight").items()}
    weights = sorted(given)
    expect(len(weights) >= 4 and weights[0] == 0 and weights[-1] == 4, "needs at least four weights, 0 the smallest and 4 the largest")
    case = lotes.random_instance(0.006, machines=50, hours=20.0, sizes="common", seed=0)
    for weight in (0.0, 4.0):
        right = lotes.simulate("tetris", case.configs, case.workload, record=False, work=weight).mean_response
        expect(not near(given[weight], right, 0.02), "these waits are in hours: 3,600 seconds each")
        text = f"weight {weight:g}: the mean wait, in seconds, of `lotes.simulate('tetris', ..., work={weight:g})` on the exercise's instance"
        expect(near(given[weight], 3600 * right, 0.02), text)
    return "and the longest wait, and the queue at the end? The mean hides those that never start."
