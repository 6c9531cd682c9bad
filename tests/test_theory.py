"""Closed forms against exact sums, integrals, limits and each other; textbooks' numbers are in the docstrings."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import gammainc
from scipy.stats import norm

from cases import CASES
from refusals import refuses
from schedlib import theory
from schedlib.theory import (
    choices_mean_time,
    choices_tail,
    erlang_c,
    mmc_mean_wait,
    pollaczek_khinchine,
    ps_mean_response,
    srpt_mean_response,
    srpt_response,
)


def erlang_c_by_its_definition(servers, load):
    """Erlang's formula as printed in every textbook, in exact fractions."""
    load = Fraction(load)
    all_busy = load**servers / math.factorial(servers) * servers / (servers - load)
    return all_busy / (sum(load**k / math.factorial(k) for k in range(servers)) + all_busy)


@given(st.integers(1, 60), st.floats(0.001, 0.999))
def test_erlang_c_is_its_definition(servers, utilisation):
    load = servers * utilisation
    assert erlang_c(servers, load) == pytest.approx(
        float(erlang_c_by_its_definition(servers, load)), rel=1e-9
    )


@pytest.mark.parametrize("beta", [0.25, 1.0, 2.0])
def test_erlang_c_with_ten_thousand_servers_nears_its_limit(beta):
    # Halfin and Whitt (1981), Proposition 1: with n - beta sqrt(n) Erlang, P(wait) tends to 1 / (1 + beta Phi(beta) / phi(beta)).
    limit = 1 / (1 + beta * norm.cdf(beta) / norm.pdf(beta))
    assert erlang_c(10_000, 10_000 - beta * 100) == pytest.approx(limit, rel=0.03)


def test_erlang_c_at_the_ends():
    assert erlang_c(10_000, 1.0) == 0.0
    assert erlang_c(5, 0.0) == 0.0
    assert erlang_c(10_000, 9_999.9999) == pytest.approx(1, abs=1e-4)


@given(st.floats(0.01, 0.99), st.floats(0.1, 10))
def test_one_server_is_the_same_in_all_formulas(load, rate):
    # M/M/1 waits rho / (mu - lambda); its service has the second moment 2 / mu^2. M/D/1 waits half as long.
    wait = load / (rate - load * rate)
    assert erlang_c(1, load) == pytest.approx(load)
    assert mmc_mean_wait(load * rate, rate, 1) == pytest.approx(wait)
    assert pollaczek_khinchine(load * rate, 1 / rate, 2 / rate**2) == pytest.approx(wait)
    assert pollaczek_khinchine(load * rate, 1 / rate, 1 / rate**2) == pytest.approx(wait / 2)


@given(st.floats(0.01, 0.99), st.integers(1, 5), st.integers(0, 8))
def test_at_the_fixed_point_as_many_servers_grow_as_shrink(load, choices, length):
    # Mitzenmacher's ds_k/dt = load (s_{k-1}^d - s_k^d) - (s_k - s_{k+1}) is 0.
    below, here, above = (choices_tail(load, choices, length + step) for step in (0, 1, 2))
    assert load * (below**choices - here**choices) == pytest.approx(
        here - above, rel=1e-9, abs=1e-15
    )


@given(st.floats(0.01, 0.99), st.integers(2, 5))
def test_more_choices_wait_less_and_none_beats_its_own_service(load, choices):
    one, some, more = (choices_mean_time(load, d) for d in (1, choices, choices + 1))
    assert one == pytest.approx(1 / (1 - load)) and 1 < more < some < one
    assert some * load == pytest.approx(sum(choices_tail(load, choices, k) for k in range(1, 60)))
    assert choices_mean_time(0, choices) == 1


@pytest.mark.parametrize(
    ("name", "given", "says"), CASES["theory"]["what_no_queue_can_have_is_refused"]
)
def test_what_no_queue_can_have_is_refused(name, given, says):
    refuses(says, getattr(theory, name), *given)


def uniform(*pieces):
    """Where a size is uniform on [a, b] with a chance, by piece: its density, its k-th moment up to x, and the ends."""

    def density(x):
        return sum(chance / (b - a) * ((x >= a) & (x < b)) for a, b, chance in pieces)

    def moment(x, k):
        return sum(
            chance / (b - a) * (min(max(x, a), b) ** (k + 1) - a ** (k + 1)) / (k + 1)
            for a, b, chance in pieces
        )

    return density, moment, sorted({end for a, b, _ in pieces for end in (a, b)})


EXPONENTIAL = (
    lambda x: np.exp(-x),
    lambda x, k: math.factorial(k) * gammainc(k + 1, x),
    [0, 3, 60],
)


@pytest.mark.parametrize("load", [0.1, 0.5, 0.8, 0.9, 0.95, 0.99])
@pytest.mark.parametrize(
    "law",
    [
        uniform((0, 1, 0.9), (5, 6, 0.1)),
        uniform((0, 1, 0.99), (90, 110, 0.01)),
        uniform((1, 2, 0.5), (2, 7, 0.5)),
        EXPONENTIAL,
    ],
)
def test_srpt_is_its_formula_by_moments_in_closed_form(load, law):
    density, moment, ends = law
    rate = load / moment(ends[-1], 1)

    def response(x):
        served, _ = quad(lambda t: 1 / (1 - rate * moment(t, 1)), 0, x, points=ends, epsrel=1e-11)
        ahead = moment(x, 2) + x * x * (1 - moment(x, 0))
        return rate * ahead / (2 * (1 - rate * moment(x, 1)) ** 2) + served

    pieces = itertools.pairwise(ends)
    mean = sum(quad(lambda x: density(x) * response(x), *piece)[0] for piece in pieces)
    given = {"density": density, "smallest": float(ends[0]), "largest": float(ends[-1])}
    assert srpt_mean_response(rate, **given) == pytest.approx(mean, rel=1e-7)
    for size in (ends[1] - 0.5, given["largest"]):
        assert srpt_response(size, rate, **given) == pytest.approx(response(size), rel=1e-7)


@given(st.floats(1.05, 2.5), st.floats(10, 1e5), st.floats(0.01, 0.95))
def test_srpt_is_between_service_alone_and_processor_sharing(alpha, largest, load):
    whole = 1 - largest**-alpha
    mean = alpha / (alpha - 1) * (1 - largest ** (1 - alpha)) / whole
    law = {
        "density": lambda x: alpha * x ** (-alpha - 1) / whole,
        "smallest": 1.0,
        "largest": largest,
    }
    shared = ps_mean_response(load / mean, 1 / mean)
    assert mean < srpt_mean_response(load / mean, **law) < shared


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"density": lambda x: 1.5 - 3 * (x > 0.75) + 3.0 * (x < 0.25)}, "nowhere negative"),
        ({"density": lambda x: 1.00001 + 0 * x}, "integrates to 1.00001"),
        ({"density": lambda x: 1.0}, "density"),
        ({"arrival_rate": 2.0}, "the load is 1"),
        ({"smallest": 1.0}, "largest"),
        ({"size": 1.5}, "size"),
    ],
)
def test_srpt_refuses_what_is_no_queue(change, named):
    right = {
        "size": 0.5,
        "arrival_rate": 0.5,
        "density": lambda x: 1 + 0 * x,
        "smallest": 0.0,
        "largest": 1.0,
    }
    refuses(named, srpt_response, **right | change)
