"""LoTES's explorers and pictures answer for every corner of their settings, and what they draw is what was simulated."""

import itertools

import numpy as np
import pytest

from schedlib import lotes
from schedlib.lotes import pictures
from schedlib.widgets import lotes as explorer
from schedlib.workload import Workload


@pytest.mark.parametrize("servers, load", list(itertools.product((1, 32), (10, 98))))
def test_line_draws_at_every_corner(servers, load):
    figure, alt = explorer.draw_line(servers, load, seed=9)
    assert f"at {load} per cent load" in alt and f"{load} % busy" in figure.axes[0].get_title()


@pytest.mark.parametrize("sizes", list(itertools.product((0.5, 6), repeat=4)))
def test_bins_draw_at_every_corner(sizes):
    figure, alt = explorer.draw_bins(*sizes)
    found = lotes.non_dominated_bins([10, 10], [[sizes[0], sizes[2]], [sizes[1], sizes[3]]])
    assert f"{len(found)} non-dominated bins" in alt and figure.legends


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("load, phi, law, seed", list(itertools.product((50, 98), (0, 15), ("independent", "common", "fixed"), (0, 9))))
def test_dispatch_draws_at_every_corner(load, phi, law, seed):
    figure, alt = explorer.draw_dispatch(load, phi, law, seed)
    titles = " ".join(ax.get_title() for ax in figure.axes)
    for name in ("LoTES", "Greedy", "Tetris"):
        assert name in alt and name in titles


@pytest.mark.parametrize("make", [explorer.line, explorer.bins, explorer.dispatch])
def test_explorers_start_with_a_picture(make):
    made = make()
    assert made.png.startswith(b"\x89PNG") and "<img alt=" in made.picture.value


def test_polytope_refuses_what_is_not_a_plane():
    with pytest.raises(ValueError, match="two classes"):
        pictures.plot_polytope([4], [[1], [2], [3]])
    with pytest.raises(ValueError, match="needs nothing"):
        pictures.plot_polytope([4], [[1], [0]])


def test_polytope_has_the_corners_of_the_toy():
    corners = pictures._corners(np.array([40.0, 80.0]), np.array([[1.0, 4.0], [2.0, 1.0]]))
    assert {tuple(np.round(corner, 4)) for corner in corners} == {(0, 0), (20, 0), (0, 20), (17.1429, 11.4286)}


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
