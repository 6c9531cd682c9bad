"""Any result as a picture: who runs what, when (a Gantt chart)."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke

from schedlib.plots import style
from schedlib.plots.alt import number
from schedlib.plots.words import Described

PLACES = {"mch": "leaf", "eagle": "worker", "prototype": "worker"}
"""Where jobs run, if not on machines, by the part of the library that a result comes from; a reader's jobs may have such columns, too."""
KINDS = len(style.PALETTE)
ONE_BY_ONE = 200  # more bars are joined: a picture of the site has half the size
MOST_EDGES = 500  # bars that have edges
MOST_NAMED = 160  # bars that have names
MOST_TICKS = 16  # rows that have ticks
THICK, PALE = 0.84, 0.3  # a bar's height where a row has 1, the opacity of bars in the background
BELOW = THICK / 2 + 0.05  # the middle of a row, where its waits are drawn
WAIT: dict[str, Any] = {"color": "#555555", "linewidth": 1.6}


def gantt(
    result: Any,
    ax: Axes | None = None,
    *,
    job: Any = None,
    bound: float | None = None,
    until: float | None = None,
    unit: str | None = None,
    first: int = 0,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draw what ran where and when: a row per machine, a bar per task, with the name of its job where there is room.

    - `result`: of LoTES, HMHS, MCH, Eagle or the prototype, also of a paper's `plain`. Jobs that share a machine
      have lanes in its row, and a job that was stopped has a bar for each piece. MCH has a row per leaf, and a bar from the start of a job's first task to the end
      of its last. A thin line below the bars is the time that a job waits there, before its bar
    - `ax`: where to draw; without it a figure of `size` (inches) is made
    - `job`: the name of one to stand out; others are pale, and their waits are not drawn
    - `bound`: a lower bound on the makespan, as a dotted line; `until`: the end of the axis, so that results can be
      compared by eye
    - `unit`: of the axis, as `workload.time_unit`; without it the axis has one for the prototype's results alone
    - `first`: the number of the first machine, job and class; 1 as papers count, 0 as in the frames

    Colours tell short jobs from long ones in Eagle, else classes, or jobs where all have one class. There are seven:
    the eighth is the first again. The figure has alt text. Raises ValueError on a result that kept no rows, and on an
    unknown job.

    See also: `boards.plot`.

    >>> from schedlib import lotes
    >>> from schedlib.workload import Workload
    >>> jobs = Workload.from_arrays([0, 0, 1], [4.0, 2.0, 1.0], cpu=[1, 1, 1])
    >>> run = lotes.simulate("greedy", lotes.MachineConfigs([[2.0]], [1]), jobs)
    >>> ax = gantt(run, unit=jobs.time_unit).axes[0]
    >>> ax.get_title(), ax.get_xlabel()
    ('Greedy: mean wait 0.3333', 'time (s)')
    """
    bars, place = _bars(result)
    looks = _looks(result, first)
    if job is not None and job not in looks.index:
        raise ValueError(f"job: {job!r}; none of the result is called so")
    bars = bars.join(looks, on="job")
    bars["front"] = True if job is None else bars["job"] == job
    rows = _rows(bars, place, getattr(result, "stats", {}).get("workers", 0), first)
    lanes = len(rows) + bars.groupby("row")["lane"].max().sum()
    figure, ax = style.into(ax, size or (7.5, min(1.3 + 0.27 * lanes, 6.5)))
    begin = result.jobs["submit"].min()
    last = bars["finish"].max()
    if until is None:
        until = last + 0.02 * (last - begin)
    title = _title(result, bound)
    unit = unit or getattr(result, "time_unit", "the workload's unit")
    ax.set(
        title=title,
        xlabel=f"time ({unit})",
        ylabel=place,
        xlim=(begin, until),
        ylim=(bars["row"].max() + 0.6, -0.6),
    )
    step = -(-len(rows) // MOST_TICKS)
    ax.set_yticks([*rows.values()][::step], [*rows][::step])
    ax.grid(axis="y", visible=False)
    _draw(ax, bars)
    if len(bars) <= MOST_NAMED:
        _write_names(ax, bars, (until - begin) / (6 * min(figure.get_figwidth(), 7.5)))
    if bound is not None:
        ax.axvline(bound, color="black", linestyle=":", linewidth=1.2)
    _legend(ax, bars)
    if isinstance(figure, Described):
        what = f"{looks['name'].size:,} jobs in {len(rows):,} rows"
        words = f"{title}. Gantt chart of {what}, from {number(begin)} to {number(last)}."
        figure.alt = f"{figure.alt or ''} {words}".strip()
    return figure


def _bars(result: Any) -> tuple[pd.DataFrame, str]:
    """The bars by row and start, and what a row is: the `group` of rows, `place`, `job`, `start`, `finish`, and
    `since` when it waits there."""
    part = _part(result)
    place = PLACES.get(part, "machine")
    # pieces: of jobs that a policy has stopped; jobs of workers may have a column `worker` of the reader's
    kinds = ("tasks",) if place == "worker" else ("pieces", "tasks", "jobs")
    for name in kinds:
        records: Any = getattr(result, name, None)
        if records is not None and place in records:
            break
    else:
        raise ValueError(
            f"result: a {type(result).__name__} that does not say where jobs ran; give the result of a "
            "simulator, run with record=True"
        )
    ran = records[records["start"].notna()]
    if not len(ran):
        raise ValueError("result: nothing has started, so there is nothing to draw")
    bars = ran[["job", "start"]].assign(
        group=ran["stage"] if part == "hmhs" else place, place=ran[place]
    )
    bars["finish"] = ran["finish"].fillna(ran[["start", "finish"]].max(axis=None))
    bars["since"] = np.nan if place == "machine" else ran.get("queued", ran.get("submit"))
    # a sticky probe waits once
    bars.loc[bars.duplicated(["place", "job", "since"]), "since"] = np.nan
    bars = bars.sort_values(["group", "place", "start"], kind="stable", ignore_index=True)
    return _joined(bars) if len(bars) > ONE_BY_ONE else bars, place


def _part(result: Any) -> str:
    """The part of the library that a result comes from, as "lotes"."""
    return type(result).__module__.partition(".")[2].partition(".")[0]


def _joined(bars: pd.DataFrame) -> pd.DataFrame:
    """Those of a job that follow on a machine without a break as one."""
    where = bars[["group", "place", "job"]]
    begins = (where != where.shift()).any(axis=1) | (bars["start"] != bars["finish"].shift())
    ends = bars.groupby(begins.cumsum())["finish"].last()
    return bars[begins].assign(finish=ends.to_numpy()).reset_index(drop=True)


def _looks(result: Any, first: int) -> pd.DataFrame:
    """How each job is drawn, by its name: its `name` in the picture, its `kind`, which has a colour, and the kind's
    `label`."""
    looks = result.jobs.drop_duplicates("job").set_index("job", drop=False)
    name = looks["job"]
    if name.dtype.kind in "iu":
        name = name + first
    looks["name"] = name.astype(str)
    if _part(result) in ("eagle", "prototype"):
        kind = looks["long"].astype(int)
        label = kind.map({0: "short", 1: "long"})
    elif looks["class"].nunique() > 1:
        kind = looks["class"]
        label = "class " + (kind + first).astype(str)
    else:
        kind = np.arange(len(looks))
        label = "job " + looks["name"]
    return looks[["name"]].assign(kind=kind, label=label)


def _rows(bars: pd.DataFrame, place: str, least: int, first: int) -> dict[str, float]:
    """Where each row is, by its name; adds their rows and lanes to the bars."""
    rows = {}
    offset = 0.0
    for group, members in bars.groupby("group", sort=False):
        count = max(int(members["place"].max()) + 1, least)
        start = "" if group == place else f"{group} "
        for k in range(count):
            rows[f"{start}{k + first}"] = offset + k
        bars.loc[members.index, "row"] = offset + members["place"]
        offset += count + 0.5
    bars["lane"] = _lanes(bars)
    lanes = bars.groupby("row")["lane"].transform("max") + 1
    bars["height"] = THICK / lanes
    bars["low"] = bars["row"] - THICK / 2 + bars["lane"] * bars["height"]
    return rows


def _lanes(bars: pd.DataFrame) -> list[int]:
    """The lowest lane of its row that is free, for each bar."""
    ends: dict[float, list[float]] = {}
    lanes = []
    for row, start, finish in zip(bars["row"], bars["start"], bars["finish"], strict=True):
        until = ends.setdefault(row, [])
        free = (k for k, end in enumerate(until) if end <= start)
        lane = next(free, len(until))
        until[lane : lane + 1] = [finish]
        lanes.append(lane)
    return lanes


def _draw(ax: Axes, bars: pd.DataFrame) -> None:
    start, finish, low, height = bars[["start", "finish", "low", "height"]].values.T
    high = low + height
    corners = [[start, low], [finish, low], [finish, high], [start, high]]
    boxes: Any = np.transpose(corners, (2, 0, 1))
    colours = to_rgba_array(style.PALETTE)[bars["kind"] % KINDS]
    colours[:, 3] = np.where(bars["front"], 0.85, PALE)
    edge = 0.5 if len(bars) <= MOST_EDGES else 0.0
    ax.add_collection(
        PolyCollection(boxes, facecolors=colours, edgecolors="white", linewidths=edge)
    )
    waits = bars[bars["front"] & (bars["since"] < bars["start"])]
    if len(waits):
        below = waits["row"] + BELOW
        ax.hlines(below, waits["since"], waits["start"], label="waits there", **WAIT)


def _write_names(ax: Axes, bars: pd.DataFrame, letter: float) -> None:
    """Write the job's name on each bar that is wide enough, for letters as wide as this."""
    # can be read on any colour
    outline = [withStroke(linewidth=2, foreground="black")]
    for bar in bars.itertuples():
        wide = bar.finish - bar.start
        if wide > letter * max(1.0, 0.6 * len(bar.name)) and bar.height > THICK / 5:
            ax.text(
                bar.start + wide / 2,
                bar.low + bar.height / 2,
                bar.name,
                path_effects=outline,
                ha="center",
                va="center",
                color="white",
                fontsize=8,
            )


def _legend(ax: Axes, bars: pd.DataFrame) -> None:
    """The kinds beside the axes, unless they are too many, and the waits."""
    waits, _ = ax.get_legend_handles_labels()
    kinds = bars.drop_duplicates("kind").sort_values("kind")
    if len(kinds) > KINDS:
        kinds = kinds[:0]
    handles: list[Any] = [
        Patch(color=style.PALETTE[kind % KINDS], label=label)
        for kind, label in zip(kinds["kind"], kinds["label"], strict=True)
    ]
    handles += waits
    if handles:
        ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=9)


def _title(result: Any, bound: float | None) -> str:
    policies = [getattr(result, name, None) for name in ("policy", "rule", "system")]
    policy = style.look(next(filter(None, policies))).label
    if not hasattr(result, "makespan"):
        wait = result.jobs["start"] - result.jobs["submit"]
        return f"{policy}: mean wait {number(wait.mean(), 4)}"
    title = f"{policy}: makespan {number(result.makespan, 4)}"
    if bound is None:
        return title
    above = 100 * (result.makespan / bound - 1)
    return f"{title}, {above:.0f} % above the bound {number(bound, 4)}"
