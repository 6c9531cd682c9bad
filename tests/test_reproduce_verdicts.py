"""Verdicts follow from the numbers by the rules of `Sentence`."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cases import CASES
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


def test_every_look_has_its_share_of_the_error():
    values = [0.1, 0.3, 0.2, 0.45, 0.05]
    once, thrice = judged("order", values), judged("order", values, looks=3)
    ends = stats.ttest_1samp(values, 0).confidence_interval(1 - 0.05 / 3)
    assert (thrice.low, thrice.high) == pytest.approx((ends.low, ends.high))
    assert (once.verdict, thrice.verdict) == ("holds", "undecided")


def test_other_readings_are_listed_and_never_enter_a_verdict():
    others = {
        "against": sentence("order", args={"times": -1.0}),
        "with": sentence("order", args={"times": 2.0}),
        "away": sentence("order", experiment="hmhs.other"),
    }
    row = judged("order", [0.9, 1.0, 1.1], others=others)
    assert (row.verdict, row.together, row.never) == ("holds", "holds", False)
    assert row.others == "against: fails (-1); with: holds (2); away: undecided"


@pytest.mark.parametrize(
    "other, world, never", [(2.0, 3.0, True), (-1.0, 3.0, False), (2.0, -1.0, False)]
)
def test_never_says_that_every_reading_fails(other, world, never):
    found = judged(
        "order",
        [-0.9, -1.0, -1.1],
        others={"other": sentence("order", args={"times": other})},
        world=sentence("order", args={"times": world}),
    )
    assert found.never == never and found.verdict == "fails"
    doubtful = sentence("order", measure=lambda frame: frame["x"] * [1, -1, 1])
    assert not judged("order", [-0.9, -1.0, -1.1], others={"doubtful": doubtful}).never


def test_the_world_has_a_verdict_and_a_number_of_its_own_and_else_the_text_s():
    world = sentence("value", "2", args={"times": 2.0})
    row = judged("value", [0.9, 1.0, 1.1], "2", world=world)
    assert (row.verdict, row.together) == ("fails", "holds")
    assert (row.measured, row.world_measured) == (pytest.approx(1), pytest.approx(2))
    plain = judged("value", [0.9, 1.0, 1.1], "1")
    assert (plain.together, plain.world_low) == ("holds", plain.low)
    assert judged("value", [0.9, 1.0, 1.1], "2", world=world, fixed=True).together == "fixed it"
    away = replace(world, experiment="hmhs.other")
    assert judged("value", [0.9, 1.0, 1.1], "2", world=away).together == "undecided"


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


def test_a_sentence_along_a_column_says_in_which_windows_it_holds():
    margins = {
        0.5: [1.0, 1.1, 0.9],
        0.8: [2.0, 2.1, 1.9],
        0.9: [2.0, 0.1, -1.0],
        1.0: [-1.0, -1.1, -0.9],
    }
    rows = [(load, x, seed) for load, values in margins.items() for seed, x in enumerate(values)]
    frame = pd.DataFrame(rows, columns=["load", "x", "seed"])
    along = sentence("order", along="load")

    def row_of(wanted):
        return verdicts.judge(along, {"hmhs.toy": frame[frame["load"].isin(wanted)]}, "quick")

    whole = row_of(margins)
    assert whole.window == "holds at load 0.5–0.8, undecided at load 0.9"
    assert (whole.verdict, whole.together) == ("in a window", "undecided")
    assert whole.runs == 3 and np.isnan(whole.measured)
    assert (row_of([0.5, 0.8]).verdict, row_of([0.5, 0.9]).verdict) == ("holds", "undecided")
    against = {"against": sentence("order", along="load", args={"times": -1.0})}
    both = verdicts.judge(replace(along, others=against), {"hmhs.toy": frame}, "quick")
    assert (both.verdict, both.window) == (whole.verdict, whole.window)
    assert both.others == "against: holds at load 1, undecided at load 0.9"
    for at, verdict, mean in (
        (0.8, "holds", 2.0),
        (1.0, "fails", -1.0),
        (0.7, "undecided", np.nan),
    ):
        there = replace(along, world=replace(along, at=at))
        row = verdicts.judge(there, {"hmhs.toy": frame}, "quick")
        assert (row.verdict, row.together, row.never) == ("in a window", verdict, False)
        assert row.world_measured == pytest.approx(mean, nan_ok=True)
    found = {"hmhs.c": along}
    assert not verdicts.decided(found, "hmhs.toy", frame, 1)
    assert verdicts.decided(found, "hmhs.toy", frame[frame["load"] != 0.9], 1)
    assert verdicts.decided(found, "hmhs.other", frame, 1)


@pytest.mark.parametrize(("says", "more", "message"), CASES["reproduce_verdicts"]["lacks"])
def test_what_a_sentence_lacks_is_said_with_its_name(says, more, message):
    refuses(f"claim hmhs.c: .*{message}", sentence, says, **more)


def test_a_file_of_claims_gives_sentences_with_their_readings(tmp_path):
    file = tmp_path / "claims.toml"
    entry = 'id = "c"\nwhere = "S"\nsentence = "w"\nsays = "order"\nexperiment = "hmhs.toy"\nmeasure = "x_of"\n'
    other = '[[claim.other]]\nname = "twice"\nargs = { times = 2.0 }\n'
    world = '[world]\nname = "load 2"\nfound = "by chance"\ntried = ["load 1: none"]\nfixed_by = ["c"]\n'
    in_world = "[claim.world]\nargs = { times = 3.0 }\n"
    reading = '[reading]\nname = "plain"\nwhy = "so"\n'
    file.write_text(f"{reading}{world}[[claim]]\n{entry}{in_world}{other}")
    measures = SimpleNamespace(x_of=x_of, __name__="measures")
    reading, [one] = sentences.read(file, "hmhs", measures)
    assert reading.name == "plain" and one.id == "hmhs.c"
    assert one.others["twice"].args == {"times": 2.0} and one.others["twice"].measure is x_of
    assert one.fixed and one.world.args == {"times": 3.0} and not one.args
    assert [stated.name for stated in reading.worlds] == ["load 2"]
    floor = 'floor = { measure = "x_of", below = 0.001 }\n'
    two = '[[world]]\nname = "one"\nfound = "so"\n[[world]]\nname = "two"\nfound = "so"\n'
    file.write_text(f'[reading]\nname = "plain"\nwhy = "so"\n{two}[[claim]]\n{entry}{floor}')
    reading, [one] = sentences.read(file, "hmhs", measures)
    assert one.floor.measure is x_of and one.world is None and len(reading.worlds) == 2
    file.write_text(file.read_text().replace('"two"', '"two"\nfixed_by = ["d"]'))
    words = "world of hmhs: fixed_by names unknown claims: d"
    refuses(words, sentences.read, file, "hmhs", measures)
    file.write_text(file.read_text().replace('fixed_by = ["d"]', ""))
    file.write_text(file.read_text().replace('"x_of"', '"y_of"'))
    words = "claim hmhs.c: .* has no attribute 'y_of'"
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
