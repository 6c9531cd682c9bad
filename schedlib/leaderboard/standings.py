"""From one row per policy, metric and seed to a leaderboard: means, ranks, paired differences."""

import textwrap

import numpy as np
import pandas as pd

from schedlib.intervals import mean_ci

COLUMNS = ("policy", "metric", "better", "seed", "value", "broke", "warned")
FIRST = ["policy", "metric", "better", "mean", "low", "high", "rank"]
DIFFERENCES = ["difference", "difference_low", "difference_high"]


def standings(runs: pd.DataFrame) -> pd.DataFrame:
    """The leaderboard of these runs: a row per metric and policy, best first, those who broke a rule last.
    `runs` has a row per policy, metric and seed: `policy, metric, better` ("low" or "high"), `seed, value`
    (NaN where a run came to no end), `broke, warned` (sentences, empty when all is well). Gives

    - `mean, low, high`: over the seeds, with the 95 % Student-t interval (NaN with a single seed)
    - `rank` by the mean, 1 is best; `<NA>` for a policy that broke a rule on any seed
    - `difference, difference_low, difference_high`: value less that of rank 1 on the same seed, mean and
      interval
    - `seeds`: how many; `broke, warned`: the first sentence of each policy

    Raises ValueError when a column is missing or a policy lacks some seed, since differences are paired.

    >>> waits = [("a", 0, 2.0), ("a", 1, 3.0), ("b", 0, 1.0), ("b", 1, 2.0)]
    >>> rows = [(policy, "wait (s)", "low", seed, wait, "", "") for policy, seed, wait in waits]
    >>> board = standings(pd.DataFrame(rows, columns=COLUMNS))
    >>> board[["policy", "mean", "rank", "difference", "difference_low"]].values.tolist()
    [['b', 1.5, 1, 0.0, 0.0], ['a', 2.5, 2, 1.0, 1.0]]
    """
    if missing := [name for name in COLUMNS if name not in runs]:
        raise ValueError(f"runs: no column {', '.join(missing)}; ask a board for them with each=True")
    boards = [_of_metric(name, rows) for name, rows in runs.groupby("metric", sort=False)]
    return pd.concat(boards, ignore_index=True)


def _of_metric(metric: str, runs: pd.DataFrame) -> pd.DataFrame:
    values = runs.pivot(index="seed", columns="policy", values="value")
    by_policy = runs.groupby("policy", sort=False)
    ran = by_policy["seed"].nunique()
    if (ran != len(values)).any():
        counts = f"{ran.min()} of {len(values)} seeds"
        raise ValueError(f"runs: {ran.idxmin()} ran on {counts}; run all policies on the same ones")
    better = runs["better"].iloc[0]
    frame = by_policy[["broke", "warned"]].agg(lambda texts: next(filter(None, texts), "")).reset_index()
    frame = frame.assign(metric=metric, better=better, seeds=len(values))
    frame[["mean", "low", "high"]] = [_interval(values[policy]) for policy in frame["policy"]]
    good = (frame["broke"] == "") & frame["mean"].notna()
    frame["rank"] = frame["mean"].where(good).rank(method="min", ascending=better == "low").astype("Int64")
    frame = frame.sort_values("rank", kind="stable", na_position="last", ignore_index=True)
    best = values[frame["policy"][0]] if good.any() else np.nan
    frame[DIFFERENCES] = [_interval(values[policy] - best) for policy in frame["policy"]]
    return frame[[*FIRST, *DIFFERENCES, "seeds", "broke", "warned"]]


def _interval(values: pd.Series) -> tuple[float, ...]:
    return tuple(mean_ci(values)) if np.isfinite(values).all() else (np.nan, np.nan, np.nan)


def told(board: pd.DataFrame) -> str:
    """What went wrong, a paragraph per policy: the rule it broke or a warning, with row, time and way out.

    >>> told(pd.DataFrame({"policy": ["a"], "broke": ["capacity: job 3 at 2 s"], "warned": [""]}))
    'a broke capacity: job 3 at 2 s'
    """
    lines = []
    for row in board.drop_duplicates("policy").itertuples():
        lines += [f"{row.policy} broke {row.broke}"] if row.broke else []
        lines += [f"{row.policy}, a warning: {row.warned}"] if row.warned else []
    wrapped = (textwrap.fill(line, 116, subsequent_indent="    ") for line in lines)
    return "\n".join(wrapped) or "nobody broke a rule"
