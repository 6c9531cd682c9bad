"""The simulator of Section 5: a workload, a system and a cluster in, completion times out."""

import math
import warnings
from collections.abc import Sequence
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from schedlib.core import streams
from schedlib.core.arrays import zeroed
from schedlib.core.checks import refuse, typed, whole
from schedlib.eagle.detail import Detail, detail_of
from schedlib.eagle.records import JOB, MOST_PROBES
from schedlib.eagle.simulating import engine
from schedlib.eagle.simulating.results import Simulation, check_choices, in_unit, result
from schedlib.eagle.state import initial, settings
from schedlib.eagle.systems import Parts, System, system_of
from schedlib.eagle.workloads.measures import job_means
from schedlib.eagle.workloads.synthetic import MOST_WORKERS
from schedlib.workload import SECONDS, Workload

DEPHASING = 0.01  # s
DELAY = 0.0005  # s
HEARTBEAT = 3.0  # s
MOST_SLOTS = 10_000  # of a worker
MOST_CUT = 0.01  # of the work, without a warning
MOST_LATE = 1.0  # s that jobs of one moment may be put apart without a warning
MOST_OFF = 2.0  # a factor: how far a job's column `mean` may be from its tasks' without a warning
RANGES = {
    "workers": (1, MOST_WORKERS),
    "short_partition": (0, 1),
    "cutoff": (0, math.inf),
    "probe_ratio": (0, 10_000),
    "network_delay": (0, 1e12),
    "heartbeat": (0, 1e12),
}
"""The least and the largest that a number may be."""
Estimate: TypeAlias = str | float | Sequence[float]
LARGEST = 1e9
"""The largest factor of an estimate: sums of estimates stay exact enough."""


