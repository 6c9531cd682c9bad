"""The pages say what the ledger's rows say: each sentence once, and numbers as exact as their intervals."""

import re

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from reproduce import report, tables
from reproduce.verdicts import Row


def rows(*verdicts, paper="hmhs", **more):
    made = []
    for k, verdict in enumerate(verdicts):
        row = Row(
            f"{paper}.c{k}", paper, "Section 1", f"sentence {k}", "0.5", "s", 0.5, 0.1, 0.9, 5,
            verdict, "near", "", "", "", "", "quick",
        )  # fmt: skip
        made.append(row._replace(**more)._asdict())
    return pd.DataFrame(made)


def test_every_sentence_stands_once_and_the_sums_agree():
    both = [rows("holds", "fails", "holds"), rows("depends", paper="mch")]
    apart = rows("holds", paper="mch", kind="own", id="mch.c9")
    text = report.page(pd.concat([*both, apart], ignore_index=True))
    assert "| [HMHS](#hmhs) | 3 | 2 | 0 | 0 | 1 | 0 | 0 | 0 | 3 | 0 |" in text
    assert "| all | 4 | 2 | 1 | 0 | 1 | 0 | 0 | 0 | 4 | 0 |" in text
    hmhs, mch = text[text.index("## HMHS") :].split("## MCH")
    assert re.findall(r"`(c\d)` \|$", hmhs, re.M) == ["c0", "c1", "c2"]
    counted, not_counted = mch.split("Not counted")
    assert re.findall(r"`(c\d)`", counted) == ["c0"] and "`c9`" in not_counted


def test_a_row_says_its_number_s_verdict_and_what_turns_it():
    turned = rows("depends", turns="fails with V per machine: 0.1", cause="few machines")
    table = report.table(turned)
    head, _, line = table.splitlines()
    assert head == "| sentence | where | printed | ours (95 %) | verdict | cause | id |"
    assert "| 0.5 | 0.50 (0.10 to 0.90) s | depends; near |" in line
    assert "fails with V per machine: 0.1; few machines" in line
    plain = rows("not testable", printed="", number="", measured=np.nan, low=np.nan, high=np.nan)
    assert report.table(plain).splitlines()[0] == "| sentence | where | verdict | id |"


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_a_measurement_is_rounded_by_less_than_its_interval_leaves_open(mean, half):
    low, high = mean - half, mean + half
    if not low < high:
        return
    text = tables.measurement(mean, low, high).replace(",", "")
    shown = list(map(float, re.findall(r"-?[\d.]+(?:e[+-]?\d+)?", text)))
    assert np.allclose(shown, [mean, low, high], rtol=0.005, atol=0.06 * half + 1e-12)
