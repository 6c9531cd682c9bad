"""The board of Eagle's simulator: short jobs beside long ones, and when they are done."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from pandas import DataFrame

from schedlib.boards.invariants import idle_while_waiting, in_use, two_at_once
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
from schedlib.eagle import (
    CUTOFF,
    PARTITION,
    SYSTEMS,
    System,
    cutoff_for,
    google,
    short_share,
    simulate,
)
from schedlib.eagle.detail import detail_of
from schedlib.eagle.simulating.simulate import dephased, in_seconds
from schedlib.eagle.workloads.measures import job_means
from schedlib.workload import SECONDS, Workload

SHIPPED = ("eagle", "hawk", "sparrow", "dlwl")
METRICS = {
    "short jobs, 90 % done in (s)": "low",
    "short jobs, 50 % done in (s)": "low",
    "long jobs, 90 % done in (s)": "low",
    "short jobs, bounded slowdown": "low",
    "utilisation (%)": "high",
}
LOAD, SCALE, JOBS = 0.95, 1 / 60, 2000
MISJUDGED = (0.1, 1.9)  # the widest factors of an estimate in the paper (Fig. 8)


@dataclass(frozen=True)
class Case:
    """Jobs and a cluster, as `eagle.simulate` takes them."""

    workload: Workload
    workers: int
    short_partition: float
    cutoff: float
    detail: str | None = "as_published"
    estimate: str | tuple[float, float] = "mean"

    metrics: ClassVar = METRICS
    plain: ClassVar = SYSTEMS["sparrow"]
    what: ClassVar = "job"
    way_out: ClassVar = "let `queue` come to it, or send its probes elsewhere"

    def play(self, system: str | System, seed: int) -> tuple[DataFrame, DataFrame]:
        """The jobs and the tasks that ran."""
        run = simulate(
            self.workload,
            system,
            self.workers,
            seed=seed,
            record=True,
            short_partition=self.short_partition,
            cutoff=self.cutoff,
            detail=self.detail,
            estimate=self.estimate,
        )
        tasks: Any = run.tasks
        return run.jobs, tasks

    def judge(self, record: tuple[DataFrame, DataFrame]) -> Outcome:
        jobs, tasks = record
        unit = self.workload.time_unit
        jobs = jobs.set_index("job").reindex(self.workload.jobs["job"])
        completion = jobs["completion"].to_numpy()
        long = jobs["long"].to_numpy(bool)
        submit = self.workload.jobs["submit"].to_numpy()
        duration = self.workload.tasks["duration"].to_numpy()
        longest = np.maximum.reduceat(duration, self.workload.offsets[:-1])
        times = SECONDS[unit] * completion
        alone = SECONDS[unit] * longest
        slow = np.nan if long.all() else bounded_slowdown(times[~long], alone[~long])
        worker, start, finish = (tasks[name].to_numpy() for name in ("worker", "start", "finish"))
        part = np.full((len(tasks), 1), 1 / self.workers)
        ready = jobs["submit"].reindex(tasks["job"]).to_numpy()
        idle = idle_while_waiting(self.workers, ready, start, finish)
        return Outcome(
            values=(
                _percentile(times[~long], 90),
                _percentile(times[~long], 50),
                _percentile(times[long], 90),
                slow,
                in_use(submit, start, finish, part),
            ),
            waits=np.maximum(completion - longest, 0.0),
            submit=submit,
            task=duration.max(),
            unit=unit,
            broke=_impossible(jobs, tasks, self)
            or two_at_once("task", self.workers, worker, start, finish),
            idle=idle,
            warned=f"workers idle for {idle:.0%} of their time while a task waits elsewhere; "
            "more probes, or stealing, find them",
        )


@typed
def eagle(
    *mine: System | Callable[..., Any],
    workload: Workload | Callable[[int], Workload] | None = None,
    workers: int | None = None,
    short_partition: float | None = None,
    cutoff: float | None = None,
    seeds: Seeds = 5,
    against: Iterable[str] = SHIPPED,
    each: bool = False,
    detail: str | None = None,
    clairvoyant: bool = True,
    limit: float = LIMIT,
    baseline: str | None = None,
) -> DataFrame:
    """The leaderboard of schedulers of short and long jobs, by the time in which 90 % of the short are done.

    - `mine`: `eagle.System`, or a function `send(cluster, job, probe, rng)` that says where a short job's
      probes go (queues are then first come first served)
    - `workload`: if left out, 2,000 Google-like jobs on 250 workers, others with each seed; or a `Workload`,
      or a function from a seed to one. For these, by default, there are as many `workers` as give a load of
      95 %, `cutoff` (in the workload's unit) makes a tenth of the jobs long, and `short_partition` is the
      short jobs' share of the work
    - `detail`: as for `eagle.simulate`; the jobs that are there if `workload` is left out run "as_published"
    - `clairvoyant`: if False, estimates are off by a factor from 0.1 to 1.9, another for each job (Fig. 8);
      which jobs are long is known in any case
    - `against`, `seeds`, `each`, `limit`, `baseline`: as for `boards.lotes`

    Gives a frame as `standings` does, and whether a system `looked` at estimates. With one `Workload` a seed
    decides only the systems' own choices. The metrics are completion times; the short jobs' slowdown, the
    completion time over that of the job's longest task, each at least 10 s, which is 1 where nobody waits;
    and the utilisation until the last task ends.

    See also: `eagle.System`, `boards.literature`.

    >>> def nowhere(cluster, job, probe, rng):
    ...     return len(cluster.queued)
    >>> jobs = Workload.from_arrays([0, 1, 2], [1.0, 1.0, 9.0])
    >>> board = eagle(nowhere, workload=jobs, workers=3, cutoff=5, seeds=1, against=["hawk"])
    >>> print(board["broke"].iloc[1])
    a rule: ...job 0 ... worker...(seed 0)
    """
    if workload is None:
        if (workers, short_partition, cutoff) != (None, None, None):
            way_out = "are of a workload of your own; give workload="
            raise ValueError(f"workers, short_partition, cutoff: {way_out}")
        detail = detail or "as_published"
    estimate = "mean" if clairvoyant else MISJUDGED
    make = cases(
        workload,
        Workload,
        google_jobs,
        lambda jobs: _case(jobs, workers, short_partition, cutoff, detail),
    )

    def case_of(seed: int) -> Case:
        return replace(make(seed), detail=detail, estimate=estimate)

    rivals = named(against, SYSTEMS)
    systems = policies(
        mine,
        System,
        lambda send: System(name_of(send), short_jobs=send, long_jobs="lwl", queue="fifo"),
        "an eagle.System, or a function send(cluster, job, probe, rng)",
    )
    board = race(systems, case_of, rivals, seeds, each, limit, baseline)
    everyone = [*systems, *(SYSTEMS[name] for name in rivals)]
    looked = {system.name: system.uses_estimates() for system in everyone}
    return board.assign(looked=board["policy"].map(looked))


def _case(
    workload: Workload,
    workers: int | None,
    short_partition: float | None,
    cutoff: float | None,
    detail: str | None,
) -> Case:
    """The case of a workload, with what a reader left out filled in."""
    if cutoff is None:
        cutoff = _cutoff(workload, detail)
    if short_partition is None:
        short_partition = short_share(workload, cutoff)
    if workers is None:
        span = np.ptp(workload.jobs["submit"])
        if not span:
            way_out = "all jobs come at once, so no number gives a load; say how many"
            raise ValueError(f"workers: {way_out}")
        work = workload.tasks["duration"].sum()
        workers = int(np.ceil(work / (LOAD * span)))
    return Case(workload, workers, short_partition, cutoff)


def _cutoff(workload: Workload, detail: str | None) -> float:
    """A cut-off that makes a tenth of the jobs long, by the means that the simulator compares with it."""
    if not detail_of(detail).whole_times:
        return cutoff_for(workload)
    second = max(SECONDS[workload.time_unit], 1.0)
    means = np.floor(job_means(in_seconds(workload, second)))
    submit = workload.jobs["submit"].to_numpy()
    return cutoff_for(Workload.from_arrays(submit, means)) / second


def google_jobs(seed: int) -> Case:
    """The default case: Google-like jobs for a sixtieth of Google's smallest cluster."""
    return Case(google(JOBS, seed, SCALE), 250, PARTITION["google"], CUTOFF["google"])


def _percentile(times: np.ndarray, q: float) -> float:
    return float(np.percentile(times, q)) if len(times) else np.nan


def _impossible(jobs: DataFrame, tasks: DataFrame, case: Case) -> str:
    """The sentence on a forged record: a short job treated as long, or the other way round; a time that is not the
    task's, an end that is not the job's."""
    second = max(SECONDS[case.workload.time_unit], 1.0)  # in a unit, on the simulator's clock
    workload = in_seconds(case.workload, second) if second > 1 else case.workload
    mean = workload.jobs["mean"] if "mean" in workload.jobs else job_means(workload)
    submit = workload.jobs["submit"].to_numpy(float)
    duration = workload.tasks["duration"].to_numpy()
    if detail_of(case.detail).whole_times:
        submit = dephased(submit)
        duration = np.floor(duration)
        mean = np.floor(mean)
    long = np.asarray(mean > second * case.cutoff)
    other = jobs["long"].to_numpy(bool) != long
    if other.any():
        row = other.argmax()
        treated, kind = ("short", "long") if long[row] else ("long", "short")
        return f"relabelling: job {jobs.index[row]} was treated as {treated} but is {kind}"
    expected = workload.tasks[["job"]]
    expected = expected.assign(task=expected.groupby("job").cumcount())
    ran = expected.merge(tasks, on=["job", "task"], how="left")  # in the order of `expected`
    start = second * ran["start"].to_numpy()
    finish = second * ran["finish"].to_numpy()
    ready = np.repeat(submit, np.diff(workload.offsets))
    end = np.maximum.reduceat(finish, workload.offsets[:-1])
    stated = submit + second * jobs["completion"].to_numpy()
    of_task = tampered(start, finish, duration, ready, "task")
    return of_task or tampered(submit, stated, end - submit, submit, "job")
