"""Small crowded systems for the tests of stage 3."""

from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from schedlib.lotes import JobClasses, MachineConfigs, plan
from schedlib.lotes.dispatching import run, state
from schedlib.workload import Workload


@contextmanager
def in_small_steps():
    """Runs return to Python after a few events, and find no room for a third job."""
    with (
        patch.object(run, "FIRST_SLICE", 3),
        patch.object(run, "SOON", 0.0),
        patch.object(state, "SLOTS", 2),
        patch.object(state, "INTERVALS", 2),
    ):
        yield


@st.composite
def systems(draw):
    """A small crowded system: coarse sizes and whole times, so that ties abound, or fine ones."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    r, m, k = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    coarse, rates = draw(st.booleans()), draw(st.sampled_from(["same", "varied", "forbidden"]))

    def between(low, high, *shape):
        return 1.0 * rng.integers(low, high + 1, shape) if coarse else rng.uniform(low, high, shape)

    capacity = between(4, 8, m, r) / 8
    configs = MachineConfigs(capacity, rng.integers(1, 5, m))
    mean = between(1, 3, k, r) / 16
    rate = np.ones((m, k)) if rates == "same" else rng.integers(1, 4, (m, k)) / 2
    if rates == "forbidden":
        rate *= rng.random((m, k)) < 0.6
        rate[rng.integers(m), rate.max(axis=0) == 0] = 1.0
    classes = JobClasses(np.full(k, 1 / k), mean, rate)
    n = draw(st.integers(1, 120))
    submit, work = np.sort(between(0, n // 12, n)), between(0, 5, n)
    job_class = rng.integers(0, k, n)
    largest = np.array([capacity[rate[:, c] > 0].min(axis=0) for c in range(k)])
    demand = np.minimum(mean[job_class] * between(1, 3, n, r), largest[job_class])
    return configs, classes, submit, job_class, work, demand, int(rng.integers(1000))


def planned(configs, classes):
    """The plan; systems that have none are passed over."""
    try:
        return plan(configs, classes)
    except ValueError:
        assume(False)


def as_workload(submit, job_class, work, demand):
    columns = {f"r{l}": demand[:, l] for l in range(demand.shape[1])}
    return Workload.from_arrays(submit, work, job_class=job_class, time_unit="h", **columns)


def decide_as(run, expected):
    """Jobs start and end when and where these arrays of start, finish and machine say."""
    for name, values in zip(("start", "finish", "machine"), expected, strict=True):
        np.testing.assert_array_equal(run.jobs[name], values, err_msg=name)


def agree(run, expected):
    decide_as(run, expected)
    assert run.waiting == 0 and run.finished == run.arrived
    waits = run.mean_wait * run.arrived  # by Little's law
    lasted = run.time - run.jobs["submit"].iloc[0]
    np.testing.assert_allclose(run.mean_queue * lasted, waits, rtol=1e-9, atol=1e-9)
