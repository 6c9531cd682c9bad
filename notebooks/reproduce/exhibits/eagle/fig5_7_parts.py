"""Figs. 5 to 7: what SSS, the minimum number of probes, and SBP with SRPT are worth to Eagle.

"Without SSS" means probes that stay where they fall, with the remaining times kept up to date and dead probes
swept as in Eagle (`updates=True`), so that nothing but SSS is missing. What the short partition does for
Fig. 7's rival and for DLWL is judged here too.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from exhibits.eagle import comparing, drawing
from exhibits.eagle.comparing import (
    LOAD_TREND,
    Measure,
    claim,
    highest_load,
    only,
    per_seed,
    ratios,
)
from schedlib.experiment import Figure
from schedlib.pictures import style
from schedlib.pictures.alt import alt

PLACE = 6.3
COMPONENTS = {"no-sss": "SSS", "no-min": "minimum probes", "no-sbp-srpt": "SBP+SRPT"}
BOTH = ("google", "yahoo")
FIG7 = ("no-sbp-srpt", "omniscient")
MINIMUM = {"google": (35.0, 2), "yahoo": (10.0, 3)}
"""What a minimum of probes gains at most (%; of 30 to 40 the middle), at so many of the highest loads."""


def plot_breakdown(frame: pd.DataFrame, trace: str):
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
    drawing.legend_of(axes[0], 4, [drawing.LOOKS["printed"]])
    return figure


def alt_breakdown(trace: str) -> Callable[[pd.DataFrame], str]:
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


def draw_fig7(frame: pd.DataFrame):
    figure, axes = style.subplots(1, 2, size=(9.6, 4.0))
    rows = only(highest_load(frame), trace="google")
    drawing.plot_systems(axes[0], only(rows, "short"), FIG7)
    handles = []
    for jobs, shift, color, marker in (
        ("short", -0.1, style.BLUE, "o"),
        ("long", 0.1, style.VERMILLION, "s"),
    ):
        look = style.Look(color, "none", marker, f"{jobs} jobs")
        drawing.percentile_dots(axes[1], ratios(rows, *FIG7, jobs), "ratio", shift, look)
        handles.append(Line2D([], [], **look.line()))
    drawing.level(axes[1])
    axes[1].set_ylabel("Eagle without SBP+SRPT / omniscient LWL")
    axes[1].legend(handles=handles, handlelength=1.2, loc="lower left")
    drawing.from_zero(axes[1:])
    drawing.legend(figure, [drawing.LOOKS[name] for name in FIG7])
    return figure


ALT_FIG7 = drawing.alt_times("Dot charts of times and of ratios", FIG7)

FIGURES = (
    *(
        Figure(
            f"eagle.fig{number}",
            "eagle.loads",
            partial(plot_breakdown, trace=trace),
            drawing.caption(
                f"What each part of Eagle gains on {drawing.NAMES[trace]}'s trace (the paper's Fig. {number}): "
                "completion times of short jobs under Eagle, over those under Eagle without the part. Below 1 the "
                f"part helps. Bars: the largest gain that the paper prints for a minimum number of probes, {most}.",
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


def _without(judge: Measure, component: str, **where) -> Measure:
    return comparing.of_ratios(judge, "eagle", component, **where)


def _gain(rows):
    return 1 - per_seed(rows)


def _more(component: str, trace: str, other: str, other_trace: str) -> Measure:
    """How much more a component is worth than another: difference of mean log ratios to Eagle without it."""
    first, second = (
        _without(per_seed, component, trace=trace),
        _without(per_seed, other, trace=other_trace),
    )
    return lambda frame: np.log(second(frame) / first(frame))


def _most(frame):
    """By how much more SBP+SRPT is worth than the next best of SSS and the minimum number of probes."""
    rivals = [
        _more("no-sbp-srpt", "google", name, "google")(frame) for name in ("no-sss", "no-min")
    ]
    return np.min(rivals, axis=0)


def _at_two_highest(rows):
    """The largest reduction (%) at the two highest loads, a mean over percentiles."""
    rows = rows[rows["workers"].isin(sorted(rows["workers"].unique())[:2])]
    best = [
        comparing.extreme_case(at_one, largest=False) for _, at_one in rows.groupby("percentile")
    ]
    return 100 * (1 - np.mean(best, axis=0))


def _together(frame):
    """By how much the log gain of all parts exceeds the sum of those of each alone."""

    def gain(system):
        return -np.log(
            comparing.of_ratios(per_seed, system, "none", at_highest=True, trace="google")(frame)
        )

    return gain("eagle") - sum(gain(name) for name in ("only-sss", "only-sbp-srpt", "only-min"))


def _more_messages(with_updates: bool) -> Measure:
    """How many more messages (%) a minimum of probes costs at the highest load, on the worse of two traces."""

    def measure(frame):
        once = only(highest_load(frame), "short", trace=BOTH, percentile=50)
        sent = once["messages"] if with_updates else once["messages"] - once["updates"]
        table = once.assign(sent=sent).pivot(
            index=["seed", "trace"], columns="system", values="sent"
        )
        ratio = (table["eagle"] / table["no-min"]).rename("ratio").reset_index()
        return 100 * (comparing.extreme_case(ratio, largest=True) - 1)

    return measure


RATIO = {"metric": "1 less the ratio to Eagle without it"}
MORE = {"metric": "difference of mean log ratios to Eagle without it"}
REDUCTION = {"check": "value", "metric": "reduction of the completion time", "unit": "%"}


def _partition_helps(system: str, rival: str) -> Measure:
    """How much better short jobs do under `rival` with 17 % of the workers than under `system` with none."""
    with_it, without = {"system": rival, "partition": 17}, {"system": system, "partition": 0}
    return lambda frame: 1 - per_seed(only(comparing.compare(frame, with_it, without), "short"))


CLAIMS = comparing.by_detail(
    ("sss-exception", "min-google"),
    (
        claim(
            "random-first",
            "Section 3.3",
            "Sampling all nodes at random in the first attempt is better than "
            "using an old bit vector",
            None,
            experiment=None,
            readings={
                "an old vector, the newest that any scheduler has seen": (
                    "eagle.loads",
                    _without(_gain, "old-bits", trace="google"),
                ),
                "the exact vector, the best an old one could be": (
                    "eagle.loads",
                    _without(_gain, "exact-bits", trace="google"),
                ),
            },
            metric="1 less the ratio to a first round by that vector",
            how_read="text: Google, highest load, mean over percentiles",
            reason='"using an old bit vector" is the first reading; of several schedulers each would have an '
            "older one",
        ),
        claim(
            "sss-google",
            "Section 6.3.1; Fig. 5a",
            "Google: SSS helps in all cases but the 99th percentile at the highest load",
            _without(
                lambda rows: comparing.margin(
                    rows[(rows["percentile"] < 99) | (rows["workers"] > rows["workers"].min())]
                ),
                "no-sss",
                trace="google",
            ),
            **RATIO,
            how_read=comparing.WORST,
        ),
        claim(
            "sss-exception",
            "Section 6.3.1; Fig. 5a",
            "Google: at the highest load the 99th percentile is worse with SSS",
            _without(
                lambda rows: per_seed(rows) - 1,
                "no-sss",
                at_highest=True,
                trace="google",
                percentile=99,
            ),
            metric="ratio to Eagle without it, less 1",
        ),
        claim(
            "sss-mended",
            "Section 6.3.1",
            "With 20 % of the workers for short jobs that percentile becomes better with SSS",
            _without(_gain, "no-sss", partition=20, percentile=99),
            experiment="eagle.partition",
            **RATIO,
        ),
        claim(
            "sss-yahoo-more",
            "Section 6.3.1",
            "SSS helps more for Yahoo than for Google",
            _more("no-sss", "yahoo", "no-sss", "google"),
            **MORE,
            how_read="text: mean over percentiles and loads",
        ),
        claim(
            "sss-yahoo-load",
            "Section 6.3.1; Fig. 6a",
            "Yahoo: SSS helps most at high load",
            _without(comparing.growth, "no-sss", trace="yahoo"),
            **LOAD_TREND,
        ),
        *(
            claim(
                f"sss-percentiles-{trace}",
                "Section 6.3.1; Figs. 5a, 6a",
                f"{trace.title()}: SSS helps more at higher percentiles",
                _without(lambda rows: -comparing.slope(rows, "percentile"), "no-sss", trace=trace),
                check="trend",
                metric="fall of the mean log ratio from one percentile to the next",
                how_read="text: mean over loads",
            )
            for trace in BOTH
        ),
        claim(
            "sbp-google",
            "Section 6.3.2; Fig. 5c",
            "Google: SBP+SRPT helps significantly",
            _without(
                lambda rows: 0.9 - per_seed(rows), "no-sbp-srpt", at_highest=True, trace="google"
            ),
            metric="0.9 less the ratio to Eagle without it",
            how_read="text: by more than 10 % at the highest load, mean over percentiles",
        ),
        claim(
            "sbp-most",
            "Section 6.3.2; Fig. 5",
            "Google: of the three parts SBP+SRPT contributes the most",
            _most,
            **MORE,
            how_read="text: mean over percentiles and loads, against the next best part",
        ),
        claim(
            "sbp-yahoo",
            "Section 6.3.2; Fig. 6c",
            "Yahoo: SBP+SRPT is effective too",
            _without(_gain, "no-sbp-srpt", at_highest=True, trace="yahoo"),
            **RATIO,
            how_read="text: at the highest load, mean over percentiles",
        ),
        *(
            claim(
                f"sbp-less-at-low-load-{trace}",
                "Section 6.3.2",
                f"{trace.title()}: SBP+SRPT helps less at lower loads",
                _without(comparing.growth, "no-sbp-srpt", trace=trace),
                **LOAD_TREND,
            )
            for trace in BOTH
        ),
        claim(
            "complementary",
            "Section 6.6",
            "SSS, SBP and the minimum of probes are complementary",
            _together,
            metric="log gain of all three parts less the sum of what each gains alone",
            how_read="text: together they gain a larger factor than the product of what each gains alone; SBP "
            "with SRPT, short jobs, Google, highest load, mean over percentiles",
            reason="chapter 8 takes the parts away in all sixteen ways",
        ),
        claim(
            "min-google",
            "Section 6.3.3; Fig. 5b",
            "Google: with 15,000 and 17,000 workers a minimum of probes gains up to 30-40 % at all percentiles",
            _without(_at_two_highest, "no-min", trace="google"),
            35.0,
            **REDUCTION,
            tolerance=5.0,
            how_read="printed number: 30-40 %; for each percentile the larger of the two, mean over them",
        ),
        claim(
            "min-yahoo",
            "Section 6.3.3; Fig. 6b",
            "Yahoo: a minimum of probes gains up to 10 % at the higher percentiles",
            _without(comparing.reduction, "no-min", trace="yahoo", percentile=(90, 99)),
            10.0,
            **REDUCTION,
            tolerance=1.0,
            how_read="printed number: the best of all loads, p90 and p99",
        ),
        claim(
            "min-google-more",
            "Section 6.3.3",
            "A minimum of probes helps more for Google than for Yahoo",
            _more("no-min", "google", "no-min", "yahoo"),
            **MORE,
            how_read="text: mean over percentiles and loads",
        ),
        claim(
            "min-overhead",
            "Section 6.3.3",
            "A minimum of 20 probes costs negligible messaging overhead",
            None,
            0.0,
            experiment=None,
            readings={
                "messages without SRPT's updates": ("eagle.loads", _more_messages(False)),
                "messages with SRPT's updates": ("eagle.loads", _more_messages(True)),
            },
            check="value",
            tolerance=10.0,
            how_read="text: negligible is at most 10 %, our limit; highest load, the worse of Google and Yahoo",
            metric="messages of Eagle over those without a minimum of probes, less 1",
            unit="%",
            reason="the paper counts the nodes that 20 probes contact, not messages",
        ),
        claim(
            "min-nodes",
            "Section 6.3.3",
            "20 probes contact only 0.05 % of the nodes in the worst case (4000 nodes)",
            lambda frame: np.array([100 * 20 / frame["workers"].min()]),
            0.05,
            check="value",
            tolerance=0.005,
            how_read="printed number",
            metric="20 probes over the fewest workers",
            unit="%",
            reason="20 of 4000 are 0.5 %",
        ),
        claim(
            "dlwl-partition",
            "Section 6.2",
            "Reserving the short partition improves DLWL+SRPT",
            _partition_helps("dlwl", "dlwl"),
            experiment="eagle.partition",
            metric="1 less the ratio to DLWL+SRPT without partition",
            how_read="text: short jobs, Google, highest load, mean over percentiles",
        ),
        *(
            claim(
                f"omniscient-p{percentile}",
                "Section 6.4; Fig. 7",
                f"Eagle without SBP+SRPT is very close to the omniscient LWL (p{percentile})",
                comparing.of_ratios(per_seed, *FIG7, at_highest=True, percentile=percentile),
                1.0,
                check="ratio",
                tolerance=0.25,
                metric="ratio to the omniscient LWL",
                how_read="text: within a factor of 1.25; Google, 15,000 workers, short jobs",
            )
            for percentile in comparing.PERCENTILES
        ),
        claim(
            "omniscient-beaten",
            "Section 6.4",
            "In some cases Eagle is better than LWL",
            comparing.of_ratios(
                lambda rows: 1 - comparing.extreme_case(rows, largest=False), *FIG7, at_highest=True
            ),
            metric="1 less the ratio to the omniscient LWL",
            how_read="text: at the percentile that is best on average over the seeds",
        ),
        claim(
            "omniscient-partition",
            "Section 6.4",
            "Without the partition LWL cannot match Eagle",
            _partition_helps("omniscient", "no-sbp-srpt"),
            experiment="eagle.partition",
            metric="1 less Eagle's ratio to LWL without partition",
            how_read="text: Eagle without SBP+SRPT as in Fig. 7, short jobs, Google, highest load, mean "
            "over percentiles",
        ),
    ),
)
