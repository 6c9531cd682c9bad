"""Values that no argument wants, and calls of public functions that are right but for one of them."""

import traceback
from pathlib import Path

import numpy as np
import pandas as pd

import schedlib
from schedlib import eagle, hmhs, intervals, leaderboard, lotes, mch, theory
from schedlib.core import streams
from schedlib.pictures import bins, gantt, probing, trees
from schedlib.workload import Workload

PACKAGE = Path(schedlib.__file__).parent
HUGE = (10**12, 10**400, 1e300, float("inf"))
NOBODYS = (
    b"x", "x", -1, float("nan"), 1j, [], [[1], [2, 3]], [1, "a"], [np.nan, 1], [np.inf, 1], [-1, 1], [10**400, 1], set(), object(), len, Path,
    np.zeros((2, 2)), np.zeros(0), np.array(["a", "b"]), np.array(None), np.ma.array([1.0, 2.0], mask=[0, 1]), pd.DataFrame(), pd.DataFrame({"job": [1]}), np.int64(-(2**63)),
)  # fmt: skip
"""Values that are refused wherever they stand, but for these arguments."""
TAKEN = """Workload.time_unit Workload.from_arrays.time_unit Workload.from_arrays.job_class Workload.between.t0 Workload.between.t1 Workload.with_classes.classes System.name
plot_gantt.title plot_tree.title plot_tree.resources plot_tree.shares plot_polytope.mix mean_ci.values block_bootstrap.values plot_polytope.resources
standings.runs Rule.name"""
VALUES = (
    *NOBODYS, None, "", 3, 0, 2.5, True, [1], [[1]], [None], {}, {"a": 1}, pd.Series([1]), pd.Series([1, 2], dtype="Int64"),
    pd.to_datetime(["2020-01-01", "2020-01-02"]), Workload.from_arrays([0], [1]), *HUGE,
)  # fmt: skip
ONE = [[1.0], [1.0]]
TWO = hmhs.Instance([5, 1], [1, 1], ONE, [1, 5], [1, 1], ONE)
JOBS = pd.DataFrame({"job": [0, 1], "submit": [0, 1.0]})
TASKS = pd.DataFrame({"job": [0, 1], "duration": [1, 2.0]})
PAIRS = pd.DataFrame(
    {
        "submit": [0.0, 5.0],
        "map_tasks": [3, 1],
        "map_time": [9, 4],
        "reduce_tasks": [1, 0],
        "reduce_time": [5, 1],
    }
)
TREE = mch.Tree([(1.0, 1.0), [(1.0, 0.0), (0.0, 1.0)]])
LEAVES = pd.DataFrame(
    {"leaf": [0, 1], "submit": [0.0, 1.0], "tasks": [2, 1], "duration": [1.0, 2.0]}
)
PROBED = eagle.simulate(
    Workload(JOBS, TASKS), "hawk", 4, short_partition=0.25, cutoff=1.0, record=True
)
RUNS = pd.DataFrame(
    [(name, "wait (s)", "low", seed, 1.0 + seed, "", "") for name in "ab" for seed in range(2)],
    columns=["policy", "metric", "better", "seed", "value", "broke", "warned"],
)
BOARD = leaderboard.standings(RUNS)


def hmhs_board(**how):
    return leaderboard.hmhs(workload=TWO, **how)


def mch_board(**how):
    return leaderboard.mch(workload=(TREE, (4.0, 4.0), LEAVES, 50.0), **how)


