"""Azure's trace for packing, 2020: virtual machines, and how much of a machine each type takes."""

import sqlite3
from pathlib import Path

import pandas as pd

from schedlib.core.checks import typed, unknown
from schedlib.traces._reading import (
    FETCH_AGAIN,
    AnyPath,
    Report,
    count,
    leave_out,
    refuse,
    require_file,
)
from schedlib.traces.table import workload_of
from schedlib.workload import Workload

DAY = 86400.0
LAST_DAY = 90.0  # after which the publishers recorded no ends
VMS = "SELECT vmId AS job, tenantId AS user, vmTypeId AS vm_type, priority, starttime, endtime FROM vm"
TYPES = "SELECT vmTypeId AS vm_type, machineId, core AS cpu, memory AS mem FROM vmType"


@typed
def azure_packing2020(path: AnyPath, machine: int | None = None) -> Workload:
    """Read the virtual machines (VMs) of one zone of Azure in 14 days; each is a job of one task.

    A VM's type takes another share of each kind of machine and fits on some kinds only: `machine` is the
    `machineId` to go by; left out, it is the one that can run the most VMs. jobs: `job` (`vmId`), `submit` (s),
    `user` (`tenantId`), `vm_type`, `priority` (0 high, 1 low). tasks: `duration` (s), `cpu` and `mem` as
    fractions of that machine.

    | defect | what happens |
    |---|---|
    | a VM that was there when the trace began (its start is negative) | comes at 0 and keeps its end, counted |
    | a VM without an end, since it lived on after 90 days | ends at 90 days, counted |
    | a VM that ended before the trace began, or that such a machine cannot run | left out, counted |
    | a time that is not a number, an end before the start, a second row of a VM | refused |

    Raises ValueError on a file that is not such a database. Source: Azure, AzureTracesForPacking2020.md,
    https://github.com/Azure/AzurePublicDataset (CC-BY); Hadary et al., *Protean*, OSDI 2020.

    See also: `traces.alibaba_gpu2023`.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file, sqlite3.connect(file.name) as base:
    ...     _ = base.execute("CREATE TABLE vm AS SELECT 7 vmId, 1 tenantId, 2 vmTypeId, "
    ...                      "0 priority, 0.5 starttime, 1.5 endtime")
    ...     _ = base.execute("CREATE TABLE vmType AS SELECT 2 vmTypeId, 9 machineId, 0.5 core, 0.25 memory")
    ...     base.commit()
    ...     azure_packing2020(file.name).tasks.values.tolist()
    [[7.0, 86400.0, 0.5, 0.25]]
    """
    path = Path(path)
    require_file(path)
    base = sqlite3.connect(path)
    try:
        rows, types = (pd.read_sql_query(query, base) for query in (VMS, TYPES))
    except (sqlite3.Error, pd.errors.DatabaseError) as error:
        raise ValueError(f"{path}: {error}; it needs tables vm and vmType; {FETCH_AGAIN}") from None
    finally:
        base.close()
    if machine is None:
        able = types.merge(rows, on="vm_type")["machineId"]
        if able.empty:
            raise ValueError(
                f"{path}: vmType has no rows for these VMs; the file is empty or cut short"
            )
        machine = int(able.mode()[0])
    share = types[types["machineId"] == machine].drop_duplicates("vm_type")
    if share.empty:
        raise unknown("machine", machine, types["machineId"].unique())
    rows = rows.merge(share.drop(columns="machineId"), how="left", on="vm_type")
    rows.index += 1  # rows are counted from 1
    times = rows[["starttime", "endtime"]].apply(pd.to_numeric, errors="coerce")
    start, end = times["starttime"], times["endtime"]
    alive = rows["endtime"].isna()
    refuse(path, "starttime", start.isna(), "is not a number")
    refuse(path, "endtime", end.isna() & ~alive, "is not a number")
    refuse(path, "endtime", end < start, "is before the start")
    refuse(path, "vmId", rows.duplicated("job"), "has a second row")
    end = end.fillna(LAST_DAY)
    submit = start.clip(lower=0)
    made = rows.drop(columns=["starttime", "endtime"]).assign(
        submit=submit * DAY, duration=(end - submit) * DAY
    )
    left_out = {
        f"VMs that machine {machine} cannot run": made[["cpu", "mem"]].isna().any(axis=1),
        "VMs that ended before the trace": made["duration"] < 0,
    }
    report = Report()
    kept = leave_out(made, left_out, report)
    count(report, "VMs that were there before the trace (submit 0)", start[kept.index] < 0)
    count(report, "VMs that lived on after 90 days (ended there)", alive[kept.index])
    return workload_of(kept, report, path)
