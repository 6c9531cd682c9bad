"""`make slides`: the chapters as lectures, by nbconvert and reveal.js.

A cell's metadata say what stands on its slides, as an author set it: `{"slideshow": {"slide_type": "slide", "slides": [...]}}`. A slide has a
`title`, two or three `points` beside the cell's pictures and tables, `notes` for the lecturer, `show` (which outputs, all without it) and
`code` (whether to show it). The chapter's own words are notes, too.
"""

import base64
import re
import shutil
import sys
from pathlib import Path

import nbformat
from nbconvert import SlidesExporter
from nbformat.v4 import new_markdown_cell, new_notebook

from schedlib import paths

ROOT = paths.checkout() or Path()
OWN = ROOT / "notebooks" / "book"
BROAD = 1.9  # a picture of a larger ratio of width to height is broad
COLUMNS = 6  # a table of more columns is broad
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
    """The outputs of a cell that stand on this slide, with the code if the slide asks for it."""
    cell, outputs = cell.copy(), []
    for output in cell.outputs:
        data = output.get("data", {})
        if "image/png" in data:
            alt = output.metadata.get("image/png", {}).get(
                "alt", "A picture that the chapter's code draws."
            )
            outputs.append(
                output
                | {
                    "data": {"image/png": data["image/png"]},
                    "metadata": {"image/png": {"alttext": " ".join(alt.split())}},
                }
            )
        elif not data.get("text/markdown", "").startswith("*"):
            # what a caption says, the points say
            outputs.append(output)
    cell.outputs = nbformat.from_dict([outputs[k] for k in slide.get("show", range(len(outputs)))])
    shown_data = [output.get("data", {}) for output in cell.outputs]
    listings = [data["text/markdown"] for data in shown_data if is_listing(data)]
    tags = []
    if not slide.get("code"):
        tags.append("no-code")
    if listings or any(is_broad(data) for data in shown_data):
        tags.append("broad")
    length = sum(listing.count("\n") for listing in listings)
    if length > LONG_LISTING:
        tags.append("columns")
    elif length > SHORT_LISTING:
        tags.append("long")
    cell.metadata = nbformat.from_dict({"slideshow": {"slide_type": "-"}, "tags": tags})
    return cell


def shows(cell) -> list[str]:
    """The formulas and tables of a Markdown cell, which stand on its slides of words alone, in turn."""
    if cell.cell_type != "markdown":
        return []
    found = [*FORMULA.finditer(cell.source), *TABLE.finditer(cell.source)]
    return [match[0] for match in sorted(found, key=lambda match: match.start())]


def is_listing(data) -> bool:
    """Whether an output is an algorithm box, made by `book.show`."""
    return data.get("text/markdown", "").startswith("```python")


def is_broad(data) -> bool:
    """Whether a picture or a table stands below the words of its slide, and not beside them."""
    if "image/png" in data:
        head = base64.b64decode(data["image/png"])[16:24]
        return int.from_bytes(head[:4], "big") > BROAD * int.from_bytes(head[4:], "big")
    first_row = data.get("text/html", "").partition("</tr>")[0]
    return (
        first_row.count("<th") > COLUMNS
        or data.get("text/markdown", "").partition("\n")[0].count("|") > COLUMNS + 1
    )


def lecture(chapter):
    """The chapter's slides as a notebook."""
    cells = []
    for cell in chapter.cells:
        beside = shows(cell)
        for slide in cell.metadata.get("slideshow", {}).get("slides", []):
            cells.append(words(f"{'##' if cells else '#'} {slide['title']}", "slide"))
            points = slide.get("points", [])
            if points:
                cells.append(words("\n".join(f"- {point}" for point in points), "-"))
            if beside and not any("$" in point for point in points):
                cells.append(words(beside.pop(0), "-"))
            cells += [shown(cell, slide)] if cell.cell_type == "code" else []
            cells += [words(slide["notes"], "notes")] if "notes" in slide else []
        if cell.cell_type == "markdown" and cells:
            cells.append(words(re.sub(r"^#+ ", "", cell.source, flags=re.MULTILINE), "notes"))
    for number, cell in enumerate(cells):
        cell.id = f"c{number:03}"  # a cell may stand on several slides
    return new_notebook(cells=cells, metadata=chapter.metadata)


def write(out: Path) -> None:
    """Write a lecture for each chapter, and an index."""
    shutil.rmtree(out, ignore_errors=True)
    libraries = next(ROOT.glob(".venv-book/lib/python*/site-packages"))
    shutil.copytree(libraries / "sphinx_revealjs/_static/revealjs", out / "reveal")
    shutil.copytree(
        libraries / "sphinx-mathjax-offline/static/mathjax/output/chtml/fonts",
        out / "mathjax/output/chtml/fonts",
    )
    shutil.copy(libraries / "sphinx-mathjax-offline/static/mathjax/tex-chtml.js", out / "mathjax")
    shutil.copy(OWN / "lecture/lecture.css", out)
    hidden = {
        "exclude_anchor_links": True,
        "exclude_input_prompt": True,
        "exclude_output_prompt": True,
    }
    exporter = SlidesExporter(template_name="lecture", extra_template_basedirs=[str(OWN)], **hidden)
    listing = "# schedlib: the lectures\n"
    decks = {
        file: lecture(nbformat.read(file, as_version=4))
        for file in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
    }
    for file, deck in decks.items():
        count = sum(cell.metadata.slideshow.slide_type == "slide" for cell in deck.cells)
        title = deck.cells[0].source.lstrip("# ")
        (out / f"{file.stem}.html").write_text(
            exporter.from_notebook_node(deck, {"title": title})[0], encoding="utf-8"
        )
        listing += f"\n- <a href='{file.stem}.html'>{title}</a> ({count} slides)"
        print(f"slides {file.stem}: {count}", file=sys.stderr)
    index = new_notebook(cells=[words(listing, "slide")])
    (out / "index.html").write_text(
        exporter.from_notebook_node(index, {"title": "schedlib: the lectures"})[0], encoding="utf-8"
    )


if __name__ == "__main__":
    write(ROOT / "build" / "slides")
    print("begin with build/slides/index.html; S shows the notes")
