"""Readers who see, hear or move differently: axe-core finds no barrier on the site."""

import pytest

import lab
from schedlib import paths

BUILD = paths.checkout() / "build"
PAGES = sorted((BUILD / "book").glob("notebooks/[0-9]*.html"))
PAGES += [BUILD / "book" / f"{name}.html" for name in ("notebooks/book/index", "notebooks/book/references", "notebooks/book/api/lotes", "figures/README",
          "figures/CLAIMS", "notebooks/solutions/01-waiting", "search", "genindex", "_modules/schedlib/theory")]  # fmt: skip
SIZE = (1280, 720)
pytestmark = lab.on_the_site(bool(PAGES) and PAGES[0].exists())


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.stem)
def test_a_page_has_no_barrier(page, file):
    page.goto(file.as_uri())
    page.evaluate("async () => { await window.MathJax?.startup?.promise }")
    assert lab.barriers(page) == []
