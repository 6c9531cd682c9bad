"""Fig. 7: Eagle without SBP+SRPT, which knows where long jobs are, against a scheduler that knows everything.

What the short partition does for the schedulers that know queues, this one and DLWL, is judged here too.
"""

import pandas as pd
from matplotlib.lines import Line2D

from schedlib.exhibits.eagle import comparing, drawing
from schedlib.exhibits.eagle.comparing import Measure, claim, highest_load, only, per_seed, ratios
from schedlib.experiment import Figure
from schedlib.pictures import style

PLACE = 6.4
SYSTEMS = ("no-sbp-srpt", "omniscient")


def draw(frame: pd.DataFrame):
    """Completion times of short jobs under both, and ratios of both classes (Fig. 7)."""
    figure, axes = style.subplots(1, 2, size=(9.6, 4.0))
    rows = only(highest_load(frame), trace="google")
    drawing.plot_systems(axes[0], only(rows, "short"), SYSTEMS)
    classes = {"short": style.Look(style.BLUE, "none", "o", "short jobs"),
               "long": style.Look(style.VERMILLION, "none", "s", "long jobs")}
    for shift, (jobs, look) in zip((-0.1, 0.1), classes.items(), strict=True):
        drawing.percentile_dots(axes[1], ratios(rows, *SYSTEMS, jobs), "ratio", shift, look)
    drawing.level(axes[1])
    axes[1].set_ylabel("Eagle without SBP+SRPT / omniscient LWL")
    axes[1].legend(handles=[Line2D([], [], **look.line()) for look in classes.values()], handlelength=1.2)
    drawing.from_zero(axes[1:])
    drawing.legend(figure, [drawing.LOOKS[name] for name in SYSTEMS])
    return figure


def _alt(frame):
    rows = only(highest_load(frame), "short", trace="google")
    return (f"Dot charts. {drawing.PERCENTILES_OF} short jobs: {drawing.times_in_words(rows, SYSTEMS)}; "
            f"mean ratio {drawing.means_in_words(ratios(rows, *SYSTEMS))}.")


FIGURES = (
    Figure("eagle.fig7", "eagle.loads", draw, drawing.caption(
        "Eagle without SBP+SRPT, which knows where long jobs are, against a scheduler that knows the work "
        "left on every worker: Google's trace, highest load (the paper's Fig. 7).", "google"), _alt),
)


def _partition_helps(system: str, rival: str) -> Measure:
    """How much better short jobs do under `rival` with 17 % of the workers than under `system` with none."""
    with_it, without = {"system": rival, "partition": 17}, {"system": system, "partition": 0}
    return lambda frame: 1 - per_seed(only(comparing.compare(frame, with_it, without), "short"))


def _near(percentile: int) -> Measure:
    return lambda frame: per_seed(highest_load(ratios(frame, *SYSTEMS, "short", percentile=percentile)))


CLAIMS = (
    claim("dlwl-partition", "Section 6.2", "Reserving the short partition improves DLWL+SRPT",
          _partition_helps("dlwl", "dlwl"), experiment="eagle.partition",
          metric="1 less the ratio to DLWL+SRPT without partition",
          how_read="short jobs, Google, highest load, mean over percentiles"),
    *(claim(f"omniscient-p{percentile}", "Section 6.4; Fig. 7", "Eagle without SBP+SRPT is very close to the "
            f"omniscient LWL (p{percentile})", _near(percentile), 1.0, check="ratio", tolerance=0.25,
            metric="ratio to the omniscient LWL",
            how_read="within a factor of 1.25; Google, 15,000 workers, short jobs")
      for percentile in comparing.PERCENTILES),
    claim("omniscient-beaten", "Section 6.4", "In some cases Eagle is better than LWL",
          lambda frame: 1 - comparing.extreme_case(ratios(highest_load(frame), *SYSTEMS, "short"), False),
          metric="1 less the ratio to the omniscient LWL",
          how_read="at the percentile that is best on average over the seeds"),
    claim("omniscient-partition", "Section 6.4", "Without the partition LWL cannot match Eagle",
          _partition_helps("omniscient", "no-sbp-srpt"), experiment="eagle.partition",
          metric="1 less Eagle's ratio to LWL without partition",
          how_read="Eagle without SBP+SRPT as in Fig. 7, short jobs, Google, highest load, mean over "
                   "percentiles"),
)
