"""The claims of the Eagle paper on its traces and rivals, in our words, with their tolerances.

Readings that hold throughout, fixed before anything was run:

- Runs follow the authors' program (`detail="as_published"`); Hawk's thieves are then any idle worker.
- A ratio is taken per seed, both systems on the same workload. Every job counts.
- The highest load of a trace is at its fewest workers. "At all percentiles, loads, traces" is judged at the case (workers and
  percentile) that is worst on average over the seeds; "up to" at the one that is best.
- Counts of Table 2 are judged as shares of probes or of tasks, since a smaller cluster runs fewer jobs.
"""

import numpy as np

from schedlib.exhibits.eagle import component_claims, trace_claims
from schedlib.exhibits.eagle.claiming import ALL, BETTER, TRACES, claim, long, margin, short
from schedlib.exhibits.eagle.comparing import extreme_case, highest_load, only, slope
from schedlib.exhibits.eagle.printed import BEHIND, TABLE1, TABLE2

PARTITION = {trace: 100 - printed[2] for trace, printed in TABLE1.items()}
"""Workers for short jobs alone (%): 17, 9 and 2."""


def _table1(trace, column):
    return lambda frame: only(frame, trace=trace)[column].to_numpy()


def _partition_gap(frame):
    """The largest distance of the short jobs' share of task-seconds (%) from the partition's share of workers, per seed."""
    gap = (frame["short_share"] - frame["trace"].map(PARTITION)).abs()
    return gap.groupby(frame["seed"]).max().to_numpy()


def _speedup(largest):
    """Hawk's completion time over Eagle's at the highest load: the least or the largest of all traces and percentiles, per seed."""

    def measure(frame):
        return 1 / extreme_case(highest_load(short(frame, "eagle", "hawk")), largest=not largest)

    return measure


def _less_at_low_load(trace):
    """How the logarithm of Eagle's time over Hawk's grows from one number of workers to the next, per seed."""
    return lambda frame: slope(short(frame, "eagle", "hawk", trace=trace), "workers")


def _long(margin_of, largest, **where):
    return lambda frame: margin_of - extreme_case(long(frame, "eagle", "hawk", **where), largest)


def counters(frame, system, trace, lowest_load=False):
    """The counters of a system's runs at a trace's highest load (or at all loads), a row per seed (and load)."""
    rows = only(frame, system=system, trace=trace, percentile=50, **{"class": "short"})
    return (rows if lowest_load else highest_load(rows)).sort_values(["seed", "workers"])


def _share(numerator, denominator, trace, system="hawk", scale=100.0):
    """One counter in per cent of another at the highest load, per seed."""

    def measure(frame):
        rows = counters(frame, system, trace)
        return (scale * rows[numerator] / rows[denominator].clip(lower=1)).to_numpy()

    return measure


def _behind_long(frame):
    """Eagle's probes queued behind a long task, over all traces and loads, per seed."""
    rows = only(frame, system="eagle", percentile=50, **{"class": "short"})
    return rows.groupby("seed")["behind_long"].sum().to_numpy()


def _rescheduled(trace):
    """Eagle's re-scheduled probes over Hawk's stolen ones, per seed."""

    def measure(frame):
        eagle, hawk = (counters(frame, system, trace)["rescheduled"].to_numpy() for system in ("eagle", "hawk"))
        return eagle / np.maximum(hawk, 1)

    return measure


def _attempts(frame):
    """How the logarithm of the number of Hawk's attempts to steal grows from one number of workers to the next, per seed."""
    rows = counters(frame, "hawk", "google", lowest_load=True).rename(columns={"steal_attempts": "ratio"})
    return slope(rows.assign(ratio=rows["ratio"].clip(lower=1)), "workers")


def _most_cases(share):
    """The share of cases (trace, workers, percentile) in which Eagle's long jobs take less time than DLWL's, less `share`, per seed."""

    def measure(frame):
        rows = long(frame, "eagle", "dlwl")
        return (rows["ratio"] < 1).groupby(rows["seed"]).mean().to_numpy() - share

    return measure


def _heartbeat(seconds, percentile):
    """By how many per cent DLWL takes longer than with a heartbeat of 3 s, per seed."""

    def measure(frame):
        rows = short(frame, f"dlwl-{seconds}", "dlwl", trace="google", percentile=percentile)
        return 100 * (rows.sort_values("seed")["ratio"].to_numpy() - 1)

    return measure


FACTOR = {"metric": "Hawk's completion time over Eagle's", "unit": "1", "check": "ratio", "tolerance": 0.5}
TREND = {
    "check": "trend",
    "tolerance": 0.0,
    "metric": "growth of the mean log ratio from one number of workers to the next",
    "unit": "1",
}
SHARE = {"check": "value", "unit": "%"}

