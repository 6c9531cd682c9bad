"""Every system decides as `eagle.plain` does, and with its simulator's refinements as the program, job by job,
ties included."""

import heapq
import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import eagle_instances as instances
from schedlib import eagle
from schedlib.core.arrays import zeroed
from schedlib.eagle import least_work, plain, records, state, systems
from schedlib.eagle.plain_model import Job, Probe
from schedlib.eagle.queueing import reorder
from schedlib.eagle.simulating import results
from schedlib.pictures.cluster import in_words, svg
from schedlib.teaching.explorers import eagle_player as player

program = instances.program
DETAILS, SYSTEMS = instances.DETAILS, instances.SYSTEMS

QUIET = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


def compare(case, name, detail, seed=0, rtol=1e-12, record=True, **options):
    system, variant = SYSTEMS[name]
    ours = case.simulate(system, seed=seed, detail=detail, record=record, **options)
    expected = case.plain(variant, seed=seed, detail=detail, **options)
    instances.agree(ours, expected, rtol=rtol, log=detail == "as_written")
    return ours


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_in_every_detail(name, detail):
    """In whole times no sum is rounded, so every tie is a true one; real times have none."""
    rng = np.random.default_rng(1)
    for seed in range(12):
        whole = seed < 8
        case = instances.case(rng, whole=whole)
        compare(case, name, detail, seed=seed, rtol=0.0 if whole else 1e-12)


@QUIET
@given(
    instances.cases(),
    st.sampled_from(sorted(SYSTEMS)),
    st.sampled_from(DETAILS),
    st.integers(0, 9),
    st.sampled_from([1, 2, 3]),
    st.sampled_from([1.0, 0.5, 0.25, 1.5, 2.0]),
)
def test_any_case(case, name, detail, seed, probe_ratio, factor):
    """`factor`: by how much estimates are off."""
    compare(case, name, detail, seed=seed, probe_ratio=probe_ratio, estimate=factor)


@QUIET
@given(
    instances.cases(),
    st.booleans(),
    st.sampled_from(DETAILS),
    st.sampled_from([0.0, 0.7, 1.0, 8.0]),
)
def test_heartbeats(case, srpt, detail, heartbeat):
    compare(case, "dlwl" if srpt else "dlwl without srpt", detail, heartbeat=heartbeat)


@QUIET
@given(
    instances.cases(),
    st.sampled_from(["eagle", "hawk", "dlwl", "omniscient"]),
    st.sampled_from(DETAILS),
    st.integers(0, 9),
)
def test_estimates_off_at_random(case, name, detail, seed):
    """A factor per job, drawn for the jobs in their order."""
    system, variant = SYSTEMS[name]
    ours = case.simulate(system, detail=detail, seed=seed, estimate=(0.4, 1.6))
    # fractional estimates leave rounding in sums of work, which may decide between equals
    expected = case.plain(variant, detail=detail, seed=seed, estimate=(0.4, 1.6))
    np.testing.assert_array_equal(ours.jobs["estimate"], expected.jobs["estimate"])
    if detail == "as_published":
        instances.agree(ours, expected, rtol=1e-12)


@pytest.mark.parametrize("name", sorted(SYSTEMS))
def test_jobs_of_one_second_are_put_apart(name):
    """Published: a submission time seen before is moved; a hundred jobs in a second and more are no trouble."""
    rng = np.random.default_rng(3)
    case = instances.case(rng, whole=True, jobs=150, workers=12, short_only=3, most_tasks=2)
    case.submit = np.floor(np.sort(rng.random(150)) * 3).tolist()
    ours = compare(case, name, "as_published", rtol=1e-9)
    assert ours.jobs["submit"].is_unique or ours.jobs["submit"].max() > 3


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize(
    "name", ["eagle", "eagle without sss, updates", "hawk", "dlwl", "omniscient"]
)
def test_more_workers_than_bits_in_a_word(name, detail):
    """And more probes, entries and copies of the vector than there is room for at first."""
    case = instances.case(
        np.random.default_rng(4), whole=False, jobs=80, workers=150, short_only=20, most_tasks=64
    )
    compare(case, name, detail)


