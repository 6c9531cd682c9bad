"""MCH's examples, the trace's demands, and what the reproduction's measures say about frames known by hand."""

import numpy as np
import pandas as pd
import pytest

from exhibits.mch import fig1_4_weights, fig5_cost
from mch_instances import by_equations
from schedlib import traces
from schedlib.mch import workloads
from schedlib.pictures.trees import plot_tree, tree_size

CLAIMS = {claim.id: claim for claim in (*fig1_4_weights.CLAIMS, *fig5_cost.CLAIMS)}


def measured(name, frame, reading=None):
    claim = CLAIMS[f"mch.{name}"]
    measure = claim.measure if reading is None else claim.readings[reading][1]
    return np.asarray(measure(frame), float)


def test_trees_have_the_paper_s_numbers_of_nodes():
    for levels in (1, 2, 5):
        tree = workloads.full_binary(levels, np.arange(1, 2**levels + 1)[:, None])
        assert tree.n_leaves == 2**levels and tree.n_nodes - 1 == 2 ** (levels + 1) - 2
        assert (tree.depth[tree.leaves] == levels).all() and np.allclose(
            tree.guarantee[tree.leaves], 2.0**-levels
        )
        assert tree.demand[:, 0].tolist() == list(range(1, 2**levels + 1))
    assert [workloads.fig4().name(leaf) for leaf in workloads.fig4().leaves] == list(
        fig1_4_weights.PRINTED
    )


def test_bad_sizes_are_refused():
    with pytest.raises(ValueError, match="3 rows for 2 levels"):
        workloads.full_binary(2, [(1,), (1,), (1,)])
    with pytest.raises(ValueError, match="2 jobs for 4 lowest groups"):
        workloads.jobs_below(2, [(1,), (1,)])
    with pytest.raises(ValueError, match="n: 0"):
        workloads.jobs_from_trace(0, seed=0)


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
    wanted, inverse = by_equations(fig1_4_weights.CASES[case], (10, 12), case)
    assert np.allclose(rows["t_star"].dropna(), wanted, rtol=1e-12)
    assert np.isclose(1 / rows.loc["n2", "mu"], inverse) and np.isclose(
        rows.loc["n2,1", "weight"], inverse
    )
    assert np.isclose(rows.loc["n2,2", "weight"], 1 if case == "other" else inverse)
    assert np.allclose(rows["t"].dropna(), wanted, rtol=1e-12) == (case != "other")
    assert (rows["first_saturated"] == 0).all()


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
    for reading in ("4 levels, jobs as queues", "3 levels, jobs as nodes"):
        assert np.allclose(measured("square", square, reading), 2)
    double = cost_frame(lambda n: 10.0 * n, lambda n: 5.0 * n)
    assert np.allclose(measured("square", double, "4 levels, jobs as queues"), 1) and np.allclose(
        measured("fig5-half", double), 2
    )
    for rival, margin in (("C-CH", 0.05), ("M-CH", -0.45)):
        assert np.allclose(measured("fig5-no-better", double, rival), margin)
    assert (measured("faster", double) == 0).all() and (measured("faster", square) == 1).all()


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
    with pytest.raises(ValueError, match="no node has the path"):
        plot_tree(tree, labels={(4,): "x"})
    with pytest.raises(ValueError, match="shares: shape"):
        plot_tree(tree, shares=[0.5])


def test_shares_are_judged_in_their_windows():
    """Shares that are as printed while all are active, and anything at other times; n2,3 takes over, n2,1 moves by 0.05."""
    rows = []
    for time in range(0, 1000, 10):
        for name, share in fig1_4_weights.PRINTED.items():
            share = 0.9 if time < 200 or 580 < time < 640 else share
            share += (
                (0.5 if name == "n2,3" else 0.05 if name == "n2,1" else 0) if time >= 790 else 0
            )
            rows.append({"rule": "mch", "seed": 0, "time": time, "name": name, "share": share})
    frame = pd.DataFrame(rows)
    assert all(
        np.allclose(measured(f"fig4-share-{name.replace(',', '-')}", frame), share)
        for name, share in fig1_4_weights.PRINTED.items()
    )
    assert np.allclose(measured("fig4-ratio", frame), 0) and np.allclose(
        measured("fig4-takes-over", frame), 1
    )
    assert np.allclose(measured("fig4-others-stay", frame), 0.05)


def test_cost_counts_the_same_decisions_for_both_kinds_of_h_drf():
    for frame in (
        fig5_cost.run_nodes(4, seed=0),
        fig5_cost.run_jobs("nodes", 2, 20, seed=0),
        fig5_cost.run_jobs("queues", 2, 20, 0),
    ):
        h_drf = frame[frame["rule"] == "h-drf"]
        assert (
            h_drf["decisions"].nunique() == 1
            and (frame.loc[frame["rule"] == "mch", "reweighed"] > 0).all()
        )
        assert (frame["operations"] > 0).all()
    assert set(fig5_cost.run_jobs("queues", 2, 20, seed=0)["q"]) == {7} and set(
        fig5_cost.run_jobs("nodes", 2, 20, seed=0)["q"]
    ) == {27}


def test_complexity_is_judged_by_a_decision():
    """A decision of H-DRF looks at 2 q nodes, however many decisions there are; by path it costs what MCH's does."""
    rows = [
        {"seed": seed, "levels": levels, "q": 2.0**levels, "rule": rule, "method": method, "decisions": 5.0**levels, "operations": each * 5.0**levels}
        for seed in range(2) for levels in (5, 8, 11)
        for rule, method, each in (("h-drf", "literal", 2 * 2.0**levels), ("h-drf", "fast", 3), ("mch", "fast", 3), ("c-ch", "fast", 1), ("m-ch", "fast", 3))
    ]  # fmt: skip
    frame = pd.DataFrame(rows)
    assert np.allclose(measured("complexity-h-drf", frame), 1) and np.allclose(
        measured("complexity-decision", frame), 0
    )
    assert np.allclose(measured("complexity-mch", frame), 1)  # O(q) with a whole power to spare
    dear = frame.assign(operations=frame["operations"] * frame["q"] ** 1.5)
    assert np.allclose(measured("complexity-mch", dear), -0.5)  # and not O(q)
    assert np.allclose(measured("ch-cheaper", frame, "C-CH"), 1) and np.allclose(
        measured("ch-cheaper", frame, "M-CH"), -1
    )
    *printed, by_path = (
        measured("faster", frame, reading)[0]
        for reading in CLAIMS["mch.faster"].readings
        if "filling" in reading
    )
    assert printed == [1] and by_path == 0
