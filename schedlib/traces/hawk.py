"""The `.tr` format of the Hawk and Eagle simulators: a line is `submit tasks mean duration duration ...`."""

import gzip
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np
import pandas as pd
from pandas import DataFrame

from schedlib.core.checks import typed
from schedlib.paths import replacing
from schedlib.traces._reading import (
    DAMAGE,
    AnyPath,
    Report,
    byte_bar,
    count,
    fetched,
    in_order,
    split_numbers,
)
from schedlib.workload import Workload

BLOCK = 2**22  # characters parsed at once
HEAD = 3  # numbers before the durations: submit, tasks, mean


def hawk_folder() -> Path | None:
    """The folder with files of Hawk's and Eagle's traces, or None without one.

    It is the one that the variable SCHEDLIB_HAWK names; without it `hawk` below the checkout's
    `data/downloads`, where `make data ARGS=hawk` puts them, or below `../shared/data` beside it.

    >>> folder = hawk_folder()
    >>> folder is None or len(list(folder.glob("*.tr"))) > 0
    True
    """
    return fetched("SCHEDLIB_HAWK", "hawk", "*.tr")


@typed
def read_hawk(path: AnyPath) -> Workload:
    """Read a `.tr` file (gzip when its name ends in `.gz`).

    jobs: `job` (0, 1, ... in the order of submission), `submit` (s), `class` (0) and `mean`, the estimate of
    a task's duration that the file states and a scheduler may use (s). tasks: `job`, `duration` (s).

    | defect | what happens |
    |---|---|
    | jobs out of order | sorted, those of one time in the order of the file; counted |
    | a blank line | skipped; counted unless nothing follows |

    Raises ValueError on a damaged file (see `schedlib.traces`), also on a wrong number of durations and a job
    without tasks. Source: Delgado et al., Hawk (ATC 2015) and Eagle (SoCC 2016);
    `schedlib.traces.download` fetches files of theirs.

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
    try:
        blocks = list(_blocks(path))
    except DAMAGE as error:
        why = "the file is missing, cut short or damaged: fetch it again"
        raise ValueError(f"{path}: {error}; {why}") from None
    if not blocks:
        raise ValueError(f"{path}: no jobs; the file is empty, fetch it again")
    columns = zip(*blocks, strict=True)
    number, submit, mean, counts, duration = map(np.concatenate, columns)
    del blocks  # as large as these
    report = Report()
    count(report, "blank lines between jobs (skipped)", number[-1] - len(number))
    job = pd.Series(submit).rank(method="first").astype(int) - 1
    jobs = DataFrame({"submit": submit, "mean": mean, "job": job})
    jobs = in_order(jobs, "submit", report, "jobs")
    tasks = DataFrame({"job": np.repeat(job, counts), "duration": duration})
    return Workload(jobs, tasks, report=report)


@typed
def write_hawk(workload: Workload, path: AnyPath) -> Path:
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
    packed = path.suffix == ".gz"
    with (
        replacing(path) as written,
        gzip.open(written, "wt") if packed else written.open("w") as file,
    ):
        for begin, estimate, times in zip(submit.tolist(), mean.tolist(), of_jobs, strict=True):
            numbers = " ".join(map(_digits, [estimate, *times.tolist()]))
            file.write(f"{_digits(begin)} {len(times)} {numbers}\n")
    return path


def _digits(number: float) -> str:
    # beyond 2^53 a float's digits as an integer are noise, and repr is shorter
    whole = number.is_integer() and abs(number) < 2**53
    return str(int(number)) if whole else repr(number)


def _blocks(path: Path) -> Iterator[Sequence[np.ndarray]]:
    """The rows of a file, a few MB at a time, without the blank lines, as `_rows` gives them."""
    with (
        path.open("rb") as raw,
        gzip.open(raw) if path.suffix == ".gz" else raw as whole,
        io.TextIOWrapper(whole, encoding="utf-8") as file,
        byte_bar(f"read {path.name}", path.stat().st_size) as bar,
    ):
        first = 1
        while lines := file.readlines(BLOCK):
            held = {number: line for number, line in enumerate(lines, first) if not line.isspace()}
            if held:
                yield _rows(path, held)
            first += len(lines)
            bar.update(raw.tell() - bar.n)


def _rows(path: Path, lines: Mapping[int, str]) -> Sequence[np.ndarray]:
    """Of N lines by their number in the file: numbers, submissions, means, counts of tasks (N,), durations (T,).

    ValueError at the first that is wrong.
    """
    number = np.array(list(lines))
    values, counts = split_numbers(path, lines)
    ends = np.cumsum(counts)
    wrong = ~(np.isfinite(values) & (values >= 0))
    if wrong.any():
        i = np.searchsorted(ends, wrong.argmax(), side="right")
        _refuse(path, number[i], "has a negative, NaN or infinite number")
    tasks = counts - HEAD
    if tasks.min() < 1:
        _refuse(path, number[tasks.argmin()], "has no durations")
    begins = ends - counts
    heads = begins[:, None] + np.arange(HEAD)
    submit, stated, mean = values[heads].T
    wrong = tasks != stated
    if wrong.any():
        i = wrong.argmax()
        _refuse(path, number[i], f"states {stated[i]:g} tasks and has {tasks[i]} durations")
    return number, submit, mean, tasks, np.delete(values, heads)


def _refuse(path: Path, row: int, why: str) -> NoReturn:
    raise ValueError(f"{path}: row {row} {why}; write: submit tasks mean duration duration ...")
