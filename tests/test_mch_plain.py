"""`mch.plain` where it could be wrong alone: the paper's examples."""

from mch_instances import FIG4
from refusals import refuses
from schedlib.mch import plain
from schedlib.mch.workloads import fig1


def test_guarantees_of_figure_1():
    """60 and 40 %, of which 90 and 10 %: of one resource every rule that looks at the tree divides so."""
    firm = fig1([(1,)] * 4)
    for rule in ("mch", "c-ch", "h-drf", "naive-h-drf"):
        assert plain.allocate(firm, (100,), rule).tasks.tolist() == [54, 6, 36, 4], rule
    assert plain.allocate(firm, (100,), "drf").tasks.tolist() == [25, 25, 25, 25]


def test_an_unknown_rule_is_no_drf():
    refuses("hdrf", plain.allocate, FIG4, (2, 2), "hdrf")
