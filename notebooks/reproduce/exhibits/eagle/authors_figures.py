"""Eagle's figures and tables drawn from the authors' own jobs, with the same functions as from generated ones."""

from functools import partial
from typing import Any

from pandas import DataFrame, concat

from reproduce.exhibits.eagle import drawing, fig2_4_rivals, fig5_7_parts, fig8_estimates
from reproduce.exhibits.eagle.authors import SOURCES, Source
from reproduce.exhibits.eagle.comparing import highest_load, only, ratios
from reproduce.exhibits.eagle.drawing import whose
from reproduce.figure import Figure
from schedlib.plots import style
from schedlib.plots.alt import Text, alt

PLACE = 6.9
COMPARED = (  # what a row of the figure says, the rival, and Eagle in the same version
    ("submitted: Hawk, any thief", "hawk", "eagle"),
    ("submitted: Hawk, general thieves", "hawk-general", "eagle"),
    ("submitted: DLWL+SRPT", "dlwl", "eagle"),
    ("published: Hawk, any thief", "hawk", "eagle-published"),
    ("published: Hawk, general thieves", "hawk-general", "eagle-published"),
    ("published: DLWL+SRPT", "dlwl-published", "eagle-published"),
    ("written: Hawk, any thief", "hawk-any-written", "eagle-written"),
    ("written: Hawk, general thieves", "hawk-general-written", "eagle-written"),
)
"""Hawk has no SRPT, and so is the same as submitted and as published."""


def at_fewest(frame: DataFrame, **where: Any) -> DataFrame:
    """The rows with each trace's fewest workers that have these values."""
    return only(highest_load(frame), **where)


def factors(frame: DataFrame) -> DataFrame:
    """A rival's times over Eagle's with the fewest workers, short jobs: `trace, seed, percentile, compared, ratio`."""
    rows = highest_load(frame)
    blocks = [
        ratios(rows, rival, eagle, "short").assign(compared=words)
        for words, rival, eagle in COMPARED
    ]
    return concat(blocks, ignore_index=True)


def draw_versions(frame: DataFrame):
    """Rivals' times over Eagle's in three versions of the program, a panel for each trace."""
    rows = factors(frame)
    shown = drawing.traces_of(rows)
    words = {compared: compared for compared, *_ in COMPARED}
    figure, axes = style.subplots(
        1, len(shown), size=(3.2 * len(shown) + 2.4, 4.6), squeeze=False, sharey=True
    )
    for ax, trace in zip(axes[0], shown, strict=True):
        label = {"ylabel": "version and rival", "xlabel": "completion time / Eagle's"}
        of_trace, title = only(rows, trace=trace), drawing.TITLES[trace]
        drawing.level_dots(ax, of_trace, "compared", words, title=title, **label)
        for factor in drawing.SPEEDUPS:
            ax.axvline(factor, color="black", linewidth=0.8, linestyle=":")
    drawing.legend(figure, drawing.PERCENTILE_LOOKS)
    return figure


def caption(text: str, source: Source) -> Text:
    """A caption that ends with the jobs and the number of seeds."""

    def words(frame: DataFrame) -> str:
        seeds = frame["seed"].nunique()
        if seeds == 1:
            return f"{text} Program as submitted. Jobs: {source.jobs}. One seed."
        chance = f"{seeds} seeds of the schedulers' choices on the same jobs"
        return f"{text} Program as submitted. Jobs: {source.jobs}. {chance}; intervals: 95 %."

    return words


