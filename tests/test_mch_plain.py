"""`mch.plain` where it could be wrong alone: the paper's examples and its equations."""

import numpy as np
import pytest

from mch_instances import FIG4, by_equations
from refusals import refuses
from reproduce.exhibits.mch.fig1_4_weights import CASES
from schedlib.mch import plain
from schedlib.mch.workloads import fig1, minimal_tree


@pytest.mark.parametrize("case", CASES)
def test_weights_solve_the_paper_s_equations(case):
    """Figs. 2 and 3: n1 beside a group of two; (4) to (6) in Case 1, (7) to (9) and (10) to (11) in Case 2."""
    tree = minimal_tree(CASES[case])
    flat = plain.flatten(tree, (10, 12))
    wanted, inverse = by_equations(CASES[case], (10, 12), case)
    assert np.isclose(1 / flat.mu[2], inverse) and flat.first_saturated == 0
    assert np.allclose(flat.weights, [1, inverse, 1 if case == "other" else inverse])
    if case != "other":  # Sub-case 1's weight does not give the tasks that it is derived from
        fine = plain.allocate(tree, (10_000, 12_000), "mch").tasks / 1000
        assert np.allclose(fine, wanted, atol=0.01)


def test_guarantees_of_figure_1():
    """60 and 40 %, of which 90 and 10 %: of one resource every rule that looks at the tree divides so."""
    firm = fig1([(1,)] * 4)
    for rule in ("mch", "c-ch", "h-drf", "naive-h-drf"):
        assert plain.allocate(firm, (100,), rule).tasks.tolist() == [54, 6, 36, 4], rule
    assert plain.allocate(firm, (100,), "drf").tasks.tolist() == [25, 25, 25, 25]


def test_an_unknown_rule_is_no_drf():
    refuses("hdrf", plain.allocate, FIG4, (2, 2), "hdrf")
