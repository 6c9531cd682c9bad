"""Eagle's workloads: Table 1 as printed, the stated laws, and the measures by which cut-offs and partitions
are chosen."""

import functools
import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from schedlib import eagle
from schedlib.eagle.workloads import synthetic as workloads
from schedlib.traces import read_hawk, write_hawk
from schedlib.workload import Workload

TRACES = ("google", "cloudera", "yahoo")
# Table 1
PRINTED = {"google": (506460, 10.00, 83), "cloudera": (21030, 5.02, 91), "yahoo": (24262, 9.41, 98)}


@functools.cache
def paper_scale(trace):
    return getattr(eagle, trace)(seed=1)


def tasks_of(w):
    return np.diff(w.offsets)


def long_of(w):
    return w.jobs["class"].to_numpy() == 1


def check_shape(w, trace, scale):
    """What holds for every drawn workload, whatever its size."""
    jobs, duration, n = w.jobs, w.tasks["duration"].to_numpy(), tasks_of(w)
    total, cutoff, long = np.add.reduceat(duration, w.offsets[:-1]), eagle.CUTOFF[trace], long_of(w)
    workers = scale * eagle.WORKERS[trace][0]
    assert duration.min() > 0 and n.min() >= 1 and n[~long].max() <= workers / 5
    assert n[long].max() <= (workers / 5 if trace == "google" else workers)
    assert np.allclose(total / n, jobs["mean"], rtol=1e-12, atol=0)
    assert (long == (total / n > cutoff)).all() and (
        long == (np.floor(jobs["mean"]) > cutoff)
    ).all()
    assert total[long].sum() / total.sum() == pytest.approx(eagle.LONG_WORK[trace], abs=1e-9)
    assert long.sum() == round(eagle.LONG_SHARE[trace] * len(w))
    assert (jobs["submit"] % 1 == 0).all()


@pytest.mark.parametrize("trace", TRACES)
def test_table_1_as_printed(trace):
    w, (jobs, long_jobs, long_work) = paper_scale(trace), PRINTED[trace]
    check_shape(w, trace, 1)
    row = eagle.table1(w, eagle.CUTOFF[trace]).iloc[0]
    assert (
        row["jobs"] == jobs
        and round(row["long_jobs"], 2) == long_jobs
        and round(row["long_work"], 6) == long_work
    )
    assert eagle.JOBS[trace] == jobs and eagle.short_share(w, eagle.CUTOFF[trace]) == pytest.approx(
        eagle.PARTITION[trace]
    )


@pytest.mark.parametrize("trace", TRACES)
def test_the_fewest_workers_are_nearly_saturated_and_the_most_are_not(trace):
    loads = [eagle.offered_load(paper_scale(trace), workers) for workers in eagle.WORKERS[trace]]
    assert (
        loads[0] == pytest.approx(workloads.LOAD, rel=1e-3)
        and sorted(loads, reverse=True) == loads
        and loads[-1] < 0.7
    )


def test_google_has_thirteen_million_tasks_and_a_job_each_second():
    w = paper_scale("google")
    assert len(w.tasks) == pytest.approx(13e6, rel=0.02)
    assert w.jobs["submit"].iloc[-1] / len(w) == pytest.approx(1, rel=0.02)
    per_second = np.bincount(w.jobs["submit"].astype(int))
    assert per_second.var() == pytest.approx(per_second.mean(), rel=0.02)  # Poisson


def test_google_numbers_of_tasks():
    n = tasks_of(paper_scale("google"))
    within = 4 / np.sqrt(len(n))
    assert (n == 1).mean() == pytest.approx(0.75, abs=within)
    k = np.arange(2, 3001)
    weight = k**-workloads.EXPONENT / (k**-workloads.EXPONENT).sum()
    for upto in (2, 10, 100, 1000):
        assert (n <= upto).mean() == pytest.approx(
            0.75 + 0.25 * weight[k <= upto].sum(), abs=within
        )


@pytest.mark.parametrize("trace", ["cloudera", "yahoo"])
def test_cloudera_and_yahoo_numbers_of_tasks(trace):
    w = paper_scale(trace)
    n, mean = tasks_of(w)[~long_of(w)], workloads.SHORT_TASKS[trace]
    for upto in (1, 10, 100, 400):  # an exponential number, rounded up
        assert (n <= upto).mean() == pytest.approx(
            1 - np.exp(-upto / mean), abs=4 / np.sqrt(len(n))
        )
    assert tasks_of(w)[long_of(w)].mean() > n.mean()


