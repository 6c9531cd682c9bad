"""Eagle's experiments on the paper's three traces: a point and a seed in, a tidy frame out. Times in seconds.

The systems of a point run on the same workload. `workers` is the paper's number, of which the share `scale` is simulated.
"""

import pandas as pd

from schedlib.eagle.workloads.measures import short_share, table1
from schedlib.eagle.workloads.synthetic import CUTOFF, JOBS, WORKERS
from schedlib.exhibits.eagle import reading_experiments, trace_experiments
from schedlib.exhibits.eagle.printed import OVER, UNDER
from schedlib.exhibits.eagle.running import MAKERS, each_system, on_google
from schedlib.exhibits.eagle.sizes import ALL, FIVE, TRACES, highest, loads
from schedlib.experiment import Experiment

ABLATED = ("eagle", "hawk", "dlwl", "no-sss", "no-sbp-srpt", "no-min")
SYSTEMS = {"google": ABLATED, "cloudera": ("eagle", "hawk", "dlwl"), "yahoo": ABLATED}
"""What runs at each load of a trace."""
BESIDES = {"google": ("no-sss-stale", "omniscient", "dlwl-5", "dlwl-7", "exact-bits"), "yahoo": ("no-sss-stale",)}
"""What runs besides at the highest load."""
RANGES = ((1.0, 1.0), *UNDER, *OVER)
PARTITIONS = {"smoke": (0, 17, 20), "quick": (0, 10, 17, 20, 30), "paper": (0, 10, 17, 20, 25)}


def at_load(trace: str, workers: int, jobs: int, scale: float, seed: int) -> pd.DataFrame:
    """The systems of Figs. 2 to 7 and Table 2 at one load of one trace: columns as of `running.each_system`."""
    names = SYSTEMS[trace] + (BESIDES.get(trace, ()) if workers == min(WORKERS[trace]) else ())
    return each_system(names, MAKERS[trace](jobs, seed, scale), trace, round(scale * workers), seed)


def fig8(low: float, high: float, workers: int, jobs: int, scale: float, seed: int) -> pd.DataFrame:
    """Eagle and DLWL+SRPT when each job's estimate is its mean times a factor of its own, uniform in [low, high]."""
    estimate = "mean" if low == high == 1 else (low, high)
    return on_google(("eagle", "dlwl"), workers, jobs, scale, seed, estimate=estimate)


def partition(partition: int, workers: int, jobs: int, scale: float, seed: int) -> pd.DataFrame:
    """Systems with `partition` per cent of the workers for short jobs; Eagle and Hawk need some."""
    names = ("dlwl",) if partition == 0 else ("eagle", "no-sss", "hawk", "dlwl")
    names += {0: ("omniscient",), 17: ("omniscient", "no-sbp-srpt")}.get(partition, ())
    return on_google(names, workers, jobs, scale, seed, short_partition=partition / 100)


def table_1(trace: str, jobs: int, seed: int) -> pd.DataFrame:
    """What a trace holds: `jobs`, `long_jobs` (%), `long_work` (% of the task-seconds), `short_share` (% of the task-seconds)."""
    workload = MAKERS[trace](jobs, seed)
    return table1(workload, CUTOFF[trace]).assign(short_share=100 * short_share(workload, CUTOFF[trace]))


EXPERIMENTS = (
    Experiment(
        "eagle.table1", "What the three traces hold", table_1,
        dict.fromkeys(ALL, [{"trace": trace, "jobs": JOBS[trace]} for trace in TRACES]), {"smoke": 1, "quick": 1, "paper": 5},
    ),
    Experiment(
        "eagle.loads", "Eagle, its parts and its rivals at the loads of three traces", at_load,
        {scale: loads(scale, TRACES, 4 if scale == "smoke" else 1) for scale in ALL}, FIVE,
    ),
    Experiment(
        "eagle.fig8", "Mis-estimated task times", fig8,
        {scale: highest(scale, [{"low": low, "high": high} for low, high in RANGES]) for scale in ALL}, FIVE,
    ),
    Experiment(
        "eagle.partition", "The size of the short partition", partition,
        {scale: highest(scale, [{"partition": percent} for percent in PARTITIONS[scale]]) for scale in ALL}, FIVE,
    ),
    *reading_experiments.EXPERIMENTS,
    *trace_experiments.EXPERIMENTS,
)  # fmt: skip
