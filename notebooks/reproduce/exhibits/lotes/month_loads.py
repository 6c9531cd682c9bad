"""At which load each sentence on Google's month holds (Figs. 6-10 of LoTES). The paper does not print its load."""

from pandas import DataFrame

from reproduce import registry, verdicts
from reproduce.exhibits import legend_below, only
from reproduce.figure import Figure
from schedlib.plots import style
from schedlib.plots.alt import alt

PLACE = 5.335
LEVEL = 0.95  # of the intervals
LOOKS = {
    verdicts.HOLDS: {"marker": "s", "color": style.GREEN},
    verdicts.UNDECIDED: {"marker": "$?$", "color": "#555555"},
    verdicts.FAILS: {"marker": "x", "color": style.VERMILLION},
}
TETRIS, GREEDY = "lotes.month-tetris", "lotes.month-greedy"


def judged(frame: DataFrame) -> DataFrame:
    """Every sentence on the month at each load: `reading, id, sentence, load, verdict`. Of the readings those
    that this frame is for, the paper's own first."""
    experiment = "lotes.month-google" if frame["google"].iloc[0] else "lotes.month"
    rows = []
    for claim in registry.load().claims.values():
        if claim.paper != "lotes" or claim.along != "load":
            continue
        for reading, sentence in {"the paper's reading": claim, **claim.others}.items():
            if sentence.experiment == experiment:
                for load, verdict in verdicts.along(sentence, frame, LEVEL).items():
                    rows.append((reading, claim.id, claim.sentence, float(load), verdict))
    return DataFrame(rows, columns=["reading", "id", "sentence", "load", "verdict"])


def holding(frame: DataFrame) -> DataFrame:
    """How many sentences hold: `reading, load, sentences`."""
    holds = frame["verdict"] == verdicts.HOLDS
    counts = holds.groupby([frame["reading"], frame["load"]], sort=False).sum()
    return counts.reset_index(name="sentences")


def plot(frame: DataFrame):
    """The verdict on each sentence at each load, a panel for each reading; above them how many hold."""
    readings = frame["reading"].unique()
    sentences = list(frame["sentence"].unique())
    loads = sorted(set(frame["load"]))
    size = 5.6 + 3.4 * len(readings), 5.4
    figure, axes = style.subplots(1, len(readings), size=size, sharey=True, squeeze=False)
    for reading, ax in zip(readings, axes[0], strict=True):
        judged_so = only(frame, reading=reading)
        for verdict, look in LOOKS.items():
            rows = only(judged_so, verdict=verdict)
            across = rows["load"].map(loads.index)
            down = rows["sentence"].map(sentences.index)
            ax.plot(across, down, label=verdict, linestyle="none", markersize=8, **look)
        counts = holding(judged_so).set_index("load")["sentences"]
        for at, load in enumerate(loads):
            ax.text(at, -1, counts[load], ha="center", va="center", weight="bold")
        ax.set(title=reading, xlabel="mean load of the cores", ylim=(len(sentences) - 0.4, -1.6))
        ax.set_xticks(range(len(loads)), loads, fontsize=8, rotation=90)
    axes[0, 0].set_ylabel("sentence")
    axes[0, 0].set_yticks([-1, *range(len(sentences))], ["how many hold", *sentences], fontsize=8)
    legend_below(axes[0, 0], 3)
    return figure


def _loads(frame, *names):
    """At which loads these sentences hold together, in words."""
    rows = only(frame, id=names, verdict=verdicts.HOLDS)
    held = rows.groupby("load").size() == len(names)
    loads = held.index[held]
    return f"load {', '.join(f'{load:g}' for load in loads)}" if len(loads) else "no load"


def _caption(frame):
    words = []
    for reading, rows in frame.groupby("reading", sort=False):
        words.append(f"{reading} at {_loads(rows, TETRIS, GREEDY)}")
    return (
        "Which of the text's sentences on Google's month hold at which load, by 95 % intervals over seeds. "
        "Tetris waits about an order of magnitude longer than LoTES and Greedy orders longer, at once, "
        f"under {', '.join(words)}. The paper does not print its load."
    )


ALT = alt(
    "Chart of which sentences hold at which load. How many hold",
    "sentences",
    ["reading"],
    "load",
    of=holding,
)
FIGURES = tuple(
    Figure(f"lotes.month-loads{suffix}", f"lotes.month{suffix}", plot, _caption, ALT, judged)
    for suffix in ("", "-google")
)
