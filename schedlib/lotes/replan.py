"""Solve stages 1 and 2 again while the system runs, from what it has seen so far (LoTES's future work, Sections 5.3.3 and 6)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from schedlib.lotes.model import JobClasses, Plan
from schedlib.lotes.planning.plan import plan as solve
from schedlib.lotes.workloads.kmeans import cluster_jobs, nearest
from schedlib.workload import Workload

SAMPLE = 1_000


class Past(NamedTuple):
    """What is known at `now` of the N jobs that were submitted, waited or ran since `since`, in order of arrival.

    - `submit (N,)`, `job_class (N,)`, `demand (N, R)`, in the workload's units; classes are those of the present plan
    - `start (N,)`, `finish (N,)`: NaN when that has not happened yet
    """

    now: float
    since: float
    submit: np.ndarray
    job_class: np.ndarray
    demand: np.ndarray
    start: np.ndarray
    finish: np.ndarray


def estimated(past: Past, job_class, old: JobClasses) -> JobClasses:
    """Classes as the window shows them, for jobs labelled `job_class (N,)`.

    Shares and mean demands are those of the jobs submitted in the window. A class's rate is the number of its jobs that ended in
    the window over the time that its jobs ran there in all: by Little's law that tends to one over the mean duration for any law
    of durations, and it needs no duration of a job that still runs. The rate is the same wherever the class can run. A class of
    which no job came or none ended keeps its share, demand and rate in `old`.
    """
    k = old.n_classes
    new, ended = past.submit >= past.since, past.finish >= past.since
    ran = np.where(np.isnan(past.finish), past.now, past.finish) - np.maximum(past.start, past.since)
    ran = np.where(np.isnan(past.start), 0.0, np.maximum(ran, 0.0))
    came, left = np.bincount(job_class[new], minlength=k), np.bincount(job_class[ended], minlength=k)
    ran = np.bincount(job_class, ran, minlength=k)
    need = np.array([np.bincount(job_class[new], column[new], minlength=k) for column in past.demand.T]).T
    known = (left > 0) & (ran > 0) & need.any(axis=1)
    share = np.where(known, came, old.share * came.sum()) if known.any() else old.share
    demand = np.where(known[:, None], need / np.maximum(came, 1)[:, None], old.demand)
    rate = np.where(known & (old.rate > 0), left / np.where(known, ran, 1.0), old.rate)
    return JobClasses(share / share.sum(), demand, rate)


def estimate(past: Past, plan: Plan) -> Plan | None:
    """The plan for the same classes, `estimated` anew; None when stages 1 and 2 have none for them."""
    try:
        return solve(plan.configs, estimated(past, past.job_class, plan.classes))
    except ValueError:
        return None


def cluster(past: Past, plan: Plan) -> tuple[Plan, Callable] | None:
    """The plan for as many new classes, found by k-means among the window's demands, and which class a demand (N, R) is of.

    Of a window with more than 1,000 jobs k-means sees that many, evenly spread over it, since it takes as long as all else together.
    None when the window has too few different jobs, or stages 1 and 2 have no plan for the classes found.
    """
    classes, new = plan.classes, np.flatnonzero(past.submit >= past.since)
    new = new[:: -(-len(new) // SAMPLE) or 1]
    demand = past.demand[new]
    named = {f"r{l}": column for l, column in enumerate(demand.T)}
    spread = demand.std(axis=0) if len(demand) else np.zeros(classes.n_resources)
    spread = np.where(spread > 0, spread, 1.0)
    try:
        jobs = Workload.from_arrays(past.submit[new], np.ones(len(demand)), **named)  # their durations are not known yet
        found, _ = cluster_jobs(jobs, classes.n_classes, day=np.inf, configs=len(classes.rate))

        def label(demand):
            return nearest(np.ascontiguousarray(demand / spread), found.demand / spread)[0]

        mean = classes.share @ (1 / classes.rate.max(axis=0))
        start = JobClasses(found.share, found.demand, np.full(classes.rate.shape, 1 / mean))
        return solve(plan.configs, estimated(past, label(past.demand), start)), label
    except ValueError:
        return None


WAYS = {"estimate": estimate, "cluster": cluster}


@dataclass(frozen=True)
class Replan:
    """When and how a LoTES run plans anew: at `every`, 2 `every`, ..., from the jobs of the last `window` (`every` unless given).

    `how`: `"estimate"`: the same classes with shares, demands and rates of the window; `"cluster"`: k-means gives new classes, and
    all jobs, those that wait or run too, are labelled anew by the nearest centre; or a function `(past, plan)` of a `Past` and the
    present plan that returns a plan for as many classes, a pair of that and a function from demands (N, R) to classes (N,), or
    None to keep the plan. A class without jobs in the window keeps its old figures; when the window is too short to cluster, or
    there is no plan for what was found, the old plan stays. New labels need classes that can all run everywhere. Running jobs stay
    where they are; a machine's score is its new bin less what it runs; waiting jobs keep their order; and at a swap each machine, in
    the order of the table, starts what it would start on an exit.

    Raises ValueError on times that are not positive and on an unknown way. Source: LoTES, Sections 5.3.3 and 6 (future work).

    >>> Replan(every=24.0).how
    'estimate'
    """

    every: float
    window: float | None = None
    how: str | Callable = "estimate"

    def __post_init__(self):
        for name, value in (("every", self.every), ("window", self.every if self.window is None else self.window)):
            if not value > 0:
                raise ValueError(f"{name}: {value}, must be positive")
        if not callable(self.how) and self.how not in WAYS:
            raise ValueError(f"how: {self.how!r}; choose from {', '.join(map(repr, WAYS))}, or pass a function of (past, plan)")
