"""The pages say what the ledger's rows say: each sentence once, and numbers as exact as their intervals."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import CASES
from reproduce import report, tables
from reproduce.sentences import World
from reproduce.verdicts import Row


def rows(*verdicts, paper="hmhs", **more):
    made = []
    for k, verdict in enumerate(verdicts):
        row = Row(
            f"{paper}.c{k}", paper, "Section 1", f"sentence {k}", "0.5", "s", 0.5, 0.1, 0.9, 5,
            verdict, "near", "", verdict, 0.5, 0.1, 0.9, verdict == "fails", "", "", "", "quick",
        )  # fmt: skip
        made.append(row._replace(**more)._asdict())
    return pd.DataFrame(made)


def test_every_sentence_is_there_once_and_the_sums_agree():
    both = [rows("holds", "fails", "holds"), rows("in a window", paper="mch", together="undecided")]
    apart = rows("holds", paper="mch", kind="own", id="mch.c9")
    text = report.page(pd.concat([*both, apart], ignore_index=True), apart)
    assert "| text/together | HMHS | MCH | all |" in text
    for line in (
        "holds | 2/2 | 0/0 | 2/2",
        "in a window | 0/0 | 1/0 | 1/0",
        "undecided | 0/0 | 0/1 | 0/1",
        "fails | 1/1 | 0/0 | 1/1",
        "sentences | 3 | 1 | 4",
        "never | 1 | 0 | 1",
    ):
        assert f"| {line} |" in text
    hmhs, mch = text[text.index("## HMHS") :].split("## MCH")
    assert re.findall(r"^\| `hmhs.(c\d)` sentence", hmhs, re.M) == ["c0", "c1", "c2"]
    counted, not_counted = mch.split("Not counted: ")
    assert re.findall(r"`mch.(c\d)`", counted) == ["c0"] and "mch.c9" in not_counted


@pytest.mark.parametrize(
    ("verdict", "more", "found"), CASES["reproduce_report"]["a_row_has_both_verdicts_and_numbers"]
)
def test_a_row_has_both_verdicts_and_numbers(verdict, more, found):
    text = report.table(rows(verdict, **more))
    assert found in "\n" + text and len(text.splitlines()) == 3


def test_what_a_reading_adds_nothing_to_is_not_said():
    assert "together" not in report.table(rows("holds"))
    assert "fixed it" not in report.table(rows("holds", together="fixed it"))


def test_each_paper_s_world_is_stated_with_what_was_tried():
    world = World("load 0.64, 145 machines", "We mapped loads.", ("load 0.9: nine hold",), ("a",))
    assert report.stated(world) == (
        "*World*: load 0.64, 145 machines. We mapped loads. Tried: load 0.9: nine hold. Fixed by: a.\n"
    )


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_a_measurement_is_rounded_by_less_than_its_interval_leaves_open(mean, half):
    low, high = mean - half, mean + half
    if not low < high:
        return
    text = tables.measurement(mean, low, high).replace(",", "")
    shown = list(map(float, re.findall(r"-?[\d.]+(?:e[+-]?\d+)?", text)))
    assert np.allclose(shown, [mean, low, high], rtol=0.005, atol=0.06 * half + 1e-12)
