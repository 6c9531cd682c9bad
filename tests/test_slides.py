"""The lectures: slides are what their authors set, and keep the rules of tests/decks.py."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import decks
from book import slides

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
BOX = "```python\none = 1\ntwo = 2\nthree = 3\nfour = 4\n```"


def figure(alt):
    data = {"image/png": PNG, "text/plain": "A figure"}
    return new_output("display_data", data, metadata={"image/png": {"alt": alt}})


def on_slides(*said):
    return {"slideshow": {"slide_type": "slide", "slides": list(said)}}


def seen(deck):
    return [(cell.source, decks.kind(cell)) for cell in deck.cells]


def test_a_slide_has_its_chapters_formulas_or_a_text_of_its_own():
    said = [
        {"title": "Waits", "points": ["They grow."]},
        {"title": "Why", "points": ["See $x$."]},
        {"title": "Data", "text": "| a |", "points": ["Add."]},
        {"title": "Little"},
    ]
    cell = new_markdown_cell("Waits\n\n$$W = 1$$\n\nand\n\n$$L = 2$$", metadata=on_slides(*said))
    (deck,) = slides.lectures(new_notebook(cells=[cell]))
    assert [source for source, kind in seen(deck) if kind == "-"] == [
        "$$W = 1$$", "- They grow.", "- See $x$.", "| a |", "- Add.", "$$L = 2$$",
    ]  # fmt: skip


def test_slides_are_what_the_author_set():
    said = {"title": "It waits", "points": ["Look.", "Left."], "notes": "Ask.", "show": [1]}
    cells = [
        new_markdown_cell("# Waits\n\nLong.", metadata=on_slides({"title": "Waits"})),
        new_markdown_cell("A paragraph with a [link](a.ipynb)."),
        new_code_cell("draw()", outputs=[figure("one"), figure("two")], metadata=on_slides(said)),
        new_code_cell("more()", outputs=[figure("three")]),
    ]
    (deck,) = slides.lectures(new_notebook(cells=cells))
    assert seen(deck) == [
        ("# Waits", "slide"), ("Waits\n\nLong.", "notes"), ("A paragraph with a link.", "notes"),
        ("## It waits", "slide"), ("- Look.\n- Left.", "-"), ("draw()", "-"), ("Ask.", "notes"),
    ]  # fmt: skip
    assert [shown.metadata["image/png"]["alttext"] for shown in deck.cells[5].outputs] == ["two"]


def test_a_second_lecture_is_a_deck_of_its_own():
    said = [{"title": "One"}, {"title": "Two"}, {"title": "Three", "lecture": 2}, {"title": "Four"}]
    cells = [new_markdown_cell("Words.", metadata=on_slides(slide)) for slide in said]
    first, second = slides.lectures(new_notebook(cells=cells))
    assert [source for source, kind in seen(first) if kind == "slide"] == ["# One", "## Two"]
    assert [source for source, kind in seen(second) if kind == "slide"] == ["# Three", "## Four"]


def test_a_box_shows_its_part_with_the_lines_that_matter_lit():
    outputs = [new_output("display_data", {"text/markdown": BOX}), figure("one")]
    cell = new_code_cell("a = 1\nb = 2", outputs=outputs)
    drawn = slides.shown(cell, {"title": "", "part": [2, 3], "lit": [3]}).outputs
    box = drawn[0].data["text/html"]
    assert "two" in box and "three" in box and "one" not in box and "four" not in box
    lit = box.partition('class="hll"')[2].partition("\n")[0]
    assert "three" in lit and "two" not in lit
    assert len(drawn) == 2
    assert slides.sources(cell, [], {"code": True}) == ["a = 1\nb = 2"]


@pytest.mark.parametrize("name", decks.CHAPTERS)
def test_a_lecture_keeps_the_rules(name):
    found = decks.faults(name)
    assert found == [], "\n".join(found)
