"""Lectures as a class sees them, at 1,280 by 720: `PYTHONPATH=.:notebooks:tests python tests/browser/screen.py`
prints a line for each lecture of build/slides, and the slides that are too large or too small.
"""

import lab
from schedlib import paths

LECTURES = sorted((paths.checkout() / "build/slides").glob("*.html"))
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


def measured(page, file):
    """For each slide its number, title, smallest text in pixels, words, and how far it is too broad and too high."""
    page.goto(file.as_uri())
    page.wait_for_function("window.Reveal?.isReady()")
    page.evaluate("async () => { await MathJax.startup.promise }")
    return page.evaluate(MEASURED)


if __name__ == "__main__":
    with lab.page(height=720) as page:
        for file in LECTURES:
            found = measured(page, file)
            smallest = min(slide["smallest"] for slide in found)
            words = max(slide["words"] for slide in found)
            print(
                f"{file.stem}: {len(found)} slides, smallest text {smallest:.1f} px, at most {words} words"
            )
            for slide in found:
                if slide["smallest"] < 20 or max(slide["over"]) > 2:
                    print("  ", slide)
