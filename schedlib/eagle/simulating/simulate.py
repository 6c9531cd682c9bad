"""The simulator of Eagle and its rivals (Eagle, Section 5): a workload, a system and a cluster in, completion times out."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
import pandas as pd

from schedlib.core import streams
from schedlib.eagle import own
from schedlib.eagle.probing import sharing
from schedlib.eagle.simulating import columns as at
from schedlib.eagle.simulating import engine, messages, state
from schedlib.eagle.simulating import log as logs
from schedlib.eagle.simulating.prepare import Prepared, prepare
from schedlib.eagle.systems import DETAILS, QUEUES, System, system_of
from schedlib.workload import Workload

PARTS = {
    "probes": engine.BY_PROBES, "sss": engine.BY_SHARED_STATE, "clear": engine.BY_CLEAR_BITS, "lwl": engine.BY_LEAST_WORK,
    "stale-lwl": engine.BY_OLD_NEWS,
}  # fmt: skip


@dataclass(frozen=True, repr=False)
class Simulation:
    """What became of a workload.

    - `jobs`: a row per job in the workload's order: `job`, `submit` (s; as published the dephased time), `finish` (s, end of its last
      task), `completion` = finish - submit (s), `long`, `tasks`, `estimate` of a task (s)
    - `stats`: counters by name. `probes` sent first; `rejections`; `rescheduled` probes (rejected or stolen); `behind_long`, probes queued
      behind a long task; `ran_behind_long`, short tasks run by such a probe where it was queued; `steal_attempts`, `steals`, `stolen`
      probes; `requests` for a task, `vain` ones; `dropped` probes, of jobs known to have nothing left; `placements` of tasks by a centre;
      `heartbeats`; `messages` (probes, rejections and their probes, requests and answers, placements, two per attempt to steal, one
      per worker and heartbeat); `events` simulated; `longest_queue`; `utilisation`, `utilisation_short`, `utilisation_general`, the mean
      share of busy workers from the first to the last submission; `makespan` (s, to the last end); `workers`, `short_only`, `jobs`, `tasks`,
      `short_tasks`
    - `utilisation`: `time` (s, the beginning of an interval), busy shares `short`, `general`, `all`
    - `tasks`, `log`: with `record=True` a row per task (`job, task, worker, queued, asked, start, finish, long`; s) and per event
      (`time, event, worker, job`), else None
    """

    system: System
    jobs: pd.DataFrame
    stats: Mapping[str, float]
    utilisation: pd.DataFrame
    tasks: pd.DataFrame | None = None
    log: pd.DataFrame | None = None

    def __repr__(self):
        return f"Simulation({self.system.name}, {len(self.jobs)} jobs on {self.stats['workers']} workers)"

    def percentiles(self, q=(50, 90, 99)) -> pd.DataFrame:
        """Percentiles of the completion times of short and of long jobs: `long, percentile, completion` (s)."""
        times = self.jobs.groupby("long")["completion"]
        rows = [(long, p, value) for long, one in times for p, value in zip(q, np.percentile(one, q), strict=True)]
        return pd.DataFrame(rows, columns=["long", "percentile", "completion"])


def simulate(
    workload: Workload,
    system="eagle",
    workers: int = 100,
    *,
    short_partition: float,
    cutoff: float | None,
    probe_ratio: float = 2,
    min_probes: int | None = None,
    network_delay: float = 0.0005,
    estimate="mean",
    heartbeat: float = 3.0,
    detail: str = "as_published",
    seed: int = 0,
    record: bool = False,
) -> Simulation:
    """Run a workload under a system on so many workers, each with one slot and one queue.

    - `system`: "eagle", "hawk", "sparrow", "dlwl", "omniscient", "ideal-eagle", or an `eagle.System` (`Eagle(sss=False)`, `Hawk(...)`, ...)
    - `short_partition`: the fraction of the workers that is reserved for short jobs (rounded down; the lowest-numbered ones)
    - `cutoff` (s): jobs whose mean task duration is above are long; 0: all are, infinite: none is, None: those whose class is not 0
    - `probe_ratio`: probes per task; `min_probes`: at least so many per job, the paper's K (None: the system's own)
    - `network_delay` (s): one hop; `heartbeat` (s): how often schedulers with old news learn (0: they know all)
    - `estimate` of a job's task: "mean", a factor on the mean, or (low, high), a factor per job drawn uniformly; the class stays the true one
    - `detail`: `"as_published"` follows the authors' simulator, `"as_written"` the paper's text:

    | | as published | as written |
    |---|---|---|
    | means, estimates, durations | cut to whole seconds | as given |
    | jobs of one time | 0.01 s apart | together |
    | targets of a job's probes | drawn with repetition | distinct, while there are enough |
    | a rejection | seen at submission, two hops in all | a message: the second probe arrives at three hops, the third at five |
    | the bit vector used | newest of all workers contacted, as of a long task's arrival | newest of those that rejected, as of its sending |
    | placed tasks | fetched (two hops), durations bound then | carry their own durations, start at once |
    | probes of finished jobs, under SRPT | dropped for free once that is known | asked for in vain, then removed |
    | a long task in the queue, under SRPT | no barrier unless first | no probe behind it is considered |
    | least work left | workers without work first | nothing but the waiting time |
    | news at a heartbeat | sums of estimates; plus 0, 1, ... or `heartbeat` s at random | waiting times; plus uniform in [0, heartbeat) |
    | who steals in Hawk | any idle worker | the general partition's, from others |

    Same in both: the centre learns of starts and ends at once; stealing takes no time. As published the scheduler's random numbers are
    drawn from one stream, so that `seed` alone decides.

    Raises ValueError, naming the argument, on an unknown system or detail, no worker, a short partition that leaves no worker for
    long jobs (or, where SSS needs one, has none), a cut-off outside the jobs' means, a job without tasks, an estimate that is
    not positive, a negative delay, heartbeat or ratio, and a reader's part that names a worker or a place that there is not.

    >>> jobs = Workload.from_arrays([0, 0], [100, 100, 1], tasks=[2, 1])
    >>> simulate(jobs, "eagle", 3, short_partition=0.34, cutoff=50).jobs["completion"].tolist()
    [100.0015, 1.0015]
    """
    system = system_of(system, min_probes)
    if not isinstance(workload, Workload):
        raise ValueError(f"workload: a {type(workload).__name__}; give a schedlib Workload")
    if detail not in DETAILS:
        raise ValueError(f"detail: {detail!r} is none of {', '.join(map(repr, DETAILS))}")
    if not isinstance(seed, Integral):
        raise ValueError(f"seed: {seed!r}, must be a whole number")
    published = detail == "as_published"
    choices, guesses = streams(seed, "choices", "estimates")
    for name, value in (("probe_ratio", probe_ratio), ("network_delay", network_delay), ("heartbeat", heartbeat)):
        if not (isinstance(value, Real) and 0 <= value < math.inf):
            raise ValueError(f"{name}: {value!r}, must be a finite number, not negative")
    if not (isinstance(workers, Real) and 1 <= workers < math.inf and workers == int(workers)):
        raise ValueError(f"workers: {workers!r}, must be a whole number, at least 1")
    if cutoff is not None and not (isinstance(cutoff, Real) and cutoff >= 0):
        raise ValueError(f"cutoff: {cutoff!r}, must be a number of seconds, not negative, or None")
    if not (isinstance(short_partition, Real) and 0 <= short_partition <= 1):
        raise ValueError(f"short_partition: {short_partition!r}, must be a fraction of the workers, from 0 to 1")
    ready = prepare(workload, cutoff, estimate, published, guesses)
    short_only = _short_only(system, short_partition, int(workers), bool(ready.long.any()))
    _require_probes(system, ready, probe_ratio)
    how = _settings(system, published, short_only, probe_ratio, network_delay, heartbeat)
    sys = state.system(how, _jobs(ready), int(workers), record=record)
    stale = "stale-lwl" in (system.short_jobs, system.long_jobs) and heartbeat > 0
    sys.clock[engine.NEXT_HEARTBEAT] = math.floor(ready.submit[0] / heartbeat) * heartbeat if stale else math.inf
    sys = _run(system, sys, choices)
    return _result(workload, system, ready, sys, record)


def _short_only(system, short_partition, workers, any_long):
    short_only = math.floor(short_partition * workers + 1e-9)
    if any_long and short_only == workers:
        raise ValueError(f"short_partition: {short_partition} of {workers} workers leaves none for long jobs; lower it")
    if any_long and short_only == 0 and system.short_jobs in ("sss", "clear"):
        raise ValueError(
            f"short_partition: {short_partition} of {workers} workers is none, but {system.name} sends rejected probes there; raise it"
        )
    return short_only


def _require_probes(system, ready, probe_ratio):
    placed = (system.short_jobs in ("lwl", "stale-lwl"), system.long_jobs in ("lwl", "stale-lwl"))
    probed = ready.tasks[~np.where(ready.long, placed[1], placed[0])]
    needed = np.minimum(probed, 1) if system.sticky else probed
    if (np.maximum(system.min_probes, (probe_ratio * probed).astype(int)) < needed).any():
        why = "a job needs at least one probe" if system.sticky else "without sticky probes a job needs one for each task"
        raise ValueError(f"probe_ratio: {probe_ratio} with min_probes {system.min_probes}; {why}")


def _settings(system, published, short_only, probe_ratio, network_delay, heartbeat):
    queue = QUEUES.index(system.queue) if isinstance(system.queue, str) else len(QUEUES)
    short_part = PARTS[system.short_jobs] if isinstance(system.short_jobs, str) else engine.BY_READER
    any_thief = published if system.thieves is None else system.thieves == "any"
    news, shares = system.queue == "srpt" and system.updates, system.short_jobs in ("sss", "clear")
    flags = bool(system.sticky), bool(system.steal), any_thief, published, news, shares
    numbers = float(probe_ratio), float(network_delay), float(heartbeat), float(system.cap)
    return state.Settings(short_part, PARTS[system.long_jobs], queue, *flags, int(system.min_probes), short_only, *numbers)


def _jobs(ready: Prepared) -> state.Jobs:
    n = len(ready.tasks)
    whole, real = np.zeros((n, 7), np.int64), np.zeros((n, 4))
    for column in (at.TASKS, at.UNSTARTED, at.KNOWN):
        whole[:, column] = ready.tasks
    whole[:, at.FIRST], whole[:, at.LONG], whole[:, at.JOB_COPY] = ready.first, ready.long, -1
    real[:, at.SUBMIT], real[:, at.ESTIMATE], real[:, at.JOB_STAMP] = ready.submit, ready.estimate, -1
    return state.Jobs(whole, real, ready.duration)


def _run(system: System, sys: state.System, rng) -> state.System:
    send = own.nowhere if isinstance(system.short_jobs, str) else system.short_jobs
    pick = own.first if isinstance(system.queue, str) else system.queue
    while (code := engine.advance(send, pick, sys, rng)) != engine.DONE:
        if code in (engine.BAD_WORKER, engine.BAD_PLACE):
            _refuse(system, sys, code)
        sys = _enlarged(sys, code)
    return sys


def _refuse(system, sys, code):
    number = int(sys.counts[at.REFUSED]) - 1
    if code == engine.BAD_WORKER:
        raise ValueError(f"system: {system.name}'s short_jobs sends a probe of job {number} to a worker that there is not")
    raise ValueError(f"system: {system.name}'s queue picks a place that worker {number}'s line does not have")


def _enlarged(sys: state.System, code: int) -> state.System:
    job = min(int(sys.clock[engine.NEXT_JOB]), len(sys.jobs.whole) - 1)
    most = max(sys.how.min_probes, int((1 + sys.how.ratio) * sys.jobs.whole[job, at.TASKS]), 4)
    if code == engine.MORE_NEAR:
        return sys._replace(near=messages.enlarged(sys.near, most + len(sys.near.time)))
    if code == engine.MORE_FAR:
        return sys._replace(far=messages.enlarged(sys.far, most + len(sys.far.time)))
    if code == engine.MORE_ENTRIES:
        whole, real = sys.entries.whole, sys.entries.real
        return sys._replace(
            entries=sys.entries._replace(
                whole=np.concatenate((whole, np.zeros_like(whole))), real=np.concatenate((real, np.zeros_like(real)))
            )
        )
    if code == engine.MORE_COPIES:
        return sys._replace(board=sharing.enlarged(sys.board))
    if code == engine.MORE_LINE:
        size = 2 * max(len(sys.choices.line), most, int(sys.counts[at.LONGEST]) + 1)
        return sys._replace(choices=sys.choices._replace(line=np.zeros(size, np.int64)))
    return sys._replace(log=logs.longer(sys.log, len(sys.log.time) + 4 * most + 2 * int(sys.counts[at.LONGEST]) + 16))


def _result(workload, system, ready, sys, record):
    real = np.empty_like(sys.jobs.real)
    real[ready.order] = sys.jobs.real
    long, estimate = np.empty(len(real), bool), real[:, at.ESTIMATE]
    long[ready.order] = ready.long
    submit, finish = real[:, at.SUBMIT], real[:, at.FINISH]
    names = workload.jobs["job"].to_numpy()
    jobs = pd.DataFrame({
        "job": names, "submit": submit, "finish": finish, "completion": finish - submit, "long": long,
        "tasks": np.diff(workload.offsets), "estimate": estimate,
    })  # fmt: skip
    stats = _stats(sys, ready, float(finish.max()))
    frames = _records(names, ready, sys) if record else (None, None)
    return Simulation(system, jobs, stats, _utilisation(sys), *frames)


def _stats(sys, ready, makespan):
    counts = dict(zip(at.COUNTS, map(int, sys.counts[: at.REFUSED]), strict=True))
    workers, short_only = len(sys.workers.marks), sys.how.short_only
    sent = (
        counts["probes"] + 2 * counts["rejections"] + 2 * counts["requests"] + counts["placements"] + 2 * counts["steal_attempts"]
    )
    span = ready.submit[-1] - ready.submit[0]
    busy = sys.meter.at_last / span if span > 0 else np.full(2, np.nan)
    sizes = {"workers": workers, "short_only": short_only, "jobs": len(ready.tasks), "tasks": int(ready.tasks.sum())}
    shares = {
        "utilisation": float(busy.sum() / workers),
        "utilisation_short": float(busy[0] / short_only) if short_only else math.nan,
        "utilisation_general": float(busy[1] / (workers - short_only)) if workers > short_only else math.nan,
    }
    return {
        **sizes, "short_tasks": int(ready.tasks[~ready.long].sum()), **counts, "rescheduled": counts["rejections"] + counts["stolen"],
        "messages": sent + workers * counts["heartbeats"], **shares, "makespan": makespan,
    }  # fmt: skip


def _utilisation(sys):
    width, last = sys.meter.state[logs.WIDTH], sys.clock[engine.NOW]
    bins = sys.meter.bins[: max(1, math.ceil(last / width))]
    workers, short_only = len(sys.workers.marks), sys.how.short_only
    time = width * np.arange(len(bins))
    room = np.minimum(width, np.maximum(last - time, 1e-300))
    with np.errstate(divide="ignore", invalid="ignore"):
        short, general = bins[:, 0] / (room * short_only), bins[:, 1] / (room * (workers - short_only))
    return pd.DataFrame({"time": time, "short": short, "general": general, "all": bins.sum(axis=1) / (room * workers)})


def _records(names, ready, sys):
    owner = np.repeat(ready.order, ready.tasks)
    row = np.concatenate([np.arange(first, first + tasks) for first, tasks in zip(ready.first, ready.tasks, strict=True)])
    queued, asked, start, finish = sys.log.times[row].T
    number = row - np.repeat(ready.first, ready.tasks)
    tasks = pd.DataFrame({
        "job": names[owner], "task": number, "worker": sys.log.worker[row], "queued": queued, "asked": asked, "start": start,
        "finish": finish, "long": np.repeat(ready.long, ready.tasks),
    })  # fmt: skip
    used = int(sys.log.used[0])
    event, worker, job = sys.log.whole[:used].T
    log = pd.DataFrame({
        "time": sys.log.time[:used], "event": np.array(logs.EVENTS, dtype=object)[event], "worker": worker,
        "job": names[ready.order][job],
    })  # fmt: skip
    late = tasks[start > asked]  # the others' rows are there already
    starts = pd.DataFrame({"time": late["start"], "event": "start", "worker": late["worker"], "job": late["job"]})
    log = pd.concat([starts, log], ignore_index=True).sort_values("time", kind="stable", ignore_index=True)
    return tasks.sort_values(["job", "task"], kind="stable", ignore_index=True), log
