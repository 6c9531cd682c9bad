"""The model of hourly arrivals: against its closed forms and Google's table; and the month made with it."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from cases import CASES
from google_fits import fit_arrivals, fit_durations
from refusals import refuses
from reproduce import registry
from reproduce.exhibits.lotes import runs
from reproduce.verdicts import measured
from schedlib.lotes import GOOGLE_ARRIVALS, ArrivalModel, core_load, google2011, google_month
from schedlib.lotes.workloads.month import BATCH, DURATIONS, HOURS, JOBS

DAILY = ArrivalModel(1e5, 0.3, 5.0, cycles=((24.0, 0.2, 20.0),))


def numbers(model):
    return np.hstack([model.typical, model.spread, model.memory, *model.cycles])


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


def test_a_fit_recovers_the_model_that_drew_the_counts():
    counts = DAILY.draw(25_000, None, np.random.default_rng(2))
    fitted = fit_arrivals(counts[100:], first=100, periods=(24.0,))
    assert_allclose(numbers(fitted), numbers(DAILY), rtol=0.12)


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
    assert_allclose(DURATIONS, fit_durations(table), rtol=5e-4)


@pytest.mark.parametrize(
    "options",
    [
        {"load": 0.5, "sizes": "independent"},
        {"drift": 1.5, "thin": 9},
        {"hours": 100},
        {"load": 0.6, "thin": 0.3, "ended": True, "sizes": "fixed"},
    ],
)
def test_the_machines_have_the_requested_load(options):
    configs, classes = google2011()
    fewer, planned, month = google_month(configs, classes, **{"thin": 3, "seed": 2} | options)
    load, hours = options.get("load", 0.8), options.get("hours", HOURS)
    assert core_load(fewer, month, hours) == pytest.approx(load, rel=0.02)
    assert month.jobs["submit"].max() < hours
    assert np.allclose(planned.rate, 1 / month.tasks["duration"].mean())
    share = fewer.count[:4] / fewer.count[:4].sum()
    assert_allclose(share, configs.count[:4] / configs.count[:4].sum(), atol=0.03)


def test_thinned_months_are_parts_of_the_table():
    rng, n = np.random.default_rng(0), 3_000
    times = pd.DataFrame(
        {"submit": np.sort(rng.uniform(0, HOURS, n)), "duration": rng.exponential(20.0, n)}
    )
    parts = [google_month(*google2011(), times=times, thin=3, seed=seed)[2] for seed in range(3)]
    together = np.concatenate([part.tasks["duration"] for part in parts])
    assert_array_equal(np.sort(together), np.sort(times["duration"]))
    assert {len(part) for part in parts} == {1_000}


def test_without_the_jobs_that_never_end_a_third_of_the_work_is_left():
    configs, classes = google2011()
    whole, ended = (google_month(configs, classes, thin=9, ended=few)[2] for few in (False, True))
    assert 0.99 < len(ended) / len(whole) < 1
    submit, duration = ended.jobs["submit"].to_numpy(), ended.tasks["duration"].to_numpy()
    assert (submit + duration < HOURS).all()
    within = np.minimum(whole.tasks["duration"], HOURS - whole.jobs["submit"]).sum()
    assert 0.25 < duration.sum() / within < 0.4
    times = pd.DataFrame({"submit": [0.0, 1.0], "duration": [HOURS, 2.0], "ended": [False, True]})
    assert len(google_month(configs, classes, times=times, ended=True)[2]) == 1


def test_the_mix_drifts_only_when_asked():
    by_day = {}
    for drift in (0.0, 0.8):
        jobs = google_month(*google2011(), thin=10, drift=drift, seed=1)[2].jobs.query("submit > 0")
        share = (jobs["class"] == 1).groupby(jobs["submit"] // 24).mean()
        by_day[drift] = share.std()
    assert by_day[0.0] < 0.02 and by_day[0.8] > 0.05


def test_the_fitted_model_has_the_months_mean():
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


def test_bad_input_is_refused():
    refuses("positive period", ArrivalModel, 1.0, 0.1, 1.0, ((0.0, 0.1, 1.0),))
    google = google2011()
    refuses("load, thin, hours: 0.8, 0.001", google_month, *google, thin=0.001)
    times = pd.DataFrame({"submit": [0.0], "duration": [1.0]})
    refuses("needs columns submit, duration, ended", google_month, *google, times=times, ended=True)
    refuses("thin: 1.5; needs a whole number", google_month, *google, times=times, thin=1.5)


def test_claims_read_the_month_as_they_say():
    days = {
        "lotes": [5.0, 0.0, 0.0, 9.0],
        "tetris": [3.0, 2.0, 0.0, 4.0],
        "greedy": [0.3, 90.0, 1.0, 2.0],
    }
    means = {"lotes": 10.0, "tetris": 100.0, "greedy": 1000.0}
    rows = []
    for policy, waits in days.items():
        rows += [(policy, "wait", day, wait) for day, wait in enumerate(waits)]
        rows += [(policy, "queue", day, length) for day, length in enumerate((7, 0, 0, 2000))]
        rows += [(policy, "tail", 3600 * h, part) for h, part in ((1, 0.4), (7, 0.3), (17, 0.2))]
        rows.append((policy, "tail", 1e-3, means[policy] / 50))
        rows += [(policy, "mean", 0, means[policy]), (policy, "waited", 0, 72 * means[policy])]
        rows += [(policy, "part", number, part) for number, part in ((1, 10.0), (4, 90.0))]
    frame = pd.DataFrame(rows, columns=["policy", "measure", "x", "value"]).astype({"x": float})
    text = {"thin": 1, "times": 1, "ended": False, "sizes": "independent"}
    frame = frame.assign(seed=0, load=0.8, lasts=2.0, **text)
    wanted = CASES["lotes_arrivals"]["claims_read_the_month_as_they_say"]
    month = [row for row in registry.load().claims.values() if row.along == "load"]
    assert [row.id for row in month] == [f"lotes.month-{name}" for name in wanted]
    for row, value in zip(month, wanted.values(), strict=True):
        assert row.experiment == row.world.experiment == "lotes.month"
        assert (row.args["ended"], row.world.args["ended"], row.world.at) == (False, True, 0.64)
        assert measured(row, frame, 0.95).mean == pytest.approx(value)
        world = measured(row.world, frame.assign(ended=True), 0.95)
        assert world.mean == pytest.approx(value)
