"""What a run of the simulator tells: waits, queue, use of the machines, and whether it was stable."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from schedlib.lotes.dispatching import meter as columns

GROWTH = 1e-3  # a queue that takes this share of the arrivals, steadily, is growing
BATCHES = 8


@dataclass(frozen=True, eq=False)
class Simulation:
    """The result of `simulate`. Times are in the workload's unit.

    - `policy`: its name; `options`: the readings it ran under; `seed`
    - `jobs`: with `record=True` a row per job, `job, class, submit, start, finish, machine` (machines are numbered through the
      configurations; NaN and -1 where the run ended before the job started), else None
    - `arrived`, `started`, `finished`, `waiting`: numbers of jobs; `waiting` those queued at the end
    - `mean_response`: mean wait from submission to start over the jobs that started; it hides those that never did, so read it with
      `waiting` and `stable`; `longest`: the longest such wait
    - `mean_queue`, `mean_present`: time averages of jobs waiting, and in the system
    - `residual`: the time that the jobs waiting at the end have waited so far, in all
    - `looked`: how many machines an arriving job asks for their state, on average, by the policy's words (Section 5.2): all of the
      configurations that LoTES tries, those that Greedy passes, every one under Tetris; NaN for a reader's policy
    - `intervals`: a frame with a row per interval of time: `begin, end, arrived, started, finished, mean_response` (over the jobs
      that *start* in it), `queue` (mean), `queue_end`, `queue_most`, `queued` (share of the time during which jobs wait),
      `utilisation_<l>`, and `idle_<l>`: the share of resource l that stays idle while jobs wait
    - `utilisation (R,)`, `fragmentation (R,)`: the same over the run; the latter is NaN when no job ever waited
    - `time`: when the run ended; `plans`: with `replan`, pairs of a time and the plan followed from then on
    """

    policy: str
    options: dict
    seed: int
    jobs: pd.DataFrame | None
    arrived: int
    started: int
    finished: int
    waiting: int
    mean_response: float
    longest: float
    mean_queue: float
    mean_present: float
    residual: float
    looked: float
    intervals: pd.DataFrame = field(repr=False)
    utilisation: np.ndarray
    fragmentation: np.ndarray
    time: float
    sketch: np.ndarray = field(repr=False)
    width: float = field(repr=False)
    plans: tuple = field(default=(), repr=False)

    @property
    def response(self) -> np.ndarray:
        """Start less submission of each job, NaN where it did not start; needs `record=True`."""
        if self.jobs is None:
            raise ValueError("response: this run kept no rows; simulate with record=True, or use quantile and intervals")
        return (self.jobs["start"] - self.jobs["submit"]).to_numpy()

    @property
    def queue_length(self) -> pd.DataFrame:
        """Jobs waiting at the end of each interval: `time, length`."""
        frame = self.intervals[["end", "queue_end"]]
        return frame.set_axis(["time", "length"], axis=1)

    def quantile(self, q) -> np.ndarray | float:
        """The q-quantile (a number or an array in [0, 1]) of the waits of the jobs that started: exact with `record=True`.

        Otherwise from the sketch, whose bins are 1 % wide: off by at most 0.5 %; waits of zero are counted exactly.
        """
        q = np.asarray(q, float)
        if ((q < 0) | (q > 1)).any() or not self.started:
            raise ValueError(f"q: {q}, must lie in [0, 1], and some job must have started")
        if self.jobs is not None:
            waits = self.response
            return np.quantile(waits[~np.isnan(waits)], q, method="inverted_cdf")[()]
        below = np.cumsum(np.concatenate(([self.started - self.sketch.sum()], self.sketch)))
        at = np.searchsorted(below, np.ceil(q * self.started).clip(1), side="left")
        middle = columns.SKETCH_LOW * self.width * columns.SKETCH_BASE ** (at - 0.5)
        return np.where(at == 0, 0.0, np.minimum(middle, self.longest))[()]

    def share_above(self, wait: float) -> float:
        """The share of started jobs that waited longer than this; from the sketch, whose bins are 1 % wide, or exact."""
        if self.jobs is not None:
            waits = self.response
            return float((waits > wait).sum() / max(self.started, 1))
        lows = columns.SKETCH_LOW * self.width * columns.SKETCH_BASE ** (np.arange(len(self.sketch)) + 0.5)
        return float(self.sketch[lows > wait].sum() / max(self.started, 1))

    @cached_property
    def slope(self) -> float:
        """Least-squares slope of the mean queue over the second half of the run's intervals, jobs per unit of time."""
        late = self.intervals.iloc[len(self.intervals) // 2 :]
        if len(late) < 2:
            return 0.0
        middle = (late["begin"] + late["end"]).to_numpy() / 2
        return float(np.polyfit(middle - middle.mean(), late["queue"].to_numpy(), 1)[0])

    @cached_property
    def trend(self) -> float:
        """Kendall's tau of the queue over eight batches of the second half: 1 when each is longer than the one before."""
        queue = self.intervals["queue"].to_numpy()[len(self.intervals) // 2 :]
        batches = np.array([part.mean() for part in np.array_split(queue, BATCHES) if len(part)])
        steps = np.sign(batches[None] - batches[:, None])[np.triu_indices(len(batches), 1)]
        return float(steps.mean()) if len(steps) else 0.0

    @property
    def stable(self) -> bool:
        """Whether the run passes as stable: not (the queue takes over 0.1 % of the arrivals, and grows with tau >= 0.5).

        Over the second half of the run, `slope` exceeds 0.001 arrivals per unit of time, and `trend` is at least 0.5, which under
        no trend has a probability of 5 %. A run too short to show its growth passes.
        """
        rate = self.arrived / self.time if self.time > 0 else 0.0
        return not (self.slope > GROWTH * rate and self.trend >= 0.5)

    @property
    def little(self) -> float:
        """How far Little's law is off on the queue: (mean queue x time) / (waits of all jobs so far) - 1; rounding only."""
        waits = self.mean_response * self.started + self.residual if self.started else self.residual
        area = self.mean_queue * self.time
        return area / waits - 1 if waits > 0 else area


def frame_of(meter, capacity, resources) -> pd.DataFrame:
    """`Simulation.intervals` from a meter whose clock has stopped; `capacity (R,)` of all machines."""
    clock, r = meter.state[columns.NOW], len(resources)
    n = int(np.ceil(clock / meter.width)) or 1
    s = meter.series[: min(n, len(meter.series))]
    begin = np.arange(len(s)) * meter.width
    end = np.minimum(begin + meter.width, clock)
    span = np.maximum(end - begin, np.finfo(float).tiny)
    ends = s[:, columns.QUEUE_END].copy()
    ends[-1] = meter.state[columns.WAITING]
    with np.errstate(invalid="ignore", divide="ignore"):
        frame = {
            "begin": begin,
            "end": end,
            "arrived": s[:, columns.ARRIVED].astype(int),
            "started": s[:, columns.STARTED].astype(int),
            "finished": s[:, columns.FINISHED].astype(int),
            "mean_response": s[:, columns.WAIT] / s[:, columns.STARTED],
            "queue": s[:, columns.QUEUE_AREA] / span,
            "queue_end": ends.astype(int),
            "queue_most": s[:, columns.QUEUE_MOST].astype(int),
            "queued": s[:, columns.QUEUED_TIME] / span,
        }
        busy, queued = s[:, columns.BUSY :], s[:, columns.QUEUED_TIME]
        for l, name in enumerate(resources):
            frame[f"utilisation_{name}"] = busy[:, l] / (span * capacity[l])
        for l, name in enumerate(resources):
            frame[f"idle_{name}"] = 1 - busy[:, r + l] / (queued * capacity[l])
    return pd.DataFrame(frame)
