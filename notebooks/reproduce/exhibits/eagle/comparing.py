"""How Eagle's experiments run, and how completion times on the same workload are compared.

- Runs follow the authors' program as submitted with the paper (`detail="as_submitted"`, November 2016), which
  made the paper's numbers; Hawk's thieves are then any idle worker. In February 2017 two defects of its SRPT were
  mended: the program as published runs beside it, under names of its own.
- Heartbeats are longer where jobs come more rarely than in the paper's cluster, so that as many jobs are
  placed by the same news.
- A ratio is taken per seed, both systems on the same workload. Every job counts.
- The highest load of a trace is at its fewest workers.

Claims are judged in `measures`; what changed after a result was known is in the report's `changes.csv`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pandas import DataFrame, concat

from reproduce import exhibits
from schedlib.eagle.simulating.results import Simulation
from schedlib.eagle.simulating.simulate import simulate
from schedlib.eagle.systems import DLWL, Eagle, Hawk, System
from schedlib.eagle.workloads import synthetic as made
from schedlib.workload import Workload

MAKERS = {"google": made.google, "cloudera": made.cloudera, "yahoo": made.yahoo}
TRACES = tuple(MAKERS)
COUNTERS = (
    "probes",
    "short_tasks",
    "behind_long",
    "ran_behind_long",
    "rescheduled",
    "steal_attempts",
    "updates",
    "messages",
)
"""The counts of a run's `stats` that rows keep."""
VARIANTS: dict[str, dict[str, Any]] = {
    "no-sss": {"system": Eagle(sss=False)},
    "no-sbp-srpt": {"system": Eagle(sbp=False, srpt=False)},
    "no-min": {"system": Eagle(min_probes=0)},
    # also the first round goes by the newest vector seen
    "old-bits": {
        "system": System(
            "eagle by old bits", short_jobs="old-sss", queue="srpt", sticky=True, min_probes=20
        )
    },
    "dlwl-5": {"system": DLWL(), "heartbeat": 5.0},
    "dlwl-7": {"system": DLWL(), "heartbeat": 7.0},
    "hawk-any": {"system": Hawk(thieves="any")},
    "hawk-general": {"system": Hawk(thieves="general")},
    "hawk-none": {"system": Hawk(steal=False)},
}
"""Systems that `simulate` knows by no name: its arguments. Hawk's differ in who steals."""
PUBLISHED = {f"{name}-published": name for name in ("eagle", "dlwl", "no-sss", "no-min")}
"""The systems with SRPT in the authors' program as published, and what they are otherwise called."""
VARIANTS |= {
    name: {"system": plain} | VARIANTS.get(plain, {}) | {"detail": "as_published"}
    for name, plain in PUBLISHED.items()
}
SCALE = {  # the simulated cluster over the paper's: 100 workers, 1,000 to 1,500 at the highest load, its own
    "smoke": {"google": 1 / 150, "cloudera": 1 / 150, "yahoo": 1 / 40},
    "quick": {"google": 1 / 10, "cloudera": 1 / 15, "yahoo": 1 / 4},
    "paper": dict.fromkeys(TRACES, 1.0),
}
SIZE = {  # numbers of jobs: at the paper's scale Table 1's
    "smoke": dict.fromkeys(TRACES, 400),
    "quick": {"google": 30_000, "cloudera": 3_000, "yahoo": 5_000},
    "paper": made.JOBS,
}
PLACES: dict[str, Mapping[str, Iterable[int]]] = {  # which of a trace's numbers of workers run
    "smoke": dict.fromkeys(TRACES, (0, 4)),
    "quick": {"google": (0, 1, 4), "cloudera": (0, 2, 4), "yahoo": (0, 2, 4)},
    "paper": dict.fromkeys(TRACES, range(5)),
}
MEASURED = ("completion", "utilisation", *COUNTERS)
PERCENTILES = (50, 90, 99)


def one_run(
    name: str,
    workload: Workload,
    trace: str,
    workers: int,
    seed: int,
    slower: float = 1.0,
    **options: Any,
) -> Simulation:
    """A run of a system that `simulate` knows by its name, or of one of `VARIANTS`.

    Cut-off, short partition and heartbeat are the paper's for the trace, and the program is the one as submitted,
    unless `options`, or the variant, has others. Heartbeats are `slower` times as long: where jobs come more rarely news is to be as old for each of
    them.
    """
    how: dict[str, Any] = {
        "system": name,
        "short_partition": made.PARTITION[trace],
        "cutoff": made.CUTOFF[trace],
        "heartbeat": made.HEARTBEAT[trace],
        "detail": "as_submitted",
    }
    how |= options
    how |= VARIANTS.get(name, {})
    how["heartbeat"] *= slower
    return simulate(workload, workers=workers, seed=seed, **how)


