"""The explorer of the closing chapter: a slice of Alibaba's hour and a load, under all papers' policies."""

from typing import Any

import ipywidgets as widgets
import numpy as np
from matplotlib.ticker import NullLocator
from pandas import DataFrame

from book.explorers import Explorer, Picture, placed, slider
from book.lessons import one_trace
from schedlib.intervals import mean_ci
from schedlib.plots import style

# For each question the title, the measure and the policies of its panel.
PANELS = {
    "place": ("Which machine? Mean wait (s)", "wait", ("lotes", "lotes-known", "tetris", "greedy")),
    "order": ("In which order? Makespan over the bound", "makespan", one_trace.ORDERS),
    "share": ("How much? Least-served job, of an equal share", "least", one_trace.RULES),
    "probe": ("Whose queue? 99 % of short jobs within (s)", "short", one_trace.SYSTEMS),
}
# Each panel's scale, ends and ticks: room for all that is stored.
AXES = {
    "place": ("symlog", (-0.15, 300), (0, 1, 10, 100)),
    "order": ("log", (0.95, 4.5), (1, 2, 4)),
    "share": ("linear", (-0.03, 1.2), (0, 0.5, 1)),
    "probe": ("log", (10, 6000), (10, 100, 1000)),
}


def style_of(policy: str) -> style.Look:
    """A policy's marker, colour and label; of LoTES that knows the mix its own."""
    look = style.look(policy.removesuffix("-known"))
    return (
        look._replace(label=f"{look.label}, mix known", marker="s")
        if policy == "lotes-known"
        else look
    )


def plot_answers(frame: DataFrame) -> Picture:
    """The four questions, a panel each: the policies' values, of several slices means and 95 % intervals.
    `frame` as of `one_trace.answers`, of one slice or several. Means are geometric on logarithmic axes."""
    places = [(0.36, 0.79 - 0.245 * row, 0.48, 0.165) for row in range(4)]
    figure, axes = placed((4.4, 7.8), *places)  # as wide as a phone
    words = []
    for (question, (title, measure, policies)), ax in zip(PANELS.items(), axes, strict=True):
        scale, ends, ticks = AXES[question]
        rows = frame[(frame["question"] == question) & (frame["measure"] == measure)]
        values = []
        beside: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "va": "center"}
        for line, policy in enumerate(policies):
            ours = rows.loc[rows["policy"] == policy, "value"]
            look = style_of(policy)
            geometric = scale == "log" and len(ours) > 1
            mean, low, high = np.exp(mean_ci(np.log(ours))) if geometric else mean_ci(ours)
            if np.isfinite(low):
                ax.plot(
                    [low, high],
                    [line, line],
                    color=look.color,
                    linewidth=3,
                    alpha=0.45,
                    solid_capstyle="butt",
                )
            ax.plot(
                mean, line, color=look.color, marker=look.marker, markersize=7, linestyle="none"
            )
            ax.text(-0.03, line, look.label, ha="right", **beside)
            ax.text(1.03, line, f"{mean:.3g}", **beside)
            values.append(f"{look.label} {mean:.3g}")
        ax.set_xscale(scale, **({"linthresh": 1} if scale == "symlog" else {}))
        ax.xaxis.set_minor_locator(NullLocator())
        # text names policies: ticks are slow
        ax.set(
            xlim=ends,
            ylim=(len(policies) - 0.5, -0.5),
            yticks=[],
            xticks=ticks,
            xticklabels=[f"{tick:,}" for tick in ticks],
        )
        ax.set_title(title, fontsize=10, loc="left", x=-0.7)
        words.append(f"{title}: {', '.join(values)}")
    return figure, ". ".join(words) + "."


def draw(start: int = 0, every: int = 8, load: int = 80) -> Picture:
    """The stored answers for a slice: ten minutes from minute `start` on, every `every`-th job, at `load` %.
    Raises ValueError on a slice or a load that is not stored."""
    grid = one_trace.grid()
    frame = grid.query("start == @start and every == @every and load == @load")
    if frame.empty:
        stored = f"{one_trace.STARTS}, {one_trace.STEPS} and {one_trace.LOADS}"
        raise ValueError(f"start, every, load: {start}, {every}, {load}; stored are {stored}")
    figure, words = plot_answers(frame)
    return (
        figure,
        f"Every {every}th job of minutes {start} to {start + 10}, load {load} per cent. {words}",
    )


def explorer() -> Explorer:
    """Sliders for the slice and the load, and the four questions."""
    steps = [(f"every {n}th", n) for n in one_trace.STEPS]
    controls = {
        "start": slider(0, min(one_trace.STARTS), max(one_trace.STARTS), 10, text="from minute"),
        "every": widgets.SelectionSlider(options=steps, value=8, description="jobs"),
        "load": widgets.SelectionSlider(options=one_trace.LOADS, value=80, description="load (%)"),
    }
    return Explorer(draw, controls, height=780)
