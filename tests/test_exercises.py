"""Exercises: right answers are taken, wrong ones get a hint that does not tell, and nothing makes a check raise."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import answers_lotes
import answers_one_trace
import answers_other_papers
import answers_own
from schedlib.teaching import exercises
from schedlib.teaching.exercises import EXERCISES

KEYS = exercises.listed()
ANSWERS = (answers_lotes, answers_one_trace, answers_other_papers, answers_own)
RIGHT = {key: make for chapters in ANSWERS for key, make in chapters.RIGHT.items()}
WRONG = {key: make for chapters in ANSWERS for key, make in chapters.WRONG.items()}


def numbers_in(answer):
    """The numbers of an answer that a hint must not tell: those that are not small and whole."""
    if isinstance(answer, dict):
        answer = list(answer.values())
    if isinstance(answer, float | int | np.number):
        return (
            []
            if not np.isfinite(answer) or (abs(answer - round(answer)) < 1e-3 and abs(answer) <= 12)
            else [float(answer)]
        )
    if isinstance(answer, list | tuple | np.ndarray):
        return [number for one in answer for number in numbers_in(one)]
    return []


# its right answer is 18 long runs; the solutions' notebook has them
SLOW = {"dispatching.beyond_the_limit"}


@pytest.fixture(autouse=True)
def first_attempt():
    exercises.TRIED.clear()


@pytest.mark.parametrize("key", sorted(set(KEYS) - SLOW - {"eagle.killed_node"}))
def test_right_is_taken_and_three_wrong_ones_are_refused_each_with_its_own_hint(key):
    right, form, hints = RIGHT[key](), EXERCISES[key].form, set()
    verdict = exercises.check(key, right)
    assert verdict.ok and bool(verdict) and repr(verdict).startswith("Right: "), verdict
    later, wrong = EXERCISES[key].hints, WRONG[key]()
    for tried, answer in enumerate(wrong):
        verdict = exercises.check(key, answer)
        assert (
            not verdict.ok
            and repr(verdict).startswith("Not yet: ")
            and "stopped at it" not in verdict.text
        ), (answer, verdict)
        hints.add(verdict.text)
        at = min(tried, len(later))
        assert verdict.more == (f"Next hint ({at} of {len(later)}): {later[at - 1]}" if at else "")
        assert verdict.more in repr(verdict).replace("\n", " ")
        mine, secrets = numbers_in(answer), numbers_in(right)
        said = f"{verdict.text} {' '.join(EXERCISES[key].hints)}"
        told = [
            float(text.replace(",", ""))
            for text in re.findall(r"\d[\d,]*\.?\d*", said)
            if text not in form
        ]
        for number, secret in itertools.product(told, secrets):
            shown_already = any(np.isclose(number, other, rtol=1e-3) for other in mine)
            assert shown_already or not np.isclose(number, secret, rtol=1e-3), (
                f"{verdict.text!r} tells {secret}"
            )
    assert len(hints) >= 3, hints


def test_every_check_has_answers_a_form_and_a_next_hint():
    assert set(KEYS) == set(WRONG) == set(RIGHT)
    for found in EXERCISES.values():
        assert found.form and not found.form.endswith(".") and found.hints


class Thorny:
    """What no check should trip over: it counts without end, compares, measures and converts to nothing."""

    __array__ = __len__ = __eq__ = __bool__ = __float__ = property(lambda self: 1 / 0)
    __hash__ = None

    def __iter__(self):
        return itertools.count()


LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.complex_numbers(), st.text(max_size=5), st.binary(max_size=3),
    st.sampled_from([..., Thorny(), object(), int, len, pd.DataFrame(), np.array([]), np.array(["x"]), 10**400, range(7), print]),
)  # fmt: skip
GARBAGE = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
)


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_garbage_never_raises(key):
    @settings(
        max_examples=40, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(GARBAGE)
    def tried(answer):
        verdict = exercises.check(key, answer)
        assert not verdict.ok and verdict.text

    tried()


@pytest.mark.parametrize(
    "key",
    [
        "waiting.help_desk",
        "fluid.one_more",
        "probing.border",
        "mch.heavier_group",
        "own_policy.paired",
    ],
)
def test_damaged_right_answers_never_raise(key):
    right = RIGHT[key]()
    for damage in (None, "x", np.nan, np.inf, -(10**6), 10**400, [], Thorny()):
        one = isinstance(right, float | int)
        damaged = (
            damage
            if one
            else dict.fromkeys(right, damage)
            if isinstance(right, dict)
            else [damage, *list(right)[1:]]
        )
        assert not exercises.check(key, damaged).ok


def test_ellipsis_is_told_what_an_answer_looks_like():
    for key in KEYS:
        verdict = exercises.check(key, ...)
        assert (
            not verdict.ok
            and verdict.text == f"give {EXERCISES[key].form}"
            and "<strong>" in verdict._repr_html_()
        )
        assert key not in exercises.TRIED


@pytest.mark.parametrize("name", ["waiting.helpdesk", "01-waiting", 1, None, "waiting"])
def test_unknown_exercises_are_refused_with_the_way_out(name):
    with pytest.raises(ValueError, match=r"is unknown; .*exercises\.listed\(\)") as refusal:
        exercises.check(name, 3)
    assert name != "waiting.helpdesk" or "did you mean 'waiting.help_desk'" in str(refusal.value)


def test_a_verdict_is_shown_as_text_and_in_colour_and_says_in_words_what_the_colour_says():
    shown = [
        exercises.Verdict(head == "Right", "a < b, see `x`", head)._repr_html_()
        for head in ("Not yet", "Right", "Your turn")
    ]
    assert all("a &lt; b" in one and "<code" in one and 'role="status"' in one for one in shown)
    assert [
        head in one for head, one in zip(("Not yet", "Right", "Your turn"), shown, strict=True)
    ] == [True] * 3
    assert len({re.search("background: (#[0-9a-f]+)", one)[1] for one in shown}) == 3
