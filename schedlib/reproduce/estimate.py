"""How long a sweep will take, from what its points took before."""

import json
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from schedlib import paths
from schedlib.experiment import Claim, Experiment, Figure
from schedlib.reproduce import keys, registry, store, worker


def seconds_per_task(
    experiment: Experiment, scale: str, points: Iterable[Mapping[str, Any]]
) -> list[float | None]:
    """Expected seconds of each point: what the same point took, else the experiment's mean, else None. Looks
    at every stored entry, also of older code; where there is none, at the committed provenance."""
    known: dict[str, list[float]] = {}
    for meta in map(store.peek, store.folder(experiment.id).glob("*.parquet")):
        if meta and meta.get("scale") == scale:
            known.setdefault(keys.canonical(meta["point"]), []).append(meta["seconds"])
    fallback = fmean(sum(known.values(), [])) if known else _committed(experiment.id, scale)
    means = {point: fmean(values) for point, values in known.items()}
    return [means.get(keys.canonical(point), fallback) for point in points]


def _committed(experiment_id: str, scale: str) -> float | None:
    """Mean seconds per point and seed from the checkout's figures/provenance.json."""
    file = (paths.checkout() or paths.PACKAGE) / "figures" / "provenance.json"
    for entry in json.loads(file.read_text()).values() if file.is_file() else ():
        if (entry["experiment"], entry["scale"]) == (experiment_id, scale):
            return entry["seconds"] / (len(entry["points"]) * entry["seeds"])
    return None


def sentence(expected: list[float | None], workers: int | None, total: int) -> str:
    """The estimate in words, from the expected seconds of the points left; `workers=None` means a cluster.

    >>> sentence([3.0, 5.0], 2, total=8)
    'about 5 s on 2 workers; 6 of 8 points already done'
    >>> sentence([None], 1, total=1)
    'time unknown until the first points are done; 0 of 1 points already done'
    """
    if not expected:
        return f"all {total} points already done"
    known = [seconds for seconds in expected if seconds is not None]
    if len(known) < len(expected):
        when = "time unknown until the first points are done"
    elif workers is None:
        when = f"about {duration(sum(known))} of work, shared by the cluster"
    else:
        longest = duration(max(sum(known) / workers, *known))
        when = f"about {longest} on {workers} worker{'s' * (workers > 1)}"
    return f"{when}; {total - len(expected)} of {total} points already done"


def duration(seconds: float) -> str:
    """Seconds in the unit a reader would use.

    >>> duration(0.2), duration(75), duration(250), duration(9000)
    ('1 s', '75 s', '4 min', '2.5 h')
    """
    if seconds < 120:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def before(only: registry.Names = None, scale: str = "quick", seeds: int | None = None,
           workers: int | None = None) -> str:
    """What regenerating these figures and judging their claims will take."""
    library = registry.load()
    expected, total = [], 0
    wanted: list[Figure | Claim] = [*library.wanted_figures(only), *library.wanted_claims(only)]
    for name in dict.fromkeys(item.experiment for item in wanted if item.experiment is not None):
        experiment = library.experiment(name)
        if not experiment.missing():
            tasks = store.tasks(experiment, scale, seeds)
            left = [task.point for task in tasks if store.peek(task.path) is None]
            total += len(tasks)
            expected += seconds_per_task(experiment, scale, left) if left else []
    return sentence(expected, workers or worker.cores(), total)
