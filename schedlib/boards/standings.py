"""From one row per policy, metric and seed to a leaderboard: as a frame, in words, and as a figure."""

import textwrap
from collections.abc import Iterable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame, Series

from schedlib.core.checks import refuse, typed, unknown
from schedlib.intervals import mean_ci
from schedlib.plots import style

COLUMNS = ("policy", "metric", "better", "seed", "value", "broke", "warned")
FIRST = ["policy", "metric", "better", "mean", "low", "high", "rank"]
MEANS = FIRST[3:6]
DIFFERENCES = ["difference", "difference_low", "difference_high"]
LAST = ["baseline", "comparisons", "seeds", "over", "broke", "warned"]
LEVEL = 0.95
APART = 8  # a factor between means above which the axis is logarithmic
GREY = "#555555"


@typed
def standings(runs: DataFrame, baseline: str | None = None) -> DataFrame:
    """The leaderboard of these runs: a row per metric and policy, best first, those who broke a rule last.

    `runs` has a row per policy, metric and seed: `policy, metric, better` ("low" or "high"), `seed, value`
    (NaN where a run came to no end), `broke, warned` (sentences, empty when all is well). Gives

    - `mean, low, high`: over the seeds, with the 95 % Student-t interval (NaN without one)
    - `rank` by the mean, 1 is best; `<NA>` for a policy that broke a rule on any seed
    - `difference, difference_low, difference_high`: mean and interval of the value less the `baseline`'s on the
      same seed; the intervals hold for all `comparisons` of the board at once, at 95 % (Bonferroni)
    - `baseline`: the one you name, else the best of the metric
    - `seeds`: how many; `over`: what intervals are over: "5 seeds", or "one trace" where all seeds give a policy
      the same numbers, which says nothing of other traces (see `intervals.block_bootstrap`)
    - `broke, warned`: the first sentence of each policy; a warning costs no rank

    Raises ValueError when a column is missing, without any row, with two of one policy, metric and seed, when
    a policy lacks some seed, since differences are paired, and when no policy is called `baseline`.

    >>> waits = [("a", 0, 2.0), ("a", 1, 3.0), ("b", 0, 1.0), ("b", 1, 2.0)]
    >>> rows = [(policy, "wait (s)", "low", seed, wait, "", "") for policy, seed, wait in waits]
    >>> board = standings(pd.DataFrame(rows, columns=COLUMNS))
    >>> board[["policy", "mean", "rank", "difference", "difference_low"]].values.tolist()
    [['b', 1.5, 1, 0.0, 0.0], ['a', 2.5, 2, 1.0, 1.0]]
    """
    _columns("runs", runs, COLUMNS)
    twice = runs.duplicated(["policy", "metric", "seed"]).to_numpy()
    once = "has a second row of one metric and seed; keep one"
    refuse("runs.policy", twice, runs["policy"].to_numpy(), once)
    policies = runs["policy"].drop_duplicates().tolist()
    if baseline is not None and baseline not in policies:
        raise unknown("baseline", baseline, policies)
    metrics = runs["metric"].nunique()
    rivals = len(policies) - 1
    comparisons = max(1, rivals * metrics)
    distinct = runs.groupby(["policy", "metric"])["value"].nunique()
    most = distinct.groupby("policy").max()
    again = set(most.index[most == 1])  # those to whom all seeds give the same numbers
    boards = [
        _of_metric(metric, rows, again, baseline, comparisons)
        for metric, rows in runs.groupby("metric", sort=False)
    ]
    return pd.concat(boards, ignore_index=True)


def _columns(argument: str, frame: DataFrame, wanted: Iterable[str]) -> None:
    missing = [name for name in wanted if name not in frame]
    if missing or frame.empty:
        lacks = f"no column {', '.join(missing)}" if missing else "no row"
        raise ValueError(f"{argument}: {lacks}; give what a board returns, `runs` with each=True")


def _of_metric(
    metric: str, runs: DataFrame, again: set[str], baseline: str | None, comparisons: int
) -> DataFrame:
    values = runs.pivot(index="seed", columns="policy", values="value")
    by_policy = runs.groupby("policy", sort=False)
    ran = by_policy["seed"].nunique()
    seeds = len(values)
    if ran.min() < seeds:
        counts = f"{ran.min()} of {seeds} seeds"
        raise ValueError(f"runs: {ran.idxmin()} ran on {counts}; run all policies on the same ones")
    better = runs["better"].iloc[0]
    frame = (
        by_policy[["broke", "warned"]]
        .agg(lambda texts: next(filter(None, texts), ""))
        .reset_index()
    )
    frame = frame.assign(metric=metric, better=better, seeds=seeds, comparisons=comparisons)
    frame["over"] = np.where(frame["policy"].isin(again), "one trace", f"{seeds} seeds")
    frame[MEANS] = [
        _interval(values[name], LEVEL, drawn=name not in again) for name in frame["policy"]
    ]
    unbroken = frame["mean"].where(frame["broke"] == "")
    rank = unbroken.rank(method="min", ascending=better == "low")
    frame["rank"] = rank.astype("Int64")
    frame = frame.sort_values("rank", kind="stable", na_position="last", ignore_index=True)
    base = baseline
    if base is None:
        base = frame["policy"][0] if rank.notna().any() else ""
    compared = values[base] if base else np.nan
    differences = values.sub(compared, axis="index")
    all_at_once = 1 - (1 - LEVEL) / comparisons
    frame[DIFFERENCES] = [
        _interval(differences[name], all_at_once, drawn=not again >= {name, base})
        for name in frame["policy"]
    ]
    frame["baseline"] = base
    return frame[[*FIRST, *DIFFERENCES, *LAST]]