def figures(source: Source) -> list[Figure]:
    """The paper's figures and tables that can be drawn from these files."""
    experiment = f"eagle.{source.name}"
    about = partial(caption, source=source)
    made = [
        Figure(
            f"eagle.fig2-{source.name}",
            experiment,
            partial(drawing.plot_against, base="hawk"),
            about(
                "Completion times under Eagle over those under Hawk (any idle worker steals), and the share of "
                "busy workers from T0 on (the paper's Fig. 2). Bars: the printed 3 and 10 times as fast."
            ),
            drawing.alt_against("hawk"),
            partial(only, system=("eagle", "hawk")),
        ),
        Figure(
            f"eagle.table2-{source.name}",
            experiment,
            fig2_4_rivals.draw_table2,
            about(
                "Head-of-line blocking with the fewest workers: the paper's Table 2, as shares. Bars: printed."
            ),
            fig2_4_rivals.ALT_TABLE2,
            partial(at_fewest, system=("eagle", "hawk")),
        ),
        Figure(
            f"eagle.fig3-{source.name}",
            experiment,
            partial(drawing.plot_against, base="dlwl"),
            about(
                "Completion times under Eagle over those under DLWL+SRPT, and the share of busy workers from T0 on "
                "(the paper's Fig. 3)."
            ),
            drawing.alt_against("dlwl"),
            partial(only, system=("eagle", "dlwl")),
        ),
        Figure(
            f"eagle.details-{source.name}",
            experiment,
            draw_versions,
            about(
                "Rivals' times over Eagle's, short jobs, fewest workers: program as submitted and published, and text "
                "as written. The program lets any idle worker steal, the text the general partition's. Lines: 1, and "
                "the printed 3 and 10."
            ),
            alt(
                "Dot charts of rivals' times over Eagle's in three versions. Short jobs",
                "ratio",
                ["trace", "compared", "percentile"],
                of=factors,
                names=drawing.WORDS,
            ),
            at_fewest,
        ),
    ]
    yahoo = [trace for trace in source.files if whose(trace) == "yahoo"]
    made += [parts_of(source, trace, 6) for trace in yahoo]
    if "google" in source.files:
        made += [parts_of(source, "google", 5), *google_alone(source)]
    return made


def parts_of(source: Source, trace: str, number: int) -> Figure:
    """Fig. 5 or 6: what each part of Eagle gains on a trace."""
    which = trace.removeprefix(whose(trace))
    return Figure(
        f"eagle.fig{number}-{source.name}{which}",
        f"eagle.{source.name}",
        partial(fig5_7_parts.plot_breakdown, trace=trace),
        caption(
            f"What each part of Eagle gains ({drawing.TITLES[trace]}; the paper's Fig. {number}): short jobs' times "
            "under Eagle over those without the part. Bars: the printed gain of a minimum of probes.",
            source,
        ),
        fig5_7_parts.alt_breakdown(trace),
        partial(only, trace=trace, system=("eagle", *fig5_7_parts.COMPONENTS)),
    )


def google_alone(source: Source) -> list[Figure]:
    """Figs. 4, 7 and 8, which the paper draws for Google's trace."""
    experiment = f"eagle.{source.name}"
    about = partial(caption, source=source)
    return [
        Figure(
            f"eagle.fig4-{source.name}",
            experiment,
            fig2_4_rivals.draw_fig4,
            about(
                "Short jobs' completion times under DLWL+SRPT with longer heartbeats, Google, fewest workers (the "
                "paper's Fig. 4). Bars: our time at 3 s, increased by the printed percentage."
            ),
            fig2_4_rivals.ALT_FIG4,
            partial(at_fewest, trace="google", system=fig2_4_rivals.HEARTBEATS),
        ),
        Figure(
            f"eagle.fig7-{source.name}",
            experiment,
            fig5_7_parts.draw_fig7,
            about(
                "Eagle without SBP+SRPT and the omniscient LWL, Google, fewest workers (the paper's Fig. 7)."
            ),
            fig5_7_parts.ALT_FIG7,
            partial(at_fewest, trace="google", system=fig5_7_parts.FIG7),
        ),
        Figure(
            f"eagle.fig8-{source.name}",
            f"{experiment}-fig8",
            fig8_estimates.draw,
            about(
                "Slowdown by wrong estimates, each a job's mean times a random factor from the range: Google, fewest "
                "workers. The right panel is the paper's Fig. 8."
            ),
            fig8_estimates.ALT,
        ),
    ]


FIGURES = tuple(made for source in SOURCES for made in figures(source))
