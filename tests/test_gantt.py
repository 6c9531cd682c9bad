"""`plots.gantt` draws what ran, where and when, of every simulator's result."""

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from frames import as_frame, runs_of
from refusals import refuses
from schedlib import boards, eagle, hmhs, lotes, mch, plots
from schedlib.boards import literature
from schedlib.hmhs.workloads import tiny
from schedlib.plots import bars
from schedlib.workload import Workload

BATCH = tiny(4, seed=1)
CORE = lotes.MachineConfigs([[4.0]], [2])
LEAVES = as_frame("""
    leaf  submit  tasks  duration
       0     0.0      2       2.0
       1     1.0      3       1.0
       0     1.0      4       1.0
""")


def fourteen(**own) -> Workload:
    """Jobs, with a reader's own columns."""
    rng = np.random.default_rng(1)
    submit = np.sort(rng.uniform(0, 10, 14))
    work = {"cpu": rng.integers(1, 4, 14), "job_class": rng.integers(0, 2, 14)}
    jobs = Workload.from_arrays(submit, rng.uniform(1, 5, 14), **work)
    return Workload(jobs.jobs.assign(**own), jobs.tasks)


# of a reader's, which say nothing of where LoTES ran the jobs
COLUMNS = {"worker": 5, "leaf": 7, "stage": "a", "long": "no"}


def eagles(simulate=eagle.simulate, **options):
    where = {"short_partition": 0.34, "cutoff": 3.0}
    return simulate(fourteen(worker=5), "eagle", 6, **where, **options)


RESULTS = {
    "LoTES": lambda: lotes.simulate("greedy", CORE, fourteen(**COLUMNS)),
    "LoTES, stopped": lambda: lotes.simulate(literature.round_robin(1.0), CORE, fourteen()),
    "LoTES, plain": lambda: lotes.plain.simulate("greedy", CORE, fourteen()),
    "HMHS": lambda: hmhs.schedule(BATCH, "hmhs"),
    "HMHS, plain": lambda: hmhs.plain.schedule(BATCH, "fifo"),
    "HMHS, served": lambda: hmhs.serve(hmhs.Arrivals(BATCH, [0.0, 1.0, 2.0, 3.0])),
    "MCH": lambda: mch.simulate(mch.Tree([(1,), (1,)]), [2], "drf", LEAVES),
    "Eagle": lambda: eagles(record=True, detail="as_written"),
    "Eagle, plain": lambda: eagles(eagle.plain.simulate),
}


def ran(result) -> pd.DataFrame:
    """What ran: `place`, `start`, `finish`; reduce machines below the others, with half a row between."""
    if isinstance(result, hmhs.Schedule):
        tasks = result.tasks
        below = result.map.machine.max() + 1.5
        place = tasks["machine"] + below * (tasks["stage"] == "reduce")
    else:
        records = [getattr(result, name, None) for name in ("pieces", "tasks", "jobs")]
        tasks = next(frame for frame in records if frame is not None)
        columns = [name for name in ("machine", "worker", "leaf") if name in tasks]
        place = tasks[columns[0]]
    return tasks[["start", "finish"]].assign(place=place)


def boxes(figure) -> pd.DataFrame:
    """The bars of a picture."""
    paths = figure.axes[0].collections[0].get_paths()
    corners = [path.get_extents() for path in paths]
    rows = [(box.x0, box.x1, box.y0, box.y1) for box in corners]
    return pd.DataFrame(rows, columns=["start", "finish", "low", "high"])


@pytest.mark.parametrize("which", RESULTS)
def test_each_bar_is_what_ran_and_no_two_overlap(which):
    result = RESULTS[which]()
    figure = plots.gantt(result)
    drawn = boxes(figure)
    middle = (drawn["low"] + drawn["high"]) / 2
    rows = np.unique(ran(result)["place"])
    nearest = rows[np.abs(middle.to_numpy()[:, None] - rows).argmin(axis=1)]
    assert (drawn["low"] >= nearest - 0.43).all() and (drawn["high"] <= nearest + 0.43).all()
    found = drawn.assign(place=nearest)[["place", "start", "finish"]]
    expected = ran(result)[["place", "start", "finish"]]
    assert np.allclose(found.sort_values([*found]), expected.sort_values([*found]))
    for k, box in drawn.iterrows():
        others = drawn.drop(k)
        beside = (others["low"] >= box["high"] - 1e-9) | (others["high"] <= box["low"] + 1e-9)
        apart = (others["start"] >= box["finish"]) | (others["finish"] <= box["start"])
        assert (beside | apart).all()
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert len(set(labels)) == len(labels) >= len(rows)
    assert len(figure.alt.split()) <= 90 and figure.axes[0].get_title() in figure.alt


def test_it_draws_into_a_readers_axes():
    figure, axes = plt.subplots(1, 2)
    assert plots.gantt(RESULTS["LoTES"](), axes[1]) is figure
    assert len(axes[1].collections) and not len(axes[0].collections)
    assert axes[1].get_xlabel() == "time (the workload's unit)"
    board = boards.standings(runs_of({"a": [2.0, 3.0], "b": [1.0, 2.0]}))
    assert boards.plot(board, ax=axes[0]) is figure and axes[0].get_xlabel().startswith("wait")
    plt.close(figure)


def test_many_bars_are_joined_and_cover_just_the_time_that_tasks_run():
    done = hmhs.schedule(hmhs.single(60, seed=1, machines=(7, 3)), "fifo")
    figure = plots.gantt(done, bound=done.makespan / 2)
    drawn = boxes(figure)
    row = ((drawn["low"] + drawn["high"]) / 2).round(1)
    busy = (drawn["finish"] - drawn["start"]).groupby(row).sum()
    tasks = ran(done)
    lasts = (tasks["finish"] - tasks["start"]).groupby(tasks["place"].round(1)).sum()
    assert np.allclose(busy, lasts) and len(drawn) <= max(bars.ONE_BY_ONE, len(tasks) / 2)
    assert "100 % above the bound" in figure.axes[0].get_title()


def test_one_job_stands_out_and_only_its_waits_are_drawn():
    options = {"short_partition": 0, "cutoff": math.inf, "probe_ratio": 1, "network_delay": 0}
    system = eagle.System("toy", sticky=True, min_probes=4)
    run = eagle.simulate(eagle.four_nodes(), system, 4, **options, detail="as_written", record=True)
    drawn, waits = plots.gantt(run, job=4).axes[0].collections
    dark = drawn.get_facecolor()[:, 3] > 0.5
    assert sum(dark) == (run.tasks["job"] == 4).sum()
    waited = {tuple(segment[:, 0]) for segment in waits.get_segments()}
    first = run.tasks[run.tasks["job"] == 4].drop_duplicates(["worker", "queued"])
    late = first[first["start"] > first["queued"]]
    assert waited == set(late[["queued", "start"]].itertuples(index=False, name=None))


def test_names_begin_with_the_first_number_that_is_asked_for():
    ticks = {}
    for first in (0, 1):
        ax = plots.gantt(hmhs.schedule(BATCH), first=first).axes[0]
        ticks[first] = [label.get_text() for label in ax.get_yticklabels()]
        names = {text.get_text() for text in ax.texts}
        assert names <= {str(k + first) for k in range(4)}
    assert ticks[0][0] == "map 0" and ticks[1][0] == "map 1"


def test_what_cannot_be_drawn_is_refused():
    refuses("record=True", plots.gantt, eagles())
    refuses("nothing has started", plots.gantt, lotes.simulate("greedy", CORE, fourteen(), until=0))
    refuses("job: 99", plots.gantt, RESULTS["MCH"](), job=99)
