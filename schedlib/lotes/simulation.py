"""Results of a stage 3 run: waits, queues, use of the machines (LoTES, Section 5)."""

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from schedlib.core.portable import dot
from schedlib.lotes.dispatching import state as states
from schedlib.lotes.dispatching.run import Run
from schedlib.lotes.dispatching.state import lengthened, present, tick

WAS_WAIT = "{}: from submission to finish; before version 3 it was the wait, from submission to start, which is {} now"
GROWTH, BATCHES = 1e-3, 8  # a queue that takes this share of the arrivals, steadily, is growing


@dataclass(frozen=True, eq=False)
class Simulation:
    """The result of `simulate`. Times are in the workload's unit; measures are from the first submission on (of
    a `RandomWorkload`: from 0 on).

    - `policy`, the `options` it ran under, `seed`
    - `jobs`: with `record=True` a row per job, `job, class, submit, start, finish, machine` (NaN and -1 where
      the run ended before); else None. Where a policy may stop jobs, `start` is the first start, `machine` the last
      one, and `preemptions` says how often the job was stopped
    - `pieces`: then, a row per stretch of time during which a job ran, `job, machine, start, finish`, in order; else
      None
    - `arrived`, `started`, `finished`, `waiting` at the end: numbers of jobs; those that were stopped wait, too;
      `ages`: how long those that never started have waited so far, the longest first
    - `mean_wait_started`, `longest`: wait from submission to start over the jobs that started; they hide those
      that never did, which `mean_wait` counts
    - `mean_queue`: the time average of jobs waiting
    - `looked`: how many machines an arriving job asks for their state on average (Section 5.2): all of the
      configurations that LoTES tries, those that Greedy passes, all under Tetris; NaN for a reader's policy
    - `intervals`: a row per interval of time: `begin, end, arrived, started, finished, mean_wait` (over
      the jobs that *start* in it), `queue` (mean), `queue_end`, `queued` (share of the time during which jobs
      wait)
    - `utilisation (R,)`: of each resource, the share in use; `fragmentation (R,)`: the share that is idle while
      jobs wait, NaN if none ever did
    - `time`: when the run ended; `plans`: with `replan`, pairs of a time and the plan followed from then on, the first from the
      first submission on

    See also: `lotes.simulate`.

    >>> from schedlib import lotes
    >>> from schedlib.workload import Workload
    >>> jobs = Workload.from_arrays([0, 0, 1], [4.0, 2.0, 1.0], cpu=[1, 1, 1])
    >>> run = lotes.simulate("greedy", lotes.MachineConfigs([[2.0]], [1]), jobs)
    >>> run.quantile([0.5, 1.0]).tolist(), int(run.queue_length["length"].max())
    ([0.0, 1.0], 1)
    """

    policy: str
    options: dict
    seed: int
    jobs: pd.DataFrame | None
    arrived: int
    started: int
    finished: int
    waiting: int
    mean_wait_started: float
    longest: float
    mean_queue: float
    ages: np.ndarray = field(repr=False)
    looked: float
    intervals: pd.DataFrame = field(repr=False)
    utilisation: np.ndarray
    fragmentation: np.ndarray
    time: float
    sketch: np.ndarray = field(repr=False)
    width: float = field(repr=False)
    plans: tuple = field(default=(), repr=False)
    pieces: pd.DataFrame | None = field(default=None, repr=False)

    @property
    def wait(self) -> np.ndarray:
        """First start less submission of each job, NaN where it did not start; needs `record=True`. Of a job that is
        stopped, `response` less its duration is the time during which it did not run."""
        return self._since_submission("wait", "start")

    @property
    def response(self) -> np.ndarray:
        """Finish less submission of each job, NaN where it did not start, or was stopped for good; needs
        `record=True`.

        Before version 3 this was what `wait` is now, as in the paper: reading it warns until version 4.
        """
        warnings.warn(WAS_WAIT.format("response", "wait"), FutureWarning, stacklevel=2)
        return self._since_submission("response", "finish")

    @property
    def mean_response(self) -> float:
        """The mean of `response` over the jobs that started, NaN without one; needs `record=True`.

        Before version 3 this was what `mean_wait_started` is now: reading it warns until version 4.
        """
        warnings.warn(WAS_WAIT.format("mean_response", "mean_wait"), FutureWarning, stacklevel=2)
        response = self._since_submission("mean_response", "finish")
        return float(np.nanmean(response)) if self.started else np.nan

    def _since_submission(self, asked, event):
        """The time from submission to this event of each job."""
        if self.jobs is None:
            raise ValueError(
                f"{asked}: this run kept no rows; simulate with record=True, or use mean_wait, quantile "
                "and intervals"
            )
        return (self.jobs[event] - self.jobs["submit"]).to_numpy()

    @property
    def queue_length(self) -> pd.DataFrame:
        """Jobs waiting at the end of each interval: `time, length`."""
        return self.intervals[["end", "queue_end"]].set_axis(["time", "length"], axis=1)

    @property
    def mean_wait(self) -> float:
        """The mean wait of all jobs that came; those that still wait count with what they have waited."""
        if not self.arrived:
            return np.nan
        begun = self.mean_wait_started * self.started if self.started else 0.0
        waits = self.ages.sum() + begun
        return float(waits / self.arrived)

    @cached_property
    def _waits(self) -> tuple[np.ndarray, np.ndarray]:
        """The waits of all jobs in order, and how many jobs have each, or fewer."""
        if self.jobs is not None:
            start = self.jobs["start"].fillna(self.time).to_numpy()
            submit = self.jobs["submit"].to_numpy()
            waits = np.sort(start - submit)
            return waits, np.arange(1, len(waits) + 1)
        places = np.arange(len(self.sketch)) + 0.5
        middle = states.SKETCH_LOW * self.width * states.SKETCH_BASE**places
        at_once = self.started - self.sketch.sum()
        waits = np.r_[0.0, np.minimum(middle, self.longest), self.ages]
        jobs = np.r_[at_once, self.sketch, np.ones(len(self.ages))]
        order = np.argsort(waits, kind="stable")
        return waits[order], np.cumsum(jobs[order])

    def quantile(self, q: npt.ArrayLike) -> np.ndarray | float:
        """The q-quantile (q a number or an array in [0, 1]) of the waits of all jobs, as in `mean_wait`.

        Exact with `record=True`; otherwise from bins 1 % wide: off by at most 0.5 %, zero waits exact.
        """
        q = np.asarray(q, float)
        inside = (q >= 0) & (q <= 1)
        if not inside.all() or not self.arrived:
            raise ValueError(f"q: {q}, must lie in [0, 1], and some job must have come")
        waits, jobs = self._waits
        rank = np.ceil(q * self.arrived).clip(1)
        place = np.searchsorted(jobs, rank)
        return waits[place][()]

    def share_above(self, wait: float) -> float:
        """The share of all jobs that waited longer than this, exact or from bins as in `quantile`."""
        waits, jobs = self._waits
        if not self.arrived:
            return 0.0
        place = np.searchsorted(waits, wait, side="right")
        within = np.r_[0, jobs][place]
        return float(1 - within / self.arrived)

    @cached_property
    def slope(self) -> float:
        """Least-squares slope of the mean queue over the run's second half, in jobs per unit of time."""
        late = self.intervals.iloc[len(self.intervals) // 2 :]
        if len(late) < 2:
            return 0.0
        ends = late["begin"] + late["end"]
        middle = ends.to_numpy() / 2
        away = middle - middle.mean()
        queue = late["queue"].to_numpy()
        return float(dot(away, queue) / dot(away, away))

    @cached_property
    def trend(self) -> float:
        """Kendall's tau of the queue over eight batches of the second half: 1 when it grows in each."""
        queue = self.intervals["queue"].to_numpy()
        parts = np.array_split(queue[len(queue) // 2 :], BATCHES)
        batches = np.array([part.mean() for part in parts if len(part)])
        steps = np.sign(batches - batches[:, None])
        later = steps[np.triu_indices(len(batches), 1)]
        return float(later.mean()) if len(later) else 0.0

    @property
    def stable(self) -> bool:
        """Whether the run passes as stable; one too short to show its growth passes. A queue grows when, over
        the second half, `slope` exceeds 0.001 arrivals per unit of time, and `trend` is at least 0.5, which
        without a trend has a probability of 5 %."""
        lasted = self.time - self.intervals["begin"].iloc[0]
        rate = self.arrived / lasted if lasted > 0 else 0.0
        grows = self.slope > GROWTH * rate
        return not (grows and self.trend >= 0.5)


def simulation_of(run: Run, **of_policy: Any) -> Simulation:
    """The results of a run that has ended; `of_policy`: the fields that name the policy and its plans."""
    state = run.state
    meter = state.meter
    if np.isfinite(run.end):
        meter = lengthened(meter, run.end)
        tick(meter, float(run.end))
    series = meter.series
    clock = meter.clock[0]
    time = float(clock.now)
    lasted = time - meter.origin
    total = dot(run.given.configs.count, state.machines.capacity)  # (R,): of all machines
    arrived = int(series.arrived.sum())
    started = int(series.started.sum())
    queued_time = series.queued_time.sum()
    used = meter.busy_queued.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        idle = 1 - used / (queued_time * total)
    jobs = _rows(run, arrived) if run.record else None
    stops = getattr(run.policy, "preempts", False) and run.record
    if stops:
        jobs["preemptions"] = run.policy.stops[:arrived]
    return Simulation(
        **of_policy,
        jobs=jobs,
        pieces=_pieces(run.policy, jobs) if stops else None,
        ages=_ages(run, time),
        arrived=arrived,
        started=started,
        finished=int(series.finished.sum()),
        waiting=int(clock.waiting),
        mean_wait_started=float(series.wait.sum() / started) if started else np.nan,
        longest=float(clock.longest),
        mean_queue=float(series.queue_area.sum() / lasted) if lasted else 0.0,
        intervals=_intervals(meter),
        utilisation=meter.busy.sum(axis=0) / (lasted * total) if lasted else 0 * total,
        fragmentation=idle,
        time=time,
        sketch=meter.sketch,
        width=meter.unit,
    )


def _ages(run, time):
    """How long the jobs that never started have waited, the longest first."""
    table = run.state.table
    slots = present(table)
    job = table.job
    queued = slots[job.machine[slots] < 0]
    if hasattr(run.policy, "stops"):
        queued = queued[run.policy.stops[queued] == 0]
    return np.sort(time - job.submit[queued])[::-1]


def _rows(run, arrived):
    """`Simulation.jobs` of the jobs that arrived."""
    columns = {
        "job": getattr(run.given.jobs, "job", np.arange(arrived)),
        "class": np.concatenate([block.job_class for block in run.blocks]),
        "submit": np.concatenate([block.submit for block in run.blocks]),
        **run.log._asdict(),
    }
    return pd.DataFrame({name: values[:arrived] for name, values in columns.items()})


def _pieces(policy, jobs):
    """`Simulation.pieces` of a policy that may stop jobs."""
    stopped = pd.DataFrame(policy.pieces[: policy.kept[0]])
    ended = jobs["finish"].notna().to_numpy()
    last = {"job": np.flatnonzero(ended), "start": policy.begun[: len(jobs)][ended]}
    last |= {name: jobs[name].to_numpy()[ended] for name in ("machine", "finish")}
    pieces = pd.concat([stopped, pd.DataFrame(last)])
    pieces["job"] = jobs["job"].to_numpy()[pieces["job"]]
    return pieces.sort_values(["start", "machine"], kind="stable", ignore_index=True)


def _intervals(meter):
    """`Simulation.intervals` from a meter whose clock has stopped."""
    clock = meter.clock[0]
    begun = int(np.ceil((clock.now - meter.origin) / meter.width))
    rows = min(max(begun, 1), len(meter.series))
    series = meter.series[:rows].copy()
    if clock.interval == rows:  # the run ended at this edge
        for name in ("arrived", "started", "finished", "wait"):
            series[name][-1] += meter.series[rows][name]
    begin = meter.origin + np.arange(rows) * meter.width
    end = np.minimum(begin + meter.width, clock.now)
    span = np.maximum(end - begin, np.finfo(float).tiny)
    series["queue_end"][-1] = clock.waiting
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_wait = series.wait / series.started
    return pd.DataFrame(
        {
            "begin": begin,
            "end": end,
            "arrived": series.arrived,
            "started": series.started,
            "finished": series.finished,
            "mean_wait": mean_wait,
            "queue": series.queue_area / span,
            "queue_end": series.queue_end,
            "queued": series.queued_time / span,
        }
    )