SYSTEMS = (
    *(
        claim(f"{trace}-{name}", "Table 1", f"The {trace.title()} trace: {what}", _table1(trace, column), TABLE1[trace][place],
              experiment="eagle.table1", check="value", tolerance=tolerance, metric=what, unit=unit,
              how_read="the generator is made to have it, at the paper's size")
        for trace in TRACES
        for place, (name, column, what, unit, tolerance) in enumerate((
            ("jobs", "jobs", "number of jobs", "jobs", 0.0),
            ("long-jobs", "long_jobs", "share of long jobs", "% of jobs", 0.05),
            ("task-seconds", "long_work", "share of task-seconds in long jobs", "% of task-seconds", 0.5),
        ))
    ),
    claim("partition-rule", "Section 5", "The short partitions (17, 9, 2 % of the workers) are the short jobs' shares of task-seconds",
          _partition_gap, 0.0, experiment="eagle.table1", check="value", tolerance=0.5, metric="largest distance", unit="points"),
    *(
        claim(f"better-{trace}", "Section 6.1; Fig. 2", f"{trace.title()}: short jobs complete sooner than under Hawk at all percentiles and "
              "loads", margin("eagle", "hawk", trace=trace), **BETTER, how_read=ALL)
        for trace in TRACES
    ),
    claim("speedup-least", "Section 6.1", "At the highest load Eagle is at least 3 times as fast as Hawk", _speedup(False), 3.0, **FACTOR,
          how_read="least over traces and percentiles; the text refers to Fig. 3c and speaks of Hawk"),
    claim("speedup-most", "Section 6.1", "At the highest load Eagle is up to 10 times as fast as Hawk", _speedup(True), 10.0, **FACTOR,
          how_read="most over traces and percentiles"),
    *(
        claim(f"less-at-low-load-{trace}", "Section 6.1", f"{trace.title()}: the benefit decreases as the load goes down",
              _less_at_low_load(trace), **TREND, how_read="short jobs, mean over the percentiles")
        for trace in TRACES
    ),
    *(
        claim(f"long-not-worse-{trace}", "Section 6.1; Fig. 2", f"{trace.title()}: long jobs are not negatively affected by Eagle",
              _long(1.05, True, trace=trace), tolerance=0.0, metric="1.05 less the ratio to Hawk", unit="1",
              how_read=f"no more than 5 % slower; {ALL}")
        for trace in TRACES
    ),
    claim("long-better-somewhere", "Section 6.1; Fig. 2", "In some cases long jobs complete sooner under Eagle than under Hawk",
          _long(0.99, False), tolerance=0.0, metric="0.99 less the ratio to Hawk", unit="1", how_read="by 1 % in the best case on average"),
    claim("none-behind-long", "Section 3.1; Table 2", "Eagle never queues a probe behind a long task", _behind_long, 0.0, check="value",
          tolerance=0.0, metric="probes behind a long task, all traces and loads", unit="probes",
          how_read="when it is queued; with the authors' program partly by definition"),
    *(
        claim(f"behind-long-{trace}", "Section 6.1; Table 2", f"{trace.title()}: of Hawk's probes {value} % are queued behind a long task",
              _share("behind_long", "probes", trace), value, **SHARE, tolerance=10.0, metric="share of all probes sent")
        for trace, value in BEHIND.items()
    ),
    claim("ran-behind-long", "Section 6.1; Table 2", "Google: roughly 5 % of Hawk's short tasks run after a long one (0.63 million)",
          _share("ran_behind_long", "short_tasks", "google"), 5.0, **SHARE, tolerance=2.0, metric="share of all short tasks"),
    *(
        claim(f"not-rescued-{trace}", "Table 2", f"{trace.title()}: under Hawk, {1e6 * ran:,.0f} of {behind} million probes behind a long "
              "task run a task there", _share("ran_behind_long", "behind_long", trace), round(100 * ran / behind, 2), check="ratio",
              tolerance=1.0, metric="share of the probes behind a long task", unit="%", how_read="within a factor of 2")
        for trace, (behind, ran, _, _) in TABLE2.items()
    ),
    *(
        claim(f"stolen-{trace}", "Section 6.1; Table 2", f"{trace.title()}: Hawk steals {stolen:.2f} of {behind:.2f} million probes behind "
              "a long task", _share("rescheduled", "behind_long", trace), round(100 * stolen / behind, 1), **SHARE, tolerance=5.0,
              metric="stolen probes over probes behind a long task")
        for trace, (behind, _, stolen, _) in TABLE2.items()
    ),
    *(
        claim(f"rescheduled-{trace}", "Section 6.1; Table 2", f"{trace.title()}: Eagle re-schedules only marginally more probes than Hawk "
              "steals (up to 8 % more)", _rescheduled(trace), round(again / stolen, 3), check="ratio", tolerance=0.1,
              metric="Eagle's re-scheduled probes over Hawk's stolen ones", unit="1",
              how_read="Eagle counts a probe once per rejection",
              reason="a job of few tasks has 20 probes under Eagle, and 2 a task under Hawk" if trace == "google" else "")
        for trace, (_, _, stolen, again) in TABLE2.items()
    ),
    claim("fewer-attempts", "Section 6.1", "Under high load stealing is triggered less often", _attempts, check="trend", tolerance=0.0,
          metric="growth of the log number of attempts from one number of workers to the next", unit="1", how_read="Google trace"),
    *(
        claim(f"dlwl-{trace}", "Section 6.2; Fig. 3", f"{trace.title()}: short jobs complete sooner than under DLWL+SRPT",
              margin("eagle", "dlwl", trace=trace), **(BETTER | {"metric": "1 less the ratio to DLWL+SRPT"}), how_read=ALL)
        for trace in TRACES
    ),
    claim("dlwl-long", "Section 6.2; Fig. 3", "Long jobs complete sooner than under DLWL+SRPT in the vast majority of the cases",
          _most_cases(0.75), metric="share of cases less 3/4", unit="1", tolerance=0.0,
          how_read="three quarters of the cases (trace, workers, percentile)"),
    *(
        claim(f"heartbeat-{seconds}-p{percentile}", "Section 6.2; Fig. 4",
              f"With a heartbeat of {seconds} s instead of 3 s, short jobs' {percentile}th percentile under DLWL+SRPT grows by {value} %",
              _heartbeat(seconds, percentile), value, **SHARE, tolerance=2.5, metric="growth of the percentile",
              how_read="Google trace, highest load")
        for seconds, percentile, value in ((5, 90, 4.8), (5, 99, 2.2), (7, 90, 6.8), (7, 99, 4.2))
    ),
)  # fmt: skip

CLAIMS = (*SYSTEMS, *component_claims.CLAIMS, *trace_claims.CLAIMS)
