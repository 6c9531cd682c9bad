"""Every system decides as a literal transcription of the paper, and of its simulator's refinements, does: job by job, ties included."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schedlib import eagle
from schedlib.core import streams

sys.path.insert(0, str(Path(__file__).parent))
instances = importlib.import_module("eagle_instances")
literal = instances.literal
DETAILS, SYSTEMS = instances.DETAILS, instances.SYSTEMS

QUIET = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


def compare(case, name, detail, seed=0, rtol=1e-12, record=True, **options):
    system, parts = SYSTEMS[name]
    ours = case.simulate(system, seed=seed, detail=detail, record=record, **options)
    instances.agree(ours, case.literal(parts, seed=seed, detail=detail, **options), rtol=rtol)
    return ours


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_whole_times(name, detail):
    """No rounding anywhere, so that every tie is a true one."""
    rng = np.random.default_rng(1)
    for seed in range(12):
        compare(instances.case(rng, whole=True), name, detail, seed=seed, rtol=0.0)


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_real_times(name, detail):
    rng = np.random.default_rng(2)
    for seed in range(8):
        compare(instances.case(rng, whole=False), name, detail, seed=seed)


@QUIET
@given(instances.cases(), st.sampled_from(sorted(SYSTEMS)), st.sampled_from(DETAILS), st.integers(0, 9), st.sampled_from([1, 2, 3]))
def test_any_case(case, name, detail, seed, probe_ratio):
    compare(case, name, detail, seed=seed, probe_ratio=probe_ratio)


@QUIET
@given(instances.cases(), st.sampled_from(["dlwl", "dlwl without srpt"]), st.sampled_from(DETAILS), st.sampled_from([0.0, 1.0, 8.0]))
def test_heartbeats(case, name, detail, heartbeat):
    compare(case, name, detail, heartbeat=heartbeat)


@QUIET
@given(instances.cases(whole=True), st.sampled_from(sorted(SYSTEMS)), st.sampled_from(DETAILS), st.sampled_from([0.5, 0.25, 1.5, 2.0]))
def test_estimates_off_by_a_factor(case, name, detail, factor):
    compare(case, name, detail, estimate=factor)


@QUIET
@given(instances.cases(), st.sampled_from(["eagle", "hawk", "dlwl", "omniscient"]), st.sampled_from(DETAILS), st.integers(0, 9))
def test_estimates_off_at_random(case, name, detail, seed):
    """A factor per job, drawn for the jobs in their order."""
    system, parts = SYSTEMS[name]
    ours = case.simulate(system, detail=detail, seed=seed, estimate=(0.4, 1.6))
    drawn = streams(seed, "estimates")[0].uniform(0.4, 1.6, len(case.submit)).tolist()
    # fractional estimates leave rounding in sums of work, which may decide between equals
    expected = case.literal(parts, detail=detail, seed=seed, estimate=drawn)
    np.testing.assert_array_equal(ours.jobs["estimate"], [job.estimate for job in expected.jobs])
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


# ---- by hand


def one_each(cluster, job, probe, rng):
    return job if job < 4 else probe


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize(("sticky", "takes"), [(False, 110.0), (True, 30.0)])
def test_the_four_nodes_of_section_4(sticky, takes, detail):
    """Queues of 100, 100, 10 and 10, then a job of four tasks of 10 that has a probe on every node: 110, and 30 with SBP."""
    hop = 2.0**-20
    case = instances.Case([0.0, 1.0, 2.0, 3.0, 4.0], [[100.0], [99.0], [8.0], [7.0], [10.0] * 4], 4, 0, np.inf, hop)
    mine = eagle.System("one each", short_jobs=one_each, long_jobs="lwl", queue="fifo", sticky=sticky)
    run = case.simulate(mine, detail=detail, probe_ratio=1)
    assert run.jobs["finish"].iloc[4] == pytest.approx(takes, abs=1e-4)


def queue_of(*entries):
    """Entries of (long, estimate, counter, remaining)."""
    jobs = [literal.Job(i, 0.0, [1.0], estimate, long) for i, (long, estimate, *_) in enumerate(entries)]
    left = {i: remaining for i, (*_, remaining) in enumerate(entries)}
    return [literal.Entry(job, counter=counter) for job, (_, _, counter, _) in zip(jobs, entries, strict=True)], lambda e: left[e.job.number]


@pytest.mark.parametrize(
    ("entries", "written", "published"),
    [
        ([(False, 10, 0, 40), (False, 10, 0, 20)], 1, 1),  # the shortest remaining time
        ([(False, 10, 0, 20), (False, 5, 0, 20)], 0, 0),  # ties: the earlier
        ([(False, 10, 45, 40), (False, 6, 0, 6)], 0, 0),  # 45 + 6 would exceed 5 times 10
        ([(False, 10, 45, 40), (False, 5, 0, 5)], 1, 1),  # 45 + 5 would not
        ([(False, 10, 0, 40), (False, 1, 5, 30), (False, 9, 0, 9)], 1, 1),  # the second may not be bypassed
        ([(True, 99, 0, 990), (False, 1, 0, 1)], 0, 0),  # a long entry at the head
        ([(False, 10, 0, 40), (True, 99, 0, 99), (False, 1, 0, 1)], 0, 2),  # a long entry is a barrier only as written
        ([(False, 10, 0, 40), (False, 1, 0, 30), (True, 99, 0, 99)], 1, 1),
        ([(False, 30, 0, 400), (True, 99, 0, 99), (False, 9, 0, 200)], 0, 1),  # published: long entries compete
    ],
)
def test_the_scan_by_hand(entries, written, published):
    queue, remaining = queue_of(*entries)
    assert literal.algorithm1(queue, remaining) == written
    assert literal.published_scan(queue, remaining) == published
