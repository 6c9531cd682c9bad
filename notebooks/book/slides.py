"""`make slides`: the chapters as lectures, by nbconvert and reveal.js.

A cell's metadata say what its slides show, as an author set it: `{"slideshow": {"slide_type": "slide", "slides": [...]}}`. A slide has a
`title`, two or three `points` beside the cell's pictures and tables, `notes` for the lecturer, `show` (which outputs, all without it) and
`code` (whether to show it). The chapter's own words are notes, too.
"""

import base64
import re
import shutil
import struct
import sys
from pathlib import Path

import nbformat
from nbconvert import SlidesExporter
from nbformat.v4 import new_markdown_cell, new_notebook

from schedlib import paths

ROOT = paths.checkout() or Path()
OWN = ROOT / "notebooks" / "book"
BROAD = 1.9  # a picture with a larger ratio of width to height is broad
COLUMNS = 6  # a table with more columns is broad
FORMULA = re.compile(r"\$\$.+?\$\$", re.DOTALL)
TABLE = re.compile(r"(?:^\|.*\|\n?){3,}", re.M)
SHORT_LISTING = 24  # lines; a longer algorithm box is set in smaller type
LONG_LISTING = 32  # lines; a longer one in two columns, too


def words(source: str, kind: str):
    """A Markdown cell of a slide; links are their words, as a slide stands alone."""
    plain = re.sub(
        r"(?<!!)\[([^\]]*)\]\((?!https?:)[^)]*\)|<cite[^>]*>(.*?)</cite>", r"\1\2", source
    )
    return new_markdown_cell(plain, metadata={"slideshow": {"slide_type": kind}})


def shown(cell, slide):
    """A cell with the outputs that this slide shows, and its code if the slide asks for it."""
    outputs = [on_a_slide(output) for output in cell.outputs if not is_caption(output)]
    if "show" in slide:
        outputs = [outputs[k] for k in slide["show"]]
    listings = [output.data["text/markdown"] for output in outputs if is_listing(output)]
    tags = []
    if not slide.get("code"):
        tags.append("no-code")
    if listings or any(map(is_broad, outputs)):
        tags.append("broad")
    length = sum(listing.count("\n") for listing in listings)
    if length > LONG_LISTING:
        tags.append("columns")
    elif length > SHORT_LISTING:
        tags.append("long")
    metadata = {"slideshow": {"slide_type": "-"}, "tags": tags}
    return nbformat.from_dict(cell | {"outputs": outputs, "metadata": metadata})


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


def is_broad(output) -> bool:
    """Whether a picture or a table stands below the words of its slide, and not beside them."""
    data = output.get("data", {})
    if "image/png" in data:
        size = base64.b64decode(data["image/png"])[16:24]
        width, height = struct.unpack(">II", size)
        return width > BROAD * height
    header = data.get("text/html", "").partition("</tr>")[0]
    first_line = markdown(output).partition("\n")[0]
    return header.count("<th") > COLUMNS or first_line.count("|") > COLUMNS + 1


def formulas_and_tables(cell) -> list[str]:
    """The formulas and tables of a Markdown cell, which its slides of words alone show in turn."""
    if cell.cell_type != "markdown":
        return []
    matches = [*FORMULA.finditer(cell.source), *TABLE.finditer(cell.source)]
    return [match[0] for match in sorted(matches, key=lambda match: match.start())]


def lecture(chapter):
    """The chapter's slides as a notebook."""
    cells = []
    for cell in chapter.cells:
        beside = formulas_and_tables(cell)
        for slide in cell.metadata.get("slideshow", {}).get("slides", []):
            cells.append(words(f"{'##' if cells else '#'} {slide['title']}", "slide"))
            points = slide.get("points", [])
            if points:
                cells.append(words("\n".join(f"- {point}" for point in points), "-"))
            if beside and not any("$" in point for point in points):
                cells.append(words(beside.pop(0), "-"))
            if cell.cell_type == "code":
                cells.append(shown(cell, slide))
            if "notes" in slide:
                cells.append(words(slide["notes"], "notes"))
        if cell.cell_type == "markdown" and cells:
            cells.append(words(re.sub(r"^#+ ", "", cell.source, flags=re.MULTILINE), "notes"))
    for number, cell in enumerate(cells):
        cell.id = f"c{number:03}"  # several slides may show a cell
    return new_notebook(cells=cells, metadata=chapter.metadata)


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
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )

    def export(deck, title, name):
        page, _ = exporter.from_notebook_node(deck, {"title": title})
        (out / f"{name}.html").write_text(page, encoding="utf-8")

    listing = "# schedlib: the lectures\n"
    for file in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb")):
        deck = lecture(nbformat.read(file, as_version=4))
        count = sum(cell.metadata.slideshow.slide_type == "slide" for cell in deck.cells)
        title = deck.cells[0].source.lstrip("# ")
        export(deck, title, file.stem)
        listing += f"\n- <a href='{file.stem}.html'>{title}</a> ({count} slides)"
        print(f"slides {file.stem}: {count}", file=sys.stderr)
    index = new_notebook(cells=[words(listing, "slide")])
    export(index, "schedlib: the lectures", "index")


if __name__ == "__main__":
    write(ROOT / "build" / "slides")
    print("begin with build/slides/index.html; S shows the notes")
