"""Figs. 5 to 7: what SSS, the minimum number of probes, and SBP with SRPT are worth to Eagle.

"Without SSS" means probes that stay where they fall, with the remaining times kept up to date and dead probes
swept as in Eagle (`updates=True`), so that nothing but SSS is missing.
"""

from functools import partial

from pandas import DataFrame

from reproduce.exhibits import handles_of, legend_below
from reproduce.exhibits.eagle import drawing
from reproduce.exhibits.eagle.comparing import highest_load, only, ratios
from reproduce.figure import Figure
from schedlib.plots import style
from schedlib.plots.alt import Text, alt

PLACE = 6.3
COMPONENTS = {"no-sss": "SSS", "no-min": "minimum probes", "no-sbp-srpt": "SBP+SRPT"}
BOTH = ("google", "yahoo")
FIG7 = ("no-sbp-srpt", "omniscient")
CLASSES = {
    "short": style.Look(style.BLUE, "none", "o", "short jobs"),
    "long": style.Look(style.VERMILLION, "none", "s", "long jobs"),
}
MINIMUM = {"google": (35.0, 2), "yahoo": (10.0, 3)}
"""The largest gain of a minimum of probes (%; of 30 to 40 the middle), at a number of the highest loads."""


def plot_breakdown(frame: DataFrame, trace: str):
    """Eagle over Eagle without each part against the number of workers, and the utilisation."""
    rows = only(frame, trace=trace)
    figure, axes = style.subplots(1, 4, size=(12.4, 3.6))
    for ax, letter, (name, component) in zip(axes, "abc", COMPONENTS.items(), strict=False):
        drawing.plot_ratios(ax, ratios(rows, "eagle", name, "short"), "workers")
        ax.set(title=f"({letter}) without {component}", ylabel="Eagle / Eagle without it")
    drawing.from_zero(axes[:3])
    most, places = MINIMUM[drawing.whose(trace)]
    for place in sorted(set(rows["workers"]))[:places]:
        style.printed(axes[1], place, 1 - most / 100)
    drawing.plot_utilisation(axes[3], rows, ("eagle", *COMPONENTS))
    axes[3].set(title="utilisation", ylabel="busy workers (%)")
    axes[3].legend(fontsize=7, loc="lower left")
    for ax in axes:
        drawing.thousands(ax, rows["workers"])
    legend_below(axes[0], 4, style.PRINTED)
    return figure


def alt_breakdown(trace: str) -> Text:
    """The alt text of Fig. 5 or 6."""
    return alt(
        "Line charts of Eagle's completion times over those without one of its parts against the number of "
        "workers. Short jobs",
        "ratio",
        ["other", "percentile"],
        "workers",
        of=lambda frame: drawing.without_each(frame, COMPONENTS, trace=trace),
        names=drawing.WORDS,
    )


def draw_fig7(frame: DataFrame):
    """Eagle without SBP+SRPT beside the omniscient scheduler: times, and their ratios."""
    figure, axes = style.subplots(1, 2, size=(9.6, 4.0))
    rows = only(highest_load(frame), trace="google")
    drawing.plot_systems(axes[0], only(rows, "short"), FIG7)
    drawing.dots(
        axes[1], ratios(rows, *FIG7), "ratio", "percentile", drawing.NTH, "class", CLASSES, 0.2
    )
    drawing.level(axes[1])
    axes[1].set(xlabel="percentile", ylabel="Eagle without SBP+SRPT / omniscient LWL")
    axes[1].legend(handles=handles_of(CLASSES.values()), handlelength=1.2, loc="lower left")
    drawing.from_zero(axes[1:])
    drawing.legend(figure, drawing.looks_of(FIG7))
    return figure


ALT_FIG7 = drawing.alt_times("Dot charts of times and of ratios", FIG7)

FIGURES = (
    *(
        Figure(
            f"eagle.fig{number}",
            "eagle.loads",
            partial(plot_breakdown, trace=trace),
            drawing.caption(
                "Completion times of short jobs under Eagle over those without one of its parts on "
                f"{drawing.NAMES[trace]}'s trace (the paper's Fig. {number}). Below 1 the part helps. "
                f"Bars: the largest gain that the paper prints for minimum probes, {most}.",
                trace,
            ),
            alt_breakdown(trace),
        )
        for number, trace, most in ((5, "google", "30 to 40 %"), (6, "yahoo", "10 %"))
    ),
    Figure(
        "eagle.fig7",
        "eagle.loads",
        draw_fig7,
        drawing.caption(
            "Two schedulers that know different things: Eagle without SBP+SRPT knows where long jobs are; "
            "omniscient LWL knows the work left on every worker. Google's trace, highest load (the paper's "
            "Fig. 7).",
            "google",
        ),
        ALT_FIG7,
    ),
)
