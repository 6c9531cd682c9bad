"""The portable exponential, logarithm and product, against the C library's and BLAS's."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from schedlib.core.portable import dot, exp, log


@given(st.floats(-700, 700))
def test_exp_is_off_by_one_unit_in_the_last_digit_at_most(x):
    assert abs(float(exp(x)) - math.exp(x)) <= math.ulp(math.exp(x))


def test_exp_where_floats_end():
    assert exp([710.0, 1e9, np.inf]).tolist() == [np.inf] * 3
    assert exp([-746.0, -1e9, -np.inf]).tolist() == [0.0] * 3
    assert exp([0.0, -0.0]).tolist() == [1.0, 1.0]


@given(st.floats(1e-300, 1e300))
def test_log_is_off_by_a_few_units_in_the_last_digit(x):
    assert abs(float(log(x)) - math.log(x)) <= 4 * math.ulp(math.log(x) or 1e-16)


WHOLE = st.integers(-1000, 1000)


@given(
    arrays(int, (3,), elements=WHOLE),
    arrays(int, (3, 2), elements=WHOLE),
    arrays(int, (4, 3), elements=WHOLE),
)
def test_dot_of_whole_numbers_is_exact(vector, table, other):
    for a, b in ((vector, vector), (vector, table), (other, vector), (other, table)):
        assert np.array_equal(dot(a, b), a @ b)
