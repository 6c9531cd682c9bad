"""Stage 3 as a simulation: a policy dispatches a workload to the machines, and what the run tells (LoTES,
Sections 4.3 and 5).
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from schedlib.core import streams
from schedlib.core.portable import dot
from schedlib.core.stopping import interruptible
from schedlib.lotes.dispatching import state as states
from schedlib.lotes.dispatching.engine import run
from schedlib.lotes.dispatching.machine_tree import fractions, machines
from schedlib.lotes.dispatching.state import Given, Tasks, lengthened, present, tick
from schedlib.lotes.model import JobClasses, MachineConfigs, Plan
from schedlib.lotes.policies import OPTIONS, chosen, grown
from schedlib.lotes.policies.own import Policy
from schedlib.lotes.replan import Planner, Replan
from schedlib.lotes.workloads.instances import RandomWorkload
from schedlib.workload import Workload

GROWTH, BATCHES = 1e-3, 8  # a queue that takes this share of the arrivals, steadily, is growing
MOST_INTERVALS = 10_000_000


@dataclass(frozen=True, eq=False)
class Simulation:
    """The result of `simulate`. Times are in the workload's unit.

    - `policy`, the `options` it ran under, `seed`
    - `jobs`: with `record=True` a row per job, `job, class, submit, start, finish, machine` (NaN and -1 where
      the run ended before); else None
    - `arrived`, `started`, `finished`, `waiting` at the end: numbers of jobs; `ages`: how long those that
      wait have waited so far, the longest first
    - `mean_response`, `longest`: wait from submission to start over the jobs that started; they hide those
      that never did, which `mean_wait` counts
    - `mean_queue`, `mean_present`: time averages of jobs waiting, and in the system
    - `looked`: how many machines an arriving job asks for their state on average (Section 5.2): all of the
      configurations that LoTES tries, those that Greedy passes, all under Tetris; NaN for a reader's policy
    - `intervals`: a row per interval of time: `begin, end, arrived, started, finished, mean_response` (over
      the jobs that *start* in it), `queue` (mean), `queue_end`, `queue_most`, `queued` (share of the time
      during which jobs wait), `utilisation_<l>`, and `idle_<l>`: what stays idle of resource l meanwhile
    - `utilisation (R,)`, `fragmentation (R,)`: the same over the run; the latter is NaN if no job ever waited
    - `time`: when the run ended; `plans`: with `replan`, pairs of a time and the plan followed from then on

    See also: `lotes.simulate`.

    >>> jobs = Workload.from_arrays([0, 0, 1], [4.0, 2.0, 1.0], cpu=[1, 1, 1])
    >>> run = simulate("greedy", MachineConfigs([[2.0]], [1]), jobs)
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
    mean_response: float
    longest: float
    mean_queue: float
    mean_present: float
    ages: np.ndarray = field(repr=False)
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
            raise ValueError(
                "response: this run kept no rows; simulate with record=True, or use quantile "
                "and intervals"
            )
        return (self.jobs["start"] - self.jobs["submit"]).to_numpy()

    @property
    def queue_length(self) -> pd.DataFrame:
        """Jobs waiting at the end of each interval: `time, length`."""
        return self.intervals[["end", "queue_end"]].set_axis(["time", "length"], axis=1)

    @property
    def mean_wait(self) -> float:
        """The mean wait of all jobs that came; those that still wait count with what they have waited."""
        waits = self.ages.sum() + (self.mean_response * self.started if self.started else 0.0)
        return float(waits / self.arrived) if self.arrived else np.nan

    @cached_property
    def _waits(self) -> tuple[np.ndarray, np.ndarray]:
        """The waits of all jobs in order, and how many jobs have each, or fewer."""
        if self.jobs is not None:
            waits = self.jobs["start"].fillna(self.time).to_numpy() - self.jobs["submit"].to_numpy()
            return np.sort(waits), np.arange(1, len(waits) + 1)
        middle = (
            states.SKETCH_LOW
            * self.width
            * states.SKETCH_BASE ** (np.arange(len(self.sketch)) + 0.5)
        )
        waits = np.concatenate(([0.0], np.minimum(middle, self.longest), self.ages))
        jobs = np.concatenate(
            ([self.started - self.sketch.sum()], self.sketch, np.ones(len(self.ages)))
        )
        order = np.argsort(waits, kind="stable")
        return waits[order], np.cumsum(jobs[order])

    def quantile(self, q: npt.ArrayLike) -> np.ndarray | float:
        """The q-quantile (q a number or an array in [0, 1]) of the waits of all jobs, as in `mean_wait`.

        Exact with `record=True`; otherwise from bins 1 % wide: off by at most 0.5 %, zero waits exact.
        """
        q = np.asarray(q, float)
        if ((q < 0) | (q > 1)).any() or not self.arrived:
            raise ValueError(f"q: {q}, must lie in [0, 1], and some job must have come")
        waits, jobs = self._waits
        return waits[np.searchsorted(jobs, np.ceil(q * self.arrived).clip(1))][()]

    def share_above(self, wait: float) -> float:
        """The share of all jobs that waited longer than this, exact or from bins as in `quantile`."""
        waits, jobs = self._waits
        within = np.concatenate(([0], jobs))[np.searchsorted(waits, wait, side="right")]
        return float(1 - within / self.arrived) if self.arrived else 0.0

    @cached_property
    def slope(self) -> float:
        """Least-squares slope of the mean queue over the run's second half, in jobs per unit of time."""
        late = self.intervals.iloc[len(self.intervals) // 2 :]
        if len(late) < 2:
            return 0.0
        middle = (late["begin"] + late["end"]).to_numpy() / 2
        away = middle - middle.mean()
        return float(dot(away, late["queue"].to_numpy()) / dot(away, away))

    @cached_property
    def trend(self) -> float:
        """Kendall's tau of the queue over eight batches of the second half: 1 when it grows in each."""
        queue = self.intervals["queue"].to_numpy()[len(self.intervals) // 2 :]
        batches = np.array([batch.mean() for batch in np.array_split(queue, BATCHES) if len(batch)])
        steps = np.sign(batches[None] - batches[:, None])[np.triu_indices(len(batches), 1)]
        return float(steps.mean()) if len(steps) else 0.0

    @property
    def stable(self) -> bool:
        """Whether the run passes as stable; one too short to show its growth passes. A queue grows when, over
        the second half, `slope` exceeds 0.001 arrivals per unit of time, and `trend` is at least 0.5, which
        without a trend has a probability of 5 %."""
        rate = self.arrived / self.time if self.time > 0 else 0.0
        return not (self.slope > GROWTH * rate and self.trend >= 0.5)

    @property
    def little(self) -> float:
        """By how much Little's law fails, by rounding: mean queue x time / waits of all jobs - 1."""
        waits, area = self.mean_wait * self.arrived, self.mean_queue * self.time
        return area / waits - 1 if waits > 0 else area


@interruptible
def simulate(
    policy: str | Policy,
    configs: MachineConfigs,
    workload: Workload | RandomWorkload,
    *,
    plan: Plan | None = None,
    classes: JobClasses | None = None,
    seed: int = 0,
    record: bool = True,
    until: float | None = None,
    interval: float | None = None,
    slots: int = 1 << 16,
    replan: Replan | None = None,
    enough: Callable[[float, int], bool] | None = None,
    **options: Any,
) -> Simulation:
    """Run a workload on the machines under a policy and measure how long jobs wait.

    `workload` is a `Workload` (each task is a job of its own, of its job's class; demands in the capacities'
    units and order of columns) or a `RandomWorkload`. The policies and their options:

    - `"lotes"` (needs `plan`): the extended version; `exit` `"delta"`: on an exit only classes with Delta > 0
      are considered, or `"all"`; `fallback=False`: arrivals never start where Delta = 0; `sampled=N`: only N
      random machines of a configuration are looked at; `wheel`: the roulette goes by `"delta"`, as printed,
      or by `"rate"`, Delta times mu
    - `"lotes-first"` (needs `plan`): the first version, which after one spin takes the best score anywhere
    - `"greedy"`: `bypass=True` lets an arrival start on a machine on which others wait
    - `"tetris"`: weights `packing` and `work` of omega and gamma; `gamma_unit` of processing times in gamma:
      `"h"` (or `"ms"`, `"s"`, `"min"`, `"d"`), or None for the workload's unit
    - a `lotes.Policy`: with `clairvoyant=False` it sees the mean work of a job's class, not the job's own

    `seed` is for the policy's own choices alone. The run ends at `until`, else at a `RandomWorkload`'s
    `hours` or when all jobs are done. `interval` is the width of the metrics' intervals (a hundredth of the
    arrivals' time unless given); `record=False` keeps no row per job; `classes` gives the rates when there is
    no plan. With `replan` a LoTES policy plans anew while it runs. `enough(time, waiting)` is asked at each
    interval's end; once it is true the run ends. Raises ValueError on an unknown policy or option, a plan
    made for other machines or classes, a job that no machine can run, and a policy that breaks the rules;
    warns when more arrives than stage 2 sustains. Source: LoTES, extended, Sections 4.3 and 5.1.

    See also: `lotes.Policy`, `lotes.capacity`, `leaderboard.lotes`.

    >>> jobs = Workload.from_arrays([0, 0, 1], [4.0, 2.0, 1.0], cpu=[1, 1, 1])
    >>> run = simulate("greedy", MachineConfigs([[2.0]], [1]), jobs)
    >>> run.response.tolist(), int(run.intervals["queue_most"].max())
    ([0.0, 0.0, 1.0], 1)
    """
    module, name, settings = chosen(policy, options)
    jobs = Tasks(workload) if isinstance(workload, Workload) else workload
    if replan is not None and not (policy in ("lotes", "lotes-first") and isinstance(jobs, Tasks)):
        raise ValueError(
            "replan: needs a LoTES policy and a Workload; other policies follow no plan, random "
            "workloads do not drift"
        )
    pace, typical = _pace(configs, jobs, plan, classes), jobs.typical()
    if len(typical) != configs.n_resources:
        raise ValueError(
            f"workload: demands {len(typical)} resources, but machines have "
            f"{configs.n_resources}; needs a column for each"
        )
    _warn(name, jobs, plan)
    capacity, typical = fractions(configs.capacity, typical[None])
    m = machines(capacity, configs.count, np.ascontiguousarray(pace, float))
    (choices,) = streams(seed, "lotes policy")
    given = Given(
        configs=configs,
        machines=m,
        plan=plan,
        time_unit=jobs.time_unit,
        typical=typical[0],
        jobs=jobs,
        rng=choices,
    )
    width = _span(jobs) / 100 if interval is None else interval
    if not width > _span(jobs) / MOST_INTERVALS:
        raise ValueError(
            f"interval: {interval}, must be positive, and at most {MOST_INTERVALS:,} in all"
        )
    end = getattr(jobs, "hours", np.inf) if until is None else float(until)
    if not end >= 0:
        raise ValueError(f"until: {end:g}, must be a time from 0 on")
    if width * MOST_INTERVALS < end < np.inf:
        raise ValueError(
            f"until: {end:g}, makes more than {MOST_INTERVALS:,} intervals; widen interval="
        )
    state = states.state_of(m, slots=slots, intervals=128, width=width)
    kept = grown(module.begin(policy, settings, given), len(state.table.spare))
    planner = Planner(replan, policy, settings, given, jobs) if replan else None  # type: ignore[arg-type]
    ended = run(
        name,
        kept,
        state,
        configs,
        jobs,
        choices,
        end=end,
        record=record,
        planner=planner,
        enough=enough,
    )
    return _result(
        *ended,
        configs,
        jobs,
        policy=name,
        options=settings,
        seed=seed,
        plans=tuple(planner.plans) if planner else (),
        counts_looks=name in OPTIONS,
    )


def _span(jobs):
    """The time over which the metrics' intervals are laid."""
    if not isinstance(jobs, Tasks) or not len(jobs.submit):
        return getattr(jobs, "hours", 1.0)
    return max(jobs.submit[-1], float(jobs.work.max())) or 1.0


def _pace(configs, jobs, plan, classes):
    """Time per unit of work of each configuration and class, (M, K); infinite where it cannot run."""
    if plan is not None:
        plan.require(configs, classes)
    generated = getattr(jobs, "classes", None)
    classes = classes or (plan.classes if plan else generated)
    if classes is not None and classes.rate.shape[0] != configs.n_configs:
        raise ValueError(
            f"classes: rates for {classes.rate.shape[0]} configurations, but there are "
            f"{configs.n_configs}"
        )
    if generated is not None:
        if generated.rate.shape != classes.rate.shape:
            raise ValueError(
                f"classes: {classes.n_classes}, but the workload draws from {generated.n_classes}"
            )
        return jobs.pace()
    if classes is not None:
        return np.where(classes.rate > 0, 1.0, np.inf)
    return np.ones((configs.n_configs, int(jobs.job_class.max(initial=0)) + 1))


def _warn(name, jobs, plan):
    rate, limit = (
        getattr(jobs, "rate", None),
        plan.rate_rounded if plan else getattr(jobs, "limit", None),
    )
    if rate is not None and limit is not None and rate > limit:
        warnings.warn(
            f"{name}: {rate:.6g} jobs per {jobs.time_unit} arrive, but stage 2 sustains {limit:.6g}; the "
            f"queue may grow to about {(rate - limit) * jobs.hours:.3g} jobs in {jobs.hours:g} "
            f"{jobs.time_unit}",
            stacklevel=4,
        )


def _result(state, blocks, log, end, configs, jobs, *, counts_looks, **of_policy):
    """The `Simulation` of a run that was to go on until `end`; `of_policy`: more of its fields."""
    meter = state.meter
    if np.isfinite(end):
        meter = lengthened(meter, end)
        tick(meter, float(end))
    series, clock, time = meter.series, meter.clock[0], float(meter.clock[0].now)
    arrived, started = int(state.progress[0].arrived), int(series.started.sum())
    slots = present(state.table)
    queued = slots[state.table.job.machine[slots] < 0]
    m, held = state.machines, series.queued_time.sum()
    total = dot(configs.count, m.capacity)
    return Simulation(
        **of_policy,
        jobs=_frame(blocks, log, arrived, getattr(jobs, "job", None)) if blocks else None,
        arrived=arrived,
        started=started,
        finished=int(series.finished.sum()),
        waiting=int(clock.waiting),
        mean_response=float(series.wait.sum() / started) if started else np.nan,
        longest=float(clock.longest),
        looked=float(clock.looked / max(arrived, 1)) if counts_looks else np.nan,
        mean_queue=float(series.queue_area.sum() / time) if time else 0.0,
        mean_present=float(clock.present_area / time) if time else 0.0,
        ages=np.sort(time - state.table.job.submit[queued])[::-1],
        intervals=_intervals(meter, total, getattr(jobs, "resources", range(configs.n_resources))),
        utilisation=meter.busy.sum(axis=0) / (time * total) if time else 0 * total,
        fragmentation=1 - meter.busy_queued.sum(axis=0) / (held * total)
        if held
        else np.nan * total,
        time=time,
        sketch=meter.sketch,
        width=meter.width,
    )


def _frame(blocks, log, n, names):
    """`Simulation.jobs` of the n jobs that arrived."""
    columns = {"job": np.arange(n) if names is None else names}
    for column, name in (("class", "job_class"), ("submit", "submit")):
        columns[column] = np.concatenate([getattr(block, name) for block in blocks])
    columns |= log._asdict()
    return pd.DataFrame({name: values[:n] for name, values in columns.items()})


def _intervals(meter, capacity, resources) -> pd.DataFrame:
    """`Simulation.intervals` from a meter whose clock has stopped; `capacity (R,)` of all machines."""
    clock = meter.clock[0]
    rows = min(int(np.ceil(clock.now / meter.width)) or 1, len(meter.series))
    series = meter.series[:rows].copy()
    if clock.interval == rows:  # the run ended at this edge
        for name in ("arrived", "started", "finished", "wait"):
            series[name][-1] += meter.series[name][rows]
        series["queue_most"][-1] = max(meter.series["queue_most"][rows - 1 : rows + 1])
    begin = np.arange(rows) * meter.width
    end = np.minimum(begin + meter.width, clock.now)
    span = np.maximum(end - begin, np.finfo(float).tiny)
    queue_end = series.queue_end.copy()
    queue_end[-1] = clock.waiting
    with np.errstate(invalid="ignore", divide="ignore"):
        frame = {
            "begin": begin,
            "end": end,
            "arrived": series.arrived,
            "started": series.started,
            "finished": series.finished,
            "mean_response": series.wait / series.started,
            "queue": series.queue_area / span,
            "queue_end": queue_end,
            "queue_most": series.queue_most,
            "queued": series.queued_time / span,
        }
        frame |= {
            f"utilisation_{name}": meter.busy[:rows, l] / (span * capacity[l])
            for l, name in enumerate(resources)
        }
        frame |= {
            f"idle_{name}": 1 - meter.busy_queued[:rows, l] / (series.queued_time * capacity[l])
            for l, name in enumerate(resources)
        }
    return pd.DataFrame(frame)
