"""The board of LoTES's simulator: jobs come, and start on a machine with room or wait."""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from schedlib.boards.invariants import in_use, over_capacity, passed_over
from schedlib.boards.race import (
    LIMIT,
    Outcome,
    Seeds,
    bounded_slowdown,
    cases,
    name_of,
    named,
    policies,
    race,
    tampered,
)
from schedlib.core.checks import typed
from schedlib.lotes import (
    OPTIONS,
    JobClasses,
    MachineConfigs,
    Plan,
    Policy,
    Simulation,
    cluster_jobs,
    first_fit,
    random_instance,
    simulate,
)
from schedlib.lotes import plan as make_plan
from schedlib.workload import SECONDS, Workload

SHIPPED = ("lotes", "greedy", "tetris")
PLANNED = ("lotes", "lotes-first")
METRICS = {
    "mean wait (s)": "low",
    "99 % wait (s)": "low",
    "longest wait (s)": "low",
    "jobs that wait (%)": "low",
    "bounded slowdown": "low",
    "utilisation (%)": "high",
}


@dataclass(frozen=True)
class Case:
    """Machines, a plan for LoTES, and jobs of one task each."""

    configs: MachineConfigs
    plan: Plan | None
    workload: Workload

    metrics: ClassVar = METRICS
    plain: ClassVar = Policy(first_fit)
    what: ClassVar = "job"
    way_out: ClassVar = "start it in `arrive`, in `leave` when a job exits, or in `at_moment`"

    def play(self, policy: str | Policy, seed: int) -> Simulation:
        """The jobs, and where they ran."""
        with warnings.catch_warnings():
            # the board's own words name the first job that waits for ever
            warnings.filterwarnings("ignore", message=".* jobs never start")
            return simulate(policy, self.configs, self.workload, plan=self.plan, seed=seed)

    def judge(self, run: Simulation) -> Outcome:
        unit = self.workload.time_unit
        jobs: Any = run.jobs
        demand = self.workload.tasks[list(self.workload.resources)].to_numpy(float)
        duration = self.workload.tasks["duration"].to_numpy()
        submit = self.workload.jobs["submit"].to_numpy()
        # a bar a job; of jobs that were stopped, a bar a piece
        bars = jobs if run.pieces is None else run.pieces
        of_job = pd.Index(jobs["job"]).get_indexer(bars["job"])
        record = {name: bars[name].to_numpy() for name in ("machine", "start", "finish")}
        record["demand"] = demand[of_job]
        record["capacity"] = np.repeat(self.configs.capacity, self.configs.count, axis=0)
        start = jobs["start"].to_numpy()
        wait = start - submit
        ran = jobs["finish"].to_numpy() - start
        if run.pieces is not None:
            wait = jobs["finish"].to_numpy() - submit - duration
            ran = _worked(run.pieces, of_job, duration)
        served = not np.isnan(wait).any()
        values = (np.nan,) * len(self.metrics)
        if served:
            second = SECONDS[unit]
            waits = second * wait
            alone = second * duration
            part = record["demand"] / record["capacity"].sum(axis=0)
            values = (
                waits.mean(),
                np.quantile(waits, 0.99),
                waits.max(),
                100 * (wait > 0).mean(),
                bounded_slowdown(waits + alone, alone),
                in_use(submit, record["start"], record["finish"], part),
            )
        broke = tampered(start, start + ran, duration, submit, "job")
        bar = "job" if run.pieces is None else "piece"
        broke = broke or over_capacity(bar, **record, resources=self.workload.resources)
        # where a class runs on some machines only, free room is not room for it
        pools = self.plan is None or bool((self.plan.classes.rate > 0).all())
        own = run.policy not in OPTIONS and run.pieces is None
        judged = own and served and not broke and pools
        passed = passed_over(submit, **record, unit=unit) if judged else (0.0, "")
        return Outcome(values, wait, submit, duration.max(), unit, broke, *passed)


def _worked(pieces: pd.DataFrame, of_job: np.ndarray, duration: np.ndarray) -> np.ndarray:
    """How long each job ran (N,): all its pieces, or the last alone where that is all its work (its policy keeps none)."""
    length = pieces["finish"] - pieces["start"]  # in order of time
    pieces_of = length.groupby(of_job)
    jobs = range(len(duration))
    last = pieces_of.last().reindex(jobs)
    whole = np.isclose(last, duration, rtol=1e-9)
    return pieces_of.sum().reindex(jobs).where(~whole, last).to_numpy()


