"""The policies of a paper differ in colour, line and marker, and only measured points are marked."""

import itertools

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import seeing
from refusals import refuses
from reproduce import publish
from reproduce.figure import Figure
from schedlib.intervals import mean_ci
from schedlib.plots import papers, style


@pytest.mark.parametrize("paper", style.PAPER_LOOKS)
@pytest.mark.parametrize("trait", ["color", "linestyle", "marker", "label"])
def test_looks_differ_within_a_paper(paper, trait):
    looks = [*style.PAPER_LOOKS[paper].values(), style.look("a reader's own")]
    traits = [str(getattr(look, trait)) for look in looks]
    assert len(set(traits)) == len(traits)


def test_every_policy_of_the_papers_records_has_a_look():
    labels = {name: label for paper in papers.ALL for name, label in paper.labels.items()}
    assert {
        name: look.label for name, look in style.LOOKS.items() if name not in style.BEYOND
    } == labels


@pytest.mark.parametrize("color", [*style.PALETTE, style.look("own").color])
def test_colours_stand_out_from_white(color):
    assert seeing.contrast(color, "white") >= 3


@pytest.mark.parametrize("eye", seeing.EYES)
def test_every_two_colours_of_the_book_differ_to_every_eye(eye):
    for one, other in itertools.combinations(style.PALETTE, 2):
        assert seeing.distance(one, other, eye) >= seeing.APART, (one, other)


@pytest.mark.parametrize(
    "other, distinct",
    [
        ({"marker": "s"}, False),
        ({"linestyle": ":"}, True),
        ({"color": "#A86F00"}, False),
        ({"color": "#0072B2"}, True),
    ],
)
def test_lines_are_distinct_by_dash_or_by_colour(other, distinct):
    drawn, ax = style.subplots()
    first = {"color": "#D55E00", "linestyle": "-", "marker": "o"}
    ax.plot([0, 1], label="one", **first)
    ax.plot([1, 0], label="two", **first | other)
    assert seeing.alike(drawn) == ([] if distinct else [("one", "two")])


def test_faint_words_are_found_on_white_and_on_a_fill():
    drawn, ax = style.subplots()
    ax.set(xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[])
    ax.axhspan(0, 0.5, color=style.BLUE)
    for y, color in ((0.25, "white"), (0.25, "black"), (0.75, "black"), (0.75, "#AAAAAA")):
        ax.text(0.2 if color == "black" else 0.7, y, f"{color} at {y}", color=color)
    assert {words for words, *_ in seeing.faint(drawn)} == {"black at 0.25", "#AAAAAA at 0.75"}


def test_look_of_a_reader_s_policy_is_neutral():
    def my_rule():
        pass

    assert style.look(my_rule).label == "my_rule"
    assert style.look(my_rule).color not in style.PALETTE


def test_band_marks_means_at_measured_points_and_shades_their_interval():
    slopes = {"zz": 3, "hmhs": 1, "fifo": 2}
    points = itertools.product(slopes, (1, 4), range(3))
    frame = pd.DataFrame(points, columns=["policy", "x", "seed"])
    frame["y"] = frame["x"] * frame["policy"].map(slopes) + frame["seed"]
    _, ax = style.subplots()
    assert style.band(ax, frame, "x", "y", by="policy") is ax
    assert [line.get_label() for line in ax.lines] == ["HMHS", "FIFO", "zz"]
    assert ax.lines[0].get_xdata().tolist() == [1, 4]
    assert len(ax.collections) == 3
    low = mean_ci([1.0, 2.0, 3.0]).low
    assert ax.collections[0].get_paths()[0].vertices[:, 1].min() == pytest.approx(low)


def test_band_draws_the_looks_that_are_asked_for_in_their_order():
    frame = pd.DataFrame({"policy": list("abc"), "x": 1, "y": [1.0, 2.0, 3.0]})
    looks = {name: style.look(name) for name in ("c", "none of them", "a")}
    ax = style.band(None, frame, "x", "y", "policy", looks)
    assert [line.get_label() for line in ax.lines] == ["c", "a"]


def test_band_of_single_runs_has_no_shade():
    _, ax = style.subplots()
    style.band(ax, pd.DataFrame({"x": [1, 2], "y": [3.0, 4.0]}), "x", "y")
    assert len(ax.lines) == 1 and len(ax.collections) == 0
    refuses("lacks column z; it has x", style.band, ax, pd.DataFrame({"x": [1]}), "x", "z")


def test_svg_does_not_depend_on_the_last_digit_of_a_coordinate():
    """Processors differ in it, and matplotlib names clip paths by hashes of coordinates."""
    frame = pd.DataFrame({"x": [0.0, 1.0], "y": [1.0, 2.0]})
    left = 0.1
    texts = []
    for place in (left, np.nextafter(left, 1)):

        def plot(frame, place=place):
            drawn, ax = style.subplots()
            drawn.set_layout_engine("none")
            ax.set(xlabel="number of jobs", ylabel="time (s)", position=(place, 0.2, 0.7, 0.7))
            ax.plot(frame["x"], frame["y"], marker="o")
            return drawn

        figure = Figure("hmhs.toy", "hmhs.toy", plot, "A line.", "One line.")
        texts.append(publish.pictures_of(figure, frame, "A line.", "One line.")["svg"])
    assert texts[0] == texts[1]
    assert 'clip-path="url(#hmhs.toy-1)"' in texts[0]


def test_style_leaves_nothing_behind():
    before = dict(mpl.rcParams)
    with style.use():
        assert mpl.rcParams["font.size"] == style.RC["font.size"]
    style.subplots()
    assert dict(mpl.rcParams) == before
