"""`mch.plain` where it could be wrong alone: the paper's examples."""

from itertools import product

import numpy as np

from mch_instances import FIG4
from refusals import refuses
from reproduce.exhibits.mch import random_trees
from schedlib import paths
from schedlib.mch import plain, plain_rivals
from schedlib.mch.workloads import fig1


def test_guarantees_of_figure_1():
    """60 and 40 %, of which 90 and 10 %: of one resource every rule that looks at the tree divides so."""
    firm = fig1([(1,)] * 4)
    for rule in ("mch", "c-ch", "h-drf", "naive-h-drf"):
        assert plain.allocate(firm, (100,), rule).tasks.tolist() == [54, 6, 36, 4], rule
    assert plain.allocate(firm, (100,), "drf").tasks.tolist() == [25, 25, 25, 25]


def test_an_unknown_rule_is_no_drf():
    refuses("hdrf", plain.allocate, FIG4, (2, 2), "hdrf")


def test_full_resources_in_a_share_of_h_drf(monkeypatch):
    """As the page on open questions says, they change few trees, by little."""
    ignoring = plain_rivals.group_view

    def counting(cluster, *others):
        full, cluster.saturated = cluster.saturated, set()
        view = ignoring(cluster, *others)
        cluster.saturated = full
        return view

    apart = []
    for depth, partial in product((2, 3), (0.0, 0.5)):
        for tree in random_trees(depth, partial, 2, 40, 1000):
            tasks = []
            for view in (ignoring, counting):
                monkeypatch.setattr(plain_rivals, "group_view", view)
                tasks.append(plain.allocate(tree, (50, 50), "h-drf").tasks)
            shares = np.subtract(*tasks) * tree.demand.max(axis=1) / 50
            apart.append(abs(shares).max())
    said = f"{np.count_nonzero(apart)} of 160 random trees divide differently, by at most {100 * max(apart):.0f} %"
    assert said in (paths.PACKAGE.parent / "notebooks/book/what-papers-leave-open.md").read_text()
