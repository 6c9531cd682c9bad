"""The board of HMHS's simulator: a batch of MapReduce jobs, and when it is done."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from schedlib.boards.invariants import idle_while_waiting, two_at_once
from schedlib.boards.race import (
    LIMIT,
    Outcome,
    Seeds,
    cases,
    name_of,
    named,
    policies,
    race,
    tampered,
)
from schedlib.core.checks import typed
from schedlib.hmhs import POLICIES, Instance, Policy, lower_bound, priority, rule, schedule, single
from schedlib.hmhs.model import Stage

SHIPPED = ("hmhs", "r-hmhs", "fifo-pri", "fifo")
METRICS = {"makespan over its lower bound": "low", "mean end of a job over the bound": "low"}


@dataclass(frozen=True)
class Case:
    """A batch of jobs."""

    instance: Instance

    metrics: ClassVar = METRICS
    plain: ClassVar = POLICIES["fifo"]
    what: ClassVar = "job"
    way_out: ClassVar = "give it to a machine that asks"

    def play(self, policy: str | Policy, seed: int) -> tuple[Stage, Stage]:
        """The tasks of both stages."""
        done = schedule(self.instance, policy, seed=seed)
        return done.map, done.reduce

    def judge(self, record: tuple) -> Outcome:
        maps, reduces = record
        case = self.instance
        at_once = np.zeros(case.n_jobs)
        map_end = _latest(at_once, maps)
        job_end = _latest(map_end, reduces)
        bound = lower_bound(case)
        stages = (
            ("map", maps, at_once, case.map_task_time, case.map_tasks),
            ("reduce", reduces, map_end, case.reduce_task_time, case.reduce_tasks),
        )
        shares = [
            idle_while_waiting(times.shape[1], ready[tasks.job], tasks.start, tasks.finish)
            for _, tasks, ready, times, _ in stages
        ]
        idle = float(np.average(shares, weights=(case.map_machines, case.reduce_machines)))
        return Outcome(
            values=(job_end.max() / bound, job_end.mean() / bound),
            waits=job_end,
            submit=at_once,
            task=np.inf,
            broke=_impossible(*stages[0]) or _impossible(*stages[1]),
            idle=idle,
            warned=f"machines idle for {idle:.0%} of their time while a task could run; give every machine that asks "
            "a job of stage.queue, or set stage.wake[0] to the time at which a rule that waits is asked again",
        )


@typed
def hmhs(
    *mine: Policy | Callable[..., Any],
    workload: Instance | Callable[[int], Instance] | None = None,
    seeds: Seeds = 5,
    against: Iterable[str] = SHIPPED,
    each: bool = False,
    limit: float = LIMIT,
    baseline: str | None = None,
) -> pd.DataFrame:
    """The leaderboard of policies for batches of MapReduce jobs, by the makespan in units of its lower bound.

    - `mine`: `hmhs.Policy`, or a rule made by `@hmhs.rule` (or a plain function) for both stages, in Pri's
      order
    - `workload`: if left out, thirty of the paper's single jobs on ten map and ten reduce machines (Section
      4.1), others with each seed; or an `Instance`, or a function from a seed to one
    - `against`, `seeds`, `each`, `limit`, `baseline`: as for `boards.lotes`

    Gives a frame as `standings` does. `broke` says which rule a policy broke; `warned` that machines idle
    while a task could run, for more than 1 % of their time and twice what the shipped policies need.

    See also: `hmhs.rule`, `hmhs.Policy`, `boards.literature`.

    >>> from schedlib.hmhs import rule
    >>> @rule
    ... def nobody(stage, machine, now):
    ...     return -1
    >>> print(hmhs(nobody, seeds=1, against=["fifo"])["broke"].iloc[1])
    a rule: ...map rule left every machine waiting...(seed 0)
    """
    case_of = cases(workload, Instance, single_batch, Case)
    rivals = named(against, [*POLICIES, "priced"])
    ways = "an hmhs.Policy, or a rule made by @hmhs.rule"
    entries = policies(mine, Policy, _of_rule, ways)
    return race(entries, case_of, rivals, seeds, each, limit, baseline)


def _of_rule(function: Callable) -> Policy:
    compiled = rule(function)
    return Policy(order=priority, map_rule=compiled, reduce_rule=compiled, name=name_of(function))


def single_batch(seed: int) -> Case:
    """The default case: thirty jobs of the single workload on ten map and ten reduce machines."""
    return Case(single(30, seed, machines=(10, 10)))


def _latest(least: np.ndarray, stage: Stage) -> np.ndarray:
    """When the last task of each job ends, and at least `least`, (N,) each."""
    end = least.copy()
    np.maximum.at(end, stage.job, stage.finish)
    return end


def _impossible(name, stage, ready, times, wanted) -> str:
    """The sentence on a forged record of a stage: too few tasks, a wrong time, two tasks on one machine."""
    ran = np.bincount(stage.job, minlength=len(wanted))
    for job in np.flatnonzero(ran != wanted)[:1]:
        return f"unknown job: {ran[job]} {name} tasks of job {job} ran, and it has {wanted[job]}"
    duration = times[stage.job, stage.machine]
    task = f"{name} task"
    return tampered(stage.start, stage.finish, duration, ready[stage.job], task) or two_at_once(
        task, times.shape[1], stage.machine, stage.start, stage.finish
    )
