"""LoTES's explorers and pictures draw what was simulated."""

import itertools

import numpy as np
import pandas as pd
import pytest

from schedlib import lotes
from schedlib.pictures import bins as pictures
from schedlib.teaching.explorers import lotes as explorer
from schedlib.workload import Workload


def test_bars_of_an_allocation_are_what_each_class_holds():
    configs, classes = lotes.google2011()
    found = lotes.allocate(configs, classes)
    bars = [bar.get_width() for bar in pictures.plot_allocation(configs, found).axes[0].patches]
    held = (found.running[:, :, None] * classes.demand).transpose(1, 0, 2) / (
        configs.capacity * configs.count[:, None]
    )
    assert np.allclose(bars, 100 * held.ravel())


POLICIES = {"lotes": 0.0, "greedy": 10.0, "tetris": 1.0}


def stored_runs():
    """Two little figures: of the first, Phi varies under two laws; of the second, Omega under one."""
    by_phi = itertools.product("a", (0.0, 0.003), (0.0,), ("common", "fixed"))
    by_omega = itertools.product("b", (0.006,), (0.0, 0.1, 0.2), ("common",))
    points = pd.DataFrame([*by_phi, *by_omega], columns=["figure", "phi", "omega", "sizes"])
    runs = pd.DataFrame(itertools.product(range(3), POLICIES), columns=["seed", "policy"])
    frame = points.merge(runs, "cross").assign(load=0.9)
    wait = frame["policy"].map(POLICIES)
    frame = frame.assign(wait=wait * (1 + frame["seed"]), slope=wait / 100, stable=wait < 5)
    return dict(list(frame.groupby("figure")))


def test_stored_runs_show_each_instance_of_that_figure_and_law():
    figure, alt = explorer.draw_stored(stored_runs(), "a", "fixed", 0.003)
    assert (
        "Greedy waits 20 s (0 of 3 runs stable)" in alt
        and "LoTES waits 0 s (3 of 3 runs stable)" in alt
    )
    drawn = np.concatenate([line.get_xdata() for line in figure.axes[0].lines])
    assert sorted(drawn) == [1e-4] * 3 + [1, 2, 3, 10, 20, 30]


def test_stored_runs_say_what_there_is():
    with pytest.raises(ValueError, match="choose from a, b"):
        explorer.draw_stored(stored_runs(), "c")
    with pytest.raises(ValueError, match="there are common at 0, 0.1, 0.2"):
        explorer.draw_stored(stored_runs(), "b", "common", 0.05)


def test_polytope_refuses_what_is_not_a_plane():
    with pytest.raises(ValueError, match="two classes"):
        pictures.plot_polytope([4], [[1], [2], [3]])
    with pytest.raises(ValueError, match="needs nothing"):
        pictures.plot_polytope([4], [[1], [0]])


def test_polytope_draws_resources_that_one_class_does_not_need():
    assert pictures.plot_polytope([4, 6], [[1, 0], [0, 2]], mix=[1, 1]).axes


def run_toy(cores):
    configs = lotes.MachineConfigs([[5.0]], [2])
    jobs = Workload.from_arrays([0, 0, 0], [4, 2, 2], cores=cores)
    return lotes.simulate("greedy", configs, jobs), configs, jobs


def test_occupancy_adds_up_what_the_jobs_hold():
    run, configs, jobs = run_toy([3, 2, 4])
    full = pictures.occupancy(run, configs, jobs, np.array([0.5, 1.5, 2.5, 4.5]))
    assert np.allclose(full, [[1, 1, 0.6, 0], [0.8, 0.8, 0, 0]])


def test_a_timetable_wants_whole_amounts():
    assert len(pictures.plot_timetable(*run_toy([3, 2, 4])).axes) == 3
    with pytest.raises(ValueError, match="whole"):
        pictures.plot_timetable(*run_toy([3, 2, 4.5]))
