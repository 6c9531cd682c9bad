"""HMHS's pictures and claims: measures on made-up frames with answers known by hand."""

import itertools

import numpy as np
import pandas as pd
import pytest

from reproduce.exhibits.hmhs import (
    comparing,
    crossing,
    dispatching,
    factors,
    fig1_2_makespans,
    measures,
)
from schedlib import hmhs


def frame_of(gain, axis="jobs", points=(25, 50, 100), seeds=3, rivals=comparing.RIVALS):
    """Makespans such that HMHS's gain over every rival is `gain(rival, workload, point, seed)` per cent."""
    cases = list(itertools.product(rivals, ("single", "hybrid"), points, range(seeds)))
    frame = pd.DataFrame(cases, columns=["policy", "workload", axis, "seed"])
    gains = np.array([gain(*case) for case in cases])
    frame["makespan"] = 100 / (1 - gains / 100)
    once = frame[frame["policy"] == rivals[0]]
    ours = once.assign(policy="hmhs", makespan=100.0)
    bound = once.assign(policy="bound", makespan=80.0)
    return pd.concat([frame, ours, bound])


def test_gains_and_gaps_compare_within_one_instance():
    frame = frame_of(lambda rival, workload, point, seed: point / 2 + seed)
    assert np.allclose(comparing.gains(frame).eval("gain - jobs / 2 - seed"), 0)
    gaps = fig1_2_makespans.gaps(frame)
    assert np.allclose(gaps.loc[gaps["policy"] == "hmhs", "gap"], 25)
    assert "bound" not in set(gaps["policy"])


def test_extremes_are_those_of_the_means_and_come_seed_by_seed():
    by_point = {25: 10.0, 50: 60.0, 100: 40.0}
    frame = frame_of(
        lambda rival, workload, point, seed: by_point[point] - 5 * (workload == "hybrid") + seed
    )
    assert np.allclose(measures.most_gain(frame, "fifo").interval().mean, 61)
    assert np.allclose(measures.least_gain(frame, "fifo"), [5, 6, 7])
    assert np.allclose(measures.lead(frame), [5, 6, 7])
    hybrid = measures.most_gain(frame, "fifo-pri", workload="hybrid")
    assert np.allclose(hybrid.values.max(axis=0), [55, 56, 57])


def test_slopes_are_per_doubling_and_signed_in_the_claimed_direction():
    slopes = {"single": 3, "hybrid": -2}
    frame = frame_of(
        lambda rival, workload, point, seed: 20 + slopes[workload] * np.log2(point / 25)
    )
    assert np.allclose(measures.trend(frame), -2)  # the workload where it grows less
    frame = frame_of(
        lambda rival, workload, point, seed: 50 - 0.4 * point, "slow", (0, 40, 80, 100)
    )
    assert np.allclose(measures.fewer_slow(frame), 4)
    dominated = measures.most_gain(frame, "fifo", axis="slow", slow=[80, 100])
    assert np.allclose(dominated.interval().mean, 18)


def test_the_closest_reading_is_found_by_its_farthest_gain():
    def gain(policy, workload, jobs, seed):
        if policy == "fifo-barrier":
            return {25: 51, 50: 77}.get(jobs, 90)
        if policy == "fifo-pri":
            return 72 if workload == "single" else 55
        return {25: 10, 50: 33}.get(jobs, 40) if policy == "r-hmhs" else 20

    rivals = [*crossing.PRIS, *crossing.PRIS.values(), "r-hmhs"]
    frame = frame_of(gain, seeds=2, rivals=rivals)
    assert np.allclose(measures.missed(frame), [3, 3])
    table = crossing.table(frame)
    best = table.loc[table["off"].idxmin()]
    assert best[["fifo", "pri", "first", "last"]].tolist() == ["fifo-barrier", "fifo-pri", 25, 50]
    assert len(table) == 16 and np.isclose(best["off"], 3)


def test_more_maps_are_on_their_quickest_machine_than_a_hundredth():
    frame = dispatching.run("single", 40, seed=1).set_index("policy")
    assert frame.loc["hmhs", "best"] > 5 > frame.loc["fifo", "best"] > 0
    # an order that ignores the maps' total time leaves neighbours as far apart as any two jobs
    assert frame.loc["fifo", "apart"] == pytest.approx(100, abs=35)


def test_what_a_heuristic_brings_alone_and_added_last():
    every = itertools.product(factors.ORDERS, factors.RULES, factors.RULES)
    frame = pd.DataFrame(every, columns=["order", "map", "reduce"]).assign(seed=0, jobs=25)
    both = (frame[["map", "reduce"]] == "min-min").all(axis=1)
    frame["makespan"] = np.where(frame["map"] == "min-min", 50.0, 100.0) * np.where(both, 0.8, 1)
    for part, last, gain in (
        ("reduce", True, 20),
        ("reduce", False, 0),
        ("map", True, 60),
        ("order", True, 0),
    ):
        assert np.allclose(factors.brought(frame, part, last=last)["gain"], gain)


def test_the_combination_of_all_is_hmhs_and_of_none_fifo():
    frame = factors.run("single", "job", 25, seed=2)
    makespan = frame.set_index(["order", "map", "reduce"])["makespan"]
    instance = hmhs.single(25, seed=2)
    for policy, order, rule in (
        ("hmhs", "pri", "min-min"),
        ("r-hmhs", "reversed", "min-min"),
        ("fifo", "given", "fifo"),
        ("fifo-pri", "pri", "fifo"),
    ):
        assert makespan[order, rule, rule] == hmhs.schedule(instance, policy).makespan
