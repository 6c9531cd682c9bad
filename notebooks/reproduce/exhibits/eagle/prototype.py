"""Fig. 9 as measured on the prototype's real processes, and the simulator on the same jobs beside it.

What was measured is read from the file that `make prototype` writes; here only the simulator runs.
"""

import warnings
from pathlib import Path

from pandas import DataFrame, concat, read_csv

from reproduce.exhibits.eagle import drawing
from reproduce.exhibits.eagle.comparing import only, ratios, rows_of
from reproduce.figure import Figure
from schedlib.eagle.simulating.simulate import simulate
from schedlib.eagle.workloads.samples import google_sample
from schedlib.eagle.workloads.synthetic import PARTITION
from schedlib.plots import style
from schedlib.plots.alt import alt
from schedlib.prototype.experiment import FILE
from schedlib.sweeps import Experiment, scales
from schedlib.workload import Workload

PLACE = 7
SOURCES = {"prototype": "measured", "simulator": "simulated with the measured delays"}
CASE = ["source", "interarrival", "repeat", "system", "class", "percentile", "completion"]


MEASURED = Path(__file__).parents[4] / FILE
"""The file that `make prototype` writes."""


def missing() -> str:
    """How to make the measurements where they are missing; "" where they are there."""
    return "" if MEASURED.exists() else f"{FILE} is not there; measure first: make prototype"


def run(seed: int) -> DataFrame:
    """The measured rows, and the simulator's for each measured run: its jobs, its delays, seed by repeat.

    A hop takes a third of what a probe on its way and a fetch take together, and a task lasts longer by what
    timers overshot on average. Times of delays are in ms, completion times in s.
    """
    measured = read_csv(MEASURED).assign(source="prototype")
    blocks = [measured]
    for (ratio, name, repeat, nodes, jobs), same in measured.groupby(
        ["interarrival", "system", "repeat", "nodes", "jobs"], sort=False
    ):
        measures, sample = same.iloc[0], google_sample(ratio, 0, jobs, nodes)
        longer = sample.tasks["duration"] + max(measures["overshoot"], 0.0)
        with warnings.catch_warnings():
            # schedulers know the planned means, which late timers overshoot
            warnings.filterwarnings("ignore", "workload: column 'mean'")
            done = simulate(
                Workload(sample.jobs, sample.tasks.assign(duration=longer), "ms"),
                name,
                int(nodes),
                short_partition=PARTITION["google"],
                cutoff=None,
                network_delay=(measures["hop"] + measures["fetch"]) / 3,
                detail="as_written",
                seed=int(repeat),
            )
        rows = rows_of(name, done).assign(
            interarrival=ratio, repeat=repeat, nodes=nodes, jobs=jobs, source="simulator"
        )
        blocks.append(rows.assign(completion=(rows["completion"] / 1000).round(9)))
    return concat(blocks, ignore_index=True)


def times(rows: DataFrame) -> DataFrame:
    """Completion times (s) of both sources: a row per load, repeat, system, class and percentile."""
    return rows[["seed", *CASE, "nodes", "jobs"]]


def draw(frame: DataFrame):
    """Eagle over Hawk against the inter-arrival ratio, measured beside simulated."""
    rows = ratios(frame[[*CASE, "seed"]], "eagle", "hawk")
    columns = {title: only(rows, source=source) for source, title in SOURCES.items()}
    figure = drawing.plot_cases(columns, "interarrival", "mean inter-arrival time (1 / load)")
    for ax in figure.axes[: len(SOURCES)]:
        style.printed(ax, 1.2, drawing.BEST)
    return figure


def caption(frame: DataFrame) -> str:
    """The caption, with the numbers of nodes, jobs and runs."""
    sizes = frame.iloc[0]
    runs = frame["repeat"].nunique()
    return (
        f"Eagle's completion times over Hawk's on {sizes['nodes']} nodes (the paper's Fig. 9). Left: "
        f"measured on real processes of one machine, {sizes['jobs']:,} jobs of the Google sample. Right: "
        f"simulated with the measured delays. Bar: the paper's best, 80 % sooner. Runs of each: {runs}."
    )


EXPERIMENTS = (
    Experiment(
        "eagle.prototype",
        "The prototype on real processes",
        run,
        scales([{}]),
        scales(1),
        missing=missing,
        data_files=lambda point: [MEASURED],
    ),
)

FIGURES = (
    Figure(
        "eagle.prototype",
        "eagle.prototype",
        draw,
        caption,
        alt(
            "Line charts of Eagle's times over Hawk's against the inter-arrival ratio. Short jobs",
            "ratio",
            ["source", "percentile"],
            "interarrival",
            of=lambda frame: ratios(frame[[*CASE, "seed"]], "eagle", "hawk", "short"),
            names=drawing.WORDS,
        ),
        times,
    ),
)