def rows_of(name: str, run: Simulation) -> DataFrame:
    """A run as rows: `system, class, percentile, completion` (s, to microseconds), `utilisation`, `COUNTERS`."""
    times = run.percentiles()
    counts = {counter: run.stats[counter] for counter in COUNTERS}
    columns = {
        "system": name,
        "class": times["long"].map({True: "long", False: "short"}),
        "percentile": times["percentile"],
        "completion": times["completion"].round(6),
        "utilisation": round(run.stats["utilisation"], 6),
    }
    return DataFrame(columns | counts)


def each_system(
    names: Iterable[str], workload: Workload, trace: str, workers: int, seed: int, **options: Any
) -> DataFrame:
    """Each system on one workload, as `rows_of`; `options` as of `one_run`."""
    blocks = [
        rows_of(name, one_run(name, workload, trace, workers, seed, **options)) for name in names
    ]
    return concat(blocks, ignore_index=True)


def generated(
    trace: str, jobs: int, scale: float, seed: int, law: str = "traces"
) -> tuple[Workload, float]:
    """A generated trace, and how many times as rarely its jobs come as in the paper's cluster."""
    workload = MAKERS[trace](jobs, seed, scale, law=law)
    gap = workload.jobs["submit"].iloc[-1] / (len(workload.jobs) - 1)
    return workload, round(gap / made.GAP[trace], 2)


def on_trace(
    names: Iterable[str],
    trace: str,
    workers: float,
    jobs: int,
    scale: float,
    seed: int,
    **options: Any,
) -> DataFrame:
    """Each system on a generated trace with `scale` times `workers`; `options` as of `each_system`."""
    workload, slower = generated(trace, jobs, scale, seed)
    return each_system(
        names, workload, trace, round(scale * workers), seed, slower=slower, **options
    )


def size(scale: str, trace: str = "google") -> dict:
    """A point's `jobs` and `scale`."""
    return {"jobs": SIZE[scale][trace], "scale": SCALE[scale][trace]}


def loads() -> dict[str, list[dict]]:
    """A point for each trace and each number of workers that runs at a scale, the highest load first.

    At quick scale three of five: no verdict changed when the two others went.
    """
    return {
        scale: [
            {"trace": trace, "workers": made.WORKERS[trace][place], **size(scale, trace)}
            for trace in TRACES
            for place in places[trace]
        ]
        for scale, places in PLACES.items()
    }


def highest(points: Mapping[str, Iterable[Mapping]]) -> dict[str, list[dict]]:
    """Each scale's points, on Google's trace with the fewest workers."""
    fewest = min(made.WORKERS["google"])
    return {
        scale: [{**point, "workers": fewest, **size(scale)} for point in some]
        for scale, some in points.items()
    }


def only(frame: DataFrame, jobs: str | None = None, /, **where) -> DataFrame:
    """`exhibits.only` the rows of a class of jobs ("short", "long", None for both)."""
    return exhibits.only(frame, **({"class": jobs} if jobs else {}), **where)


def ratios(
    frame: DataFrame, system: str, base: str, jobs: str | None = None, /, **where
) -> DataFrame:
    """`ratio`, the completion time of `system` over that of `base`, for each setting and seed that both ran.

    `jobs` and `where` choose rows as in `only`.

    >>> frame = DataFrame({"seed": 0, "system": ["eagle", "hawk"], "completion": [2.0, 8.0]})
    >>> ratios(frame, "eagle", "hawk")
       seed  ratio
    0     0   0.25
    """
    settings = [name for name in frame.columns if name not in (*MEASURED, "system")]
    first, second = (
        only(frame, system=name).set_index(settings)["completion"] for name in (system, base)
    )
    return only((first / second).dropna().rename("ratio").reset_index(), jobs, **where)


def compare(frame: DataFrame, first: dict, second: dict) -> DataFrame:
    """`ratio` of completion times of two settings, each given by its values, by seed, class and percentile.

    Raises ValueError when a setting leaves more than one row for these.
    """
    times = []
    for where in (first, second):
        times.append(only(frame, **where).set_index(["seed", "class", "percentile"])["completion"])
        if not times[-1].index.is_unique:
            raise ValueError(f"{where}: does not pin down one run per seed; name more columns")
    return (times[0] / times[1]).rename("ratio").reset_index()


def highest_load(frame: DataFrame) -> DataFrame:
    """The rows with each trace's fewest workers."""
    return frame[frame["workers"] == frame.groupby("trace")["workers"].transform("min")]
