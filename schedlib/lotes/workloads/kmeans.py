"""Job classes from a workload: k-means by Lloyd's algorithm on the first day's demands (Section 5.3.2)."""

import numpy as np
import pandas as pd

from schedlib.core import compiled, streams
from schedlib.core.checks import typed, unknown, whole
from schedlib.core.portable import dot
from schedlib.lotes.model import JobClasses
from schedlib.workload import SECONDS, Workload

RESTARTS = 10
MOST_ROUNDS = 300
FEATURES = ("demand", "demand and duration")


@typed
def cluster_jobs(
    workload: Workload, k: int = 4, *, configs: int = 1, day: float | None = None, seed: int = 0
) -> tuple[JobClasses, np.ndarray]:
    """Job classes found in a workload's first day, and the class of each of its jobs.

    LoTES's job runs on one machine, so each task counts as one: the second answer is (T,), a class below k
    per row of `workload.tasks`. Clusters, shares, mean demands and rates (one over the mean duration, the
    same on all `configs` configurations) come from the tasks submitted in the first `day` (24 hours unless
    given); every task then belongs to the nearest centre of demands, each over its standard deviation. Of ten
    starts of Lloyd's algorithm from k-means++ the tightest clustering wins; classes are in the order of mean
    demands. Raises ValueError when there is nothing to cluster or fewer different tasks than classes. Source:
    Section 5.3.2.

    See also: `workload.Workload`, whose `with_classes` puts them into it; `lotes.class_counts`.

    >>> w = Workload.from_arrays([0, 1, 2, 3], [10, 10, 30, 50], cpu=[1, 1, 8, 8], mem=[2, 2, 1, 1])
    >>> classes, job_class = cluster_jobs(w, 2)
    >>> classes.demand.tolist(), (1 / classes.rate).round(9).tolist(), job_class.tolist()
    ([[1.0, 2.0], [8.0, 1.0]], [[10.0, 40.0]], [0, 0, 1, 1])
    """
    points, weights, rows, early = _points(workload, day, "demand")
    whole("k", np.asarray(k, float), 1)
    whole("configs", np.asarray(configs, float), 1)
    tasks = workload.tasks[early]
    demand = tasks[list(workload.resources)].to_numpy()
    duration = tasks["duration"].to_numpy()
    label = np.full(len(points), -1)
    seen = weights > 0  # on the first day
    label[seen], _ = k_means(points[seen], weights[seen], k, seed)
    labels = label[rows[early]]

    def means(values):
        return np.array([values[labels == c].mean(axis=0) for c in range(k)])

    mean = means(demand)
    order = np.lexsort(mean.T[::-1])
    share = np.bincount(labels, minlength=k)[order] / len(labels)
    centre = means(points[rows[early]])[order]
    length = means(duration)[order]
    for c in np.flatnonzero(length == 0):
        raise ValueError(
            f"workload: the tasks of class {c} all last 0; leave them out, they need no machine"
        )
    near, _ = nearest(points, centre)
    return JobClasses(share, mean[order], np.tile(1 / length, (configs, 1))), near[rows]


@typed
def class_counts(
    workload: Workload,
    most: int = 8,
    *,
    day: float | None = None,
    features: str = "demand",
    seed: int = 0,
) -> pd.DataFrame:
    """The gain of each further class, for k = 1 ... `most`, at most as many as there are different tasks.

    Columns: `k`; `spread`, the part of the variance left within classes; `smallest`, the share of the
    smallest class; `moved`, the share of the first day's tasks that are not where k - 1 classes had them,
    classes matched as well as can be. `features`: "demand", all columns of it, or "demand and duration"; the
    paper does not say which. Other arguments and errors as in `cluster_jobs`.

    >>> w = Workload.from_arrays([0, 1, 2, 3], [10, 10, 30, 50], cpu=[1, 1, 8, 8], mem=[2, 2, 1, 1])
    >>> class_counts(w, 2)
       k  spread  smallest  moved
    0  1     1.0       1.0    NaN
    1  2     0.0       0.5    0.5
    """
    from scipy.optimize import linear_sum_assignment  # slow to load

    whole("most", np.asarray(most, float), 1)
    points, weights, _, _ = _points(workload, day, features)
    seen = weights > 0
    points = points[seen]
    weights = weights[seen]
    middle = dot(weights, points) / weights.sum()
    total = dot(weights, ((points - middle) ** 2).sum(axis=1))
    rows = []
    before = None
    for k in range(1, min(most, len(points)) + 1):
        labels, inertia = k_means(points, weights, k, seed)
        moved = np.nan
        if before is not None:
            overlap = np.zeros((k, k))
            np.add.at(overlap, (labels, before), weights)
            moved = 1 - overlap[linear_sum_assignment(-overlap)].sum() / weights.sum()
        size = np.bincount(labels, weights, minlength=k) / weights.sum()
        rows.append((k, inertia / total if total else 0.0, size.min(), moved))
        before = labels
    return pd.DataFrame(rows, columns=["k", "spread", "smallest", "moved"])


