"""Measures from the first submission on, bounded in their rows; warnings of what a run cannot do."""

import warnings

import numpy as np
import pytest

from refusals import refuses
from schedlib import lotes
from schedlib.workload import Workload

SERVER = lotes.MachineConfigs([[1.0]], [1])


def crowd(load, at=0.0):
    """2,000 jobs of whole and half seconds on one machine, submitted from then on."""
    rng = np.random.default_rng(0)
    runs = rng.integers(1, 8, 2000) / 2
    submit = np.round(2 * np.cumsum(rng.exponential(runs.mean() / load, 2000))) / 2
    return Workload.from_arrays(submit + at, runs, cpu=np.ones(2000))


@pytest.mark.parametrize("options", [{}, {"interval": 16.0}, {"record": False}])
@pytest.mark.parametrize("at", [1e6, 2.0**31])
@pytest.mark.parametrize("load", [0.9, 1.2])
def test_the_origin_of_time_changes_nothing_but_times(load, at, options):
    jobs = crowd(load)
    last = jobs.jobs["submit"].iloc[-1]
    here = lotes.simulate("greedy", SERVER, jobs, until=last, **options)
    there = lotes.simulate("greedy", SERVER, crowd(load, at), until=last + at, **options)
    assert there.utilisation == pytest.approx(here.utilisation, rel=1e-12)
    assert there.mean_queue == pytest.approx(here.mean_queue, rel=1e-12)
    assert there.stable == here.stable == (load < 1)
    assert there.time - at == here.time
    assert there.quantile(0.9) == here.quantile(0.9)
    moved = here.intervals.assign(
        begin=here.intervals["begin"] + at, end=here.intervals["end"] + at
    )
    assert np.allclose(there.intervals, moved, rtol=1e-6, equal_nan=True)


def test_a_batch_has_some_thousand_intervals_and_the_same_sums():
    batch = Workload.from_arrays(np.zeros(30_000), np.ones(30_000), cpu=np.ones(30_000))
    asked = []
    run = lotes.simulate("greedy", SERVER, batch, enough=lambda time, n: asked.append(time))
    assert len(run.intervals) <= 8192
    fine = lotes.simulate("greedy", SERVER, batch, interval=0.25)
    assert len(fine.intervals) == 120_000
    width = run.intervals["end"].iloc[0]
    assert width in 0.01 * 2.0 ** np.arange(20)
    assert np.diff(asked).max() <= width + 1e-9 and np.diff(asked).min() > 0
    for name in ("arrived", "started", "finished"):
        assert run.intervals[name].sum() == 30_000
    assert run.mean_queue == pytest.approx(fine.mean_queue)
    assert run.utilisation == pytest.approx(fine.utilisation)
    lasted = run.intervals["end"] - run.intervals["begin"]
    assert (run.intervals["queue"] * lasted).sum() == pytest.approx(run.mean_queue * run.time)
    left = batch.jobs["submit"].size - run.intervals["started"].cumsum()
    assert run.intervals["queue_end"].tolist() == left.tolist()


def test_a_class_that_is_a_users_number_is_refused():
    jobs = Workload.from_arrays([0, 1], [1, 1], job_class=[0, 2_000_000_000], cpu=[1, 1])
    refuses(
        "workload: job 1 is of class 2000000000.*number the classes 0, 1",
        lotes.simulate,
        "greedy",
        SERVER,
        jobs,
    )


def never(cluster, job):
    return -1


def test_jobs_that_never_start_are_warned_of():
    jobs = Workload.from_arrays([0, 1], [1, 1], cpu=[1, 1])
    with pytest.warns(
        UserWarning, match="collector: 2 of 2 jobs never start.*return -1 on arrival"
    ):
        lotes.simulate(lotes.Policy(never, name="collector"), SERVER, jobs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lotes.simulate(lotes.Policy(never), SERVER, jobs, until=5)
        lotes.simulate(lotes.Policy(never), SERVER, jobs, enough=lambda time, waiting: waiting > 0)
        lotes.simulate("greedy", SERVER, jobs)


def test_a_wait_ends_with_the_start_and_a_response_with_the_finish():
    """The second job runs from 2 to 5, the third starts after `until`."""
    jobs = Workload.from_arrays([0.0, 1.0, 1.0], [2.0, 3.0, 4.0], cpu=[1, 1, 1])
    run = lotes.simulate("greedy", SERVER, jobs, until=4.5)
    assert run.wait.tolist()[:2] == [0.0, 1.0] and np.isnan(run.wait[2])
    assert run.mean_wait == (0.0 + 1.0 + 3.5) / 3 and run.mean_wait_started == 0.5
    with pytest.warns(FutureWarning, match="^response: .*before version 3 it was the wait"):
        response = run.response
    assert response[:2].tolist() == [2.0, 4.0] and np.isnan(response[2])
    with pytest.warns(FutureWarning, match="^mean_response: .*which is mean_wait now"):
        assert run.mean_response == 3.0
    bare = lotes.simulate("greedy", SERVER, jobs, until=4.5, record=False)
    assert bare.mean_wait == run.mean_wait
    with pytest.warns(FutureWarning), pytest.raises(ValueError, match="^mean_response: .*no rows"):
        bare.mean_response  # noqa: B018
