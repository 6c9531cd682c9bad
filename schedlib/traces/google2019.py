"""Google's clusterdata-2019: the tasks of a Borg cell, from a table that BigQuery exports."""

from pathlib import Path

import numpy as np
import pandas as pd

from schedlib.core.checks import typed
from schedlib.traces._reading import AnyPath, Report, Types, in_order, leave_out, read_frame, refuse
from schedlib.traces.google2011 import AFTER, count_ended_early, last_runs, repeated, runs
from schedlib.workload import Workload

EVENT_OF = np.array(
    [
        0,  # submit
        7,  # queue, which changes no run
        7,  # enable, nor does this
        1,  # schedule
        2,  # evict
        3,  # fail
        4,  # finish
        5,  # kill
        6,  # lost
        7,  # update pending
        8,  # update running
    ]
)
"""The event of 2011 that each `type` of 2019 is."""
REQUESTS = {"cpus": "cpu", "memory": "mem"}
NAMES = REQUESTS | {"collection_id": "job", "instance_index": "index", "scheduling_class": "class"}
EVENTS = dict.fromkeys(("time", "type", "collection_id"), "int64")
INSTANCES = EVENTS | {"instance_index": "int64"} | dict.fromkeys(REQUESTS, "float64")
COLLECTIONS = EVENTS | {"scheduling_class": "int64", "priority": "int64", "user": "string"}


@typed
def google2019_tasks(
    instance_events: AnyPath, collection_events: AnyPath | None = None
) -> Workload:
    """Read the finished tasks of jobs, how long they ran and what they requested.

    The trace is in BigQuery alone. Export each table as CSV (also `.gz`) or `.parquet`::

        SELECT time, type, collection_id, instance_index,
               resource_request.cpus AS cpus, resource_request.memory AS memory
        FROM `google.com:google-cluster-data.clusterdata_2019_a.instance_events` WHERE collection_type = 0

        SELECT time, type, collection_id, scheduling_class, priority, user
        FROM `google.com:google-cluster-data.clusterdata_2019_a.collection_events` WHERE collection_type = 0

    tasks: `duration` (s, from the last SCHEDULE before the FINISH to the FINISH), `cpu`, `mem` (the request
    at that SCHEDULE, as a fraction of the largest machine). jobs: `job`, `submit` (s, the job's first event;
    the trace begins at 600 s); with `collection_events` also `class` (scheduling class, 0 to 3), `priority`
    and `user`, and `submit` is the time of the job's own first event. A Parquet file may keep `resource_request`
    as a record.

    | defect | what happens |
    |---|---|
    | runs that were evicted, failed, killed or lost | left out, counted; a later run that finishes is kept |
    | a task that finishes again | its last run, counted |
    | a run begun before the trace, or not ended in it; a FINISH without a SCHEDULE | left out, counted |
    | a task without a request; a job without a finished task, or not in `collection_events` | left out, counted |
    | events after the trace (2^63 - 1) | left out, counted |
    | the same event twice | once, counted |
    | events out of order | sorted, counted |

    Raises ValueError on a damaged file (see `schedlib.traces`), a column that is missing, and another `type`.
    The whole export is in memory. Source: Google, clusterdata_trace_format_v3.proto and ClusterData2019.md,
    https://github.com/google/cluster-data (CC-BY).

    See also: `traces.google2011_tasks`.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w+") as file:
    ...     print("time,type,collection_id,instance_index,cpus,memory", file=file)
    ...     print("600000000,3,5,0,0.1,0.2\\n607500000,6,5,0,0.1,0.2", file=file, flush=True)
    ...     google2019_tasks(file.name).tasks.values.tolist()
    [[5.0, 7.5, 0.1, 0.2]]
    """
    report = Report()
    events = _events(Path(instance_events), INSTANCES, report)
    events = leave_out(events, {"repeated events": repeated(events)}, report)
    count_ended_early(report, events)
    tasks, running = runs(events, report, ("cpu", "mem"))
    tasks = last_runs(tasks, running, report)
    columns = ["job", "submit"]
    if collection_events is not None:
        events = _events(Path(collection_events), COLLECTIONS, report)
        unlisted = ~tasks["job"].isin(events["job"])
        tasks = leave_out(tasks, {"tasks of jobs not in collection_events": unlisted}, report)
        columns += ["class", "priority", "user"]
    jobs = events.drop_duplicates("job")
    unfinished = ~jobs["job"].isin(tasks["job"])
    jobs = leave_out(jobs, {"jobs without a finished task": unfinished}, report)
    if not len(jobs):
        raise ValueError(f"{instance_events}: no task finishes; export a longer stretch")
    jobs = jobs.assign(submit=jobs["time"] / 1e6)
    return Workload(jobs[columns], tasks, report=report)


def _events(path: Path, types: Types, report: Report) -> pd.DataFrame:
    """The events of an export in the order of time, with 2011's `event` in place of `type`."""
    events = read_frame(path, None, types, optional=list(REQUESTS))
    most = len(EVENT_OF) - 1
    refuse(path, "type", events["type"] > most, f"is more than {most}")
    events["event"] = EVENT_OF[events["type"]]
    events = leave_out(events, {"events after the trace": events["time"] == AFTER}, report)
    events = events.rename(columns=NAMES)
    return in_order(events, "time", report, "events")
