"""The built website in a phone's width: it fits, it needs no web, its formulas are set, and its search finds."""

import pytest

import lab

WIDTH = 390
BOOK = lab.BOOK
pytestmark = lab.ON_THE_BOOK


@pytest.fixture
def phone():
    """A page without the web that keeps what was fetched and what the pages complained of."""
    fetched, broken = [], []
    with lab.browser(viewport={"width": WIDTH, "height": 844}, offline=True) as browser:
        page = browser.new_page()
        page.on("request", lambda request: fetched.append(request.url))
        page.on("pageerror", lambda error: broken.append(f"{page.url}: {error}"))
        page.on(
            "console",
            lambda message: (
                broken.append(f"{page.url}: {message.text}") if message.type == "error" else None
            ),
        )
        yield page
    assert not [url for url in fetched if not url.startswith(("file:", "data:", "blob:"))]
    assert not [line for line in broken if not lab.REMARKS.search(line)]


def test_every_page_fits_with_pictures_and_formulas(phone):
    for file in [
        *BOOK.glob("notebooks/*.html"),
        *BOOK.glob("figures/*.html"),
        BOOK / "notebooks" / "book" / "index.html",
        BOOK / "notebooks" / "book" / "api" / "lotes.html",
    ]:
        phone.goto(file.resolve().as_uri())
        phone.wait_for_function(
            "window.MathJax === undefined || MathJax.startup?.promise !== undefined"
        )
        phone.evaluate("async () => { if (window.MathJax) await MathJax.startup.promise }")
        phone.evaluate(
            "async () => { for (const i of document.images) { i.loading = 'eager'; await i.decode().catch(() => 0) } }"
        )
        assert phone.evaluate("document.scrollingElement.scrollWidth") <= WIDTH, file.name
        assert (
            phone.evaluate("[...document.images].filter(i => !i.naturalWidth).map(i => i.src)")
            == []
        ), file.name
        assert phone.evaluate("document.querySelectorAll('mjx-merror').length") == 0, file.name


def test_search_finds_johnson_in_the_chapter_on_hmhs(phone):
    phone.goto(f"{(BOOK / 'search.html').resolve().as_uri()}?q=Johnson")
    phone.locator("#search-results li a[href*='05-hmhs']").first.wait_for()
