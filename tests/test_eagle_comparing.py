"""How Eagle's ratios are taken and judged: on frames small enough to check with a pencil."""

import numpy as np
import pandas as pd
import pytest
from schedlib.reproduce.judge import judge

from exhibits.eagle import comparing, fig9_hour
from exhibits.eagle.fig2_4_rivals import CLAIMS


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
    rows = pd.DataFrame(
        {"seed": [0, 0, 1, 1], "workers": [10, 20, 10, 20], "ratio": [0.9, 0.5, 0.4, 0.7]}
    )
    np.testing.assert_array_equal(comparing.extreme_case(rows, largest=True), [0.9, 0.4])
    np.testing.assert_array_equal(comparing.extreme_case(rows, largest=False), [0.5, 0.7])


def test_compare_refuses_a_setting_that_leaves_several_runs_per_seed():
    frame = frame_of({("eagle", 0, 10, 50): 1.0, ("eagle", 0, 20, 50): 2.0})
    assert comparing.compare(frame, {"workers": 10}, {"workers": 20})["ratio"].tolist() == [0.5]
    with pytest.raises(ValueError, match="one run per seed"):
        comparing.compare(frame, {"system": "eagle"}, {"workers": 20})


def test_slopes_count_steps_from_one_value_to_the_next_per_seed():
    rows = pd.DataFrame(
        {"seed": [0] * 3 + [1] * 3, "workers": [4, 5, 9] * 2, "ratio": [1, 2, 4, 8, 4, 2]}
    )
    np.testing.assert_allclose(comparing.slope(rows, "workers"), [np.log(2), -np.log(2)])


@pytest.mark.parametrize(("late", "verdict"), [(0.9, "reproduced"), (0.2, "not reproduced")])
def test_the_benefit_that_falls_with_the_load_is_told_from_one_that_grows(late, verdict):
    claim = next(claim for claim in CLAIMS if claim.id == "eagle.less-at-low-load-google")
    times = {("hawk", seed, workers, 50): 1.0 + seed for seed in (0, 1) for workers in (15, 19, 23)}
    ratio = {15: 0.3, 19: 0.31 if late > 0.3 else 0.25, 23: late}
    times |= {
        ("eagle", seed, workers, 50): (1.0 + seed) * ratio[workers]
        for seed in (0, 1)
        for workers in ratio
    }
    assert judge(claim, frame_of(times, trace="google")).verdict == verdict


def test_fig_9_is_judged_at_the_ratio_that_keeps_as_many_nodes_busy():
    times = {
        (name, 0, ratio, 50): time
        for ratio, least in ((0.6, 0.1), (1.2, 0.4))
        for name, time in (("eagle", least), ("hawk", 1.0))
    }
    frame = frame_of(times, sample="cut").rename(columns={"workers": "interarrival"})
    frame["utilisation"] = frame["interarrival"].map({0.6: 0.8, 1.2: 0.45})
    np.testing.assert_allclose(fig9_hour.as_busy(1.2)(frame), [90])  # 83 % busy
    np.testing.assert_allclose(fig9_hour.as_busy(2.0)(frame), [60])  # 50 % busy
