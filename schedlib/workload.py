"""The workload: jobs and their tasks as columns, checked once, never changed afterwards."""

from collections.abc import Hashable, Mapping, Sequence
from keyword import iskeyword
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from schedlib.core.checks import refuse, typed, unknown, unmasked

SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
"""A workload's units of time in seconds."""
WITHOUT_UNIT = {
    "M": "is a date, which has no unit; give (t - t.min()).dt.total_seconds()",
    "m": "is a length of time without a unit; give t.dt.total_seconds()",
    "O": "must be a finite number >= 0; pd.to_numeric makes numbers of text, pd.to_datetime dates",
}
"""The way out, by the kind of a column."""
RESULT = ("job", "class", "submit", "start", "finish")
"""The first columns of the frame `jobs` of every result."""


class Workload:
    """Jobs in the order of their submission, each with its tasks.

    | frame | one row per | columns |
    |---|---|---|
    | `jobs` | job | `job` (int or str, unique), `submit` (>= 0), `class` (int, else 0), any further ones |
    | `tasks` | task | `job`, `duration` (>= 0), and one column per demanded resource (>= 0, trace's unit) |

    All times are in `time_unit`: ms, s, min, h or d. Tasks are put in the order of their jobs: those of job i are rows
    `offsets[i]` to `offsets[i + 1]` of `tasks`. A job may have no task. `report` says how often a reader met
    what (reason -> count); `summary` prints it. `jobs` and `tasks` give copies, so changing them does not
    change the workload.

    Raises ValueError, naming the argument, the row (counted from 0) and the way out, on a missing column, on
    a time or demand that is negative, NaN or infinite, on jobs out of order or there twice, on a task of an
    unknown job, on an unknown unit of time, and without any job.

    See also: `schedlib.traces`, whose readers give one.

    >>> jobs = pd.DataFrame({"job": ["a", "b"], "submit": [0.0, 1.5]})
    >>> tasks = pd.DataFrame({"job": ["a", "a", "b"], "duration": [3.0, 4.0, 1.0], "cpu": [1.0, 1.0, 0.5]})
    >>> Workload(jobs, tasks)
    Workload(2 jobs, 3 tasks, 1.5 s, demands: cpu)
    """

    @typed
    def __init__(
        self,
        jobs: pd.DataFrame,
        tasks: pd.DataFrame,
        time_unit: str = "s",
        report: Mapping[str, int] | None = None,
    ) -> None:
        if time_unit not in SECONDS:
            raise unknown("time_unit", time_unit, SECONDS)
        jobs, tasks = (
            _columns("jobs", jobs, "job", "submit"),
            _columns("tasks", tasks, "job", "duration"),
        )
        if not len(jobs):
            raise ValueError(
                "jobs: no rows; a workload needs at least one job, is the trace cut short?"
            )
        submit = jobs["submit"] = _amounts("jobs", jobs, "submit")
        refuse(
            "jobs.submit",
            np.diff(submit, prepend=0.0) < 0,
            submit,
            "is earlier than the row before; sort first: jobs.sort_values('submit')",
        )
        if "class" not in jobs:
            jobs.insert(2, "class", 0)
        classes = _numbers(jobs["class"])
        refuse(
            "jobs.class",
            ~np.isfinite(classes) | (classes != np.floor(classes)),
            jobs["class"].to_numpy(),
            "must be a whole number; number the classes 0, 1, ...",
        )
        jobs["class"] = classes.astype(np.int64)
        job, names = jobs["job"], jobs["job"].to_numpy()
        refuse("jobs.job", _no_name(job), names, "is not a valid job name; use text or a number")
        refuse(
            "jobs.job",
            job.duplicated().to_numpy(),
            names,
            "is there twice; keep one: jobs.drop_duplicates('job')",
        )

        for column in tasks.columns.drop("job"):
            tasks[column] = _amounts("tasks", tasks, column)
        refuse(
            "tasks.job",
            _no_name(tasks["job"]),
            tasks["job"].to_numpy(),
            "is not a valid job name; use that of its job",
        )
        owner = pd.Index(job).get_indexer(pd.Index(tasks["job"]))
        refuse(
            "tasks.job",
            owner < 0,
            tasks["job"].to_numpy(),
            "is not in jobs; keep the others: tasks[tasks.job.isin(jobs.job)]",
        )
        if (np.diff(owner) < 0).any():
            tasks = tasks.iloc[np.argsort(owner, kind="stable")].reset_index(drop=True)
        offsets = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=len(jobs)))))
        offsets.flags.writeable = False
        self._jobs, self._tasks, self._offsets = jobs, tasks, offsets
        self._time_unit, self._report = time_unit, dict(report or {})

    @property
    def jobs(self) -> pd.DataFrame:
        """One row per job, in the order of submission; a copy, which costs nothing until it is changed."""
        return self._jobs.copy(deep=False)

    @property
    def tasks(self) -> pd.DataFrame:
        """One row per task, in the order of their jobs; a copy, which costs nothing until it is changed."""
        return self._tasks.copy(deep=False)

    @property
    def time_unit(self) -> str:
        """The unit of all times, "s" unless said otherwise."""
        return self._time_unit

    @property
    def report(self) -> dict[str, int]:
        """How often the reader of the trace met what: reason -> count."""
        return dict(self._report)

    @classmethod
    @typed
    def from_arrays(
        cls,
        submit: Sequence[float] | np.ndarray,
        duration: npt.ArrayLike,
        *,
        tasks: npt.ArrayLike | None = None,
        job_class: Sequence[int] | np.ndarray | None = None,
        time_unit: str = "s",
        report: Mapping[str, int] | None = None,
        **demand: npt.ArrayLike,
    ) -> "Workload":
        """Make a workload from plain arrays; jobs are numbered 0, 1, ...

        `submit` has shape (N,), `duration` and each demand (`cpu=...`, `mem=...`) shape (T,), the tasks of
        the first job first. `tasks` (N,) counts the tasks of each job; left out, each job has one.
        `job_class` has shape (N,). Raises ValueError when lengths disagree, and as `Workload` does.

        >>> Workload.from_arrays([0, 2], [5, 5, 1], tasks=[2, 1], cpu=[1, 1, 4]).tasks
           job  duration  cpu
        0    0       5.0  1.0
        1    0       5.0  1.0
        2    1       1.0  4.0
        """
        n = len(submit)
        counts = np.ones(n, dtype=int) if tasks is None else _column("tasks", tasks)
        if counts.shape != (n,) or counts.dtype.kind not in "iu" or (counts < 0).any():
            raise ValueError(f"tasks: needs {n} whole numbers >= 0, one for each entry of submit")
        columns = {
            name: _column(name, values) for name, values in {"duration": duration, **demand}.items()
        }
        total = counts.sum()
        for name, values in columns.items():
            if len(values) != total:
                counted = f"{len(values)} entries for {total} tasks"
                raise ValueError(f"{name}: {counted}; give tasks=, their number per job")
        if job_class is not None and len(job_class) != n:
            raise ValueError(
                f"job_class: {len(job_class)} entries, but submit has {n}; give one per job"
            )
        jobs = pd.DataFrame(
            {
                "job": np.arange(n),
                "submit": _column("submit", submit),
                "class": 0 if job_class is None else _column("job_class", job_class),
            }
        )
        return cls(
            jobs,
            pd.DataFrame({"job": np.repeat(np.arange(n), counts), **columns}),
            time_unit,
            report,
        )

    @property
    def offsets(self) -> np.ndarray:
        """Where each job's tasks begin in `tasks`, shape (N + 1,), read-only."""
        return self._offsets

    @property
    def resources(self) -> tuple[str, ...]:
        """The names of the demanded resources, in the order of their columns."""
        return tuple(self._tasks.columns.drop(["job", "duration"]))

    def numeric_columns(self) -> dict[str, np.ndarray]:
        """The columns of your own that rules read by name, as floats (N,): numeric ones, with names that can
        follow a dot.

        >>> jobs = pd.DataFrame({"job": [0], "submit": [0.0], "due": [9], "wall time": [1], "user": ["a"]})
        >>> Workload(jobs, pd.DataFrame({"job": [0], "duration": [1.0]})).numeric_columns()
        {'due': array([9.])}
        """
        columns = {}
        for name, column in self._jobs.drop(columns=["job", "submit", "class"]).items():
            text = str(name)
            follows_a_dot = text.isidentifier() and not text.startswith("_") and not iskeyword(text)
            if follows_a_dot and column.dtype.kind in "iufb":
                columns[text] = column.to_numpy(float, na_value=np.nan)
        return columns

    def __len__(self) -> int:
        return len(self._jobs)

    def __repr__(self) -> str:
        submit = self._jobs["submit"]
        demands = ", ".join(self.resources) or "none"
        span = f"{submit.iloc[-1] - submit.iloc[0]:g} {self.time_unit}"
        return f"Workload({len(self)} jobs, {len(self._tasks)} tasks, {span}, demands: {demands})"

    @typed
    def head(self, n: int) -> "Workload":
        """The first `n` jobs (all of them when there are fewer), with their tasks; ValueError when n is below 1.

        >>> Workload.from_arrays([0, 1, 2], [9, 8, 7]).head(2)
        Workload(2 jobs, 2 tasks, 1 s, demands: none)
        """
        if n < 1:
            raise ValueError(f"n: {n} jobs make no workload; ask for at least 1")
        return self._cut(0, min(n, len(self)))

    @typed
    def between(self, t0: float, t1: float) -> "Workload":
        """The jobs submitted at or after `t0` and before `t1`, at their own times.

        Raises ValueError if no job was submitted in [t0, t1), and when `t0` or `t1` is NaN.

        >>> Workload.from_arrays([0, 1, 2, 2], [9, 8, 7, 6]).between(1, 2).jobs["submit"].tolist()
        [1.0]
        """
        for name, time in (("t0", t0), ("t1", t1)):
            if time != time:
                raise ValueError(f"{name}: is NaN; use inf for 'until the end'")
        submit = self._jobs["submit"].to_numpy()
        first, last = np.searchsorted(submit, [t0, t1])
        if first >= last:
            raise ValueError(
                f"t0, t1: no job is submitted in [{t0}, {t1}); "
                f"jobs arrive from {submit[0]:g} to {submit[-1]:g}"
            )
        return self._cut(int(first), int(last))

    @typed
    def with_classes(self, classes: Sequence[int] | np.ndarray) -> "Workload":
        """The same work in other classes, one for each job (N,) or, as `lotes.cluster_jobs` gives, each task (T,).

        In the second case, unless each job has one task, each task becomes a job of its own, numbered 0, 1,
        ..., with its job's columns; `of_job` is the job it came from. Raises ValueError on another length and
        on an entry that is not a whole number.

        See also: `lotes.cluster_jobs`.

        >>> Workload.from_arrays([0, 1], [9, 8, 7], tasks=[2, 1]).with_classes([1, 0, 2]).jobs
           job  submit  class  of_job
        0    0     0.0      1       0
        1    1     0.0      0       0
        2    2     1.0      2       1
        """
        labels = _column("classes", classes)
        counts = np.diff(self._offsets)
        jobs, tasks = self.jobs, self.tasks
        uneven = (counts != 1).any()
        if len(labels) not in (len(jobs), len(tasks)) or (uneven and len(jobs) == len(tasks)):
            there = f"{len(labels)} entries for {len(jobs)} jobs and {len(tasks)} tasks"
            raise ValueError(
                f"classes: {there}; give one per job, or one per task if these are more or fewer"
            )
        if len(labels) != len(jobs):
            jobs = jobs.loc[jobs.index.repeat(counts)]
            jobs = jobs.assign(of_job=jobs["job"], job=np.arange(len(tasks)))
            tasks["job"] = np.arange(len(tasks))
        jobs["class"] = labels
        return Workload(jobs, tasks, self.time_unit, self.report)

    def _cut(self, first: int, last: int) -> "Workload":
        jobs = self._jobs.iloc[first:last].reset_index(drop=True)
        tasks = self._tasks.iloc[self._offsets[first] : self._offsets[last]].reset_index(drop=True)
        return Workload(jobs, tasks, self.time_unit, self.report)

    def require_tasks(self) -> None:
        """Raise ValueError where no job has a task.

        >>> Workload.from_arrays([0], [1.0]).require_tasks()
        """
        if self._tasks.empty:
            raise ValueError(
                "workload: no job has a task (of `read_swim` hmhs.swim_jobs makes tasks); add tasks with "
                "columns job and duration"
            )

    def work(self) -> np.ndarray:
        """The sum of the durations of each job's tasks, shape (N,); ValueError on a job without tasks."""
        self.require_tasks()
        if (empty := np.diff(self._offsets) == 0).any():
            row = int(empty.argmax())
            raise ValueError(f"workload: the job in row {row} has no task; leave such jobs out")
        return np.add.reduceat(self._tasks["duration"].to_numpy(float), self._offsets[:-1])

    def summary(self) -> pd.DataFrame:
        """A frame with `value` and `unit`: sizes, times, mean demands, and what the reader reported.

        `span` is the time from the first submission to the last, `work` the sum of all durations; six digits
        of each are given.

        >>> Workload.from_arrays([0, 10], [1, 2, 6], tasks=[1, 2], report={"blank lines": 3}).summary()
                            value    unit
        jobs                    2
        tasks                   3
        span                   10       s
        tasks per job, mean   1.5
        tasks per job, most     2
        duration, mean          3       s
        duration, median        2       s
        duration, 90 %        5.2       s
        duration, 99 %       5.92       s
        duration, longest       6       s
        work                    9  task-s
        report: blank lines     3
        """
        unit, submit, duration = self.time_unit, self._jobs["submit"], self._tasks["duration"]
        per_job = np.diff(self._offsets)
        rows = [
            ("jobs", len(self), ""),
            ("tasks", len(duration), ""),
            ("span", submit.iloc[-1] - submit.iloc[0], unit),
        ]
        if len(duration):
            shares = {"median": 0.5, "90 %": 0.9, "99 %": 0.99, "longest": 1.0}
            rows += [
                ("tasks per job, mean", per_job.mean(), ""),
                ("tasks per job, most", per_job.max(), ""),
                ("duration, mean", duration.mean(), unit),
            ]
            rows += [
                (f"duration, {name}", duration.quantile(share), unit)
                for name, share in shares.items()
            ]
            rows += [("work", duration.sum(), f"task-{unit}")]
            rows += [(f"{name}, mean", self._tasks[name].mean(), "") for name in self.resources]
        rows += [(f"report: {reason}", count, "") for reason, count in self._report.items()]
        names, values, units = zip(*rows, strict=True)
        shown = pd.Series([_short(value) for value in values], dtype=object)
        return pd.DataFrame({"value": shown, "unit": units}).set_axis(names)


