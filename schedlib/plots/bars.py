"""Any result as a picture: who runs what, when (a Gantt chart)."""

import heapq
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path

from schedlib.plots import style
from schedlib.plots.alt import number
from schedlib.plots.words import Described

PLACES = ("machine", "worker", "leaf")
MEASURES = {"flow": "mean flow time", "makespan": "makespan"}
"""What the title says of a result that has it; else the mean wait."""
HATCHES = ("", "////", "....", "xxxx", "----")
# with more bars, those of a job that follow without a break on a machine are one
ONE_BY_ONE = 200
MOST_NUMBERED, MOST_TOLD = 80, 8  # more bars have no numbers, or are not told one by one in words
MOST_TICKS = 16
THICK, PALE = 0.84, 0.3  # a bar's height where a row has 1, the opacity of bars in the background
KINDS = len(style.PALETTE)
BELOW = THICK / 2 + 0.05  # the middle of a row, where its waits are drawn
WAIT: dict[str, Any] = {"color": "#555555", "linewidth": 1.6}


def gantt(
    result: Any,
    ax: Axes | None = None,
    *,
    job: Any = None,
    bound: float | None = None,
    until: float | None = None,
    first: int = 0,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draw what ran where and when: a row per machine, a bar per task, with the name of its job where there is room.

    - `result`: of LoTES, HMHS, MCH, Eagle or the prototype, also of a paper's `plain`. Jobs that share a machine
      have lanes in its row. MCH has a row per leaf, and a bar from the start of a job's first task to the end
      of its last. A thin line below the bars is the time that a job waits there, before its bar
    - `ax`: where to draw; without it a figure of `size` (inches) is made
    - `job`: the name of one to stand out; others are pale, and their waits are not drawn
    - `bound`: a lower bound on the makespan, as a dotted line; `until`: the end of the axis, so that results can be
      compared by eye
    - `first`: the number of the first machine, job and class; 1 as papers count, 0 as in the frames

    Colours, and beyond seven also hatching, are short and long jobs in Eagle, else classes, or jobs where all
    have one class. The figure has alt text. Raises ValueError on a result that kept no rows, and on an unknown
    job.

    See also: `boards.plot`.

    >>> from schedlib import lotes
    >>> from schedlib.workload import Workload
    >>> jobs = Workload.from_arrays([0, 0, 1], [4.0, 2.0, 1.0], cpu=[1, 1, 1])
    >>> gantt(lotes.simulate("greedy", lotes.MachineConfigs([[2.0]], [1]), jobs)).axes[0].get_title()
    'Greedy: mean wait 0.3333'
    """
    bars, place = _bars(result)
    jobs = result.jobs.drop_duplicates("job").reset_index(drop=True)
    if job is not None and job not in set(jobs["job"]):
        raise ValueError(f"job: {job!r}; none of the result is called so")
    kind, kind_names = _kinds(jobs, first)
    bars["kind"] = kind[bars["job"]]
    bars["name"] = _names(jobs["job"], first)[bars["job"]]
    bars["front"] = True if job is None else (jobs["job"] == job).to_numpy()[bars["job"]]
    rows = _rows(bars, place, getattr(result, "stats", {}).get("workers", 0), first)
    begin = jobs["submit"].min()
    last = bars["finish"].max()
    if until is None:
        until = last + 0.02 * (last - begin)
    lanes = len(rows) + bars.groupby("row")["lane"].max().sum()
    figure, ax = style.into(ax, size or (7.5, min(1.3 + 0.27 * lanes, 6.5)))
    _draw(ax, bars)
    waits = _draw_waits(ax, bars)
    if len(bars) <= MOST_NUMBERED:
        _write_names(ax, bars, (until - begin) / 45)
    title = _title(result, bound)
    if bound is not None:
        ax.axvline(bound, color="black", linestyle=":", linewidth=1.2)
    step = -(-len(rows) // MOST_TICKS)
    ax.set(
        title=title,
        xlabel="time (the workload's unit)",
        ylabel=place,
        xlim=(begin, until),
        ylim=(max(rows.values()) + 0.6, -0.6),
    )
    ax.set_yticks([*rows.values()][::step], [*rows][::step])
    ax.grid(axis="y", visible=False)
    shown = sorted(set(bars["kind"]))
    colours = {k: style.PALETTE[k % KINDS] for k in shown}
    handles: list[Any] = [Patch(color=colour, label=kind_names[k]) for k, colour in colours.items()]
    if len(handles) > KINDS:
        handles = []
    if waits:
        handles.append(Line2D([], [], label="waits there", **WAIT))
    if handles:
        beside: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
        ax.legend(handles=handles, fontsize=9, borderaxespad=0.2, **beside)
    if isinstance(figure, Described):
        words = _in_words(bars, rows, place)
        figure.alt = f"{figure.alt or ''} {title}. {words}".strip()
    return figure


def _bars(result: Any) -> tuple[pd.DataFrame, str]:
    """The bars by row and start, and what a row is: `group` of rows, `place`, number of the `job`, `start`, `finish`,
    `since` when it waits there."""
    for name in ("tasks", "jobs"):
        records: Any = getattr(result, name, None)
        places = [place for place in PLACES if records is not None and place in records]
        if places:
            break
    else:
        raise ValueError(
            f"result: a {type(result).__name__} that does not say where jobs ran; give the result of a "
            "simulator, run with record=True"
        )
    place = places[0]
    ran: Any = records[records["start"].notna()]
    if not len(ran):
        raise ValueError("result: nothing has started, so there is nothing to draw")
    last = ran[["start", "finish"]].max(axis=None)
    waits_from = "queued" if "queued" in ran else "submit"
    bars = pd.DataFrame(
        {
            "group": ran.get("stage", place),
            "place": ran[place],
            "job": pd.Index(result.jobs["job"].unique()).get_indexer(ran["job"]),
            "start": ran["start"],
            "finish": ran["finish"].fillna(last),
            "since": np.nan if place == "machine" else ran[waits_from],
        }
    )
    bars = bars.sort_values(["group", "place", "start"], kind="stable", ignore_index=True)
    where = ["group", "place", "job"]
    # a sticky probe waits once
    bars.loc[bars.duplicated([*where, "since"]), "since"] = np.nan
    if len(bars) <= ONE_BY_ONE:
        return bars, place
    other = (bars[where] != bars[where].shift()).any(axis=1)
    begins = other | (bars["start"] != bars["finish"].shift())
    ends = bars.groupby(begins.cumsum())["finish"].last()
    first = bars[begins].reset_index(drop=True)
    return first.assign(finish=ends.to_numpy()), place


def _kinds(jobs: pd.DataFrame, first: int) -> tuple[np.ndarray, list[str]]:
    """The number of each job's kind, which has a colour, and the kinds' names."""
    if "long" in jobs:
        return jobs["long"].to_numpy().astype(int), ["short", "long"]
    kind = jobs["class"].to_numpy()
    if kind.min() < kind.max():
        return kind, [f"class {k + first}" for k in range(kind.max() + 1)]
    return np.arange(len(jobs)), [f"job {name}" for name in _names(jobs["job"], first)]


def _names(jobs: pd.Series, first: int) -> np.ndarray:
    """The names of jobs; those that are numbers begin with `first` instead of 0."""
    if jobs.dtype.kind in "iu":
        jobs = jobs + first
    return jobs.astype(str).to_numpy()


def _rows(bars: pd.DataFrame, place: str, least: int, first: int) -> dict[str, float]:
    """Where each row is, by its name; adds the bars' rows and lanes to them."""
    rows: dict[str, float] = {}
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
    lanes = []
    here = None
    for row, start, finish in bars[["row", "start", "finish"]].itertuples(index=False):
        if row != here:
            here = row
            free: list[int] = []
            taken: list[tuple[float, int]] = []
        while taken and taken[0][0] <= start:
            heapq.heappush(free, heapq.heappop(taken)[1])
        lane = heapq.heappop(free) if free else len(taken)
        heapq.heappush(taken, (finish, lane))
        lanes.append(lane)
    return lanes


def _draw(ax: Axes, bars: pd.DataFrame) -> None:
    start, finish, low = (bars[name].to_numpy() for name in ("start", "finish", "low"))
    high = low + bars["height"].to_numpy()
    corners = [[start, low], [finish, low], [finish, high], [start, high]]
    boxes: Any = np.array(corners).transpose(2, 0, 1)
    kind = bars["kind"].to_numpy()
    colours = to_rgba_array(style.PALETTE)[kind % KINDS]
    colours[:, 3] = np.where(bars["front"], 0.85, PALE)
    ax.add_collection(PolyCollection(boxes, facecolors=colours, edgecolors="white", linewidths=0.5))
    pattern = kind // KINDS % len(HATCHES)
    for k in set(pattern[pattern > 0]):
        # all bars of a pattern are one path: hatching each alone is slow
        outlines = [Path(box, closed=False) for box in boxes[pattern == k]]
        outline = Path.make_compound_path(*outlines)
        white: dict[str, Any] = {"edgecolor": "white", "facecolor": "none", "linewidth": 0}
        ax.add_patch(PathPatch(outline, hatch=HATCHES[k], alpha=0.85, **white))


def _draw_waits(ax: Axes, bars: pd.DataFrame) -> bool:
    """Draw the waits of what is in front; whether there are any."""
    waits = bars[bars["front"] & (bars["since"] < bars["start"])]
    ax.hlines(waits["row"] + BELOW, waits["since"], waits["start"], **WAIT)
    return len(waits) > 0


def _write_names(ax: Axes, bars: pd.DataFrame, letter: float) -> None:
    """Write the job's name on each bar that is wide enough, for letters as wide as this."""
    for bar in bars.itertuples():
        wide = bar.finish - bar.start
        if wide > letter * max(1.0, 0.6 * len(bar.name)) and bar.height > THICK / 4:
            middle = (bar.start + bar.finish) / 2, bar.low + bar.height / 2
            style.name_on_bar(ax, *middle, bar.name)


def _title(result: Any, bound: float | None) -> str:
    policies = [getattr(result, name, None) for name in ("policy", "rule", "system")]
    policy = style.look(next(filter(None, policies))).label
    wait = (result.jobs["start"] - result.jobs["submit"]).mean()
    measure = f"mean wait {number(wait, 4)}"
    for name, words in reversed(MEASURES.items()):
        if hasattr(result, name):
            measure = f"{words} {number(np.mean(getattr(result, name)), 4)}"
    if bound is None:
        return f"{policy}: {measure}"
    above = 100 * (result.makespan / bound - 1)
    return f"{policy}: {measure}, {above:.0f} % above the bound {number(bound, 4)}"


def _in_words(bars: pd.DataFrame, rows: dict[str, float], place: str) -> str:
    """What the bars show, one by one where they are few."""
    names = {y: name for name, y in rows.items()}
    if len(bars) > MOST_TOLD:
        jobs = bars["job"].nunique()
        times = f"from {number(bars['start'].min())} to {number(bars['finish'].max())}"
        return f"Gantt chart: {jobs:,} jobs as {len(bars):,} bars in {len(rows):,} rows, {times}."
    told = []
    for bar in bars.itertuples():
        times = f"from {number(bar.start)} to {number(bar.finish)}"
        told.append(f"{place} {names[bar.row]}, job {bar.name} {times}")
    return f"Gantt chart: {'; '.join(told)}."
