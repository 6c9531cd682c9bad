"""Every slide at 1,280 by 720: nothing is larger than the screen, no text smaller than 20 px, nothing comes from the web."""

import pytest

import lab
from schedlib import paths

LECTURES = sorted((paths.checkout() / "build/slides").glob("*.html"))
SIZE = (1280, 720)
MOST_WORDS = 180  # of a slide, with those of its table or box: what fits at 20 px and can be read in a minute
MEASURED = """() => [...Array(Reveal.getTotalSlides()).keys()].map(number => {
  Reveal.slide(number);
  const slide = Reveal.getCurrentSlide(), sizes = [];
  let words = '';
  const walk = document.createTreeWalker(slide, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement, text = walk.currentNode.data;
    if (element.closest('.notes, mjx-container, style, script')) continue;
    words += text;
    if (text.trim()) sizes.push(parseFloat(getComputedStyle(element).fontSize));
  }
  for (const formula of slide.querySelectorAll('mjx-container')) sizes.push(parseFloat(getComputedStyle(formula).fontSize));
  return {number: number + 1, title: slide.querySelector('h1, h2').innerText, smallest: Math.min(...sizes) * Reveal.getScale(),
          words: words.trim().split(/\\s+/).length, over: [slide.scrollWidth - 1280, slide.scrollHeight - 720]};
})"""
pytestmark = lab.on_the_site(bool(LECTURES), "make slides")


def measured(page, file):
    """For each slide its number, title, smallest text in pixels, words, and how far it is too broad and too high."""
    page.goto(file.as_uri())
    page.wait_for_function("window.Reveal?.isReady()")
    page.evaluate("async () => { await MathJax.startup.promise }")
    return page.evaluate(MEASURED)


@pytest.mark.parametrize("file", LECTURES, ids=lambda file: file.stem)
def test_every_slide_can_be_read_from_the_last_row(page, file):
    fetched = []
    page.on("request", lambda request: fetched.append(request.url))
    found = measured(page, file)
    assert lab.from_the_web(fetched) == []
    assert [slide for slide in found if slide["smallest"] < 20] == []
    assert [slide for slide in found if slide["words"] > MOST_WORDS] == []
    assert [slide for slide in found if max(slide["over"]) > 2] == []
