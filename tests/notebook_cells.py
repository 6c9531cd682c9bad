"""The contents of a notebook's cells and the dead links of a page, for the tests of the book and of a course."""

import json
import re


def sources(file, kind="code"):
    """The sources of a notebook's cells of a kind."""
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]


def words(page):
    """The prose of a page, or of a notebook."""
    if page.suffix == ".ipynb":
        return "\n".join(sources(page, "markdown"))
    return page.read_text(encoding="utf-8")


def linked_pictures(page):
    """The Markdown that a notebook displays: the pipelines link their pictures there."""
    if page.suffix != ".ipynb":
        return ""
    cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    return "\n".join("".join(output.get("data", {}).get("text/markdown", "")) for output in outputs)


def dead_links(page):
    """The links of a page to files that are not there."""
    targets = re.findall(r"\]\(([^)#\s]+)", words(page) + linked_pictures(page))
    return [
        target
        for target in targets
        if not target.startswith("http") and not (page.parent / target).exists()
    ]