@settings(QUIET, max_examples=10)
@given(
    st.integers(0, 2**32),
    st.sampled_from(["dlwl", "omniscient", "hawk"]),
    st.sampled_from(DETAILS),
    st.sampled_from([0.0, 1.0, 8.0]),
    st.booleans(),
    st.sampled_from([1.0, 0.5]),
)
def test_blocks_of_workers_are_skipped_only_where_none_is_wanted(
    seed, name, detail, heartbeat, whole, factor
):
    """Three blocks of workers, a few of them idle, some overdue: the same workers as by looking at each."""
    case = instances.case(
        np.random.default_rng(seed),
        whole=whole,
        jobs=120,
        workers=160,
        short_only=30,
        most_tasks=32,
    )
    compare(case, name, detail, heartbeat=heartbeat, estimate=factor)


def test_the_least_loaded_of_many_workers():
    """Workers in many blocks that are loaded, start, end and outlast estimates: those that a look at each finds, in that order."""
    workers, rng = 9000, np.random.default_rng(8)
    jobs = zeroed(records.JOB, 1)
    whole = state.initial(state.Settings(published=False), jobs, np.zeros(1), workers)
    whole = whole._replace(line=np.zeros(1024, np.int64))
    loads, now = whole.loads, 0.0
    for _ in range(20):
        now += rng.integers(0, 8) / 4
        low, jobs.tasks, jobs.estimate = (
            int(rng.integers(0, 5000)),
            int(2 ** rng.uniform(0, 8)),
            rng.integers(1, 80) / 4,
        )
        waits = np.where(
            loads.picked >= 0,
            loads.work - np.minimum(now - loads.picked, loads.picked_for),
            loads.work,
        )
        line = [(wait, worker) for worker, wait in enumerate(waits.tolist()) if worker >= low]
        heapq.heapify(line)
        expected = []
        for _ in range(jobs[0].tasks):
            wait, worker = heapq.heappop(line)
            expected.append(worker)
            heapq.heappush(line, (wait + jobs[0].estimate, worker))
        least_work.choose_workers(whole, 0, low, False, rng, now)
        assert whole.line[: jobs[0].tasks].tolist() == expected
        for worker in [*expected, *range(0, low, 50)]:
            least_work.change_work(whole, worker, loads.work[worker] + jobs[0].estimate)
        for worker in rng.choice(workers, 60, replace=False).tolist():
            starts = loads.picked[worker] < 0 and loads.work[worker] > 0
            if loads.picked[worker] >= 0:
                least_work.change_work(
                    whole, worker, max(0.0, loads.work[worker] - loads.picked_for[worker])
                )
            least_work.turn(
                whole, worker, *((now, min(loads.work[worker], 5.0)) if starts else (-1.0, 0.0))
            )


MIXED = {
    "srpt": (
        eagle.System("mixed", long_jobs="probes", queue="srpt", sticky=True),
        program.MixedSRPT,
    ),
}


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize(
    "name", ["eagle", "eagle without sbp", "dlwl", "omniscient with srpt", *MIXED]
)
def test_what_comes_to_a_queue_together_is_served_one_by_one(name, detail):
    """Jobs of many tasks on few workers: dozens of equal probes, and of placed tasks, stand in one line."""
    rng = np.random.default_rng(7)
    system, variant = (MIXED | SYSTEMS)[name]
    for seed in range(3):
        case = instances.case(
            rng, whole=seed > 0, jobs=12, workers=3 + seed, short_only=1, most_tasks=64
        )
        ours = case.simulate(system, seed=seed, detail=detail, record=True)
        instances.agree(ours, case.plain(variant, seed=seed, detail=detail), rtol=1e-12)


