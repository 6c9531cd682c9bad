"""Workers of several slots: decision by decision as slots that share a queue in the plain program, and closed forms."""

import numpy as np
import pytest

import eagle_instances as instances
from first_come import first_come
from refusals import refuses
from schedlib import eagle
from schedlib.workload import Workload

POOL = {"short_partition": 0, "cutoff": np.inf, "network_delay": 0, "detail": "as_written"}


@pytest.mark.parametrize("detail", instances.DETAILS)
@pytest.mark.parametrize("name", instances.SYSTEMS)
def test_slots_share_a_queue(name, detail):
    """One, two or four slots each, whole times: sums have no rounding, so that ties are true ones. Real times have
    no ties but those of late tasks, whose waiting times are whole with this hop."""
    system, variant = instances.SYSTEMS[name]
    rng = np.random.default_rng(2)
    for seed in range(6):
        whole = seed < 4
        case = instances.case(rng, whole=whole, hop=None if whole else 0.25)
        slots = 2 ** rng.integers(0, 3, case.workers)
        how = {"slots": slots, "seed": seed, "detail": detail}
        ours = case.simulate(system, record=True, **how)
        expected = case.plain(variant, **how)
        instances.agree(ours, expected, 0.0 if whole else 1e-12, detail == "as_written", slots)


def test_a_worker_of_ten_slots_is_a_queue_with_ten_servers():
    """First come, first served."""
    rng = np.random.default_rng(0)
    n = 100_000
    submit, duration = np.cumsum(rng.exponential(1 / 8, n)), rng.exponential(1.0, n)
    run = eagle.simulate(Workload.from_arrays(submit, duration), "omniscient", 1, slots=10, **POOL)
    finish = first_come(submit, duration, 10) + duration
    np.testing.assert_allclose(run.jobs["finish"], finish, rtol=1e-12)
    assert run.stats["utilisation"] == pytest.approx(0.8, rel=0.02)


def test_own_functions_see_each_slot():
    """Least work left by a reader's own loop over slots places as the library's."""

    def least(cluster, job, task, rng):
        best, least = 0, np.inf
        for worker in range(len(cluster.work)):
            slots = cluster.first_slot[worker + 1] - cluster.first_slot[worker]
            left = eagle.remaining_work(cluster, worker) / slots
            if left < least:
                best, least = worker, left
        return best

    rng = np.random.default_rng(1)
    jobs = Workload.from_arrays(
        np.sort(rng.integers(0, 400, 200)) / 4, rng.integers(1, 9, 400) / 4, tasks=[2] * 200
    )
    slots = [1, 2, 4, 2]
    mine = eagle.System("mine", short_jobs=eagle.Place(least))
    runs = [
        eagle.simulate(jobs, system, 4, slots=slots, **POOL, record=True)
        for system in (mine, "omniscient")
    ]
    assert runs[0].tasks.equals(runs[1].tasks)


@pytest.mark.parametrize("slots", [0, 1.5, [1, 2], np.nan, [2, -1, 1], 20_000])
def test_slots_are_whole_numbers(slots):
    jobs = Workload.from_arrays([0], [1])
    refuses("slots", eagle.simulate, jobs, "sparrow", 3, slots=slots, **POOL)
