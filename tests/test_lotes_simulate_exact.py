"""Every shipped policy decides as the paper written down in plain Python does, ties included."""

import warnings
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import lotes_readings as readings
from lotes_readings import choices, decisions
from lotes_systems import agree, as_workload, decide_as, in_small_steps, planned, systems
from schedlib.lotes import Policy, RandomWorkload, first_fit, plain, plain_rivals, simulate
from schedlib.lotes.dispatching.machine_tree import fractions
from schedlib.lotes.workloads import instances


def assert_decides_as(make, system, policy, **options):
    """That `policy` starts each job when and where the plain one does that `make(centre, rng)` gives."""
    configs, classes, *jobs, seed = system
    expected = decisions(
        lambda centre: make(centre, choices(seed)), configs, classes.slowdown, jobs
    )
    run = simulate(policy, configs, as_workload(*jobs), seed=seed, **options)
    if np.isnan(expected[0]).any():  # nothing with Delta > 0 is large enough: it waits for ever
        assert_array_equal(run.jobs["start"], expected[0])
    else:
        agree(run, expected)


@given(systems(), st.sampled_from(["lotes", "greedy", "tetris"]))
def test_plain_gives_the_same_jobs(system, policy):
    configs, classes, *arrays, seed = system
    made = planned(configs, classes) if policy == "lotes" else None
    options = {"plan": made, "classes": classes, "seed": seed}
    jobs = as_workload(*arrays)
    printed, run = (call(policy, configs, jobs, **options) for call in (plain.simulate, simulate))
    pd.testing.assert_frame_equal(printed.jobs, run.jobs, check_exact=True)
    assert_array_equal(printed.wait, run.wait)


@given(systems(), st.sampled_from(["greedy", "tetris"]))
def test_what_is_measured_follows_from_the_jobs(system, policy):
    """Counts and integrals over time, worked out from each job's submission, start and finish."""
    configs, classes, submit, job_class, work, demand, seed = system
    run = simulate(policy, configs, as_workload(submit, job_class, work, demand), classes=classes)
    start, finish = run.jobs[["start", "finish"]].to_numpy().T
    waits = start - submit
    edges = np.append(run.intervals["begin"], run.time)
    span = np.maximum(np.diff(edges), np.finfo(float).tiny)
    times = np.unique(np.concatenate([edges, submit, start, finish]))  # nothing changes between two
    since, lasts = times[:-1, None], np.diff(times)
    interval = np.searchsorted(edges, times[:-1], "right") - 1
    queue = ((submit <= since) & (start > since)).sum(axis=1)
    queued = (queue > 0) * lasts
    capacity, size = fractions(configs.capacity, demand)
    used = ((start <= since) & (finish > since)) @ size  # (times, R)
    started, _ = np.histogram(start, edges)
    total, _ = np.histogram(start, edges, weights=waits)
    with np.errstate(invalid="ignore"):
        mean_wait = total / started  # NaN where none starts
    expected = {
        "arrived": np.histogram(submit, edges)[0],
        "started": started,
        "finished": np.histogram(finish, edges)[0],
        "mean_wait": mean_wait,
        "queue": np.bincount(interval, queue * lasts, len(span)) / span,
        "queue_end": [((submit < end) & (start >= end)).sum() for end in edges[1:-1]] + [0],
        "queued": np.bincount(interval, queued, len(span)) / span,
    }
    for name, values in expected.items():
        assert_allclose(run.intervals[name], values, 1e-7, 1e-9, err_msg=name)
    there = configs.count @ capacity
    whole = max(run.time - submit[0], np.finfo(float).tiny)
    assert_allclose(run.utilisation, lasts @ used / (there * whole), rtol=1e-7)
    if queued.any():
        idle = 1 - queued @ used / (there * queued.sum())
        assert_allclose(run.fragmentation, idle, rtol=1e-7, atol=1e-9)
    assert run.mean_wait_started == pytest.approx(waits.mean()) and run.longest == waits.max()


@pytest.mark.parametrize("policy", ["lotes", "lotes-first"])
@given(
    system=systems(),
    fallback=st.booleans(),
    exit=st.sampled_from(["delta", "all"]),
    sampled=st.sampled_from([None, 1, 3]),
    wheel=st.sampled_from(["delta", "rate"]),
)
def test_lotes(policy, system, fallback, **options):
    made = planned(*system[:2])
    first = policy == "lotes-first"
    if not first:
        options["fallback"] = fallback
    assert_decides_as(
        lambda centre, rng: readings.Lotes(centre, made, rng, first=first, **options),
        system,
        policy,
        plan=made,
        **options,
    )


@given(systems())
def test_greedy_with_bypass(system):
    assert_decides_as(readings.Bypass, system, "greedy", classes=system[1], bypass=True)


@given(
    systems(),
    st.sampled_from([(1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (3.0, 0.25)]),
    st.sampled_from(["h", "s"]),
)
def test_tetris(system, weights, gamma_unit):
    options = dict(zip(("packing", "work"), weights, strict=True))
    unit = 1.0 if gamma_unit == "h" else 1 / (1 / 3600)
    assert_decides_as(
        lambda centre, _: readings.Weighted(centre, unit, **options),
        system,
        "tetris",
        classes=system[1],
        gamma_unit=gamma_unit,
        **options,
    )


@given(systems(), st.sampled_from(["lotes", "greedy", "tetris"]))
def test_the_jobs_of_a_random_workload_in_blocks_of_17(system, policy):
    """Their processing time is their work over the configuration's rate."""
    configs, classes, *_, seed = system
    drawn = RandomWorkload(classes, rate=100.0, hours=1.0, sizes="fixed", seed=seed)
    options = {"seed": seed, "until": np.inf}
    if policy == "lotes":
        made = planned(configs, classes)
        options |= {"plan": made, "exit": "all"}
    with in_small_steps(), patch.object(instances, "BLOCK", 17), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # more arrives than stage 2 sustains
        run = simulate(policy, configs, drawn, **options)
        blocks = list(drawn.blocks())
    names = ("submit", "job_class", "work", "demand")
    jobs = [np.concatenate([getattr(block, name) for block in blocks]) for name in names]
    make = {
        "lotes": lambda centre: readings.Lotes(centre, made, choices(seed), exit="all"),
        "greedy": lambda centre: plain_rivals.Greedy(centre, choices(seed)),
        "tetris": lambda centre: plain_rivals.Tetris(centre, hours=1.0),
    }
    decide_as(run, decisions(make[policy], configs, drawn.pace(), jobs))


@given(systems())
def test_a_policy_of_the_users_own(system):
    assert_decides_as(
        lambda centre, _: readings.FirstFit(centre, hours=1.0),
        system,
        Policy(first_fit),
        classes=system[1],
    )