def test_a_queue_is_no_longer_for_a_job_of_more_tasks():
    """A thousand probes of a job, between which one of another comes, are two entries."""
    whole = state.initial(state.Settings(bunches=True), zeroed(records.JOB, 2), np.zeros(2), 1)
    for job in [0] * 500 + [1] + [0] * 500:
        reorder.enqueue(whole, 0, job, -1, False, 0.0)
    assert whole.workers[0].queued == 1001 and whole.pool[0].used == 3
    reorder.enqueue(whole, 0, 0, -1, False, 1.0)  # what comes later may have been charged less
    assert whole.pool[0].used == 4


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize(
    "name", ["eagle", "eagle by old vectors", "eagle without sbp, srpt", "ideal-eagle"]
)
def test_vectors_that_are_out_of_date(name, detail):
    """Long jobs come and go while messages are under way, so that it matters which vector is used, and as of
    when."""
    rng = np.random.default_rng(6)
    for seed in range(6):
        case = instances.case(
            rng,
            whole=True,
            jobs=60,
            workers=20,
            short_only=2,
            most_tasks=4,
            hop=2.0,
            long_share=0.5,
        )
        compare(case, name, detail, seed=seed, rtol=0.0)


# ---- parts of one's own


def anywhere(cluster, job, probe, rng):
    return int(rng.random() * len(cluster.busy))


def where_no_long_task_is(cluster, job, probe, rng):
    while True:
        worker = int(rng.random() * len(cluster.busy))
        if worker < cluster.short_only or cluster.long_tasks[worker] == 0:
            return worker


def shortest(cluster, worker, line, rng):
    best = 0
    for place in range(len(line)):
        job, other = line[place], line[best]
        if (
            cluster.estimate[job] * cluster.unstarted[job]
            < cluster.estimate[other] * cluster.unstarted[other]
        ):
            best = place
    return best


@pytest.mark.parametrize(
    ("system", "variant"),
    [
        (
            eagle.System("anywhere", short_jobs=anywhere, steal=True),
            program.Hawk,
        ),
        (
            eagle.System(
                "clear", short_jobs=where_no_long_task_is, queue=shortest, sticky=True, min_probes=5
            ),
            program.ClearShortest,
        ),
        (
            eagle.System(
                "all anywhere",
                short_jobs=anywhere,
                long_jobs=anywhere,
                probes=lambda cluster, job, rng: max(5, 2 * cluster.tasks[job]),
                min_probes=99,
                queue="srpt",
            ),
            program.AllProbesInSRPTOrder,
        ),
    ],
)
def test_parts_of_ones_own_decide_as_the_shipped_ones(system, variant):
    rng = np.random.default_rng(5)
    for seed in range(5):
        case = instances.case(rng, whole=True)
        instances.agree(
            case.simulate(system, seed=seed, record=True), case.plain(variant, seed=seed)
        )


# ---- by hand


def one_each(cluster, job, probe, rng):
    return job if job < 4 else probe


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize(("sticky", "takes"), [(False, 110.0), (True, 30.0)])
def test_the_four_nodes_of_section_4(sticky, takes, detail):
    """Queues of 100, 100, 10 and 10, then a job of four tasks of 10 that has a probe on every node: 110, and
    30 with SBP."""
    hop = 2.0**-20
    case = instances.Case(
        [0.0, 1.0, 2.0, 3.0, 4.0], [[100.0], [99.0], [8.0], [7.0], [10.0] * 4], 4, 0, np.inf, hop
    )
    mine = eagle.System(
        "one each", short_jobs=one_each, long_jobs="lwl", queue="fifo", sticky=sticky
    )
    run = case.simulate(mine, detail=detail, probe_ratio=1)
    assert run.jobs["finish"].iloc[4] == pytest.approx(takes, abs=1e-4)


@pytest.mark.parametrize(
    ("detail", "ends"), [("as_published", [5.0, 21.0, 31.0]), ("as_written", [5.0, 31.0, 15.0])]
)
def test_a_task_as_long_as_the_slack_bypasses_only_as_written(detail, ends):
    """One worker, busy until 5: eight tasks of 2 wait, whose slack is 10, and one task of 10, the shorter
    job."""
    case = instances.Case([0.0, 1.0, 2.0], [[5.0], [2.0] * 8, [10.0]], 1, 0, np.inf, 0.0)
    assert compare(case, "omniscient with srpt", detail).jobs["finish"].tolist() == ends