@typed
def simulate(
    workload: Workload,
    system: str | System = "eagle",
    workers: int = 100,
    *,
    short_partition: float,
    cutoff: float | None,
    slots: npt.ArrayLike = 1,
    probe_ratio: float = 2,
    min_probes: int | None = None,
    network_delay: float | None = None,
    estimate: Estimate = "mean",
    heartbeat: float | None = None,
    detail: str | None = None,
    seed: int = 0,
    record: bool = False,
) -> Simulation:
    """Run a workload under a system on `workers` workers, each with one queue and as many slots as `slots` says.

    - `system`: "eagle", "hawk", "sparrow", "dlwl", "omniscient", "ideal-eagle", or an `eagle.System`
      (`Eagle(sss=False)`, `Hawk(...)`, ...)
    - `short_partition`: the fraction of the workers, the first ones, for short jobs alone (rounded down)
    - `cutoff`: jobs of a longer mean task are long; 0: all, infinite: none, None: those of a class > 0
    - `slots`: tasks that a worker runs at once, a number for all or one for each (W,). Each slot serves the queue
      as a worker of one slot does; least work left is the work by the slots; a long task on any slot is one at
      the worker. Utilisation is that of slots
    - `probe_ratio`: probes a task; `min_probes`: the least of a job, K (None: the system's own)
    - `network_delay`: one hop (None: 0.0005 s); `heartbeat`: how often those with old news learn (None: 3 s,
      0: they know all). These and `cutoff` are in the workload's unit of time, as are all results and all times
      that a function of yours sees. Without such a function a run in minutes, hours or days is worked out in
      seconds, to the microsecond
    - `estimate` of a job's task: "mean", a factor on the mean, or (low, high), a factor per job drawn
      uniformly; the class stays the true one
    - `detail`: `"as_published"` follows the authors' simulator at its last commit, `"as_submitted"` at that of
      November 2016, `"as_written"` the paper's text: see `eagle.Detail` for each difference. The authors' cut
      durations to whole seconds and put jobs of one moment 0.01 s apart; a warning says where that changes
      more than 1 % of the work, or a time of submission by more than 1 s. None: as published, but no time is
      cut or moved
    - `seed` alone decides what is drawn; `record`: `tasks` and `log` of the result are kept

    A column `mean` of the workload's jobs, which Hawk's traces have, takes the place of the mean of a job's tasks:
    it decides which jobs are long, and is the estimate. A warning says where it is far from that mean.

    Events of one moment are handled one after another: ends of tasks, then messages, then heartbeats, then
    submissions in the workload's order, each with all probes and tasks that it sends. So the first job of a batch
    chooses its workers before the second is looked at.

    Raises ValueError, naming the argument, on an unknown system or detail, no worker, a short partition that
    leaves no worker for long jobs (or, where SSS needs one, has none), a cut-off outside the jobs' means, a job
    without tasks, an estimate that is not positive, a negative delay, heartbeat or ratio, and a reader's part
    that names an unknown worker or place.
    Ctrl-C ends a run, but not a reader's function that never returns; then end the process. Source: Section 5.

    See also: `eagle.System`, `eagle.Detail`, `prototype.run`, `boards.eagle`.

    >>> jobs = Workload.from_arrays([0, 0], [100, 100, 1], tasks=[2, 1])
    >>> simulate(jobs, "eagle", 3, short_partition=0.34, cutoff=50).jobs["completion"].tolist()
    [100.0015, 1.0015]
    """
    system = system_of(system, min_probes)
    own_columns = workload.numeric_columns()
    parts = system.resolved(own_columns)
    differences = detail_of(detail)
    unit = workload.time_unit
    second = SECONDS[unit]
    own = workload.jobs
    network_delay = DELAY / second if network_delay is None else network_delay
    heartbeat = HEARTBEAT / second if heartbeat is None else heartbeat
    check_numbers(
        workers=workers,
        short_partition=short_partition,
        cutoff=cutoff,
        probe_ratio=probe_ratio,
        network_delay=network_delay,
        heartbeat=heartbeat,
    )
    coarse = max(second, 1.0)  # times in smaller units stay as they are
    if coarse > 1:
        workload = in_seconds(workload, coarse)
        cutoff = None if cutoff is None else cutoff * coarse
    of_each = slots_of_workers(slots, workers)
    choices, guesses = streams(seed, "choices", "estimates")
    rows, jobs, duration = prepare(workload, cutoff, estimate, differences, guesses)
    short_only = short_workers(system.name, parts, short_partition, workers, bool(jobs.long.any()))
    jobs.probes = _probes(system, parts, jobs, probe_ratio)
    columns = None
    seconds = 1.0  # of the run's unit of time
    if parts.functions:
        columns = np.array([*own_columns.values()]).reshape(len(own_columns), len(workload))
        columns = columns[:, rows].copy()
        # the rules are in the reader's unit, and so must be the times that they see
        jobs.submit /= coarse
        jobs.estimate /= coarse
        duration = duration / coarse
        duration.flags.writeable = False
        seconds = coarse
        coarse = 1.0
    how = settings(
        system=system,
        parts=parts,
        detail=differences,
        short_only=short_only,
        slots=int(of_each.max()),
        second=1 / seconds,
        delay=float(network_delay * coarse),
        heartbeat=float(heartbeat * coarse),
    )
    state = initial(how, jobs, duration, of_each, record=record, columns=columns)
    state = engine.run(parts.choices(), state, choices)
    check_choices(state, system.name, unit, own["job"].to_numpy()[rows])
    if coarse > 1:
        in_unit(state, coarse)
    return result(system, own, rows, state, record)


def slots_of_workers(slots: npt.ArrayLike, workers: int) -> np.ndarray:
    """The slots of each worker (W,); ValueError on a number that is not whole, below 1 or too large.

    >>> slots_of_workers(2, 3)
    array([2, 2, 2])
    """
    given = np.asarray(slots, float)
    whole("slots", given, 1)
    refuse("slots", given > MOST_SLOTS, given, f"must be at most {MOST_SLOTS:,}")
    if given.shape not in ((), (workers,)):
        raise ValueError(f"slots: shape {given.shape}; give one number, or one for each worker")
    return np.broadcast_to(given, workers).astype(np.int64)


