"""Beyond the paper's figures: Facebook's jobs, which its abstract names and its evaluation does not show.

The jobs are those of SWIM's day of 2010: bytes, no durations. All of this is assumed, and was fixed before
anything was run: a map task for each 256 MB of input, a reduce task for each 1 GB shuffled (as for HMHS), a
job's tasks all in one stage, and durations within a job as in the generated traces. The rate at which bytes
move, the one free number, is such that short jobs, those of a mean up to the authors' cut-off (in whole
seconds, as their program reads it), have the 2 % of the task-seconds that their partition stands for. A seed
takes every `every`-th job, from its own place on, for as many workers that the load is the one asked for.
"""

from functools import cache

import numpy as np
import pandas as pd

from exhibits import SWIM, swim_files
from exhibits.eagle import drawing
from exhibits.eagle.comparing import each_system, ratios
from schedlib import traces
from schedlib.core.streams import streams
from schedlib.eagle.workloads.synthetic import CUTOFF, LOAD, PARTITION, durations
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.hmhs.workloads import swim_jobs
from schedlib.workload import Workload

PLACE = 7.5
BLOCK = 256e6  # bytes of input to a map task
LOADS = (0.65, 0.8, LOAD)
RIVALS = {"hawk": "Hawk", "dlwl": "DLWL+SRPT"}


@cache
def day() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """When each job comes (s), its number of tasks and their mean duration (s)."""
    jobs = swim_jobs(traces.read_swim(swim_files({})[0]), block=BLOCK)
    tasks = (jobs["map_tasks"] + jobs["reduce_tasks"]).to_numpy()
    work = (
        jobs["map_tasks"] * jobs["map_time"] + jobs["reduce_tasks"] * jobs["reduce_time"]
    ).to_numpy()
    order = np.argsort(work / tasks, kind="stable")
    total = np.cumsum(work[order])
    last = order[np.searchsorted(total, PARTITION["facebook"] * total[-1])]
    mean = work / tasks * ((np.floor(CUTOFF["facebook"]) + 1.001) / (work[last] / tasks[last]))
    return jobs["submit"].to_numpy(), tasks, mean


def facebook(every: int, seed: int) -> Workload:
    """Every `every`-th job of the day; columns as in `eagle.google`."""
    submit, tasks, mean = (values[seed % every :: every] for values in day())
    number, (within,) = np.arange(len(tasks)), streams(seed, "facebook durations")
    frame = pd.DataFrame(
        {
            "job": number,
            "submit": submit,
            "mean": mean,
            "class": (np.floor(mean) > CUTOFF["facebook"]).astype(int),
        }
    )
    duration = durations(within, tasks, mean)
    return Workload(frame, pd.DataFrame({"job": np.repeat(number, tasks), "duration": duration}))


def run(every: int, load: float, seed: int) -> pd.DataFrame:
    """Eagle, Hawk and DLWL+SRPT, with `simulated` workers, `long_jobs` and `long_work` (%) of what ran."""
    made = facebook(every, seed)
    long, work = made.jobs["class"].to_numpy() > 0, made.work()
    workers = round(work.sum() / (made.jobs["submit"].max() * load))
    rows = each_system(("eagle", *RIVALS), made, "facebook", workers, seed)
    return rows.assign(
        simulated=workers,
        long_jobs=round(100 * long.mean(), 2),
        long_work=round(100 * work[long].sum() / work.sum(), 1),
    )


def _ratios(frame):
    rows = frame.drop(columns=["simulated", "long_jobs", "long_work"])
    return pd.concat([ratios(rows, "eagle", base).assign(base=base) for base in RIVALS])


def caption(frame: pd.DataFrame) -> str:
    means = frame[["simulated", "long_jobs", "long_work"]].mean()
    return (
        f"Eagle's completion times over a rival's, against the load: Facebook's jobs of a day of 2010, "
        f"every {frame['every'].iloc[0]}th, on some {means['simulated']:,.0f} workers. Short jobs above, "
        "long jobs below. The cut-off between them (76.6 s) and the short partition (2 % of the workers) "
        f"are the authors'. So {means['long_jobs']:.0f} % of the jobs are long, with "
        f"{means['long_work']:.0f} % of the work. The trace gives bytes, from which the durations are "
        f"made. Beyond the paper. Seeds: {frame['seed'].nunique()}. Intervals: 95 %. Data: SWIM (UC "
        "Berkeley)."
    )


EXPERIMENTS = (
    Experiment(
        "eagle.facebook",
        "Facebook's jobs",
        run,
        {
            scale: grid(every=[every], load=LOADS)
            for scale, every in {"smoke": 64, "quick": 8, "paper": 1}.items()
        },
        scales(1, 3, 1),
        **SWIM,
    ),
)

FIGURES = (
    Figure(
        "eagle.facebook",
        "eagle.facebook",
        lambda frame: drawing.plot_cases(
            _ratios(frame),
            "base",
            {name: f"over {label}" for name, label in RIVALS.items()},
            "load",
            "offered load",
            "rival",
        ),
        caption,
        lambda frame: (
            "Line charts of Eagle over a rival against the load, "
            + drawing.cases_in_words(
                _ratios(frame)[lambda rows: rows["class"] == "short"],
                ["base", "load"],
                "{} at {:g}:",
            )
        ),
    ),
)
