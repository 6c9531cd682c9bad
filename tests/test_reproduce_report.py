"""The pages say what the ledger's rows say: both verdicts, and numbers as exact as their intervals."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import CASES
from reproduce import report, tables
from reproduce.verdicts import Row


@pytest.mark.parametrize(
    ("verdict", "more", "found"), CASES["reproduce_report"]["a_row_has_both_verdicts_and_numbers"]
)
def test_a_row_has_both_verdicts_and_numbers(verdict, more, found):
    row = Row(
        "hmhs.c0", "hmhs", "Section 1", "sentence 0", "0.5", "s", 0.5, 0.1, 0.9, 5,
        verdict, "near", "", verdict, 0.5, 0.1, 0.9, verdict == "fails", "", "", "", "quick",
    )  # fmt: skip
    text = report.table(pd.DataFrame([row._replace(**more)]))
    assert found in "\n" + text and len(text.splitlines()) == 3


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_a_measurement_is_rounded_by_less_than_its_interval_leaves_open(mean, half):
    low, high = mean - half, mean + half
    if not low < high:
        return
    text = tables.measurement(mean, low, high).replace(",", "")
    shown = list(map(float, re.findall(r"-?[\d.]+(?:e[+-]?\d+)?", text)))
    assert np.allclose(shown, [mean, low, high], rtol=0.005, atol=0.06 * half + 1e-12)
