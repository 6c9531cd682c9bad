"""A cluster over time: the books balance, fast and literal agree, Fig. 4b comes out, and starvation shows under the naive rule alone."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cases import CASES
from frames import as_frame
from mch_instances import FIG4, SCANS, problems, workloads
from refusals import refuses
from schedlib import lotes, mch
from schedlib.boards import mch_board as referee
from schedlib.mch.flatten import GUARANTEE, MCH, collapse, flat_nodes
from schedlib.mch.weights import pruned
from schedlib.workload import Workload

RULES = ("drf", "mch", "mch-two-phase", "h-drf", "naive-h-drf")


@given(workloads() | workloads(most_resources=6))
def test_fast_and_literal_agree_while_tasks_come_and_go(workload):
    tree, capacity, jobs = workload
    for rule in RULES:
        fast = mch.simulate(tree, capacity, rule, jobs)
        literal = mch.simulate(tree, capacity, SCANS.get(rule, rule), jobs, method="literal")
        pd.testing.assert_frame_equal(fast.jobs, literal.jobs)
        pd.testing.assert_frame_equal(fast.shares, literal.shares)
        assert fast.decisions == literal.decisions


@given(workloads(), st.sampled_from(RULES))
def test_every_task_runs_once_and_capacities_hold(workload, rule):
    """Work and capacities by the board's referee, who reads the record alone."""
    tree, capacity, jobs = workload
    stay = jobs.drop(columns="depart")
    run = mch.simulate(tree, capacity, rule, stay)
    assert run.jobs["finish"].notna().all()
    some = run.jobs[run.jobs["tasks"] > 0]
    assert (some["start"] >= some["submit"]).all()
    assert (some["finish"] >= some["start"] + some["duration"]).all()
    for _, line in some.groupby("leaf"):
        assert line.sort_values("submit", kind="stable")["start"].is_monotonic_increasing
    left = mch.simulate(tree, capacity, rule, jobs)
    assert (left.jobs["finish"] <= jobs["depart"].fillna(np.inf)).all()
    for each in (run, left):
        case = referee.Case(tree, capacity, each.jobs, each.shares["time"].max() + 1.0)
        assert referee._overfull(each, case) == referee._leaves(each, case)[2] == ""
        assert (each.shares.groupby("leaf")["share"].last() == 0).all()


@given(problems(most_resources=3), st.data())
def test_weights_count_active_nodes_alone(problem, data):
    tree, capacity = problem
    active = data.draw(arrays(bool, tree.n_leaves).filter(np.any))
    small = pruned(tree, active)
    nodes = flat_nodes(tree, capacity)
    nodes.active[:] = active
    collapse(nodes)
    assert np.allclose(nodes.weights[MCH, active], mch.flatten(small, capacity).weights)
    assert np.allclose(nodes.weights[GUARANTEE, active], small.guarantee[small.leaves])


def fig4_jobs(**columns):
    """2000 tasks of one unit each; the lengths are ours, so that all six run from 200 s to 600 s and n2,3 still runs after 790 s."""
    base = as_frame("""
        leaf  duration  depart
           0        30       -
           1        60     790
           2        15       -
           3        15       -
           4        60       -
           5        30       -
    """)
    return base.assign(submit=0.0, tasks=2000).assign(**columns)


@pytest.mark.parametrize("rule", ["mch", "mch-two-phase", "h-drf", "exact-ch"])
def test_figure_4b(rule):
    run = mch.simulate(FIG4, (200, 200), rule, fig4_jobs(), every=10)
    grid = run.shares.pivot(index="time", columns="leaf", values="share")
    assert np.allclose(grid.loc[200:600], [0.33, 0.5, 0.165, 0.165, 0.5, 0.33], rtol=0, atol=0.01)
    assert (grid.loc[850:, 1] == 0).all()
    assert grid.loc[850, 4] == 1
    # to 830 s: at 840 s all CPU tasks end at once, n2 still holds memory, and H-DRF gives it no CPU until n1 and n3 have caught up
    late = grid.loc[790:830, [0, 2, 3, 5]]
    assert np.allclose(late, [0.33, 0.165, 0.165, 0.33], rtol=0, atol=0.01)


def test_the_naive_rule_starves_the_nested_memory_leaf():
    """[M, [C, M]]: the group's CPU share hides that its memory leaf has nothing; tasks' lengths are random, so that they end one by one."""
    tree = mch.Tree([(0, 1), [(1, 0), (0, 1)]])
    length = np.random.default_rng(5).exponential(size=12_000)
    jobs = pd.DataFrame(
        {"leaf": np.arange(12_000) % 3, "submit": 0.0, "tasks": 1, "duration": length}
    )
    share = {}
    for rule in RULES:
        run = mch.simulate(tree, (50, 50), rule, jobs, until=40, every=1)
        share[rule] = run.shares.query("leaf == 2 and time >= 20")["share"].mean()
    assert share.pop("naive-h-drf") < 0.02
    assert min(share.values()) > 0.45


