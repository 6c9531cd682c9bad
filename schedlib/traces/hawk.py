"""The `.tr` format of the Hawk and Eagle simulators: a line is `submit tasks mean duration duration ...`."""

import gzip
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from schedlib.core.checks import typed
from schedlib.paths import replacing
from schedlib.traces._reading import fetched, in_order
from schedlib.workload import Workload


def hawk_folder() -> Path | None:
    """The folder with files of Hawk's and Eagle's traces, or None when there is none.

    It is the one that the variable SCHEDLIB_HAWK names; without it `hawk` below the checkout's
    `data/downloads`, where `make data ARGS=hawk` puts them, or below `../shared/data` beside it.

    >>> folder = hawk_folder()
    >>> folder is None or len(list(folder.glob("*.tr"))) > 0
    True
    """
    return fetched("SCHEDLIB_HAWK", "hawk", "*.tr")


@typed
def read_hawk(path: str | Path) -> Workload:
    """Read a `.tr` file (gzip when its name ends in `.gz`).

    jobs: `job` (0, 1, ... in the order of submission), `submit` (s), `class` (0) and `mean`, the estimate of
    a task's duration that the file states and a scheduler may use (s). tasks: `job`, `duration` (s).

    | defect | what happens |
    |---|---|
    | jobs out of order | sorted, those of one time as they stood; counted |
    | a blank line | skipped; counted unless nothing follows |

    Raises ValueError on a damaged file (see `schedlib.traces`), also on a wrong number of durations and a job
    without tasks. Source: Delgado et al., Hawk (ATC 2015) and Eagle (SoCC 2016).

    See also: `traces.write_hawk`, `eagle.simulate`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     two = Workload.from_arrays([0, 7], [2, 4, 1.5], tasks=[2, 1])
    ...     written = write_hawk(two, Path(folder) / "two.tr")
    ...     print(written.read_text())
    ...     read_hawk(written).jobs
    0 2 3 2 4
    7 1 1.5 1.5
       job  submit  class  mean
    0    0     0.0      0   3.0
    1    1     7.0      0   1.5
    """
    path = Path(path)
    rows, durations = [], []
    blank = skipped = 0
    try:
        with _open(path, "rt") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    blank += 1
                    continue
                skipped += blank
                blank = 0
                values = _numbers(path, number, line)
                rows.append(values[:3])
                durations.append(values[3:])
    except (EOFError, OSError, zlib.error, UnicodeDecodeError) as error:
        why = "the file is missing, cut short or damaged: fetch it again"
        raise ValueError(f"{path}: {error}; {why}") from None
    if not rows:
        raise ValueError(f"{path}: no jobs; the file is empty, fetch it again")
    report = {"blank lines between jobs (skipped)": skipped} if skipped else {}
    jobs = pd.DataFrame(rows, columns=["submit", "tasks", "mean"])
    line = np.repeat(jobs.index, jobs["tasks"].astype(int))
    jobs = jobs.drop(columns="tasks").assign(line=jobs.index)
    jobs = in_order(jobs, "submit", report, "jobs")
    job_of = np.argsort(jobs["line"].to_numpy())
    tasks = pd.DataFrame({"job": job_of[line], "duration": np.concatenate(durations)})
    jobs = jobs.drop(columns="line").assign(job=jobs.index)
    return Workload(jobs, tasks, report=report)


@typed
def write_hawk(workload: Workload, path: str | Path) -> Path:
    """Write `workload` as a `.tr` file (gzip when its name ends in `.gz`), in one step, and return its path.

    Numbers are written so that `read_hawk` gives the same again. The third field is the job's `mean` where
    jobs have that column, else the mean of its durations. Names of jobs, classes and demands are lost.
    Raises ValueError when a job has no task.

    See also: `traces.read_hawk`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_hawk(Workload.from_arrays([0], [2, 4], tasks=[2]), Path(folder) / "one.tr").read_text()
    '0 2 3 2 4\\n'
    """
    path = Path(path)
    jobs = workload.jobs
    work = workload.work()  # refuses jobs without tasks
    mean = jobs["mean"] if "mean" in jobs else work / np.diff(workload.offsets)
    submit = jobs["submit"].to_numpy(float)
    duration = workload.tasks["duration"].to_numpy(float)
    of_jobs = np.split(duration, workload.offsets[1:-1])
    with replacing(path) as written, _open(written, "wt") as file:
        for begin, estimate, times in zip(submit.tolist(), mean.tolist(), of_jobs, strict=True):
            durations = _text([estimate, *times.tolist()])
            file.write(f"{_text([begin])} {len(times)} {durations}\n")
    return path


def _open(path: Path, mode: str) -> Any:
    return gzip.open(path, mode) if path.suffix == ".gz" else path.open(mode)


def _text(numbers: Iterable[float]) -> str:
    return " ".join(map(_digits, numbers))


def _digits(number: float) -> str:
    # beyond 2^53 a float's digits as an integer are noise, and repr is shorter
    whole = number.is_integer() and abs(number) < 2**53
    return str(int(number)) if whole else repr(number)


def _numbers(path: Path, number: int, line: str) -> np.ndarray:
    try:
        values = np.array(line.split(), dtype=float)
    except ValueError as error:
        raise ValueError(f"{path}: row {number}: {error}; correct the row or take it out") from None
    right = np.isfinite(values) & (values >= 0)
    if not right.all():
        raise ValueError(
            f"{path}: row {number} has a negative, NaN or infinite number; correct or remove it"
        )
    durations = max(0, len(values) - 3)
    if durations == 0 or durations != values[1]:
        stated = f"{values[1]:g}" if len(values) > 1 else "no number of"
        has = f"states {stated} tasks and has {durations} durations"
        raise ValueError(
            f"{path}: row {number} {has}; write: submit tasks mean duration duration ..."
        )
    return values
