"""The built website on a desk and on a phone: no formula, table or picture is cut, nothing is shown as it was typed, pages are light.

It needs no web, and its search finds.
"""

import re

import pytest

import lab
import rendering

BOOK = lab.BOOK
CHAPTERS = sorted(BOOK.glob("notebooks/[0-9]*.html"))
CHAPTERS += sorted(BOOK.glob("notebooks/solutions/[0-9]*.html"))
PAGES = list(CHAPTERS)
PAGES += sorted(BOOK.glob("notebooks/book/*.html"))
PAGES += sorted(BOOK.glob("figures/*.html"))
WIDTHS = {"desk": 1280, "phone": 390}
MOST_OF_A_PAGE, MOST_OF_THE_SITE = 4e6, 80e6  # bytes
PICTURE = re.compile(r'(?:src|href)="([^"#?]+\.(?:png|svg|jpg|js))[?"]')
pytestmark = lab.on_the_site((BOOK / "index.html").exists())


@pytest.fixture(scope="module", params=WIDTHS)
def page(request):
    """A page without the web, on which nothing is fetched and nobody complains."""
    fetched, wrong = [], []
    with lab.page(WIDTHS[request.param]) as made:
        made.on("request", lambda request: fetched.append(request.url))
        made.on("pageerror", lambda error: wrong.append(f"{made.url}: error: {error}"))
        made.on("console", lambda said: wrong.append(f"{made.url}: {said.type}: {said.text}"))
        yield made
    assert lab.from_the_web(fetched) == []
    assert not [line for line in wrong if " error: " in line and not lab.REMARKS.search(line)]


@pytest.mark.parametrize("file", PAGES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_nothing_is_cut_or_raw(page, file):
    assert rendering.found_on(page, file) == []


@pytest.mark.parametrize("file", CHAPTERS, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_a_chapter_is_light(file):
    text = file.read_text(encoding="utf-8")
    fetched = {(file.parent / name).resolve() for name in PICTURE.findall(text)}
    own = [each for each in fetched if each.is_file() and each.parent.name == "_images"]
    assert len(text) + sum(each.stat().st_size for each in own) <= MOST_OF_A_PAGE


def test_the_site_is_light():
    sizes = [file.stat().st_size for file in BOOK.rglob("*") if file.is_file()]
    assert sum(sizes) <= MOST_OF_THE_SITE


def test_search_finds_johnson_in_the_chapter_on_hmhs(page):
    page.goto(f"{(BOOK / 'search.html').resolve().as_uri()}?q=Johnson")
    page.locator("#search-results li a[href*='05-hmhs']").first.wait_for()


def test_the_cheat_sheet_is_two_pages(page):
    rendering.found_on(page, BOOK / "notebooks/book/cheat-sheet.html")
    sides = dict.fromkeys(("top", "bottom", "left", "right"), "12mm")
    printed = page.pdf(format="A4", margin=sides)
    assert len(re.findall(rb"/Type\s*/Page[^s]", printed)) == 2
