"""Eagle's simulator against queueing theory."""

import numpy as np
import pytest

from first_come import first_come
from schedlib import eagle, theory
from schedlib.workload import Workload

ONE_CLASS = {"short_partition": 0.0, "network_delay": 0.0, "detail": "as_written"}


def poisson(rng, jobs, rate, service):
    """One-task jobs at Poisson times, the last one of a day, so that the cut-off (half a day) lies inside the
    durations."""
    submit, size = np.cumsum(rng.exponential(1 / rate, jobs)), service(jobs)
    size[-1] = 86400.0
    return submit, size, Workload.from_arrays(submit, size)


def within(values, expected, share):
    """Mean of the values near what theory says, with batch means to know how near it can be."""
    means = np.array([batch.mean() for batch in np.array_split(values, 20)])
    error = means.std(ddof=1) / np.sqrt(len(means))
    assert error < share * expected, "too few jobs to say anything"
    assert abs(values.mean() - expected) < 4 * error


@pytest.mark.parametrize(("workers", "slots", "load"), [(1, 1, 0.6), (10, 1, 0.8), (1, 10, 0.8)])
def test_least_work_left_with_known_sizes_is_one_queue_for_all(workers, slots, load):
    """Omniscient LWL gives every job the server that is free first, job by job; ten slots of a worker are ten servers."""
    servers = workers * slots
    rng = np.random.default_rng(servers)
    submit, size, workload = poisson(rng, 20_000, load * servers, lambda n: rng.exponential(1.0, n))
    how = {"slots": slots, "cutoff": 43200.0, **ONE_CLASS}
    run = eagle.simulate(workload, "omniscient", workers, **how)
    finish = first_come(submit, size, servers) + size
    np.testing.assert_allclose(run.jobs["finish"][:-1], finish[:-1], atol=1e-6)


def test_one_probe_at_random_makes_every_worker_an_mg1_queue():
    """Pollaczek and Khinchine's wait, whatever the number of workers: nine of ten tasks take 0.5 in the mean, the others 5.5."""
    rng = np.random.default_rng(5)
    _, size, workload = poisson(
        rng, 40_000, 5 * 0.6, lambda n: rng.exponential(np.where(rng.random(n) < 0.9, 0.5, 5.5))
    )
    system = eagle.System("one probe", short_jobs="probes", long_jobs="probes", queue="fifo")
    run = eagle.simulate(workload, system, 5, cutoff=43200.0, probe_ratio=1, **ONE_CLASS)
    wait = (run.jobs["completion"] - size).to_numpy()[1000:-1]
    square = 0.9 * 2 * 0.5**2 + 0.1 * 2 * 5.5**2
    within(wait, theory.pollaczek_khinchine(0.6, 1.0, square), 0.17)