def _points(workload, day, features):
    """Different points (P, F), the tasks of the first day at each (P,), each task's point (T,), which are early (T,)."""
    tasks = workload.tasks
    submit = workload.jobs["submit"].to_numpy()
    names = list(workload.resources)
    if not names:
        raise ValueError("workload: its tasks have no column of demands; give cpu=... and mem=...")
    if not len(tasks):
        raise ValueError("workload: no tasks; there is nothing to cluster")
    if day is None:
        day = SECONDS["d"] / SECONDS[workload.time_unit]
    early = np.repeat(submit < submit[0] + day, np.diff(workload.offsets))
    if not early.any():
        raise ValueError(
            f"day: no task is submitted in the first {day:g} {workload.time_unit}; give a "
            "longer day"
        )
    if features not in FEATURES:
        raise unknown("features", features, FEATURES)
    columns = tasks[names if features == "demand" else [*names, "duration"]].to_numpy()
    spread = columns[early].std(axis=0)
    columns = columns / np.where(spread > 0, spread, 1)
    order = np.lexsort(columns.T[::-1])  # np.unique takes four times as long over rows
    points = columns[order]
    rows = np.empty(len(order), np.int64)
    new = np.r_[True, (points[1:] != points[:-1]).any(axis=1)]  # each point's first row
    rows[order] = np.cumsum(new) - 1
    points = points[new]
    return points, np.bincount(rows[early], minlength=len(points)).astype(float), rows, early


@compiled
def nearest(points, centre):
    """The nearest centre (C, F) of each point (P, F), the first in a tie, and the squared distance to it, (P,)."""
    label = np.zeros(len(points), np.int64)
    distance = np.empty(len(points))
    for i in range(len(points)):
        best = np.inf
        for c in range(len(centre)):
            d = 0.0
            for l in range(points.shape[1]):
                d += (points[i, l] - centre[c, l]) ** 2
            if d < best:
                best = d
                label[i] = c
        distance[i] = best
    return label, distance


def k_means(points: np.ndarray, weights: np.ndarray, k: int, seed: int) -> tuple[np.ndarray, float]:
    """The label of each point and the weighted sum of squared distances, the best of several starts."""
    if k > len(points):
        raise ValueError(
            f"k: {k} classes, but the first day has only {len(points)} different tasks; ask for "
            "at most that many"
        )
    (draw,) = streams(seed, "k-means++")
    best = None
    least = np.inf
    for _ in range(RESTARTS):
        centre = points[draw.choice(len(points), 1, p=weights / weights.sum())]
        while len(centre) < k:
            mass = weights * nearest(points, centre)[1]
            centre = np.r_[centre, points[draw.choice(len(points), 1, p=mass / mass.sum())]]
        label = np.full(len(points), -1)
        for _ in range(MOST_ROUNDS):
            new, distance = nearest(points, centre)
            if (new == label).all():
                break
            label = new
            size, *total = [np.bincount(label, weights * column, k) for column in (1.0, *points.T)]
            centre = np.where(size[:, None] > 0, (total / np.maximum(size, 1e-300)).T, centre)
        inertia = float(dot(weights, distance))
        members = np.bincount(label, minlength=k)
        if members.all() and inertia < least * (1 - 1e-12):
            best = label
            least = inertia
    if best is None:
        raise ValueError(f"k: no start found {k} classes that all have tasks; ask for fewer")
    return best, least