def test_by_hand_a_job_leaves_and_its_tasks_stop():
    tree = mch.Tree([(1,), (1,)])
    jobs = as_frame("""
        leaf  submit  tasks  duration  depart
           0       0      5        10       4
           1       1      3         2       -
           0       1      1         1       -
    """)
    run = mch.simulate(tree, (2,), "drf", jobs)
    assert run.jobs["start"].tolist() == [0, 4, 4]
    assert run.jobs["finish"].tolist() == [4, 8, 5]
    assert run.utilisation[0] * 2 * run.end == 2 * 4 + 3 * 2 + 1
    assert mch.simulate(tree, (2,), "drf", jobs, record=False).shares.empty


def test_ends_then_arrivals_then_starts_of_one_moment():
    """At 10 both tasks end and the poorer leaf's job arrives: it starts first, whichever row comes first."""
    tree = mch.Tree([(1,), (1,)])
    jobs = as_frame("""
        job  leaf  submit  tasks  duration
          a     0       0      3        10
          b     1      10      2         5
          c     1      10      0         5
    """)
    for turn in (jobs, jobs[::-1]):
        done = mch.simulate(tree, (2,), "drf", turn).jobs.set_index("job")
        assert done["finish"].to_dict() == {"a": 20, "b": 20, "c": 10}
        assert done.loc[["a", "b"], "start"].tolist() == [0, 10]


@pytest.mark.parametrize("origin", [1e6, 1.7e9])
def test_measures_begin_with_the_first_submission(origin):
    tree = mch.Tree([(1,), (2,)])
    jobs = as_frame("""
        leaf  submit  tasks  duration
           0       0      9         3
           1       2      4         5
           0      40      3         3
           1      41      9         2
    """)
    run = mch.simulate(tree, (4,), "drf", jobs)
    later = mch.simulate(tree, (4,), "drf", jobs.assign(submit=jobs["submit"] + origin))
    assert np.array_equal(later.utilisation, run.utilisation) and run.utilisation[0] > 0.3
    assert later.end == run.end + origin
    moments = ["start", "finish"]
    assert np.array_equal(later.jobs[moments], run.jobs[moments] + origin)


def test_events_at_until_are_still_run():
    jobs = pd.DataFrame({"leaf": 0, "submit": np.arange(4.0), "tasks": 1, "duration": 0.5})
    run = mch.simulate(mch.Tree([(1,)]), (1,), "drf", jobs, until=2)
    assert run.end == 2
    assert run.jobs["start"].notna().tolist() == [True, True, True, False]
    # in LoTES an arrival at `until` is not part of the run
    same = Workload.from_arrays(np.arange(4.0), [0.5] * 4, cpu=[1.0] * 4)
    cut = lotes.simulate("greedy", lotes.MachineConfigs([[1.0]], [1]), same, until=2)
    assert cut.jobs["start"].tolist() == [0, 1]


def test_a_saturated_resource_stays_so_until_some_is_given_back():
    """The chosen leaf's large task waits for room; the small ones of the other leaf do not overtake it for ever."""
    tree = mch.Tree([(4,), (1,)])
    small = pd.DataFrame({"leaf": 1, "submit": np.arange(40) * 0.5, "tasks": 1, "duration": 4.2})
    large = small.head(1).assign(leaf=0, submit=3.0, duration=1.0)
    jobs = pd.concat([small, large], ignore_index=True)
    run = mch.simulate(tree, (8,), "drf", jobs)
    assert run.jobs["start"].iloc[-1] < 10


def test_a_priority_that_is_not_a_number_is_named_with_leaf_and_time():
    nan = mch.rule(lambda leaf, usage, demand, weight, capacity: np.nan if usage[1] == 3 else 0.0)
    jobs = as_frame("""
        leaf  submit  tasks  duration
           0     0.0      3         1
           4     7.5      5         1
    """)
    words = r"the priority of leaf 4 \(n2,3\) at time 7.5, where it uses \(0, 3\)"
    refuses(words, mch.simulate, FIG4, (5, 5), nan, jobs)


@pytest.mark.parametrize(("change", "words"), CASES["mch_simulate"]["bad_rows_are_named"])
def test_bad_rows_are_named(change, words):
    refuses(words, mch.simulate, FIG4, (5, 5), "h-drf", fig4_jobs(**change))
