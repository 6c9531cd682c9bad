"""Every HMHS experiment: a point and a seed in, a tidy frame out. Makespans are in seconds, shares in per cent."""

import itertools
import time
from dataclasses import replace

import numpy as np
import pandas as pd

from schedlib import traces
from schedlib.core.streams import streams
from schedlib.experiment import Experiment
from schedlib.hmhs.bound import bounds
from schedlib.hmhs.johnson import flow_shop_makespan, johnson, priority
from schedlib.hmhs.optimum import optimum
from schedlib.hmhs.priced import priced
from schedlib.hmhs.schedule import POLICIES, schedule
from schedlib.hmhs.workloads import CLUSTERS, from_trace, hybrid, single, speeds, tiny

WORKLOADS = {"single": single, "hybrid": hybrid}
PAPER_POLICIES = ("hmhs", "r-hmhs", "fifo-pri", "fifo")
READINGS = ("fifo", "fifo-strict", "fifo-ready", "fifo-barrier")
JOBS = (25, 50, 100, 200, 400, 800)


def _makespans(instance, policies=PAPER_POLICIES):
    rows = [(name, schedule(instance, name).makespan) for name in policies]
    found = bounds(instance)
    rows += [("priced", priced(instance, found).makespan), ("bound", found.best)]
    return pd.DataFrame(rows, columns=["policy", "makespan"])


def fig1(workload: str, jobs: int, seed: int) -> pd.DataFrame:
    """Makespan of each policy on the paper's synthetic workloads, 100 map and 100 reduce machines: `policy, makespan`."""
    return _makespans(WORKLOADS[workload](jobs, seed))


def alibaba(jobs: int, seed: int) -> pd.DataFrame:
    """The same comparison on real map-reduce pairs drawn from the Alibaba hour, machines as in the paper: `policy, makespan`."""
    return _makespans(from_trace(traces.alibaba2018("mapreduce"), seed, n_jobs=jobs))


def table1(cluster: str, seed: int) -> pd.DataFrame:
    """The six clusters as configured and as drawn: `slow` and `random` (% of machines), and the mean speed factor of each kind."""
    slow = CLUSTERS[cluster]
    (rng,) = streams(seed, "hmhs map speeds")
    drawn = speeds(rng, 100, 100, slow)
    is_slow = drawn.min(axis=0) >= 0.9
    means = [float(drawn[:, kind].mean()) if kind.any() else np.nan for kind in (is_slow, ~is_slow)]
    share = 100 * is_slow.mean()
    return pd.DataFrame([{"slow": share, "random": 100 - share, "slow_mean_factor": means[0], "random_mean_factor": means[1]}])


def fig2(workload: str, cluster: str, seed: int) -> pd.DataFrame:
    """Makespan of each policy for 100 jobs on each cluster of Table 1: `slow` (%), `policy`, `makespan`."""
    slow = CLUSTERS[cluster]
    return _makespans(WORKLOADS[workload](100, seed, slow=slow)).assign(slow=100 * slow)


def fifo_readings(workload: str, jobs: int, seed: int) -> pd.DataFrame:
    """HMHS's gain over FIFO and over FIFO-Pri under each reading of FIFO: `reading, fifo, fifo_pri` (% of makespan)."""
    instance = WORKLOADS[workload](jobs, seed)
    best = schedule(instance, "hmhs").makespan
    rows = []
    for name in READINGS:
        reading = POLICIES[name]
        plain, sorted_by_pri = schedule(instance, reading), schedule(instance, replace(reading, order=priority))
        rows.append((name, 100 * (1 - best / plain.makespan), 100 * (1 - best / sorted_by_pri.makespan)))
    return pd.DataFrame(rows, columns=["reading", "fifo", "fifo_pri"])


def exact(jobs: int, seed: int) -> pd.DataFrame:
    """Tiny instances on two map and two reduce machines against the exact optimum: `policy, makespan, optimum`."""
    instance = tiny(jobs, seed)
    return _makespans(instance).assign(optimum=optimum(instance))


