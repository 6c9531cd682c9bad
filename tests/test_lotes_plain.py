"""The paper's stages 1 and 2 in plain Python: against closed forms, and, decision by decision, against the library."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lotes_instances import machines, problems
from schedlib import lotes
from schedlib.lotes import plain
from schedlib.lotes.planning.plan import rounded


@given(problems(configs=1, classes=4, resources=3))
def test_one_configuration_has_a_closed_form(problem):
    configs, classes = problem
    held = (classes.share / classes.rate[0]) @ classes.demand  # of each resource at rate 1
    pool = configs.capacity[0] * configs.count[0]
    best = (pool[held > 0] / held[held > 0]).min()
    assert plain.allocation_lp(configs, classes).rate == pytest.approx(best)


@given(problems(configs=4, classes=1, resources=3))
def test_one_class_has_a_closed_form(problem):
    configs, classes = problem
    pool = configs.capacity * configs.count[:, None]
    needed = classes.demand[0] > 0
    jobs = (pool[:, needed] / classes.demand[0, needed]).min(axis=1)
    best = (classes.rate[:, 0] * jobs).sum()
    assert plain.allocation_lp(configs, classes).rate == pytest.approx(best)


@given(machines(classes=3), st.data())
def test_algorithm_1_keeps_the_library_s_bins_in_its_order(machine, data):
    capacity, demand = machine
    kept = plain.algorithm1(capacity, demand, range(len(demand)))
    assert kept == lotes.algorithm1(capacity, demand).rows.tolist()
    K_j = sorted(data.draw(st.sets(st.integers(0, len(demand) - 1), min_size=1)))
    some = np.array(plain.algorithm1(capacity, demand, K_j))
    alone = lotes.algorithm1(capacity, [demand[k] for k in K_j]).rows.tolist()
    assert some[:, K_j].tolist() == alone
    assert some.sum() == some[:, K_j].sum()


def test_algorithm_1_fills_a_machine_to_the_brim():
    assert plain.algorithm1([0.5], [[0.025]], [0])[0] == [20]


QUARTERS = st.integers(0, 12).map(lambda n: n / 4)
ALMOST_WHOLE = st.integers(1, 50).flatmap(lambda n: st.sampled_from([n - 1e-7, n + 1e-7]))


@given(st.lists(QUARTERS | ALMOST_WHOLE | st.floats(0, 50), min_size=1, max_size=8))
def test_rounding_is_the_library_s_ties_and_almost_whole_numbers_included(parts):
    parts.append(np.ceil(sum(parts)) - sum(parts))
    assert plain.round_to_machines(parts) == rounded(np.array(parts), round(sum(parts))).tolist()
