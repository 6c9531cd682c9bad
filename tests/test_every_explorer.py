"""Every explorer of the book: any setting has a picture of the declared height, nothing is clipped, failures are said."""

import contextlib
import html
import re
from xml.etree import ElementTree

import ipywidgets
import matplotlib as mpl
import numpy as np
import pytest

import schedlib
from book.explorers import Explorer, Question, hmhs, lotes
from book.explorers.recorded import kept, record, values
from explorer_moves import EXPLORERS, move
from schedlib.plots import style

MAY_REFUSE = {
    "04 dispatching": "must be a positive number",
    "06 filling": "uses nothing of resource",
    "08 player": "has none of these",
}
"""What an explorer may answer instead of a picture."""
AXES_FOLLOW = {
    "01 waiting line": ("servers",),
    "03 bins": ("cores_1", "cores_2", "memory_1", "memory_2"),
    "06 filling": ("preset", "text"),
    "10 seeds": ("metric",),
}
"""The controls that axes follow: one core's longest queue is not that of 32, and the smaller the jobs, the more of
them fit. All other axes stay whatever is moved, so that what changes is seen in its size."""


@pytest.fixture(scope="module", params=sorted(EXPLORERS))
def made(request):
    """An explorer as its chapter makes it, its name, and the last figure that it drew, whose axes are where they were."""
    with mpl.rc_context():
        found = EXPLORERS[request.param]()
    figures, draw = [], found.draw
    ends = {}

    def drawn(**setting):
        figure, alt = draw(**setting)
        figures[:] = [figure]
        followed = tuple(setting[control] for control in AXES_FOLLOW.get(request.param, ()))
        limits = [(*ax.get_xlim(), *ax.get_ylim()) for ax in figure.axes]
        assert ends.setdefault(followed, limits) == limits, setting
        return figure, alt

    found.draw = drawn
    return found, request.param, figures


def check(found, name, figures):
    """Assert that the page shows the whole picture; of a failure, pytest shows what is printed."""
    print(found.values())
    page = found.picture.value
    assert found.picture.layout.height == f"{found.height + 10}px"
    if 'role="alert"' in page:
        assert name in MAY_REFUSE and MAY_REFUSE[name] in html.unescape(page), page
        return
    alt = re.match(r'<img alt="([^"]+)"', page)[1]
    assert html.unescape(alt) == found.alt and not re.search(r"\bnan\b|\binf\b|None", alt)
    tree = ElementTree.fromstring(found.shown.picture)
    assert float(tree.get("height")) <= found.height and float(tree.get("width")) <= 1000
    if name == "08 player":  # its picture for a page where no code runs is drawn in another way
        found.draw(**found.values())
    (figure,) = figures
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert box.x0 > -0.02 and box.y0 > -0.02 and box.x1 < width + 0.02 and box.y1 < height + 0.02, (
        f"{box} in {width} by {height}"
    )


def test_axes_stay_while_a_control_moves(made):
    found, explorer, _ = made
    refused = [ValueError] if explorer in MAY_REFUSE else []
    for name, control in found.controls.items():
        positions = list(kept(found, name) or values(control))
        for value in (*positions[:: 1 + len(positions) // 10], positions[-1]):
            with contextlib.suppress(*refused):
                found.draw(**found.values() | {name: value})


@pytest.mark.filterwarnings("error")
def test_any_setting_has_a_whole_picture(made):
    found, name, figures = made
    rng = np.random.default_rng(len(name))
    for _ in range(3):
        figures.clear()
        move(found, rng)
        if figures or 'role="alert"' in found.picture.value or name == "08 player":
            check(*made)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("place", (0, -1))
def test_the_ends_of_all_controls_have_a_whole_picture(made, place):
    found, _, figures = made
    for name in dict.fromkeys([*found.on_change, *found.controls]):
        found.controls[name].value = list(values(found.controls[name]))[place]
    if figures:
        check(*made)


def small_picture(**setting):
    return style.subplots(size=(2, 2))[0], str(setting)


def _fails(at):
    if at == 1:
        raise KeyError("<gone>")
    if at == 2:
        raise ValueError("at: <2> is too much")
    return small_picture(at=at)


def test_a_move_that_fails_says_why_and_how_to_see_where_and_the_next_one_draws():
    found = Explorer(_fails, {"at": ipywidgets.IntSlider(0)})
    found.controls["at"].value = 1
    said = html.unescape(found.picture.value)
    assert said.startswith('<p role="alert">') and "<img" not in said
    assert "KeyError: '<gone>'" in said and "name.draw(at=1)" in said
    found.controls["at"].value = 2
    assert html.unescape(found.picture.value) == '<p role="alert">at: <2> is too much</p>'
    found.controls["at"].value = 3
    assert found.picture.value.startswith("<img")


def test_controls_settle_before_the_one_picture_of_a_move():
    a, b, seen = ipywidgets.IntSlider(0), ipywidgets.IntSlider(0), []

    def draw(**setting):
        seen.append(setting)
        return small_picture(**setting)

    Explorer(draw, {"a": a, "b": b}, on_change={"a": lambda: b.set_trait("value", 2 * a.value)})
    a.value, b.value = 5, 3
    assert seen == [{"a": 0, "b": 0}, {"a": 5, "b": 10}, {"a": 5, "b": 3}]


def test_the_longest_queue_of_the_sliders_of_chapter_4_is_on_the_axis():
    settings = ((97, 6, "common", 0), (98, 15, "common", 5))
    ends = {lotes.draw_dispatch(*setting)[0].axes[3].get_ylim() for setting in settings}
    assert len(ends) == 1


def test_the_number_of_hmhss_question_is_the_makespan_over_the_bound():
    batch = schedlib.hmhs.single(20, 1, machines=(8, 8), slow=1.0)
    number = hmhs.explorer().question.number
    for policy in hmhs.POLICIES:
        ratio = number(policy=policy, jobs=20, slow=100, seed=1)
        seconds = ratio * schedlib.hmhs.lower_bound(batch)
        assert seconds == pytest.approx(schedlib.hmhs.schedule(batch, policy).makespan)


def test_a_guess_is_told_beside_the_number_of_the_setting_that_is_asked_about():
    question = Question("How many?", {"a": 7}, lambda a, b: 10 * a + b, (0, 100, 5), "jobs")
    controls = {"a": ipywidgets.IntSlider(0), "b": ipywidgets.IntSlider(3)}
    found = Explorer(small_picture, controls, question=question)
    guess, row = found.children[0].children[1:]
    show, said = row.children
    guess.value = 40
    assert not said.value and found.values() == {"a": 0, "b": 3}
    show.click()
    assert found.values() == {"a": 7, "b": 3} and found.alt == "{'a': 7, 'b': 3}"
    assert said.value == '<p role="status">You said 40. It is 73 jobs.</p>'


def test_a_question_about_a_setting_that_the_site_does_not_have_is_refused():
    controls = {"a": ipywidgets.IntSlider(0)}
    question = Question("How many?", {"a": 7}, lambda a: a, (0, 9, 1), "jobs")
    found = Explorer(small_picture, controls, page={"a": (0, 1)}, question=question)
    with pytest.raises(ValueError, match="a is 7"):
        record(found)


def test_a_question_has_its_answer_within_the_ends_of_the_guess(made):
    found, _, _ = made
    if found.question:
        low, high, _ = found.question.ends
        assert low < float(found.answer().split()[0]) < high