def with_results(
    own: pd.DataFrame, found: Mapping[str, Any], repeats: np.ndarray | None = None
) -> pd.DataFrame:
    """The frame `jobs` of a result: the columns `RESULT`, then those of the reader's `own` jobs, then others `found`.

    What a simulator has found takes the place of a column of the same name. Jobs without names are numbered, without
    classes 0. `repeats`: how many rows of the result each row of `own` has, one if left out; a run that ended early
    has fewer.

    >>> found = {"start": [1.0], "finish": [3.0], "machine": [0]}
    >>> with_results(pd.DataFrame({"job": [7], "submit": [0.0], "user": ["a"]}), found)
       job  class  submit  start  finish user  machine
    0    7      0     0.0    1.0     3.0    a        0
    """
    given = {name: own[name] for name in RESULT if name in own}
    named = {"job": own.index, "class": 0} | given | dict(found)
    measured = {name: named[name] for name in RESULT} | named
    kept = own.drop(columns=list(named), errors="ignore")
    if not len(kept.columns):
        return pd.DataFrame(measured)
    first = pd.DataFrame({name: measured.pop(name) for name in RESULT})
    if repeats is not None:
        kept = kept.loc[kept.index.repeat(repeats)]
    kept = kept.iloc[: len(first)].set_axis(first.index)
    return pd.concat([first, kept, pd.DataFrame(measured, index=first.index)], axis=1)


