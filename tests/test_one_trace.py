"""The closing chapter's slices are what they say, each paper gets the same jobs, and the explorer draws what is stored."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.stats import gmean

from book.explorers import one_trace as explorer
from book.lessons import one_trace
from refusals import refuses
from schedlib import eagle
from schedlib.workload import Workload


@pytest.fixture(scope="module")
def small():
    return one_trace.part(0, 32)


def test_slices_share_no_job_and_together_are_the_ten_minutes():
    found = [one_trace.part(20, 8, first).jobs["trace_job"].unique() for first in range(8)]
    jobs = one_trace.hour()[0].jobs
    whole = jobs.loc[(jobs["submit"] >= 1200) & (jobs["submit"] < 1800), "trace_job"].unique()
    assert sorted(np.concatenate(found)) == sorted(whole)


def test_a_slice_has_all_stages_and_instances_of_its_jobs_at_their_times(small):
    stages = one_trace.hour()[0]
    rows = stages.jobs["trace_job"].isin(small.jobs["trace_job"]).to_numpy()
    columns = ["job", "submit"]
    assert small.jobs[columns].values.tolist() == stages.jobs.loc[rows, columns].values.tolist()
    assert small.jobs["submit"].max() < 600
    wanted = stages.tasks["duration"][np.repeat(rows, np.diff(stages.offsets))]
    assert small.tasks["duration"].tolist() == wanted.tolist()


@pytest.mark.parametrize("wrong", [{"every": 1.5}, {"every": 4, "first": 4}, {"start": 61}])
def test_a_slice_that_cannot_be_is_refused(wrong):
    refuses("whole number|take one from", one_trace.part, **wrong)


def test_who_waits_for_whom_is_read_from_the_name():
    names = ("M1", "R2_1", "J3_1_2", "M12", "task_x_1", "R10_9")
    jobs = pd.DataFrame({"job": range(6), "submit": 0, "stage": names})
    made = Workload(jobs, pd.DataFrame({"job": range(6), "duration": 1.0}))
    assert one_trace.waits_for_others(made).tolist() == [False, True, True, False, False, True]


def test_every_policy_runs_every_instance_once():
    part = one_trace.part(30, 16)
    lasts = np.maximum(part.tasks["duration"], 0.5)
    for run in one_trace.place(part, 0.9).values():
        assert run.arrived == run.finished == len(part.tasks) and not run.waiting
        assert np.allclose(run.jobs["finish"] - run.jobs["start"], lasts)


def test_the_hierarchy_is_the_traces_jobs_and_their_stages(small):
    tree = one_trace.hierarchy(small)
    assert np.allclose(tree.demand, np.c_[small.jobs["plan_cpu"] / 96, small.jobs["plan_mem"]])
    sizes = np.diff(tree.child_start)[tree.child_start[:-1] < tree.child_start[1:]]
    assert sizes[0] == small.jobs["trace_job"].nunique()
    assert sizes[1:].tolist() == small.jobs.groupby("trace_job", sort=False).size().tolist()


def test_shares_are_in_units_of_an_equal_one(small):
    held = one_trace.shares(small)
    assert all(np.isclose(amount.mean(), 1) for amount in held.values())
    stages = small.jobs.groupby("trace_job", sort=False).size()
    # flat: every stage the same, so a job as many as it has
    assert np.allclose(held["drf"], stages / stages.mean())
    assert held["h-drf"].min() > 0.9


def test_workers_are_the_fewest_for_the_load(small):
    workload = eagle.alibaba(1, trace=small)
    for run in one_trace.probe(small, 0.9).values():
        workers = run.stats["workers"]
        loads = [eagle.offered_load(workload, number) for number in (workers, workers - 1)]
        assert loads[0] <= 0.9 < loads[1] and len(run.jobs) == len(small)


def test_the_grid_is_whole():
    grid = one_trace.grid()
    sizes = grid.groupby(["start", "every", "load"]).size()
    settings = itertools.product(one_trace.STARTS, one_trace.STEPS, one_trace.LOADS)
    assert set(sizes.index) == set(settings) and sizes.nunique() == 1
    assert grid["value"].notna().all()


def test_the_grid_is_what_the_source_gives():
    grid = one_trace.grid()
    stored = grid.query("start == 50 and every == 8 and load == 95").reset_index(drop=True)
    fresh = one_trace.answers(one_trace.part(50, 8), 0.95)
    both = stored.merge(fresh, on=["question", "policy", "measure"], suffixes=("", "_fresh"))
    assert len(both) == len(stored) == len(fresh)
    assert np.allclose(both["value"], both["value_fresh"], rtol=1e-4), (
        "python -m book.lessons.one_trace makes the grid again"
    )


@pytest.mark.parametrize("start, every, load", [(0, 4, 60), (50, 8, 95)])
def test_the_explorer_draws_the_stored_values_within_its_axes(start, every, load):
    figure, alt = explorer.draw(start, every, load)
    begin = f"Every {every}th job of minutes {start} to {start + 10}, load {load} per cent."
    assert alt.startswith(begin)
    rows = one_trace.grid().query("start == @start and every == @every and load == @load")
    values = rows.set_index(["question", "measure", "policy"])["value"].sort_index()
    for ax, (question, (_, measure, policies)) in zip(
        figure.axes, explorer.PANELS.items(), strict=True
    ):
        drawn = [line.get_xdata()[0] for line in ax.lines]
        assert drawn == values[question, measure][list(policies)].tolist()
        low, high = ax.get_xlim()
        assert low < min(drawn) and max(drawn) < high


def test_several_slices_give_means_with_intervals():
    grid = one_trace.grid().query("every == 8 and load == 80")
    figure, words = explorer.plot_answers(grid)
    policies = [len(names) for _, _, names in explorer.PANELS.values()]
    assert [len(ax.lines) / 2 for ax in figure.axes] == policies
    hawk = grid.query("question == 'probe' and measure == 'short' and policy == 'hawk'")
    assert f"Hawk {gmean(hawk['value']):.3g}" in words


def test_a_setting_that_is_not_stored_is_refused():
    refuses("stored are", explorer.draw, 5)