def queue_of(*entries):
    """Entries of (long, estimate, counter, remaining)."""
    return [
        Probe(Job(i, 0.0, [1.0] * (remaining // estimate), estimate, long, 1), bypass=counter)
        for i, (long, estimate, counter, remaining) in enumerate(entries)
    ]


def scanned(order, entries, published):
    """The place that the library's rule picks in such a queue."""
    jobs = zeroed(records.JOB, len(entries))
    how = state.Settings(order=order, published=published)
    whole = state.initial(how, jobs, np.zeros(len(entries)), 1)
    for job, (long, estimate, counter, remaining) in enumerate(entries):
        jobs[job].long, jobs[job].known, jobs[job].estimate = long, remaining // estimate, estimate
        reorder.enqueue(whole, 0, job, -1, False, 0.0)
        whole.entries[job].bypassed = counter
    entry, before = reorder.shortest(whole, 0, 0.0)
    assert before == entry - 1
    return entry


@pytest.mark.parametrize(
    ("entries", "written", "published"),
    [
        ([(False, 10, 0, 40), (False, 10, 0, 20)], 1, 1),  # the shortest remaining time
        ([(False, 10, 0, 20), (False, 5, 0, 20)], 0, 0),  # ties: the earlier
        ([(False, 10, 45, 40), (False, 6, 0, 6)], 0, 0),  # 45 + 6 would exceed 5 times 10
        ([(False, 10, 45, 40), (False, 5, 0, 5)], 1, 1),  # 45 + 5 would not
        # the second may not be bypassed
        ([(False, 10, 0, 40), (False, 1, 5, 30), (False, 9, 0, 9)], 1, 1),
        ([(True, 99, 0, 990), (False, 1, 0, 1)], 0, 0),  # a long entry at the head
        # a long entry is a barrier only as written
        ([(False, 10, 0, 40), (True, 99, 0, 99), (False, 1, 0, 1)], 0, 2),
        ([(False, 10, 0, 40), (False, 1, 0, 30), (True, 99, 0, 99)], 1, 1),
        # published: long entries compete
        ([(False, 30, 0, 390), (True, 99, 0, 99), (False, 9, 0, 198)], 0, 1),
    ],
)
def test_the_scan_by_hand(entries, written, published):
    queue = queue_of(*entries)
    assert plain.algorithm1(queue) is queue[written]
    assert program.published_scan(queue) is queue[published]
    assert scanned(systems.SHORTEST_JOB_AS_WRITTEN, entries, False) == written
    assert scanned(systems.SHORTEST_JOB, entries, True) == published


# ---- plain by itself


@settings(max_examples=200, deadline=None)
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
    queue = queue_of(*((long, size, counter, size * n) for long, size, counter, n in entries))
    longs = [place for place, p in enumerate(queue) if p.isLong]
    allowed = [
        (p.estJobLeftRuntime, place)
        for place, p in enumerate(queue[: longs[0]] if longs else queue)
        if not any(q.bypass + p.estTaskRuntime > 5 * q.estTaskRuntime for q in queue[:place])
    ]
    expected = queue[min(allowed)[1]] if allowed else next(iter(queue), None)
    assert plain.algorithm1(queue) is expected


@settings(max_examples=50, deadline=None)
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
    given = {"short_partition": 0.2, "cutoff": player.CUTOFF, "record": True, "min_probes": 6}
    jobs = player.small_workload(3)
    ours = plain.simulate(jobs, system, player.WORKERS, **given)
    theirs = eagle.simulate(jobs, system, player.WORKERS, detail="as_written", **given)
    steps, others = results.replay(ours), results.replay(theirs)
    assert len(steps) == len(others) and steps[-1] == others[-1]
    middle = steps[len(steps) // 2]
    assert in_words(middle, ours) and "<svg" in svg(middle, ours)
