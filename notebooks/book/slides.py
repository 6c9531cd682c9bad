"""`make slides`: the chapters as lectures, by nbconvert and reveal.js.

A cell's metadata say what its slides show, as an author set it: `{"slideshow": {"slide_type": "slide", "slides": [...]}}`. A slide has
`title`      its heading
`text`       Markdown under it, set large: a formula, a table, the data that the class needs
`points`     two or three sentences below the text, or beside the cell's pictures
`question`   true where it asks; then it has no points, and the next slide has the answer
`show`       numbers of the cell's outputs that it shows, all without it
`code`       true where it shows the cell's code, too
`part`       [first, last]: the lines of the code or the algorithm box that it shows, all without it
`lit`        those of the lines that matter
`lecture`    2 where the chapter's second lecture begins
`notes`      for the lecturer; the chapter's own words are notes, too
"""

import base64
import re
import shutil
import struct
import sys
from pathlib import Path

import nbformat
from nbconvert import SlidesExporter
from nbformat.v4 import new_markdown_cell, new_notebook, new_output
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from schedlib import paths

ROOT = paths.checkout() or Path()
OWN = ROOT / "notebooks" / "book"
BROAD = 1.9  # a picture with a larger ratio of width to height is broad
FORMULA = re.compile(r"\$\$.+?\$\$", re.DOTALL)
TABLE = re.compile(r"(?:^\|.*\|\n?){3,}", re.M)
KEYS = {"title", "text", "points", "question", "show", "code", "part", "lit", "lecture", "notes"}


def words(source: str, kind: str, *tags: str):
    """A Markdown cell of a slide; links are their words, as a slide stands alone."""
    plain = re.sub(
        r"(?<!!)\[([^\]]*)\]\((?!https?:)[^)]*\)|<cite[^>]*>(.*?)</cite>", r"\1\2", source
    )
    metadata = {"slideshow": {"slide_type": kind}, "tags": list(tags)}
    return new_markdown_cell(plain, metadata=metadata)


def slides_of(cell) -> list[dict]:
    """What an author set for the slides of a cell."""
    return cell.metadata.get("slideshow", {}).get("slides", [])


def shown(cell, slide):
    """A cell with the outputs that this slide shows, and before them its code if the slide asks for it."""
    outputs = [output for output in cell.outputs if not is_caption(output)]
    if "show" in slide:
        outputs = [outputs[k] for k in slide["show"]]
    boxed = [box(source, slide) for source in sources(cell, outputs, slide)]
    rest = [on_a_slide(output) for output in outputs if not is_listing(output)]
    narrow = sum(map(is_narrow, rest))
    pictures = sum("image/png" in output.get("data", {}) for output in rest)
    tags = []
    if boxed or len(rest) > 1 or narrow < len(rest):
        tags.append("broad")
    if pictures > 1:
        tags.append("beside" if narrow == pictures else "stacked")
    metadata = {"slideshow": {"slide_type": "-"}, "tags": tags}
    return nbformat.from_dict(cell | {"outputs": boxed + rest, "metadata": metadata})


def sources(cell, outputs, slide) -> list[str]:
    """The Python text in the boxes of a slide: the cell's own code, then its algorithm boxes."""
    code = [cell.source] if slide.get("code") else []
    listings = [markdown(output) for output in outputs if is_listing(output)]
    fence = len("```python\n")
    return code + [listing[fence:].removesuffix("\n```") for listing in listings]


def box(source: str, slide):
    """An output with the part of a Python text that the slide shows, the lines that matter lit."""
    lines = source.splitlines()
    first, last = slide.get("part", (1, len(lines)))
    lit = [line - first + 1 for line in slide.get("lit", [])]
    html = highlight(
        "\n".join(lines[first - 1 : last]), PythonLexer(stripnl=False), HtmlFormatter(hl_lines=lit)
    )
    return new_output("display_data", {"text/html": html})


def on_a_slide(output):
    """An output as nbconvert takes it: of a picture the PNG alone, its alt text under nbconvert's name."""
    if "image/png" not in output.get("data", {}):
        return output
    words = output.metadata.get("image/png", {}).get("alt", "A picture that the code draws.")
    data = {"image/png": output.data["image/png"]}
    metadata = {"image/png": {"alttext": " ".join(words.split())}}
    return nbformat.from_dict(output | {"data": data, "metadata": metadata})


def markdown(output) -> str:
    """The Markdown of an output, "" without any."""
    return output.get("data", {}).get("text/markdown", "")


