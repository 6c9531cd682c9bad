"""A committed notebook as a page: published figures get a number, alt text and a way to the gallery; explorers stand as pictures."""

import base64
import hashlib
import json
import posixpath
import re
from pathlib import Path

from citations import cited
from links import Links

PICTURE = re.compile(r"""(?:picture|show)\(\s*["']([a-z]+\.[\w-]+)["']""")
WIDGET = "application/vnd.jupyter.widget-view+json"
EXPLORER = "*In JupyterLab (`make lab`) this picture has controls.*"


def text_of(value) -> str:
    return value if isinstance(value, str) else "".join(value)


def heading_of(source: str, above: str = "") -> str:
    """The last heading of a Markdown cell, or the one above."""
    found = re.findall(r"^#{1,6} +(.+)$", source, re.MULTILINE)
    return found[-1].strip() if found else above


def said(alt: str) -> str:
    """Alt text on one line, without what Markdown would take as its own."""
    return re.sub(r"\s+", " ", alt).replace('"', "'").strip()


def fallback_alt(source: str, heading: str) -> str:
    """What can be said of a picture that brings no alt text: where it stands and which call drew it.

    >>> fallback_alt("figure, alt = draw(3)\\nfigure", "A toy")
    'A toy: the picture drawn by draw(3)'
    """
    lines = [line.strip() for line in source.splitlines() if line.strip() and not line.strip().startswith(("#", "%"))]
    calls = [line for line in lines if re.search(r"\b(plot|draw|show|picture|explore|subplots)\w*[.(]", line)]
    call = re.sub(r"^[\w, ]+ = ", "", (calls or lines or ["the code above"])[-1]).rstrip(";")
    return said(f"{heading}: the picture drawn by {call}")


class Chapter:
    """One notebook on its way into the book: `name` is its path below the root without suffix, `shown` are the gallery's figures."""

    def __init__(self, root: Path, name: str, links: Links, entries: dict, shown: set[str], stage):
        self.root, self.name, self.links, self.entries, self.shown, self.stage = root, name, links, entries, shown, stage
        self.book = json.loads((root / f"{name}.ipynb").read_text(encoding="utf-8"))
        self.figures: list[str] = []  # ids of published figures, in order
        self.alts: dict[str, str] = {}  # of each picture, by the hash that names its file in the website
        self.without_alt = 0

    def staged(self) -> str:
        """The text of the notebook that Jupyter Book is given."""
        cells, heading = [], ""
        for cell in self.book["cells"]:
            source = text_of(cell["source"])
            if cell["cell_type"] == "markdown":
                heading = heading_of(source, heading)
                cells.append(markdown(self.prose(source)))
            elif cell["cell_type"] == "code":
                cells += self.code(cell, source, heading)
        language = {"name": "python", "pygments_lexer": "ipython3"}
        metadata = {"kernelspec": self.book["metadata"]["kernelspec"], "language_info": language}
        return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 4}, indent=1)

    def prose(self, source: str) -> str:
        return self.links.rewritten(cited(source, self.entries), f"{self.name}.ipynb")

    def code(self, cell: dict, source: str, heading: str) -> list[dict]:
        """A code cell, and after it what its outputs show as numbered figures."""
        kept, after, ids = [], [], PICTURE.findall(source)
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "image/png" in data:
                self.picture(output, source, heading)
                if WIDGET in data:
                    del data[WIDGET]
                    data["text/plain"] = "an explorer"
                    after.append(EXPLORER)
            elif WIDGET in data:
                continue
            caption = re.fullmatch(r"\*(.+)\*", text_of(data.get("text/markdown", "")).strip(), re.DOTALL)
            if caption and kept and "image/png" in kept[-1].get("data", {}):
                after.append(self.figure(kept.pop(), caption.group(1), ids))
                continue
            if "text/markdown" in data:
                data["text/markdown"] = self.prose(text_of(data["text/markdown"]))
            kept.append(output)
        cell = {"cell_type": "code", "execution_count": cell["execution_count"], "metadata": {}, "outputs": kept, "source": source}
        return [cell, *map(markdown, after)]

    def picture(self, output: dict, source: str, heading: str) -> None:
        """Gives an image output its alt text, where the kernel did not."""
        alt = output.setdefault("metadata", {}).get("image/png", {}).get("alt")
        self.without_alt += not alt
        alt = said(alt or fallback_alt(source, heading))
        output["metadata"]["image/png"] = {"alt": alt}
        self.alts[hashlib.sha256(base64.b64decode(text_of(output["data"]["image/png"]))).hexdigest()] = alt

    def figure(self, output: dict, caption: str, ids: list[str]) -> str:
        """A numbered figure: the notebook's own picture with its caption and the way to its data."""
        png = base64.b64decode(text_of(output["data"]["image/png"]))
        here = posixpath.dirname(self.name)
        place, gallery = f"{here}/pictures/{hashlib.sha256(png).hexdigest()[:12]}.png", ""
        for figure_id in ids:
            published = f"figures/{figure_id.replace('.', '/', 1)}.png"
            if (self.root / published).is_file() and (self.root / published).read_bytes() == png:
                place = published
            if place == published or len(ids) == 1:
                self.figures.append(figure_id)
                gallery = f" [`{figure_id}`](#{anchor(figure_id)})" if figure_id in self.shown else ""
                break
        if place.startswith(here):
            self.stage.write(place, png)
        else:
            self.links.files.add(place)
        name = f"figure-{posixpath.basename(self.name)}-{len(self.figures) if gallery else posixpath.basename(place)[:12]}"
        alt = output["metadata"]["image/png"]["alt"]
        words = self.prose(" ".join(caption.split()))
        return f"````{{figure}} {posixpath.relpath(place, here)}\n:name: {name}\n:alt: {alt}\n\n{words}{gallery}\n````"


def anchor(figure_id: str) -> str:
    """The name that a figure's place in the gallery has in the book.

    >>> anchor("mch.fig5")
    'gallery-mch-fig5'
    """
    return "gallery-" + figure_id.replace(".", "-")


def markdown(source: str) -> dict:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def figures_in(gallery_text: str) -> set[str]:
    """The ids of the figures that the gallery has a heading for."""
    return set(re.findall(r"^#{2,4} +([a-z]+\.[\w-]+)\b", gallery_text, re.MULTILINE))


def gallery(text: str, where: dict[str, list[str]], titles: dict[str, str]) -> str:
    """The gallery's Markdown with a target before each figure and, below it, the chapters that discuss it.

    `where` gives the chapters of a figure, `titles` their titles.
    """
    out, waiting = [], ""
    for line in text.splitlines():
        found = re.match(r"#{2,4} +([a-z]+\.[\w-]+)\b", line)
        if re.match(r"#{1,4} ", line) and waiting:
            out += [waiting, ""]
            waiting = ""
        if found:
            out += [f"({anchor(found.group(1))})=", ""]
            names = where.get(found.group(1), [])
            waiting = "Discussed in " + ", ".join(f"[{titles[name]}](../{name}.ipynb)" for name in names) + "." if names else ""
        out.append(line)
    return "\n".join([*out, waiting, ""])
