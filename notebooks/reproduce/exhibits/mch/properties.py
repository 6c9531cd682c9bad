"""Which properties of fair sharing each rule keeps on random trees."""

from pandas import DataFrame

from reproduce.exhibits import only
from reproduce.exhibits.mch import CAPACITY, RULES, SEEDS, heat_maps, label, random_trees
from reproduce.figure import Figure
from schedlib.mch.properties import PROPERTIES, property_table
from schedlib.plots.alt import alt
from schedlib.sweeps import Experiment, grid, scales

PLACE = 5.3
SHORT = dict(
    zip(
        PROPERTIES,
        (
            "share\nguarantee",
            "sharing\nincentive",
            "no envy,\nsiblings",
            "no envy,\nall leaves",
            "Pareto\nefficiency",
            "strategy-\nproofness",
        ),
        strict=True,
    )
)


def run(depth: int, partial: float, trees: int, seed: int) -> DataFrame:
    """How often each rule violates each property: `rule, property, trees, violated, worst`."""
    table = property_table(
        [CAPACITY] * 2, RULES.values(), random_trees(depth, partial, 2, trees, seed)
    )
    return table.drop(columns="tree")


def _kind(partial):
    return (
        "all leaves full-type" if partial == 0 else f"{100 * partial:.0f} % of leaves partial-type"
    )


def _rates(rows):
    """The share of trees (%) on which each rule violates each property."""
    sums = rows.assign(bad=rows["violated"] * rows["trees"]).pivot_table(
        ["bad", "trees"], "rule", "property", aggfunc="sum", sort=False
    )
    return 100 * sums["bad"] / sums["trees"]


def plot(frame: DataFrame):
    """Share of random trees on which each rule violates each property, a panel for each kind of leaves."""
    panels = []
    for partial, rows in frame.groupby("partial"):
        rates = _rates(rows).reindex(columns=list(SHORT))
        panels.append(
            (rates, [label(rule) for rule in rates.index], list(SHORT.values()), _kind(partial))
        )
    figure = heat_maps(panels, (5.0, 4.2), "property", "rule", "trees on which it is violated (%)")
    for ax in figure.axes[: len(panels)]:
        ax.tick_params(axis="x", labelsize=8)
    return figure


def _caption(frame):
    trees = only(frame, rule="h-drf").groupby(["property", "partial"])["trees"].sum()
    count = int(trees.min())
    return (
        f"Share of {count:,} random trees a panel (two resources, {frame['depth'].min()} to "
        f"{frame['depth'].max()} levels, equal weights, divisible tasks) on which each rule violates each "
        "property. The share guarantee is tested for leaves and groups, the sharing incentive for leaves; "
        "for strategy-proofness one leaf reports wrong demands. For C-CH and M-CH only trees count whose "
        "leaves all use their resource."
    )


def guarantee_violated(frame: DataFrame) -> DataFrame:
    """How often each rule violates the share guarantee: `chance` (of a partial-type leaf), `rule, rate` (%)."""
    rows = only(frame, property="share guarantee")
    return rows.assign(rate=100 * rows["violated"], chance=rows["partial"])


EXPERIMENTS = (
    Experiment(
        "mch.properties",
        "Which properties of fair sharing each rule keeps",
        run,
        scales(
            *(
                grid(depth=range(1, most + 1), partial=[0.0, 0.5], trees=[trees])
                for trees, most in ((2, 2), (5, 3), (20, 4))
            )
        ),
        SEEDS,
    ),
)
FIGURES = (
    Figure(
        "mch.properties",
        "mch.properties",
        plot,
        _caption,
        alt(
            "Heat maps of rules against properties. Trees that violate the share guarantee (%), by rule and "
            "by the chance of a partial-type leaf",
            "rate",
            ["rule", "chance"],
            of=guarantee_violated,
            names={"collapsed": label("collapsed")},
        ),
    ),
)
