"""Closer to the optimum: how far HMHS and what we add to it end above the lower bound, and at what cost."""

import time

import pandas as pd

from exhibits.hmhs import comparing
from exhibits.hmhs.comparing import TITLES, WORKLOADS
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.hmhs.bound import bounds
from schedlib.hmhs.model import Instance
from schedlib.hmhs.priced import priced
from schedlib.hmhs.rounding import rounded, searched
from schedlib.hmhs.schedule import schedule
from schedlib.hmhs.workloads import tiny
from schedlib.pictures import style

PLACE = 6
METHODS = {
    "hmhs": lambda case, known: schedule(case, "hmhs"),
    "priced": priced,
    "rounded": rounded,
    "searched": searched,
}
LABELS = {"hmhs": "HMHS", "priced": "Priced", "rounded": "LP rounded", "searched": "Local search"}
LOOKS = {
    name: style.look(like)._replace(label=label)
    for (name, label), like in zip(
        LABELS.items(), ("hmhs", "priced", "r-hmhs", "fifo-pri"), strict=True
    )
}


def run(workload: str, jobs: int, seed: int) -> pd.DataFrame:
    """`method, gap` above the lower bound in %, and `seconds`, which for the last three include the bound."""
    case: Instance = WORKLOADS[workload](jobs, seed)
    for method in METHODS.values():  # compiles
        method(warm := tiny(2, 0), bounds(warm))
    began = time.perf_counter()
    known, rows = bounds(case), []
    before = time.perf_counter() - began
    for name, method in METHODS.items():
        began = time.perf_counter()
        makespan = method(case, known).makespan
        seconds = time.perf_counter() - began + (before if name != "hmhs" else 0.0)
        rows.append((name, 100 * (makespan / known.best - 1), seconds))
    return pd.DataFrame(rows, columns=["method", "gap", "seconds"])


def plot(frame: pd.DataFrame):
    """The gap above, the seconds below, against the number of jobs."""
    workloads = list(dict.fromkeys(frame["workload"]))
    figure, axes = style.subplots(
        2, len(workloads), size=(4.4 * len(workloads), 6.6), squeeze=False
    )
    for (top, bottom), name in zip(axes.T, workloads, strict=True):
        part = frame[frame["workload"] == name]
        style.band(top, part, "jobs", "gap", by="method", looks=LOOKS, each=True)
        top.set(title=TITLES[name], ylabel="makespan above the lower bound (%)", ylim=(0, None))
        for method, look in LOOKS.items():
            seconds = part[part["method"] == method].groupby("jobs")["seconds"].median()
            bottom.plot(seconds.index, seconds, **look.line())
        bottom.set(ylabel="seconds (median)", yscale="log")
        for ax in (top, bottom):
            comparing.jobs_axis(ax, part["jobs"])
    figure.legend(
        *axes[0, 0].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=2 * len(workloads),
    )
    return figure


def _words(frame):
    texts = []
    for name, part in frame.groupby("workload", sort=False):
        for jobs in (part["jobs"].min(), part["jobs"].max()):
            means = part[part["jobs"] == jobs].groupby("method")["gap"].mean().sort_values()
            words = ", ".join(f"{LABELS[str(method)]} {gap:.1f} %" for method, gap in means.items())
            texts.append(f"{name}, {jobs} jobs: {words}")
    return "; ".join(texts)


EXPERIMENTS = (
    Experiment(
        "hmhs.near",
        "Gap to the lower bound by method, and its cost",
        run,
        scales(
            grid(workload=["single"], jobs=[10, 25]),
            grid(workload=WORKLOADS, jobs=[10, 25, 100, 400]),
        ),
        scales(2, 3, 5),
        timing=("seconds",),
    ),
)
FIGURES = (
    Figure(
        "hmhs.near",
        "hmhs.near",
        plot,
        lambda frame: (
            "How far each method's makespan is above the lower "
            "bound (top), and the seconds it takes (bottom). LP rounded is the rounding of Lenstra, Shmoys "
            "and Tardos. Local search starts from the better of it and priced dispatch and makes 200 "
            f"changes. Means above the bound: {_words(frame)}. Faint marks: seeds. Beyond the paper."
        ),
        lambda frame: f"Line charts of the gap to the lower bound and of seconds. {_words(frame)}.",
    ),
)
CLAIMS = ()
