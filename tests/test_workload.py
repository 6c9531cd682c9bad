"""The workload: what it accepts, what it refuses and how it says so, and that nobody can change it."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import CASES
from refusals import refuses
from schedlib import eagle, lotes
from schedlib.workload import Workload


def frames(**changes):
    jobs = pd.DataFrame({"job": [10, 20, 30], "submit": [0.0, 1.0, 1.0], "class": [0, 2, 1]})
    tasks = pd.DataFrame({"job": [10, 20, 20], "duration": [5.0, 0.0, 2.5], "cpu": [1.0, 0.5, 0.5]})
    for name, values in changes.items():
        frame = jobs if name in ("submit", "class", "job") else tasks
        frame["job" if name == "task_job" else name] = values
    return jobs, tasks


def test_columns_and_offsets():
    w = Workload(*frames())
    assert list(w.jobs) == ["job", "submit", "class"]
    assert list(w.tasks) == ["job", "duration", "cpu"]
    assert w.resources == ("cpu",) and len(w) == 3 and w.time_unit == "s" and w.report == {}
    assert w.offsets.tolist() == [0, 1, 3, 3]  # the third job has no task


def test_jobs_of_which_none_has_a_task_are_refused_as_such():
    jobs, tasks = frames()
    none = Workload(jobs, tasks[:0])
    words = "workload: no job has a task .*hmhs.swim_jobs.*add tasks"
    server = lotes.MachineConfigs([[1.0]], [1], names=("cpu",))
    refuses(words, none.work)
    refuses(words, lotes.simulate, "greedy", server, none)
    refuses(words, lotes.offered_load, none, server)
    refuses(words, eagle.simulate, none, short_partition=0.2, cutoff=3.0)
    refuses(words, eagle.offered_load, none, 5)
    refuses("row 2 has no task; leave such jobs out", Workload(jobs, tasks).work)


def test_class_is_filled_and_further_job_columns_stay():
    jobs, tasks = frames()
    w = Workload(jobs.drop(columns="class").assign(end=[1.0, np.nan, 2.0]), tasks)
    assert w.jobs["class"].tolist() == [0, 0, 0] and np.isnan(w.jobs["end"][1])


def test_tasks_are_put_in_the_order_of_their_jobs():
    jobs, tasks = frames()
    tasks = tasks.iloc[[1, 0, 2]]
    w = Workload(jobs, tasks)
    assert w.tasks["job"].tolist() == [10, 20, 20]
    assert w.tasks["duration"].tolist() == [5.0, 0.0, 2.5]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        *CASES["workload"]["refusals_name_argument_row_and_way_out"],
        (
            {"submit": pd.to_datetime([0, 1, 2])},
            r"jobs.submit\[0\]: .*; is a date, which has no unit; give \(t - t.min\(\)\).dt.total_sec",
        ),
        ({"duration": pd.to_timedelta([1, 2, 3])}, r"tasks.duration\[0\]: .* give t.dt.total_sec"),
    ],
)
def test_refusals_name_argument_row_and_way_out(changes, message):
    refuses(message, Workload, *frames(**changes))


@pytest.mark.parametrize("unit", ["hours", "S"])
def test_unknown_units_of_time_are_refused(unit):
    """Boards once took "hours" for seconds, and Tetris decided otherwise by "seconds" than by "s"."""
    words = f"time_unit: '{unit}' is unknown"
    refuses(words, Workload.from_arrays, [0], [1], time_unit=unit)


def test_missing_columns_and_no_jobs_are_refused():
    jobs, tasks = frames()
    refuses("jobs: no column 'submit'", Workload, jobs.drop(columns="submit"), tasks)
    refuses("tasks: no column 'duration'", Workload, jobs, tasks.drop(columns="duration"))
    refuses("jobs: no rows", Workload, jobs.iloc[:0], tasks.iloc[:0])


def test_nobody_can_change_it():
    jobs, tasks = frames()
    w = Workload(jobs, tasks)
    jobs.loc[0, "submit"] = 9.0
    tasks["duration"] = 9.0
    taken = w.tasks
    taken.loc[0, "duration"] = 9.0
    other = w.jobs
    other["new"] = 1
    w.report["made up"] = 1
    assert w.jobs["submit"][0] == 0.0 and w.tasks["duration"].tolist() == [5.0, 0.0, 2.5]
    assert "new" not in w.jobs and w.report == {}
    for array in (w.tasks["duration"].to_numpy(), w.offsets):
        refuses("read-only", array.fill, 9)
    with pytest.raises(AttributeError):
        w.jobs = jobs


def test_it_can_go_to_another_process():
    w = Workload(*frames(), report={"odd": 2})
    again = pickle.loads(pickle.dumps(w))
    pd.testing.assert_frame_equal(again.tasks, w.tasks)
    assert again.report == {"odd": 2} and again.offsets.tolist() == w.offsets.tolist()


def test_what_leaves_no_job_is_refused():
    w = Workload(*frames())
    refuses("^n: ", w.head, 0)
    refuses(r"\[5, 9\)", w.between, 5, 9)
    refuses("t0, t1", w.between, 1, 0)
    for ends in ((0, np.nan), (np.nan, 1)):
        refuses("is NaN", w.between, *ends)


def test_from_arrays_ignores_the_index_of_a_series():
    late = pd.Series([1.0, 2.0], index=[5, 9])
    assert Workload.from_arrays(late, late * 3, cpu=late).tasks["duration"].tolist() == [3.0, 6.0]


@pytest.mark.parametrize(
    ("given", "message"), CASES["workload"]["from_arrays_says_which_length_is_wrong"]
)
def test_from_arrays_says_which_length_is_wrong(given, message):
    refuses(message, Workload.from_arrays, **{"submit": [0, 1], "duration": [1, 2]} | given)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=20), st.integers(1, 20))
def test_cutting_keeps_each_jobs_tasks(counts, n):
    durations = list(range(sum(counts)))
    report = {"odd": 2}
    w = Workload.from_arrays(range(len(counts)), durations, tasks=counts, report=report)
    for cut in (w.head(n), w.between(0, n)):
        assert cut.report == report
        assert np.diff(cut.offsets).tolist() == counts[:n]
        assert cut.tasks["duration"].tolist() == durations[: sum(counts[:n])]


def test_summary_of_a_workload_without_tasks_and_with_a_report():
    jobs, tasks = frames()
    summary = Workload(jobs, tasks.iloc[:0], time_unit="h", report={"late": 7}).summary()
    assert summary.loc["jobs", "value"] == 3 and summary.loc["span"].tolist() == [1, "h"]
    assert summary.loc["report: late", "value"] == 7 and not any(
        "duration" in name for name in summary.index
    )