def _interval(values: Series, level: float, drawn: bool) -> tuple[float, ...]:
    """Mean and interval; without ends where nothing was drawn."""
    if not np.isfinite(values).all():
        return np.nan, np.nan, np.nan
    interval = mean_ci(values, level)
    return interval if drawn else (interval.mean, np.nan, np.nan)


@typed
def told(board: DataFrame) -> str:
    """The messages of a board, a paragraph per policy: the rule it broke or a warning, with row, time and way out.

    See also: `boards.plot`.

    >>> told(pd.DataFrame({"policy": ["a"], "broke": ["capacity: job 3 at 2 s"], "warned": [""]}))
    'a broke capacity: job 3 at 2 s'
    """
    _columns("board", board, ["policy", "broke", "warned"])
    lines = []
    policies = board.drop_duplicates("policy")
    for row in policies.itertuples():
        if row.broke:
            lines.append(f"{row.policy} broke {row.broke}")
        if row.warned:
            lines.append(f"{row.policy}, a warning: {row.warned}")
    if not lines:
        return "nobody broke a rule"
    paragraphs = [textwrap.fill(line, 116, subsequent_indent="    ") for line in lines]
    return "\n".join(paragraphs)


def _shown(board: DataFrame, metric: str | None) -> DataFrame:
    _columns("board", board, [*FIRST, *DIFFERENCES, *LAST])
    known = board["metric"].unique().tolist()
    if metric is None:
        metric = known[0]
    if metric not in known:
        raise unknown("metric", metric, known)
    shown = board["metric"] == metric
    return board[shown].reset_index(drop=True)


@typed
def plot(board: DataFrame, metric: str | None = None, ax: Axes | None = None) -> Figure:
    """Draw a board: a line per policy, best on top: mean, 95 % interval and paired difference to the baseline.

    `metric` is one of the board's, the first by default. Policies that broke a rule are below. Where all seeds give the same numbers there is no interval, and the line says so.
    The axis is logarithmic when means differ by more than a factor of 8. `ax`: where to draw; without it a figure
    is made. Raises ValueError on an unknown metric.

    See also: `plots.gantt`, `boards.told`, `boards.alt_text`, `boards.standings`.

    >>> waits = [("a", 0, 2.0), ("a", 1, 3.0), ("b", 0, 1.0), ("b", 1, 2.0)]
    >>> rows = [(policy, "wait (s)", "low", seed, wait, "", "") for policy, seed, wait in waits]
    >>> figure = plot(standings(pd.DataFrame(rows, columns=COLUMNS)))
    """
    rows = _shown(board, metric)
    height = 0.9 + 0.42 * len(rows)
    figure, axes = style.into(ax, (7.6, height))
    beside = {"transform": axes.get_yaxis_transform(), "va": "center"}
    labels = []
    for line, row in rows.iterrows():
        look = style.look(row["policy"])
        labels.append(look.label)
        mean = row["mean"]
        below = mean - row["low"]
        above = row["high"] - mean
        axes.errorbar(
            mean,
            line,
            xerr=[[below], [above]],
            marker=look.marker,
            markersize=7,
            capsize=4,
            color=look.color,
            markerfacecolor="none" if row["broke"] else look.color,
        )
        axes.text(1.02, line, _remark(row), **beside)
    ends = rows[["mean", "low"]].min()
    far_apart = rows["mean"].max() > APART * ends["mean"]
    if far_apart and (ends > 0).all():
        axes.set_xscale("log")
        style.plain_log(axes.xaxis)
    axes.set_yticks(range(len(rows)), labels)
    below_the_last = len(rows) - 0.5
    axes.set_ylim(below_the_last, -0.5)
    first = rows.iloc[0]
    named = first["metric"]
    better = "lower" if first["better"] == "low" else "higher"
    axes.set_xlabel(f"{named}, {better} is better")
    axes.text(1.02, -0.75, _heading(first), color=GREY, **beside)
    return figure


def _heading(row: Series) -> str:
    """The heading of the numbers beside the lines."""
    if not row["baseline"]:
        return ""
    best = row["policy"] == row["baseline"]  # in the first row
    whose = "the best" if best else row["baseline"]
    if row["comparisons"] == 1:
        return f"less {whose}'s"
    return f"less {whose}'s (95 % for all {row['comparisons']})"


def _remark(row: Series) -> str:
    if row["broke"]:
        return f"broke: {_rule(row['broke'])}"
    if pd.isna(row["rank"]):
        return "no result"
    if row["policy"] == row["baseline"]:
        return "best" if row["rank"] == 1 else "compared with"
    difference, low, high = row[DIFFERENCES]
    if np.isnan(difference):
        return ""
    if np.isnan(low):
        return f"{_signed(difference)}  ({row['over']})"
    return f"{_signed(difference)}  [{_signed(low)}, {_signed(high)}]"


def _rule(broke: str) -> str:
    """The rule that a sentence begins with."""
    return broke.partition(":")[0]


def _signed(value: float) -> str:
    return f"{value:+,.0f}" if abs(value) >= 100 else f"{value:+.3g}"


@typed
def alt_text(board: DataFrame, metric: str | None = None) -> str:
    """A board in words, for those who do not see the figure.

    >>> rows = [("a", "wait (s)", "low", seed, 2.0 + seed, "", "") for seed in range(2)]
    >>> "wait (s)" in alt_text(standings(pd.DataFrame(rows, columns=COLUMNS)))
    True
    """
    rows = _shown(board, metric)
    policies = []
    for _, row in rows.iterrows():
        result = f"broke: {_rule(row['broke'])}" if row["broke"] else f"{row['mean']:.4g}"
        policies.append(f"{style.look(row['policy']).label} {result}")
    first = rows.iloc[0]
    listed = ", ".join(policies)
    return f"Leaderboard by {first['metric']} over {first['over']}, best first: {listed}."