@pytest.mark.parametrize(("trace", "small"), [("cloudera", 19_975), ("yahoo", 21_981)])
def test_types_of_long_jobs_add_up_to_the_traces(trace, small):
    long = sum(jobs for jobs, _, _ in workloads.TYPES[trace])
    assert long + small == eagle.JOBS[trace] and long / eagle.JOBS[trace] == pytest.approx(
        eagle.LONG_SHARE[trace], abs=1e-4
    )


@pytest.mark.parametrize("trace", TRACES)
def test_durations(trace):
    w = paper_scale(trace)
    n, mean, short = tasks_of(w), w.jobs["mean"].to_numpy(), ~long_of(w)
    assert n[short] @ mean[short] / n[short].sum() == pytest.approx(workloads.SHORT_DURATION[trace])
    fraction = mean[short] / eagle.CUTOFF[trace]
    logit = np.log(fraction / (1 - fraction))
    assert logit.std() == pytest.approx(1, abs=0.02) and abs(stats.skew(logit)) < 0.06
    job = int(np.argmax(n))
    relative = w.tasks["duration"].to_numpy()[w.offsets[job] : w.offsets[job + 1]] / mean[job]
    law = stats.truncnorm(-0.5, np.inf, loc=1, scale=2)
    assert stats.kstest(relative * law.mean(), law.cdf).pvalue > 1e-4


def test_google_long_means_are_exponential_above_the_cutoff():
    w = paper_scale("google")
    above = w.jobs["mean"].to_numpy()[long_of(w)] - 1130
    assert (
        above.min() > 0 and stats.kstest(above, stats.expon(scale=above.mean()).cdf).pvalue > 1e-4
    )


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(TRACES),
    st.integers(20, 1500),
    st.sampled_from([0.01, 0.04, 0.1, 0.5, 1.0]),
    st.integers(0, 99),
)
def test_any_size_meets_table_1_and_the_load(trace, jobs, scale, seed):
    try:
        w = getattr(eagle, trace)(jobs, seed, scale)
    except ValueError as error:
        assert jobs < 200 and "ask for more" in str(error)
        assume(False)
    check_shape(w, trace, scale)
    work = w.tasks["duration"].sum()
    span = work / (workloads.LOAD * scale * eagle.WORKERS[trace][0])
    assert len(w) == jobs and w.jobs["submit"].iloc[-1] <= span
    assert w.jobs["submit"].mean() == pytest.approx(span / 2, abs=5 * span / np.sqrt(12 * jobs) + 1)


def test_scale_keeps_the_load_and_the_law_of_durations():
    full, small = paper_scale("google"), eagle.google(50_000, seed=1, scale=0.1)
    assert eagle.offered_load(small, 1500) == pytest.approx(
        eagle.offered_load(full, 15_000), rel=1e-3
    )
    assert tasks_of(small).max() == 300 and (tasks_of(small) == 1).mean() == pytest.approx(
        0.75, abs=0.02
    )
    for large, little in ((long_of(full), long_of(small)), (~long_of(full), ~long_of(small))):
        quantiles = [
            np.quantile(w.jobs["mean"].to_numpy()[which], [0.1, 0.5, 0.9])
            for w, which in ((full, large), (small, little))
        ]
        assert quantiles[1] == pytest.approx(quantiles[0], rel=0.1)


@pytest.mark.parametrize("trace", TRACES)
def test_seeds(trace):
    make = getattr(eagle, trace)
    one, same, other = (
        make(300, seed=5, scale=0.1),
        make(300, seed=5, scale=0.1),
        make(300, seed=6, scale=0.1),
    )
    assert one.jobs.equals(same.jobs) and one.tasks.equals(same.tasks)
    assert (
        not one.jobs["mean"].equals(other.jobs["mean"])
        and not (long_of(one) == long_of(other)).all()
    )
    assert (
        long_of(make(300, seed=5, scale=0.2)) == long_of(one)
    ).all()  # classes have a stream of their own


