"""Verdicts follow from the numbers by the rules of `Claim`, and the written ledger keeps what was not judged anew."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import toy_experiments as toy
from schedlib import reproduce
from schedlib.experiment import Claim
from schedlib.intervals import Proportion, mean_ci
from schedlib.reproduce import ledger, registry, report, sweep
from schedlib.reproduce.judge import judge, together


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SCHEDLIB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(registry, "load", lambda: toy.REGISTRY)


def claim(check, tolerance, paper_value=None, name="hmhs.c", **more):
    measure = {"experiment": "hmhs.toy", "measure": lambda frame: frame["x"]} | more
    return Claim(name, "S", "words", "m", "s", paper_value, "text", check, tolerance, **measure)


def judged(check, values, tolerance, paper_value=None):
    return judge(claim(check, tolerance, paper_value), pd.DataFrame({"x": values}))


@pytest.mark.parametrize(
    "check, values, tolerance, paper, verdict",
    [
        ("value", [1.0, 1.05, 1.0], 0.1, 1.0, "reproduced"),
        ("value", [1.0, 1.1, 1.2], 0.1, 1.0, "in part"),
        ("value", [0.9, 1.1], 0.1, 1.0, "in part"),
        ("value", [0.5, 1.9], 0.1, 1.0, "in part"),
        ("value", [1.5, 1.5001], 0.1, 1.0, "not reproduced"),
        ("value", [1.05], 0.1, 1.0, "reproduced"),
        ("value", [1.2], 0.1, 1.0, "not reproduced"),
        ("ratio", [19.9, 20.1], 0.1, 20.0, "reproduced"),
        ("ratio", [19.0, 21.0], 0.1, 20.0, "in part"),
        ("ratio", [10.8, 10.9], 1.0, 20.0, "reproduced"),
        ("ratio", [9.0, 9.1], 1.0, 20.0, "not reproduced"),
        ("ratio", [-19.9, -20.1], 0.1, -20.0, "reproduced"),
        ("ratio", [20.0, 30.0], 0.1, 20.0, "in part"),
        ("order", [0.1, 0.2, 0.3, 0.2], 0.0, None, "reproduced"),
        ("order", [-1.0, 2.0], 0.0, None, "in part"),
        ("order", [0.0, 0.0], 0.0, None, "not reproduced"),
        ("trend", [-0.2, -0.1], 0.0, None, "not reproduced"),
        ("trend", [0.3], 0.0, None, "reproduced"),
    ],
)
def test_verdicts(check, values, tolerance, paper, verdict):
    row = judged(check, values, tolerance, paper)
    assert row.verdict == verdict
    assert row.measured == pytest.approx(np.mean(values), rel=1e-5)
    assert ("one replicate" in row.reason) == (len(values) == 1) == (row.ci95 == "")


numbers = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))


@given(st.lists(numbers, min_size=2, max_size=6), numbers, st.floats(0, 100), st.floats(0, 100))
def test_a_value_is_reproduced_within_its_interval_and_no_verdict_falls_with_the_tolerance(
    values, paper, tolerance, more
):
    _, low, high = mean_ci(values)
    row = judged("value", values, tolerance, paper)
    inside = paper - tolerance <= round(low, 12) and round(high, 12) <= paper + tolerance
    assert (row.verdict == "reproduced") == inside
    worse = ["reproduced", "in part", "not reproduced"].index
    assert worse(judged("value", values, tolerance + more, paper).verdict) <= worse(row.verdict)


@given(st.lists(numbers, min_size=1, max_size=6), st.sampled_from(["order", "trend"]))
def test_an_order_and_its_opposite_never_both_hold(values, check):
    verdicts = {judged(check, sign * np.array(values), 0.0).verdict for sign in (1, -1)}
    assert "not reproduced" in verdicts
    assert (verdicts == {"not reproduced"}) == (np.mean(values) == 0)


def test_a_proportion_is_judged_by_its_own_interval():
    none_of_forty = claim("value", 1.0, 0.0, measure=lambda frame: Proportion(0, 40, 100.0))
    assert judge(none_of_forty, None)[1:3] == ("0 to 8.762", "in part")
    none_of_many = claim("value", 1.0, 0.0, measure=lambda frame: Proportion(0, 4000, 100.0))
    assert judge(none_of_many, None).verdict == "reproduced"


def test_every_look_has_its_share_of_the_error():
    frame = pd.DataFrame({"x": [0.1, 0.3, 0.2, 0.45, 0.05]})
    once, thrice = (judge(claim("order", 0.0), frame, looks) for looks in (1, 3))
    ends = stats.ttest_1samp(frame["x"], 0).confidence_interval(1 - 0.05 / 3)
    assert thrice.ci95 == f"{ends.low:.4g} to {ends.high:.4g}" != once.ci95
    assert (once.verdict, once.decided, thrice.verdict, thrice.decided) == (
        "reproduced",
        True,
        "in part",
        False,
    )


def test_what_cannot_fail_is_marked_unless_it_fails():
    made = claim("value", 0.1, 1.0, by_construction=True, reason="it is made so")
    row = judge(made, pd.DataFrame({"x": [1.0, 1.0]}))
    assert row.verdict == "by construction" and row.reason.endswith("it is made so")
    assert judge(made, pd.DataFrame({"x": [2.0, 2.0]})).verdict == "not reproduced"
    with pytest.raises(ValueError, match="why it cannot fail"):
        claim("value", 0.1, 1.0, by_construction=True)
    with pytest.raises(ValueError, match="an order has none"):
        claim("order", 0.1)


def test_a_claim_says_what_it_was_read_from():
    fields = {
        "unit": "s",
        "paper_value": None,
        "check": "order",
        "tolerance": 0.0,
        "reason": "untested",
    }
    for how_read in ("table: two counts", "bar chart", "printed number: whole per cent"):
        assert Claim("hmhs.c", "S", "words", "m", how_read=how_read, **fields).how_read == how_read
    for how_read in ("", "mean over loads", "texts"):
        with pytest.raises(
            ValueError, match="begins with none of text, table, printed number, bar chart"
        ):
            Claim("hmhs.c", "S", "words", "m", how_read=how_read, **fields)


def test_rounding_is_measured_as_nothing():
    row = judged("value", [3e-16, -5e-16, 2e-16], 1e-9, 0.0)
    assert (row.measured, row.ci95, row.verdict) == (0.0, "0 to 0", "reproduced")


@pytest.mark.parametrize("values", [[], [1.0, float("nan")]])
def test_claim_without_numbers_is_named(values):
    with pytest.raises(ValueError, match="claim hmhs.c: cannot be measured"):
        judged("order", values, 0.0)


def test_how_far_runs_are_apart_cannot_be_told_from_one():
    def off(frame):
        return None if len(frame) < 2 else abs(frame["x"] - frame["x"].mean())

    spread = replace(claim("value", 0.1, 0.0), measure=off)
    alone, apart = (judge(spread, pd.DataFrame({"x": values})) for values in ([3.0], [1.0, 5.0]))
    assert (alone.verdict, alone.ci95, apart.verdict) == ("not testable here", "", "not reproduced")
    assert alone.reason.startswith("one run cannot tell") and np.isnan(alone.measured)
    holds, fails, unknown = "reproduced", "not reproduced", "not testable here"
    whole = [
        together(dict(zip("ab", some, strict=False)), "of")[0]
        for some in ((holds, unknown), (fails, unknown), (unknown,), (holds, holds))
    ]
    assert whole == ["in part", fails, unknown, holds]


def test_ledger_frame_has_the_columns_and_keeps_the_untestable():
    frame = ledger.judged(workers=1)
    assert list(frame.columns) == list(ledger.COLUMNS)
    assert frame["verdict"].tolist() == ["reproduced", "not testable here"]
    assert (
        frame["scale"].tolist() == ["quick"] * 2
        and frame["seeds"].iloc[1] == 0 < frame["seeds"].iloc[0]
    )
    assert frame["measured"].iloc[0] == 2.0 and frame["ci95"].iloc[0] == "2 to 2"
    assert frame["reason"].iloc[1] == "no warehouse here"
    assert frame["paper"].tolist() == ["hmhs", "hmhs"]


def test_written_ledger_merges_sorts_and_repeats(tmp_path):
    frame = ledger.judged(workers=1)
    eagle = frame.iloc[[0]].assign(id="eagle.kept", paper="eagle", claim="a | b, \n c")
    gone = frame.iloc[[0]].assign(id="hmhs.gone")
    ledger.write(pd.concat([eagle, gone, frame.iloc[[1]]]), tmp_path)
    table, page = ledger.write(frame.iloc[[0]].assign(measured=2.5), tmp_path)
    first = table.read_bytes(), page.read_bytes()
    after = ledger.read(tmp_path)
    assert after["id"].tolist() == ["hmhs.twice", "hmhs.big", "eagle.kept"]
    assert after["measured"].iloc[0] == 2.5 and after["measured"].iloc[2] == 2.0
    ledger.write(frame.iloc[[0]].assign(measured=2.5), tmp_path)
    assert (table.read_bytes(), page.read_bytes()) == first
    assert "1 reproduced, 1 not testable here" in page.read_text() and "a \\| b" in page.read_text()
    assert "| `twice` |" in reproduce.card("hmhs", out=tmp_path).data
    with pytest.raises(ValueError, match="no claims of mch yet"):
        reproduce.card("mch", out=tmp_path)


def test_a_claim_with_readings_has_a_line_for_each_and_says_under_which_it_holds():
    frame = pd.DataFrame({"seed": range(3), "holds": [1.0, 1.1, 0.9], "fails": [9.0, 9.1, 8.9]})

    def lines(*names, **more):
        readings = {name: ("hmhs.toy", lambda rows, name=name: rows[name]) for name in names}
        made = claim("value", 0.5, 1.0, experiment=None, measure=None, readings=readings, **more)
        return ledger.lines(made, {"hmhs.toy": sweep.Sweep(toy.TOY, "quick", 3, frame, ())}.get)

    assert [lines(name)[0]["verdict"] for name in ("holds", "fails")] == [
        "reproduced",
        "not reproduced",
    ]
    whole, *below = lines("holds", "fails")
    assert (whole["verdict"], whole["reading"]) == ("in part", "") and np.isnan(whole["measured"])
    assert whole["reason"] == "holds under: holds; fails under: fails" and whole["seeds"] == 3
    assert [line["reading"] for line in below] == ["holds", "fails"]
    assert [line["verdict"] for line in below] == ["reproduced", "not reproduced"]
    rows = pd.DataFrame([whole, *below])
    assert report.sentence(rows) == "1 claim: 1 in part."
    assert "– fails: not reproduced" in report.card(rows)
    for names, verdict in ((("holds",), "by construction"), (("holds", "fails"), "in part")):
        made = lines(*names, by_construction=True, reason="it is made so")
        assert [line["verdict"] for line in made[:2]] == [verdict, "by construction"]


def test_a_claim_along_a_column_says_at_which_values_it_holds():
    margins = {
        0.5: (1.0, 1.1, 0.9),
        0.8: (2.0, 2.1, 1.9),
        0.9: (2.0, 0.1, -1.0),
        1.0: (-1.0, -1.1, -0.9),
    }
    rows = [(load, x, -x) for load, values in margins.items() for x in values]
    frame = pd.DataFrame(rows, columns=["load", "x", "y"]).assign(seed=[*range(3)] * 4)
    readings = {name: ("hmhs.toy", lambda rows, name=name: rows[name]) for name in ("x", "y")}
    made = claim(
        "order", 0.0, experiment=None, measure=None, readings=readings, along="load", reason="so"
    )
    whole, first, second = ledger.lines(
        made, {"hmhs.toy": sweep.Sweep(toy.TOY, "quick", 3, frame, ())}.get
    )
    said = "holds at load 0.5 to 0.8; in part at load 0.9; fails at load 1"
    assert first["reason"] == f"{said}; the budget of 3 seeds is spent" and np.isnan(
        first["measured"]
    )
    assert (
        second["reason"]
        == "holds at load 1; fails at load 0.5 to 0.9; the budget of 3 seeds is spent"
    )
    assert [line["verdict"] for line in (whole, first, second)] == ["in part"] * 3
    assert whole["reason"] == "in part under: x, y; so"
    card = report.card(pd.DataFrame([whole, first, second]))
    assert f"– x: {said} " in card and "– y: holds at load 1; fails at load 0.5 to 0.9 " in card
    alone = claim("order", 0.0, measure=lambda rows: rows["x"], along="load")
    assert [judge(alone, frame[frame["load"] == load]).verdict for load in margins] == [
        "reproduced",
        "reproduced",
        "in part",
        "not reproduced",
    ]


def test_a_reading_whose_data_are_not_here_has_no_line_of_its_own_but_keeps_a_committed_one(
    tmp_path, monkeypatch
):
    readings = {
        "away": ("hmhs.other", lambda rows: rows["x"]),
        "here": ("hmhs.toy", lambda rows: rows["x"]),
    }
    made = claim("value", 0.5, 1.0, experiment=None, measure=None, readings=readings)
    done, far = (
        sweep.Sweep(toy.TOY, "quick", 1, pd.DataFrame({"seed": [0], "x": [x]}), ())
        for x in (1.0, 9.0)
    )
    whole, *below = ledger.lines(made, {"hmhs.toy": done}.get)
    assert whole["verdict"] == "reproduced" and [line["reading"] for line in below] == ["here"]
    monkeypatch.setitem(registry.load().claims, made.id, made)
    where = {"hmhs.toy": done, "hmhs.other": far}
    table, _ = ledger.write(
        pd.DataFrame(ledger.lines(made, where.get)).assign(scale="quick"), tmp_path
    )
    with_all = table.read_bytes()
    assert ledger.read(tmp_path)["verdict"].tolist() == ["in part", "not reproduced", "reproduced"]
    before = {row["reading"]: row for row in ledger.read(tmp_path).to_dict("records")}
    kept = ledger.lines(made, {"hmhs.toy": done}.get, before)
    ledger.write(pd.DataFrame(kept).assign(scale="quick"), tmp_path)
    assert table.read_bytes() == with_all
