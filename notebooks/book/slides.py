"""`make slides`: each chapter as a lecture: its headings, what each paragraph says first, its pictures and its small tables.

The files are plain HTML with two dozen lines of script: they need no web, read on a phone, and print one slide a page.
"""

import base64
import hashlib
import html
import re
import shutil
import sys
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import yaml

import build
from chapters import WIDGET, fallback_alt, heading_of, said, text_of
from check import problems
from schedlib.reproduce.notebooks import NotebookError

LETTERS = 620  # of text on a slide
ROWS = 14  # of a table on a slide
FIGURE = 0.55  # of a slide: what a picture takes
BROAD = 1.9  # from this ratio of width to height on, a picture stands below the words and not beside them
ENOUGH = 60  # letters: a paragraph whose first sentence is shorter gives its second too
SKIPPED = ("Sources",)
SHORT = r"(?:Figs?|Eqs?|Secs?|et al|vs|e\.g|i\.e|cf|Nos?|resp|approx)"
HELD = re.compile(r"\$\$.+?\$\$|\$[^$]+\$|`[^`]+`|\[[^\]]*\]\([^)]*\)", re.DOTALL)
HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><link rel="stylesheet" href="slides.css">
<script>MathJax = {{tex: {{inlineMath: [["$", "$"]]}}, options: {{enableMenu: false}}}};</script>
<script defer src="mathjax/tex-chtml.js"></script><script defer src="slides.js"></script></head>
<body>
"""


def first_sentence(paragraph: str) -> str:
    """What a paragraph says first; formulas, code, links and the points of abbreviations do not end a sentence.

    >>> first_sentence("As Fig. 1 shows, and as one finds by hand, the two are equal: $a. B$. More.")
    'As Fig. 1 shows, and as one finds by hand, the two are equal: $a. B$.'
    """
    held: list[str] = []

    def hold(match):
        held.append(match.group())
        return f"\0{len(held) - 1}\0"

    text = re.sub(rf"\b{SHORT}\.", hold, HELD.sub(hold, " ".join(paragraph.split())))
    first, *rest = re.split(r"(?<=[.!?])\s+(?=[A-Z*\0])|(?<=[.!?][)*\"])\s+(?=[A-Z*\0])", text)

    def released(sentence):
        for _ in range(2):
            sentence = re.sub(r"\0(\d+)\0", lambda match: held[int(match.group(1))], sentence)
        return sentence

    first = released(first)
    if len(first) < ENOUGH:
        first = " ".join([first, *map(released, rest[:1])])
    return first + ("**" if first.count("**") % 2 else "")


def points(source: str) -> list[str]:
    """The slide's lines for a Markdown cell: of each paragraph and list item its first sentence; tables and formulas whole.

    >>> points("## A\\n\\nOne. Two.\\n\\n1. *Warm-up.* Find it. Then stop.\\n2. Prove it.")
    ['- One. Two.', '- *Warm-up.* Find it. Then stop.', '- Prove it.']
    """
    out = []
    for block in re.split(r"\n\s*\n", source.strip()):
        block = re.sub(r"^#.*$", "", block, flags=re.MULTILINE).strip()
        if not block or block.startswith(("```", "![", "<")):
            continue
        if block.startswith(("|", "$$")):
            out.append(block)
            continue
        for item in re.split(r"^(?:\d+\.|[-*]) +", block, flags=re.MULTILINE):
            label = re.match(r"\s*\*[\w -]+\.\*\s", item)
            lead = label.group().strip() + " " if label else ""
            if item.strip():
                out.append(f"- {lead}{first_sentence(item[label.end() if label else 0:])}".rstrip(" :"))
    return out


@dataclass
class Piece:
    """Something on a slide: `text` (Markdown), a `table` or a `figure` (HTML), and how much of the slide it takes."""

    heading: str
    kind: str
    content: str
    weight: float


def room(line: str) -> float:
    """How much of a slide a line of Markdown takes."""
    return (line.count("\n") + 1) / ROWS * 0.8 if line.startswith("|") else len(line) / LETTERS


def parcelled(pieces: list[Piece]) -> list[list[Piece]]:
    """The pieces of each slide: one heading, one figure at most, and no more than fits."""
    parcels: list[list[Piece]] = []
    for piece in pieces:
        last = parcels[-1] if parcels else []
        full = sum(other.weight for other in last) + piece.weight > 1
        figures = [other.kind for other in [*last, piece]].count("figure")
        if not last or full or figures > 1 or last[0].heading != piece.heading:
            parcels.append([])
        parcels[-1].append(piece)
    return parcels


def without_links(text: str) -> str:
    """Markdown whose links are their words: a slide stands alone."""
    return re.sub(r"(?<!!)\[([^\]]*)\]\((?!https?:)[^)]*\)", r"\1", text)


class Lecture:
    """The slides of one notebook; `keep(png)` stores a picture and gives its place."""

    def __init__(self, book: dict, keep):
        from nbconvert.filters.markdown_mistune import markdown2html_mistune

        self.keep, self.pieces = keep, []
        self.rendered = lambda text: re.sub(r'<a class="anchor-link".*?</a>', "", markdown2html_mistune(without_links(text)))
        opening = text_of(book["cells"][0]["source"])
        self.title = heading = heading_of(opening)
        for cell in book["cells"][1:]:
            source = text_of(cell["source"])
            if cell["cell_type"] == "code":
                self.outputs(cell, source, heading)
                continue
            for part in re.split(r"^(?=#{2,3} )", source, flags=re.MULTILINE):
                heading = heading_of(part, heading)
                if heading not in SKIPPED:
                    self.pieces += [Piece(heading, "text", line, room(line)) for line in points(part)]
        self.parcels = parcelled(self.pieces)
        kept = [part for part in re.split(r"\n\s*\n", opening)[1:] if re.match(r"\s*\*\*(After|Prereq|Time)", part)]
        self.opening = self.rendered("\n\n".join([f"# {self.title}", *kept]))

    def outputs(self, cell: dict, source: str, heading: str) -> None:
        """A piece for each picture, with its caption, and for each small table."""
        for output in cell["outputs"]:
            data = output.get("data", {})
            text = text_of(data.get("text/markdown", "")).strip()
            if "image/png" in data:
                png = base64.b64decode(text_of(data["image/png"]))
                alt = output.get("metadata", {}).get("image/png", {}).get("alt") or fallback_alt(source, heading)
                note = "<figcaption>An explorer: in JupyterLab it has controls.</figcaption>" if WIDGET in data else ""
                width, height = int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
                shape = "broad" if width > BROAD * height else "high"
                picture = f'<figure class="{shape}"><img src="{self.keep(png)}" alt="{html.escape(said(alt))}">{note}</figure>'
                self.pieces.append(Piece(heading, "figure", picture, FIGURE))
            elif re.fullmatch(r"\*[^*].*\*", text, re.DOTALL) and self.pieces and self.pieces[-1].kind == "figure":
                caption = self.rendered(text[1:-1]).strip().removeprefix("<p>").removesuffix("</p>")
                figure = self.pieces[-1]
                figure.content = figure.content.replace("</figure>", f"<figcaption>{caption}</figcaption></figure>")
                figure.weight += len(caption) / (4 * LETTERS)
            elif "text/html" in data and 0 < (rows := text_of(data["text/html"]).count("<tr")) <= ROWS + 1:
                table = re.sub(r"<style.*?</style>", "", text_of(data["text/html"]), flags=re.DOTALL)
                self.pieces.append(Piece(heading, "table", f'<div class="wide">{table}</div>', rows / ROWS * 0.8))

    def slide(self, parcel: list[Piece]) -> str:
        """One slide: its heading, its words and tables, and beside or below them its picture."""
        words = ""
        for kind, run in groupby((piece for piece in parcel if piece.kind != "figure"), key=lambda piece: piece.kind):
            run = [piece.content for piece in run]
            words += self.rendered(joined(run)) if kind == "text" else "".join(run)
        figure = "".join(piece.content for piece in parcel if piece.kind == "figure")
        beside = " beside" if words and 'class="high"' in figure else ""
        title = self.rendered(f"## {parcel[0].heading}")
        return f'<section>\n{title}<div class="body{beside}"><div class="wide">{words}</div>{figure}</div>\n</section>\n'

    def page(self) -> str:
        slides = "".join(map(self.slide, self.parcels))
        return f'{HEAD.format(title=html.escape(self.title))}<section class="title">\n{self.opening}</section>\n{slides}</body></html>\n'


def joined(lines: list[str]) -> str:
    """Lines of a slide as Markdown: list items together, the rest apart."""
    return "\n".join(line if line.startswith("- ") else f"\n{line}\n" for line in lines)


def slides() -> Path:
    """Write build/slides, a file for each chapter and an index; gives the folder. Raises NotebookError on a dead link or a bare picture."""
    import json

    root = build.root_folder()
    final = root / "build" / "slides"
    if final.exists():
        shutil.rmtree(final)
    out = build.Stage(final)
    for file in (root / "notebooks" / "book" / "slides").iterdir():
        out.copy(file, file.name)
    build.mathjax(root, out, "mathjax")

    def keep(png: bytes) -> str:
        name = f"pictures/{hashlib.sha256(png).hexdigest()[:12]}.png"
        out.write(name, png)
        return name

    toc = yaml.safe_load((root / "notebooks" / "book" / "_toc.yml").read_text(encoding="utf-8"))
    entries = []
    for name in build.toc_files(toc):
        if not re.fullmatch(r"notebooks/\d\d-[\w-]+", name) or not (root / f"{name}.ipynb").exists():
            continue
        lecture = Lecture(json.loads((root / f"{name}.ipynb").read_text(encoding="utf-8")), keep)
        short = name.rpartition("/")[2]
        out.write(f"{short}.html", lecture.page())
        entries.append(f'<li><a href="{short}.html">{html.escape(lecture.title)}</a> ({len(lecture.parcels) + 1} slides)</li>')
        print(f"slides {short}: {len(lecture.parcels) + 1}", file=sys.stderr)
    listing = f"<section class=title>\n<h1>schedlib: the lectures</h1>\n<ol start=0>{''.join(entries)}</ol>\n</section>"
    out.write("index.html", HEAD.format(title="schedlib: the lectures") + listing + "</body></html>\n")
    if found := problems(final):
        raise NotebookError(f"the slides have {len(found)} defects:\n" + "\n".join(found[:40]))
    return final


if __name__ == "__main__":
    sys.exit(build.make(slides))
