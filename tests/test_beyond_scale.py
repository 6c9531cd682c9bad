"""The exhibit on scale: its fit, the same load at every size, work that repeats and does not shrink; no times."""

import math

import numpy as np
import pytest

from exhibits.beyond import scale
from schedlib.eagle.workloads.synthetic import CUTOFF, LOAD, offered_load, table1
from schedlib.reproduce import registry

SMALL = {"eagle": (300, 600), "lotes": (100, 200)}


@pytest.mark.parametrize("power", [-0.5, 0.0, 1.0, 2.0])
def test_growth_finds_the_power_of_a_power_law_and_the_slope_of_a_logarithm(power):
    sizes = (15_000, 40_000, 1_000_000)
    assert scale.growth(sizes, [3 * size**power for size in sizes])[0] == pytest.approx(
        power, abs=1e-12
    )
    assert scale.growth(sizes, [20 + power * math.log2(size) for size in sizes])[
        1
    ] == pytest.approx(power)


def test_jobs_come_faster_and_are_otherwise_the_same():
    few, many = (scale.faster(workers, seed=3) for workers in (3000, 30_000))
    for workload, workers in ((few, 3000), (many, 30_000)):
        assert len(workload.jobs) == workers / 5
        assert offered_load(workload, workers) == pytest.approx(LOAD, rel=0.02)
        assert table1(workload, CUTOFF["google"])["long_work"].item() == pytest.approx(83)
    assert many.jobs["submit"].max() == pytest.approx(few.jobs["submit"].max(), rel=0.3)


@pytest.mark.parametrize("simulator", SMALL)
def test_work_repeats_and_grows_no_slower_than_it_must(simulator):
    sizes = SMALL[simulator]
    frames = [scale.run(simulator, size, seed=1).set_index("system") for size in sizes]
    again = scale.run(simulator, sizes[0], seed=1).set_index("system")
    repeats = ["tasks", "asked"]
    assert again[repeats].equals(frames[0][repeats])
    small, large = frames
    assert tuple(small.index) == scale.SYSTEMS[simulator]
    assert (np.isfinite(small) & np.isfinite(large)).all(axis=None) and (small["bytes"] > 0).all()
    assert (large["tasks"] > small["tasks"]).all() and small["tasks"].nunique() == 1
    if (
        simulator == "eagle"
    ):  # two probes a task and their request and answer; a placement and the fetching
        assert small["asked"]["sparrow"] == large["asked"]["sparrow"] == 6
        assert small["asked"]["omniscient"] == large["asked"]["omniscient"] == 3
    else:
        assert small["asked"]["tetris"] == sizes[0] and large["asked"]["tetris"] == sizes[1]
        assert (large["asked"] > small["asked"]).all() and (large["asked"] <= sizes[1]).all()


def test_the_largest_sizes_are_a_million_and_each_scale_goes_on_from_the_last():
    points = registry.load().experiment("beyond.scale").points
    for simulator in scale.SIZES:
        smoke, quick, paper = (
            [point["size"] for point in points[name] if point["simulator"] == simulator]
            for name in points
        )
        assert max(smoke) < min(quick) and paper[: len(quick)] == quick and max(paper) == 10**6
        assert all(size % 10 == 0 for size in (*smoke, *paper)), "machines of ten configurations"


def test_a_claim_is_judged_with_the_paper_it_is_of_and_with_the_exhibit_it_is_judged_on():
    library = registry.load()
    for name in ("beyond", "beyond.scale"):
        assert {claim.id for claim in library.wanted_claims(name)} == {
            "eagle.scalable",
            "lotes.search",
        }
    assert "eagle.scalable" in [claim.id for claim in library.wanted_claims("eagle")]
