"""MCH's explorer draws what was computed, and answers to any text."""

import numpy as np
import pytest

from book.explorers import mch as explorer
from cases import CASES


def test_bars_are_what_the_leaves_hold():
    figure, alt = explorer.draw_filling("[(4, 1), [(1, 0), (0, 1), (0, 1)]]", 36, 36, "mch", 100)
    widths = np.reshape([bar.get_width() for bar in figure.axes[1].patches], (4, 2))
    assert np.allclose(widths * 0.36, [[16, 4], [20, 0], [0, 16], [0, 16]])
    assert "CPU and memory full" in alt and "n2,1 0.556" in alt


BAD = [
    *CASES["mch_widgets"]["text_that_is_not_a_tree"],
    f"[(1{'0' * 400}, 1)]",
    f"[({'9' * 5000}, 1)]",
    "[(1, 0)]\0",
    "[" * 3000,
    "[" + "(1, 1)," * 13 + "]",
]


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_text_that_is_not_a_tree_gets_a_helpful_answer(text):
    words = "brackets|picture has room|here they are two|lie between"
    with pytest.raises(ValueError, match=words) as caught:
        explorer.read_tree(text)
    assert len(str(caught.value)) < 300


def test_a_written_tree_has_the_weights_behind_the_asterisks():
    tree = explorer.read_tree(" [(1, 2)*3, [(0, .5)*2, (1, 1)]*40] ")
    assert tree.paths == ((), (1,), (2,), (2, 1), (2, 2))
    assert tree.weight.tolist() == [1, 3, 40, 2, 1]
    assert tree.demand.tolist() == [[1, 2], [0, 0.5], [1, 1]]


def test_an_example_fills_the_box_and_the_sliders():
    made = explorer.filling()
    made.controls["preset"].value = "two users"
    values = tuple(made.controls[name].value for name in ("text", "cpu", "memory"))
    assert values == tuple(explorer.PRESETS["two users"])
    assert "Dominant shares of 9 CPUs and 18 GB: n1 0.667, n2 0.667" in made.picture.value
