"""The board of LoTES's simulator: jobs come, and start on a machine with room or wait."""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from schedlib.leaderboard.invariants import over_capacity, passed_over
from schedlib.leaderboard.race import Game, Outcome, Waiting, race
from schedlib.leaderboard.telling import telling
from schedlib.lotes import MachineConfigs, Plan, Policy, Simulation, cluster_jobs, random_instance, simulate
from schedlib.lotes import plan as make_plan
from schedlib.lotes.policies.own import RULE
from schedlib.workload import Workload

PAPERS = ("lotes", "greedy", "tetris")
SECONDS = {"h": 3600.0, "min": 60.0, "s": 1.0, "ms": 0.001}
METRICS = {"mean wait (s)": "low", "99 % wait (s)": "low", "longest wait (s)": "low"}


class Case(NamedTuple):
    """Machines, a plan for LoTES, and jobs of one task each."""

    configs: MachineConfigs
    plan: Plan | None
    workload: Workload


def lotes(*mine, workload=None, configs=None, seeds=5, against=PAPERS, each=False):
    """The leaderboard of policies that place jobs on machines, by the mean wait of all jobs.

    - `mine`: `lotes.Policy`, or a function `arrive(cluster, job)`
    - `workload`: left out, a rush: twenty machines of the paper's ten kinds, ten hours of its random jobs (Section 5.4; Phi = 0.006, one
      factor per job for all resources, as in chapter 4) at 105 % of what the plan holds, and then nothing more, so that all are
      served in the end; other jobs with each seed. Or a `Workload`, or a function from a seed to one: each task then counts as a job,
      and `configs` are the machines.
    - `against`: names of the papers' policies; `seeds`: how many, or which; `each=True`: a row per seed, as `standings` takes it

    All jobs run to their end. LoTES plans for the random jobs' true classes, or for four that it finds in a given workload. With one given
    `Workload` a seed decides the policies' own choices alone, and so do intervals. Gives a frame as `standings` does. A rule that
    a policy of yours breaks is a sentence in `broke`; that a job waits while a machine has room for it is one in `warned`.

    >>> from schedlib.workload import Workload
    >>> jobs = Workload.from_arrays([0, 0, 1], [4.0, 2.0, 1.0], cpu=[1, 1, 1])
    >>> never = Policy(arrive=lambda cluster, job: -1, leave=lambda cluster, machine: -1, name="never")
    >>> board = lotes(never, workload=jobs, configs=MachineConfigs([[2.0]], [1]), seeds=1, against=["greedy"])
    >>> print(board.loc[board["policy"] == "never", "broke"].iloc[0])
    starvation: job 0, submitted at 0 s, never starts (3 of 3 do not); start it in `arrive`, or in `leave` when a job exits (seed 0)
    """
    game = Game(METRICS, _cases(workload, configs, "lotes" in against or "lotes-first" in against), _run, _waiting, _reason)
    return race(game, tuple(map(_policy, mine)), against, seeds, each)


def random_jobs(seed: int, machines: int = 2, hours: float = 10.0, load: float = 1.05) -> Case:
    """The default case, a rush: the instance of seed 0, and jobs of this seed for it, with durations in h."""
    instance = _instance(machines, hours, load)
    blocks = list(replace(instance.workload, seed=seed).blocks())
    submit, job_class, work, demand = (np.concatenate(column) for column in zip(*blocks, strict=True))
    duration = work / instance.classes.rate[0, job_class]  # omega = 0: the same on all machines
    columns = {"cpu": demand[:, 0], "mem": demand[:, 1]}
    jobs = Workload.from_arrays(submit, duration, job_class=job_class, time_unit="h", **columns)
    return Case(instance.configs, instance.plan, jobs)


@lru_cache(maxsize=4)
def _instance(machines, hours, load):
    return random_instance(0.006, machines=machines, hours=hours, sizes="common", load=load)


def _cases(workload, configs, planned):
    if workload is None:
        if configs is not None:
            raise ValueError("configs: machines without a workload; give workload= too, or neither")
        return random_jobs
    if not isinstance(configs, MachineConfigs):
        raise ValueError("configs: a workload of your own needs machines; give lotes.MachineConfigs(capacity, count)")
    if callable(workload):
        return lambda seed: _case(workload(seed), configs, planned)
    case = _case(workload, configs, planned)
    return lambda seed: case


def _case(workload, configs, planned) -> Case:
    if not isinstance(workload, Workload):
        raise ValueError(f"workload: a {type(workload).__name__}; give a Workload, or a function from a seed to one")
    counts, tasks = np.diff(workload.offsets), workload.tasks
    classes, job_class, plan = None, np.zeros(len(tasks), np.int64), None
    if planned:
        kinds = len(tasks[list(workload.resources)].drop_duplicates())
        classes, job_class = cluster_jobs(workload, min(4, kinds), configs=configs.n_configs)
        plan = make_plan(configs, classes)
    columns = {name: tasks[name].to_numpy() for name in workload.resources}
    submit, duration = np.repeat(workload.jobs["submit"].to_numpy(), counts), tasks["duration"].to_numpy()
    jobs = Workload.from_arrays(submit, duration, job_class=job_class, time_unit=workload.time_unit, **columns)
    return Case(configs, plan, jobs)


