"""Published cases of Volcano, Mesos and YARN: each agrees, or differs for a known reason."""

import re

import numpy as np
import pytest

from mch_conformance import EQUAL_SHARES, FLAT, HIERARCHICAL, MESOS, VOLCANO, YARN, served_in_turn
from mch_instances import started


@pytest.mark.parametrize("case", VOLCANO)
def test_numbers_of_tasks_in_volcano(case):
    tree, there, tasks, wanted = VOLCANO[case]
    waiting = np.full(tree.n_leaves, tasks)
    for rule in ("h-drf", "mch", "mch-two-phase"):
        order = started(tree, (there, there), rule, waiting)
        assert np.bincount(order, minlength=tree.n_leaves).tolist() == wanted, rule


@pytest.mark.parametrize("case", MESOS)
def test_orders_in_mesos(case):
    flat = "/" not in "".join(MESOS[case]) and "Count" not in case
    for line in MESOS[case]:
        for rule in FLAT if flat else (HIERARCHICAL,):
            for method in ("fast", "literal"):
                assert served_in_turn(line, rule, method), (line, rule, method)


@pytest.mark.parametrize("case", YARN)
def test_orders_in_yarn(case):
    """With either of the two named first. Equal dominant shares are the one difference."""
    swapped = [re.sub(r"(a\S+) (b\S+)", r"\2 \1", line) for line in YARN[case]]
    agree = [served_in_turn(line, rule) for line in (*YARN[case], *swapped) for rule in FLAT]
    assert all(agree) != (case in EQUAL_SHARES)


def test_the_sorter_is_not_h_drf_where_siblings_complement_each_other():
    """b holds 6 % of CPU and c 6 % of memory: summed up the group has 6 %, rescaled too, and 12 % when both need the same."""
    for rule in ("naive-h-drf", "h-drf"):
        assert served_in_turn("100: a/b6,0 a/c0,6 d7 > a/b a/c d", rule)
        assert served_in_turn("100: a/b6 a/c6 d7 > d a/b a/c", rule)
    assert served_in_turn("100: a/b9,0 a/c0,2 d5 > d a/c a/b", "naive-h-drf")
    # rescaled to its poorest child a has 2 %, then c is blocked
    assert served_in_turn("100: a/b9,0 a/c0,2 d5 > a/c d a/b", "h-drf")