@typed
def lotes(
    *mine: Policy | Callable[..., Any],
    workload: Workload | Callable[[int], Workload] | None = None,
    configs: MachineConfigs | None = None,
    seeds: Seeds = 5,
    against: Iterable[str] = SHIPPED,
    each: bool = False,
    limit: float = LIMIT,
    baseline: str | None = None,
) -> pd.DataFrame:
    """The leaderboard of policies that place jobs on machines, by the mean wait of all jobs.

    The wait of a job is the time before its start; under a policy that stops jobs, its response less its duration.

    - `mine`: `lotes.Policy`, or a function `arrive(cluster, job)`
    - `workload`: if left out, a rush: twenty machines of the paper's ten kinds, ten hours of its random jobs
      (Section 5.4; Phi = 0.006, one factor per job for all resources) at 105 % of what the plan holds, others
      with each seed, and then nothing, so that all are served in the end. Or a `Workload`, or a function from
      a seed to one: each task then counts as a job, and `configs` are the machines
    - `against`: names of shipped policies; `seeds`: how many, or which; `each=True`: a row per seed
    - `limit`: how many seconds of processor time a run of one of `mine` may take; the referee's own does
      not count
    - `baseline`: the policy to which all are compared, else the best of each metric

    LoTES plans for the random jobs' true classes; in a given workload for its own, when it has several, else
    for up to four that it finds. With one given `Workload` a seed, and so an interval, concerns only the policies' own
    choices; a policy that draws nothing has no interval there.

    Where machines are seldom full waits say little. The board therefore has, beside them, how many jobs wait,
    the slowdown (response time over the duration, each at least 10 s; 1 where nobody waits), and the
    utilisation until the last job ends, a mean over the resources. Gives a frame as `standings` does. `broke`
    says which rule a policy of yours broke; `warned` that a job waits very long, or while a machine has room.
    Raises ValueError on a workload without `configs` or the other way round, one for which a policy of `against`
    cannot plan, an unknown name and wrong seeds.

    See also: `lotes.Policy`, `boards.told`, `boards.plot`, `boards.literature`.

    >>> from schedlib.workload import Workload
    >>> jobs = Workload.from_arrays([0, 0, 1], [4.0, 2.0, 1.0], cpu=[1, 1, 1])
    >>> never = Policy(arrive=lambda cluster, job: -1, leave=lambda cluster, machine: -1, name="never")
    >>> board = lotes(never, workload=jobs, configs=MachineConfigs([[2.0]], [1]), seeds=1, against=["greedy"])
    >>> print(board.loc[board["policy"] == "never", "warned"].iloc[0])
    starvation: job 0, submitted at 0 s, never starts (3 of 3 do not); start it in `arrive`, ... (seed 0)
    """
    if (workload is None) != (configs is None):
        way_out = "give both, configs as lotes.MachineConfigs(capacity, count), or neither"
        raise ValueError(f"workload, configs: {way_out}")
    rivals = named(against, OPTIONS)
    planned = [name for name in rivals if name in PLANNED]
    case_of = cases(workload, Workload, random_jobs, lambda jobs: _case(jobs, configs, planned))
    entries = policies(
        mine,
        Policy,
        lambda arrive: Policy(arrive=arrive, name=name_of(arrive)),
        "a lotes.Policy, or a function arrive(cluster, job)",
    )
    return race(entries, case_of, rivals, seeds, each, limit, baseline)


def random_jobs(seed: int) -> Case:
    """The default case, a rush: the instance of seed 0, and jobs of this seed for it, with durations in h."""
    instance = _instance()
    blocks = zip(*replace(instance.workload, seed=seed).blocks(), strict=True)
    submit, job_class, work, demand = map(np.concatenate, blocks)
    duration = work / instance.classes.rate[0, job_class]  # omega = 0: the same on all machines
    jobs = Workload.from_arrays(
        submit, duration, job_class=job_class, time_unit="h", cpu=demand[:, 0], mem=demand[:, 1]
    )
    return Case(instance.configs, instance.plan, jobs)


@cache
def _instance():
    return random_instance(0.006, machines=2, hours=10.0, sizes="common", load=1.05)


def _case(workload: Workload, configs: Any, planned: list[str]) -> Case:
    tasks = workload.tasks
    labels = workload.jobs["class"].to_numpy()
    of_job = np.repeat(np.arange(len(workload)), np.diff(workload.offsets))
    job_class = labels[of_job]
    plan = None
    if planned:
        try:
            if labels.any():
                classes = _means(workload, job_class, configs)
            else:
                kinds = len(tasks[list(workload.resources)].drop_duplicates())
                classes, job_class = cluster_jobs(
                    workload, min(4, kinds), configs=configs.n_configs
                )
            plan = make_plan(configs, classes)
        except ValueError as error:
            raise ValueError(
                f"against: leave out {', '.join(planned)}, no plan; {error}"
            ) from error
    number = np.arange(len(tasks))
    rows = workload.jobs.iloc[of_job].assign(**{"job": number, "class": job_class})
    jobs = Workload(rows, tasks.assign(job=number), workload.time_unit)
    return Case(configs, plan, jobs)


def _means(workload: Workload, job_class: np.ndarray, configs: MachineConfigs) -> JobClasses:
    """The classes that a workload says its jobs are of, from the means of their tasks."""
    tasks = workload.tasks.drop(columns="job").groupby(job_class).mean()
    if list(tasks.index) != list(range(len(tasks))):
        raise ValueError(f"classes: {list(tasks.index)[:5]} ..., number them 0, 1, 2 without gaps")
    rate = np.tile(1 / np.maximum(tasks["duration"].to_numpy(), 1e-12), (configs.n_configs, 1))
    share = np.bincount(job_class) / len(job_class)
    return JobClasses(share, tasks[list(workload.resources)].to_numpy(), rate)
