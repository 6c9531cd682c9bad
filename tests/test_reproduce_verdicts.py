"""Verdicts follow from the numbers by the rules of `Sentence`."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import CASES
from frames import as_frame
from refusals import refuses
from reproduce import sentences, verdicts
from reproduce.sentences import Sentence
from schedlib.intervals import Best, Exact, Proportion, mean_ci


def x_of(frame, times=1.0):
    return times * frame["x"].to_numpy()


def sentence(says, printed="", **more):
    fields = {"experiment": "hmhs.toy", "measure": x_of} | more
    return Sentence("hmhs.c", "Section 1", "words", says, printed, "s", **fields)


def judged(says, values, printed="", looks=1, **more):
    frame = pd.DataFrame({"x": values, "seed": range(len(values))})
    return verdicts.judge(sentence(says, printed, **more), {"hmhs.toy": frame}, "quick", looks)


VERDICTS = """
order    |               | 0.1 0.3 0.2 0.2     | holds     |
order    |               | -1.0 2.0            | undecided |
order    |               | -0.2 -0.1 -0.2 -0.3 | fails     |
order    |               | 0.0 0.0             | fails     |
order    |               | 0.3                 | undecided |
order    | limit 2.0     | 1.1 1.2 1.1         | fails     |
order    | 77            | 73.0 73.4 73.6      | holds     | near
order    | 77            | 40.0 41.0 42.0      | holds     | off
at least | 51            | 57.0 58.0 57.5      | holds     | near
at least | 51            | 50.0 52.0 51.0      | undecided | as printed
at least | 51            | 20.0 21.0 22.0      | fails     | off
at most  | 30            | 20.0 21.0 22.0      | holds     | undecided
at most  | 30 limit 50.0 | 35.0 36.0           | holds     | undecided
value    | 0.81          | 0.81 0.80 0.82      | holds     | as printed
value    | 0.81          | 0.9 0.91 0.92       | holds     | near
value    | 0.81          | 2.0 2.1 1.9         | fails     | off
value    | 3 to 10       | 4.0 9.0 6.0         | undecided | undecided
value    | 3 to 10       | 4.0 5.0 4.5         | holds     | as printed
value    | 12,254        | 12254.0 12260.0     | holds     | as printed
up to    | 77            | 73.0 73.4 73.6      | holds     | near
up to    | 77            | 105.0 106.0 107.0   | holds     | off
up to    | 77            | 57.0 58.0 58.5      | undecided | undecided
up to    | 77            | 1.0 1.1 1.2         | fails     | off
"""
"""What a sentence says, what is printed and where the limit is, what was measured, the verdict, and its number's."""


@pytest.mark.parametrize("line", VERDICTS.strip().splitlines())
def test_verdicts(line):
    says, printed, measured, verdict, number = (entry.strip() for entry in line.split("|"))
    printed, _, limit = printed.partition("limit")
    values = list(map(float, measured.split()))
    more = {"limit": float(limit)} if limit else {}
    row = judged(says, values, printed.strip(), **more)
    assert (row.verdict, row.number) == (verdict, number)
    assert row.measured == pytest.approx(np.mean(values))
    assert row.runs == len(values)


numbers = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))


@given(st.lists(numbers, min_size=1, max_size=6))
def test_an_order_and_its_opposite_never_both_hold(values):
    found = {judged("order", sign * np.array(values)).verdict for sign in (1, -1)}
    assert found in ({"holds", "fails"}, {"undecided"}, {"fails"})
    if found == {"fails"}:
        assert set(values) == {0.0}


@given(st.lists(numbers, min_size=2, max_size=6), numbers, st.floats(0.001, 100), st.floats(0, 100))
def test_a_value_holds_where_its_interval_lies_inside_and_a_wider_zone_loses_nothing(
    values, middle, half, more
):
    _, low, high = mean_ci(values)
    narrow = judged("value", values, within=(middle - half, middle + half))
    wide = judged("value", values, within=(middle - half - more, middle + half + more))
    inside = middle - half <= round(low, 12) and round(high, 12) <= middle + half
    assert (narrow.verdict == "holds") == inside
    assert narrow.verdict != "holds" or wide.verdict == "holds"
    assert wide.verdict != "fails" or narrow.verdict == "fails"


def test_shares_bests_and_exact_numbers_have_intervals_of_their_own():
    def all_forty(frame):
        return Proportion(40, 40, 100.0)

    row = judged("at least", [1.0], "99", measure=all_forty)
    assert (row.verdict, row.runs) == ("undecided", 40)
    assert row.low == pytest.approx(91.2, abs=0.1)

    def exact(frame):
        return Exact(0.5)

    row = judged("value", [1.0], "0.5", measure=exact)
    assert (row.verdict, row.number, row.low) == ("holds", "as printed", 0.5)
    cases = np.array([[1.0, 1.4, 1.1, 1.5], [0.1, 0.2, 0.1, 0.3]])
    assert Best(cases).interval() == mean_ci(cases[0], 0.975)


