"""LoTES's pictures draw what was simulated."""

import numpy as np

from book.pictures import bins as pictures
from refusals import refuses
from schedlib import lotes
from schedlib.workload import Workload


def test_bars_of_an_allocation_are_what_each_class_holds():
    configs, classes = lotes.google2011()
    found = lotes.allocate(configs, classes)
    gain = lotes.scarcity(configs, classes)
    names = [f"pool {j}" for j in range(configs.n_configs)]
    figure = pictures.plot_allocation(found, gain, names, ["cores", "memory"])
    bars = [bar.get_width() for bar in figure.axes[0].patches]
    assert np.allclose(bars, 100 * found.delta.transpose(1, 0, 2).ravel())


def test_polytope_refuses_what_is_not_a_plane():
    refuses("two classes", pictures.plot_polytope, [4], [[1], [2], [3]], ["cores"])
    refuses("needs nothing", pictures.plot_polytope, [4], [[1], [0]], ["cores"])


def test_polytope_draws_resources_that_one_class_does_not_need():
    assert pictures.plot_polytope([4, 6], [[1, 0], [0, 2]], ["cores", "GB"], mix=[1, 1]).axes


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
    refuses("whole", pictures.plot_timetable, *run_toy([3, 2, 4.5]))


def test_a_timetable_leaves_out_a_job_that_needs_none_of_the_resource():
    first, second, _ = pictures.plot_timetable(*run_toy([3, 0, 4])).axes
    assert [text.get_text() for text in (*first.texts, *second.texts)] == ["1", "3"]