@pytest.mark.parametrize("trace", TRACES)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"jobs": 0}, "jobs: 0, must be"),
        ({"jobs": 2.5}, "jobs: 2.5"),
        ({"jobs": 3}, "jobs: 3 have no long one"),
        ({"jobs": 100, "scale": 0}, "scale: 0 leaves"),
        ({"jobs": 100, "scale": -1.0}, "scale: -1.0 leaves"),
        ({"jobs": 100, "scale": float("nan")}, "scale: nan leaves"),
        ({"jobs": 100, "scale": 1e-4}, "leaves .* workers; it must leave 10"),
        ({"jobs": 100, "seed": -1}, "seed: -1"),
    ],
)
def test_bad_arguments(trace, arguments, message):
    with pytest.raises(ValueError, match=message):
        getattr(eagle, trace)(**arguments)


def test_constants_name_the_same_traces():
    assert set(eagle.WORKERS) == {*TRACES, "alibaba"}
    for constants in (eagle.PARTITION, eagle.CUTOFF, eagle.HEARTBEAT):
        assert set(constants) == {*TRACES, "alibaba"}
    for constants in (eagle.JOBS, eagle.LONG_SHARE, eagle.LONG_WORK):
        assert set(constants) == set(TRACES)


# The measures


def of_means(means):
    return Workload.from_arrays(range(len(means)), means)


@settings(deadline=None)
@given(st.lists(st.integers(1, 12), min_size=2, max_size=12), st.floats(0.01, 0.99))
def test_no_cutoff_comes_closer_to_the_share(means, share):
    assume(len(set(means)) > 1)
    cutoff = eagle.cutoff_for(of_means(means), share)
    values = sorted(set(means))
    misses = {
        (a + b) / 2: abs(np.mean(np.array(means) > (a + b) / 2) - share)
        for a, b in itertools.pairwise(values)
    }
    assert misses[cutoff] <= min(misses.values()) + 1e-12


def test_shares_by_hand():
    w = Workload.from_arrays([0, 4, 8], [1, 3, 10, 20, 6], tasks=[2, 2, 1])  # means 2, 15, 6
    assert eagle.job_means(w).tolist() == [2, 15, 6]
    # long is above, not at the cut-off
    assert eagle.short_share(w, 10) == 10 / 40 and eagle.short_share(w, 6) == 10 / 40
    assert eagle.table1(w, 5).values.tolist() == [[3, pytest.approx(200 / 3), pytest.approx(90)]]
    assert eagle.offered_load(w, 2) == 40 / 16


@pytest.mark.parametrize("cutoff", [0, -1, 0.5, 8, 9, float("nan"), float("inf")])
@pytest.mark.parametrize("measure", [eagle.table1, eagle.short_share])
def test_a_cutoff_outside_the_durations_is_refused(measure, cutoff):
    with pytest.raises(ValueError, match=r"cutoff: .* from 1 to 8 s; choose one in between"):
        measure(of_means([1, 3, 8]), cutoff)


def test_measures_refuse_bad_workloads():
    with pytest.raises(ValueError, match="row 1 has no task"):
        eagle.job_means(Workload.from_arrays([0, 1], [2.0], tasks=[1, 0]))
    with pytest.raises(ValueError, match="workload: every job's tasks take 4 s"):
        eagle.cutoff_for(of_means([4, 4]))
    for share in (0, 1, float("nan")):
        with pytest.raises(ValueError, match="long_share: "):
            eagle.cutoff_for(of_means([1, 2]), share)
    with pytest.raises(ValueError, match="all jobs are submitted at 3 s"):
        eagle.offered_load(Workload.from_arrays([3, 3], [1, 2]), 5)
    with pytest.raises(ValueError, match="workers: 0"):
        eagle.offered_load(of_means([1, 2]), 0)


# Alibaba


