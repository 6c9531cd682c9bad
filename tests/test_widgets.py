"""Explorers follow their controls, keep their height, and carry a picture where no code runs."""

import base64

import ipywidgets

from schedlib.pictures import style
from schedlib.teaching.explorers import Explorer
from schedlib.teaching.explorers import hmhs as hmhs_explorer

PNG = b"\x89PNG\r\n"


def line(up=True):
    figure, ax = style.subplots(size=(2, 2))
    ax.plot([0, 1], [0, 1] if up else [1, 0])
    return figure, "a line that rises" if up else "a line that falls"


def test_a_static_page_gets_the_first_picture_beside_the_live_view():
    bundle, _ = Explorer(line, {"up": ipywidgets.Checkbox(True)})._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert base64.b64decode(bundle["image/png"]).startswith(PNG)


def test_hmhs_explorer_keeps_one_time_axis_for_all_policies():
    ends = {
        hmhs_explorer.draw(10, 25, policy, 2)[0].axes[0].get_xlim()
        for policy in hmhs_explorer.POLICIES
    }
    assert len(ends) == 1
