"""The paper's workloads: laws, shares, clusters, seeds; and instances from traces."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from frames import as_frame
from refusals import refuses
from schedlib import hmhs

COLUMNS = ("map_time", "map_tasks", "reduce_time", "reduce_tasks")


def is_uniform(values, low, high):
    assert low <= values.min() and values.max() <= high
    return stats.kstest(values, stats.uniform(low, high - low).cdf).pvalue > 0.001


def is_uniform_whole(values, low, high):
    """Each whole number from low to high, both included, equally often: then each plus U[0, 1) is uniform, too."""
    return is_uniform(values + np.random.default_rng(0).random(values.size), low, high + 1)


USUAL = (5, 45), (15, 135), (1, 300), (1, 40)
LONG = (100, 2000), (300, 6000), (1, 300), (1, 40)
LARGE = (5, 45), (15, 135), (2000, 5000), (100, 400)


def test_workloads_have_the_papers_laws_and_shares():
    """Section 4.1: times of maps and reduces, numbers of maps and reduces, speeds."""
    single, hybrid = (make(20_000, seed=1, machines=(2, 3)) for make in (hmhs.single, hmhs.hybrid))
    large = hybrid.map_tasks >= 2000
    long = hybrid.map_time >= 100
    normal = ~large & ~long
    assert [int(kind.sum()) for kind in (normal, long, large)] == [16_000, 3_000, 1_000]
    for instance, kind, law in (
        (single, slice(None), USUAL),
        (hybrid, normal, USUAL),
        (hybrid, long, LONG),
        (hybrid, large, LARGE),
    ):
        assert is_uniform(instance.map_time[kind], *law[0])
        assert is_uniform(instance.reduce_time[kind], *law[1])
        assert is_uniform_whole(instance.map_tasks[kind], *law[2])
        assert is_uniform_whole(instance.reduce_tasks[kind], *law[3])
    place = np.flatnonzero(large)
    assert is_uniform(place, 0, 20_000), "large jobs arrive shuffled among the others"
    assert set(single.reduce_tasks) == {*range(1, 41)}
    assert is_uniform(single.map_speed.ravel(), 0.1, 1.0)
    assert is_uniform(single.reduce_speed.ravel(), 0.1, 1.0)
    columns = [*(getattr(single, name) for name in COLUMNS), *single.map_speed.T]
    pairs = np.corrcoef(columns)[np.triu_indices(len(columns), 1)]
    assert abs(pairs).max() < 0.04  # more than five standard errors


@pytest.mark.parametrize("slow", hmhs.CLUSTERS.values())
def test_slow_machines_and_common_random_numbers(slow):
    plain, instance = (
        hmhs.hybrid(200, seed=5, machines=(100, 7), slow=share) for share in (0, slow)
    )
    for name in COLUMNS:
        assert_array_equal(getattr(plain, name), getattr(instance, name))
    for stage in ("map_speed", "reduce_speed"):
        speed, before = getattr(instance, stage), getattr(plain, stage)
        machines = speed.shape[1]
        is_slow = speed.min(axis=0) >= 0.9
        assert is_slow.sum() == round(slow * machines)
        assert_array_equal(speed[:, ~is_slow], before[:, ~is_slow])
        if is_slow.any():
            assert is_uniform(speed[:, is_slow].ravel(), 0.9, 1.0)


def test_a_seed_is_an_instance():
    a, b, other = (hmhs.hybrid(9, seed=seed, machines=(3, 2)) for seed in (1, 1, 2))
    more = hmhs.hybrid(9, seed=1, machines=(7, 2))
    for name in (*COLUMNS, "map_speed", "reduce_speed"):
        assert_array_equal(getattr(a, name), getattr(b, name))
        assert not np.array_equal(getattr(a, name), getattr(other, name))
        if name != "map_speed":
            assert_array_equal(getattr(a, name), getattr(more, name))


def test_numbers_out_of_range_are_refused():
    refuses("n_jobs: 0", hmhs.single, 0)
    refuses("machines", hmhs.single, 3, machines=(0, 1))
    refuses("slow: 1.1", hmhs.single, 3, slow=1.1)


TRACE = as_frame("""
    row  map_tasks  map_time  reduce_tasks  reduce_time
     10          3       9.0             1            5
     20          1       4.0             0            1
     30          2       5.0             2            7
     40          9       6.0             2            8
""").set_index("row")


def test_from_trace_takes_jobs_as_they_are():
    instance = hmhs.from_trace(TRACE, seed=3, machines=(4, 2))
    for name in COLUMNS:
        assert getattr(instance, name).tolist() == TRACE[name].tolist()
    assert instance.map_speed.shape == (4, 4) and instance.reduce_speed.shape == (4, 2)


def test_from_trace_draws_each_job_at_most_once():
    chosen = {
        tuple(hmhs.from_trace(TRACE, seed=seed, n_jobs=2, machines=(1, 1)).map_time)
        for seed in range(40)
    }
    assert chosen == set(itertools.combinations(TRACE["map_time"], 2))


def test_from_trace_refuses():
    words = "no column map_time, reduce_tasks"
    refuses(words, hmhs.from_trace, TRACE.drop(columns=["map_time", "reduce_tasks"]))
    refuses("n_jobs: 5, must be from 1 to 4", hmhs.from_trace, TRACE, n_jobs=5)


SWIM = as_frame("""
    job  submit  map_input  shuffle  reduce_output
    a         0      640e6    1.5e9          0.5e9
    b         1       65e6    0              3e6
    c         2        0     10              0
""")


def test_swim_jobs_by_hand():
    # a: 10 blocks of 64 MB, each 6.4 s at 10 MB/s; 1.5 GB shuffled by two reduces that move 2 GB: 100 s each.
    # b: two maps of 32.5 MB, 3.25 s each, no reduce. c: a map and a reduce of next to nothing, one second each.
    jobs = hmhs.swim_jobs(SimpleNamespace(jobs=SWIM))
    assert list(jobs["job"]) == ["a", "b", "c"] and list(jobs["submit"]) == [0, 1, 2]
    assert jobs["map_tasks"].tolist() == [10, 2, 1]
    assert jobs["reduce_tasks"].tolist() == [2, 0, 1]
    assert_allclose(jobs["map_time"], [6.4, 3.25, 1])
    assert_allclose(jobs["reduce_time"][[0, 2]], [100, 1])


def test_swim_jobs_refuses():
    refuses("no column shuffle", hmhs.swim_jobs, SimpleNamespace(jobs=SWIM.drop(columns="shuffle")))
