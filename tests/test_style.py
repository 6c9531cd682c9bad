"""The policies of a paper differ in colour, line and marker, and only measured points are marked."""

import itertools

import matplotlib as mpl
import pandas as pd
import pytest

import seeing
from frames import as_frame
from refusals import refuses
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


def test_look_of_a_reader_s_policy_is_neutral():
    def my_rule():
        pass

    assert style.look(my_rule).label == "my_rule"
    assert style.look(my_rule).color not in style.PALETTE


POINTS = """
policy x y
    zz 1 3
    zz 4 5
    zz 4 7
  hmhs 1 1
  hmhs 1 2
  hmhs 1 3
  fifo 1 2
  fifo 1 4
"""


def test_band_marks_means_at_measured_points_and_shades_their_interval():
    _, ax = style.subplots()
    assert style.band(ax, as_frame(POINTS), "x", "y", by="policy") is ax
    assert [line.get_label() for line in ax.lines] == ["HMHS", "FIFO", "zz"]
    assert ax.lines[2].get_xydata().tolist() == [[1, 3], [4, 6]]
    assert len(ax.collections) == 3
    low = mean_ci([1.0, 2.0, 3.0]).low
    assert ax.collections[0].get_paths()[0].vertices[:, 1].min() == pytest.approx(low)


def test_band_draws_the_looks_that_are_asked_for_in_their_order():
    frame = pd.DataFrame({"policy": list("abc"), "x": 1, "y": [1.0, 2.0, 3.0]})
    looks = {name: style.look(name) for name in ("c", "none of them", "a")}
    ax = style.band(None, frame, "x", "y", "policy", looks)
    assert [line.get_label() for line in ax.lines] == ["c", "a"]
    assert len(ax.collections) == 0  # single runs have no interval
    refuses("lacks column z; it has policy, x, y", style.band, ax, frame, "x", "z")


def test_style_leaves_nothing_behind():
    before = dict(mpl.rcParams)
    with style.use():
        assert mpl.rcParams["font.size"] == style.RC["font.size"]
    style.subplots()
    assert dict(mpl.rcParams) == before
