"""The board of Eagle's simulator: short jobs beside long ones, and when they are done."""

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from schedlib.boards.invariants import idle_while_waiting, in_use, two_at_once
from schedlib.boards.race import (
    LIMIT,
    READ_ONLY,
    Game,
    Outcome,
    Seeds,
    bounded_slowdown,
    cases,
    checked,
    name_of,
    named,
    queue_of,
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
from schedlib.eagle.simulating.simulate import dephased
from schedlib.workload import SECONDS, Workload

SHIPPED = ("eagle", "hawk", "sparrow", "dlwl")
METRICS = {
    f"{jobs} % done in (s)": "low" for jobs in ("short jobs, 90", "short jobs, 50", "long jobs, 90")
}
METRICS |= {"short jobs, bounded slowdown": "low", "utilisation (%)": "high"}
LOAD, SCALE, JOBS = 0.95, 1 / 60, 2000
SMALL = 20  # jobs of the run that compiles what is not compiled
MISJUDGED = (0.1, 1.9)  # the widest factors of an estimate in the paper (Fig. 8)


class Case(NamedTuple):
    """Jobs and a cluster, as `eagle.simulate` takes them."""

    workload: Workload
    workers: int
    short_partition: float
    cutoff: float | None
    detail: str = "as_published"
    estimate: str | tuple[float, float] = "mean"


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
    detail: str = "as_published",
    clairvoyant: bool = True,
    limit: float = LIMIT,
    baseline: str | None = None,
) -> pd.DataFrame:
    """The leaderboard of schedulers of short and long jobs, by the time in which 90 % of the short are done.

    - `mine`: `eagle.System`, or a function `send(cluster, job, probe, rng)` that says where a short job's
      probes go (queues are then first come first served)
    - `workload`: if left out, 2,000 Google-like jobs on 250 workers, others with each seed; or a `Workload`,
      or a function from a seed to one. For these, by default, there are as many `workers` as give a load of
      95 %, `cutoff` (in the workload's unit) makes a tenth of the jobs long, and `short_partition` is the
      short jobs' share of the work
    - `detail`: as for `eagle.simulate`, which warns where "as_published" would cut short times to nothing
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
    if workload is None and (workers, short_partition, cutoff) != (None, None, None):
        own = "are of a workload of your own; give workload="
        raise ValueError(f"workers, short_partition, cutoff: {own}")
    estimate = "mean" if clairvoyant else MISJUDGED
    make = cases(workload, google_jobs, lambda it: _case(it, workers, short_partition, cutoff))

    def case_of(seed: int) -> Case:
        return make(seed)._replace(detail=detail, estimate=estimate)

    rivals = named(against, SYSTEMS)
    systems = [GAME.policy(given) for given in mine]
    board = race(GAME, systems, case_of, rivals, seeds, each, limit, baseline)
    looked = {name: SYSTEMS[name].uses_estimates() for name in rivals}
    looked |= {system.name: system.uses_estimates() for system in systems}
    return board.assign(looked=board["policy"].map(looked))


def _case(
    given: Any, workers: int | None, short_partition: float | None, cutoff: float | None
) -> Case:
    """The case of a workload, with what a reader left out filled in."""
    workload = checked(given, Workload)
    if cutoff is None:
        cutoff = cutoff_for(workload)
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


def google_jobs(seed: int) -> Case:
    """The default case: Google-like jobs for a sixtieth of Google's smallest cluster."""
    return Case(google(JOBS, seed, SCALE), 250, PARTITION["google"], CUTOFF["google"])