def in_short(result: object, name: str, jobs: pd.DataFrame) -> str:
    """A result in a line, from the `name` of its policy and its frame `jobs`.

    >>> in_short(1.0, "fifo", pd.DataFrame({"submit": [0.0, 0.0], "start": [0.0, 3.0]}))
    'float(fifo, 2 jobs, mean wait 1.5)'
    """
    wait = (jobs["start"] - jobs["submit"]).mean()
    return f"{type(result).__name__}({name}, {len(jobs):,} jobs, mean wait {wait:.4g})"


def _short(value: float) -> int | float:
    if isinstance(value, int):
        return value
    rounded = float(f"{value:.6g}")
    return int(rounded) if rounded.is_integer() else rounded


def _column(argument: str, values: npt.ArrayLike) -> np.ndarray:
    unmasked(argument, values)
    try:
        column = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{argument}: needs one number each, not lists ({error})") from None
    if column.ndim != 1:
        raise ValueError(
            f"{argument}: needs a list of numbers, not shape {column.shape}; flatten it"
        )
    return column


def _columns(argument: str, frame: pd.DataFrame, *needed: str) -> pd.DataFrame:
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise ValueError(f"{argument}: column {twice!r} is there twice; rename or drop one")
    for column in needed:
        if column not in frame:
            there = list(frame.columns)
            raise ValueError(f"{argument}: no column {column!r} among {there}; rename or add it")
    frame = frame.reset_index(drop=True)
    return frame[[*needed, *frame.columns.drop(list(needed))]]


