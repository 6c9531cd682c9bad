"""Fig. 8: what mis-estimated task times do to Eagle and to DLWL+SRPT."""

from pandas import DataFrame, concat

from reproduce.exhibits.eagle import comparing, drawing
from reproduce.exhibits.eagle.comparing import PERCENTILES, only
from reproduce.figure import Figure
from schedlib.plots import style
from schedlib.plots.alt import alt
from schedlib.sweeps import Experiment, scales

PLACE = 6.5
UNDER, OVER = ((0.3, 1.0), (0.6, 1.0), (0.9, 1.0)), ((1.0, 1.3), (1.0, 1.6), (1.0, 1.9))
RANGES = UNDER + OVER  # from which estimates' factors are drawn (Section 6.5)
LIMITS = {(low, high): f"{low:g}-{high:g}" for low, high in RANGES}
"""Their labels along an axis."""
SYSTEMS = {"eagle": "Eagle", "dlwl": "DLWL+SRPT"}


def estimates(low: float, high: float) -> str | tuple[float, float]:
    """The `estimate` of `simulate`: a job's mean times a factor drawn uniformly from [low, high]."""
    return "mean" if low == high == 1 else (low, high)


def run(low: float, high: float, workers: int, jobs: int, scale: float, seed: int) -> DataFrame:
    """Eagle and DLWL+SRPT with these `estimates`."""
    estimate = estimates(low, high)
    return comparing.on_trace(SYSTEMS, "google", workers, jobs, scale, seed, estimate=estimate)


def slowdowns(frame: DataFrame, system: str, **where) -> DataFrame:
    """`ratio` of short jobs' times to those with exact estimates, by `low, high, seed, percentile`."""
    exact = {"system": system, "low": 1.0, "high": 1.0}
    blocks = [
        comparing.compare(frame, exact | {"low": low, "high": high}, exact).assign(
            low=low, high=high
        )
        for low, high in RANGES
    ]
    return only(concat(blocks), "short", **where)


def by_range(frame: DataFrame) -> DataFrame:
    """The slowdowns of both systems: `system, range, seed, percentile, ratio`."""
    blocks = [slowdowns(frame, name).assign(system=name) for name in SYSTEMS]
    rows = concat(blocks)
    limits = zip(rows["low"], rows["high"], strict=True)
    return rows.assign(range=[LIMITS[ends] for ends in limits])


def draw(frame: DataFrame):
    """Slowdowns by the range of the estimates' factor, a panel for each percentile."""
    figure, axes = style.subplots(1, 3, size=(11.4, 3.9), sharey=True)
    rows = by_range(frame)
    looks = drawing.looks_of(SYSTEMS)
    limits = {words: words for words in LIMITS.values()}
    for ax, percentile in zip(axes, PERCENTILES, strict=True):
        of_percentile = only(rows, percentile=percentile)
        drawing.dots(ax, of_percentile, "ratio", "range", limits, "system", looks, 0.24)
        drawing.level(ax)
        ax.axvline(2.5, color="#AAAAAA", linewidth=0.8)
        ax.set(title=f"{percentile}th percentile", xlabel="factor of the estimate: under | over")
        ax.tick_params(axis="x", labelsize=8)
    drawing.from_zero(axes)
    axes[0].set_ylabel("slowdown: completion time over\nthat with exact estimates")
    drawing.legend(figure, looks)
    return figure


ALT = alt(
    "Dot charts of the slowdown against the range of the estimates' factor. 99th percentile",
    "ratio",
    ["system"],
    "range",
    of=lambda frame: only(by_range(frame), percentile=99),
    names=SYSTEMS,
)


POINTS = [{"low": low, "high": high} for low, high in ((1.0, 1.0), *RANGES)]
EXPERIMENTS = (
    Experiment(
        "eagle.fig8",
        "Mis-estimated task times",
        run,
        comparing.highest(scales(POINTS)),
        scales(2, (4, 10), 1),
    ),
)

FIGURES = (
    Figure(
        "eagle.fig8",
        "eagle.fig8",
        draw,
        drawing.caption(
            "Slowdown when task times are estimated wrongly: the completion time over that with exact estimates. "
            "Each job's estimate is its mean task time, multiplied by a random factor from the range. Google's "
            "trace, highest load. The right panel is the paper's Fig. 8."
        ),
        ALT,
    ),
)
