"""The pages as Sphinx takes them: notebooks with citations and pictures for MyST-NB, docstrings with tables for autodoc."""

import base64
import hashlib
import json
import re
from pathlib import Path

from reproduce import narrow

CITE = re.compile(r'<cite data-cite="([^"]+)">(.*?)</cite>', re.DOTALL)
PICTURE = re.compile(r"""(?:picture|show|figure)\(\s*(?:"[\d.]+",\s*)?["']([a-z]+\.[\w-]+)["']""")
CAPTION = re.compile(r"\*(.+)\*", re.DOTALL)
HEADING = re.compile(r"^### (([a-z]+\.[\w-]+): .+)$", re.MULTILINE)
GALLERY = Path(__file__).parents[2] / "figures" / "README.md"
# links to files that are not pages of the book
FILE = re.compile(r"\]\(((?!book/)\w+/[\w-]+\.md|reproduce/[\w-]+\.ipynb)\)")
IMAGE = re.compile(r'<img [^>]*src="((?:\.\./)*_images/)([^"]+)"[^>]*>')
CHAPTER = re.compile(r"notebooks/(solutions/)?\d\d\w?-")
WIDGET = "application/vnd.jupyter.widget-view+json"
LIVE = '<div class="explorer"><noscript>In JupyterLab (<code>make lab</code>) this picture has controls.</noscript></div>'


def text(value) -> str:
    """A notebook's text, which may be stored as a list of lines."""
    return value if isinstance(value, str) else "".join(value)


def anchors(gallery: str) -> dict[str, str]:
    """The anchor of each figure's heading in the gallery, by the figure's name.

    >>> anchors("### hmhs.fig1: Makespans, all")
    {'hmhs.fig1': 'hmhsfig1-makespans-all'}
    """
    places = {}
    for heading, name in HEADING.findall(gallery):
        places[name] = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    return places


ANCHORS = anchors(GALLERY.read_text(encoding="utf-8"))


def digest(picture: bytes) -> str:
    """A name for a picture by what it shows."""
    return hashlib.sha256(picture).hexdigest()[:20]


PHONES = {
    digest(file.with_suffix(kind).read_bytes()): file.read_bytes()
    for file in GALLERY.parent.glob("*/*.webp")
    for kind in (".png", ".svg")
}
"""The pictures for phones, by the digests of those that they stand for; those of chapters come when these are read."""


def read(app, docname, source):
    """Prepare a page: a notebook's citations by their keys, each picture with its words; other notebooks as files."""
    source[0] = FILE.sub(r"](<path:\1>)", source[0])
    if not CHAPTER.match(docname):
        return
    book = json.loads(source[0])
    cells = []
    for cell in book["cells"]:
        cell["source"] = text(cell["source"])
        if cell["cell_type"] == "markdown":
            cell["source"] = CITE.sub(r"\2 {cite:p}`\1`", cell["source"])
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if small := text(data.pop(narrow.KIND, "")):
                png = base64.b64decode(text(data["image/png"]))
                PHONES[digest(png)] = base64.b64decode(small)
        cells += pictured(cell) if cell.get("outputs") else [cell]
    for cell in cells:
        cell.pop("id", None)  # some are copies
    book["metadata"].pop("widgets", None)
    source[0] = json.dumps(book | {"cells": cells, "nbformat_minor": 4})


def pictured(cell):
    """A code cell as several, one for each picture: MyST-NB takes alt text and a caption for a whole cell only."""
    cells = [cell | {"outputs": []}]
    names = iter(PICTURE.findall(cell["source"]))
    image = None  # the picture before this output, whose caption it may be
    for output in cell["outputs"]:
        data = output.get("data", {})
        caption = CAPTION.fullmatch(text(data.get("text/markdown", "")).strip())
        name = next(names, "") if caption else ""
        if "image/png" in data:
            words = output.get("metadata", {}).get("image/png", {}).get("alt")
            alt = words or "A picture that the code above draws."
            image = {"image": {"alt": " ".join(alt.split())}}
            cells.append(after(cell, [output], image))
            if WIDGET in data:
                cells.append({"cell_type": "markdown", "metadata": {}, "source": LIVE})
                image = None
        elif caption and image:
            link = f" [{name}](/figures/README.md#{ANCHORS[name]})" if name in ANCHORS else ""
            image["figure"] = {"caption": caption[1] + link}
        elif WIDGET not in data:
            if len(cells) > 1:
                cells.append(after(cell, [], {}))
            cells[-1]["outputs"].append(output)
            image = None
    return cells


def for_phones(app, page, template, context, doctree):
    """Give a page's pictures those for phones beside them: a browser chooses by its width."""
    files = {name: Path(app.srcdir, file) for file, name in app.builder.images.items()}

    def both(image):
        folder, name = image.groups()
        wide = digest(files[name].read_bytes())
        if wide not in PHONES:
            return image[0]
        out = Path(app.outdir, "_images")
        out.mkdir(exist_ok=True)
        (out / f"{wide}.webp").write_bytes(PHONES[wide])
        small = f'media="screen and (max-width: 600px)" srcset="{folder}{wide}.webp"'
        return f"<picture><source {small}>{image[0]}</picture>"

    context["body"] = IMAGE.sub(both, context.get("body", ""))


def after(cell, outputs, look):
    """A cell that shows outputs and no code (MyST-NB leaves out a cell without code, so the code is hidden)."""
    metadata = {"tags": ["remove-input"], "mystnb": look}
    return cell | {"source": "# its output", "outputs": outputs, "metadata": metadata}


def tables(app, what, name, thing, options, lines):
    """Rewrite what Markdown and reStructuredText spell differently in a docstring: tables, and `word`s."""
    out = []
    for line, before in zip(lines, ["", *lines], strict=False):
        if not line.startswith("|"):
            out.append(re.sub(r"(`[^`]+`)(?=\w)", r"\1\\ ", line))
            continue
        if not before.startswith("|"):
            out += ["", ".. list-table::", "   :header-rows: 1", ""]
        if "---" not in line:
            first, *rest = line.strip()[1:-1].split("|")
            out += [f"   * - {first.strip()}", *(f"     - {cell.strip()}" for cell in rest)]
    lines[:] = [*out, ""]
