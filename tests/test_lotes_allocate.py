"""Stage 1 against the printed program in plain Python, its closed forms, and the choice of the vertex."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from lotes_instances import assert_on_the_optimal_face, problems
from refusals import refuses
from reproduce.exhibits.lotes import measures, vertices
from schedlib import lotes
from schedlib.lotes import plain
from schedlib.lotes.planning.allocate import VERTICES, pool_size, solve, waste
from schedlib.lotes.workloads.instances import SUPPORTS


@given(problems(resources=3))
def test_optimum_is_that_of_the_printed_program(problem):
    printed = plain.allocation_lp(*problem)
    best = printed.rate
    assert_on_the_optimal_face(*problem, printed.delta, best)
    for vertex in (*VERTICES, np.random.default_rng(1).random(problem[1].rate.shape)):
        allocation = lotes.allocate(*problem, vertex=vertex)
        assert allocation.rate == pytest.approx(best, rel=1e-7)
        running = assert_on_the_optimal_face(*problem, allocation.delta, best)
        np.testing.assert_allclose(allocation.running, running, atol=1e-9)


@given(problems())
def test_default_vertex_wastes_least(problem):
    configs, classes = problem
    lost = []
    for vertex in VERTICES:
        allocation = lotes.allocate(*problem, vertex=vertex)
        held = allocation.running
        part = np.divide(held, pool_size(*problem), out=np.zeros_like(held), where=held > 0)
        of_cluster = configs.capacity / (configs.count @ configs.capacity)
        machine = of_cluster.mean(axis=1) * configs.count
        lost.append(float((part * waste(*problem) * machine[:, None]).sum()))
    assert lost[0] <= lost[1] + 1e-6


def test_a_class_of_share_zero_asks_for_nothing():
    configs = lotes.MachineConfigs([[4.0]], [1])
    assert lotes.allocate(
        configs, lotes.JobClasses([1.0, 0.0], [[1.0], [1.0]], [[1.0, 1.0]])
    ).rate == pytest.approx(4)


def test_bad_options_are_refused():
    google = lotes.google2011()
    wanted = "vertex: needs a name, or a finite cost"
    refuses(rf"{wanted} .* an array \(10, 4\)", lotes.allocate, *google, vertex=np.ones((3, 4)))
    refuses(wanted, lotes.allocate, *google, vertex=np.full((10, 4), np.nan))
    refuses("more: 0", lotes.scarcity, *google, more=0)


def test_no_proof_no_answer():
    with pytest.raises(RuntimeError, match="the impossible one: HiGHS ended as"):
        solve("the impossible one", [1.0], [[1.0]], [3.0], [np.inf], most=1.0)


def test_scarcity_is_the_price_where_prices_are_unique():
    configs = lotes.MachineConfigs([[4.0, 16.0], [6.0, 4.0]], [10, 10])
    classes = lotes.JobClasses([0.5, 0.5], [[1.0, 4.0], [2.0, 1.0]], np.ones((2, 2)))
    rate = lotes.allocate(configs, classes).rate
    assert rate == pytest.approx(200 / 3)  # all 100 cores, three for a pair of jobs
    price = (
        lotes.scarcity(configs, classes, more=0.01)
        * rate
        / (0.01 * configs.capacity * configs.count[:, None])
    )
    assert price == pytest.approx(np.array([[2 / 3, 0], [2 / 3, 0]]), abs=1e-4)


def test_an_optimum_with_table_1_s_numbers_of_classes_exists_and_one_class_everywhere_does_not():
    configs, classes = lotes.google2011()
    found = vertices.with_supports(configs, classes, SUPPORTS)
    assert found.supports.tolist() == list(SUPPORTS) and (found.delta.sum(axis=1) <= 1 + 1e-7).all()
    served = (found.running * classes.rate).sum(axis=0) / classes.share
    assert served.min() >= lotes.allocate(configs, classes).rate * (1 - 1e-7)
    with pytest.raises(RuntimeError, match="these numbers of classes"):
        vertices.with_supports(configs, classes, (1,) * 10)


def test_the_fluid_bound_gets_looser_by_what_stage_2_loses_along_phi():
    phis = [-1.0, 0.0, 0.006, 0.012]
    lost = np.array([50.0, 1.0, 2.0, 3.0])
    frame = pd.DataFrame({"phi": phis, "allocation": 100.0, "assignment": 100 - lost, "seed": 0})
    assert np.allclose(measures.looser(frame), 2)
    assert np.allclose(measures.least_lost(frame), 1)
