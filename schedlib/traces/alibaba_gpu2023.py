"""Alibaba's GPU cluster of 2023: its nodes, and tasks that ask for CPUs, memory and (shares of) GPUs."""

from pathlib import Path

import pandas as pd

from schedlib.core.checks import typed
from schedlib.traces._reading import (
    AnyPath,
    Report,
    count,
    fetched,
    first_row,
    leave_out,
    read_frame,
    refuse,
)
from schedlib.traces.table import workload_of
from schedlib.workload import Workload

NODES, TASKS = "openb_node_list_all_node.csv", "openb_pod_list_default.csv"
NODE_COLUMNS = {
    "sn": "node",
    "cpu_milli": "cpu",
    "memory_mib": "mem",
    "gpu": "gpu",
    "model": "model",
}
TASK_COLUMNS = {
    "name": "job",
    "cpu_milli": "cpu",
    "memory_mib": "mem",
    "num_gpu": "gpus",
    "gpu_milli": "share",
    "gpu_spec": "gpu_spec",
    "qos": "qos",
    "pod_phase": "phase",
    "creation_time": "submit",
    "deletion_time": "end",
    "scheduled_time": "scheduled",
}
"""The columns as published, and what they are called here."""
NODE_TYPES = dict.fromkeys(NODE_COLUMNS, "int64") | {"sn": "string", "model": "string"}
TASK_TYPES = dict.fromkeys(TASK_COLUMNS, "int64")
TASK_TYPES |= dict.fromkeys(("name", "gpu_spec", "qos", "pod_phase"), "string")
TASK_TYPES |= {"scheduled_time": "float64"}  # blank: never scheduled
SHOWN = ["job", "submit", "scheduled", "phase", "qos", "gpu_spec", "duration", "cpu", "mem", "gpu"]


def alibaba_gpu2023_folder() -> Path | None:
    """The folder with the two files of the trace, or None without it.

    It is the one that the variable SCHEDLIB_ALIBABA_GPU2023 names; without it `openb` below the checkout's
    `data/downloads`, where `make data ARGS=alibaba-gpu2023` puts it, or below `../shared/data` beside it.

    >>> folder = alibaba_gpu2023_folder()
    >>> folder is None or (folder / TASKS).exists()
    True
    """
    return fetched("SCHEDLIB_ALIBABA_GPU2023", "openb", TASKS)


@typed
def alibaba_gpu2023(
    folder: AnyPath, tasks: str = TASKS, nodes: str = NODES
) -> tuple[pd.DataFrame, Workload]:
    """Read the nodes and the tasks: 1,523 nodes with 6,212 GPUs, and the 7,255 tasks that ran.

    nodes: `node`, `cpu` (cores), `mem` (GiB), `gpu` (how many), `model` (of the GPUs, "" without any). Each
    task is a job of its own. jobs: `job` (its name), `submit` (s, when it was created), `scheduled` (s),
    `phase` (as published, when the trace ended), `qos`, and `gpu_spec` (the models of GPU that
    it accepts, `V100M16|V100M32`; "" for any). tasks: `duration` (s, from scheduled to deleted),
    `cpu` (cores), `mem` (GiB), `gpu`: 0, a share of one GPU (0.46), or a whole number of them. In LoTES a
    machine's GPUs are one divisible amount, as its cores are.

    | defect | what happens |
    |---|---|
    | a task that was never scheduled | left out, counted |
    | a task submitted before the first one ended, when the trace began | kept, counted |
    | a task deleted with the last one, when the trace ended | kept, counted: it may have run on |
    | tasks out of order | sorted, counted |
    | a second row of a task or a node; a share of several GPUs; an end before the start | refused |

    `folder` holds the list of `tasks` and that of `nodes`, each of which may be any of the trace's files:
    `tasks="openb_pod_list_gpuspec33.csv"`; the lists `openb_pod_list_multigpu..` have no times, and are refused. Their headers say which column is which. Raises ValueError on a
    damaged file (see `schedlib.traces`). Source: Alibaba, cluster-trace-gpu-v2023 (Weng et al., *Beware of
    fragmentation*, USENIX ATC 2023); `schedlib.traces.download` fetches it.

    See also: `lotes.MachineConfigs`, `lotes.cluster_jobs`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     one, other = (Path(folder) / name for name in (NODES, TASKS))
    ...     _ = one.write_text(",".join(NODE_COLUMNS) + "\\nn0,96000,393216,8,G2\\n")
    ...     task = "t0,6000,12288,1,460,,LS,Running,5,90,7"
    ...     _ = other.write_text(",".join(TASK_COLUMNS) + f"\\n{task}\\n")
    ...     nodes, workload = alibaba_gpu2023(folder)
    >>> nodes.values.tolist(), workload.tasks.values.tolist()
    ([['n0', 96.0, 384.0, 8, 'G2']], [['t0', 83.0, 6.0, 12.0, 0.46]])
    """
    node_file, task_file = Path(folder) / nodes, Path(folder) / tasks
    header = first_row(task_file)
    if "name" in header and "creation_time" not in header:
        way_out = "take another list, such as openb_pod_list_default.csv"
        raise ValueError(f"{task_file}: this list has no times and cannot be replayed; {way_out}")
    machines = read_frame(node_file, None, NODE_TYPES, optional=("model",))
    rows = read_frame(task_file, None, TASK_TYPES, optional=("scheduled_time",))
    refuse(node_file, "sn", machines.duplicated("sn"), "has a second row")
    refuse(task_file, "name", rows.duplicated("name"), "has a second row")
    machines = machines.rename(columns=NODE_COLUMNS)
    rows = rows.rename(columns=TASK_COLUMNS)
    for frame in (machines, rows):
        frame["cpu"] /= 1000
        frame["mem"] /= 1024
    machines["model"] = machines["model"].fillna("")
    whole = (rows["share"] == 1000) | (rows["gpus"] <= 1) & (rows["share"] < 1000)
    refuse(task_file, "gpu_milli", ~whole, "is not a share of one GPU")
    early = (rows["scheduled"] < rows["submit"]) | (rows["end"] < rows["scheduled"])
    refuse(task_file, "scheduled_time", early, "lies outside the task's life")
    rows["gpu"] = rows["gpus"] * rows["share"] / 1000
    rows["duration"] = rows["end"] - rows["scheduled"]
    report = Report()
    rows = leave_out(rows, {"tasks never scheduled": rows["scheduled"].isna()}, report)
    end = rows["end"]
    count(report, "tasks submitted before the trace (kept)", rows["submit"] < end.min())
    count(report, "tasks that ran until the trace's end (kept)", end == end.max())
    return machines.reset_index(drop=True), workload_of(rows[SHOWN], report, task_file)
