"""A replayed run is the run: workers, queues and bits at every step agree with its frames; what is drawn is
what was replayed."""

import base64
import functools
import math
from xml.etree import ElementTree

import numpy as np
import pytest

from schedlib import eagle
from schedlib.eagle.simulating.results import newest_copy, replay
from schedlib.pictures import cluster
from schedlib.pictures.probing import plot_gantt, plot_overview
from schedlib.teaching.explorers import eagle as explorer
from schedlib.teaching.explorers import eagle_player as player
from schedlib.workload import Workload

DETAILS = ("as_published", "as_written")
BOTH = [(system, detail) for system in player.SYSTEMS for detail in DETAILS]


@functools.cache
def recorded(system, detail="as_published", seed=3):
    options = {
        "short_partition": 0.2,
        "cutoff": player.CUTOFF,
        "seed": seed,
        "detail": detail,
        "record": True,
    }
    run = eagle.simulate(
        player.small_workload(seed), player.SYSTEMS[system], player.WORKERS, **options
    )
    return run, replay(run)


@pytest.mark.parametrize("system, detail", BOTH)
def test_at_the_end_all_is_done_and_nothing_is_left(system, detail):
    run, steps = recorded(system, detail)
    last = steps[-1]
    assert last.done == last.started == tuple(run.jobs["tasks"])
    assert (
        set(last.running) == set(last.asking) == {-1}
        and not any(last.queue)
        and not any(last.coming)
        and not any(last.bits)
    )
    assert sum(len(step.workers) for step in steps) == (run.log["worker"] >= 0).sum()
    assert np.all(np.diff([step.time for step in steps]) >= 0)


@pytest.mark.parametrize("system, detail", BOTH)
def test_workers_run_what_the_tasks_say(system, detail):
    run, steps = recorded(system, detail)
    times = np.array([step.time for step in steps])
    for now in np.random.default_rng(0).uniform(0, run.stats["makespan"], 20):
        step = steps[np.searchsorted(times, now, side="right") - 1]
        running = run.tasks[(run.tasks["start"] <= now) & (now < run.tasks["finish"])]
        expected = np.full(player.WORKERS, -1)
        expected[running["worker"]] = running["job"]
        assert list(step.running) == expected.tolist()
        waits = run.tasks[(run.tasks["queued"] <= now) & (now < run.tasks["asked"])]
        if run.stats["stolen"] == 0:  # a stolen probe has waited elsewhere before
            assert all(
                job in step.queue[worker]
                for worker, job in zip(waits["worker"], waits["job"], strict=True)
            )


@pytest.mark.parametrize(
    "system, detail",
    [("Eagle", "as_published"), ("Eagle", "as_written"), ("Ideal Eagle", "as_written")],
)
def test_a_bit_is_set_as_long_as_a_long_task_is_there(system, detail):
    run, steps = recorded(system, detail)
    times = np.array([step.time for step in steps])
    long = run.tasks[run.tasks["long"]].merge(run.jobs[["job", "submit"]], on="job")
    for now in np.random.default_rng(1).uniform(0, run.stats["makespan"], 20):
        step = steps[np.searchsorted(times, now, side="right") - 1]
        there = set(long.loc[(long["submit"] <= now) & (now < long["finish"]), "worker"])
        assert {worker for worker, bit in enumerate(step.bits) if bit} == there
        assert not any(step.bits[: run.stats["short_only"]])


def test_a_copy_is_what_the_bits_were():
    _, steps = recorded("Eagle")
    was = {step.time: step.bits for step in steps}
    copies = [copy for step in steps for copy in step.copies if copy]
    assert copies and all(was[since] == copy for since, copy in copies)
    assert any(copy[1] != step.bits for step in steps for copy in step.copies if copy)


@pytest.mark.parametrize("detail", DETAILS)
def test_under_eagle_no_short_probe_joins_a_queue_with_a_long_task(detail):
    run, steps = recorded("Eagle", detail)
    long = run.jobs["long"].to_numpy()
    joins = [step for step in steps if step.event == "queue" and not long[step.job]]
    there = [
        max(step.running[w], step.asking[w], key=lambda job: job >= 0 and long[job])
        for step in joins
        for w in step.workers
    ]
    behind = [any(long[job] for job in step.queue[w]) for step in joins for w in step.workers]
    assert len(there) > 100 and not any(behind) and not any(job >= 0 and long[job] for job in there)


