"""The model of hourly arrivals: against its closed forms, a literal likelihood and Google's table; and the
month made with it.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from schedlib.exhibits.lotes import fig6_10_month, runs
from schedlib.experiment import SCALES
from schedlib.lotes import GOOGLE_ARRIVALS, ArrivalModel, fit_arrivals, google2011, google_month
from schedlib.lotes.workloads.month import BATCH, HOURS, JOBS

DAILY = ArrivalModel(1e5, 0.3, 5.0, cycles=((24.0, 0.2, 20.0),))


def numbers(model):
    return np.array(
        [model.typical, model.spread, model.memory, *(number for cycle in model.cycles for number in cycle)]
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
    "model", [DAILY, ArrivalModel(2e4, 0.1, 30.0), ArrivalModel(1e5, 0.26, 1.9, GOOGLE_ARRIVALS.cycles)]
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
    first, again = (GOOGLE_ARRIVALS.draw(hours, jobs, np.random.default_rng(seed)) for _ in range(2))
    assert first.shape == (hours,) and first.sum() == jobs and first.min() >= 0 and (first == again).all()


def test_constants_are_the_fit_to_googles_table():
    if lacking := runs.no_google_table():
        pytest.skip(lacking)
    batch, counts = runs.google_counts()
    assert (batch, batch + counts.sum(), len(counts)) == (BATCH, JOBS, HOURS + 1)
    fitted = fit_arrivals(counts[1:-1], first=1)
    assert numbers(GOOGLE_ARRIVALS) == pytest.approx(numbers(fitted), rel=2e-3)
    assert fitted.expected(np.arange(1, HOURS)).mean() == pytest.approx(counts[1:-1].mean(), rel=0.01)


def test_the_fitted_model_has_the_months_mean_without_being_told():
    assert GOOGLE_ARRIVALS.expected(np.arange(HOURS)).mean() == pytest.approx(
        (JOBS - BATCH) / HOURS, rel=0.01
    )


def test_a_month_takes_its_hours_from_the_model_it_is_given():
    flat = ArrivalModel(100.0, 0.0, 1.0)
    _, month = google_month(*google2011(), jobs=50_000, batch=2_000, hours=48, arrivals=flat)
    hourly = np.bincount(month.jobs["submit"][month.jobs["submit"] > 0].astype(int), minlength=48)
    assert (
        hourly.sum() == 48_000 and np.sum((hourly - 1000) ** 2 / 1000) < 90
    )  # chi-squared, 47 degrees of freedom: p = 0.0002
    _, wild = google_month(*google2011(), jobs=50_000, batch=2_000, hours=48)
    hourly = np.bincount(wild.jobs["submit"][wild.jobs["submit"] > 0].astype(int), minlength=48)
    assert np.sum((hourly - 1000) ** 2 / 1000) > 200


@pytest.mark.parametrize(
    "call, why",
    [
        (lambda: ArrivalModel(0.0, 0.1, 1.0), "typical: 0.0"),
        (lambda: ArrivalModel(1.0, -0.1, 1.0), "spread: -0.1"),
        (lambda: ArrivalModel(1.0, 0.1, np.nan), "memory: nan"),
        (lambda: ArrivalModel(1.0, 0.1, 1.0, ((0.0, 0.1, 1.0),)), "positive period"),
        (lambda: fit_arrivals([5] * 20 + [0] + [5] * 20), "hour 20 has 0 jobs"),
        (lambda: fit_arrivals([5, 6, 7]), "at least 10 hours"),
        (lambda: fit_arrivals([[5, 6]] * 20), "one row"),
    ],
)
def test_bad_input_is_refused(call, why):
    with pytest.raises(ValueError, match=why):
        call()


def test_month_tells_days_tail_and_mean_of_the_same_runs():
    frame = fig6_10_month.month(thin=10, load=0.5, seed=0)
    whole = fig6_10_month.month_load(thin=10, load=0.5, seed=0)
    pd.testing.assert_frame_equal(whole, frame[frame["measure"].isin(["tail", "mean"])].reset_index(drop=True))
    assert frame.notna().all(axis=None)
    for _, one in frame.groupby("policy"):
        part = {measure: rows.set_index("x")["value"] for measure, rows in one.groupby("measure")}
        assert list(part["wait"].index) == list(part["queue"].index) == list(range(29))
        tail, mean = part["tail"], part["mean"].item()
        assert tail.is_monotonic_decreasing and tail.iloc[-1] >= 0 and tail.iloc[0] <= 100
        assert part["wait"].min() <= mean <= part["wait"].max()
        # The mean is the area below the tail: between sums of its rectangles.
        steps = np.diff(tail.index, prepend=0.0)
        assert (steps * tail.to_numpy()).sum() / 100 <= mean * 1.01
        if tail.iloc[-1] == 0:
            assert mean <= 1.01 * (steps * np.r_[100.0, tail.to_numpy()[:-1]]).sum() / 100


def test_claims_read_the_month_as_they_say():
    days = {"lotes": [5.0, 0.0, 0.0, 9.0], "tetris": [3.0, 2.0, 0.0, 4.0], "greedy": [0.3, 90.0, 1.0, 2.0]}
    rows = [
        (0, policy, "wait", day, value) for policy, values in days.items() for day, value in enumerate(values)
    ]
    rows += [
        (0, policy, "mean", 0, value)
        for policy, value in (("lotes", 10.0), ("tetris", 100.0), ("greedy", 1000.0))
    ]
    rows += [(0, policy, "queue", day, value) for policy in days for day, value in enumerate((7, 0, 0, 2000))]
    rows += [
        (0, policy, "tail", 3600.0 * hours, value) for policy in days
        for hours, value in ((1, 0.4), (7, 0.3), (17, 0.2))
    ]
    frame = pd.DataFrame(rows, columns=["seed", "policy", "measure", "x", "value"]).astype({"x": float})
    frame = frame.assign(load=0.8)
    readings = {row.id.removeprefix("lotes.month-"): row.readings for row in fig6_10_month.CLAIMS if row.measure}
    expected = {
        "greedy": 2, "tetris": 1, "greedy-minutes": 16.5, "lower": 0, "deviate": 0.5, "first-day": 1, "tail-lotes": 0.6,
        "tail-tetris": 0.3, "tail-greedy": 0.2, "queue-lotes": 0, "queue-tetris": 0.5, "queue-tetris-small": 1 / 6, "queue-greedy": 50,
    }  # fmt: skip
    assert set(readings) == set(expected)
    for name, value in expected.items():
        run, *others = [experiment for experiment, _ in readings[name].values()]
        assert run == "lotes.month" and others in (["lotes.month-google"], ["lotes.month-google", "lotes.hour"])
        for _, measure in readings[name].values():
            assert np.ravel(measure(frame)) == pytest.approx([value])


def test_scale_changes_the_size_of_the_month_and_nothing_else():
    months = [runs.synthetic_month(fig6_10_month.MONTH[scale][0]["thin"], 3, load=0.8) for scale in SCALES]
    facts = []
    for configs, _, jobs in months:
        duration, demand = jobs.tasks["duration"].to_numpy(), jobs.tasks[["cores", "memory"]].to_numpy()
        room = configs.count @ configs.capacity
        loads = (duration[:, None] * demand).sum(axis=0) / room / HOURS
        per_machine = len(jobs) / configs.n_machines / HOURS
        facts.append([per_machine, *np.quantile(duration, [0.1, 0.5, 0.9]), *loads])
    np.testing.assert_allclose(facts[0], facts[1], rtol=0.08)
    np.testing.assert_array_equal(facts[1], facts[2])
