"""The report card says what the ledger's rows say: each claim once, each shared reason once, numbers as exact as their intervals."""

import re

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from schedlib.experiment import Claim
from schedlib.reproduce import report, tables
from schedlib.reproduce.judge import judge

SHARED = "on a synthetic month: all is assumed; see the chapter"


def rows(
    *verdicts, paper="hmhs", reason="", check="order", where="Section 1", value=np.nan, measured=0.5
):
    return pd.DataFrame({
        "id": [f"{paper}.c{k}" for k in range(len(verdicts))],
        "paper": paper, "where": where, "claim": [f"claim {k}" for k in range(len(verdicts))], "metric": "m", "unit": "s",
        "paper_value": value, "how_read": "text", "reading": "", "check": check, "tolerance": 0.0, "measured": measured, "ci95": "0.1 to 0.9",
        "verdict": verdicts, "reason": [f"the margin is positive on average only; {reason}".rstrip("; ")] * len(verdicts),
    })  # fmt: skip


def test_every_claim_stands_once_under_its_verdict_and_the_sums_agree():
    both = pd.concat(
        [rows("reproduced", "in part", "reproduced"), rows("not reproduced", paper="mch")],
        ignore_index=True,
    )
    text = report.page(both)
    assert (
        "| [HMHS](#hmhs) | 3 | 2 | 1 | 0 | 0 | 0 |" in text
        and "| all | 4 | 2 | 1 | 1 | 0 | 0 |" in text
    )
    sections = re.split(r"^##+ ", text, flags=re.MULTILINE)
    found = {
        section.splitlines()[0]: re.findall(r"`(c\d)`", section)
        for section in sections
        if ": " in section.splitlines()[0]
    }
    assert found == {
        "HMHS: reproduced (2)": ["c0", "c2"],
        "HMHS: in part (1)": ["c1"],
        "MCH: not reproduced (1)": ["c0"],
    }


def test_a_reason_that_several_share_is_said_once_and_another_in_its_row():
    frame = pd.concat(
        [rows("in part", "in part", reason=SHARED), rows("in part", reason="it rained")],
        ignore_index=True,
    )
    frame["id"] = ["hmhs.c0", "hmhs.c1", "hmhs.c2"]
    text = report.section(frame, "in part", "{}")
    assert text.count("see the chapter") == 1 and "(2):" in text
    assert text.count("it rained |") == 1 and "positive on average" not in text


def test_a_card_leaves_out_empty_columns():
    table = report.table(rows("reproduced").assign(unit="1"))
    assert table.splitlines()[0] == "| claim | where | asked | measured (95 %) | id |"
    table = report.table(
        rows("not testable here").assign(measured=np.nan, ci95="", unit=""), pd.Series(["no trace"])
    )
    assert table.splitlines()[0] == "| claim | where | why | id |"


positive = st.floats(1e-6, 1e6)


@given(st.floats(-1e6, 1e6), positive)
def test_a_measurement_is_rounded_by_less_than_its_interval_leaves_open(mean, half):
    mean, low, high = mean, mean - half, mean + half
    if not low < high:
        return
    shown = [
        float(part)
        for part in re.findall(
            r"-?[\d.]+(?:e[+-]?\d+)?", tables.measurement(mean, low, high).replace(",", "")
        )
    ]
    assert np.allclose(shown, [mean, low, high], rtol=0.005, atol=0.06 * half + 1e-12)


@given(
    st.floats(0.1, 100), st.floats(0.01, 2), st.sampled_from(["value", "ratio"]), st.floats(-0.5, 3)
)
def test_what_is_asked_is_what_the_ledger_judges_by(paper, tolerance, check, place):
    low, high = map(float, report.asked(check, paper, tolerance).replace(",", "").split(" to "))
    if min(abs(place), abs(place - 1)) < 0.05 or high - low < 0.05 * paper:
        return  # bounds are shown rounded
    claim = Claim(
        "hmhs.c",
        "S",
        "w",
        "m",
        "s",
        paper,
        "text",
        check,
        tolerance,
        "hmhs.e",
        lambda frame: [low + place * (high - low)],
    )
    assert (judge(claim, None).verdict == "reproduced") == (0 < place < 1)
