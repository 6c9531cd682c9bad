"""The model of hourly arrivals: against its closed forms, a literal likelihood and Google's table; and the
month made with it.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from exhibits.lotes import fig6_10_month, runs
from google_fits import fit_arrivals, fit_durations
from schedlib.experiment import SCALES
from schedlib.lotes import (
    GOOGLE_ARRIVALS,
    ArrivalModel,
    core_load,
    google2011,
    google_month,
    google_times,
)
from schedlib.lotes.workloads.month import BATCH, DURATIONS, HOURS, JOBS

DAILY = ArrivalModel(1e5, 0.3, 5.0, cycles=((24.0, 0.2, 20.0),))


def numbers(model):
    return np.array(
        [
            model.typical,
            model.spread,
            model.memory,
            *(number for cycle in model.cycles for number in cycle),
        ]
    )


def test_correlations_are_those_of_an_ar1_and_the_cycles():
    log = np.log(DAILY.draw(60_000, None, np.random.default_rng(0)))
    log -= log.mean()
    for lag in (0, 1, 5, 12, 24):
        closed = 0.3**2 * np.exp(-lag / 5) + 0.2**2 / 2 * np.cos(2 * np.pi * lag / 24)
        assert np.mean(log[lag:] * log[: len(log) - lag]) == pytest.approx(closed, abs=0.006)


def test_expected_jobs_are_the_mean_of_draws():
    rng = np.random.default_rng(1)
    drawn = np.mean([DAILY.draw(48, None, rng) for _ in range(4_000)], axis=0)
    assert drawn == pytest.approx(DAILY.expected(range(48)), rel=0.03)


@pytest.mark.parametrize(
    "model",
    [DAILY, ArrivalModel(2e4, 0.1, 30.0), ArrivalModel(1e5, 0.26, 1.9, GOOGLE_ARRIVALS.cycles)],
)
def test_a_fit_recovers_the_model_that_drew_the_counts(model):
    counts = model.draw(25_000, None, np.random.default_rng(2))
    again = fit_arrivals(counts[100:], first=100, periods=[period for period, _, _ in model.cycles])
    assert numbers(again)[:2] == pytest.approx(
        numbers(model)[:2], rel=0.05
    ) and again.memory == pytest.approx(model.memory, rel=0.12)
    for mine, true in zip(again.cycles, model.cycles, strict=True):
        assert mine[0] == true[0] and mine[1] == pytest.approx(true[1], abs=0.02)
        assert (mine[2] - true[2] + true[0] / 2) % true[0] - true[0] / 2 == pytest.approx(
            0, abs=0.03 * true[0]
        )


def test_no_model_near_the_fit_is_likelier_by_the_literal_density():
    counts = ArrivalModel(800.0, 0.3, 3.0, cycles=((12.0, 0.3, 4.0),)).draw(
        80, None, np.random.default_rng(3)
    )
    hours = np.arange(len(counts))

    def density(typical, spread, memory, amplitude, peak):
        mean = np.log(typical) + amplitude * np.cos(2 * np.pi * (hours - peak) / 12)
        covariance = spread**2 * np.exp(-np.abs(hours[:, None] - hours) / memory)
        return multivariate_normal(mean, covariance).logpdf(np.log(counts))

    found = np.delete(numbers(fit_arrivals(counts, periods=(12.0,))), 3)
    best = density(*found)
    for place in range(5):
        for factor in (0.97, 1.03):
            other = found.copy()
            other[place] *= factor
            assert density(*other) < best


@settings(max_examples=40, deadline=None)
@given(hours=st.integers(1, 60), jobs=st.integers(0, 10_000), seed=st.integers(0, 2**32 - 1))
def test_draws_have_the_total_and_repeat(hours, jobs, seed):
    first, again = (
        GOOGLE_ARRIVALS.draw(hours, jobs, np.random.default_rng(seed)) for _ in range(2)
    )
    assert (
        first.shape == (hours,)
        and first.sum() == jobs
        and first.min() >= 0
        and (first == again).all()
    )


@pytest.fixture(scope="module")
def table():
    """The real month, where Google's job table is here."""
    if lacking := runs.no_google_table():
        pytest.skip(lacking)
    return runs.google_times()


def hourly(submit):
    return np.bincount(submit[submit > 0].astype(int), minlength=HOURS)