FLOORS = """
-1e-5 -2e-5 -1e-5 | nothing to measure | False
0.0 0.0           | nothing to measure | False
-1.0 -1.1 -0.9    | fails              | True
-1e-5 -2e-5 0.003 | undecided          | False
1e-5              | undecided          | False
"""
"""What was measured where less than 0.001 is nothing, the verdict and whether it never holds; one run does not show a floor."""


@pytest.mark.parametrize("line", FLOORS.strip().splitlines())
def test_at_a_floor_there_is_nothing_to_measure(line):
    measured, verdict, never = (entry.strip() for entry in line.split("|"))
    floor = sentences.Floor(lambda frame: frame["x"].abs(), 0.001)
    world = sentence("order", floor=floor)
    row = judged("order", list(map(float, measured.split())), floor=floor, world=world)
    assert (row.verdict, row.together, str(row.never)) == (verdict, verdict, never)


MARGINS = """
seed 0.5 0.8  0.9  1.0
   0 1.0 2.0  2.0 -1.0
   1 1.1 2.1  0.1 -1.1
   2 0.9 1.9 -1.0 -0.9
"""
"""Of each seed, at four loads."""


def test_a_sentence_along_a_column_is_decided_when_it_is_at_each_value():
    frame = as_frame(MARGINS).melt("seed", var_name="load", value_name="x")
    frame = frame.astype({"load": float})
    along = sentence("order", along="load")
    row = verdicts.judge(along, {"hmhs.toy": frame}, "quick")
    assert row.window == "holds at load 0.5–0.8, undecided at load 0.9"
    assert (row.verdict, row.runs) == ("in a window", 3) and np.isnan(row.measured)
    found = {"hmhs.c": along}
    assert not verdicts.decided(found, "hmhs.toy", frame, 1)
    assert verdicts.decided(found, "hmhs.toy", frame.query("load != 0.9"), 1)
    assert verdicts.decided(found, "hmhs.other", frame, 1)


@pytest.mark.parametrize(("says", "more", "message"), CASES["reproduce_verdicts"]["lacks"])
def test_what_a_sentence_lacks_is_said_with_its_name(says, more, message):
    refuses(f"claim hmhs.c: .*{message}", sentence, says, **more)


CLAIMS = """
[reading]
name = "plain"
why = "so"
[[world]]
name = "load 2"
found = "by chance"
fixed_by = ["c"]
[[world]]
name = "load 1"
found = "by chance"
[[claim]]
id = "c"
where = "S"
sentence = "w"
says = "order"
experiment = "hmhs.toy"
measure = "x_of"
floor = { measure = "x_of", below = 0.001 }
[claim.world]
args = { times = 3.0 }
[[claim.other]]
name = "twice"
args = { times = 2.0 }
"""


def test_a_file_of_claims_gives_sentences_with_their_readings(tmp_path):
    measures = SimpleNamespace(x_of=x_of, __name__="measures")
    file = tmp_path / "claims.toml"
    file.write_text(CLAIMS)
    reading, [one] = sentences.read(file, "hmhs", measures)
    assert reading.name == "plain"
    assert [world.name for world in reading.worlds] == ["load 2", "load 1"]
    assert one.id == "hmhs.c" and one.fixed and not one.args
    assert one.measure is one.floor.measure is x_of
    assert one.world.args == {"times": 3.0} and one.others["twice"].args == {"times": 2.0}
    for old, new, words in (
        ('["c"]', '["d"]', "world of hmhs: fixed_by names unknown claims: d"),
        ("x_of", "y_of", "claim hmhs.c: measures has no measure 'y_of'"),
    ):
        file.write_text(CLAIMS.replace(old, new))
        refuses(words, sentences.read, file, "hmhs", measures)


def test_rounding_is_measured_as_nothing_and_no_number_is_an_error_with_the_name():
    row = judged("value", [3e-16, -5e-16, 2e-16], within=(0.0, 0.0))
    assert (row.measured, row.low, row.high, row.verdict) == (0.0, 0.0, 0.0, "holds")
    for values in ([], [1.0, float("nan")]):
        refuses("claim hmhs.c: cannot be measured", judged, "order", values)


def test_one_run_is_no_verdict_and_a_slip_is_the_paper_s():
    def spread(frame):
        return None if len(frame) < 2 else [abs(frame["x"] - 2.0).max(), 1.0]

    row = judged("order", [3.0], measure=spread)
    assert row.verdict == "undecided" and np.isnan(row.measured)
    row = judged("value", [3.0, 3.1], "3", slip=True, cause="another table prints four")
    assert (row.verdict, row.number, row.together) == ("the paper's slip", "as printed", "")
