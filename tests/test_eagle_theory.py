"""Eagle's simulator against queueing theory and against independent simulations of special cases."""

import numpy as np
import pytest

from schedlib import eagle, theory
from schedlib.workload import Workload

ONE_CLASS = {"short_partition": 0.0, "network_delay": 0.0, "detail": "as_written"}


def poisson(rng, jobs, rate, service):
    """One-task jobs at Poisson times, the last one of a day, so that the cut-off (half a day) lies inside the
    durations."""
    submit, size = np.cumsum(rng.exponential(1 / rate, jobs)), service(jobs)
    size[-1] = 86400.0
    return submit, size, Workload.from_arrays(submit, size)


def first_come(submit, size, servers):
    """Starts in a queue with many servers, first come first served: Kiefer and Wolfowitz's recursion."""
    free, start = [0.0] * servers, np.empty(len(submit))
    for job, (t, s) in enumerate(zip(submit, size, strict=True)):
        k = free.index(min(free))
        start[job] = max(t, free[k])
        free[k] = start[job] + s
    return start


def within(values, expected, share):
    """Mean of the values near what theory says, with batch means to know how near it can be."""
    means = np.array([batch.mean() for batch in np.array_split(values, 20)])
    error = means.std(ddof=1) / np.sqrt(len(means))
    assert error < share * expected, "too few jobs to say anything"
    assert abs(values.mean() - expected) < 4 * error


@pytest.mark.parametrize(("servers", "load"), [(1, 0.6), (3, 0.7), (10, 0.8)])
def test_least_work_left_with_known_sizes_is_one_queue_for_all(servers, load):
    """Omniscient LWL gives every job the server that is free first, which is M/M/c: job by job, and Erlang's
    formula."""
    rng = np.random.default_rng(servers)
    submit, size, workload = poisson(rng, 60_000, load * servers, lambda n: rng.exponential(1.0, n))
    run = eagle.simulate(workload, "omniscient", servers, cutoff=43200.0, **ONE_CLASS)
    wait = (run.jobs["completion"] - size).to_numpy()
    np.testing.assert_allclose(
        wait[:-1], (first_come(submit, size, servers) - submit)[:-1], atol=1e-6
    )
    within(wait[1000:-1], theory.mmc_mean_wait(load * servers, 1.0, servers), 0.08)


def hyperexponential(rng):
    return lambda n: np.where(rng.random(n) < 0.9, rng.exponential(0.5, n), rng.exponential(5.5, n))


@pytest.mark.parametrize("law", ["exponential", "hyperexponential"])
def test_one_probe_at_random_makes_every_worker_an_mg1_queue(law):
    """Pollaczek and Khinchine's wait, whatever the number of workers."""
    rng = np.random.default_rng(5)
    service = (lambda n: rng.exponential(1.0, n)) if law == "exponential" else hyperexponential(rng)
    square = 2.0 if law == "exponential" else 0.9 * 2 * 0.5**2 + 0.1 * 2 * 5.5**2
    _, size, workload = poisson(rng, 80_000, 5 * 0.6, service)
    system = eagle.System("one probe", short_jobs="probes", long_jobs="probes", queue="fifo")
    run = eagle.simulate(workload, system, 5, cutoff=43200.0, probe_ratio=1, **ONE_CLASS)
    wait = (run.jobs["completion"] - size).to_numpy()[1000:-1]
    within(wait, theory.pollaczek_khinchine(0.6, 1.0, square), 0.12)


def batch_sampling(submit, durations, probes, workers):
    """Sparrow without delays: a probe's turn comes when its worker is through with what came before; the
    first t get the tasks."""
    through, finish = [0.0] * workers, []
    for t, tasks, asked in zip(submit, durations, probes, strict=True):
        turn = sorted((max(t, through[w]), k) for k, w in enumerate(asked))
        ends = []
        for (start, k), size in zip(turn, tasks, strict=False):
            through[asked[k]] = start + size
            ends.append(start + size)
        finish.append(max(ends))
    return np.array(finish)


def test_sparrow_is_batch_sampling_with_late_binding():
    """Without network delay a queue of probes is the time at which its worker is through: no events are
    needed."""
    rng = np.random.default_rng(6)
    n, workers = 3000, 40
    counts = rng.integers(1, 11, n)
    durations = [rng.exponential(1.0, c) for c in counts]
    durations[-1] = np.full(counts[-1], 1e4)
    submit = np.cumsum(rng.exponential(5.5 / (0.8 * workers), n))
    workload = Workload.from_arrays(submit, np.concatenate(durations), tasks=counts)
    run = eagle.simulate(workload, "sparrow", workers, cutoff=5e3, record=True, **ONE_CLASS)
    sent = run.log[run.log["event"] == "send"]
    probes = [group["worker"].tolist() for _, group in sent.groupby("job")]
    assert [len(p) for p in probes] == (2 * counts).tolist()
    assert all(len(set(p)) == len(p) for p in probes)
    np.testing.assert_allclose(
        run.jobs["finish"], batch_sampling(submit, durations, probes, workers), rtol=1e-9
    )


def test_two_probes_beat_one_and_knowing_all_beats_two():
    rng = np.random.default_rng(7)
    _, size, workload = poisson(rng, 30_000, 20 * 0.9, lambda n: rng.exponential(1.0, n))
    one = eagle.System("one probe", short_jobs="probes", long_jobs="probes", queue="fifo")
    means = []
    for system, ratio in ((one, 1), (one, 2), (one, 3), ("omniscient", 1)):
        run = eagle.simulate(workload, system, 20, cutoff=43200.0, probe_ratio=ratio, **ONE_CLASS)
        means.append((run.jobs["completion"] - size)[:-1].mean())
    assert means[0] > 2 * means[1] > 2 * means[2] > 2 * means[3]


@pytest.mark.parametrize("name", ["eagle", "hawk", "sparrow", "dlwl", "omniscient", "ideal-eagle"])
@pytest.mark.parametrize("detail", ["as_published", "as_written"])
def test_littles_law_for_the_workers(name, detail):
    """Busy workers are tasks arriving per second times the time each takes; and the meter says what the
    record of tasks says."""
    rng = np.random.default_rng(8)
    n, workers = 1500, 60
    counts = rng.integers(1, 9, n)
    long = rng.random(n) < 0.1
    durations = np.concatenate(
        [
            rng.integers(20, 60, c) if l else rng.integers(1, 9, c)
            for c, l in zip(counts, long, strict=True)
        ]
    )
    rate = 0.75 * workers / (counts.mean() * (0.1 * 39.5 + 0.9 * 4.5))
    submit = np.cumsum(rng.exponential(1 / rate, n))
    workload = Workload.from_arrays(submit, durations.astype(float), tasks=counts)
    run = eagle.simulate(
        workload, name, workers, short_partition=0.2, cutoff=15.0, detail=detail, record=True
    )
    tasks, first, last = run.tasks, submit[0], submit[-1]
    busy = (
        (tasks["finish"].clip(first, last) - tasks["asked"].clip(first, last)).sum()
        / (last - first)
        / workers
    )
    fetched_in_vain = 0.001 * run.stats["vain"] / (last - first) / workers
    assert busy - 1e-9 <= run.stats["utilisation"] <= busy + fetched_in_vain + 1e-9
    arriving = theory.little(len(durations) / (last - first), durations.mean()) / workers
    assert run.stats["utilisation"] == pytest.approx(arriving, rel=0.12)