def test_the_shipped_parameters_are_the_fits_to_googles_table(table):
    counts = hourly(table["submit"].to_numpy())
    assert ((table["submit"] == 0).sum(), len(table), len(counts)) == (BATCH, JOBS, HOURS)
    fitted = fit_arrivals(counts)
    assert numbers(GOOGLE_ARRIVALS) == pytest.approx(numbers(fitted), rel=2e-3)
    assert fitted.expected(np.arange(HOURS)).mean() == pytest.approx(counts.mean(), rel=0.01)
    np.testing.assert_allclose(DURATIONS, fit_durations(table), rtol=5e-4)


def test_the_model_is_like_googles_month(table):
    _, _, real = google_month(*google2011(), times=table, sizes="fixed")
    drawn = [google_month(*google2011(), sizes="fixed", seed=seed)[2] for seed in range(4)]
    submit, duration = real.jobs["submit"].to_numpy(), real.tasks["duration"].to_numpy()
    within = np.minimum(duration, HOURS - submit).sum()  # hours that jobs run within the month

    def log(counts):
        return np.log(np.maximum(counts, 1)) - np.log(np.maximum(counts, 1)).mean()

    def follows(counts, lag):
        return np.corrcoef(log(counts)[lag:], log(counts)[: len(counts) - lag])[0, 1]

    counts, models = hourly(submit), [hourly(month.jobs["submit"].to_numpy()) for month in drawn]
    assert np.mean([log(model).std() for model in models]) == pytest.approx(
        log(counts).std(), rel=0.1
    )
    for lag in (1, 2, 4, 8, 24, 168):
        assert np.mean([follows(model, lag) for model in models]) == pytest.approx(
            follows(counts, lag), abs=0.12
        )
    for month in drawn:
        came, runs_for = month.jobs["submit"].to_numpy(), month.tasks["duration"].to_numpy()
        for batch in (True, False):
            for q in (0.01, 0.1, 0.25, 0.4, 0.5, 0.75, 0.9, 0.99):
                mine, true = (
                    np.quantile(d[(s == 0) == batch], q)
                    for d, s in ((runs_for, came), (duration, submit))
                )
                assert mine == pytest.approx(true, rel=0.06), (batch, q)
        assert np.minimum(runs_for, HOURS - came).sum() == pytest.approx(within, rel=0.02)


def test_durations_are_the_quantiles_of_kaplan_and_meier():
    """By hand: of four jobs one ends at 1 h, one is cut off at 2 h, one ends at 3 h, one is cut off at 4 h."""
    times = pd.DataFrame(
        {
            "submit": [5.0] * 4 + [0.0],
            "duration": [1.0, 2, 3, 4, 7],
            "ended": [True, False] * 2 + [True],
        }
    )
    longer, batch, later = fit_durations(times).T
    assert (batch == 7).all() and longer[0] == 1 and longer[-1] == 0 and later[-1] == HOURS
    # 3/4, then 3/4 of 1/2
    left = np.where(later[1:] <= 1, 0.75, np.where(later[1:] <= 3, 0.375, 0.0))
    assert (left <= longer[1:] + 1e-12).all() and set(later[1:]) == {1.0, 3.0, float(HOURS)}
    assert later[np.searchsorted(-longer, -0.76)] == 3.0 and later[
        np.searchsorted(-longer, -0.75)
    ] in (1.0, 3.0)


@pytest.mark.parametrize(
    "options",
    [{}, {"load": 0.5, "sizes": "independent"}, {"drift": 1.5}, {"thin": 9}, {"hours": 100}],
)
def test_machines_are_so_many_that_the_load_is_the_one_asked_for(options):
    configs, classes = google2011()
    fewer, planned, month = google_month(configs, classes, **{"thin": 3, "seed": 2} | options)
    load, hours = options.get("load", 0.8), options.get("hours", HOURS)
    submit, tasks = month.jobs["submit"].to_numpy(), month.tasks
    busy = sum(
        min(d, hours - s) * c
        for s, d, c in zip(submit, tasks["duration"], tasks["cores"], strict=True)
    )
    realised = busy / hours / (fewer.count @ fewer.capacity[:, 0])
    assert (
        realised == pytest.approx(core_load(fewer, month, hours)) == pytest.approx(load, rel=0.02)
    )
    assert submit.max() < hours and np.allclose(planned.rate, 1 / tasks["duration"].mean())
    share = fewer.count[:4] / fewer.count[:4].sum()
    np.testing.assert_allclose(share, configs.count[:4] / configs.count[:4].sum(), atol=0.03)


