"""What readings of the Eagle paper do, and the size of the cluster: as published and as written, who steals, how large. Times in seconds."""

import pandas as pd

from schedlib.eagle.workloads.synthetic import LOAD, WORKERS
from schedlib.exhibits.eagle.running import MAKERS, each_system, on_google
from schedlib.exhibits.eagle.sizes import ALL, FIVE, SCALE, SIZE, TRACES, highest, loads, size
from schedlib.experiment import Experiment

EVERY = ("eagle", "hawk-any", "hawk-general", "sparrow", "dlwl", "omniscient", "ideal-eagle", "no-sss", "no-sbp-srpt", "no-min")


def details(detail: str, workers: int, jobs: int, scale: float, seed: int) -> pd.DataFrame:
    """Every system in one of the two settings of detail, Google's trace: columns as of `running.each_system`."""
    return on_google(EVERY, workers, jobs, scale, seed, detail=detail)


def thieves(trace: str, workers: int, jobs: int, scale: float, seed: int) -> pd.DataFrame:
    """Hawk on one trace with thieves of all workers, of the general partition, and with none, beside Sparrow and Eagle."""
    names = ("hawk-any", "hawk-general", "hawk-none", "sparrow", "eagle")
    return each_system(names, MAKERS[trace](jobs, seed, scale), trace, round(scale * workers), seed)


def cluster_size(scale: float, workers: int, jobs: int, seed: int) -> pd.DataFrame:
    """Eagle, Hawk and DLWL+SRPT at the highest load of Google's trace in clusters of different size."""
    return on_google(("eagle", "hawk", "dlwl"), workers, jobs, scale, seed)


def heavier(trace: str, load: float, jobs: int, scale: float, seed: int) -> pd.DataFrame:
    """Eagle and Hawk with so few workers that the offered load is `load`."""
    workers = round(scale * min(WORKERS[trace]) * LOAD / load)
    return each_system(("eagle", "hawk"), MAKERS[trace](jobs, seed, scale), trace, workers, seed)


HEAVIER = {"smoke": (0.95, 1.15), "quick": (0.85, 0.95, 1.05, 1.15), "paper": (0.85, 0.95, 1.05, 1.15)}
CLUSTERS = {
    "smoke": (1 / 150, 1 / 75),
    "quick": (1 / 150, 1 / 75, 1 / 30, 1 / 10, 1 / 5),
    "paper": (1 / 150, 1 / 75, 1 / 30, 1 / 10, 1 / 3, 1.0),
}


def _clusters(name):
    """As many jobs a worker as at that scale of the reproduction."""
    per_scale = SIZE[name]["google"] / SCALE[name]["google"]
    return [{"scale": scale, "workers": min(WORKERS["google"]), "jobs": round(per_scale * scale)} for scale in CLUSTERS[name]]


def _heavier(name):
    """Small clusters at each scale: in an overloaded one queues, and the time to search them, grow with the number of jobs."""
    return [
        {"trace": trace, "load": load, **size(min(name, "quick", key=ALL.index), trace)}
        for trace in TRACES
        for load in HEAVIER[name]
    ]


EXPERIMENTS = (
    Experiment(
        "eagle.details", "As published and as written", details,
        {scale: highest(scale, [{"detail": detail} for detail in ("as_published", "as_written")]) for scale in ALL},
        {"smoke": 1, "quick": 5, "paper": 3},
    ),
    Experiment("eagle.thieves", "Who steals in Hawk", thieves, {scale: loads(scale, step=2) for scale in ALL}, FIVE),
    Experiment(
        "eagle.clusters", "The same load in clusters of different size", cluster_size, {scale: _clusters(scale) for scale in ALL},
        {"smoke": 1, "quick": 5, "paper": 3},
    ),
    Experiment(
        "eagle.heavier", "Loads above the highest", heavier, {scale: _heavier(scale) for scale in ALL}, {"smoke": 1, "quick": 3, "paper": 5},
    ),
)  # fmt: skip
