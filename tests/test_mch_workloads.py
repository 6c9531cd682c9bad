"""MCH's examples, the trace's demands, and what the reproduction's measures say about frames known by hand."""

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
from schedlib.plots.trees import plot_tree, tree_size

LEAVES = ("n1,1", "n1,2", "n2,1", "n2,2", "n2,3", "n3,1")  # of Fig. 4


def claim(name):
    return registry.load().claims[f"mch.{name}"]


def share_of(leaf):
    return f"fig4-share-{leaf.replace(',', '-')}"


def measured(name, frame, reading=""):
    """What the claim of this name measures, as a number for each seed."""
    read = claim(name)
    if reading:
        read = read.others[reading]
    values = read.measure(frame, **read.args)
    return values.value if isinstance(values, Exact) else values


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
    wanted, _ = by_equations(fig1_4_weights.CASES[case], (10, 12), case)
    assert np.allclose(rows["t_star"].dropna(), wanted, rtol=1e-12)
    assert np.allclose(rows["t"].dropna(), wanted, rtol=1e-12) == (case != "other")


def cost_frame(h_drf, mch_cost, **more):
    """Costs as functions of the number of jobs."""
    rows = [
        {"seed": seed, "reading": reading, "levels": levels, "jobs": jobs, "rule": rule, "method": method, "operations": cost(jobs), **more}
        for seed in range(2) for reading in ("queues", "nodes") for levels in (2, 3, 4, 5) for jobs in (10, 100, 1000)
        for rule, method, cost in (("h-drf", "literal", h_drf), ("h-drf", "fast", mch_cost), ("mch", "fast", mch_cost),
                                   ("c-ch", "fast", mch_cost), ("m-ch", "fast", h_drf))
    ]  # fmt: skip
    return pd.DataFrame(rows).assign(seconds=lambda frame: frame["operations"] / 1e6)


def test_square_and_half_are_told_from_one_another():
    """An exponent does not depend on the unit of time, a ratio tells nothing of a square."""
    square = cost_frame(lambda n: 7.0 * n**3, lambda n: 5.0 * n**1.5)
    queues, leaves = [name for name in claim("square").others if name.startswith("Fig. 5")]
    assert np.allclose(measured("square", square, queues), 2)
    assert np.allclose(measured("square", square, leaves), 2)
    assert (measured("faster", square) > 2).all()
    double = cost_frame(lambda n: 10.0 * n, lambda n: 5.0 * n)
    assert np.allclose(measured("square", double, queues), 1)
    assert np.allclose(measured("fig5-half", double), 2)
    assert np.allclose(measured("fig5-no-better", double), 1)
    assert np.allclose(measured("faster", double), 2)


def test_a_tree_s_picture_has_a_box_for_each_node_that_keeps_clear_of_the_others():
    for levels in (1, 2, 3, 4):
        tree = workloads.full_binary(levels, np.ones((2**levels, 2)))
        ax = plot_tree(tree, shares=tree.guarantee, resources=("CPU", "GB"))
        boxes = [
            patch.get_extents().frozen() for patch in ax.patches if hasattr(patch, "get_boxstyle")
        ]
        assert len(boxes) == tree.n_nodes == len(ax.texts)
        assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])
        width, height = tree_size(tree, tree.guarantee, resources=("CPU", "GB"))
        assert max(width, height) < 16 and all("share" in text.get_text() for text in ax.texts)


def test_pictures_refuse_what_names_no_node():
    tree = workloads.fig4()
    refuses("no node has the path", plot_tree, tree, labels={(4,): "x"})
    refuses("shares: shape", plot_tree, tree, shares=[0.5])


def test_shares_are_judged_in_their_windows():
    """Shares that are as printed while all are active, and anything at other times; n2,3 takes over, n2,1 moves by 0.05."""
    later = {"n2,3": 0.5, "n2,1": 0.05}
    rows = []
    for time in range(0, 1000, 10):
        for name in LEAVES:
            share = float(claim(share_of(name)).printed)
            if time < 200 or 580 < time < 640:
                share = 0.9
            if time >= 790:
                share += later.get(name, 0)
            rows.append({"rule": "mch", "seed": 0, "time": time, "name": name, "share": share})
    frame = pd.DataFrame(rows)
    for name in LEAVES:
        assert measured(share_of(name), frame) == pytest.approx(
            float(claim(share_of(name)).printed)
        )
    assert measured("fig4-ratio", frame) == pytest.approx(2)
    assert measured("fig4-takes-over", frame) == pytest.approx(1)
    assert measured("fig4-others-stay", frame) == pytest.approx(0.05)


def test_complexity_is_judged_by_a_decision():
    """A decision of H-DRF looks at 2 q nodes, however many decisions there are; by path it costs what MCH's does."""
    rows = [
        {"seed": seed, "levels": levels, "q": 2.0**levels, "rule": rule, "method": method, "decisions": 5.0**levels, "operations": each * 5.0**levels}
        for seed in range(2) for levels in (5, 8, 11)
        for rule, method, each in (("h-drf", "literal", 2 * 2.0**levels), ("h-drf", "fast", 3), ("mch", "fast", 3), ("c-ch", "fast", 1), ("m-ch", "fast", 3))
    ]  # fmt: skip
    frame = pd.DataFrame(rows)
    assert np.allclose(measured("complexity-h-drf", frame), 1)
    assert np.allclose(measured("complexity-mch", frame), 0)
    assert np.allclose(measured("complexity-decision", frame), 0)
    assert np.allclose(measured("ch-cheaper", frame), 0)
    assert np.allclose(measured("faster", frame, "filling at the most nodes"), 2 * 2**11 / 3)
    assert np.allclose(measured("faster-by-path", frame), 1)
    dear = frame.assign(operations=frame["operations"] * frame["q"] ** 1.5)
    assert np.allclose(measured("complexity-mch", dear), 1.5)  # and not O(q)
    log = frame.assign(operations=frame["operations"] * frame["levels"])
    assert np.allclose(measured("complexity-decision", log), 1)
    mch_only = frame["operations"].where(frame["rule"] != "mch", frame["operations"] * frame["q"])
    weighed = frame.assign(operations=mch_only)  # weights worked out again for each decision
    assert np.allclose(measured("ch-cheaper", weighed), 1)


def test_a_square_is_judged_between_the_two_largest_trees():
    """H-DRF's cost is MCH's until 100 nodes, and its square from there on."""
    rows = []
    for levels, q in enumerate((10.0, 100.0, 1000.0), 5):
        shared = {"seed": 0, "levels": levels, "q": q, "decisions": q}
        rows.append(shared | {"rule": "mch", "method": "fast", "operations": q})
        rows.append(
            shared | {"rule": "h-drf", "method": "literal", "operations": max(q, q**2 / 100)}
        )
    frame = pd.DataFrame(rows)
    assert measured("square", frame) == pytest.approx(2)
    assert measured("square", frame, "all q") == pytest.approx(1.5)


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


def test_who_is_starved_is_told_by_the_poorest_leaf():
    trees = as_frame("""
        rule  partial  seed  least
        mch       0       0    0.1
        mch       0.5     0    0.5
        mch       0.5     0    0.9
        mch       0.5     1    1.0
    """)
    assert np.allclose(measures.poorest(trees, "mch"), [50, 100])
    group = as_frame("""
        rule  leaf  seed  time  share
        mch   n2,2     0     0    1.0
        mch   n2,2     0     5    0.2
        mch   n2,2     0    10    0.3
    """)
    assert np.allclose(measures.nested(group, "mch"), 100)