def test_thinned_months_are_parts_of_the_table():
    rng, n = np.random.default_rng(0), 3_000
    times = pd.DataFrame(
        {"submit": np.sort(rng.uniform(0, HOURS, n)), "duration": rng.exponential(20.0, n)}
    )
    parts = [google_month(*google2011(), times=times, thin=3, seed=seed)[2] for seed in range(3)]
    together = np.concatenate([part.tasks["duration"] for part in parts])
    np.testing.assert_array_equal(np.sort(together), np.sort(times["duration"]))
    assert {len(part) for part in parts} == {1_000}


def test_the_mix_drifts_only_when_asked():
    by_day = {}
    for drift in (0.0, 0.8):
        jobs = google_month(*google2011(), thin=10, drift=drift, seed=1)[2].jobs.query("submit > 0")
        by_day[drift] = (
            jobs.groupby((jobs["submit"] // 24).astype(int))["class"]
            .apply(lambda k: (k == 1).mean())
            .std()
        )
    assert by_day[0.0] < 0.02 and by_day[0.8] > 0.05


def test_a_job_of_the_table_runs_from_its_start_to_its_end_within_the_month():
    jobs = pd.DataFrame(
        {
            "submit": [0.0, 0.0, 600.0, 4200.0],
            "start": [0.0, 0.0, 960.0, 4200.0],
            "end": [2400.0, np.nan, 4560.0, np.nan],
        }
    )
    times = google_times(jobs)
    assert times["submit"].tolist() == [0, 0, 0, 1] and times["ended"].tolist() == [True, False] * 2
    assert times["duration"].tolist() == [0.5, HOURS, 1.0, HOURS - 1]


def test_the_fitted_model_has_the_months_mean_without_being_told():
    assert GOOGLE_ARRIVALS.expected(np.arange(HOURS)).mean() == pytest.approx(
        (JOBS - BATCH) / HOURS, rel=0.01
    )


def test_a_month_takes_its_hours_from_the_model_it_is_given():
    spread = {}
    for model in (ArrivalModel(900.0, 0.0, 1.0), GOOGLE_ARRIVALS):
        counts = hourly(
            google_month(*google2011(), thin=5, arrivals=model)[2].jobs["submit"].to_numpy()
        )
        mean = counts.mean()
        assert counts.sum() == (JOBS - BATCH) // 5
        # chi-squared over its degrees of freedom
        spread[model] = np.sum((counts - mean) ** 2 / mean) / (HOURS - 1)
    flat, wild = spread.values()
    assert 0.8 < flat < 1.25 and wild > 5


@pytest.mark.parametrize(
    "call, why",
    [
        (lambda: ArrivalModel(0.0, 0.1, 1.0), "typical, memory, spread: 0.0"),
        (lambda: ArrivalModel(1.0, -0.1, 1.0), "spread: 1.0, 1.0, -0.1"),
        (lambda: ArrivalModel(1.0, 0.1, np.nan), "memory, spread: 1.0, nan"),
        (lambda: ArrivalModel(1.0, 0.1, 1.0, ((0.0, 0.1, 1.0),)), "positive period"),
        (lambda: google_month(*google2011(), load=0.0), "load, thin, hours: 0, 1"),
        (lambda: google_month(*google2011(), hours=1e4, thin=99), "at most 696 hours"),
        (
            lambda: google_month(*google2011(), sizes="commun", thin=99),
            "sizes: 'commun' is unknown",
        ),
    ],
)
def test_bad_input_is_refused(call, why):
    with pytest.raises(ValueError, match=why):
        call()


def test_month_tells_days_tail_and_mean_of_the_same_runs():
    frame = fig6_10_month.month(google=False, thin=20, load=0.7, sizes="common", seed=0)
    assert frame.notna().all(axis=None) and frame["realised"].between(0.68, 0.72).all()
    for _, one in frame.groupby("policy"):
        part = {measure: rows.set_index("x")["value"] for measure, rows in one.groupby("measure")}
        assert list(part["queue"].index) == list(range(29)) and set(part["wait"].index) <= set(
            range(29)
        )
        tail, mean = part["tail"], part["mean"].item()
        assert tail.is_monotonic_decreasing and tail.iloc[-1] >= 0 and tail.iloc[0] <= 100
        # The mean is the area below the tail: between sums of its rectangles.
        steps = np.diff(tail.index, prepend=0.0)
        assert (steps * tail.to_numpy()).sum() / 100 <= mean * 1.01
        if tail.iloc[-1] == 0:
            assert mean <= 1.01 * (steps * np.r_[100.0, tail.to_numpy()[:-1]]).sum() / 100


def test_claims_read_the_month_as_they_say():
    days = {
        "lotes": [5.0, 0.0, 0.0, 9.0],
        "tetris": [3.0, 2.0, 0.0, 4.0],
        "greedy": [0.3, 90.0, 1.0, 2.0],
    }
    rows = [
        (0, policy, "wait", day, value)
        for policy, values in days.items()
        for day, value in enumerate(values)
    ]
    rows += [
        (0, policy, "mean", 0, value)
        for policy, value in (("lotes", 10.0), ("tetris", 100.0), ("greedy", 1000.0))
    ]
    rows += [
        (0, policy, "queue", day, value)
        for policy in days
        for day, value in enumerate((7, 0, 0, 2000))
    ]
    rows += [
        (0, policy, "tail", 3600.0 * hours, value)
        for policy in days
        for hours, value in ((1, 0.4), (7, 0.3), (17, 0.2))
    ]
    frame = pd.DataFrame(rows, columns=["seed", "policy", "measure", "x", "value"]).astype(
        {"x": float}
    )
    frame = frame.assign(load=0.8, thin=1, sizes="common")
    readings = {
        row.id.removeprefix("lotes.month-"): row.readings
        for row in fig6_10_month.CLAIMS
        if row.measure
    }
    expected = {
        "greedy": 2, "tetris": 1, "greedy-minutes": 16.5, "lower": 0, "deviate": 0.5, "first-day": 1, "tail-lotes": 0.6,
        "tail-tetris": 0.3, "tail-greedy": 0.2, "queue-lotes": 0, "queue-tetris": 0.5, "queue-tetris-small": 1 / 6, "queue-greedy": 50,
    }  # fmt: skip
    assert set(readings) == set(expected)
    for name, value in expected.items():
        assert list(readings[name]) == [*fig6_10_month.LAWS, "common, the jobs of Google's table"]
        run, measure = readings[name]["common"]
        assert run == "lotes.month" and np.ravel(measure(frame)) == pytest.approx([value])
        assert readings[name]["common, the jobs of Google's table"][0] == "lotes.month-google"


def test_the_map_says_who_waits_least_and_by_how_much():
    waits = {("lotes", 0.5): (1.0, 2.0, 4.0), ("greedy", 0.5): (0.0, 0.0, 0.0), ("tetris", 0.5): (9.0, 9.0, 9.0),
             ("lotes", 0.9): (1.0, 1.0, 1.0), ("greedy", 0.9): (1e5,) * 3, ("tetris", 0.9): (10.0, 1000.0, 100.0),
             ("lotes-first", 0.9): (0.0,) * 3, ("lotes-first", 0.5): (0.0,) * 3}  # fmt: skip
    rows = [
        ("mean", policy, "common", load, seed, wait)
        for (policy, load), all_ in waits.items()
        for seed, wait in enumerate(all_)
    ]
    ahead = fig6_10_month._ahead(
        pd.DataFrame(rows, columns=["measure", "policy", "sizes", "load", "seed", "value"])
    )
    assert ahead["common", 0.5] == ("greedy", pytest.approx(np.log10(2.0 / 1e-4)))
    assert ahead["common", 0.9] == ("lotes", pytest.approx(2.0))


def test_scale_changes_the_size_of_the_month_and_nothing_else():
    facts = []
    for thin in sorted({fig6_10_month.EXPERIMENTS[3].points[scale][0]["thin"] for scale in SCALES}):
        configs, _, jobs = runs.month(3, thin=thin, load=0.8)
        duration, demand = (
            jobs.tasks["duration"].to_numpy(),
            jobs.tasks[["cores", "memory"]].to_numpy(),
        )
        facts.append(
            [
                len(jobs) * thin,
                *np.quantile(duration, [0.1, 0.5, 0.9]),
                *demand.mean(axis=0),
                core_load(configs, jobs),
                configs.count @ configs.capacity[:, 0] * thin,
            ]
        )
    # A twelfth of the batch that outlasts the month is 194 jobs, whose sizes add up to within 7 %.
    for other in facts[1:]:
        np.testing.assert_allclose(facts[0][:-1], other[:-1], rtol=0.05)
        assert facts[0][-1] == pytest.approx(other[-1], rel=0.15)