def in_seconds(workload: Workload, unit: float) -> Workload:
    """The same jobs in seconds, of which a unit of the workload's time has `unit`, to the microsecond.

    >>> hours = Workload.from_arrays([0.0, 1.0], [61 / 3600, 0.5], time_unit="h")
    >>> in_seconds(hours, 3600.0).tasks["duration"].tolist()
    [61.0, 1800.0]
    """
    jobs, tasks = workload.jobs, workload.tasks
    for frame, name in ((jobs, "submit"), (jobs, "mean"), (tasks, "duration")):
        if name in frame:
            frame[name] = np.round(frame[name].to_numpy(float) * unit, 6)
    return Workload(jobs, tasks)


def check_numbers(**numbers: float | None) -> None:
    """ValueError on a number that is out of its range in `RANGES`."""
    for name, value in numbers.items():
        low, high = RANGES[name]
        if value is not None and not low <= value <= high:
            raise ValueError(f"{name}: {value!r}, must be from {low} to {high:,}")


def dephased(submit: np.ndarray) -> np.ndarray:
    """Times (N,), sorted, with each job that shares its own put 0.01 s after the last one of that time.

    The authors' simulator does this, and counts completion times from the moved time.

    >>> dephased(np.array([0.0, 0.0, 0.0, 1.0]))
    array([0.  , 0.01, 0.02, 1.  ])
    """
    times = submit.tolist()
    for job in (np.flatnonzero(submit[1:] == submit[:-1]) + 1).tolist():
        # one after another, since a product would round otherwise
        times[job] = times[job - 1] + DEPHASING
    return np.array(times)


def factors(estimate: Estimate, jobs: int, rng: np.random.Generator) -> np.ndarray:
    """The factor of each job's estimate on its true mean; ValueError as `simulate` says."""
    if isinstance(estimate, str) and estimate == "mean":
        return np.ones(jobs)
    pair: Any = (estimate, estimate) if isinstance(estimate, Real) else estimate
    is_pair = isinstance(pair, Sequence) and len(pair) == 2
    are_numbers = is_pair and all(isinstance(end, Real) for end in pair)
    if not are_numbers or not 0 < pair[0] <= pair[1] <= LARGEST:
        rule = f"give 'mean', a positive factor up to {LARGEST:g}, or a pair (low, high) of such"
        raise ValueError(f"estimate: {estimate!r}; {rule}")
    low, high = map(float, pair)
    return rng.uniform(low, high, jobs) if low < high else np.full(jobs, low)


def prepare(
    workload: Workload,
    cutoff: float | None,
    estimate: Estimate,
    detail: Detail,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.recarray, np.ndarray]:
    """The jobs' rows (N,) in the order of submission, their records (N,), and the tasks' durations (T,).

    Means may be cut to whole seconds, before and after a factor is applied. Raises ValueError as
    `simulate` does.
    """
    first = workload.offsets[:-1]
    tasks = np.diff(workload.offsets)
    mean = _means(workload)
    duration = workload.tasks["duration"].to_numpy(float)
    submit = workload.jobs["submit"].to_numpy(float)
    if detail.whole_times:
        whole = np.floor(duration)
        _warn_of_cuts(duration.sum(), whole.sum(), workload.time_unit)
        mean = np.floor(mean)
        duration = whole
    if detail.jobs_apart:
        apart = dephased(submit)
        _warn_of_delays(submit, apart)
        submit = apart
    long = _long(workload, mean, cutoff)
    guess = factors(estimate, len(mean), rng) * mean
    if detail.whole_times:
        guess = np.floor(guess)
    order = np.argsort(submit, kind="stable")
    jobs = zeroed(JOB, len(order))
    jobs.submit = submit[order]
    jobs.estimate = guess[order]
    jobs.tasks = tasks[order]
    jobs.unstarted = jobs.tasks
    jobs.known = jobs.tasks
    jobs.long = long[order]
    jobs.first = first[order]
    jobs.copy_row = -1
    jobs.stamp = -1
    duration.flags.writeable = False
    return order, jobs, duration