def _no_name(column: pd.Series) -> np.ndarray:
    """Where a column of names has none, or a list or the like."""
    if column.dtype != object:
        return column.isna().to_numpy()
    return np.array(
        [not isinstance(name, Hashable) or name is None or name != name for name in column], bool
    )


def _numbers(column: pd.Series) -> np.ndarray:
    """The column as floats, NaN where an entry is not a number; dates give NaN too, as they have no unit."""
    if column.dtype.kind in "cmM":
        return np.full(len(column), np.nan)
    if column.dtype == object:
        right = [
            np.isscalar(value) and not (isinstance(value, int) and value.bit_length() > 1000)
            for value in column
        ]
        column = column.where(right)
    return pd.to_numeric(column, errors="coerce").astype(float).to_numpy()


def _amounts(argument: str, frame: pd.DataFrame, column: str) -> np.ndarray:
    """The column as floats, all finite and >= 0; ValueError at the first entry that is not."""
    values = _numbers(frame[column])
    other = "must be a finite number >= 0; leave such rows out, or correct them"
    rule = WITHOUT_UNIT.get(frame[column].dtype.kind, other)
    refuse(
        f"{argument}.{column}",
        ~(np.isfinite(values) & (values >= 0)),
        frame[column].to_numpy(),
        rule,
    )
    return values
