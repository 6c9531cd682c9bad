"""Claims of the LoTES papers on a month of Google's cluster, with the tolerance each was given before it was measured.

Each is judged on both months: the synthetic one, and the one with Google's real arrivals where the table is here.
"""

import numpy as np

from schedlib.experiment import claim_maker
from schedlib.lotes.workloads.month import HOURS, JOBS

CLIP = 1e-4
"""Seconds below which mean waits count as equal when they are compared as decades."""


claim = claim_maker("lotes", check="order")
DECADES = {"metric": "log10 of the ratio of mean waits", "unit": "decades"}


def by_interval(frame, measure, first=0):
    """A measure of each day or minute, from the one numbered `first` on: a row per seed and day or minute, a column per policy."""
    rows = frame[(frame["measure"] == measure) & (frame["x"] >= first)]
    return rows.pivot(index=["seed", "x"], columns="policy", values="value")


def overall(frame, measure="mean"):
    """A measure of the whole run, mean waits (s) unless told: a row per seed, a column per policy."""
    return frame[frame["measure"] == measure].pivot(index="seed", columns="policy", values="value")


def decades(first, second, measure="mean"):
    """By how many decades `second` waits longer than `first` over the whole run, by this measure in seconds, per seed."""

    def margin(frame):
        waits = overall(frame, measure).clip(lower=CLIP)
        return np.log10(waits[second] / waits[first]).to_numpy()

    return margin


def ends_queued(policy):
    """Share of the days or minutes (%) that end with jobs waiting, per seed."""
    return lambda frame: 100 * (by_interval(frame, "queue")[policy] > 0).groupby("seed").mean()


def _over(policy, hours):
    """Share of jobs (%) that wait longer, per seed."""

    def share(frame):
        rows = (frame["measure"] == "tail") & (frame["policy"] == policy) & (frame["x"] == 3600.0 * hours)
        return frame.loc[rows, "value"].to_numpy()

    return share


def _most(holds, measure, first=0):
    """Share of the days from `first` on for which `holds(table)` is true, less one half, per seed."""

    def margin(frame):
        return holds(by_interval(frame, measure, first)).groupby("seed").mean().to_numpy() - 0.5

    return margin


def _some(holds, measure, first=0):
    """One half when `holds(table)` is true for some day from `first` on, else minus one half, per seed."""

    def margin(frame):
        return holds(by_interval(frame, measure, first)).groupby("seed").any().to_numpy() - 0.5

    return margin


def _first_day(frame):
    """By how many decades Greedy waits less than the better of LoTES and Tetris on the first day, per seed."""
    waits = by_interval(frame, "wait").xs(0, level="x").clip(lower=CLIP)
    return np.log10(waits[["lotes", "tetris"]].min(axis=1) / waits["greedy"]).to_numpy()


ASSUMED = "load, durations, demands and mix are assumed (Google's task table may not be shipped), and load decides much: see lotes.month-load"
MONTHS = (
    ("", "lotes.month", f"judged on a synthetic month: arrivals are a fitted model's; {ASSUMED}"),
    ("-google", "lotes.month-google", f"judged on a month with Google's hourly arrivals; {ASSUMED}"),
)
HOUR = JOBS / HOURS
TAIL = {"check": "value", "paper_value": 1.0, "tolerance": 0.5, "metric": "jobs that wait longer", "unit": "%"}
MOST = {"metric": "share of such days less one half", "unit": "1"}
SOME = {"metric": "share of seeds with such a day less one half", "unit": "1"}
WHERE = "Section 5.3.3"

MONTH = (
    ("greedy", "Greedy waits orders of magnitude longer than LoTES (read as 100 times)", decades("lotes", "greedy"),
     DECADES | {"check": "value", "paper_value": 2.0, "tolerance": 0.5}),
    ("tetris", "Tetris waits about an order of magnitude longer than LoTES", decades("lotes", "tetris"),
     DECADES | {"check": "value", "paper_value": 1.0, "tolerance": 0.5}),
    ("greedy-minutes", "On average Greedy's wait is 15 to 20 minutes longer than LoTES's",
     lambda frame: ((overall(frame)["greedy"] - overall(frame)["lotes"]) / 60).to_numpy(),
     {"check": "value", "paper_value": 17.5, "tolerance": 2.5, "metric": "Greedy's mean wait less LoTES's", "unit": "min"}),
    ("lower", "LoTES's wait is generally no longer than Tetris's (read as: on most days, waits below 0.1 ms being equal)",
     _most(lambda days: days["lotes"].clip(lower=CLIP) <= days["tetris"].clip(lower=CLIP), "wait"), MOST),
    ("deviate", "When they deviate, Greedy waits minutes, Tetris seconds, LoTES microseconds (read as: on some day means of at least "
     "60 s, at least 1 s, below 1 ms)",
     _some(lambda days: (days["greedy"] >= 60) & (days["tetris"] >= 1) & (days["lotes"] < 1e-3), "wait"), SOME),
    ("first-day", "In the first period, with the batch, Greedy waits less than LoTES and Tetris (read as: jobs that start on the first "
     "day)", _first_day, DECADES),
    ("tail-lotes", "Under LoTES less than 1 % of jobs wait over an hour", lambda frame: 1 - _over("lotes", 1)(frame),
     {"metric": "1 % less the share that waits longer", "unit": "%"}),
    ("tail-tetris", "Under Tetris 1 % of jobs wait over 7 hours", _over("tetris", 7), TAIL),
    ("tail-greedy", "Under Greedy 1 % of jobs wait over 17 hours", _over("greedy", 17), TAIL),
    ("queue-lotes", "For most of the month LoTES's queue stays small (read as: nobody waits at the end of most days)",
     _most(lambda days: days["lotes"] == 0, "queue"), MOST),
    ("queue-tetris", "Tetris has a queue at some points in the month (read as: at the end of a day after the first)",
     _some(lambda days: days["tetris"] > 0, "queue", 1), SOME),
    ("queue-tetris-small", "Tetris's queues are relatively small (read as: at the end of most days after the first fewer jobs wait than "
     "arrive in an hour)", _most(lambda days: days["tetris"] < HOUR, "queue", 1), MOST),
    ("queue-greedy", "Greedy has a queue at all points of the month (read as: at the end of every day)",
     ends_queued("greedy"),
     {"check": "value", "paper_value": 100.0, "tolerance": 5.0, "metric": "share of days that end with a queue", "unit": "%"}),
)  # fmt: skip

CLAIMS = (
    claim("mix", "Section 5.3.2; Fig. 7", "The proportions of the classes change heavily over the month", None, None,
          reason="the tasks' demands may not be shipped, and the synthetic month's mix drifts by construction"),
    *(
        claim(f"month-{name}{suffix}", WHERE, text, experiment, measure, **more, reason=reason)
        for suffix, experiment, reason in MONTHS for name, text, measure, more in MONTH
    ),
)  # fmt: skip
