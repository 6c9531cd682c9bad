"""Fig. 7: Eagle without SBP+SRPT, which knows where long jobs are, against a scheduler that knows everything.

Here also stands what the short partition does for the schedulers that know queues, this one and DLWL.
"""

import pandas as pd

from schedlib.exhibits.eagle.comparing import (
    PERCENTILES,
    Measure,
    claim,
    compare,
    extreme_case,
    highest_load,
    only,
    per_seed,
    ratios,
)
from schedlib.exhibits.eagle.drawing import (
    SYSTEM_LOOKS,
    caption,
    from_zero,
    legend,
    level,
    means_in_words,
    percentile_dots,
    plot_systems,
    times_in_words,
)
from schedlib.experiment import Figure
from schedlib.pictures import style

PLACE = 6.4

SYSTEMS = ("no-sbp-srpt", "omniscient")


def draw_fig7(frame: pd.DataFrame):
    """Completion times of short jobs under both, and ratios of both classes (Fig. 7)."""
    figure, axes = style.subplots(1, 2, size=(9.6, 4.0))
    rows = only(highest_load(frame), trace="google")
    plot_systems(axes[0], only(rows, "short"), SYSTEMS)
    for k, (jobs, color, marker) in enumerate((("short", style.BLUE, "o"), ("long", style.VERMILLION, "s"))):
        look = style.Look(color, "none", marker, f"{jobs} jobs")
        percentile_dots(axes[1], ratios(rows, *SYSTEMS, jobs), "ratio", 0.2 * (k - 0.5), look, label=look.label)
    level(axes[1])
    axes[1].set_ylabel("Eagle without SBP+SRPT / omniscient LWL")
    handles = dict(zip(*reversed(axes[1].get_legend_handles_labels()), strict=True))
    axes[1].legend(handles.values(), handles.keys(), handlelength=1.2)
    from_zero(axes[1:])
    legend(figure, [SYSTEM_LOOKS[name] for name in SYSTEMS])
    return figure


def _alt(frame):
    rows = only(highest_load(frame), "short", trace="google")
    return (
        f"Dot charts. 50th, 90th, 99th percentile of short jobs: {times_in_words(rows, SYSTEMS)}; "
        f"mean ratio {means_in_words(ratios(rows, *SYSTEMS))}."
    )


FIGURES = (
    Figure(
        "eagle.fig7", "eagle.loads", draw_fig7,
        caption("Eagle without SBP+SRPT, which knows where long jobs are, against a scheduler that knows the work left on "
                "every worker: Google's trace, highest load (the paper's Fig. 7).", "google"),
        _alt,
    ),
)


def _partition_helps(system: str, rival: str) -> Measure:
    """By how much `rival` with 17 % of the workers for short jobs does better than `system` with none, short jobs."""

    def measure(frame):
        with_it, without = {"system": rival, "partition": 17}, {"system": system, "partition": 0}
        return 1 - per_seed(only(compare(frame, with_it, without), "short"))

    return measure


def _near(percentile: int) -> Measure:
    return lambda frame: per_seed(highest_load(ratios(frame, *SYSTEMS, "short", percentile=percentile)))


def _beaten(frame):
    return 1 - extreme_case(highest_load(ratios(frame, *SYSTEMS, "short")), largest=False)


CLAIMS = (
    claim("dlwl-partition", "Section 6.2", "Reserving the short partition improves DLWL+SRPT",
          _partition_helps("dlwl", "dlwl"), experiment="eagle.partition",
          metric="1 less the ratio to DLWL+SRPT without partition",
          how_read="short jobs, Google, highest load, mean over percentiles"),
    *(
        claim(f"omniscient-p{percentile}", "Section 6.4; Fig. 7",
              f"Eagle without SBP+SRPT is very close to the omniscient LWL (p{percentile})", _near(percentile), 1.0,
              check="ratio", tolerance=0.25, metric="ratio to the omniscient LWL",
              how_read="within a factor of 1.25; Google, 15,000 workers, short jobs")
        for percentile in PERCENTILES
    ),
    claim("omniscient-beaten", "Section 6.4", "In some cases Eagle is better than LWL", _beaten,
          metric="1 less the ratio to the omniscient LWL",
          how_read="at the percentile that is best on average over the seeds"),
    claim("omniscient-partition", "Section 6.4", "Without the partition LWL cannot match Eagle",
          _partition_helps("omniscient", "no-sbp-srpt"), experiment="eagle.partition",
          metric="1 less Eagle's ratio to LWL without partition",
          how_read="Eagle without SBP+SRPT as in Fig. 7, short jobs, Google, highest load, mean over percentiles"),
)
