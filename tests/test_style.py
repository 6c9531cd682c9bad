"""Every policy of a paper can be told apart, by colour, by line and by marker, and only measured points are marked."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from schedlib import style
from schedlib.intervals import mean_ci


@pytest.mark.parametrize("paper", style.PAPER_LOOKS)
@pytest.mark.parametrize("trait", ["color", "linestyle", "marker", "label"])
def test_looks_differ_within_a_paper(paper, trait):
    looks = [*style.PAPER_LOOKS[paper].values(), style.look("a reader's own")]
    traits = [str(getattr(look, trait)) for look in looks]
    assert len(set(traits)) == len(traits)


def test_every_policy_of_the_book_has_a_look():
    named = (
        "lotes lotes-first greedy tetris hmhs r-hmhs fifo fifo-pri priced bound drf weighted-drf h-drf naive-h-drf c-ch m-ch mch "
        "case1 exact-ch eagle hawk sparrow dlwl omniscient ideal-eagle"
    )
    assert set(style.LOOK) == set(named.split())


def luminance(color):
    channels = np.array(to_rgb(color))
    linear = np.where(channels <= 0.03928, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize("color", [*style.PALETTE, style.look("own").color])
def test_colours_stand_out_from_white(color):
    assert 1.05 / (luminance(color) + 0.05) >= 3


# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB
DEFICIENCY = {
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}


@pytest.mark.parametrize("kind", DEFICIENCY)
def test_first_four_colours_differ_to_colour_blind_eyes(kind):
    def seen(color):
        return np.clip(np.array(DEFICIENCY[kind]) @ np.array(to_rgb(color)) ** 2.2, 0, 1) ** (1 / 2.2)

    for one, other in itertools.combinations(style.PALETTE[:4], 2):
        assert np.abs(seen(one) - seen(other)).sum() > 0.15, (one, other)


def test_look_of_ones_own_policy_is_neutral():
    def my_rule():
        pass

    assert style.look(my_rule).label == "my_rule"
    assert style.look("eagle") is style.LOOK["eagle"]
    assert style.look(my_rule).color not in style.PALETTE


def test_band_marks_means_at_measured_points_and_shades_their_interval():
    slopes = {"zz": 3, "hmhs": 1, "fifo": 2}
    rows = [(policy, x, seed, x * k + seed) for policy, k in slopes.items() for x in (1, 4) for seed in range(3)]
    frame = pd.DataFrame(rows, columns=["policy", "x", "seed", "y"])
    _, ax = style.subplots()
    assert style.band(ax, frame, "x", "y", by="policy") is ax
    assert [line.get_label() for line in ax.lines] == ["HMHS", "FIFO", "zz"]
    assert ax.lines[0].get_xdata().tolist() == [1, 4] and ax.lines[0].get_ydata().tolist() == [2.0, 5.0]
    assert len(ax.collections) == 3
    low = mean_ci([1.0, 2.0, 3.0]).low
    assert ax.collections[0].get_paths()[0].vertices[:, 1].min() == pytest.approx(low)


def test_band_of_single_runs_has_no_shade():
    _, ax = style.subplots()
    style.band(ax, pd.DataFrame({"x": [1, 2], "y": [3.0, 4.0]}), "x", "y")
    assert len(ax.lines) == 1 and len(ax.collections) == 0
    with pytest.raises(ValueError, match="lacks column z; it has x"):
        style.band(ax, pd.DataFrame({"x": [1]}), "x", "z")


def test_style_leaves_nothing_behind():
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    with style.use():
        assert mpl.rcParams["font.size"] == style.RC["font.size"]
    style.subplots()
    assert dict(mpl.rcParams) == before
