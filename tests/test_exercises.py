"""Exercises: right answers are accepted, wrong ones get a hint that gives nothing away, and no check raises."""

import importlib
import itertools
import re
import signal
import tomllib
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import answers_classics
import answers_lotes
import answers_other_papers
import answers_own
from book import exercises
from book.exercises import EXERCISES, own, reading
from book.exercises import lotes as limits
from schedlib import eagle, hmhs, lotes, mch
from schedlib.workload import Workload

KEYS = exercises.listed()
HERE = Path(__file__).parent
# right answers that take a page of code, or long to compile, are in the solutions' notebooks alone, which check them
PLAIN, MADE, FURTHER = (
    tomllib.loads((HERE / f"answers{which}.toml").read_text())
    for which in ("", "_made", "_further")
)
"""Right and wrong answers: numbers and words, expressions of a module, and expressions of other forms by hint."""
NAMES = {
    "lo": answers_lotes, "ot": answers_other_papers, "ow": answers_own, "cl": answers_classics, "own": own, "book": limits, "lotes": lotes, "hmhs": hmhs,
    "mch": mch, "eagle": eagle, "Workload": Workload, "replace": replace, "Decimal": Decimal, "Fraction": Fraction, "np": np, "pd": pd, "nan": np.nan, "inf": np.inf,
}  # fmt: skip
"""What expressions may name."""


def right_of(key):
    """The right answer; None where a solution's notebook alone has it."""
    if "right" in MADE.get(key, ()):
        return read(key, MADE[key]["right"])
    return PLAIN.get(key, {}).get("right")


def wrong_of(key):
    return [read(key, one) for one in MADE[key]["wrong"]] if key in MADE else PLAIN[key]["wrong"]


def read(key, written):
    """An expression of an exercise's answer, where the functions of its module are known."""
    return eval(written, NAMES | vars(importlib.import_module(MADE[key]["of"])))


def numbers_in(text):
    """The numbers in a text, without small whole ones, which any text may have."""
    found = [float(one.replace(",", "")) for one in re.findall(r"(?<![\w.])\d[\d,]*\.?\d*", text)]
    return {number for number in found if number > 12 or number % 1}


@pytest.fixture(autouse=True)
def first_attempt():
    exercises.TRIED.clear()


@pytest.mark.parametrize("key", sorted(KEYS))
def test_right_is_accepted_and_three_wrong_ones_are_refused_each_with_its_own_hint(key):
    right, form, hints = right_of(key), EXERCISES[key].form, set()
    if right is not None:
        verdict = exercises.check(key, right)
        assert verdict.ok and bool(verdict) and repr(verdict).startswith("Right: "), verdict
    later = EXERCISES[key].hints
    assert len(later) >= 2
    for tried, answer in enumerate(wrong_of(key)):
        verdict = exercises.check(key, answer)
        assert not verdict.ok and repr(verdict).startswith("Not yet: "), (answer, verdict)
        assert "stopped at it" not in verdict.text, answer
        hints.add(verdict.text)
        at = (tried - 1) % len(later) + 1 if tried else 0
        assert verdict.more == (f"Next hint ({at} of {len(later)}): {later[at - 1]}" if at else "")
        assert verdict.more in repr(verdict).replace("\n", " ")
        secrets = numbers_in(str(right)) - numbers_in(form) - numbers_in(str(answer))
        told = numbers_in(f"{verdict.text} {' '.join(later)}")
        for number, secret in itertools.product(told, secrets):
            assert number != pytest.approx(secret, rel=1e-3), f"{verdict.text!r} tells {secret}"
    assert len(hints) >= 3, hints


@pytest.mark.parametrize("key", sorted(KEYS))
def test_an_answer_in_another_form_is_right_and_a_wrong_one_has_its_kind_of_hint(key):
    for written in FURTHER[key].get("right", ()):
        assert exercises.check(key, eval(written, NAMES)).ok, written
    for hint, answers in FURTHER[key]["wrong"].items():
        for written in answers:
            verdict = exercises.check(key, eval(written, NAMES))
            assert not verdict.ok and hint in verdict.text, (written, verdict)


class Thorny:
    """Counts without end, and cannot be compared, measured or converted."""

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
    @given(GARBAGE)
    def tried(answer):
        verdict = exercises.check(key, answer)
        assert not verdict.ok and verdict.text

    tried()


def endless(*of):
    while True:
        pass


def swallowing(*of):
    while True:
        try:
            len(of)
        except:  # noqa: E722
            continue


def nested(*of):
    exercises.check("waiting.staff", lambda rate, service, target: 1)
    endless()


def test_a_function_that_does_not_end_has_a_hint(monkeypatch):
    monkeypatch.setattr(reading, "LONGEST", 0.2)
    before = signal.getsignal(signal.SIGALRM)
    for key in ("fluid.own_limit", "mch.near_h_drf", "one_trace.mean_end"):
        for answer in (endless, swallowing, nested):
            assert "did not end within 0.2 s" in exercises.check(key, answer).text
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_ellipsis_gets_the_form_of_an_answer():
    for key in KEYS:
        form = EXERCISES[key].form
        verdict = exercises.check(key, ...)
        assert not verdict.ok and form and verdict.text == f"give {form}"
        assert key not in exercises.TRIED


@pytest.mark.parametrize("name", ["waiting.helpdesk", "waiting", 1])
def test_unknown_exercises_are_refused_with_the_way_out(name):
    with pytest.raises(ValueError, match=r"is unknown; .*exercises\.listed\(\)") as refusal:
        exercises.check(name, 3)
    assert name != "waiting.helpdesk" or "did you mean 'waiting.help_desk'" in str(refusal.value)


def test_a_verdict_says_in_words_what_its_colour_says():
    shown = {
        head: exercises.Verdict(head == "Right", "a < b, see `x`", head)._repr_html_()
        for head in ("Not yet", "Right", "Your turn")
    }
    for head, page in shown.items():
        assert head in page and 'role="status"' in page and "a &lt; b, see <code" in page
    assert len({re.search("background: (#[0-9a-f]+)", page)[1] for page in shown.values()}) == 3