CALLS = {
    Workload: {"jobs": JOBS, "tasks": TASKS, "time_unit": "s", "report": {}},
    Workload.from_arrays: {"submit": [0, 1], "duration": [1, 2], "tasks": [1, 1], "job_class": [0, 0], "time_unit": "s", "cpu": [1, 1]},
    Workload(JOBS, TASKS).head: {"n": 1},
    Workload(JOBS, TASKS).between: {"t0": 0, "t1": 2},
    Workload(JOBS, TASKS).with_classes: {"classes": [0, 1]},
    streams: {"seed": 1},
    intervals.mean_ci: {"values": [1.0, 2.0], "level": 0.9},
    intervals.block_bootstrap: {"values": [1.0, 2.0, 3.0], "block": 2, "level": 0.9, "draws": 5, "seed": 0},
    hmhs_board: {"seeds": 1, "against": ["fifo"], "each": False, "limit": 5.0, "baseline": None},
    mch_board: {"seeds": 1, "against": ["drf"], "each": False, "limit": 5.0, "baseline": None},
    leaderboard.standings: {"runs": RUNS, "baseline": None},
    leaderboard.told: {"board": BOARD},
    leaderboard.plot: {"board": BOARD, "metric": None, "size": (5.0, 3.0)},
    leaderboard.alt_text: {"board": BOARD, "metric": None},
    bins.plot_polytope: {"capacity": [4.0, 4.0], "demand": [[1.0, 2.0], [2.0, 1.0]], "resources": ["cpu", "mem"], "mix": None, "whole": True,
                         "size": (6.0, 4.0)},
    gantt.plot_gantt: {"schedule": hmhs.schedule(TWO, "hmhs"), "bound": None, "until": None, "size": (7.0, 4.0)},
    probing.plot_gantt: {"run": PROBED, "job": None, "title": "", "until": None, "size": (8.0, 3.0)},
    trees.plot_tree: {"tree": TREE, "shares": None, "labels": None, "resources": (), "title": "", "ax": None},
    theory.erlang_c: {"servers": 2, "offered_load": 1.0},
    theory.mmc_mean_wait: {"arrival_rate": 1.0, "service_rate": 1.0, "servers": 2},
    theory.pollaczek_khinchine: {"arrival_rate": 0.5, "mean_service": 1.0, "second_moment": 2.0},
    theory.sita_mean_waits: {"arrival_rate": 0.5, "shares": [1.0], "mean_service": [1.0], "second_moment": [1.0], "servers": [1]},
    theory.ps_mean_response: {"arrival_rate": 0.5, "service_rate": 1.0},
    theory.srpt_mean_response: {"arrival_rate": 0.5, "density": np.ones_like, "smallest": 0.0, "largest": 1.0},
    theory.srpt_response: {"size": 0.5, "arrival_rate": 0.5, "density": np.ones_like, "smallest": 0.0, "largest": 1.0},
    theory.choices_tail: {"load": 0.5, "choices": 2, "length": 3},
    theory.choices_mean_time: {"load": 0.5, "choices": 2},
    theory.little: {"arrival_rate": 1.0, "mean_time": 1.0},
    eagle.simulate: {"workload": Workload(JOBS, TASKS), "system": "eagle", "workers": 4, "short_partition": 0.25, "cutoff": 1.0, "probe_ratio": 2.0,
                     "min_probes": 4, "network_delay": 0.0005, "estimate": "mean", "heartbeat": 3.0, "detail": "as_published", "seed": 0, "record": True},
    eagle.System: {"name": "own", "short_jobs": "probes", "long_jobs": "lwl", "queue": "fifo", "probes": None, "sticky": False, "steal": False,
                   "thieves": "any", "min_probes": 0, "cap": 5.0, "updates": True},
    eagle.Eagle: {"sss": True, "sbp": True, "srpt": True, "min_probes": 20, "updates": True},
    eagle.Hawk: {"steal": True, "thieves": None},
    eagle.DLWL: {"srpt": True},
    eagle.Omniscient: {"srpt": True},
    eagle.google: {"jobs": 100, "seed": 0, "scale": 0.01},
    eagle.google_sample: {"ratio": 1.2, "seed": 0, "jobs": 100, "nodes": 100},
    eagle.alibaba: {"every": 1, "trace": Workload(JOBS, TASKS)},
    eagle.table1: {"workload": Workload(JOBS, TASKS), "cutoff": 1.5},
    eagle.short_share: {"workload": Workload(JOBS, TASKS), "cutoff": 1.5},
    eagle.cutoff_for: {"workload": Workload(JOBS, TASKS), "long_share": 0.5},
    eagle.offered_load: {"workload": Workload(JOBS, TASKS), "workers": 2},
    eagle.job_means: {"workload": Workload(JOBS, TASKS)},
    lotes.MachineConfigs: {"capacity": [[1.0, 1.0], [0.5, 0.25]], "count": [3, 2]},
    lotes.JobClasses: {"share": [0.25, 0.75], "demand": [[0.1, 0.2], [0.3, 0.1]], "rate": [[1.0, 2.0], [1.0, 0.0]]},
    hmhs.Instance: {name: getattr(TWO, name) for name in TWO.__dataclass_fields__},
    hmhs.single: {"n_jobs": 2, "seed": 0, "machines": (2, 2), "slow": 0.5},
    hmhs.from_trace: {"jobs": PAIRS, "seed": 0, "n_jobs": 2, "machines": (2, 2), "slow": 0.5},
    hmhs.arriving: {"jobs": PAIRS, "seed": 0, "n_jobs": 2, "load": 0.5, "machines": 2, "copy": 0.1},
    hmhs.Arrivals: {"instance": TWO, "submit": [0.0, 1.0], "copy": [0.0, 0.0]},
    hmhs.serve: {"arrivals": hmhs.Arrivals(TWO, [0, 1]), "policy": "fair", "delay": 1.0, "remote": 1.0, "seed": 0},
    hmhs.schedule: {"instance": TWO, "policy": "hmhs"},
    hmhs.lower_bound: {"instance": TWO},
    hmhs.optimum: {"instance": TWO, "seconds": 5.0},
    hmhs.priority: {"instance": TWO},
    hmhs.johnson: {"first": [1.0, 2.0], "second": [2.0, 1.0]},
    mch.Tree: {"nested": [(1.0,), [(2.0,)]], "weights": {(1,): 2.0}, "names": {(1,): "a"}},
    mch.Rule: {"weights": "mch", "name": "own", "room": 1},
    mch.allocate: {"tree": TREE, "capacity": (4.0, 4.0), "rule": "mch", "divisible": True},
    mch.fill: {"tree": TREE, "capacity": (4.0, 4.0), "rule": "h-drf", "method": "fast", "seed": 0},
    mch.flatten: {"tree": TREE, "capacity": (4.0, 4.0)},
    mch.simulate: {"tree": TREE, "capacity": (4.0, 4.0), "rule": "drf", "jobs": LEAVES, "until": 5.0, "method": "fast", "record": True,
                   "every": 1.0, "seed": 0},
    mch.random_tree: {"rng": np.random.default_rng(0), "depth": 2, "branching": 3, "resources": 2, "partial": 0.5,
                      "needs": 1},
    mch.property_table: {"capacity": (4.0, 4.0), "rules": ["drf"], "trees": [TREE]},
}  # fmt: skip
"""A call of each that works, and takes a moment."""


def wrong_refusals(function, right):
    """Where one of NOBODYS is taken, or one of VALUES in one argument meets an error that is another library's, of another kind, or names no argument."""
    for name in right:
        for value in VALUES:
            try:
                function(**{**right, name: value})
                strict = f"{function.__qualname__}.{name}" not in TAKEN.split()
                if strict and any(value is one for one in NOBODYS):
                    yield f"{name}={value!r:.50} is taken"
            except (ValueError, TypeError) as error:
                last = traceback.extract_tb(error.__traceback__)[-1].filename
                ours = Path(last).is_relative_to(PACKAGE)
                named = any(part in str(error) for part in {*right, *name.split("_")})
                if not (ours and named):
                    yield f"{name}={value!r:.50}: {type(error).__name__}: {error!s:.120} ({Path(last).name})"
            except Exception as error:
                yield f"{name}={value!r:.50}: {type(error).__name__}: {error!s:.120}"
