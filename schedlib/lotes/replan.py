"""Stages 1 and 2 solved again while the system runs, from the jobs seen so far (Sections 5.3.3 and 6)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from schedlib.core.checks import require_fields
from schedlib.core.portable import dot
from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching.engine import fill
from schedlib.lotes.dispatching.machine_tree import refresh
from schedlib.lotes.dispatching.state import Arrivals, Given, Log, State, present, tick
from schedlib.lotes.dispatching.waiting_line import join
from schedlib.lotes.model import JobClasses, Plan
from schedlib.lotes.planning.plan import plan as solve
from schedlib.lotes.policies import lotes
from schedlib.lotes.workloads.kmeans import cluster_jobs, nearest
from schedlib.workload import Workload

SAMPLE = 1_000


class Past(NamedTuple):
    """The state at `now` of the N jobs that arrived, waited or ran since `since`, in order of arrival.

    - `submit (N,)`, `job_class (N,)` under the present plan, `demand (N, R)`, in the workload's units
    - `start (N,)`, `finish (N,)`: NaN before the job starts or ends
    - `speed (N,)`: of its machine, as a share of the speed where its class is fastest; 1 while it waits

    See also: `lotes.Replan`, whose functions see it.

    >>> row = np.ones(1)
    >>> past = Past(now=9.0, since=5.0, submit=6 * row, job_class=np.zeros(1, int), demand=np.ones((1, 2)),
    ...             start=7 * row, finish=np.nan * row)
    >>> int(np.isnan(past.finish).sum())  # still runs
    1
    """

    now: float
    since: float
    submit: np.ndarray
    job_class: np.ndarray
    demand: np.ndarray
    start: np.ndarray
    finish: np.ndarray
    speed: np.ndarray | float = 1.0


def estimated(past: Past, job_class: np.ndarray, old: JobClasses) -> JobClasses:
    """The classes of the jobs in the window, for jobs labelled `job_class (N,)`.

    Shares and mean demands are those of the jobs submitted in it. A class's largest rate is how many of its jobs
    ended in it over the time that they ran in it, which counts by the machine's speed: by Little's law one over
    the mean duration in the end; its rates keep their ratios. A
    class of which no job came or none ended keeps its demand and rate in `old`; its share
    there counts before shares are made to sum to 1.
    """
    k = old.n_classes
    new = past.submit >= past.since
    ended = past.finish >= past.since
    end = np.fmin(past.finish, past.now)  # fmin and fmax pass over NaN
    ran = np.fmax(end - np.maximum(past.start, past.since), 0.0)
    fresh = job_class[new]
    came = np.bincount(fresh, minlength=k)
    left = np.bincount(job_class[ended], minlength=k)
    ran = np.bincount(job_class, ran * past.speed, minlength=k)
    demands = past.demand[new].T
    need = np.array([np.bincount(fresh, column, minlength=k) for column in demands]).T
    seen = (left > 0) & (ran > 0) & need.any(axis=1)
    share = np.where(seen, came, old.share * came.sum()) if seen.any() else old.share
    demand = np.where(seen[:, None], need / np.maximum(came, 1)[:, None], old.demand)
    rate = np.where(seen, left / np.where(seen, ran, 1.0) / old.slowdown, old.rate)
    return JobClasses(share / share.sum(), demand, rate)


def estimate(past: Past, plan: Plan) -> Plan | None:
    """The plan for the same classes, `estimated` again; None if no plan exists for these classes."""
    try:
        return solve(plan.configs, estimated(past, past.job_class, plan.classes))
    except ValueError:
        return None


def cluster(past: Past, plan: Plan) -> tuple[Plan, Callable] | None:
    """The plan for as many new classes, by k-means on at most 1,000 of the window's demands, evenly spread,
    and the class of a demand (N, R); None with too few different demands, or without a plan."""
    classes = plan.classes
    new = np.flatnonzero(past.submit >= past.since)
    if not len(new):
        return None
    new = new[:: -(-len(new) // SAMPLE)]
    demand = past.demand[new]
    spread = demand.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    named = {f"r{l}": column for l, column in enumerate(demand.T)}
    jobs = Workload.from_arrays(past.submit[new], np.ones(len(new)), **named)

    def label(demand):
        return nearest(np.ascontiguousarray(demand / spread), fresh.demand / spread)[0]

    try:
        fresh, _ = cluster_jobs(jobs, classes.n_classes, day=np.inf)
        mean = dot(classes.share, 1 / classes.rate.max(axis=0))
        start = JobClasses(fresh.share, fresh.demand, 1 / mean / classes.slowdown)
        return solve(plan.configs, estimated(past, label(past.demand), start)), label
    except ValueError:
        return None


WAYS = {"estimate": estimate, "cluster": cluster}


@dataclass(frozen=True)
class Replan:
    """When and how a LoTES run makes a new plan: `every`, 2 `every`, ... after the first submission, from the
    jobs since the last time.

    `how` is one of

    - `"estimate"`: the same classes with shares, demands and rates of the window
    - `"cluster"`: k-means gives new classes; the nearest centre labels all jobs again, also those that wait or
      run
    - a function `(past, plan)` of a `Past` and the present plan that returns a plan for as many classes, a
      pair of that and a function from demands (N, R) to classes (N,), or None to keep the plan

    The old plan stays if no plan exists for the window's jobs. New labels need classes that can all run
    everywhere, each as much faster on one configuration than on another as the others. Running jobs stay; a machine's score is its new bin less what it runs; waiting jobs keep their
    order; and each machine, in the order of the table, starts what it would start on an exit. Raises
    ValueError on times that are not positive and on an unknown way. Source: LoTES, Sections 5.3.3 and 6.

    See also: `lotes.simulate`, `lotes.Past`.

    >>> Replan(every=24.0).how
    'estimate'
    """

    every: float
    how: str | Callable = "estimate"

    def __post_init__(self):
        require_fields(self)
        if not self.every > 0:
            raise ValueError(f"every: {self.every}, must be positive")
        if not callable(self.how) and self.how not in WAYS:
            raise ValueError(
                f"how: {self.how!r}; choose from {', '.join(map(repr, WAYS))}, or pass a "
                "function of (past, plan)"
            )


@kernel
def resume(scores, state, log, queued):
    """Put the jobs in `queued`, in order of arrival, in their classes' queues, and let each machine start
    what it would on an exit: else some jobs could wait for ever while a machine idles.
    """
    for slot in queued:
        job = state.table.job[slot]
        join(scores.line, state.table, job.job_class, slot, float(job.row))
    for machine in range(state.machines.config.size):
        if state.meter.clock[0].waiting == 0:
            return
        lotes.list_classes(scores, state.machines.config[machine])
        if fill(scores, state, log, machine) > 0:
            refresh(state.machines, machine)


@dataclass(eq=False)
class Planner:
    """Replanning in one run: the plans so far, and each job's class under the last."""

    replan: Replan
    policy: str
    settings: dict
    given: Given
    turn: int = 1

    def __post_init__(self):
        self.jobs = self.given.jobs
        self.job_class = self.jobs.job_class
        self.plans: list[tuple[float, Any]] = [(self.jobs.begin, self.given.plan)]

    @property
    def due(self) -> float:
        return self.jobs.begin + self.turn * self.replan.every

    def relabel(self, block: Arrivals, progress: Any) -> None:
        """Give the jobs of the block that are still to come their present classes."""
        coming = block.job_class[progress.taken :]
        coming[:] = self.job_class[progress.arrived : progress.arrived + len(coming)]

    def past(self, seen: int, log: Log) -> Past:
        """The past when planning is due and `seen` jobs have come."""
        now = self.due
        jobs = self.jobs
        since = now - self.replan.every
        rows = np.flatnonzero((jobs.submit[:seen] >= since) | ~(log.finish[:seen] < since))
        machines = self.given.machines
        config = machines.config[log.machine[rows]]  # of those that wait the last machine's
        pace = machines.pace[config, self.job_class[rows]]
        return Past(
            now=now,
            since=since,
            submit=jobs.submit[rows],
            job_class=self.job_class[rows],
            demand=jobs.demand[rows],
            start=log.start[rows],
            finish=np.where(log.finish[rows] < now, log.finish[rows], np.nan),
            speed=np.where(log.machine[rows] < 0, 1.0, 1 / pace),
        )

    def swap(self, scores: lotes.Scores, state: State, log: Log) -> lotes.Scores:
        """Plan again; give LoTES's scores under the new plan, at the time that was due."""
        past = self.past(int(state.progress[0].arrived), log)
        answer = self._answered(past)
        self.turn += 1
        if answer is None:
            return scores
        plan, label = answer
        self.plans.append((past.now, plan))
        tick(state.meter, past.now)
        if label is not None:
            self._label_again(label, state)
        return self._restarted(plan, state, log)

    def _answered(self, past):
        """The new plan and what labels jobs, if anything does; None to keep the plan."""
        old = self.plans[-1][1]
        how = self.replan.how
        make = how if callable(how) else WAYS[how]
        answer = make(past, old)
        if answer is None:
            return None
        plan, label = answer if isinstance(answer, tuple) else (answer, None)
        plan.require(old.configs)
        classes = old.classes.n_classes
        if plan.classes.n_classes != classes:
            raise ValueError(
                f"replan: a plan for {plan.classes.n_classes} classes, not the {classes} of the "
                "first"
            )
        return plan, label

    def _label_again(self, label, state):
        """Give each job the class that `label` says, also those that wait or run."""
        pace = state.machines.pace
        if not (np.isfinite(pace).all() and (pace == pace[:, :1]).all()):
            raise ValueError(
                "replan: to label jobs again, every class must be able to run on every configuration, "
                "and its rates must have the ratios of the other classes'"
            )
        labels = np.asarray(label(self.jobs.demand))
        classes = pace.shape[1]
        if labels.shape != self.job_class.shape or not np.isin(labels, np.arange(classes)).all():
            raise ValueError(
                f"replan: labels must be one class for each demand, from 0 to {classes - 1}"
            )
        self.job_class = labels
        job = state.table.job
        slots = present(state.table)
        job.job_class[slots] = labels[job.row[slots]]

    def _restarted(self, plan, state, log):
        """LoTES's scores under the plan, after each machine started what it would on an exit."""
        job = state.table.job
        slots = present(state.table)
        waits = job.machine[slots] < 0
        running = slots[~waits]
        queued = slots[waits]
        held = np.zeros((len(state.machines.config), plan.classes.n_classes), np.int64)
        np.add.at(held, (job.machine[running], job.job_class[running]), 1)
        scores = lotes.begin(self.policy, self.settings, self.given._replace(plan=plan), held)
        resume(scores, state, log, queued[np.argsort(job.row[queued])])
        return scores
