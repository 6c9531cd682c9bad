"""The GPU cluster as a problem for LoTES: what is left out, how copies lie, how many machines a load needs."""

import numpy as np
import pandas as pd
import pytest

import exhibits
from exhibits.lotes import alibaba
from schedlib import lotes
from schedlib.workload import Workload


@pytest.fixture(scope="module")
def cluster():
    """40 nodes of two kinds, and 100 tasks over 1000 s, of which three came before the first one ended."""
    rng = np.random.default_rng(3)
    nodes = pd.DataFrame(
        {"cpu": [32] * 10 + [96] * 30, "mem": [128] * 10 + [384] * 30, "gpu": [0] * 10 + [8] * 30}
    )
    submit = np.r_[0, 1, 2, np.sort(rng.uniform(10, 900, 97))]
    duration = np.r_[10, 2000, 2000, rng.exponential(60, 97)]  # the first one ends at 10
    kinds = np.array([[4, 8, 0.5], [8, 32, 1.0], [16, 32, 0.0], [64, 256, 8.0]])[
        rng.integers(4, size=100)
    ]
    made = Workload.from_arrays(
        submit, duration, **dict(zip(("cpu", "mem", "gpu"), kinds.T, strict=True))
    )
    return nodes, made


def test_a_month_has_copies_at_random_times_without_what_came_before(cluster):
    nodes, trace = cluster
    length = 2002 - 10  # from the first end to the last
    for seed in range(2):
        configs, classes, jobs = lotes.gpu_month(nodes, trace, copies=5, load=0.5, k=3, seed=seed)
        submit, tasks = jobs.jobs["submit"].to_numpy(), jobs.tasks
        assert (
            len(jobs) == 5 * 97
            and jobs.report["tasks that came before the trace began (left out)"] == 3
        )
        assert submit.min() >= 0 and submit.max() < length and classes.n_classes == 3
        own = sorted(zip(*trace.tasks.to_numpy()[3:, 1:].T, strict=True))
        assert sorted(zip(*tasks.to_numpy()[:, 1:].T, strict=True)) == sorted(own * 5)
        # Turned by one time each: the gaps between a copy's tasks are those of the trace.
        known = trace.tasks["duration"].to_numpy()[[3, 4]]
        first, second = (np.sort(submit[tasks["duration"] == value]) for value in known)
        gap = trace.jobs["submit"].iloc[4] - trace.jobs["submit"].iloc[3]
        np.testing.assert_allclose(np.sort((first + gap) % length), second, atol=1e-6)


@pytest.mark.parametrize("load", [0.3, 0.6])
def test_machines_are_the_fewest_that_keep_the_load(cluster, load):
    nodes, trace = cluster
    configs, _, jobs = lotes.gpu_month(nodes, trace, copies=40, load=load, k=3)
    assert lotes.offered_load(configs, jobs) <= load
    whole, n = lotes.gpu_machines(nodes), configs.n_machines
    fewer = next(
        made
        for made in (lotes.fewer_machines(whole, 40 / m) for m in range(n - 1, 0, -1))
        if made.n_machines < n
    )
    assert lotes.offered_load(fewer, jobs) > load and configs.pieces == 2


def test_a_draw_asks_for_all_gpus_and_not_for_a_task_more(cluster):
    nodes, trace = cluster
    configs, _, jobs = lotes.gpu_draw(nodes, trace, k=3, shrink=2.0)
    asked = jobs.tasks["gpu"].to_numpy()
    assert configs.count.tolist() == [5, 15] and asked[:-1].sum() < 120 <= asked.sum()
    assert jobs.tasks["duration"].min() > len(jobs)
    drawn = set(map(tuple, jobs.tasks[["cpu", "mem", "gpu"]].to_numpy()))
    assert drawn <= set(map(tuple, trace.tasks[["cpu", "mem", "gpu"]].to_numpy()))


def test_the_exhibit_says_aloud_what_it_lacks(monkeypatch, tmp_path):
    monkeypatch.setenv("SCHEDLIB_ALIBABA_GPU2023", str(tmp_path))
    assert (
        "python -m schedlib data alibaba-gpu2023" in exhibits.no_gpu_trace()
        and exhibits.gpu_files({}) == []
    )
    assert all(
        experiment.missing() == exhibits.no_gpu_trace()
        for experiment in alibaba.EXPERIMENTS
        if "gpus" in experiment.id
    )


def test_what_the_exhibit_measures():
    if lacking := exhibits.no_gpu_trace():
        pytest.skip(lacking)
    rows = alibaba.gpu_month(load=0.5, copies=4, seed=0)
    assert (
        rows["policy"].tolist() == list(alibaba.GPU_POLICIES)
        and (rows["busy"] + rows["fragmented"] <= 100).all()
    )
    rows = alibaba.gpu_filling(shrink=40.0, seed=0)
    assert (
        rows["allocated"] <= rows["asked"] + 100 * 8 / rows["gpus"]
    ).all()  # the task that crosses it counts
    assert (rows["allocated"] + rows["fragmented"] <= 100 + 1e-6).all()
    for _, policy in rows.groupby("policy"):
        assert policy["allocated"].is_monotonic_increasing and policy["first"].nunique() == 1
        assert policy["first"].iloc[0] <= policy["allocated"].max() + 1e-9
