"""MCH's examples, the trace's demands, and the reproduction's measures on frames made by hand."""

import itertools

import numpy as np
import pandas as pd
import pytest

from frames import as_frame
from mch_instances import by_equations
from refusals import refuses
from reproduce import registry
from reproduce.exhibits.mch import fig1_4_weights, measures
from schedlib import traces
from schedlib.intervals import Exact
from schedlib.mch import workloads
from schedlib.plots.trees import plot_tree

LEAVES = ("n1,1", "n1,2", "n2,1", "n2,2", "n2,3", "n3,1")  # of Fig. 4


def claim(name):
    return registry.load().claims[f"mch.{name}"]


def share_of(leaf):
    return f"fig4-share-{leaf.replace(',', '-')}"


def assert_measured(frame, wanted, reading=""):
    """Each claim of these names measures this value, with every seed."""
    for name, value in wanted.items():
        read = claim(name)
        if reading:
            read = read.others[reading]
        found = read.measure(frame, **read.args)
        if isinstance(found, Exact):
            found = found.value
        assert np.allclose(found, value, rtol=1e-6, atol=1e-12), name


def test_bad_sizes_are_refused():
    refuses("3 rows for 2 levels", workloads.full_binary, 2, [(1,), (1,), (1,)])
    refuses("2 jobs for 4 lowest groups", workloads.jobs_below, 2, [(1,), (1,)])
    refuses("n: 0", workloads.jobs_from_trace, 0, seed=0)


def test_demands_are_those_of_the_trace_s_stages():
    jobs = workloads.jobs_from_trace(200, seed=3)
    stages = traces.alibaba2018("stages").jobs
    known = set(zip(stages["plan_cpu"] / 96, stages["plan_mem"], strict=True))
    assert set(zip(jobs["cpu"], jobs["memory"], strict=True)) <= known
    assert (jobs[["cpu", "memory"]] > 0).all().all() and (jobs["cpu"] > jobs["memory"]).mean() > 0.9
    assert jobs.equals(workloads.jobs_from_trace(200, seed=3)) and not jobs.equals(
        workloads.jobs_from_trace(200, seed=4)
    )


@pytest.mark.parametrize("case", fig1_4_weights.CASES)
def test_worked_examples_solve_the_paper_s_equations(case):
    rows = fig1_4_weights.run_worked(case, seed=0).set_index("node")
    wanted = by_equations(fig1_4_weights.CASES[case], (10, 12), case)
    assert np.allclose(rows["t_star"].dropna(), wanted, rtol=1e-12)
    assert np.allclose(rows["t"].dropna(), wanted, rtol=1e-12) == (case != "other")


WAYS = as_frame("""
    rule   method
    h-drf  literal
    h-drf  fast
    mch    fast
    c-ch   fast
    m-ch   fast
""")


def cost_frame(dear, cheap):
    """Costs as functions of the number of jobs: literal H-DRF and M-CH are dear."""
    axes = {
        "seed": range(2),
        "reading": ("queues", "nodes"),
        "levels": (2, 3, 4, 5),
        "jobs": (10, 100, 1000),
    }
    points = pd.MultiIndex.from_product(axes.values(), names=axes).to_frame(index=False)
    frame = points.merge(WAYS, how="cross")
    is_dear = (frame["method"] == "literal") | (frame["rule"] == "m-ch")
    operations = dear(frame["jobs"]).where(is_dear, cheap(frame["jobs"]))
    return frame.assign(operations=operations, seconds=operations / 1e6)


def test_a_square_and_a_half_are_not_confused():
    """An exponent does not depend on the unit of time; the ratio is that at the most jobs."""
    square = cost_frame(lambda n: 7.0 * n**3, lambda n: 5.0 * n**1.5)
    queues, leaves = [name for name in claim("square").others if name.startswith("Fig. 5")]
    assert_measured(square, {"square": 2}, queues)
    assert_measured(square, {"square": 2}, leaves)
    assert_measured(square, {"faster": 7 / 5 * 1000**1.5})
    double = cost_frame(lambda n: 10.0 * n, lambda n: 5.0 * n)
    assert_measured(double, {"square": 1}, queues)
    assert_measured(double, {"fig5-no-better": 1, "faster": 2})


def test_a_tree_s_picture_has_a_box_for_each_node_that_keeps_clear_of_the_others():
    for levels in (1, 3):
        tree = workloads.full_binary(levels, np.ones((2**levels, 2)))
        ax = plot_tree(tree, shares=tree.guarantee, resources=("CPU", "GB"))
        boxes = [
            patch.get_extents().frozen() for patch in ax.patches if hasattr(patch, "get_boxstyle")
        ]
        assert len(boxes) == tree.n_nodes == len(ax.texts)
        assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
        assert all("share" in text.get_text() for text in ax.texts)


