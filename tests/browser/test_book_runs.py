"""A box of the site is changed and run in the page, from a local address as `make site` serves it."""

import functools
import http.server
import itertools
import threading
import time

import pytest

import lab
from book import running

PAGE = "notebooks/05-hmhs.html"
pytestmark = lab.on_the_site((lab.BOOK / "_static/boxes.js").exists())


@pytest.fixture(scope="module")
def site():
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=lab.BOOK)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def page(site):
    with lab.browser(viewport={"width": 1280, "height": 900}) as browser:
        shown = browser.new_page()
        fetched = []
        shown.on("request", lambda request: fetched.append(request.url))
        shown.goto(f"{site}/{PAGE}")
        assert not [url for url in fetched if "pyodide" in url]  # nothing before the first Run
        bar = shown.locator(".has-run:has-text('def johnson') + .run-bar")
        bar.get_by_role("button", name="Edit and run").click()
        yield shown
        assert all(url.startswith((site, "blob:", "data:")) for url in fetched)


def press(page, name):
    """What stands below the box after a button is pressed and Python has answered."""
    page.get_by_role("button", name=name, exact=True).click()
    said = page.locator(".run-box pre")
    page.wait_for_function(
        "!/^(running|loading)/.test(document.querySelector('.run-box pre').textContent)",
        timeout=90_000,
    )
    return said.inner_text().strip()


def test_edit_run_check_error_and_second_run(page):
    source = page.locator(".run-box textarea").first
    printed = source.input_value()
    assert press(page, "Run") == "[1, 3, 0, 2, 4]\n18"
    assert press(page, "Check").startswith("Right")
    source.fill(printed.replace("L1 + L2", "L2 + L1"))
    assert press(page, "Run").startswith("[2, 4, 1, 3, 0]\n")
    assert press(page, "Check").startswith("Not yet")
    source.fill(printed.replace("L1 + L2", "L1 + 1"))
    assert "box, line 12" in press(page, "Run")
    press(page, "Reset")
    assert source.input_value() == printed
    assert lab.barriers(page) == []


def test_an_endless_loop_is_stopped(page):
    source = page.locator(".run-box textarea").first
    printed = source.input_value()
    press(page, "Run")
    source.fill(f"{printed}\nwhile True:\n    pass")
    page.get_by_role("button", name="Run", exact=True).click()
    time.sleep(0.5)
    assert press(page, "Stop").startswith("stopped")
    source.fill(printed)
    assert press(page, "Run") == "[1, 3, 0, 2, 4]\n18"


def test_own_numbers_are_drawn_and_a_link_keeps_them(page):
    page.get_by_role("button", name="Try your own numbers").first.click()  # of the box before
    frame = page.locator(".run-box:has(.chart)").first
    order, come = frame.locator("input").nth(0), frame.locator("input").nth(1)
    order.fill("[2, 1, 0]")
    come.fill("[0, 0, 0]")
    come.press("Enter")
    bars = frame.locator("rect")
    bars.first.wait_for(timeout=90_000)
    assert bars.count() == 5 and frame.locator("pre").inner_text().strip() == "11.0"  # by hand
    alone = frame.locator("svg").bounding_box()["width"]
    assert alone <= frame.bounding_box()["width"]
    page.reload()
    again = page.locator(".run-box:has(.chart)").first
    assert again.locator("input").nth(0).input_value() == "[2, 1, 0]"
    assert lab.barriers(page, context=".run-box") == []


def test_a_damaged_link_and_work_without_length_leave_the_page_whole(page):
    page.goto(f"{page.url}#05.fifo={{5")
    page.reload()
    page.get_by_role("button", name="Try your own numbers").first.click()
    frame = page.locator(".run-box:has(.chart)").first
    frame.locator("input").nth(1).fill("[0, 0, 0]")
    frame.locator("input").nth(3).fill("[[0], [0], [0]]")
    assert press(page, "Run") == "0.0"
    assert frame.locator("svg").count() == 0


def test_a_page_that_is_a_file_says_how():
    with lab.page() as shown:
        shown.goto((lab.BOOK / PAGE).as_uri())
        assert "make site" in shown.locator(".run-bar").first.inner_text()


@pytest.mark.parametrize("width", (1280, 390))
def test_a_box_is_stepped_through_by_keyboard_also_as_a_file(width):
    steps = next(box for box in running.boxes() if box.name == "05.johnson").steps
    with lab.page(width) as shown:
        shown.goto((lab.BOOK / PAGE).as_uri())
        bar = shown.locator(".has-run:has-text('def johnson') + .run-bar")
        bar.get_by_role("button", name="Step through").press("Enter")
        lit = shown.locator(".line.next")
        for number, step in enumerate(steps, 1):
            said = shown.locator(".steps [role=status]").text_content()
            assert said.startswith(f"Step {number} of {len(steps)}, line {step.line + 1}:")
            assert said.endswith(f": {lit.text_content().strip()}")
            cells = shown.locator(".steps :is(th, td)").all_text_contents()
            assert cells == list(itertools.chain(*step.variables.items()))
            shown.keyboard.press("Enter")
        assert lab.barriers(shown) == []