def test_stolen_probes_leave_the_victim_and_join_the_thief():
    run, steps = recorded("Hawk")
    assert (
        sum(len(step.workers) for step in steps if step.event == "steal") == run.stats["stolen"] > 0
    )
    for before, after in zip(steps, steps[1:], strict=False):
        if after.event == "steal":
            assert sum(map(len, before.queue)) == sum(map(len, after.queue))
            assert after.queue[after.workers[0]][-1] == after.job


@pytest.mark.parametrize("system", player.SYSTEMS)
def test_every_step_can_be_drawn_in_its_place_and_told(system):
    run, steps = recorded(system)
    for step in steps[::12]:
        found, (width, height) = cluster.shapes(step, run)
        for box in (shape for shape in found if isinstance(shape, cluster.Box)):
            assert (
                box.x >= 0
                and box.y >= 0
                and box.x + box.width <= width
                and box.y + box.height <= height
            )
        picture = ElementTree.fromstring(cluster.svg(step, run))
        assert picture.get("height") == str(cluster.HEIGHT) and picture.get(
            "aria-label"
        ) == cluster.in_words(step, run)
        words = cluster.in_words(step, run)
        assert words.startswith(f"{step.time:.4f} s: ") and (
            f"job {step.job}" in words or step.event in ("clear", "robbed")
        )


def test_the_queue_is_drawn_as_it_is():
    run, steps = recorded("Hawk")
    step = max(steps, key=lambda step: sum(map(len, step.queue)))
    found, _ = cluster.shapes(step, run)
    drawn = [
        box
        for box in found
        if isinstance(box, cluster.Box)
        and box.height == cluster.QUEUED - 2
        and box.width == cluster.BOX
    ]
    assert len(drawn) == sum(min(len(line), cluster.DEEP) for line in step.queue)
    more = [
        int(words.text)
        for words in found
        if isinstance(words, cluster.Words) and words.text.startswith("+")
    ]
    assert more == [len(line) - cluster.DEEP for line in step.queue if len(line) > cluster.DEEP]


