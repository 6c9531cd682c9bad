"""The board of HMHS's simulator: a batch of MapReduce jobs, and when it is done."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pandas as pd

from schedlib.hmhs import Instance, Policy, Schedule, lower_bound, priority, schedule, single
from schedlib.leaderboard.invariants import idle_while_waiting, two_at_once
from schedlib.leaderboard.race import READ_ONLY, Game, Outcome, Seeds, Waiting, cases, checked, name_of, race

SHIPPED = ("hmhs", "r-hmhs", "fifo-pri", "fifo")
METRICS = {"makespan over its lower bound": "low", "mean end of a job over the bound": "low"}


def hmhs(*mine: Policy | Callable, workload: Instance | Callable[[int], Instance] | None = None,
         seeds: Seeds = 5, against: Iterable[str] = SHIPPED, each: bool = False) -> pd.DataFrame:
    """The leaderboard of policies for batches of MapReduce jobs, by the makespan in units of its lower bound.

    - `mine`: `hmhs.Policy`, or a rule made by `@hmhs.rule` (or a plain function) for both stages, in Pri's
      order
    - `workload`: if left out, thirty of the paper's single jobs on ten map and ten reduce machines (Section
      4.1), others with each seed; or an `Instance`, or a function from a seed to one
    - `against`, `seeds`, `each`: as for `leaderboard.lotes`

    Gives a frame as `standings` does. `broke` says which rule a policy broke; `warned` that machines idle
    while a task could run, for more than 1 % of their time and twice what the shipped policies need.

    >>> from schedlib.hmhs import rule
    >>> @rule
    ... def nobody(stage, machine, now):
    ...     return -1
    >>> print(hmhs(nobody, seeds=1, against=["fifo"])["broke"].iloc[1])
    a rule: ...map rule left every machine waiting...(seed 0)
    """
    case_of = cases(workload, single_batch, lambda given: checked(given, Instance))
    return race(GAME, mine, case_of, against, seeds, each)


def single_batch(seed: int) -> Instance:
    """The default case: thirty jobs of the single workload on ten map and ten reduce machines."""
    return single(30, seed, machines=(10, 10))


def _run(policy: str | Policy, case: Instance, seed: int) -> Outcome:
    done, bound = schedule(case, policy), lower_bound(case)
    shares = [idle_while_waiting(n, ready[tasks.job], tasks.start, tasks.finish)
              for _, tasks, ready, n, _ in _stages(done, case)]
    idle = float(np.average(shares, weights=(case.map_machines, case.reduce_machines)))
    lost = f"machines idle for {idle:.0%} of their time while a task could run"
    broke = next(filter(None, (_impossible(*stage) for stage in _stages(done, case))), "")
    return Outcome((done.makespan / bound, done.job_end.mean() / bound), done.job_end, broke, idle,
                   f"{lost}; give every machine that asks a job of stage.queue")


def _stages(done: Schedule, case: Instance) -> Iterator[tuple]:
    """Of each stage: name, tasks that ran, when each job's are ready, machines, tasks that each job has."""
    yield "map", done.map, np.zeros(case.n_jobs), case.map_machines, case.map_tasks
    yield "reduce", done.reduce, done.map_end, case.reduce_machines, case.reduce_tasks


def _impossible(name, stage, ready, machines, wanted) -> str:
    """What cannot be in a stage's record: too few tasks, a start too early, two tasks on one machine."""
    ran = np.bincount(stage.job, minlength=len(wanted))
    for job in np.flatnonzero(ran != wanted)[:1]:
        counts = f"{ran[job]} {name} tasks of job {job} ran, and it has {wanted[job]}"
        return f"unknown job: {counts}; the arrays of `stage` {READ_ONLY}"
    for task in np.flatnonzero(stage.start < ready[stage.job])[:1]:
        start = f"starts at {stage.start[task]:.4g} s, before it is ready"
        return f"capacity: a {name} task of job {stage.job[task]} {start}"
    if (second := two_at_once(machines, stage.machine, stage.start, stage.finish)) is not None:
        where = f"{name} machine {stage.machine[second]} at {stage.start[second]:.4g} s"
        return f"capacity: {where} runs a second task, of job {stage.job[second]}"
    return ""


GAME = Game(METRICS, _run,
            lambda case: Waiting("job", np.zeros(case.n_jobs), np.inf, "s", "give it to a machine that asks"),
            Policy, lambda rule: Policy(order=priority, map_rule=rule, reduce_rule=rule, name=name_of(rule)),
            "an hmhs.Policy, or a rule made by @hmhs.rule")
