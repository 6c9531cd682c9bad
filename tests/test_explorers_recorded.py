"""The website's record of an explorer has for every setting the picture and words that Python draws."""

import itertools

import ipywidgets
import pytest

from book.explorers import Explorer, recorded, slider
from schedlib.plots import style


def draw(up=1, kind="plain", height=2):
    if height > up + 1:
        raise ValueError("height: too high")
    figure, ax = style.subplots(size=(2, 2))
    ax.plot([0, up], [0, height], label=kind)
    return figure, f"{kind}: {up} to the right, {height} up"


@pytest.fixture
def explorer():
    """An explorer with a slider that is shorter for one choice of the menu, and a box that only JupyterLab has."""
    controls = {"kind": ipywidgets.Dropdown(options=["plain", "tall"], description="kind"), "up": slider(1, 1, 3, text="right"),
                "height": slider(2, 2, 4, text="height"), "note": ipywidgets.Text("", description="note")}  # fmt: skip

    def shorten():
        controls["up"].max = 3 if controls["kind"].value == "plain" else 2

    return Explorer(
        lambda note, **setting: draw(**setting),
        controls,
        200,
        {"kind": shorten},
        {"up": (1, 3, 2), "note": ()},
    )


def leaves(tree, path=()):
    """The frames' numbers, by setting."""
    if isinstance(tree, int):
        return {path: tree}
    found = {}
    for label, _, below in zip(*tree, strict=True):
        found |= leaves(below, (*path, label))
    return found


def test_every_setting_of_the_page_has_the_frame_that_python_draws(explorer):
    record = recorded.record(explorer)
    settings = leaves(record["tree"])
    plain = set(itertools.product(["plain"], "123", "234"))
    assert set(settings) == plain | set(itertools.product(["tall"], "12", "234"))
    for (kind, up, height), number in settings.items():
        words, *numbers = record["frames"][number]
        picture = "".join(record["parts"][part] for part in numbers)
        assert (picture, words) == explorer.frame(
            kind=kind, up=int(up), height=int(height), note=""
        )
        assert bool(picture) == (int(height) <= int(up) + 1)


def test_the_record_begins_where_the_explorer_does_and_leaves_it_there(explorer):
    before, shown = explorer.values(), explorer.picture.value
    record = recorded.record(explorer)
    assert explorer.values() == before and explorer.picture.value == shown
    node = record["tree"]
    for at in record["start"]:
        node = node[2][at]
    assert record["frames"][node][0] == "plain: 1 to the right, 2 up"
    assert record["note"].endswith("to set: note.")
