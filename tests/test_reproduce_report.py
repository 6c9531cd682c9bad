"""The pages say what the ledger's rows say: each sentence once, and numbers as exact as their intervals."""

import re

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

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


def test_a_row_has_both_verdicts_and_numbers():
    plain = rows(
        "in a window", window="holds at load 0.9", cause="few machines", together="undecided"
    )
    head, _, line = report.table(plain).splitlines()
    assert head == "| sentence | ours (95 %) | by the text, and why | together |"
    assert line == (
        "| `hmhs.c0` sentence 0 | 0.50 (0.10–0.90) s | holds at load 0.9; near. few machines | undecided |"
    )
    other = {"world_measured": 2.0, "world_low": 1.5, "world_high": 2.5}
    assert "| holds; near | fails 2.00 (1.50–2.50) |" in report.table(
        rows("holds", together="fails", **other)
    )
    assert report.table(rows("fails", **other)).endswith("| never; near |\n")
    assert "| holds; near | 2.00 (1.50–2.50) |" in report.table(rows("holds", **other))
    fixed = rows("holds", together="fixed it"), rows("in a window", together="fixed it")
    assert ["fixed it" in report.table(row) for row in fixed] == [False, True]
    below = rows("holds", low=-0.1)
    assert "| 0.50 (-0.10 to 0.90) s |" in report.table(below)
    assert "together" not in report.table(rows("holds"))
    absent = dict.fromkeys(
        ("measured", "low", "high", "world_measured", "world_low", "world_high"), np.nan
    )
    plain = rows("not testable", printed="", number="", together="", **absent)
    assert report.table(plain).splitlines()[0] == "| sentence | by the text, and why |"


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