def test_alibaba_takes_every_nth_stage():
    counts = [2, 1, 3, 1, 2]
    trace = Workload.from_arrays([0, 0, 5, 9, 9], [0, 4, 7, 60, 61, 62, 1, 0, 0], tasks=counts)
    w = eagle.alibaba(2, trace=trace)
    assert w.jobs["submit"].tolist() == [0, 5, 9] and w.jobs["stage"].tolist() == [0, 2, 4]
    assert w.tasks["duration"].tolist() == [1, 4, 60, 61, 62, 1, 1] and tasks_of(w).tolist() == [
        2,
        3,
        2,
    ]
    assert w.jobs["class"].tolist() == [0, 1, 0] and w.jobs["mean"].tolist() == [2.5, 61, 1]
    assert w.report == {"instances of less than 1 s (last 1 s)": 3}
    assert eagle.alibaba(1, trace=trace).tasks["duration"].sum() == 60 + 61 + 62 + 4 + 7 + 1 + 3


def test_alibaba_by_the_papers_rule():
    w, cutoff = eagle.alibaba(), eagle.CUTOFF["alibaba"]
    assert len(w) == -(-67_634 // 16) and (w.tasks["duration"] % 1 == 0).all()
    assert abs(eagle.cutoff_for(w) - cutoff) < 2 and eagle.table1(w, cutoff)["long_jobs"].iloc[
        0
    ] == pytest.approx(10, abs=0.5)
    assert eagle.short_share(w, cutoff) == pytest.approx(eagle.PARTITION["alibaba"], abs=0.01)
    assert (long_of(w) == (np.floor(w.jobs["mean"]) > cutoff)).all()
    assert eagle.offered_load(w, eagle.WORKERS["alibaba"][0]) == pytest.approx(0.95, abs=0.01)


@pytest.mark.parametrize("every", [0, -3, 2.5, 4])
def test_alibaba_refuses_other_steps(every):
    with pytest.raises(ValueError, match="every: "):
        eagle.alibaba(every, trace=of_means([1, 2, 3]))


# The small workloads


def test_the_sample_keeps_the_work_of_each_job():
    before, w = eagle.google(seed=3, jobs=3300), eagle.google_sample(ratio=1.5, seed=3)
    n, was = tasks_of(w), tasks_of(before)
    assert n.tolist() == [max(1, round(k / 150)) for k in was.tolist()]
    total = [np.add.reduceat(x.tasks["duration"].to_numpy(), x.offsets[:-1]) for x in (w, before)]
    assert (
        np.allclose(total[0], total[1])
        and np.allclose(total[0] / n, w.jobs["mean"])
        and (long_of(w) == long_of(before)).all()
    )
    assert total[0][long_of(w)].sum() / total[0].sum() == pytest.approx(0.83)
    once = was == 1
    assert np.allclose(
        w.tasks["duration"].to_numpy()[w.offsets[:-1][once]], before.jobs["mean"].to_numpy()[once]
    )
    assert w.time_unit == "ms" and eagle.offered_load(w, 100) == pytest.approx(1 / 1.5, rel=0.01)


def test_the_ratio_sets_the_load_and_nothing_else():
    dense, loose = eagle.google_sample(1.0, seed=2), eagle.google_sample(2.0, seed=2)
    assert dense.tasks.equals(loose.tasks) and np.allclose(
        2 * dense.jobs["submit"], loose.jobs["submit"]
    )


@pytest.mark.parametrize(
    "bad", [{"ratio": 0}, {"ratio": float("nan")}, {"nodes": 0}, {"nodes": 15_001}, {"jobs": 0}]
)
def test_the_sample_refuses_bad_arguments(bad):
    with pytest.raises(ValueError, match=f"{next(iter(bad))}: "):
        eagle.google_sample(**bad)


def test_a_trace_file_with_hundreds_of_jobs_in_one_second_and_blank_last_lines_runs(tmp_path):
    drawn = eagle.google(400, seed=4, scale=0.01)
    together = Workload(drawn.jobs.assign(submit=np.repeat([7.0, 8.0], [300, 100])), drawn.tasks)
    path = write_hawk(together, tmp_path / "crowd.tr")
    path.write_text(path.read_text() + "\n\n")
    read = read_hawk(path)
    pd.testing.assert_frame_equal(
        read.jobs.drop(columns="class"), together.jobs.drop(columns="class")
    )
    done = eagle.simulate(read, "eagle", 150, short_partition=0.17, cutoff=eagle.CUTOFF["google"])
    assert (
        len(done.jobs) == 400
        and (done.jobs["completion"] > 0).all()
        and (done.jobs["long"] == long_of(together)).all()
    )