def test_both_ways_of_drawing_show_the_same():
    run, steps = recorded("Eagle")
    step = steps[len(steps) // 2]
    texts = {text.get_text() for text in cluster.plot_cluster(step, run).axes[0].texts}
    assert texts == set(ElementTree.fromstring(cluster.svg(step, run)).itertext())


def test_large_clusters_and_runs_without_a_record_are_refused():
    jobs = Workload.from_arrays([0, 1], [5, 1])
    run = eagle.simulate(jobs, "sparrow", 50, short_partition=0.1, cutoff=3)
    with pytest.raises(ValueError, match="record=True"):
        replay(run)
    with pytest.raises(ValueError, match="record=True"):
        plot_gantt(run)
    run = eagle.simulate(jobs, "sparrow", 50, short_partition=0.1, cutoff=3, record=True)
    with pytest.raises(ValueError, match="room for 40"):
        cluster.shapes(replay(run)[0], run)


@pytest.mark.parametrize("sticky, longest", [(False, 110), (True, 30)])
def test_the_gantt_chart_of_the_four_nodes(sticky, longest):
    system = eagle.System("toy", sticky=sticky, min_probes=4)
    options = {
        "short_partition": 0,
        "cutoff": math.inf,
        "probe_ratio": 1,
        "network_delay": 0,
        "detail": "as_written",
    }
    run = eagle.simulate(eagle.four_nodes(), system, 4, **options, record=True)
    assert run.jobs["completion"].iloc[-1] == longest
    ax = plot_gantt(run, job=4).axes[0]
    bars = sorted((bar.get_y(), bar.get_x(), bar.get_width()) for bar in ax.patches)
    assert bars == sorted(
        zip(
            run.tasks["worker"] - 0.36,
            run.tasks["start"],
            run.tasks["finish"] - run.tasks["start"],
            strict=True,
        )
    )
    assert sum(line.get_marker() == 7 for line in ax.lines) == (2 if sticky else 0)


def test_the_overview_says_who_is_who():
    words = " ".join(text.get_text() for text in plot_overview().axes[0].texts)
    assert all(
        part in words
        for part in (
            "central scheduler",
            "short partition",
            "general partition",
            "rejected",
            "copy",
        )
    )


@pytest.mark.parametrize("events", player.EVENTS)
@pytest.mark.parametrize("system", player.SYSTEMS)
def test_steps_are_drawn_at_both_ends_for_every_system(system, events):
    shown = player._shown(system, 0, events)
    for step in {0, len(shown) - 1} if shown else ():
        figure, alt = player.draw_step(system, 0, events, step)
        assert alt.startswith(f"{system} on 20 workers. ") and figure.axes
    with pytest.raises(ValueError, match=f"among the {len(shown)} "):
        player.draw_step(system, 0, events, len(shown))


def test_the_player_steps_keeps_the_time_and_stays_within_the_run():
    made = player.Player()
    assert made.png.startswith(b"\x89PNG") and "reject" in made.picture.value
    before = made.at.value
    made.move(1)
    assert made.at.value == before + 1 and made.picture.layout.height == f"{cluster.HEIGHT + 10}px"
    now = made.now
    made.controls["system"].value = "Hawk"
    assert made.play.max == made.at.max == len(player._run("Hawk", 0)[1]) - 1
    assert now <= made.now < now + 2
    made.move(10**6)
    assert made.at.value == made.at.max
    made.move(-(10**6))
    assert made.at.value == 0 and "job 0 is submitted" in made.picture.value


def test_a_choice_without_events_says_so_and_the_player_goes_on():
    made = player.Player()
    made.controls["events"].value = "bits and rejections"
    made.controls["system"].value = "Sparrow"
    assert (
        made.picture.value == '<p role="alert">bits and rejections: Sparrow has none of these</p>'
    )
    made.controls["events"].value = "every event"
    assert "<img alt=" in made.picture.value


def test_the_player_is_a_picture_where_no_code_runs():
    bundle, _ = player.Player()._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")


def test_the_first_picture_is_a_rejection_by_news_that_is_old():
    run, steps = player._run("Eagle", 0)
    step = steps[player.first_stale_rejection(steps)]
    worker, since, copy = newest_copy(step)
    assert (
        step.event == "reject"
        and worker in step.workers
        and since < step.time
        and copy != step.bits
    )
    assert f"the copy at worker {worker} is " in cluster.svg(step, run)
    assert player.first_stale_rejection(player._run("Sparrow", 0)[1]) == 0


ON_OFF = ("sss", "sbp", "srpt")


@pytest.mark.parametrize("off", [(), ("sss",), ON_OFF])
def test_parts_are_told_as_simulated(off):
    figure, alt = explorer.draw_parts(**dict.fromkeys(off, False), min_probes=10, seed=1)
    jobs = eagle.google(20_000, seed=1, scale=0.04)
    setting = {"short_partition": 0.17, "cutoff": eagle.CUTOFF["google"], "seed": 1}
    systems = eagle.Eagle(), eagle.Eagle(**dict.fromkeys(off, False), min_probes=10)
    whole, some = (
        eagle.simulate(jobs, system, 600, **setting).percentiles()["completion"][:3]
        for system in systems
    )
    ratio = ", ".join(
        f"{p} % {value:.2f}" for p, value in zip((50, 90, 99), some / whole, strict=True)
    )
    assert alt.endswith(f"over those of the whole Eagle: {ratio}.")
    assert [line.get_label() for line in figure.axes[0].lines] == ["Eagle", "Hawk", "your choice"]


def test_the_parts_follow_their_boxes():
    made = explorer.parts()
    before = made.picture.value
    made.controls["sss"].value = False
    assert (
        made.picture.value != before
        and made.png.startswith(b"\x89PNG")
        and "<img alt=" in made.picture.value
    )


def test_the_pace_sets_the_interval():
    made = player.Player()
    made.pace.value = 5.0
    assert made.play.interval == 200
