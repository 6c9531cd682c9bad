"""Claims of the LoTES papers judged on Alibaba's hour, with the tolerance each was given before it was measured."""

from schedlib.exhibits.lotes.trace_claims import DECADES, by_interval, claim, decades, ends_queued, overall


def _no_queue(frame):
    """By how much the time without a queue under LoTES exceeds half of the hour, per seed."""
    return 50 - overall(frame, "queued")["lotes"].to_numpy()


def _greedy_first(frame):
    """By how much Greedy's jobs of the first minute wait less than those of the best other policy, per seed."""
    waits = by_interval(frame, "wait").xs(0, level="x")
    return (waits[["lotes", "tetris"]].min(axis=1) - waits["greedy"]).to_numpy()


def _fifth_class(limit):
    """By how much the share of jobs that a fifth class takes over stays below `limit` per cent, per seed."""
    return lambda frame: limit - frame.query("features == 'demand' and k == 5")["moved"].to_numpy()


def _at_load(measure, load=0.8):
    """The measure of that load's runs alone."""
    return lambda frame: measure(frame[frame["load"] == load])


REASON = (
    "judged on an hour of Alibaba's batch instances, on machines in Table 1's proportions at load 0.8, not on Google's month: "
    "instances come thousands at a time, and the hour begins with idle machines"
)
TAILS = {"metric": "log10 of the ratio of 99 % quantiles of the waits", "unit": "decades"}
FIFTH = {
    "metric": "limit less the share of jobs that are not where four classes had them", "unit": "%",
    "reason": "clustered by demand, on the first ten minutes of Alibaba's hour, not on the first day of Google's month",
}  # fmt: skip

HOUR = (
    ("greedy", 8, "Greedy waits orders of magnitude longer than LoTES (read as 100 times)", decades("lotes", "greedy"),
     DECADES | {"check": "value", "paper_value": 2.0, "tolerance": 0.5}),
    ("tetris", 8, "Tetris waits about an order of magnitude longer than LoTES", decades("lotes", "tetris"),
     DECADES | {"check": "value", "paper_value": 1.0, "tolerance": 0.5}),
    ("first", 8, "In the first interval (a minute here) Greedy waits least", _greedy_first,
     {"metric": "least mean wait of LoTES and Tetris less that of Greedy", "unit": "s"}),
    ("tail-tetris", 9, "LoTES's tail of waits is smaller than Tetris's", decades("lotes", "tetris", "p99"), TAILS),
    ("tail-greedy", 9, "Tetris's tail of waits is smaller than Greedy's", decades("tetris", "greedy", "p99"), TAILS),
    ("queue-lotes", 10, "Most of the time LoTES has no queue", _no_queue,
     {"metric": "time without a queue less one half", "unit": "%"}),
    ("queue-greedy", 10, "Greedy has queues at all points", ends_queued("greedy"),
     {"check": "value", "paper_value": 100.0, "tolerance": 5.0, "metric": "minutes that end with a queue", "unit": "%"}),
)  # fmt: skip

CLAIMS = (
    *(
        claim(f"hour-{name}", f"Section 5.3.3; Fig. {figure}", text, "lotes.hour", _at_load(measure), **more, reason=REASON)
        for name, figure, text, measure, more in HOUR
    ),
    claim("hour-classes", "Section 5.3.2, extended version", "Four classes suffice: a fifth takes less than 1 % of the jobs",
          "lotes.classes", _fifth_class(1.0), **FIFTH),
    claim("hour-classes-first", "Section 5.1, first version", "Four classes suffice: a fifth takes less than 0.01 % of the jobs",
          "lotes.classes", _fifth_class(0.01), **FIFTH),
)  # fmt: skip
