"""Claims of the LoTES papers on a month of Google's cluster, with the tolerance each was given before it was measured."""

import numpy as np

from schedlib.experiment import Claim

CLIP = 1e-4
"""Seconds below which mean waits count as equal when they are compared as decades."""


def claim(name, where, claim, experiment, measure, paper_value=None, *, check="order", tolerance=0.0, **more):
    more = {"metric": "", "unit": "", "how_read": "text"} | more
    return Claim(
        f"lotes.{name}", where, claim, more.pop("metric"), more.pop("unit"), paper_value, more.pop("how_read"), check, tolerance,
        experiment, measure, **more,
    )  # fmt: skip


DECADES = {"metric": "log10 of the ratio of mean waits", "unit": "decades"}


def _month_decades(first, second):
    """By how many decades `second` waits longer than `first` over the whole month, per seed."""

    def measure(frame):
        waits = frame.drop_duplicates(["policy", "seed"]).pivot(index="seed", columns="policy", values="mean_wait")
        return np.log10(waits[second].clip(lower=CLIP) / waits[first].clip(lower=CLIP)).to_numpy()

    return measure


def _over(policy, hours):
    return lambda frame: frame[frame["policy"] == policy].drop_duplicates("seed")[f"over_{hours}h"].to_numpy()


def _gained(way, every):
    """Decades by which replanning that way shortens the mean wait on the synthetic month with bursts and drift 0.8, per seed."""

    def measure(frame):
        some = frame[frame["bursts"].astype(bool) & (frame["drift"] == 0.8)].assign(wait=lambda f: np.log10(f["wait"].clip(lower=CLIP)))
        waits = some.pivot_table(index="seed", columns=["way", "every"], values="wait")
        return (waits["fixed", 0] - waits[way, every]).to_numpy()

    return measure


SYNTHETIC = "judged on a synthetic month, since Google's task table may not be shipped: its load and durations are assumed"
TAIL = {"check": "value", "paper_value": 1.0, "tolerance": 0.5, "metric": "jobs that wait longer", "unit": "%", "reason": SYNTHETIC}

CLAIMS = tuple(
    claim(name, "Section 5.3.3", text, "lotes.month", measure, **more)
    for name, text, measure, more in (
        ("month-greedy", "Greedy waits orders of magnitude longer than LoTES (read as 100 times)", _month_decades("lotes", "greedy"),
         DECADES | {"check": "value", "paper_value": 2.0, "tolerance": 0.5, "reason": SYNTHETIC}),
        ("month-tetris", "Tetris waits about an order of magnitude longer than LoTES", _month_decades("lotes", "tetris"),
         DECADES | {"check": "value", "paper_value": 1.0, "tolerance": 0.5, "reason": SYNTHETIC}),
        ("month-tail-lotes", "Under LoTES less than 1 % of jobs wait over an hour", lambda frame: 1 - _over("lotes", 1)(frame),
         {"metric": "1 % less the share that waits longer", "unit": "%", "reason": SYNTHETIC}),
        ("month-tail-tetris", "Under Tetris 1 % of jobs wait over 7 hours", _over("tetris", 7), TAIL),
        ("month-tail-greedy", "Under Greedy 1 % of jobs wait over 17 hours", _over("greedy", 17), TAIL),
    )
) + tuple(
    claim(
        f"replan-{way}-{every}", "Section 5.3.3", f"Updating the job classes' parameters improves LoTES: {text}, every {every} hours",
        "lotes.replan", _gained(way, every), **DECADES, reason=SYNTHETIC,
    )
    for way, text in (("estimate", "shares, demands and rates estimated anew"), ("cluster", "jobs clustered anew"))
    for every in (24, 6)
) + (
    claim("replan-seconds", "Section 5.3.3", "Stages 1 and 2 can be solved again several times a day: in less than a minute", "lotes.replan",
          lambda frame: (frame["seconds"] < 60).groupby(frame["seed"]).mean().to_numpy(), 1.0, check="value",
          metric="share of runs whose longest new plan took less"),
)  # fmt: skip
