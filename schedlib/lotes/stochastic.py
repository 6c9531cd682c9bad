"""LoTES with stochastic bins, ours and beyond the paper: a plan that knows how sizes vary in a class.

The paper's bins hold mean jobs. Where each resource of a job is random for itself, machines that are short of
one resource can take the jobs that want the other: more than means allow. So each class is told apart in
parts by its jobs' sizes, stage 1 shares the parts out, and stage 2 assigns machines to mixes of jobs whose
sum of sizes fits at a chosen quantile.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from schedlib.core import streams
from schedlib.lotes.dispatching.state import Arrivals
from schedlib.lotes.model import FIT, JobClasses, MachineConfigs, Plan
from schedlib.lotes.planning.allocate import allocate
from schedlib.lotes.planning.plan import assign, make_plan
from schedlib.lotes.workloads.instances import RandomWorkload
from schedlib.lotes.workloads.kmeans import k_means, nearest

SAMPLE = 20_000  # jobs from which sizes are learnt; those of the run are others


@dataclass(frozen=True, eq=False)
class ToldApart(RandomWorkload):
    """The jobs of a random workload, each in the part of its class whose sizes are nearest.

    - `of`: the workload that draws them; `centre (K, parts, R)`: mean sizes of the parts
    - `classes`: the parts as job classes, those of the first class first; `spread (K * parts, R)`: deviations

    See also: `lotes.told_apart`, which makes one; `lotes.stochastic_plan`.

    >>> workload = RandomWorkload(JobClasses([1.0], [[0.1, 0.1]], [[1.0]]), rate=10.0, hours=1.0)
    >>> told_apart(workload, 2).centre.shape
    (1, 2, 2)
    """

    of: RandomWorkload | None = None
    centre: np.ndarray | None = None
    spread: np.ndarray | None = None

    def blocks(self) -> Iterator[Arrivals]:
        """The jobs in order of arrival, as `of` draws them with this workload's seed."""
        assert self.of is not None and self.centre is not None
        own = {name: getattr(self, name) for name in ("rate", "hours", "burst", "seed")}
        for block in replace(self.of, **own).blocks():
            yield block._replace(job_class=_part(block, self.centre))


def _part(block, centre):
    """The part to which each job belongs, numbered through all classes."""
    part = np.empty(len(block.job_class), np.int64)
    for k, own in enumerate(centre):
        mine = block.job_class == k
        part[mine] = nearest(block.demand[mine], own)[0] + k * len(own)
    return part


def told_apart(workload: RandomWorkload, parts: int) -> ToldApart:
    """The workload with each class told apart in so many `parts` by its jobs' sizes, by Lloyd's algorithm on
    other jobs of the same law; they take as long as their class's. Raises ValueError when a class has fewer
    different sizes than parts.

    >>> workload = RandomWorkload(JobClasses([1.0], [[0.1, 0.1]], [[1.0]]), rate=10.0, hours=1.0)
    >>> told_apart(workload, 4).classes.n_classes
    4
    """
    drawn = list(
        replace(workload, rate=float(SAMPLE), hours=1.0, seed=workload.seed + 1_000_000).blocks()
    )
    sizes, job_class = (
        np.concatenate([getattr(block, name) for block in drawn])
        for name in ("demand", "job_class")
    )
    centre, share, spread = [], [], []
    for k in range(workload.classes.n_classes):
        points = np.ascontiguousarray(sizes[job_class == k])
        if len(np.unique(points, axis=0)) < parts:
            raise ValueError(f"parts: {parts}, but class {k} has fewer different sizes")
        label = k_means(points, np.ones(len(points)), parts, 0)[0]
        centre.append([points[label == part].mean(axis=0) for part in range(parts)])
        spread += [points[label == part].std(axis=0) for part in range(parts)]
        share.append(workload.classes.share[k] * np.bincount(label, minlength=parts) / len(points))
    means = np.array(centre)
    classes = JobClasses(
        np.concatenate(share),
        means.reshape(-1, means.shape[-1]),
        np.repeat(workload.classes.rate, parts, axis=1),
    )
    given = {name: getattr(workload, name) for name in RandomWorkload.__dataclass_fields__}
    return ToldApart(
        **given | {"classes": classes}, of=workload, centre=means, spread=np.array(spread)
    )


def stochastic_plan(
    configs: MachineConfigs,
    workload: ToldApart,
    *,
    quantile: float = 0.5,
    mixes: int = 200,
    seed: int = 0,
) -> Plan:
    """A plan whose bins hold parts of classes and respect a quantile of the sum of their jobs' sizes.

    Of each configuration `mixes` bins are drawn: job by job in stage 1's proportions, as long as the mean of
    the sum plus its deviation times the normal quantile fits. Raises ValueError when `quantile` is not
    between 0 and 1, and as `allocate` does.

    >>> jobs = RandomWorkload(JobClasses([1.0], [[0.25]], [[1.0]]), rate=1.0, hours=1.0, sizes="fixed")
    >>> stochastic_plan(MachineConfigs([[1.0]], [5]), told_apart(jobs, 1)).rate
    20.0
    """
    if not 0 < quantile < 1:
        raise ValueError(f"quantile: {quantile}, must lie between 0 and 1")
    classes, z = workload.classes, NormalDist().inv_cdf(quantile)
    assert workload.spread is not None
    variance, allocation, bins = workload.spread**2, allocate(configs, classes), []
    (rng,) = streams(seed, "lotes stochastic bins")
    for capacity, running in zip(configs.capacity, allocation.running, strict=True):
        held = np.zeros((mixes, classes.n_classes), np.int32)
        if running.any():
            most = int(
                (capacity / np.where(classes.demand > 0, classes.demand, np.inf).min(axis=0)).max()
            )
            edges = np.cumsum(running) / running.sum()
            total = spread = np.zeros((mixes, configs.n_resources))
            edges[np.flatnonzero(running)[-1] :] = np.inf
            for which in np.searchsorted(edges, rng.random((2 * most + 1, mixes)), side="right"):
                more, wider = total + classes.demand[which], spread + variance[which]
                fits = (more + z * np.sqrt(wider) <= capacity * (1 + FIT)).all(axis=1)
                held[np.arange(mixes), which] += fits
                total, spread = (
                    np.where(fits[:, None], new, old)
                    for new, old in ((more, total), (wider, spread))
                )
        bins.append(np.unique(held, axis=0))
    return make_plan(configs, classes, allocation, bins, assign(configs, classes, bins).fractions)
