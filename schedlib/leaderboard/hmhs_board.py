"""The board of HMHS's simulator: a batch of MapReduce jobs, and when it is done."""

import re
from dataclasses import replace

import numpy as np

from schedlib.hmhs import Instance, Policy, lower_bound, priority, schedule, single
from schedlib.hmhs.list_scheduling import RULE
from schedlib.leaderboard.invariants import idle_while_waiting, two_at_once
from schedlib.leaderboard.race import Game, Outcome, Waiting, race
from schedlib.leaderboard.telling import telling

PAPERS = ("hmhs", "r-hmhs", "fifo-pri", "fifo")
METRICS = {"makespan over its lower bound": "low", "mean end of a job over the bound": "low"}


def hmhs(*mine, workload=None, seeds=5, against=PAPERS, each=False):
    """The leaderboard of policies for batches of MapReduce jobs, by the makespan in units of its lower bound.

    - `mine`: `hmhs.Policy`, or a rule made by `@hmhs.rule` (or a plain function), which then serves both stages, in the order of Pri
    - `workload`: left out, thirty of the paper's single jobs on ten map and ten reduce machines (Section 4.1), others with each seed;
      or an `Instance`, or a function from a seed to one
    - `against`, `seeds`, `each`: as for `leaderboard.lotes`

    Gives a frame as `standings` does; what breaks a rule is said in `broke`, and in `warned` when machines idle while a task could
    run, for more than 1 % of their time and twice what the papers' policies need.

    >>> from schedlib.hmhs import rule
    >>> @rule
    ... def nobody(stage, machine, now):
    ...     return -1
    >>> board = hmhs(nobody, seeds=1, against=["fifo"])
    >>> print(board["broke"].iloc[1][:67])
    starvation: at 0 s the map rule has left every machine waiting with
    """
    game = Game(METRICS, _cases(workload), _run, _waiting, _reason)
    return race(game, tuple(map(_policy, mine)), against, seeds, each)


def single_batch(seed: int) -> Instance:
    """The default case: thirty jobs of the single workload on ten map and ten reduce machines."""
    return single(30, seed, machines=(10, 10))


def _cases(workload):
    if workload is None:
        return single_batch
    make = workload if callable(workload) else lambda seed: workload

    def checked(seed):
        if not isinstance(case := make(seed), Instance):
            raise ValueError(f"workload: a {type(case).__name__}; give an hmhs.Instance, or a function from a seed to one")
        return case

    return checked


def _policy(policy) -> Policy:
    if isinstance(policy, Policy):
        return policy
    if not callable(policy):
        raise ValueError(f"mine: {policy!r}; give an hmhs.Policy, or a rule made by @hmhs.rule")
    return Policy(order=priority, map_rule=policy, reduce_rule=policy, name=getattr(policy, "__name__", "own"))


def _run(policy, case: Instance, seed: int) -> Outcome:
    done = schedule(case, policy)
    bound = lower_bound(case)
    values = done.makespan / bound, done.job_end.mean() / bound
    idle = _idle(done, case)
    text = f"machines idle for {idle:.0%} of their time while a task could run; give every machine that asks a job of stage.queue"
    return Outcome(values, done.job_end, _twice(done, case), idle, text)


def _waiting(case: Instance) -> Waiting:
    return Waiting("job", np.zeros(case.n_jobs), np.inf, "s", "give it to a machine that asks")


def _stages(done, case):
    """Of each stage: name, its tasks, when they are ready, and how many machines it has."""
    ready = np.zeros(case.n_jobs), done.map_end
    machines = case.map_machines, case.reduce_machines
    return zip(("map", "reduce"), (done.map, done.reduce), ready, machines, strict=True)


def _idle(done, case) -> float:
    shares, weights = [], []
    for _, stage, ready, machines in _stages(done, case):
        shares.append(idle_while_waiting(machines, ready[stage.job], stage.start, stage.finish))
        weights.append(machines)
    return float(np.average(shares, weights=weights))


def _twice(done, case) -> str:
    """What the record says that cannot be: two tasks on one machine, a reduce before the maps, too few tasks."""
    for (name, stage, ready, machines), wanted in zip(_stages(done, case), (case.map_tasks, case.reduce_tasks), strict=True):
        ran = np.bincount(stage.job, minlength=case.n_jobs)
        if (ran != wanted).any():
            job = int(np.argmax(ran != wanted))
            return f"unknown job: {ran[job]} {name} tasks of job {job} ran, and it has {wanted[job]}; read the arrays of `stage`, change none"
        if len(stage.job) and (stage.start < ready[stage.job]).any():
            task = int(np.argmax(stage.start < ready[stage.job]))
            return f"capacity: a {name} task of job {stage.job[task]} starts at {stage.start[task]:.4g} s, before it is ready"
        if (task := two_at_once(machines, stage.machine, stage.start, stage.finish)) is not None:
            where = f"{name} machine {stage.machine[task]} at {stage.start[task]:.4g} s"
            return f"capacity: {where} runs a second task, of job {stage.job[task]}"
    return ""


def _reason(policy: Policy, case: Instance, seed: int, error: str) -> str:
    said, heard, now = [], {}, {}

    def listener(stage_name):
        def reason(stage, machine, time, job):
            now[stage_name] = time
            who, n = f"{stage_name} machine {machine} at {time:.4g} s", len(stage.left)
            if not -1 <= job < n:
                return f"unknown job: {who} is given job {job}; there are {n}, 0 to {n - 1}; return a member of stage.queue, or -1 to wait"
            if job >= 0 and stage.left[job] == 0:
                return f"unknown job: {who} is given job {job}, which has no task left; return a member of stage.queue, or -1 to wait"
            if job >= 0 and stage.ready[job] > time:
                return (
                    f"unknown job: {who} is given job {job}, whose maps end at {stage.ready[job]:.4g} s; return a member of stage.queue, "
                    "or -1 to wait"
                )
            return None

        return reason

    for name in ("map", "reduce"):
        rule = getattr(policy, f"{name}_rule")
        if callable(rule):
            heard[f"{name}_rule"], also = telling(rule, RULE, listener(name))
            said.append(also)
    try:
        schedule(case, replace(policy, **heard))
    except ValueError:
        if found := [text for texts in said for text in texts]:
            return found[0]
        if (stuck := re.search(r"its (map|reduce) rule left every machine waiting with (\d+) tasks", error)) and now:
            name, left = stuck.groups()
            return (
                f"starvation: at {now[name]:.4g} s the {name} rule has left every machine waiting with {left} tasks still to start; "
                "some machine must take each job in the end"
            )
    return ""