def test_pictures_refuse_labels_and_shares_of_no_node():
    tree = workloads.fig4()
    refuses("no node has the path", plot_tree, tree, labels={(4,): "x"})
    refuses("shares: shape", plot_tree, tree, shares=[0.5])


def test_shares_are_judged_in_their_windows():
    """Shares that are as printed while all are active, and anything at other times; n2,3 takes over, n2,1 moves by 0.05."""
    printed = {name: float(claim(share_of(name)).printed) for name in LEAVES}
    times = itertools.product(range(0, 1000, 10), LEAVES)
    frame = pd.DataFrame(times, columns=["time", "name"]).assign(rule="mch", seed=0)
    share = frame["name"].map(printed)
    share[(frame["time"] < 200) | frame["time"].between(590, 630)] = 0.9
    later = frame["name"].map({"n2,3": 0.5, "n2,1": 0.05}).fillna(0)
    frame["share"] = share + later.where(frame["time"] >= 790, 0)
    assert_measured(frame, {share_of(name): share for name, share in printed.items()})
    assert_measured(frame, {"fig4-ratio": 2, "fig4-takes-over": 1, "fig4-others-stay": 0.05})


def test_complexity_is_judged_by_a_decision():
    """A decision of H-DRF looks at 2 q nodes, however many decisions there are; by path it costs what MCH's does."""
    points = pd.MultiIndex.from_product([range(2), (5, 8, 11)], names=["seed", "levels"])
    ways = WAYS.assign(each=[np.nan, 3, 3, 1, 3])
    frame = points.to_frame(index=False).merge(ways, how="cross")
    q, decisions = 2.0 ** frame["levels"], 5.0 ** frame["levels"]
    cost = frame["each"].fillna(2 * q) * decisions
    frame = frame.assign(q=q, decisions=decisions, operations=cost)
    flat = dict.fromkeys(("complexity-mch", "complexity-decision", "ch-cheaper"), 0)
    assert_measured(frame, flat | {"complexity-h-drf": 1, "faster-by-path": 1})
    assert_measured(frame, {"faster": 2 * 2**11 / 3}, "filling at the most nodes")
    assert_measured(frame.assign(operations=cost * q**1.5), {"complexity-mch": 1.5})  # and not O(q)
    log = frame.assign(operations=cost * frame["levels"])
    assert_measured(log, {"complexity-decision": 1})
    # weights worked out again for each decision
    weighed = frame.assign(operations=cost.where(frame["rule"] != "mch", cost * q))
    assert_measured(weighed, {"ch-cheaper": 1})


def test_a_square_is_judged_between_the_two_largest_trees():
    """H-DRF's cost is MCH's until 100 nodes, and its square from there on."""
    frame = as_frame("""
        rule   method   levels  q     operations
        mch    fast          5    10          10
        h-drf  literal       5    10          10
        mch    fast          6   100         100
        h-drf  literal       6   100         100
        mch    fast          7  1000        1000
        h-drf  literal       7  1000       10000
    """)
    frame = frame.assign(seed=0, decisions=frame["q"])
    assert_measured(frame, {"square": 2})
    assert_measured(frame, {"square": 1.5}, "all q")


def test_trees_are_counted_where_the_claim_says():
    rows = as_frame("""
        rule  partial  trees  differ
        mch       0       20    1
        mch       0.5     20    0.25
        drf       0.5     20    1
    """)
    assert measures.trees_with(rows, "differ", rule="mch", partial=[0.5, 1]) == (5, 20, 100.0)
    gaps = as_frame("""
        case   gap
        full   1
        other  0
        other  1e-3
    """)
    assert measures.unequal(gaps, "other") == (1, 2, 100.0)


def test_starvation_is_measured_at_the_poorest_leaf():
    trees = as_frame("""
        rule  partial  seed  least
        mch       0       0    0.1
        mch       0.5     0    0.5
        mch       0.5     0    0.9
        mch       0.5     1    1.0
    """)
    assert np.allclose(measures.poorest(trees, "mch"), [50, 100], rtol=1e-6)
    group = as_frame("""
        rule  leaf  seed  time  share
        mch   n2,2     0     0    1.0
        mch   n2,2     0     5    0.2
        mch   n2,2     0    10    0.3
    """)
    assert np.allclose(measures.nested(group, "mch"), 100, rtol=1e-6)
