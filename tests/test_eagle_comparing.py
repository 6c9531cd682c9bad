"""How Eagle's ratios are taken and judged: on frames small enough to check with a pencil."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from frames import as_frame
from refusals import refuses
from reproduce import registry, verdicts
from reproduce.exhibits.eagle import comparing, measures

SHORT = {"class": "short", "percentile": 50}


def test_a_ratio_pairs_the_same_seed_and_leaves_out_what_only_one_system_ran():
    times = """
        system  seed  workers  completion
        eagle      0       10           1
        eagle      1       10           3
        hawk       1       10           4
        hawk       0       10           8
        hawk       0       20           1
    """
    frame = as_frame(times).assign(utilisation=0.5, **SHORT)
    found = comparing.ratios(frame, "eagle", "hawk")
    assert found.set_index("seed")["ratio"].to_dict() == {0: 1 / 8, 1: 3 / 4}


def test_the_extreme_case_is_one_case_for_all_seeds_not_the_worst_of_each():
    frame = as_frame("""
        system  seed  workers  completion
        eagle      0       10       0.5
        eagle      0       20       0.25
        eagle      1       10       0.75
        eagle      1       20       0.875
        hawk       0       10       1
        hawk       0       20       1
        hawk       1       10       1
        hawk       1       20       1
    """).assign(**SHORT)
    assert_array_equal(measures.sooner(frame, "hawk", cases="worst"), [50, 25])
    best = measures.sooner(frame, "hawk", cases="best")
    assert_array_equal(best.values, [[50, 25], [75, 12.5]])
    left = measures.sooner(frame, "hawk", cases="worst", but={"workers": 10})
    assert_array_equal(left, [75, 12.5])


def test_compare_refuses_a_setting_that_leaves_several_runs_per_seed():
    frame = as_frame("""
        system  seed  workers  completion
        eagle      0       10           1
        eagle      0       20           2
    """).assign(**SHORT)
    assert comparing.compare(frame, {"workers": 10}, {"workers": 20})["ratio"].tolist() == [0.5]
    several = {"system": "eagle"}, {"workers": 20}
    refuses("one run per seed", comparing.compare, frame, *several)


def test_slopes_count_steps_from_one_value_to_the_next_per_seed():
    eagle = as_frame("""
        seed  workers  completion
           0        4           1
           0        5           2
           0        9           4
           1        4           8
           1        5           4
           1        9           2
    """)
    both = [eagle.assign(system="eagle"), eagle.assign(system="hawk", completion=1.0)]
    frame = pd.concat(both).assign(**SHORT)
    assert_allclose(measures.trend(frame, "eagle", "hawk"), [np.log(2), -np.log(2)])


@pytest.mark.parametrize(
    "ratios, verdict", [((0.3, 0.31, 0.9), "holds"), ((0.3, 0.25, 0.2), "fails")]
)
def test_a_benefit_that_falls_with_the_load_is_distinguished_from_a_growing_one(ratios, verdict):
    claim = registry.load().claims["eagle.less-at-low-load-google"]
    hawk = as_frame("""
        seed  workers  completion
           0       15           1
           0       19           1
           0       23           1
           1       15           2
           1       19           2
           1       23           2
    """)
    eagle = hawk.assign(completion=hawk["completion"] * [*ratios, *ratios], system="eagle")
    # general thieves run too, as slow as any: what is judged is how it turns out as the paper is read
    rivals = [hawk.assign(system=name) for name in ("hawk", "hawk-general")]
    frame = pd.concat([eagle, *rivals]).assign(trace="google", **SHORT)
    assert verdicts.judge(claim, {claim.experiment: frame}, "quick").verdict == verdict


def test_fig_9_is_judged_at_the_ratio_that_keeps_as_many_nodes_busy():
    frame = as_frame("""
        system  seed  interarrival  utilisation  completion
        eagle      0           0.6         0.8          0.1
        hawk       0           0.6         0.8          1
        eagle      0           1.2         0.45         0.4
        hawk       0           1.2         0.45         1
    """).assign(sample="cut", **SHORT)
    at_83 = measures.sooner_as_busy(frame, [1.2])  # % busy
    assert_allclose(at_83.values, [[90]])
    at_50 = measures.sooner_as_busy(frame, [2.0])
    assert_allclose(at_50.values, [[60]])


def test_a_share_of_table_2_is_in_the_papers_millions_for_either_kind_of_thieves():
    frame = as_frame("""
        system        rescheduled  probes  behind_long  ran_behind_long  short_tasks
        eagle                  90     200          100                5          100
        hawk                   80     200          100                5          100
        hawk-general           40     200          100                5          100
    """).assign(trace="google", workers=15_000, seed=0, **SHORT)
    assert measures.head_of_line(frame, "google", "behind") == 50
    assert measures.head_of_line(frame, "google", "rescued", of=17.3) == pytest.approx(13.84)
    general = measures.head_of_line(frame, "google", "rescued", of=17.3, hawk="hawk-general")
    assert general == pytest.approx(6.92)
    assert measures.head_of_line(frame, "google", "again", of=1570) == pytest.approx(17.6625)


def test_a_minimum_of_probes_is_charged_on_the_trace_where_it_costs_most():
    frame = as_frame("""
        trace   system  messages  updates
        google  eagle        300      100
        google  no-min       250      100
        yahoo   eagle        220      110
        yahoo   no-min       200      100
    """).assign(workers=1, seed=0, **SHORT)
    both = ["google", "yahoo"]
    assert_allclose(measures.more_messages(frame, True, both), [20])
    assert_allclose(measures.more_messages(frame, False, both), [100 / 3])
