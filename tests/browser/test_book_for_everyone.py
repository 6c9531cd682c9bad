"""Readers who see, hear or move differently: axe-core finds no barrier on the site; no slide is larger than the screen."""

import pytest

import lab
from schedlib import paths

BUILD = paths.checkout() / "build"
PAGES = sorted((BUILD / "book").glob("notebooks/[0-9]*.html"))
PAGES += [BUILD / "book" / f"{name}.html" for name in ("notebooks/book/index", "notebooks/book/references", "notebooks/book/api/lotes", "figures/README",
          "figures/CLAIMS", "notebooks/solutions/01-waiting", "search", "genindex", "_modules/schedlib/theory")]  # fmt: skip
LECTURES = sorted((BUILD / "slides").glob("*.html"))
TOO_LARGE = """() => [...Array(Reveal.getTotalSlides()).keys()].filter(i => { Reveal.slide(i); const s = Reveal.getCurrentSlide();
  return s.scrollHeight > 722 || s.scrollWidth > 1282 }).map(i => i + 1)"""
pytestmark = lab.on_the_site(bool(LECTURES) and PAGES[0].exists(), "make book slides")


@pytest.fixture(scope="module")
def page():
    with lab.browser(viewport={"width": 1280, "height": 720}, offline=True) as browser:
        yield browser.new_page()


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.stem)
def test_a_page_has_no_barrier(page, file):
    page.goto(file.as_uri())
    page.evaluate("async () => { await window.MathJax?.startup?.promise }")
    assert lab.barriers(page) == []


@pytest.mark.parametrize("file", LECTURES, ids=lambda file: file.stem)
def test_every_slide_fits_the_screen(page, file):
    fetched = []
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(file.as_uri())
    page.wait_for_function("window.Reveal?.isReady()")
    page.evaluate("async () => { await MathJax.startup.promise }")
    assert page.evaluate(TOO_LARGE) == []
    assert lab.from_the_web(fetched) == []
