"""Every system decides as `eagle.plain` does, and with its simulator's refinements as the program, job by job,
ties included."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eagle_instances as instances
from book import replay
from book.explorers import eagle_player as player
from book.pictures.cluster import in_words, svg
from schedlib import eagle
from schedlib.eagle import plain
from schedlib.eagle.plain_model import Job, Probe

program = instances.program
DETAILS, SYSTEMS = instances.DETAILS, instances.SYSTEMS


def compare(case, name, detail, seed=0, rtol=1e-12, **options):
    system, variant = SYSTEMS[name]
    ours = case.simulate(system, seed=seed, detail=detail, record=True, **options)
    expected = case.plain(variant, seed=seed, detail=detail, **options)
    instances.agree(ours, expected, rtol, detail == "as_written", options.get("slots"))


# jobs of many tasks on few workers: dozens of equal probes, and of placed tasks, wait in one line
CROWDED = {"jobs": 12, "workers": 4, "short_only": 1, "most_tasks": 64}
# long jobs come and go while messages are under way, so that it matters which vector is used, and as of when
OUTDATED = {
    "jobs": 60,
    "workers": 20,
    "short_only": 2,
    "most_tasks": 4,
    "hop": 2.0,
    "long_share": 0.5,
}
WHOLE = ({}, {}, {}, CROWDED, OUTDATED, OUTDATED)


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_in_every_detail(name, detail):
    """In whole times no sum is rounded, so every tie is a true one; real times have no ties."""
    rng = np.random.default_rng(1)
    for seed, size in enumerate(WHOLE):
        compare(instances.case(rng, whole=True, **size), name, detail, seed=seed, rtol=0.0)
    for seed, size in enumerate(({}, CROWDED)):
        compare(instances.case(rng, whole=False, **size), name, detail, seed=seed)


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_slots_share_a_queue(name, detail):
    """One, two or four slots each. Real times have no ties but those of late tasks, whose waiting times are whole with
    this hop."""
    rng = np.random.default_rng(2)
    for seed in range(6):
        whole = seed < 4
        case = instances.case(rng, whole=whole, hop=None if whole else 0.25)
        slots = 2 ** rng.integers(0, 3, case.workers)
        compare(case, name, detail, seed, 0.0 if whole else 1e-12, slots=slots)


@given(
    instances.cases(),
    st.sampled_from(sorted(SYSTEMS)),
    st.sampled_from(DETAILS),
    st.integers(0, 9),
    st.fixed_dictionaries(
        {
            "probe_ratio": st.sampled_from([1, 2, 3]),
            "estimate": st.sampled_from([1.0, 0.5, 0.25, 1.5, 2.0]),
            "heartbeat": st.sampled_from([3.0, 0.0, 0.7, 8.0]),
        }
    ),
)
def test_any_case(case, name, detail, seed, options):
    compare(case, name, detail, seed=seed, **options)


@pytest.mark.parametrize("name", ["eagle", "hawk", "sparrow", "dlwl"])
def test_jobs_of_one_second_are_put_apart(name):
    """Published: a submission time seen before is moved; a hundred jobs in a second or more are moved, too."""
    rng = np.random.default_rng(3)
    case = instances.case(rng, whole=True, jobs=150, workers=12, short_only=3, most_tasks=2)
    case.submit = np.floor(np.sort(rng.random(150)) * 3).tolist()
    compare(case, name, "as_published", rtol=1e-9)


@given(
    st.integers(0, 2**32),
    st.sampled_from(["dlwl", "omniscient", "hawk", "eagle", "eagle without sss, updates"]),
    st.sampled_from(DETAILS),
    st.booleans(),
)
def test_blocks_of_workers(seed, name, detail, whole):
    """Three blocks, a few workers idle, some overdue: the same workers as by looking at each."""
    rng, size = np.random.default_rng(seed), {"jobs": 100, "workers": 160, "short_only": 30}
    compare(instances.case(rng, whole=whole, most_tasks=32, **size), name, detail, heartbeat=1.0)


def test_blocks_of_blocks_of_workers():
    size = {"jobs": 40, "workers": 9000, "short_only": 50, "most_tasks": 1024}
    case = instances.case(np.random.default_rng(8), whole=True, long_share=0.9, **size)
    compare(case, "omniscient", "as_published", rtol=1e-9)


@given(
    instances.cases(), st.sampled_from(["eagle", "hawk", "dlwl", "omniscient"]), st.integers(0, 9)
)
def test_estimates_off_at_random(case, name, seed):
    """A factor per job, drawn for the jobs in their order. As written, fractional estimates leave rounding in sums of
    work, which may decide between equals."""
    compare(case, name, "as_published", seed, estimate=(0.4, 1.6))


# ---- a reader's parts


def where_no_long_task_is(cluster, job, probe, rng):
    while True:
        worker = int(rng.random() * len(cluster.busy))
        if worker < cluster.short_only or cluster.long_tasks[worker] == 0:
            return worker


def shortest(cluster, worker, line, rng):
    return int(np.argmin(cluster.estimate[line] * cluster.unstarted[line]))


def test_a_readers_parts_decide_as_the_shipped_ones():
    parts = {"short_jobs": where_no_long_task_is, "queue": shortest}
    mine = eagle.System("clear", sticky=True, min_probes=5, **parts)
    rng = np.random.default_rng(5)
    for seed in range(5):
        case = instances.case(rng, whole=True)
        how = {"seed": seed, "detail": "as_published"}
        expected = case.plain(program.ClearShortest, **how)
        instances.agree(case.simulate(mine, record=True, **how), expected)


# ---- plain by itself


@given(
    st.lists(
        st.tuples(
            st.sampled_from([False, False, False, True]),
            st.integers(1, 6),
            st.integers(0, 30),
            st.integers(1, 5),
        ),
        max_size=7,
    )
)
def test_algorithm_1_is_the_summary_of_section_4_3(entries):
    """The shortest of those that may bypass all in front, if none then the next in order; by looking at all."""
    queue = []
    for number, (long, size, counter, tasks) in enumerate(entries):
        job = Job(number, 0.0, [1.0] * tasks, size, long, 1)
        queue.append(Probe(job, bypass=counter))
    longs = [place for place, p in enumerate(queue) if p.isLong]
    allowed = [
        (p.estJobLeftRuntime, place)
        for place, p in enumerate(queue[: longs[0]] if longs else queue)
        if not any(q.bypass + p.estTaskRuntime > 5 * q.estTaskRuntime for q in queue[:place])
    ]
    expected = queue[min(allowed)[1]] if allowed else next(iter(queue), None)
    assert plain.algorithm1(queue) is expected


@given(st.lists(st.integers(0, 9), min_size=1, max_size=4), st.integers(1, 4), st.integers(1, 5))
def test_least_work_left_ends_a_job_as_early_as_can_be(work, tasks, estimate):
    """Section 4.1: it aims at the completion time of the whole job. All ways to place it are tried."""
    job = Job(0, 0.0, [float(estimate)] * tasks, float(estimate), True, 0)
    cluster = plain.Hybrid([job], len(work), 0, None)
    for worker, placed in zip(cluster.workers, work, strict=True):
        worker.placed.append(float(placed))

    def end(numbers):
        return max(work[w] + estimate * numbers.count(w) for w in numbers)

    ways = itertools.product(range(len(work)), repeat=tasks)
    chosen = [worker.number for worker in cluster.least_work_left(job, cluster.workers)]
    assert end(chosen) == min(map(end, ways))


@pytest.mark.parametrize("system", plain.SYSTEMS)
def test_a_run_of_plain_is_replayed_and_drawn_as_one_of_the_library(system):
    given = {"short_partition": 0.2, "cutoff": player.CUTOFF, "min_probes": 6}
    jobs = player.small_workload(3)
    ours = plain.simulate(jobs, system, player.WORKERS, **given)
    theirs = eagle.simulate(jobs, system, player.WORKERS, detail="as_written", record=True, **given)
    steps, others = replay.replay(ours), replay.replay(theirs)
    assert len(steps) == len(others) and steps[-1] == others[-1]
    middle = steps[len(steps) // 2]
    assert in_words(middle, ours) and "<svg" in svg(middle, ours)
