"""How Figs. 2 and 3 are drawn: Eagle normalised to a rival, at every load of every trace."""

from collections.abc import Callable

import pandas as pd

from schedlib.exhibits.eagle.comparing import only, ratios
from schedlib.exhibits.eagle.drawing import (
    NAMES,
    SYSTEM_LOOKS,
    from_zero,
    legend_of,
    plot_ratios,
    plot_utilisation,
    ratios_in_words,
    thousands,
)
from schedlib.pictures import style


def plot_against(frame: pd.DataFrame, base: str):
    """Eagle's completion times over a rival's against the number of workers, short and long jobs, and the utilisation."""
    traces = [trace for trace in NAMES if trace in set(frame["trace"])]
    options = {"squeeze": False, "sharex": "col", "sharey": "row", "gridspec_kw": {"height_ratios": (3, 3, 2)}}
    figure, axes = style.subplots(3, len(traces), size=(3.4 * len(traces) + 0.4, 7.4), **options)
    for column, trace in zip(axes.T, traces, strict=True):
        rows = only(frame, trace=trace)
        for ax, jobs in zip(column, ("short", "long"), strict=False):
            plot_ratios(ax, ratios(rows, "eagle", base, jobs), "workers")
        plot_utilisation(column[2], rows, ("eagle", base))
        thousands(column[2], rows["workers"])
        column[0].set_title(NAMES[trace])
    from_zero(axes[0])
    from_zero(axes[1])
    for ax, jobs in zip(axes[:2, 0], ("short", "long"), strict=True):
        ax.set_ylabel(f"{jobs} jobs,\nEagle / {SYSTEM_LOOKS[base].label}")
    axes[2, 0].set_ylabel("busy workers (%)")
    axes[2, 0].legend(fontsize=8, loc="lower left")
    legend_of(axes[0, 0])
    return figure


def alt_against(base: str) -> Callable[[pd.DataFrame], str]:
    """The alt text of such a figure."""
    return lambda frame: (
        f"Line charts of Eagle's completion times over those of {SYSTEM_LOOKS[base].label} against the number of "
        "workers, and of the share of busy workers. At the highest load, 50th, 90th, 99th percentile of short jobs: "
        f"{ratios_in_words(frame, base)}; of long jobs: {ratios_in_words(frame, base, 'long')}."
    )
