"""What Sphinx is given: notebooks with citations and pictures as MyST-NB takes them, docstrings with tables as Sphinx does."""

import json
import re
from pathlib import Path

CITE = re.compile(r'<cite data-cite="([^"]+)">(.*?)</cite>', re.DOTALL)
PICTURE = re.compile(r"""(?:picture|show)\(\s*["']([a-z]+\.[\w-]+)["']""")
HEADING = re.compile(r"^### (([a-z]+\.[\w-]+): .+)$", re.MULTILINE)
PLACES = {name: re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
          for heading, name in HEADING.findall((Path(__file__).parents[2] / "figures" / "README.md").read_text(encoding="utf-8"))}  # fmt: skip
# what is no page of the book
FILE = re.compile(r"\]\(((?!book/)\w+/[\w-]+\.md|reproduce/[\w-]+\.ipynb)\)")
WIDGET = "application/vnd.jupyter.widget-view+json"
LIVE = '<div class="explorer"><noscript>In JupyterLab (<code>make lab</code>) this picture has controls.</noscript></div>'


def text(value):
    return value if isinstance(value, str) else "".join(value)


def read(app, docname, source):
    """Prepares a page: a notebook's citations by their keys, its pictures each with its words; other notebooks as files."""
    source[0] = FILE.sub(r"](<path:\1>)", source[0])
    if not re.match(r"notebooks/(solutions/)?\d\d\w?-", docname):
        return
    book = json.loads(source[0])
    cells = []
    for cell in book["cells"]:
        cell["source"] = text(cell["source"])
        if cell["cell_type"] == "markdown":
            cell["source"] = CITE.sub(r"\2 {cite:p}`\1`", cell["source"])
        cells += pictured(cell) if cell.get("outputs") else [cell]
    for cell in cells:
        cell.pop("id", None)  # some are copies
    book["metadata"].pop("widgets", None)
    source[0] = json.dumps(book | {"cells": cells, "nbformat_minor": 4})


def pictured(cell):
    """A code cell as several, one for each picture: MyST-NB takes alt text and a caption for a whole cell only."""
    cells, ids = [cell | {"outputs": []}], iter(PICTURE.findall(cell["source"]))
    for output in cell["outputs"]:
        data = output.get("data", {})
        caption = re.fullmatch(r"\*(.+)\*", text(data.get("text/markdown", "")).strip(), re.DOTALL)
        name = next(ids, "") if caption else ""
        if "image/png" in data:
            alt = (
                output.get("metadata", {}).get("image/png", {}).get("alt")
                or "A picture that the code above draws."
            )
            cells.append(after(cell, output, {"image": {"alt": " ".join(alt.split())}}))
            if WIDGET in data:
                cells.append({"cell_type": "markdown", "metadata": {}, "source": LIVE})
        elif caption and "image" in cells[-1]["metadata"].get("mystnb", {}):
            words = caption[1] + (
                f" [{name}](/figures/README.md#{PLACES[name]})" if name in PLACES else ""
            )
            cells[-1]["metadata"]["mystnb"]["figure"] = {"caption": words}
        elif WIDGET not in data:
            if len(cells) > 1:
                cells.append(after(cell))
            cells[-1]["outputs"].append(output)
    return cells


def after(cell, output=None, look=None):
    """A cell that shows an output and no code (MyST-NB leaves out what has none, so it is hidden instead)."""
    return cell | {
        "source": "# its output",
        "outputs": [output] * bool(output),
        "metadata": {"tags": ["remove-input"], "mystnb": look or {}},
    }


def tables(app, what, name, thing, options, lines):
    """Writes what Markdown and reStructuredText spell differently in a docstring: tables, and `word`s."""
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
