"""LoTES's model in numbers, for the drawn figures of Sections 2 and 4 (the extended version's Figs. 1-4)."""


import numpy as np
import pandas as pd

from schedlib.exhibits.lotes.trace_experiments import ONE, always
from schedlib.experiment import Experiment
from schedlib.lotes.model import MachineConfigs
from schedlib.lotes.planning.plan import plan
from schedlib.lotes.simulate import simulate
from schedlib.lotes.workloads.google import google2011
from schedlib.lotes.workloads.random_instances import random_instance
from schedlib.workload import Workload

SIX = {
    "submit": [0, 1, 2, 4, 10, 13],
    "duration": [14, 6, 7, 5, 6, 7],
    "cores": [1, 2, 1, 2, 1, 2],
    "memory": [3, 2, 1, 2, 4, 1],
}
"""Six jobs of which, on 4 cores and 8 GB, the fourth has to wait for cores alone and the fifth for memory alone."""


def fig1(total_cores: float, total_memory: float, seed: int) -> pd.DataFrame:
    """Six jobs on one machine, first come, first served: `job, submit, start, finish` (min), `cores`, `memory` (GB)."""
    demand = {name: np.array(SIX[name], float) for name in ("cores", "memory")}
    jobs = Workload.from_arrays(np.array(SIX["submit"], float), np.array(SIX["duration"], float), **demand)
    run = simulate("greedy", MachineConfigs([[total_cores, total_memory]], [1]), jobs, seed=seed)
    frame = run.jobs[["job", "submit", "start", "finish"]].assign(**demand)
    return frame.assign(job=frame["job"] + 1)


def fig3(phi: float, load: float, machines: int, hours: float, seed: int) -> pd.DataFrame:
    """How many jobs go which way through a small cluster under LoTES, until the last has left: `source, target, jobs`.

    `load` is that of stage 2's rate once rounded to whole machines.
    """
    instance = random_instance(phi, load=load, machines=machines, hours=hours, sizes="common", rounded=True, seed=seed)
    run = simulate("lotes", instance.configs, instance.workload, plan=instance.plan, seed=seed, until=np.inf)
    queued = run.response > 0
    ways = {
        ("outside", "machine"): ~queued,
        ("outside", "queue"): queued,
        ("queue", "machine"): queued & run.jobs["start"].notna(),
        ("machine", "left"): run.jobs["finish"].notna(),
    }
    return pd.DataFrame([(*way, int(np.sum(jobs))) for way, jobs in ways.items()], columns=["source", "target", "jobs"])


def fig4(seed: int) -> pd.DataFrame:
    """What flows between the stages on Google's cluster: `quantity`, its symbol in the paper, `value` (rates in jobs per hour)."""
    configs, classes = google2011()
    found = plan(configs, classes)
    rows = [
        ("machines", "sum n_j", configs.n_machines),
        ("configurations", "|M|", configs.n_configs),
        ("classes", "|K|", classes.n_classes),
        ("rate of stage 1", "lambda*", found.allocation.rate),
        ("pairs with delta > 0", "sum |K^j|", found.allocation.support.sum()),
        ("bins", "sum |B_j|", sum(map(len, found.bins))),
        ("rate of stage 2", "lambda", found.rate),
        ("rate after rounding", "lambda", found.rate_rounded),
        ("bins in use", "x_ij > 0", sum(int((each > 0).sum()) for each in found.machines)),
    ]
    return pd.DataFrame([(*names, float(value)) for *names, value in rows], columns=["quantity", "symbol", "value"])


SMALL_CLUSTER = {"phi": 0.006, "load": 0.97, "machines": 6, "hours": 6.0}

EXPERIMENTS = (
    Experiment("lotes.fig1", "Six jobs on one machine", fig1, always([{"total_cores": 4.0, "total_memory": 8.0}]), ONE),
    Experiment("lotes.fig3", "The ways of jobs through a small cluster", fig3, always([SMALL_CLUSTER]), ONE),
    Experiment("lotes.fig4", "What flows between the stages of LoTES", fig4, always(), ONE),
)
