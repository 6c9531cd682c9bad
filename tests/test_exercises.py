"""Exercises: right answers are taken, wrong ones get a hint that does not tell, and nothing makes a check raise."""

import importlib
import itertools
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schedlib.teaching import exercises
from schedlib.teaching.exercises import EXERCISES

HERE = Path(__file__).parent
ANSWERS = [importlib.import_module(file.stem) for file in sorted(HERE.glob("answers_*.py"))]
RIGHT = {key: make for module in ANSWERS for key, make in module.RIGHT.items()}
WRONG = {key: make for module in ANSWERS for key, make in module.WRONG.items()}
KEYS = [(chapter, number) for chapter, numbers in exercises.listed().items() for number in numbers]


def numbers_in(answer):
    """The numbers of an answer that a hint must not tell: those that are not small and whole."""
    if isinstance(answer, dict):
        answer = list(answer.values())
    if isinstance(answer, float | int | np.number):
        return [] if not np.isfinite(answer) or (abs(answer - round(answer)) < 1e-3 and abs(answer) <= 12) else [float(answer)]
    if isinstance(answer, list | tuple | np.ndarray):
        return [number for one in answer for number in numbers_in(one)]
    return []


@pytest.mark.parametrize("key", RIGHT, ids=str)
def test_right_answers_are_taken(key):
    verdict = exercises.check(*key, RIGHT[key]())
    assert verdict.ok and bool(verdict) and repr(verdict).startswith("Right: "), verdict


@pytest.mark.parametrize("key", WRONG, ids=str)
def test_wrong_answers_get_a_hint_that_does_not_tell(key):
    secrets = numbers_in(RIGHT[key]()) if key in RIGHT else []
    form = EXERCISES[key].form
    for answer in WRONG[key]():
        verdict = exercises.check(*key, answer)
        assert not verdict.ok and repr(verdict).startswith("Not yet: ") and "stopped" not in verdict.text, (answer, verdict)
        mine = numbers_in(answer)
        told = [float(text.replace(",", "")) for text in re.findall(r"\d[\d,]*\.?\d*", verdict.text) if text not in form]
        for number, secret in itertools.product(told, secrets):
            shown_already = any(np.isclose(number, other, rtol=1e-3) for other in mine)
            assert shown_already or not np.isclose(number, secret, rtol=1e-3), f"{verdict.text!r} tells {secret}"


def test_every_check_is_tried_with_wrong_answers_and_its_form_is_a_phrase():
    assert set(KEYS) <= set(WRONG) and set(RIGHT) <= set(KEYS)
    for found in EXERCISES.values():
        assert found.form and not found.form.endswith(".") and found.judge.__name__ != "<lambda>"


class Thorny:
    """What no check should trip over: it counts without end, compares, measures and converts to nothing."""

    __array__ = __len__ = __eq__ = __bool__ = __float__ = property(lambda self: 1 / 0)
    __hash__ = None

    def __iter__(self):
        return itertools.count()


LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.complex_numbers(), st.text(max_size=5), st.binary(max_size=3),
    st.sampled_from([..., Thorny(), object(), int, len, pd.DataFrame(), np.array([]), np.array(["x"]), 10**400, range(3), print]),
)  # fmt: skip
GARBAGE = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.tuples(inner, inner) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
)


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_garbage_never_raises(key):
    @settings(max_examples=40, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(GARBAGE)
    def tried(answer):
        verdict = exercises.check(*key, answer)
        assert not verdict.ok and verdict.text

    tried()


@pytest.mark.parametrize("key", [key for key in RIGHT if numbers_in(RIGHT[key]())], ids=str)
def test_damaged_right_answers_never_raise(key):
    right = RIGHT[key]()
    for damage in (None, "x", np.nan, np.inf, -(10**6), 10**400, [], Thorny()):
        one = isinstance(right, float | int)
        damaged = damage if one else dict.fromkeys(right, damage) if isinstance(right, dict) else [damage, *list(right)[1:]]
        assert not exercises.check(*key, damaged).ok


def test_ellipsis_is_told_what_an_answer_looks_like():
    for key in KEYS:
        verdict = exercises.check(*key, ...)
        assert not verdict.ok and verdict.text == f"give {EXERCISES[key].form}" and "<strong>" in verdict._repr_html_()


@pytest.mark.parametrize("arguments", [("01-waitin", 1), ("01-waiting", 99), ("01-waiting", "1"), (1, 1)])
def test_unknown_exercises_are_refused_with_the_way_out(arguments):
    with pytest.raises(ValueError, match="chapter|number"):
        exercises.check(*arguments, 3)


def test_a_verdict_is_shown_as_text_and_as_html():
    verdict = exercises.Verdict(False, "a < b, see `x`", "Not yet")
    assert verdict._repr_html_() == '<p role="status"><strong>Not yet:</strong> a &lt; b, see <code>x</code></p>'
