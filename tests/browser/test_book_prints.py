"""The site's pages on paper: nothing is cut at the width of a printed page."""

import pytest

import lab

PAGES = sorted(lab.BOOK.glob("notebooks/[0-9]*.html"))
PAGES += [lab.BOOK / f"notebooks/book/{name}.html" for name in ("cheat-sheet", "glossary")]
SIZE = (673, 980)  # px of A4 between its margins
CUT = """() => [...document.querySelectorAll('article :is(pre, table, img, mjx-container)')]
  .filter(part => part.getClientRects().length && part.getBoundingClientRect().right > innerWidth + 1)
  .map(part => part.textContent.trim().slice(0, 60) || part.src)"""
pytestmark = lab.on_the_site(PAGES[0].exists())


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.stem)
def test_nothing_is_cut_on_paper(page, file):
    page.emulate_media(media="print")
    page.goto(file.as_uri())
    page.evaluate("async () => { await window.MathJax?.startup?.promise }")
    assert page.evaluate(CUT) == []
    assert page.locator(".run-bar:visible, .bd-header-article:visible").count() == 0