def _play(system: str | System, case: Case, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The jobs and the tasks that ran."""
    run = simulate(
        case.workload,
        system,
        case.workers,
        seed=seed,
        record=True,
        short_partition=case.short_partition,
        cutoff=case.cutoff,
        detail=case.detail,
        estimate=case.estimate,
    )
    tasks: Any = run.tasks
    return run.jobs, tasks


def _judge(record: tuple[pd.DataFrame, pd.DataFrame], case: Case) -> Outcome:
    jobs, tasks = record
    unit = SECONDS.get(case.workload.time_unit, 1.0)
    worker, start, finish = (tasks[name].to_numpy() for name in ("worker", "start", "finish"))
    completion = jobs["completion"].to_numpy()
    long = jobs["long"].to_numpy()
    duration = case.workload.tasks["duration"].to_numpy()
    longest = np.maximum.reduceat(duration, case.workload.offsets[:-1])
    of_short = unit * completion[~long]
    of_long = unit * completion[long]
    slow = bounded_slowdown(of_short, unit * longest[~long]) if len(of_short) else np.nan
    part = np.full((len(tasks), 1), 1 / case.workers)
    values = (
        _percentile(of_short, 90),
        _percentile(of_short, 50),
        _percentile(of_long, 90),
        slow,
        in_use(jobs["submit"].to_numpy(), start, finish, part),
    )
    broke = _relabelled(jobs, case) or _impossible(tasks, jobs, case)
    twice = None if broke else two_at_once(case.workers, worker, start, finish)
    if twice is not None:
        when = f"{start[twice]:.4g} {case.workload.time_unit}"
        broke = f"capacity: worker {worker[twice]} runs a second task at {when}; {READ_ONLY}"
    ready = jobs.set_index("job")["submit"].reindex(tasks["job"]).to_numpy()
    idle = idle_while_waiting(case.workers, ready, start, finish)
    lost = f"workers idle for {idle:.0%} of their time while a task waits elsewhere"
    return Outcome(
        values=values,
        waits=np.maximum(completion - longest, 0.0),
        broke=broke,
        idle=idle,
        warned=f"{lost}; more probes, or stealing, find them",
    )


def _percentile(times: np.ndarray, q: float) -> float:
    return float(np.percentile(times, q)) if len(times) else np.nan


def _relabelled(jobs: pd.DataFrame, case: Case) -> str:
    """The sentence on a job that ran as a long one and is short, or the other way round."""
    workload = case.workload
    frame, tasks = workload.jobs, np.diff(workload.offsets)
    mean = np.asarray(frame["mean"] if "mean" in frame else workload.work() / tasks, float)
    mean = mean if case.detail == "as_written" else np.floor(mean)
    long = frame["class"].to_numpy() > 0 if case.cutoff is None else mean > case.cutoff
    ran = jobs.set_index("job")["long"].reindex(frame["job"]).to_numpy(bool)
    if (ran == long).all():
        return ""
    row = int((ran != long).argmax())
    kind = "long" if ran[row] else "short"
    return f"relabelling: job {frame['job'][row]} ran as a {kind} one and is none; {READ_ONLY}"


def _impossible(tasks: pd.DataFrame, jobs: pd.DataFrame, case: Case) -> str:
    """What cannot be in the record: a time that is not the task's, an end that is not the job's."""
    workload = case.workload
    given = workload.tasks
    given = given.assign(task=given.groupby("job").cumcount())
    both = given.merge(tasks, on=["job", "task"], how="left")  # in the order of `given`
    submit = workload.jobs["submit"].to_numpy(float)
    duration = both["duration"].to_numpy()
    if case.detail != "as_written":
        submit = dephased(submit)
        duration = np.floor(duration)
    ready = np.repeat(submit, np.diff(workload.offsets))
    finish = both["finish"].to_numpy()
    if wrong := tampered(both["start"].to_numpy(), finish, duration, ready, "task"):
        return wrong
    end = np.maximum.reduceat(finish, workload.offsets[:-1])
    completion = jobs.set_index("job")["completion"]
    stated = completion.reindex(workload.jobs["job"]).to_numpy()
    return tampered(submit, submit + stated, end - submit, submit, "job")


GAME = Game(
    metrics=METRICS,
    play=_play,
    judge=_judge,
    waiting=partial(queue_of, "let `queue` come to it, or send its probes elsewhere"),
    plain=SYSTEMS["sparrow"],
    small=lambda case: case._replace(workload=case.workload.head(SMALL), cutoff=math.inf),
    kind=System,
    make=lambda send: System(name_of(send), short_jobs=send, long_jobs="lwl", queue="fifo"),
    ways="an eagle.System, or a function send(cluster, job, probe, rng)",
)
