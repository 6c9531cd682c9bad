"""From one row per policy, metric and seed to a leaderboard: means with intervals, ranks, paired differences, broken rules."""

import textwrap

import numpy as np
import pandas as pd

from schedlib.intervals import mean_ci

COLUMNS = ("policy", "metric", "better", "seed", "value", "broke", "warned")


def standings(runs: pd.DataFrame) -> pd.DataFrame:
    """The leaderboard of some runs: a row per metric and policy, best first, those that broke a rule last and without a rank.

    `runs` has a row per policy, metric and seed: `policy, metric, better` ("low" or "high"), `seed, value` (NaN where a run came
    to no end), `broke, warned` (sentences, empty when all is well). Gives

    - `mean, low, high`: over the seeds, with the 95 % Student-t interval (NaN with a single seed)
    - `rank` by the mean, 1 is best; `<NA>` for a policy that broke a rule on any seed
    - `difference, difference_low, difference_high`: value less that of the policy of rank 1 *on the same seed*, mean and 95 % interval
    - `seeds`: how many; `broke, warned`: the first sentence of each policy

    Raises ValueError when a column is missing or a policy lacks some seed, since differences are paired.

    >>> table = [("a", "wait (s)", "low", s, 2.0 + s, "", "") for s in (0, 1)] + [("b", "wait (s)", "low", s, 1.0 + s, "", "") for s in (0, 1)]
    >>> standings(pd.DataFrame(table, columns=COLUMNS))[["policy", "mean", "rank", "difference", "difference_low"]].values.tolist()
    [['b', 1.5, 1, 0.0, 0.0], ['a', 2.5, 2, 1.0, 1.0]]
    """
    if missing := [name for name in COLUMNS if name not in runs]:
        raise ValueError(f"runs: no column {', '.join(missing)}; ask a board for them with each=True")
    return pd.concat([_of_metric(name, part) for name, part in runs.groupby("metric", sort=False)], ignore_index=True)


def _of_metric(metric: str, part: pd.DataFrame) -> pd.DataFrame:
    values = part.pivot(index="seed", columns="policy", values="value")[list(dict.fromkeys(part["policy"]))]
    ran = part.groupby("policy", sort=False)["seed"].nunique()
    if (ran != len(values)).any():
        raise ValueError(f"runs: {ran.idxmin()} ran on {ran.min()} of {len(values)} seeds; run all policies on the same ones")
    sentences = part.groupby("policy", sort=False)[["broke", "warned"]].agg(lambda texts: next(filter(None, texts), ""))
    better = part["better"].iloc[0]
    rows = []
    for policy in values:
        whole = np.isfinite(values[policy]).all()
        mean, low, high = mean_ci(values[policy]) if whole else (np.nan,) * 3
        rows.append({"policy": policy, "metric": metric, "better": better, "mean": mean, "low": low, "high": high})
    frame = pd.DataFrame(rows).merge(sentences, left_on="policy", right_index=True)
    good = (frame["broke"] == "") & frame["mean"].notna()
    frame["rank"] = frame["mean"].where(good).rank(method="min", ascending=better == "low").astype("Int64")
    frame = frame.sort_values("rank", kind="stable", na_position="last", ignore_index=True)
    frame["seeds"] = len(values)
    paired = [_against(values, policy, frame["policy"][0]) if good.any() else (np.nan,) * 3 for policy in frame["policy"]]
    frame[["difference", "difference_low", "difference_high"]] = paired
    order = ["policy", "metric", "better", "mean", "low", "high", "rank", "difference", "difference_low", "difference_high", "seeds"]
    return frame[[*order, "broke", "warned"]]


def _against(values: pd.DataFrame, policy: str, best: str):
    apart = values[policy] - values[best]
    return tuple(mean_ci(apart)) if np.isfinite(apart).all() else (np.nan,) * 3


def told(board: pd.DataFrame) -> str:
    """What went wrong, a paragraph per policy: the rule it broke or a warning, with the row, the time and the way out.

    >>> told(pd.DataFrame({"policy": ["a"], "broke": ["capacity: job 3 at 2 s"], "warned": [""]}))
    'a broke capacity: job 3 at 2 s'
    """
    lines = []
    for _, row in board.drop_duplicates("policy").iterrows():
        lines += [f"{row['policy']} broke {row['broke']}"] if row["broke"] else []
        lines += [f"{row['policy']}, a warning: {row['warned']}"] if row["warned"] else []
    return "\n".join(textwrap.fill(line, 116, subsequent_indent="    ") for line in lines) or "nobody broke a rule"
