"""Alibaba's GPU cluster of 2023: its nodes, and tasks that ask for CPUs, memory and (shares of) GPUs."""

from pathlib import Path

import pandas as pd
import pyarrow as pa

from schedlib.core.checks import typed
from schedlib.traces._reading import fetched, in_order, met, read_frame, refuse
from schedlib.workload import Workload

NODES, TASKS = "openb_node_list_all_node.csv", "openb_pod_list_default.csv"
NODE_COLUMNS = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
TASK_COLUMNS = (
    "name",
    "cpu_milli",
    "memory_mib",
    "num_gpu",
    "gpu_milli",
    "gpu_spec",
    "qos",
    "pod_phase",
    "creation_time",
    "deletion_time",
    "scheduled_time",
)
TEXT = ("sn", "model", "name", "gpu_spec", "qos", "pod_phase")
NODE_TYPES = {name: pa.string() if name in TEXT else pa.int64() for name in NODE_COLUMNS}
TASK_TYPES = {name: pa.string() if name in TEXT else pa.int64() for name in TASK_COLUMNS}
TASK_TYPES |= {"scheduled_time": pa.float64()}  # blank: never scheduled


def alibaba_gpu2023_folder() -> Path | None:
    """The folder with the two files of the trace, or None when there is none.

    It is the one that the variable SCHEDLIB_ALIBABA_GPU2023 names; without it `openb` below the checkout's
    `data/downloads`, where `make data ARGS=alibaba-gpu2023` puts it, or below `../shared/data` beside it.

    >>> folder = alibaba_gpu2023_folder()
    >>> folder is None or (folder / TASKS).exists()
    True
    """
    return fetched("SCHEDLIB_ALIBABA_GPU2023", "openb", TASKS)


@typed
def alibaba_gpu2023(
    folder: str | Path, tasks: str = TASKS, nodes: str = NODES
) -> tuple[pd.DataFrame, Workload]:
    """Read the nodes and the tasks: 1,523 nodes with 6,212 GPUs, and the 7,255 tasks that ran.

    nodes: `node`, `cpu` (cores), `mem` (GiB), `gpu` (how many), `model` (of the GPUs, "" without any). Each
    task is a job of its own. jobs: `job` (its name), `submit` (s, when it was created), `scheduled` (s),
    `phase` (as published, when the trace ended) and `qos`. tasks: `duration` (s, from scheduled to deleted),
    `cpu` (cores), `mem` (GiB), `gpu`: 0, a share of one GPU (0.46), or a whole number of them. In LoTES a
    machine's GPUs are one divisible amount, as its cores are.

    | defect | what happens |
    |---|---|
    | a task that was never scheduled | left out, counted |
    | a task submitted before the first one ended, when the trace began | kept, counted |
    | a task deleted with the last one, when the trace ended | kept, counted: it may have run on |
    | tasks out of order | sorted, counted |
    | a task or a node that is there twice; a share of several GPUs; an end before the start | refused |

    `folder` holds the list of `tasks` and that of `nodes`, each of which may be any of the trace's files:
    `tasks="openb_pod_list_gpuspec33.csv"`. Their headers say which column is which. Raises ValueError on a
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
    files = Path(folder) / nodes, Path(folder) / tasks
    machines = read_frame(files[0], None, NODE_TYPES, optional=("model",))
    rows = read_frame(files[1], None, TASK_TYPES, optional=("scheduled_time", "gpu_spec"))
    for path, frame, name in ((files[0], machines, "sn"), (files[1], rows, "name")):
        refuse(path, name, frame.duplicated(name).to_numpy(), "is there twice", 2)
    whole = (rows["gpu_milli"] == 1000) | (rows["num_gpu"] <= 1) & (rows["gpu_milli"] < 1000)
    refuse(files[1], "gpu_milli", ~whole.to_numpy(), "is no share of one GPU", 2)
    early = (rows["scheduled_time"] < rows["creation_time"]) | (
        rows["deletion_time"] < rows["scheduled_time"]
    )
    refuse(files[1], "scheduled_time", early.to_numpy(), "lies outside the task's life", 2)
    ran = rows["scheduled_time"].notna()
    report = {"tasks never scheduled (left out)": int((~ran).sum())}
    rows = in_order(rows[ran], "creation_time", report, "tasks")
    ends = rows["deletion_time"]
    report["tasks submitted before the trace (kept)"] = int(
        (rows["creation_time"] < ends.min()).sum()
    )
    report["tasks that ran until the trace's end (kept)"] = int((ends == ends.max()).sum())
    jobs = rows[["name", "creation_time", "scheduled_time", "pod_phase", "qos"]]
    jobs = jobs.set_axis(["job", "submit", "scheduled", "phase", "qos"], axis=1)
    made = pd.DataFrame(
        {
            "job": rows["name"],
            "duration": ends - rows["scheduled_time"],
            "cpu": rows["cpu_milli"] / 1000,
            "mem": rows["memory_mib"] / 1024,
            "gpu": rows["num_gpu"] * rows["gpu_milli"] / 1000,
        }
    )
    shown = pd.DataFrame(
        {
            "node": machines["sn"],
            "cpu": machines["cpu_milli"] / 1000,
            "mem": machines["memory_mib"] / 1024,
            "gpu": machines["gpu"],
            "model": machines["model"].fillna(""),
        }
    )
    return shown, Workload(jobs, made, report=met(report))
