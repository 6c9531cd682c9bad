"""A replayed run is the run: workers, queues and bits at every step agree with its frames; what is drawn is
what was replayed."""

import functools
import math
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from book.explorers import eagle_player as player
from book.pictures import cluster
from book.pictures.probing import plot_gantt
from book.replay import newest_copy, replay
from refusals import refuses
from schedlib import eagle
from schedlib.workload import Workload

DETAILS = ("as_published", "as_written")
BOTH = [(system, detail) for system in player.SYSTEMS for detail in DETAILS]


@functools.cache
def recorded(system, detail="as_published"):
    options = {"short_partition": 0.2, "cutoff": player.CUTOFF, "seed": 3, "detail": detail}
    jobs = player.small_workload(3)
    run = eagle.simulate(jobs, player.SYSTEMS[system], player.WORKERS, **options, record=True)
    return run, replay(run)


@pytest.mark.parametrize("system, detail", BOTH)
def test_at_the_end_all_is_done_and_nothing_is_left(system, detail):
    run, steps = recorded(system, detail)
    last = steps[-1]
    assert last.done == last.started == tuple(run.jobs["tasks"])
    assert set(last.running) == set(last.asking) == {-1}
    assert not any(map(any, (last.queue, last.coming, last.bits)))
    assert sum(len(step.workers) for step in steps) == (run.log["worker"] >= 0).sum()
    assert np.all(np.diff([step.time for step in steps]) >= 0)


@pytest.mark.parametrize("system, detail", BOTH)
def test_workers_run_what_the_tasks_say(system, detail):
    """Also the bits: as long as a long task is there, from its submission on."""
    run, steps = recorded(system, detail)
    tells = "Eagle" in system and system != "Eagle without SSS"
    times = np.array([step.time for step in steps])
    long = run.tasks[run.tasks["long"]].merge(run.jobs[["job", "submit"]], on="job")
    for now in np.random.default_rng(0).uniform(0, run.stats["makespan"], 20):
        step = steps[np.searchsorted(times, now, side="right") - 1]
        there = set(long.loc[(long["submit"] <= now) & (now < long["finish"]), "worker"])
        bits = {worker for worker, bit in enumerate(step.bits) if bit}
        assert bits == (there if tells else set())
        running = run.tasks[(run.tasks["start"] <= now) & (now < run.tasks["finish"])]
        expected = np.full(player.WORKERS, -1)
        expected[running["worker"]] = running["job"]
        assert list(step.running) == expected.tolist()
        waits = run.tasks[(run.tasks["queued"] <= now) & (now < run.tasks["asked"])]
        for worker, job in zip(waits["worker"], waits["job"], strict=True):
            # a stolen probe has waited elsewhere before
            assert run.stats["stolen"] or job in step.queue[worker]


@pytest.mark.parametrize("system", player.SYSTEMS)
def test_every_step_can_be_drawn_in_its_place_and_described(system):
    run, steps = recorded(system)
    for step in steps[::25]:
        found, (width, height) = cluster.shapes(step, run)
        boxes = [shape for shape in found if isinstance(shape, cluster.Box)]
        assert min(min(box.x, box.y) for box in boxes) >= 0
        assert max(box.x + box.width for box in boxes) <= width
        assert max(box.y + box.height for box in boxes) <= height
        words = cluster.in_words(step, run)
        assert words.startswith(f"{step.time:.4f} s: ")
        assert f"job {step.job}" in words or step.event in ("clear", "robbed")
        assert ElementTree.fromstring(cluster.svg(step, run)).get("aria-label") == words


def test_both_ways_of_drawing_show_the_same_and_long_queues_are_counted():
    run, steps = recorded("Hawk")
    step = max(steps, key=lambda step: sum(map(len, step.queue)))
    texts = {text.get_text() for text in cluster.plot_cluster(step, run).axes[0].texts}
    assert texts == set(ElementTree.fromstring(cluster.svg(step, run)).itertext())
    more = {f"+{len(line) - cluster.DEEP}" for line in step.queue if len(line) > cluster.DEEP}
    assert {text for text in texts if text.startswith("+")} == more


def test_large_clusters_and_runs_without_a_record_are_refused():
    jobs = Workload.from_arrays([0, 1], [5, 1])
    run = eagle.simulate(jobs, "sparrow", 50, short_partition=0.1, cutoff=3, record=True)
    refuses("room for 40", cluster.shapes, replay(run)[0], run)
    refuses("record=True", replay, replace(run, log=None))


def test_the_player_steps_keeps_the_time_stays_within_the_run_and_goes_on_after_a_refusal():
    made = player.Player()
    assert made.png.startswith(b"\x89PNG") and "reject" in made.picture.value
    made.pace.value = 5.0
    assert made.play.interval == 200
    before = made.at.value
    made.move(1)
    assert made.at.value == before + 1 and made.picture.layout.height == f"{cluster.HEIGHT + 10}px"
    now = made.now
    made.controls["system"].value = "Hawk"
    assert made.play.max == made.at.max == len(player.recorded("Hawk", 0)[1]) - 1
    assert now <= made.now < now + 2
    made.move(10**6)
    assert made.at.value == made.at.max
    made.move(-(10**6))
    assert made.at.value == 0 and "job 0 is submitted" in made.picture.value
    made.controls["events"].value = "bits and rejections"
    none = "bits and rejections: Hawk has none of these"
    assert made.picture.value == f'<p role="alert">{none}</p>'
    made.controls["events"].value = "every event"
    assert "<img alt=" in made.picture.value


def test_the_first_picture_is_a_rejection_by_news_that_is_old():
    run, steps = player.recorded("Eagle", 0)
    step = steps[player.first_stale_rejection(steps)]
    worker, since, copy = newest_copy(step)
    assert step.event == "reject" and worker in step.workers
    assert since < step.time and copy != step.bits
    assert f"the copy at worker {worker} is " in cluster.svg(step, run)


@pytest.mark.parametrize("sticky", [False, True])
def test_the_gantt_chart_marks_where_a_probe_asks_again(sticky):
    """Section 4: queues of 100, 100, 10 and 10, then a job of four tasks that has a probe on every node."""
    system = eagle.System("toy", sticky=sticky, min_probes=4)
    options = {"short_partition": 0, "cutoff": math.inf, "probe_ratio": 1, "network_delay": 0}
    run = eagle.simulate(eagle.four_nodes(), system, 4, **options, detail="as_written", record=True)
    ax = plot_gantt(run, job=4).axes[0]
    assert sum(line.get_marker() == 7 for line in ax.lines) == (2 if sticky else 0)