def is_caption(output) -> bool:
    """Whether an output is a caption, which a slide's points replace."""
    return markdown(output).startswith("*")


def is_listing(output) -> bool:
    """Whether an output is an algorithm box, made by `book.show`."""
    return markdown(output).startswith("```python")


def is_narrow(output) -> bool:
    """Whether an output is a picture that has room beside the words of its slide; all else stands below them."""
    if "image/png" not in output.get("data", {}):
        return False
    size = base64.b64decode(output.data["image/png"])[16:24]
    width, height = struct.unpack(">II", size)
    return width <= BROAD * height


def formulas_and_tables(cell) -> list[str]:
    """The formulas and tables of a Markdown cell, which its slides of words alone show in turn."""
    if cell.cell_type != "markdown":
        return []
    matches = [*FORMULA.finditer(cell.source), *TABLE.finditer(cell.source)]
    return [match[0] for match in sorted(matches, key=lambda match: match.start())]


def lectures(chapter) -> list:
    """The chapter's slides, a notebook for each lecture."""
    decks: list[list] = [[]]
    for cell in chapter.cells:
        beside = formulas_and_tables(cell)
        for slide in slides_of(cell):
            if slide.get("lecture", 1) > len(decks):
                decks.append([])
            deck = decks[-1]
            asks = ["question"] if slide.get("question") else []
            deck.append(words(f"{'##' if deck else '#'} {slide['title']}", "slide", *asks))
            deck += body(cell, slide, beside)
        if cell.cell_type == "markdown" and decks[-1]:
            own = re.sub(r"^#+ ", "", cell.source, flags=re.MULTILINE)
            decks[-1].append(words(own, "notes"))
    for deck in decks:
        for number, cell in enumerate(deck):
            cell.id = f"c{number:03}"  # several slides may show a cell
    return [new_notebook(cells=deck, metadata=chapter.metadata) for deck in decks]


def body(cell, slide, beside: list[str]) -> list:
    """The cells of a slide below its title; without a text of its own it takes the next of the chapter's formulas and tables."""
    points = slide.get("points", [])
    text = slide.get("text", "")
    if beside and not text and "$" not in "".join(points):
        text = beside.pop(0)
    said = "\n".join(f"- {point}" for point in points)
    cells = [words(part, "-", tag) for part, tag in ((text, "text"), (said, "points")) if part]
    if cell.cell_type == "code":
        cells.append(shown(cell, slide))
    if "notes" in slide:
        cells.append(words(slide["notes"], "notes"))
    return cells


def write(out: Path) -> None:
    """Write a lecture for each chapter, and an index."""
    shutil.rmtree(out, ignore_errors=True)
    libraries = next(ROOT.glob(".venv-book/lib/python*/site-packages"))
    mathjax = libraries / "sphinx-mathjax-offline/static/mathjax"
    fonts = "output/chtml/fonts"
    shutil.copytree(libraries / "sphinx_revealjs/_static/revealjs", out / "reveal")
    shutil.copytree(mathjax / fonts, out / "mathjax" / fonts)
    shutil.copy(mathjax / "tex-chtml.js", out / "mathjax")
    shutil.copy(OWN / "lecture/lecture.css", out)
    exporter = SlidesExporter(
        template_name="lecture",
        extra_template_basedirs=[str(OWN)],
        exclude_anchor_links=True,
        exclude_input=True,
        exclude_output_prompt=True,
    )

    def export(deck, title, name):
        page, _ = exporter.from_notebook_node(deck, {"title": title})
        (out / f"{name}.html").write_text(page, encoding="utf-8")

    listing = "# schedlib: the lectures\n"
    for file in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb")):
        decks = lectures(nbformat.read(file, as_version=4))
        for number, deck in enumerate(decks, 1):
            name = file.stem if len(decks) == 1 else f"{file.stem}-{number}"
            count = sum(cell.metadata.slideshow.slide_type == "slide" for cell in deck.cells)
            title = deck.cells[0].source.lstrip("# ")
            export(deck, title, name)
            listing += f"\n- <a href='{name}.html'>{title}</a> ({count} slides)"
            print(f"slides {name}: {count}", file=sys.stderr)
    index = new_notebook(cells=[words(listing, "slide")])
    export(index, "schedlib: the lectures", "index")


if __name__ == "__main__":
    write(ROOT / "build" / "slides")
    print("begin with build/slides/index.html; S shows the notes")
