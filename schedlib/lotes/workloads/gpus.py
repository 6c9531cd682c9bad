"""Alibaba's GPU cluster of 2023 as a problem for LoTES: CPU, memory and GPUs. Fixed before anything was
measured:

- nodes of equal CPU, memory and GPUs are a configuration, in the order in which the publisher lists them; the
  GPUs' model is left aside, since the tasks of the default list ask for none. GPUs come in pieces
- a job is a task of the trace, submitted when it was created, with the duration that it had there. Tasks that
  were never scheduled have none, and are left out by the reader. Those that came before the trace began are
  left out here: the trace has them because they last long, and how many came with them is not known
- the trace is a sample, which would keep one GPU in three hundred busy. For a load we lay several copies of
  it over each other, each turned by a random time (what then passes the trace's end comes at its beginning),
  and take the fewest machines, in the list's proportions, that keep the load: durations stay as they are
- classes, as many as in the papers, come from all tasks: their first day has few
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from schedlib.core import streams
from schedlib.core.portable import dot
from schedlib.lotes.model import JobClasses, MachineConfigs
from schedlib.lotes.workloads.alibaba import enough_machines
from schedlib.lotes.workloads.kmeans import cluster_jobs
from schedlib.workload import Workload

RESOURCES = ["cpu", "mem", "gpu"]


def gpu_machines(nodes: pd.DataFrame) -> MachineConfigs:
    """The nodes of `traces.alibaba_gpu2023` by kind: cores, GiB and GPUs, which come in pieces.

    >>> nodes = pd.DataFrame({"cpu": [96, 32, 96], "mem": [384, 256, 384], "gpu": [8, 0, 8]})
    >>> gpu_machines(nodes).capacity.tolist(), gpu_machines(nodes).count.tolist()
    ([[96.0, 384.0, 8.0], [32.0, 256.0, 0.0]], [2, 1])
    """
    kinds = nodes.groupby(RESOURCES, sort=False).size()
    capacity = np.array(kinds.index.to_list(), float)
    return MachineConfigs(capacity, kinds.to_numpy(), pieces=RESOURCES.index("gpu"))


def gpu_month(nodes: pd.DataFrame, trace: Workload, *, copies: int = 8, load: float = 0.8, k: int = 4,
              seed: int = 0) -> tuple[MachineConfigs, JobClasses, Workload]:
    """The trace's 34 days as machines, job classes and jobs, in seconds since it began.

    `nodes` and `trace` as `traces.alibaba_gpu2023` gives them; the module's text says what is made of them:
    `copies` of the trace, `k` classes of `cluster_jobs`, and the fewest machines on which `offered_load` does
    not exceed `load`. `report` counts the tasks left out. Raises ValueError as `enough_machines` does.

    >>> nodes = pd.DataFrame({"cpu": [32] * 9, "mem": [256] * 9, "gpu": [2] * 9})
    >>> trace = Workload.from_arrays([0, 5, 9], [9, 3, 9], cpu=[4, 4, 4], mem=[1, 2, 3], gpu=[0, 0.5, 2])
    >>> _, _, jobs = gpu_month(nodes, trace.between(5, 10), copies=3, k=1, load=0.9)
    >>> len(jobs), jobs.resources
    (3, ('cpu', 'mem', 'gpu'))
    """
    if copies < 1:
        raise ValueError(f"copies: {copies}, must be 1 or more")
    jobs, tasks = trace.jobs, trace.tasks
    ends = (jobs["scheduled"] if "scheduled" in jobs else jobs["submit"]).to_numpy() + tasks["duration"]
    begin, length = ends.min(), ends.max() - ends.min()
    early = (jobs["submit"] < begin).to_numpy()
    submit, tasks = jobs["submit"].to_numpy()[~early] - begin, tasks[~early].reset_index(drop=True)
    (draw,) = streams(seed, "copies of the trace")
    at = ((submit + draw.random((copies, 1)) * length) % length).ravel()
    order = np.argsort(at, kind="stable")
    rows = tasks.iloc[np.tile(np.arange(len(tasks)), copies)[order]]
    report = trace.report | {"tasks that came before the trace began (left out)": int(early.sum())}
    made = Workload.from_arrays(at[order], rows["duration"], report=report, **rows[RESOURCES])
    return _classified(made, gpu_machines(nodes), k, seed, load)


def gpu_draw(nodes: pd.DataFrame, trace: Workload, *, shrink: float = 1.0, k: int = 4,
             seed: int = 0) -> tuple[MachineConfigs, JobClasses, Workload]:
    """Tasks drawn from the trace at random, one a second, none of which ends, until all GPUs are asked for.

    This is how the authors of FGD fill their cluster. The machines are those of `nodes` over `shrink`;
    classes come from the tasks drawn. Source: Weng et al., USENIX ATC 2023, Section 6.

    >>> nodes = pd.DataFrame({"cpu": [32] * 9, "mem": [256] * 9, "gpu": [2] * 9})
    >>> trace = Workload.from_arrays([0], [9], cpu=[4], mem=[1], gpu=[0.5])
    >>> len(gpu_draw(nodes, trace, k=1)[2])
    36
    """
    configs, tasks, (draw,) = gpu_machines(nodes), trace.tasks, streams(seed, "tasks drawn")
    configs = replace(configs, count=np.maximum(np.rint(configs.count / shrink), 1))
    gpus = dot(configs.capacity[:, -1], configs.count)
    most = int(np.ceil(2 * gpus / tasks["gpu"].mean()))
    rows = tasks[RESOURCES].iloc[draw.integers(len(tasks), size=most)]
    rows = rows[: np.searchsorted(rows["gpu"].cumsum(), gpus * (1 - 1e-9)) + 1]
    forever = np.full(len(rows), 2.0 * len(rows))
    return _classified(Workload.from_arrays(np.arange(len(rows)), forever, **rows), configs, k, seed)


def _classified(jobs, configs, k, seed, load=None):
    """The problem with `k` classes of all jobs, and (given a load) with as many machines as it needs."""
    classes, job_class = cluster_jobs(jobs, k, configs=configs.n_configs, day=np.inf, seed=seed)
    jobs = Workload(jobs.jobs.assign(**{"class": job_class}), jobs.tasks, report=jobs.report)
    return enough_machines(configs, jobs, load) if load else configs, classes, jobs
