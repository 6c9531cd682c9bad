"""The closing chapter's slices are what they say, each paper gets the same jobs, and the explorer draws what is stored."""

import itertools

import numpy as np
import pandas as pd
import pytest

from book.explorers import one_trace as explorer
from book.lessons import one_trace
from refusals import refuses
from schedlib import eagle


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


@pytest.mark.parametrize(
    "wrong", [{"every": 0}, {"every": 1.5}, {"every": 4, "first": 4}, {"start": 61}]
)
def test_a_slice_that_cannot_be_is_refused(wrong):
    refuses("whole number|take one from", one_trace.part, **wrong)


def test_who_waits_for_whom_is_read_from_the_name():
    names = ("M1", "R2_1", "J3_1_2", "M12", "task_x_1", "R10_9")
    jobs = pd.DataFrame({"job": range(6), "submit": 0, "stage": names})
    made = type(one_trace.part(50, 64))(jobs, pd.DataFrame({"job": range(6), "duration": 1.0}))
    assert one_trace.waits_for_others(made).tolist() == [False, True, True, False, False, True]


def test_every_policy_runs_every_instance_once():
    part = one_trace.part(30, 16)
    for run in one_trace.place(part, 0.9).values():
        assert run.arrived == run.finished == len(part.tasks) and not run.waiting
        took = (run.jobs["finish"] - run.jobs["start"]).to_numpy()
        assert (
            np.allclose(took, np.maximum(part.tasks["duration"], 0.5)) and (run.wait >= -1e-9).all()
        )


def test_a_batch_is_the_slices_pairs_and_no_order_beats_the_bound(small):
    for alike in (False, True):
        orders, bound = one_trace.order(small, seed=3, alike=alike)
        assert all(done.makespan >= bound * (1 - 1e-9) for done in orders.values())
        assert {len(done.job_end) for done in orders.values()} == {len(one_trace.pairs(small))}


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


def test_workers_are_the_fewest_for_the_load_and_no_job_is_faster_than_its_longest_task(small):
    longest = np.maximum(
        np.maximum.reduceat(small.tasks["duration"].to_numpy(), small.offsets[:-1]), 1
    )
    workload = eagle.alibaba(1, trace=small)
    for run in one_trace.probe(small, 0.9).values():
        workers = run.stats["workers"]
        assert eagle.offered_load(workload, workers) <= 0.9
        assert eagle.offered_load(workload, workers - 1) > 0.9
        assert (run.jobs["completion"] >= longest - 1e-6).all() and len(run.jobs) == len(small)


def test_the_grid_is_whole():
    grid = one_trace.grid()
    settings = list(itertools.product(one_trace.STARTS, one_trace.STEPS, one_trace.LOADS))
    assert set(grid[["start", "every", "load"]].itertuples(index=False, name=None)) == set(settings)
    assert (
        grid["value"].notna().all()
        and grid.groupby(["start", "every", "load"]).size().nunique() == 1
    )


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
    panels = zip(figure.axes, explorer.PANELS.items(), strict=True)
    for ax, (question, (_, measure, policies)) in panels:
        drawn = [line.get_xdata()[0] for line in ax.lines]
        assert drawn == values[question, measure][list(policies)].tolist()
        low, high = ax.get_xlim()
        assert low < min(drawn) and max(drawn) < high


def test_several_slices_give_means_with_intervals():
    grid = one_trace.grid().query("every == 8 and load == 80")
    figure, words = explorer.plot_answers(grid)
    assert all(
        len(ax.lines) == 2 * len(policies)
        for ax, (_, _, policies) in zip(figure.axes, explorer.PANELS.values(), strict=True)
    )
    mean = np.exp(
        np.log(
            grid.query("question == 'probe' and measure == 'short' and policy == 'hawk'")["value"]
        ).mean()
    )
    assert f"Hawk {mean:.3g}" in words


def test_a_setting_that_is_not_stored_is_refused():
    refuses("stored are", explorer.draw, 5)
