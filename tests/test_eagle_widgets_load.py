"""The explorer of load and partition answers at every corner, and what it draws is what was computed."""

import numpy as np
import pytest

from book.explorers import eagle as explorer
from refusals import refuses
from schedlib import eagle


def test_the_load_is_the_one_asked_for_and_jobs_stay_the_same():
    for load in (50, 95):
        jobs = explorer._workload(load)
        assert eagle.offered_load(jobs, explorer.WORKERS) == pytest.approx(load / 100, rel=0.02)
        assert jobs.tasks.equals(explorer._workload(70).tasks)


def test_curves_and_bars_are_the_runs():
    figure, alt = explorer.draw_load(85, 17, "hawk without stealing", "hawk")
    setting = {"short_partition": 0.17, "cutoff": eagle.CUTOFF["google"], "detail": "as_published"}
    run = eagle.simulate(explorer._workload(85), "hawk", explorer.WORKERS, **setting)
    for ax, long in zip(figure.axes, (False, True), strict=False):
        times, share = ax.lines[1].get_data()
        took = run.jobs.loc[run.jobs["long"] == long, "completion"]
        assert np.allclose(np.quantile(took, 1 - share), times)
    half = run.percentiles((50,)).query("not long")["completion"].iloc[0]
    label = explorer.style_of("hawk").label
    assert f"{label}: half of the short jobs take at most {half:.0f} s" in alt
    one = run.stats
    shares = [
        one["utilisation_short"],
        one["utilisation_general"],
        one["behind_long"] / one["probes"],
        one["stolen"] / one["behind_long"],
        one["ran_behind_long"] / one["short_tasks"],
    ]
    widths = [bar.get_width() / 100 for bar in figure.axes[2].patches]
    assert np.allclose(widths[5:], shares)


def test_a_strict_split_puts_no_probe_behind_a_long_task_and_what_a_system_lacks_is_said():
    figure, _ = explorer.draw_load(80, 20, "strict split", "omniscient")
    texts = [text.get_text() for text in figure.axes[2].texts]
    assert texts == ["none"] * 3  # nothing stolen twice, and no probes in the centre's
    widths = [bar.get_width() for bar in figure.axes[2].patches]
    assert widths[2] == widths[4] == 0


def test_an_unknown_system_is_refused():
    refuses("left: 'mesos' is unknown; .*sparrow, strict split", explorer.draw_load, left="mesos")
