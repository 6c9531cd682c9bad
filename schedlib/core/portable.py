"""An exponential, a logarithm and a product whose results are the same bytes on every processor.

numpy's `exp` and `log` differ in their last digit between processors' vector units, and `a @ b` between versions of
BLAS. Where such a result decides something, or is published, the functions below take their place: they use
only `+ - * /` and scaling by powers of two, which IEEE 754 rounds in one way, and in one order.
"""

import numpy as np
import numpy.typing as npt

LOG2_E = 1.4426950408889634
LN_2_HIGH = 0.6931471803691238
LN_2_LOW = 1.9082149292705877e-10
"""ln 2 in two parts; the first has so few digits that its product with a whole number is exact."""


def exp(x: npt.ArrayLike) -> np.ndarray:
    """e to each number of `x`, off by at most one unit in the last digit.

    e^x = 2^k e^r with r between -ln 2 / 2 and ln 2 / 2, and Taylor's series for e^r.

    >>> exp([0.0, 1.0, -np.inf]).round(12).tolist()
    [1.0, 2.718281828459, 0.0]
    """
    x = np.asarray(x, float).clip(-1000.0, 1000.0)
    k = np.rint(x * LOG2_E)
    r = x - k * LN_2_HIGH
    r = r - k * LN_2_LOW
    series = np.ones_like(r)
    for n in range(14, 0, -1):
        series = 1 + r * series / n
    with np.errstate(over="ignore"):
        power = k.astype(np.int64)
        return np.ldexp(series, power)


def dot(a: npt.ArrayLike, b: npt.ArrayLike) -> np.ndarray:
    """`a @ b` for a vector or matrix `a` and a vector or matrix `b`, summed by numpy instead of BLAS.

    >>> dot([1.0, 2.0], [[1.0, 0.0], [0.5, 3.0]]).tolist()
    [2.0, 6.0]
    """
    a = np.asarray(a)
    b = np.asarray(b)
    if b.ndim == 1:
        products = a * b
        return products.sum(axis=-1)
    products = a[..., :, None] * b
    return products.sum(axis=-2)


def log(x: npt.ArrayLike) -> np.ndarray:
    """The natural logarithm of positive numbers, off by a few units in the last digit.

    x = 2^k m with m from 1 / sqrt(2) to sqrt(2), and ln m = 2 (s + s^3 / 3 + ...) with s = (m - 1) / (m + 1).

    >>> log([1.0, 10.0, 0.5]).round(12).tolist()
    [0.0, 2.302585092994, -0.69314718056]
    """
    x = np.asarray(x, float)
    m, k = np.frexp(x)  # m from 0.5 to 1
    small = m < np.sqrt(0.5)
    k = k - small
    m = np.ldexp(m, small.astype(int))
    below = m - 1
    above = m + 1
    s = below / above
    square = s * s
    series = np.zeros_like(s)
    for n in range(23, 0, -2):
        series *= square
        series += 1 / n
    ln_2 = LN_2_HIGH + LN_2_LOW
    return k * ln_2 + 2 * s * series
