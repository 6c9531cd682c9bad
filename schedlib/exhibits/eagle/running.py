"""How Eagle's experiments run: every system of a point on the same workload, and the sizes at each scale."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from schedlib.eagle.simulating.simulate import simulate
from schedlib.eagle.systems import Eagle, Hawk
from schedlib.eagle.workloads import synthetic as made
from schedlib.experiment import scales
from schedlib.workload import Workload

MAKERS = {"google": made.google, "cloudera": made.cloudera, "yahoo": made.yahoo}
TRACES = tuple(MAKERS)
COUNTERS = ("probes", "short_tasks", "behind_long", "ran_behind_long", "rescheduled", "steal_attempts")
"""What rows keep of a run's `stats`."""
WITHOUT: dict[str, dict[str, Any]] = {  # Eagle without one of its components
    "no-sss": {"system": Eagle(sss=False)},
    "no-sbp-srpt": {"system": Eagle(sbp=False, srpt=False)},
    "no-min": {"system": Eagle(min_probes=0)},
}
THIEVES: dict[str, dict[str, Any]] = {
    "hawk-any": {"system": Hawk(thieves="any")},
    "hawk-general": {"system": Hawk(thieves="general")},
    "hawk-none": {"system": Hawk(steal=False)},
}
"""Hawk by who steals: any idle worker, one of the general partition, nobody."""

SEEDS = scales(2, 5)
SCALE = {  # the simulated cluster over the paper's: 100 workers, 1,000 to 1,500 at the highest load, its own
    "smoke": {"google": 1 / 150, "cloudera": 1 / 150, "yahoo": 1 / 40},
    "quick": {"google": 1 / 10, "cloudera": 1 / 15, "yahoo": 1 / 4},
    "paper": dict.fromkeys(TRACES, 1.0),
}
SIZE = {  # numbers of jobs: at quick scale what two cores do in a minute, at the paper's Table 1's
    "smoke": dict.fromkeys(TRACES, 400),
    "quick": {"google": 30_000, "cloudera": 3_000, "yahoo": 5_000},
    "paper": {trace: made.JOBS[trace] for trace in TRACES},
}


def each_system(names: Iterable[str], workload: Workload, trace: str, workers: int, seed: int,
                variants: Mapping[str, dict[str, Any]] | None = None, **options: Any) -> pd.DataFrame:
    """Each system on one workload: `system, class, percentile, completion` (s), `utilisation`, `COUNTERS`.

    A name is one that `simulate` knows, or one of `variants`: arguments of `simulate` that replace the
    others. Cut-off, short partition and heartbeat are the paper's for the trace unless `options` has others.
    Times are rounded to microseconds.
    """
    usual: dict[str, Any] = {"short_partition": made.PARTITION[trace], "cutoff": made.CUTOFF[trace],
                             "heartbeat": made.HEARTBEAT[trace]} | options
    blocks = []
    for name in names:
        own = (variants or {}).get(name, {})
        run = simulate(workload, workers=workers, seed=seed, **{"system": name} | usual | own)
        times = run.percentiles()
        blocks.append(pd.DataFrame(
            {"system": name, "class": times["long"].map({True: "long", False: "short"}),
             "percentile": times["percentile"], "completion": times["completion"].round(6),
             "utilisation": round(run.stats["utilisation"], 6)} | {one: run.stats[one] for one in COUNTERS}))
    return pd.concat(blocks, ignore_index=True)


def on_trace(names: Iterable[str], trace: str, workers: float, jobs: int, scale: float, seed: int,
             **options: Any) -> pd.DataFrame:
    """Each system on a generated trace with `scale` times `workers`; `options` as of `each_system`."""
    workload = MAKERS[trace](jobs, seed, scale)
    return each_system(names, workload, trace, round(scale * workers), seed, **options)


def size(scale: str, trace: str = "google") -> dict:
    """A point's `jobs` and `scale`."""
    return {"jobs": SIZE[scale][trace], "scale": SCALE[scale][trace]}


def loads(steps: Mapping[str, int], traces: Iterable[str] = ("google",)) -> dict[str, list[dict]]:
    """A point for every `step`-th number of workers of these traces, at each scale."""
    return {scale: [{"trace": trace, "workers": workers, **size(scale, trace)}
                    for trace in traces for workers in made.WORKERS[trace][::step]]
            for scale, step in steps.items()}


def highest(points: Mapping[str, Iterable[Mapping]]) -> dict[str, list[dict]]:
    """Each scale's points, on Google's trace with the fewest workers."""
    fewest = {"workers": min(made.WORKERS["google"])}
    return {scale: [{**point, **fewest, **size(scale)} for point in some] for scale, some in points.items()}
