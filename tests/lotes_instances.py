"""Random small LoTES problems for the tests of stages 1 and 2, exhaustive searches, and checks of any plan."""

import itertools

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from schedlib import lotes
from schedlib.lotes.model import fits
from schedlib.lotes.planning.plan import sustained


@st.composite
def problems(draw, configs=3, classes=3, resources=2, machines=4):
    """(configs, classes) with sizes in tenths, every class fitting somewhere; demands and rates may be zero."""
    m, k, r = (draw(st.integers(1, most)) for most in (configs, classes, resources))

    def table(rows, columns, low, high):
        return draw(arrays(int, (rows, columns), elements=st.integers(low, high)))

    capacity, demand = table(m, r, 2, 12) / 10, table(k, r, 0, 6) / 10
    demand[~demand.any(axis=1), 0] = 0.1
    rate = table(m, k, 0, 4) / 2
    share = table(1, k, 1, 5)[0].astype(float)
    machine = lotes.MachineConfigs(capacity, table(1, m, 1, machines)[0])
    whole = fits(machine, lotes.JobClasses(share / share.sum(), demand, np.ones((m, k))))
    for c in range(k):
        if not (whole[:, c] & (rate[:, c] > 0)).any():
            rate[0, c] = 1.0
            demand[c] = np.minimum(demand[c], capacity[0])
    return machine, lotes.JobClasses(share / share.sum(), demand, rate)


@st.composite
def machines(draw, classes=4):
    resources, k = draw(st.integers(1, 3)), draw(st.integers(1, classes))
    capacity = draw(arrays(int, resources, elements=st.integers(0, 12)))
    demand = draw(arrays(int, (k, resources), elements=st.integers(0, 6)))
    demand[~demand.any(axis=1), 0] = 1
    return capacity.tolist(), demand.tolist()


def brute_force(capacity, demand):
    """Every mix of jobs to which no job can be added, amounts in whole numbers."""
    capacity, demand = np.array(capacity), np.array(demand)  # whole numbers

    def fits(mix):
        return (mix @ demand <= capacity).all()

    most = [(capacity[row > 0] // row[row > 0]).min() for row in demand]
    bins = []
    for mix in np.ndindex(*np.add(most, 1)):
        if fits(mix) and not any(fits(mix + extra) for extra in np.eye(len(demand), dtype=int)):
            bins.append(mix)
    return np.array(bins).reshape(-1, len(demand))


def exhaustive(configs, classes, bins):
    """The best whole numbers of machines, all tried."""
    ways = [
        list(itertools.combinations_with_replacement(range(len(b)), n))
        for b, n in zip(bins, configs.count, strict=True)
    ]
    best = 0.0
    for way in itertools.product(*ways):
        machines = [
            np.bincount(np.array(picked), minlength=len(b))
            for picked, b in zip(way, bins, strict=True)
        ]
        best = max(best, sustained(classes, bins, machines))
    return best


def assert_sound(plan):
    """Bins fit their machines, all machines have one, and the machines sustain the plan's rates."""
    configs, classes = plan.configs, plan.classes
    rows = zip(
        configs.capacity, configs.count, plan.bins, plan.machines, plan.fractions, strict=True
    )
    for capacity, n, bins, machines, x in rows:
        assert (bins @ classes.demand <= capacity * (1 + 1e-9) + 1e-12).all()
        assert machines.dtype == np.int64 and (machines >= 0).all() and machines.sum() == n
        assert (x >= 0).all() and x.sum() == pytest.approx(n)
        assert [tuple(row) for row in bins.tolist()] == sorted(
            {tuple(row) for row in bins.tolist()}
        )
    assert plan.rate == pytest.approx(sustained(classes, plan.bins, plan.fractions))
    assert plan.rate_rounded == sustained(classes, plan.bins, plan.machines)
    assert plan.rate_rounded <= plan.rate * (1 + 1e-7) + 1e-9
    assert plan.rate <= plan.allocation.rate * (1 + 1e-7)
    assert not plan.running[classes.rate == 0].any()


def assert_on_the_optimal_face(configs, classes, delta, rate):
    """(2)-(5) hold at the rate, so delta (M, K, R) is one of the optimal ones; gives the jobs that run (M, K)."""
    assert (delta.sum(axis=1) <= 1 + 1e-7).all() and (delta >= 0).all()
    held = delta * (configs.capacity * configs.count[:, None])[:, None]
    supplied = (held * classes.rate[:, :, None]).sum(axis=0)
    asked = rate * classes.share[:, None] * classes.demand
    assert (supplied >= asked * (1 - 1e-6) - 1e-9).all()
    every, first = np.arange(classes.n_classes), (classes.demand > 0).argmax(axis=1)
    running = held[:, every, first] / classes.demand[every, first]
    np.testing.assert_allclose(held, running[:, :, None] * classes.demand, atol=1e-9)
    assert not running[classes.rate == 0].any()
    return running
