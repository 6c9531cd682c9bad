"""How Eagle's experiments run, how completion times on the same workload are compared, and claims about them.

Readings that hold for all claims on Eagle. The first were written before anything was run; what changed after a
result was known is in the report's `changes.csv`:

- Runs follow the authors' program (`detail="as_published"`); Hawk's thieves are then any idle worker.
- Heartbeats are longer where jobs come more rarely than in the paper's cluster, so that as many jobs are
  placed by the same news.
- A ratio is taken per seed, both systems on the same workload. Every job counts.
- The highest load of a trace is at its fewest workers. "At all percentiles, loads, traces" is judged at the
  case (workers and percentile) that is worst on average over the seeds; "up to" at the one that is best.
- Counts of Table 2 are judged as shares of probes or of tasks, since a smaller cluster runs fewer jobs.
- A printed number has the tolerance of its last digit: 1 point for whole per cents and shares, 1 for a factor
  in whole numbers; a quotient of two counts of Table 2 that of their digits. What the text says in words has
  a limit of ours, which `how_read` names. Others were set at first, most of them wider, and changed when results
  were known.
- The authors' program as submitted (November 2016) has two defects of SRPT that the published one has not.
  Some claims are judged under each, as submitted at the highest load of each trace and Google's second highest:
  `speedup-least`, `dlwl-long`, `sss-exception` and `min-google`, chosen when their results were known.
- The text lets workers of the general partition steal, the authors' program any: on Google's trace claims on
  Hawk are judged under each.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

import exhibits
from schedlib.eagle.simulating.results import Simulation
from schedlib.eagle.simulating.simulate import simulate
from schedlib.eagle.systems import DLWL, Eagle, Hawk, System
from schedlib.eagle.workloads import synthetic as made
from schedlib.experiment import Claim, claim_maker, scales
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
"""What rows keep of a run's `stats`."""
VARIANTS: dict[str, dict[str, Any]] = {
    "no-sss": {"system": Eagle(sss=False)},
    "no-sbp-srpt": {"system": Eagle(sbp=False, srpt=False)},
    "no-min": {"system": Eagle(min_probes=0)},
    # schedulers know at every moment where long tasks are
    "exact-bits": {
        "system": System(
            "eagle by exact bits", short_jobs="clear", queue="srpt", sticky=True, min_probes=20
        )
    },
    # also the first round goes by the newest vector seen
    "old-bits": {
        "system": System(
            "eagle by old bits", short_jobs="old-sss", queue="srpt", sticky=True, min_probes=20
        )
    },
    "halved": {"system": Eagle(updates="halved")},
    "none": {"system": Eagle(sss=False, sbp=False, srpt=False, min_probes=0)},
    "only-sss": {"system": Eagle(sbp=False, srpt=False, min_probes=0)},
    "only-sbp-srpt": {"system": Eagle(sss=False, min_probes=0)},
    "only-min": {"system": Eagle(sss=False, sbp=False, srpt=False)},
    "dlwl-5": {"system": DLWL(), "heartbeat": 5.0},
    "dlwl-7": {"system": DLWL(), "heartbeat": 7.0},
    "hawk-any": {"system": Hawk(thieves="any")},
    "hawk-general": {"system": Hawk(thieves="general")},
    "hawk-none": {"system": Hawk(steal=False)},
}
"""Systems that `simulate` knows by no name: its arguments. Hawk's differ in who steals."""
SUBMITTED = {f"{name}-submitted": name for name in ("eagle", "dlwl", "no-sss", "no-min")}
"""The systems with SRPT in the authors' program as submitted, and what they are otherwise called."""
VARIANTS |= {
    name: {"system": plain} | VARIANTS.get(plain, {}) | {"detail": "as_submitted"}
    for name, plain in SUBMITTED.items()
}
SEEDS = scales(2, (5, 10), 1)
SCALE = {  # the simulated cluster over the paper's: 100 workers, 1,000 to 1,500 at the highest load, its own
    "smoke": {"google": 1 / 150, "cloudera": 1 / 150, "yahoo": 1 / 40},
    "quick": {"google": 1 / 10, "cloudera": 1 / 15, "yahoo": 1 / 4},
    "paper": dict.fromkeys(TRACES, 1.0),
}
SIZE = {  # numbers of jobs: at quick scale what two cores do in a minute, at the paper's Table 1's
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
WORST = "text: judged at the case that is worst on average over the seeds"
LOAD_TREND = {
    "check": "trend",
    "metric": "growth of the mean log ratio from one number of workers to the next",
}

# what a claim measures: rows in, one number per seed out
Measure = Callable[[pd.DataFrame], np.ndarray]
_MAKE = claim_maker("eagle", check="order", unit="1")


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

    Cut-off, short partition and heartbeat are the paper's for the trace unless `options`, or the variant, has
    others. Heartbeats are `slower` times as long: where jobs come more rarely news is to be as old for each of
    them.
    """
    how: dict[str, Any] = {
        "system": name,
        "short_partition": made.PARTITION[trace],
        "cutoff": made.CUTOFF[trace],
        "heartbeat": made.HEARTBEAT[trace],
    }
    how |= options
    how |= VARIANTS.get(name, {})
    how["heartbeat"] *= slower
    return simulate(workload, workers=workers, seed=seed, **how)


def rows_of(name: str, run: Simulation) -> pd.DataFrame:
    """A run as rows: `system, class, percentile, completion` (s, to microseconds), `utilisation`, `COUNTERS`."""
    times = run.percentiles()
    counts = {one: run.stats[one] for one in COUNTERS}
    columns = {
        "system": name,
        "class": times["long"].map({True: "long", False: "short"}),
        "percentile": times["percentile"],
        "completion": times["completion"].round(6),
        "utilisation": round(run.stats["utilisation"], 6),
    }
    return pd.DataFrame(columns | counts)


def each_system(
    names: Iterable[str],
    workload: Workload,
    trace: str,
    workers: int,
    seed: int,
    **options: Any,
) -> pd.DataFrame:
    """Each system on one workload, as `rows_of`; `options` as of `one_run`."""
    blocks = [
        rows_of(name, one_run(name, workload, trace, workers, seed, **options)) for name in names
    ]
    return pd.concat(blocks, ignore_index=True)


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
) -> pd.DataFrame:
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
    fewest = {"workers": min(made.WORKERS["google"])}
    return {
        scale: [{**point, **fewest, **size(scale)} for point in some]
        for scale, some in points.items()
    }


def claim(
    name: str, where: str, text: str, measure: Measure | None, value: Any = None, **fields: Any
) -> Claim:
    """A claim on `eagle.loads`; unless `fields` differ an order."""
    return _MAKE(
        name, where, text, fields.pop("experiment", "eagle.loads"), measure, value, **fields
    )


def by_thieves(names: Iterable[str], claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """These claims, those of these names on Hawk and Google's trace judged for either kind of thieves."""
    return also_judged(
        names,
        claims,
        "any idle worker steals",
        "idle workers of the general partition steal",
        {"hawk-general": "hawk"},
    )


def by_detail(names: Iterable[str], claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """These claims, those of these names judged under the authors' program as published and as submitted."""
    return also_judged(
        names, claims, "the authors' program as published", "as submitted with the paper", SUBMITTED
    )


def also_judged(
    names: Iterable[str],
    claims: Iterable[Claim],
    usual: str,
    other: str,
    systems: Mapping[str, str],
) -> tuple[Claim, ...]:
    """These claims, those of these names with one more reading, `other`: measured on `systems` in place of
    those that their values name. `usual` names the first, where a claim has none yet."""
    ids = {f"eagle.{name}" for name in names}

    def instead(frame):
        kept = frame[~frame["system"].isin(systems.values())]
        return kept.assign(system=kept["system"].map(lambda name: systems.get(name, name)))

    def readings(one):
        first = one.readings or {usual: (one.experiment, one.measure)}
        return first | {other: (one.experiment, lambda frame: one.measure(instead(frame)))}

    return tuple(replace(one, readings=readings(one)) if one.id in ids else one for one in claims)


def only(frame: pd.DataFrame, jobs: str | None = None, /, **where) -> pd.DataFrame:
    """`exhibits.only` the rows of a class of jobs ("short", "long", None for both)."""
    return exhibits.only(frame, **({"class": jobs} if jobs else {}), **where)


def ratios(
    frame: pd.DataFrame, system: str, base: str, jobs: str | None = None, /, **where
) -> pd.DataFrame:
    """`ratio`, the completion time of `system` over that of `base`, for each setting and seed that both ran.

    `jobs` and `where` choose rows as in `only`.

    >>> frame = pd.DataFrame({"seed": 0, "system": ["eagle", "hawk"], "completion": [2.0, 8.0]})
    >>> ratios(frame, "eagle", "hawk")
       seed  ratio
    0     0   0.25
    """
    settings = [name for name in frame.columns if name not in (*MEASURED, "system")]
    first, second = (
        only(frame, system=name).set_index(settings)["completion"] for name in (system, base)
    )
    return only((first / second).dropna().rename("ratio").reset_index(), jobs, **where)


def compare(frame: pd.DataFrame, first: dict, second: dict) -> pd.DataFrame:
    """`ratio` of completion times of two settings, each given by its values, by seed, class and percentile.

    Raises ValueError when a setting leaves more than one row for these.
    """
    times = []
    for where in (first, second):
        times.append(only(frame, **where).set_index(["seed", "class", "percentile"])["completion"])
        if not times[-1].index.is_unique:
            raise ValueError(f"{where}: does not pin down one run per seed; name more columns")
    return (times[0] / times[1]).rename("ratio").reset_index()


def highest_load(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows with each trace's fewest workers."""
    return frame[frame["workers"] == frame.groupby("trace")["workers"].transform("min")]


def per_seed(rows: pd.DataFrame) -> np.ndarray:
    """The geometric mean of the ratios, one number per seed.

    >>> per_seed(pd.DataFrame({"seed": [7, 7], "ratio": [1, 4]})).round(12)
    array([2.])
    """
    return (
        rows.groupby("seed")["ratio"]
        .agg(lambda values: float(np.exp(np.mean(np.log(values)))))
        .to_numpy()
    )


def off_the_mean(frame: pd.DataFrame) -> np.ndarray | None:
    """How far (%) a seed's ratio of Eagle to Hawk is from the mean, where it is farthest; short jobs. None of
    one seed, which is the mean."""
    if frame["seed"].nunique() < 2:
        return None
    rows = ratios(frame, "eagle", "hawk", "short")
    case = [name for name in rows.columns if name not in ("seed", "ratio")]
    off = abs(rows["ratio"] / rows.groupby(case)["ratio"].transform("mean") - 1)
    return 100 * off.groupby(rows["seed"]).max().to_numpy()


def extreme_case(rows: pd.DataFrame, largest: bool) -> np.ndarray:
    """The ratios, one per seed, of the case (trace, workers, percentile ...) of largest or smallest mean."""
    case = [name for name in rows.columns if name not in ("seed", "ratio")]
    means = rows.groupby(case)["ratio"].mean()
    extreme = means.idxmax() if largest else means.idxmin()
    return rows.set_index(case)["ratio"].sort_index().loc[[extreme]].to_numpy()


def reduction(rows: pd.DataFrame) -> np.ndarray:
    """The largest reduction (%) of completion times over the cases (`extreme_case`), one per seed."""
    return 100 * (1 - extreme_case(rows, largest=False))


def slope(rows: pd.DataFrame, along: str) -> np.ndarray:
    """How the mean log ratio grows from one value of a column to the next, per seed (least squares).

    >>> slope(pd.DataFrame({"seed": 0, "workers": [15, 17, 19], "ratio": [1, 2, 4]}), "workers").round(4)
    array([0.6931])
    """
    means = rows.assign(log=np.log(rows["ratio"])).groupby(["seed", along])["log"].mean().unstack()
    return np.polyfit(np.arange(means.shape[1]), means.to_numpy().T, 1)[0]


def margin(rows: pd.DataFrame) -> np.ndarray:
    """By how much the first system is better than the second in the case that is worst on average."""
    return 1 - extreme_case(rows, largest=True)


def growth(rows: pd.DataFrame) -> np.ndarray:
    """How the log ratio grows from one number of workers to the next."""
    return slope(rows, "workers")


def of_ratios(
    judge: Measure,
    system: str,
    base: str,
    jobs: str = "short",
    /,
    at_highest: bool = False,
    **where,
) -> Measure:
    """The measure that judges the ratios of `system` to `base`, at all loads or only at the highest."""

    def measure(frame):
        return judge(
            ratios(highest_load(frame) if at_highest else frame, system, base, jobs, **where)
        )

    return measure