def _policy(policy) -> Policy:
    if isinstance(policy, Policy):
        return policy
    if not callable(policy):
        raise ValueError(f"mine: {policy!r}; give a lotes.Policy, or a function arrive(cluster, job)")
    return Policy(arrive=policy, name=getattr(policy, "__name__", "own"))


def _simulated(policy, case, seed) -> Simulation:
    options = {"gamma_unit": None} if policy == "tetris" and case.workload.time_unit not in ("s", "min", "h") else {}
    return simulate(policy, case.configs, case.workload, plan=case.plan, seed=seed, **options)


def _run(policy, case: Case, seed: int) -> Outcome:
    run = _simulated(policy, case, seed)
    wait = run.response
    scale = SECONDS.get(case.workload.time_unit, 1.0)
    started = wait[~np.isnan(wait)]
    full = len(started) == len(wait)
    values = (started.mean(), np.quantile(started, 0.99), started.max()) if full else (np.nan,) * 3
    broke = _overfull(run, case)
    checked = full and not broke and isinstance(policy, Policy)
    return Outcome(tuple(scale * np.array(values)), wait, broke, *(_passed(run, case) if checked else ()))


def _waiting(case: Case) -> Waiting:
    jobs = case.workload
    way_out = "start it in `arrive`, or in `leave` when a job exits"
    return Waiting("job", jobs.jobs["submit"].to_numpy(), float(jobs.tasks["duration"].max()), jobs.time_unit, way_out)


def _machines(case: Case) -> np.ndarray:
    return np.repeat(case.configs.capacity, case.configs.count, axis=0)


def _columns(run, case: Case):
    frame, demand = run.jobs, case.workload.tasks[list(case.workload.resources)].to_numpy(float)
    return (*(frame[name].to_numpy() for name in ("machine", "start", "finish")), demand)


def _overfull(run, case: Case) -> str:
    machine, start, finish, demand = _columns(run, case)
    found = over_capacity(machine, start, finish, demand, _machines(case))
    if found is None:
        return ""
    job, resource, used = found
    name, room = case.workload.resources[resource], _machines(case)[machine[job], resource]
    return (
        f"capacity: job {job} at {start[job]:.4g} {case.workload.time_unit} takes machine {machine[job]} to {used:.4g} of {name}, "
        f"and it has {room:.4g}; the arrays of `cluster` are the simulator's own: read them, and change none"
    )


def _passed(run, case: Case) -> tuple[float, str]:
    """The share of the jobs that waited while a machine had room, and the sentence on it."""
    machine, start, finish, demand = _columns(run, case)
    found = passed_over(run.jobs["submit"].to_numpy(), start, finish, machine, demand, _machines(case))
    if found is None:
        return 0.0, ""
    count, job, now, where = found
    text = (
        f"{count} of {len(start)} jobs waited while a machine had room for them, first job {job} at {now:.4g} {case.workload.time_unit} "
        f"(machine {where}); on purpose? If not, let `arrive` and `leave` try every one"
    )
    return count / len(start), text


def _reason(policy: Policy, case: Case, seed: int, error: str) -> str:
    """What was impossible in the choice at which a run stops, by running again with an ear to the choices."""
    jobs, unit, scale = case.workload.jobs, case.workload.time_unit, case.configs.capacity.max(axis=0)
    names = case.workload.resources

    def at(cluster, job):
        row = int(np.flatnonzero((jobs["submit"] == cluster.submit[job]) & (jobs["class"] == cluster.job_class[job]))[0])
        return f"job {row} at {cluster.now:.4g} {unit}"

    def full(cluster, job, machine):
        for resource, name in enumerate(names):
            need, free = cluster.size[job, resource] * scale[resource], cluster.free[machine, resource] * scale[resource]
            if need > free:
                return f"needs {need:.4g} of {name}, and machine {machine} has {free:.4g} free"
        infinite = cluster.pace[cluster.config[machine], cluster.job_class[job]] == np.inf
        return f"is of class {cluster.job_class[job]}, which machine {machine} cannot run" if infinite else None

    def arrive(cluster, job, machine):
        n = len(cluster.config)
        if not -1 <= machine < n:
            return f"unknown machine: {at(cluster, job)} is sent to machine {machine}; there are {n}, 0 to {n - 1}, and -1 lets it wait"
        text = full(cluster, job, machine) if machine >= 0 else None
        return text and f"capacity: {at(cluster, job)} {text}; return -1 to let it wait, or ask lotes.can_start first"

    def leave(cluster, machine, job):
        if job != -1 and job not in cluster.waiting:
            return (
                f"unknown job: machine {machine} at {cluster.now:.4g} {unit} is given number {job}, which does not wait; return a member "
                "of cluster.waiting, or -1 for none"
            )
        text = full(cluster, job, machine) if job >= 0 else None
        return text and f"capacity: {at(cluster, job)} {text}; return -1 when none fits, or ask lotes.can_start first"

    heard_arrive, said = telling(policy.arrive, RULE, arrive)
    heard_leave, also = telling(policy.leave, RULE, leave)
    try:
        _simulated(Policy(heard_arrive, heard_leave, policy.name), case, seed)
    except ValueError:
        return next(iter(said + also), "")
    return ""
