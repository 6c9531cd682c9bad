"""How Eagle's ratios are taken and judged: on frames small enough to check with a pencil."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from exhibits.eagle import comparing, measures
from frames import as_frame
from refusals import refuses
from schedlib.reproduce import registry, verdicts


def frame_of(times, **more):
    """A frame of short jobs' times by (system, seed, workers, percentile)."""
    rows = [(*key, "short", value) for key, value in times.items()]
    return pd.DataFrame(
        rows, columns=["system", "seed", "workers", "percentile", "class", "completion"]
    ).assign(**more)


def test_a_ratio_pairs_the_same_seed_and_leaves_out_what_only_one_system_ran():
    times = {
        ("eagle", 0, 10, 50): 1.0,
        ("eagle", 1, 10, 50): 3.0,
        ("hawk", 1, 10, 50): 4.0,
        ("hawk", 0, 10, 50): 8.0,
    }
    found = comparing.ratios(
        frame_of({**times, ("hawk", 0, 20, 50): 1.0}, utilisation=0.5), "eagle", "hawk"
    )
    assert found.set_index("seed")["ratio"].to_dict() == {0: 1 / 8, 1: 3 / 4}


def test_the_extreme_case_is_one_case_for_all_seeds_not_the_worst_of_each():
    times = {
        ("eagle", 0, 10, 50): 0.5,
        ("eagle", 0, 20, 50): 0.25,
        ("eagle", 1, 10, 50): 0.75,
        ("eagle", 1, 20, 50): 0.875,
    }
    times |= {("hawk", seed, workers, 50): 1.0 for seed in (0, 1) for workers in (10, 20)}
    frame = frame_of(times)
    assert_array_equal(measures.sooner(frame, "hawk", cases="worst"), [50, 25])
    best = measures.sooner(frame, "hawk", cases="best")
    assert_array_equal(best.values, [[50, 25], [75, 12.5]])
    left = measures.sooner(frame, "hawk", cases="worst", but={"workers": 10})
    assert_array_equal(left, [75, 12.5])


def test_compare_refuses_a_setting_that_leaves_several_runs_per_seed():
    frame = frame_of({("eagle", 0, 10, 50): 1.0, ("eagle", 0, 20, 50): 2.0})
    assert comparing.compare(frame, {"workers": 10}, {"workers": 20})["ratio"].tolist() == [0.5]
    refuses("one run per seed", comparing.compare, frame, {"system": "eagle"}, {"workers": 20})


def test_slopes_count_steps_from_one_value_to_the_next_per_seed():
    ratio = {0: (1, 2, 4), 1: (8, 4, 2)}
    times = {}
    for seed, of_seed in ratio.items():
        for workers, time in zip((4, 5, 9), of_seed, strict=True):
            times |= {("eagle", seed, workers, 50): time, ("hawk", seed, workers, 50): 1.0}
    found = measures.trend(frame_of(times), "eagle", "hawk")
    assert_allclose(found, [np.log(2), -np.log(2)])


@pytest.mark.parametrize(("late", "verdict"), [(0.9, "holds"), (0.2, "fails")])
def test_the_benefit_that_falls_with_the_load_is_told_from_one_that_grows(late, verdict):
    claim = registry.load().claims["eagle.less-at-low-load-google"]
    times = {("hawk", seed, workers, 50): 1.0 + seed for seed in (0, 1) for workers in (15, 19, 23)}
    ratio = {15: 0.3, 19: 0.31 if late > 0.3 else 0.25, 23: late}
    times |= {
        ("eagle", seed, workers, 50): (1.0 + seed) * ratio[workers]
        for seed in (0, 1)
        for workers in ratio
    }
    frames = {claim.experiment: frame_of(times, trace="google")}
    # general thieves run too, as slow as any: what is judged is how it turns out as the paper is read
    general = frames[claim.experiment].replace({"system": {"hawk": "hawk-general"}})
    frames[claim.experiment] = pd.concat(
        [frames[claim.experiment], general[general["system"] == "hawk-general"]]
    )
    assert verdicts.judge(claim, frames, "quick").verdict == verdict


def test_fig_9_is_judged_at_the_ratio_that_keeps_as_many_nodes_busy():
    times = {
        (name, 0, ratio, 50): time
        for ratio, least in ((0.6, 0.1), (1.2, 0.4))
        for name, time in (("eagle", least), ("hawk", 1.0))
    }
    frame = frame_of(times, sample="cut").rename(columns={"workers": "interarrival"})
    frame["utilisation"] = frame["interarrival"].map({0.6: 0.8, 1.2: 0.45})
    at_83 = measures.sooner_as_busy(frame, [1.2])  # % busy
    assert_allclose(at_83.values, [[90]])
    at_50 = measures.sooner_as_busy(frame, [2.0])
    assert_allclose(at_50.values, [[60]])


def test_a_share_of_table_2_is_told_in_the_papers_millions_for_either_kind_of_thieves():
    counts = {"probes": 200, "behind_long": 100, "ran_behind_long": 5, "short_tasks": 100}
    frame = pd.DataFrame(
        [
            {"system": system, "rescheduled": again, **counts}
            for system, again in (("eagle", 90), ("hawk", 80), ("hawk-general", 40))
        ]
    ).assign(
        **{"trace": "google", "workers": 15_000, "seed": 0, "class": "short", "percentile": 50}
    )
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
    """)
    frame = frame.assign(**{"workers": 1, "seed": 0, "class": "short", "percentile": 50})
    both = ["google", "yahoo"]
    assert_allclose(measures.more_messages(frame, True, both), [20])
    assert_allclose(measures.more_messages(frame, False, both), [100 / 3])
