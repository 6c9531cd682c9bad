"""LoTES's figure on planning anew: a tidy frame in, a picture out. Nothing here simulates."""

import numpy as np
import pandas as pd

from schedlib.experiment import Figure
from schedlib.pictures import style

REPLANS = {
    ("estimate", 24): "estimated anew, 24 h", ("estimate", 6): "estimated anew, 6 h", ("cluster", 24): "clustered anew, 24 h",
    ("cluster", 6): "clustered anew, 6 h", ("foresight", 24): "next 24 h foreseen", ("all", 0): "one plan, any class at exits",
    ("tetris", 0): "Tetris",
}  # fmt: skip
SETTING = ["bursts", "load", "drift"]


def _over_fixed(frame, column):
    """That column over its value under the fixed plan, a row per seed and setting and a column for each way."""
    waits = frame.pivot_table(index=[*SETTING, "seed"], columns=["way", "every"], values=column).clip(lower=1e-3)
    return waits.div(waits["fixed", 0], axis=0)


def plot_replan(frame: pd.DataFrame):
    """Mean wait under plans made anew over that under one plan: of all jobs, of small ones and of large ones, every seed."""
    figure, axes = style.subplots(1, 3, size=(9.6, 4.6), sharey=True)
    panels = (("wait", "all jobs"), ("wait_small", "classes 1 and 2"), ("wait_large", "classes 3 and 4"))
    for ax, (column, title) in zip(axes, panels, strict=True):
        ratios = _over_fixed(frame, column)
        for i, (setting, some) in enumerate(ratios.groupby(SETTING, sort=False)):
            label = f"load {setting[1]:g}, drift {setting[2]:g}" + ("" if setting[0] else ", no bursts")
            for place, way in enumerate(way for way in REPLANS if way in some):
                look = {"color": style.PALETTE[i], "linestyle": "none", "label": label if place == 0 else None}
                at = np.full(len(some), place + 0.14 * (i - 2))
                ax.plot(some[way], at, marker="|", markersize=5, **look | {"label": None})
                ax.plot(np.exp(np.log(some[way]).mean()), at[0], marker="osD^v"[i % 5], markersize=5, **look)
        ax.axvline(1, color="black", linewidth=0.8, linestyle=":")
        ax.set(title=title, xlabel="mean wait / that of one plan", xscale="log")
    for ax in axes[::2]:
        ax.set_xticks([0.25, 0.5, 1, 2], ["1/4", "1/2", "1", "2"])
        ax.set_xticks([], minor=True)
    names = [name for way, name in REPLANS.items() if way in ratios]
    axes[0].set_yticks(range(len(names)), names)
    axes[0].set_ylabel("way of planning")
    axes[0].invert_yaxis()
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _replan_words(frame):
    ratios = np.log10(_over_fixed(frame, "wait"))
    ranges = ratios.groupby(SETTING).mean()
    one = ", ".join(f"{REPLANS[way]}: {10 ** ranges[way].min():.2f} to {10 ** ranges[way].max():.2f}" for way in REPLANS if way in ranges)
    return f"Mean wait over that of one plan, geometric means over seeds, least and largest of the settings: {one}."


FIGURES = (
    Figure(
        "lotes.replan", "lotes.replan", plot_replan,
        lambda frame: "Planning anew on the synthetic month, by what from and how often: mean wait over that under one plan (ticks: seeds; "
        f"symbols: their geometric mean). Table 1's machines over {frame['shrink'].iloc[0]}. The paper leaves this to future work "
        "(Sections 5.3.3 and 6).",
        lambda frame: "Chart in three panels, all jobs, the small classes and the large ones. " + _replan_words(frame),
    ),
)  # fmt: skip
