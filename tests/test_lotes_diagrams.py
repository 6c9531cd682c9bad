"""The drawn figures of LoTES: nothing overlaps, and the numbers in them obey the model's rules."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import FancyBboxPatch

from exhibits.lotes import fig1_4_model
from schedlib import lotes
from schedlib.pictures import bins as pictures
from schedlib.pictures import style
from schedlib.pictures.diagrams import Arrow, Box, plot_diagram

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


def test_an_arrow_needs_its_boxes():
    with pytest.raises(ValueError, match="no box is called 'c'; there are a"):
        plot_diagram({"a": Box(0, 0, "A")}, [Arrow("a", "c")])


def test_six_jobs_hold_what_is_there_and_wait_for_one_resource_each():
    for now in np.unique([SIX["start"], SIX["finish"]]):
        running = SIX[(SIX["start"] <= now) & (now < SIX["finish"])]
        assert running["cores"].sum() <= 4 and running["memory"].sum() <= 8
    lacking = {}
    for _, job in SIX[SIX["start"] > SIX["submit"]].iterrows():
        before = SIX[(SIX["start"] < job["start"]) & (SIX["finish"] >= job["start"])]
        lacking[job["job"]] = [
            name
            for name, there in (("cores", 4), ("memory", 8))
            if before[name].sum() + job[name] > there
        ]
    assert lacking == {4: ["cores"], 5: ["memory"]}


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


def test_as_many_jobs_leave_as_came():
    came, went = LIFE.groupby("target")["jobs"].sum(), LIFE.groupby("source")["jobs"].sum()
    assert came["queue"] == went["queue"] > 0 and came["machine"] == went["machine"]
    assert went["outside"] == came["left"]


def test_rates_fall_from_stage_to_stage():
    value = STAGES.set_index("quantity")["value"]
    assert value["rate of stage 1"] > value["rate of stage 2"] > value["rate after rounding"]
    allocation = lotes.allocate(*lotes.google2011())
    assert value["pairs with delta > 0"] == (allocation.delta > 0).any(axis=2).sum()
    assert value["bins in use"] <= value["bins"] and value["machines"] == 12_583
