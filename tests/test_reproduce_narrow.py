"""Pictures for phones: what a figure shows is there again, in letters of 8 points at least, on 3.6 inches."""

import base64
import io

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from book.pictures import policies, queues, worked
from reproduce import narrow
from schedlib.plots import style


def letters(figure):
    return [text for text in figure.findobj(Text) if text.get_text().strip() and text.get_visible()]


def words(figure):
    return {"".join(text.get_text().split()) for text in letters(figure)}


def test_panels_of_a_grid_lie_below_one_another_column_by_column_with_the_words_of_their_row():
    figure, axes = style.subplots(2, 3, size=(12.0, 5.0), sharey="row", sharex=True)
    for (row, column), ax in np.ndenumerate(axes):
        ax.plot([1, 2, 3], [row, column, 2], label="a policy with a name")
    for column, ax in enumerate(axes[0]):
        ax.set_title(f"column {column}")
    for row, ax in enumerate(axes[:, 0]):
        ax.set_ylabel(f"row {row}")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside right upper")
    assert narrow.lay_out(figure)
    FigureCanvasAgg(figure).draw()
    order = sorted(axes.flat, key=lambda ax: -ax.get_position().y0)
    assert [ax.get_ylabel() for ax in order] == ["row 0", "row 1"] * 3
    assert [ax.get_title() for ax in order[::2]] == ["column 0", "column 1", "column 2"]
    tops = [ax.get_position().y1 for ax in order]
    assert all(low <= ax.get_position().y0 for ax, low in zip(order, tops[1:], strict=False))
    assert all(ax.yaxis.get_ticklabels()[0].get_visible() for ax in order)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["a policy with a name"]
    assert legend.get_window_extent().y1 < order[-1].get_window_extent().y0


@pytest.mark.parametrize(
    "drawn",
    [queues.plot_chain, queues.plot_remainder, worked.plot_prices, worked.plot_column_generation],
)
def test_no_word_is_cut_and_none_is_smaller_than_eight_points(drawn):
    figure = drawn()
    said = words(figure)
    for ax in figure.axes:  # a narrow axis may have fewer ticks
        said -= {label.get_text() for label in (*ax.get_xticklabels(), *ax.get_yticklabels())}
    assert narrow.lay_out(figure) and figure.get_figwidth() == narrow.WIDTH
    FigureCanvasAgg(figure).draw()
    assert said <= words(figure)
    assert min(text.get_fontsize() for text in letters(figure)) >= narrow.SMALLEST
    for ax in figure.axes:
        for text in (ax.title, ax.xaxis.label, ax.yaxis.label):
            box = text.get_window_extent()
            assert not text.get_text() or box.x0 + 1 >= 0 and box.x1 <= figure.bbox.x1 + 1


def test_a_panel_whose_ticks_have_names_keeps_no_label_of_another_scale():
    figure, (left, right) = style.subplots(1, 2, size=(8, 3))
    left.set_ylabel("wait (s)")
    right.set_yticks([0, 1], ["busy", "idle"])
    assert narrow.lay_out(figure) and right.get_ylabel() == ""


def test_what_would_lie_on_each_other_stays_as_it_is():
    figure, ax = style.subplots(size=(9, 3))
    ax.axis("off")
    for place in range(9):
        ax.text(place / 9, 0.5, "a long word")
    assert not narrow.lay_out(figure)
    assert not narrow.lay_out(policies.plot_map()), "a drawing in inches has no panels"
    by_hand = Figure()
    assert not narrow.lay_out(by_hand)
    by_hand.add_axes((0.1, 0.1, 0.8, 0.8))
    assert not narrow.lay_out(by_hand), "without a grid there is no order of panels"


def test_a_legend_of_a_panel_that_runs_off_the_page_is_not_for_a_phone():
    figure, axes = style.subplots(1, 2, size=(9, 3))
    name = "a policy whose name is far too long for it: -0.21 (-0.28 to -0.14)"
    for ax in axes:
        ax.plot([1, 2], [1, 2], label=name)
        ax.legend(fontsize=9)
    assert not narrow.lay_out(figure)


def test_a_notebook_keeps_both_and_the_first_is_as_drawn():
    figure, _ = style.subplots(1, 2, size=(8.0, 2.5))
    figure.alt = "Two charts."
    data, metadata = narrow.bundle(figure)
    assert metadata["image/png"] == {"alt": "Two charts."} and list(data) == [narrow.KIND]
    picture = Image.open(io.BytesIO(base64.b64decode(data[narrow.KIND])))
    assert picture.format == "WEBP" and picture.width == narrow.WIDTH * narrow.DOTS
    assert picture.height > picture.width and tuple(figure.get_size_inches()) == (8.0, 2.5)
