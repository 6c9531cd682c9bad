"""What of LoTES's text holds under which choice that it leaves open, or makes.

Google's month (Section 5.3), by load, number of machines, which jobs count and how much their sizes vary: the
paper prints none of these. Random data (Section 5.4), by law of sizes: it prints one.
"""

from dataclasses import replace
from functools import partial

from pandas import DataFrame, concat

from reproduce import registry, verdicts
from reproduce.exhibits import handles_of, only
from reproduce.exhibits.lotes import drawing
from reproduce.exhibits.lotes.fig6_10_month import setting
from reproduce.figure import Figure
from schedlib.plots import style
from schedlib.plots.alt import alt
from schedlib.plots.style import Look

PLACE = 5.335
LOOKS = {
    verdicts.HOLDS: Look(style.GREEN, "none", "s", "holds"),
    verdicts.UNDECIDED: Look("#555555", "none", "$?$", "undecided"),
    verdicts.FAILS: Look(style.VERMILLION, "none", "x", "fails"),
    verdicts.NOTHING: Look(style.BLUE, "none", "_", "nothing to measure: waits below a second"),
}
CHOICES = ["times", "ended", "sizes"]
SPREAD = {"fixed": "CV 0", "independent": "CV 0.5"}
COLUMNS = ["id", "sentence", "verdict"]
CLOSEST = 0.02
"""The least step between two loads of the map: one column's width."""


def judged(frame: DataFrame, experiment: str, **choice) -> DataFrame:
    """Every sentence on an experiment, under one choice, on this part of its frame: `COLUMNS`."""
    rows = []
    for claim in registry.load().claims.values():
        if claim.experiment != experiment or claim.kind:
            continue
        floor = claim.floor
        if floor:
            floor = floor._replace(args={**floor.args, **choice})
        one = replace(claim, along="", floor=floor, args={**claim.args, **choice})
        rows.append((claim.id, claim.sentence, verdicts.outcome(one, frame, 0.95).verdict))
    return DataFrame(rows, columns=COLUMNS)


def month_map(frame: DataFrame) -> DataFrame:
    """Every sentence on the month under each choice, at each load: `judged`, with `world` for the choice in words, `at` and its place `x`."""
    parts = []
    for choice, runs in frame.groupby(CHOICES):
        named = dict(zip(CHOICES, choice, strict=True))
        jobs = drawing.JOBS[named["ended"]]
        world = f"{jobs}, {SPREAD[named['sizes']]}, {setting(runs)}"
        for load, rows in runs.groupby("load"):
            made = judged(rows, "lotes.month", **named)
            parts.append(made.assign(world=world, at=f"{load:g}", x=load / CLOSEST))
    return concat(parts, ignore_index=True)


def law_map(frame: DataFrame) -> DataFrame:
    """Every sentence on random data under each law of sizes: `judged`, with `world`, the law's name in `at`, its place `x`."""
    parts = []
    for x, (law, name) in enumerate(drawing.laws_in(frame).items()):
        parts.append(judged(frame, "lotes.random", sizes=law).assign(world="", at=name, x=x))
    return concat(parts, ignore_index=True)


def plot(frame: DataFrame, along: str):
    """The verdict on each sentence, at each load or law, in panels; above them how many hold."""
    worlds = list(frame.groupby("world", sort=False))
    sentences = list(frame["sentence"].unique())
    widths = [rows["x"].max() - rows["x"].min() + 3 for _, rows in worlds]
    size = 5.6 + 0.3 * sum(widths), 1.4 + 0.25 * len(sentences)
    figure, axes = style.subplots(
        1, len(worlds), size=size, sharey=True, squeeze=False, width_ratios=widths
    )
    for (world, judged_so), ax in zip(worlds, axes[0], strict=True):
        places = judged_so.groupby("x")["at"].first()
        for verdict, look in LOOKS.items():
            rows = only(judged_so, verdict=verdict)
            down = rows["sentence"].map(sentences.index)
            ax.plot(rows["x"], down, color=look.color, marker=look.marker, linestyle="none")
        for x, count in zip(places.index, holding(judged_so)["sentences"], strict=True):
            ax.text(x, -1, count, ha="center", va="center", weight="bold")
        ax.set_xlim(places.index.min() - 1.5, places.index.max() + 1.5)
        ax.set_ylim(len(sentences) - 0.4, -1.6)
        ax.set_title(world.replace(", ", "\n"), fontsize=8)
        ax.set_xticks(places.index, places, fontsize=8, rotation=90)
        ax.set_xlabel(along)
    axes[0, 0].set_yticks([-1, *range(len(sentences))], ["how many hold", *sentences], fontsize=8)
    axes[0, 0].set_ylabel("sentence of the paper")
    figure.legend(handles=handles_of(LOOKS.values()), loc="outside lower center", ncols=2)
    return figure


def holding(frame: DataFrame) -> DataFrame:
    """How many sentences hold: `world, at, sentences`."""
    holds = frame["verdict"] == verdicts.HOLDS
    counts = holds.groupby([frame["world"], frame["at"]], sort=False).sum()
    return counts.reset_index(name="sentences")


def _caption_month(judged_so):
    (best,) = holding(judged_so).nlargest(1, "sentences").itertuples()
    return (
        "Which of the text's sentences on Google's month hold at which load (95 % intervals over seeds). Not printed "
        "are also how many machines ran, whether jobs that never end count, and how much sizes vary (CV). At most "
        f"{best.sentences} of "
        f"{judged_so['sentence'].nunique()} hold, as with {best.world}, at load {best.at}."
    )


FIGURES = (
    *(
        Figure(
            f"lotes.month-map{suffix}",
            f"lotes.month{suffix}",
            partial(plot, along="load of the cores"),
            _caption_month,
            alt(
                "Chart of which sentences hold at which load and choice. How many hold",
                "sentences",
                ["world"],
                "at",
                of=holding,
            ),
            seen=month_map,
        )
        for suffix in ("", "-google")
    ),
    Figure(
        "lotes.laws",
        "lotes.random",
        partial(plot, along="law of sizes"),
        "Which of the text's sentences on random data hold under which law of sizes, by 95 % intervals over instances. "
        "By the text's law LoTES and Tetris typically wait less than a second, and Greedy's queue rarely grows: it cannot "
        "have made the paper's Figs. 11 to 13.",
        alt(
            "Chart of which sentences on random data hold under which law of sizes. How many hold",
            "sentences",
            ["at"],
            of=holding,
        ),
        seen=law_map,
    ),
)
