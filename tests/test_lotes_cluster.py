"""Job classes by clustering: planted classes found, Lloyd's fixed point, shares, rates and refusals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from cases import CASES
from refusals import refuses
from schedlib import lotes
from schedlib.workload import Workload

CENTRES = np.array([[0.02, 0.01], [0.02, 0.06], [0.1, 0.03], [0.3, 0.2]])


def planted():
    """Four well separated clouds, submitted over two days; (workload, the class that each job was drawn from)."""
    draw, jobs = np.random.default_rng(0), 2000
    cloud = draw.choice(4, jobs, p=[0.2, 0.4, 0.3, 0.1])
    demand = CENTRES[cloud] * draw.uniform(0.9, 1.1, (jobs, 2))
    duration = np.array([1.0, 2.0, 3.0, 4.0])[cloud] * draw.uniform(0.5, 1.5, jobs)
    submit = np.linspace(5.0, 5.0 + 48, jobs, endpoint=False)
    return Workload.from_arrays(
        submit, duration, cpu=demand[:, 0], mem=demand[:, 1], time_unit="h"
    ), cloud


def test_planted_classes_are_found():
    workload, cloud = planted()
    classes, found = lotes.cluster_jobs(workload, 4, configs=3)
    assert_array_equal(found, cloud)
    first = workload.jobs["submit"].to_numpy() < 29
    tasks = workload.tasks
    for k in range(4):
        mine = first & (found == k)
        assert classes.share[k] == pytest.approx(mine.sum() / first.sum())
        assert_allclose(classes.demand[k], tasks.loc[mine, ["cpu", "mem"]].mean())
        assert_allclose(1 / classes.rate[:, k], tasks.loc[mine, "duration"].mean())
    assert classes.rate.shape == (3, 4)


def test_same_seed_same_classes_and_any_unit():
    workload, _ = planted()
    tasks = workload.tasks.assign(cpu=workload.tasks["cpu"] * 1000)
    _, found = lotes.cluster_jobs(workload, 5, seed=3)
    for same in (workload, Workload(workload.jobs, tasks, "h")):
        assert_array_equal(found, lotes.cluster_jobs(same, 5, seed=3)[1])


@given(st.integers(0, 10**6), st.integers(1, 4))
def test_every_task_is_with_the_nearest_mean(seed, k):
    draw = np.random.default_rng(seed)
    n = 40
    size = draw.integers(1, 6, (n, 2)) / 10
    workload = Workload.from_arrays(np.zeros(n), np.ones(n), cpu=size[:, 0], mem=size[:, 1])
    classes, found = lotes.cluster_jobs(workload, k)
    unit = size.std(axis=0)
    distance = (((size[:, None] - classes.demand[None]) / unit) ** 2).sum(axis=2)
    assert_allclose(distance[np.arange(n), found], distance.min(axis=1))
    assert classes.share.sum() == pytest.approx(1) and (np.bincount(found, minlength=k) > 0).all()
    assert [tuple(row) for row in classes.demand] == sorted(tuple(row) for row in classes.demand)


def test_only_the_first_day_makes_classes():
    workload = Workload.from_arrays([0, 1, 30], [2, 2, 100], cpu=[0.1, 0.2, 0.9], time_unit="h")
    classes, found = lotes.cluster_jobs(workload, 2)
    assert classes.demand.tolist() == [[0.1], [0.2]] and found.tolist() == [0, 1, 1]
    assert (1 / classes.rate).tolist() == [[2, 2]]
    assert lotes.cluster_jobs(workload, 3, day=48)[0].n_classes == 3


def test_tasks_of_one_job_may_differ_in_class():
    workload = Workload.from_arrays([0], [1, 1, 1], tasks=[3], cpu=[1, 1, 5])
    assert lotes.cluster_jobs(workload, 2)[1].tolist() == [0, 0, 1]


def test_counts_say_what_an_extra_class_gains():
    workload, _ = planted()
    table = lotes.class_counts(workload, 6)
    assert table["k"].tolist() == [1, 2, 3, 4, 5, 6] and table["spread"].is_monotonic_decreasing
    assert table.loc[0, "spread"] == pytest.approx(1) and table.loc[3, "spread"] < 0.02
    assert len(lotes.class_counts(Workload.from_arrays([0, 1], [1, 1], cpu=[1, 2]), 6)) == 2


@pytest.mark.parametrize(("make", "options", "message"), CASES["lotes_cluster"]["refusals"])
def test_refusals(make, options, message):
    made = Workload.from_arrays(**{"submit": [0, 1], "duration": [1, 1]} | make)
    refuses(message, lotes.cluster_jobs, made, **options)
