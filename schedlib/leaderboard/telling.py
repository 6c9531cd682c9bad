"""A reader's compiled function that tells Python of each choice: slower, and so used only when a run has failed."""

from collections.abc import Callable

import numba
import numpy as np
from numba import objmode


def telling(function, signature, reason: Callable):
    """The function with an ear: after each choice `reason(*arguments, choice)` is called, in Python, while all is as the function saw it.

    Returns the function to simulate with and the list of what `reason` said, without the Nones. Random generators are not
    passed on to `reason`. The function is compiled for `signature`, unless numba is switched off.
    """
    said = []

    def tell(*seen):
        if (text := reason(*seen)) is not None:
            said.append(text)

    if numba.config.DISABLE_JIT:

        def heard(*seen):
            choice = function(*seen)
            tell(*(value for value in seen if not isinstance(value, np.random.Generator)), choice)
            return choice

        return heard, said
    if not hasattr(function, "py_func"):
        function = numba.njit(signature)(function)
    shapes = {2: _two, 3: _three, 4: _four, 5: _five}
    return numba.njit(signature)(shapes[len(signature.args)](function, tell)), said


def _two(inner, tell):
    def heard(a, b):
        choice = inner(a, b)
        with objmode():
            tell(a, b, choice)
        return choice

    return heard


def _three(inner, tell):
    def heard(a, b, c):
        choice = inner(a, b, c)
        with objmode():
            tell(a, b, c, choice)
        return choice

    return heard


def _four(inner, tell):
    def heard(a, b, c, rng):
        choice = inner(a, b, c, rng)
        with objmode():
            tell(a, b, c, choice)
        return choice

    return heard


def _five(inner, tell):
    def heard(a, b, c, d, e):
        choice = inner(a, b, c, d, e)
        with objmode():
            tell(a, b, c, d, e, choice)
        return choice

    return heard