def johnson_rule(jobs: int, seed: int) -> pd.DataFrame:
    """Johnson's rule against every order of a random two-machine flow shop: `johnson, best` makespans."""
    (rng,) = streams(seed, "flow shop")
    first, second = rng.integers(1, 50, (2, jobs))
    best = min(flow_shop_makespan(first, second, list(order)) for order in itertools.permutations(range(jobs)))
    return pd.DataFrame([{"johnson": flow_shop_makespan(first, second, johnson(first, second)), "best": best}])


def cost(jobs: int, seed: int) -> pd.DataFrame:
    """What scheduling costs on the single workload: `tasks`, `steps`, `steps_full_scan` and the wall-clock `seconds`."""
    instance = single(jobs, seed)
    instance.map_task_time, instance.reduce_task_time  # noqa: B018 - made beforehand: inputs, not scheduling
    rows = []
    for name in ("hmhs", "fifo"):
        began = time.perf_counter()
        done = schedule(instance, name)
        seconds = time.perf_counter() - began
        tasks = done.map.job.size + done.reduce.job.size
        rows.append((name, tasks, done.steps, done.steps_full_scan, seconds))
    return pd.DataFrame(rows, columns=["policy", "tasks", "steps", "steps_full_scan", "seconds"])


def _grid(**axes):
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def _scales(smoke, quick, paper=None):
    return {"smoke": smoke, "quick": quick, "paper": quick if paper is None else paper}


EXPERIMENTS = (
    Experiment(
        "hmhs.fig1",
        "Makespan against the number of jobs, single and hybrid workloads",
        fig1,
        _scales(_grid(workload=["single", "hybrid"], jobs=[25, 50]), _grid(workload=["single", "hybrid"], jobs=JOBS)),
        _scales(2, 10, 30),
    ),
    Experiment(
        "hmhs.table1",
        "The six heterogeneous clusters",
        table1,
        _scales(_grid(cluster=list(CLUSTERS)), _grid(cluster=list(CLUSTERS))),
        _scales(1, 1),
    ),
    Experiment(
        "hmhs.fig2",
        "Makespan on the six clusters",
        fig2,
        _scales(
            _grid(workload=["single", "hybrid"], cluster=["cluster 1", "cluster 5", "cluster 6"]),
            _grid(workload=["single", "hybrid"], cluster=list(CLUSTERS)),
        ),
        _scales(2, 10, 30),
    ),
    Experiment(
        "hmhs.alibaba",
        "Makespan against the number of jobs, real map-reduce pairs",
        alibaba,
        _scales(_grid(jobs=[25, 50]), _grid(jobs=JOBS)),
        _scales(2, 10, 30),
    ),
    Experiment(
        "hmhs.fifo-readings",
        "HMHS's gain under four readings of FIFO",
        fifo_readings,
        _scales(_grid(workload=["single"], jobs=[25]), _grid(workload=["single", "hybrid"], jobs=JOBS)),
        _scales(2, 10, 30),
    ),
    Experiment(
        "hmhs.exact",
        "Policies against the exact optimum of tiny instances",
        exact,
        _scales(_grid(jobs=[3]), _grid(jobs=[3, 4, 5])),
        _scales(3, 40, 100),
    ),
    Experiment(
        "hmhs.johnson",
        "Johnson's rule against every order",
        johnson_rule,
        _scales(_grid(jobs=[5]), _grid(jobs=[6, 7])),
        _scales(3, 40, 100),
    ),
    Experiment(
        "hmhs.cost",
        "What scheduling costs against the number of jobs",
        cost,
        _scales(_grid(jobs=[25, 100]), _grid(jobs=[25, 100, 400, 1600, 6400]), _grid(jobs=[25, 100, 400, 1600, 6400, 10000])),
        _scales(1, 3, 5),
        timing=("seconds",),
    ),
)
