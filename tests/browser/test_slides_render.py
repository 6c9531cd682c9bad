"""Every slide at 1,280 by 720: nothing is larger than the screen, no text smaller than 20 px, nothing comes from the web."""

import pytest

import lab
import screen

MOST_WORDS = 180  # of a slide, with those of its table or box: what fits at 20 px and can be read in a minute
pytestmark = lab.on_the_site(bool(screen.LECTURES), "make slides")


@pytest.fixture(scope="module")
def page():
    with lab.page(height=720) as found:
        yield found


@pytest.mark.parametrize("file", screen.LECTURES, ids=lambda file: file.stem)
def test_every_slide_can_be_read_from_the_last_row(page, file):
    fetched = []
    page.on("request", lambda request: fetched.append(request.url))
    found = screen.measured(page, file)
    assert lab.from_the_web(fetched) == []
    assert [slide for slide in found if slide["smallest"] < 20] == []
    assert [slide for slide in found if slide["words"] > MOST_WORDS] == []
    assert [slide for slide in found if max(slide["over"]) > 2] == []
