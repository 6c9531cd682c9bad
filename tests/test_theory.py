"""Closed forms against exact sums, limits and each other; the textbooks' own numbers are in the docstrings."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlib.theory import erlang_c, little, mmc_mean_wait, pollaczek_khinchine

MANY = settings(deadline=None, max_examples=100)


def erlang_c_by_its_definition(servers, load):
    """Erlang's formula as printed in every textbook, in exact fractions."""
    load = Fraction(load)
    all_busy = load**servers / math.factorial(servers) * servers / (servers - load)
    return all_busy / (sum(load**k / math.factorial(k) for k in range(servers)) + all_busy)


@MANY
@given(st.integers(1, 60), st.floats(0.001, 0.999))
def test_erlang_c_is_its_definition(servers, utilisation):
    load = servers * utilisation
    assert erlang_c(servers, load) == pytest.approx(float(erlang_c_by_its_definition(servers, load)), rel=1e-9)


@pytest.mark.parametrize("beta", [0.25, 1.0, 2.0])
def test_erlang_c_with_ten_thousand_servers_nears_its_limit(beta):
    # Halfin and Whitt (1981), Proposition 1: with n - beta sqrt(n) Erlang, P(wait) tends to 1 / (1 + beta Phi(beta) / phi(beta)).
    distribution = (1 + math.erf(beta / math.sqrt(2))) / 2
    density = math.exp(-(beta**2) / 2) / math.sqrt(2 * math.pi)
    limit = 1 / (1 + beta * distribution / density)
    assert erlang_c(10_000, 10_000 - beta * 100) == pytest.approx(limit, rel=0.03)


def test_erlang_c_at_the_ends():
    assert erlang_c(10_000, 1.0) == 0.0
    assert erlang_c(5, 0.0) == 0.0
    assert erlang_c(10_000, 9_999.9999) == pytest.approx(1, abs=1e-4)


@MANY
@given(st.floats(0.01, 0.99), st.floats(0.1, 10))
def test_one_server_is_the_same_in_all_formulas(load, rate):
    # M/M/1 waits rho / (mu - lambda); its service has the second moment 2 / mu^2. M/D/1 waits half as long.
    wait = load / (rate - load * rate)
    assert erlang_c(1, load) == pytest.approx(load)
    assert mmc_mean_wait(load * rate, rate, 1) == pytest.approx(wait)
    assert pollaczek_khinchine(load * rate, 1 / rate, 2 / rate**2) == pytest.approx(wait)
    assert pollaczek_khinchine(load * rate, 1 / rate, 1 / rate**2) == pytest.approx(wait / 2)


def test_little():
    assert little(2.5, 4) == 10.0


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: erlang_c(2, 2.0), r"offered_load: 2 on 2 servers"),
        (lambda: erlang_c(0, 0.5), "servers: 0"),
        (lambda: erlang_c(1.5, 0.5), "servers: 1.5"),
        (lambda: erlang_c(2, -1.0), "offered_load: -1"),
        (lambda: erlang_c(2, math.nan), "offered_load: nan"),
        (lambda: mmc_mean_wait(12, 3, 4), "offered_load: 4 on 4 servers"),
        (lambda: mmc_mean_wait(1, 0, 1), "service_rate: 0"),
        (lambda: mmc_mean_wait(-1, 1, 1), "arrival_rate: -1"),
        (lambda: pollaczek_khinchine(2, 0.5, 1), "load is 1"),
        (lambda: pollaczek_khinchine(0.5, 1, 0.9), "second_moment: 0.9"),
        (lambda: pollaczek_khinchine(math.inf, 1, 1), "arrival_rate: inf"),
        (lambda: little(1, -1), "mean_time: -1"),
    ],
)
def test_what_no_queue_can_have_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()
