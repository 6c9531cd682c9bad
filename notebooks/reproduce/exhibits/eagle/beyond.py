"""Beyond the paper: other partitions and loads, and where the authors' program differs from the text."""

from itertools import product

from pandas import DataFrame, concat

from reproduce.exhibits import as_key, legend_below
from reproduce.exhibits.eagle import comparing, drawing
from reproduce.exhibits.eagle.comparing import TRACES, highest, on_trace, only, ratios
from reproduce.figure import Figure
from schedlib.eagle.workloads.synthetic import LOAD, WORKERS
from schedlib.plots import style
from schedlib.plots.alt import alt
from schedlib.sweeps import Experiment, grid, scales

PLACE = 6.6
PARTITIONS = {0: ("dlwl", "omniscient"), 17: ("dlwl", "no-sbp-srpt"), 20: ("eagle", "no-sss")}
"""Sizes of the short partition (% of the workers), and who is run there."""
LOADS = scales((0.75, 0.95), (0.75, 0.85, 0.95), (0.65, 0.75, 0.85, 0.95, 1.05))
SYSTEMS = (
    "eagle",
    "hawk-any",
    "hawk-general",
    "sparrow",
    "dlwl",
    "omniscient",
    "ideal-eagle",
    "no-sss",
    "no-sbp-srpt",
    "no-min",
)
OTHERS = {"published": tuple(comparing.PUBLISHED.values()), "written": SYSTEMS}
"""Of `simulate`'s details, those that are compared with the one as submitted; the first differs under SRPT."""


def run_partition(partition: int, workers: int, jobs: int, scale: float, seed: int) -> DataFrame:
    """With `partition` % of the workers for short jobs, the systems that claims compare there."""
    return on_trace(
        PARTITIONS[partition], "google", workers, jobs, scale, seed, short_partition=partition / 100
    )


def by_partition(frame: DataFrame) -> DataFrame:
    """The short jobs' rows, without the counts."""
    rows = only(frame, "short").drop(columns=list(comparing.COUNTERS))
    return as_key("percentile")(rows)


def run_heavier(trace: str, load: float, jobs: int, scale: float, seed: int) -> DataFrame:
    """Eagle and Hawk with so few workers that the offered load is `load`."""
    workers = min(WORKERS[trace]) * LOAD[trace] / load
    rows = on_trace(("eagle", "hawk"), trace, workers, jobs, scale, seed)
    return rows.assign(workers=workers)


def run_details(detail: str, workers: int, jobs: int, scale: float, seed: int) -> DataFrame:
    """The systems in one setting of `simulate`'s detail, Google's trace: all, or those that it changes."""
    names = OTHERS.get(detail.removeprefix("as_"), SYSTEMS)
    return on_trace(names, "google", workers, jobs, scale, seed, detail=detail)


def _heavier(name):
    """The paper's scale has small clusters too: in an overloaded one queues grow with the number of jobs."""
    small = "quick" if name == "paper" else name
    return [
        point | comparing.size(small, point["trace"])
        for point in grid(trace=TRACES, load=LOADS[name])
    ]


def draw_heavier(frame: DataFrame):
    """Short jobs' times under Eagle over those under Hawk against the load, a panel for each trace."""
    figure, axes = style.subplots(1, 3, size=(11.4, 3.8), sharey=True)
    rows = ratios(frame, "eagle", "hawk", "short")
    for ax, (trace, name) in zip(axes, drawing.NAMES.items(), strict=True):
        drawing.plot_ratios(ax, only(rows, trace=trace), "load")
        drawing.level(ax, 1 / 3, 1 / 10)
        ax.axvline(LOAD[trace], color="#AAAAAA", linewidth=0.8)
        ax.set(title=name, xlabel="offered load")
    drawing.from_zero(axes)
    axes[0].set_ylabel("short jobs, Eagle / Hawk")
    legend_below(axes[0], 3)
    return figure


def over_submitted(frame: DataFrame) -> DataFrame:
    """Completion times in each other detail over those as submitted: `detail, system, seed, class, percentile,
    ratio`."""
    blocks = []
    for detail, names in OTHERS.items():
        for name in names:
            rows = only(frame, system=name)
            both = comparing.compare(rows, {"detail": f"as_{detail}"}, {"detail": "as_submitted"})
            blocks.append(both.assign(detail=f"as {detail}", system=name))
    return concat(blocks)


def draw_details(frame: DataFrame):
    """Times in each other version over those as submitted, by system, short and long jobs."""
    rows = over_submitted(frame)
    heights = [len(names) + 1 for names in OTHERS.values()]
    figure, axes = style.subplots(
        2, 2, size=(9.6, 0.5 * sum(heights)), sharex=True, sharey="row", height_ratios=heights
    )
    for ax, (detail, jobs) in zip(axes.flat, product(OTHERS, ("short", "long")), strict=True):
        labels = {name: drawing.LOOKS[name].label for name in OTHERS[detail]}
        some = only(rows, jobs, detail=f"as {detail}")
        title, measure = f"{jobs} jobs, as {detail}", "completion time / as submitted"
        drawing.level_dots(ax, some, "system", labels, title=title, ylabel="system", xlabel=measure)
    drawing.legend(figure, drawing.PERCENTILE_LOOKS)
    return figure


DETAILS = highest(scales(grid(detail=["as_submitted", "as_published", "as_written"])))
EXPERIMENTS = (
    Experiment(
        "eagle.partition",
        "The size of the short partition",
        run_partition,
        highest(scales(grid(partition=PARTITIONS))),
        scales(2, (4, 10), 1),
    ),
    Experiment(
        "eagle.heavier",
        "Loads above the highest",
        run_heavier,
        {scale: _heavier(scale) for scale in LOADS},
        scales(1, 3, 1),
    ),
    Experiment(
        "eagle.details",
        "As submitted, as published and as written",
        run_details,
        # the paper did not run them: they have no size of its own
        DETAILS | {"paper": DETAILS["quick"]},
        scales(1, 3),
    ),
)

FIGURES = (
    Figure(
        "eagle.partition",
        "eagle.partition",
        None,
        drawing.caption(
            "Completion times of short jobs (s) with no short partition, the paper's of 17 % of the workers, and one "
            "of 20 %: the systems that the paper compares there. Google's trace, highest load."
        ),
        "Table of short jobs' completion times by the size of the short partition, system and percentile.",
        by_partition,
    ),
    Figure(
        "eagle.heavier",
        "eagle.heavier",
        draw_heavier,
        drawing.caption(
            "Completion times of short jobs under Eagle over those under Hawk by offered load (beyond the "
            "paper). Grey: the load that the paper's Table 2 implies. Dotted: 1, 3 and 10 times as "
            "fast."
        ),
        alt(
            "Line charts of short jobs' times under Eagle over those under Hawk against the load",
            "ratio",
            ["trace", "percentile"],
            "load",
            of=lambda frame: ratios(frame, "eagle", "hawk", "short"),
            names=drawing.WORDS,
        ),
    ),
    Figure(
        "eagle.details",
        "eagle.details",
        draw_details,
        drawing.caption(
            "Completion times under two other versions of the systems over those of the program as submitted. "
            "Above: the program as published, with two defects of SRPT mended. Below: the paper's text where it "
            "differs. Google's trace, highest load. Beyond the paper."
        ),
        alt(
            "Dot charts of times over those as submitted. 99th percentile of short jobs",
            "ratio",
            ["system", "detail"],
            of=lambda frame: only(over_submitted(frame), "short", percentile=99),
            names=drawing.WORDS,
        ),
    ),
)
