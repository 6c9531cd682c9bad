"""The drawn figures of LoTES: nothing overlaps, and blocks are as large as what they stand for."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import FancyBboxPatch

from exhibits.lotes import fig1_4_model
from schedlib.pictures import bins as pictures
from schedlib.pictures import style

SIX = fig1_4_model.fig1(total_cores=4.0, total_memory=8.0, seed=0).assign(
    total_cores=4.0, total_memory=8.0
)
LIFE = fig1_4_model.fig3(**fig1_4_model.SMALL_CLUSTER, seed=0)
STAGES = fig1_4_model.fig4(seed=0)


def extents(figure):
    """Boxes and texts of a diagram in pixels, as drawn."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    (ax,) = figure.axes
    boxes = [
        patch.get_window_extent(renderer)
        for patch in ax.patches
        if isinstance(patch, FancyBboxPatch) and patch.get_zorder() > 0
    ]
    return boxes, [text.get_window_extent(renderer) for text in ax.texts], figure.bbox


@pytest.mark.parametrize(
    "plot, frame", [(fig1_4_model.plot_fig3, LIFE), (fig1_4_model.plot_fig4, STAGES)]
)
def test_no_text_touches_another_or_the_edge_of_a_box(plot, frame):
    boxes, texts, page = extents(plot(frame))
    for n, text in enumerate(texts):
        assert not any(text.overlaps(other) for other in texts[:n])
        inside = [
            box.x0 <= text.x0 and text.x1 <= box.x1 and box.y0 <= text.y0 and text.y1 <= box.y1
            for box in (*boxes, page)
        ]
        touched = [text.overlaps(box) for box in boxes]
        assert inside[-1] and touched == inside[:-1]


@pytest.mark.parametrize(
    "resource, plot", [("cores", fig1_4_model.plot_fig1), ("memory", fig1_4_model.plot_fig2)]
)
def test_blocks_are_as_large_as_what_the_jobs_hold(resource, plot):
    blocks = [
        path
        for collection in plot(SIX).axes[0].collections
        for path in collection.get_paths()
        if len(path.vertices) > 3
    ]
    boxes = np.array([[*path.vertices.min(axis=0), *path.vertices.max(axis=0)] for path in blocks])
    assert sorted(map(tuple, boxes[:, [0, 2]])) == sorted(
        zip(SIX["start"], SIX["finish"], strict=True)
    )
    assert np.ptp(boxes[:, [1, 3]], axis=1).tolist() == SIX[resource].tolist()
    for a, b in ((a, b) for n, b in enumerate(boxes) for a in boxes[:n]):
        assert (a[2:] <= b[:2]).any() or (b[2:] <= a[:2]).any()


def test_a_job_without_neighbouring_lanes_is_drawn_in_pieces():
    figure, ax = style.subplots()
    pictures.draw_blocks(ax, [0, 0, 0, 2], [2, 9, 2, 4], [1, 1, 1, 2], 3, ["C0"] * 4, "abcd")
    paths = [path for collection in ax.collections for path in collection.get_paths()]
    assert len(paths) == 5 and [path.vertices[:, 1].min() for path in paths[3:]] == [0, 2]