def _means(workload: Workload) -> np.ndarray:
    """The mean duration of each job's tasks (N,): the column `mean`, if there is one."""
    of_tasks = job_means(workload)
    if "mean" not in workload.jobs:
        return of_tasks
    mean = workload.jobs["mean"].to_numpy(float)
    bad = np.flatnonzero(~(np.isfinite(mean) & (mean >= 0)))
    if len(bad):
        value = f"'mean' in row {bad[0]} of jobs is {mean[bad[0]]}"
        raise ValueError(f"workload: {value}; give a number of seconds, or leave the column out")
    off = np.maximum(mean, of_tasks) > MOST_OFF * np.minimum(mean, of_tasks) + 1
    if off.any():
        row = off.argmax()
        what = f"column 'mean' in row {row} of jobs is {mean[row]:g}, that job's tasks take {of_tasks[row]:g}"
        _warn(
            f"workload: {what}; it decides which jobs are long: rename a column of another meaning"
        )
    return mean


def _warn_of_cuts(work: float, left: float, unit: str) -> None:
    """A warning when cutting durations takes much of the work away."""
    if work - left > MOST_CUT * work:
        cut = f"as published durations are cut to multiples of 1 {unit}"
        lost = f"this takes {1 - left / work:.1%} of the work away"
        _warn(f"detail: {cut}, and {lost}; leave detail out, or give times in a smaller unit")


def _warn_of_delays(submit: np.ndarray, apart: np.ndarray) -> None:
    """A warning when jobs of one moment are submitted much later."""
    latest = (apart - submit).max()
    if latest > MOST_LATE:
        moved = f"as published jobs of one moment come {DEPHASING} s apart, here up to {latest:.3g} s later"
        _warn(f"detail: {moved}; leave detail out")


def _warn(text: str) -> None:
    # 6: the callers here, `prepare`, `simulate` and its wrapper stand between this and the reader's line
    warnings.warn(text, stacklevel=6)


def _long(workload: Workload, mean: np.ndarray, cutoff: float | None) -> np.ndarray:
    """Which jobs are long (N,); ValueError on a cut-off that puts all jobs into one class, except 0 and infinity."""
    if cutoff is None:
        return workload.jobs["class"].to_numpy() > 0
    long = mean > cutoff
    if 0 < cutoff < math.inf and long.all() == long.any():
        which, on_purpose = ("long", "0") if long.all() else ("short", "math.inf")
        span = f"{mean.min():g} to {mean.max():g} s"
        raise ValueError(
            f"cutoff: {cutoff:g} s makes all jobs {which}, since their mean durations go from {span}; "
            f"give one in between, or {on_purpose} to say so"
        )
    return long


def short_workers(
    name: str, parts: Parts, short_partition: float, workers: int, any_long: bool
) -> int:
    """The number of workers in the short partition of a system called `name`; ValueError if it cannot work."""
    short_only = math.floor(short_partition * workers + 1e-9)
    partition = f"short_partition: {short_partition} of {workers} workers"
    if any_long and short_only == workers:
        raise ValueError(f"{partition} leaves none for long jobs; lower it")
    if any_long and short_only == 0 and parts.short.shares:
        raise ValueError(f"{partition} is 0, but {name} sends rejected probes there; raise it")
    return short_only


def _probes(system: System, parts: Parts, jobs: np.recarray, probe_ratio: float) -> np.ndarray:
    """The probes of each job (N,), max(K, 2t) (Section 3.3), or -1 where a reader's function will say it.

    ValueError when a job that is not placed gets too few for its tasks."""
    probes = np.maximum(system.min_probes, (probe_ratio * jobs.tasks).astype(int))
    if (probes > MOST_PROBES).any():
        largest = max(system.min_probes, probe_ratio)
        rule = f"gives a job more than {MOST_PROBES:,} probes; lower it"
        raise ValueError(f"min_probes, probe_ratio: {largest} {rule}")
    probed = ~np.where(jobs.long == 1, parts.long.places, parts.short.places)
    needed = 1 if system.sticky else jobs.tasks
    if "probes" in parts.functions:
        probes[probed] = -1
    elif (probed & (probes < needed)).any():
        rule = "at least one probe" if system.sticky else "one probe for each task, unless sticky"
        sent = f"probe_ratio: {probe_ratio} with min_probes {system.min_probes}"
        raise ValueError(f"{sent}; a job needs {rule}")
    return probes
