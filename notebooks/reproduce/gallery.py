"""The gallery: each figure and table with its caption, what became of the claims judged on it, and its time."""

import re
from pathlib import Path
from typing import Any

from pandas import DataFrame

from reproduce import ledger, publish, registry, report
from schedlib import paths
from schedlib.plots import papers
from schedlib.sweeps.text import duration

HEAD = """\
# Every figure and table

`make figures` makes all of these, `make figures ONLY=hmhs.fig1` one of them, and
[provenance.json](provenance.json) says how each was made. A time is that of all points of an experiment, one
after another on one core; its figures share it. The papers' sentences are in [CLAIMS.md](CLAIMS.md).
"""
LONGEST_TABLE = 8  # rows that stand in the gallery; of a longer table it has the link
Entry = dict[str, Any]
Entries = dict[str, Entry]  # how each figure came about, as `publish.provenance` gives it


def write(out: Path) -> Path:
    """Write the folder's `README.md` from its `provenance.json`, `claims.csv` and tables; nothing is run."""
    file = out / "README.md"
    with paths.alone(out):
        paths.write_whole(file, page(out))
    return file


def page(out: Path) -> str:
    """The gallery of a folder as Markdown: contents with links, then each paper's figures in order."""
    rows = ledger.read(out)
    entries = publish.provenance(out)
    claims = beside(entries, rows)
    by_paper: dict[str, list[str]] = {}
    for name in entries:
        by_paper.setdefault(name.partition(".")[0], []).append(name)
    top = [HEAD]
    below = []
    for paper, ids in by_paper.items():
        top.append(contents(paper, ids, entries, rows[rows["paper"] == paper]))
        below += ["", f"## {papers.title_of(paper)}", "", links(ids, entries)]
        for name in ids:
            below += ["", *one(out, name, entries, claims)]
    return "\n".join([*top, *below, ""])


def contents(paper: str, ids: list[str], entries: Entries, rows: DataFrame) -> str:
    """A paper's line of the contents: how many figures, their time, and what became of its claims."""
    title = papers.title_of(paper)
    link = anchor(title)
    seconds = {entries[name]["experiment"]: entries[name]["seconds"] for name in ids}
    took = duration(sum(seconds.values()))
    line = f"- [{title}](#{link}) ({len(ids)} in {took})"
    if rows.empty:
        return line
    return f"{line}: [{report.by_text(rows)}](CLAIMS.md#{link})"


def heading(name: str, entries: Entries) -> str:
    """The heading of a figure or table."""
    return f"{name}: {entries[name]['title']}"


def anchor(title: str) -> str:
    """The name by which GitHub links to a heading.

    >>> anchor("hmhs.fig1: Makespan, and the gain (in %)")
    'hmhsfig1-makespan-and-the-gain-in-'
    """
    letters = re.sub(r"[^\w\- ]", "", title.lower())
    return letters.replace(" ", "-")


def beside(entries: Entries, rows: DataFrame) -> dict[str, DataFrame]:
    """The ledger's rows by the figure that they stand beside. A claim stands beside the first figure of its
    experiment that it names, else beside the first."""
    known = registry.load().claims
    home: dict[str, list[int]] = {}
    for row in rows.itertuples():
        if row.id not in known:
            continue
        figures = drawn_from(known[row.id].experiment, entries)
        named = [name for name in figures if names(row.where, name)]
        for figure in (named or figures)[:1]:
            home.setdefault(figure, []).append(row.Index)
    return {name: rows.loc[indices] for name, indices in home.items()}


def drawn_from(experiment: str | None, entries: Entries) -> list[str]:
    """The figures and tables of an experiment."""
    return [name for name in entries if entries[name]["experiment"] == experiment]


def names(where: str, figure_id: str) -> bool:
    """Whether a place in a paper names the figure or table that this one shows, by its number.

    >>> names("Section 5; Fig. 8a", "lotes.fig8-google"), names("Fig. 8", "lotes.table8")
    (True, False)
    """
    match = re.match(r"([a-z]+)(\d+)", figure_id.partition(".")[2])
    if match is None:
        return False
    what, number = match.groups()
    kind = "Table" if what == "table" else r"Figs?\."
    return bool(re.search(rf"\b{kind} {number}(?!\d)", where))


def one(out: Path, name: str, entries: Entries, claims: dict[str, DataFrame]) -> list[str]:
    """The lines of one figure or table."""
    entry = entries[name]
    same = drawn_from(entry["experiment"], entries)
    others = [other for other in same if other != name]
    how = made(name, entry, links(others, entries))
    lines = [f"### {heading(name, entries)}", ""]
    lines += shown(out, name, entry)
    lines += [entry["caption"], "", how]
    if name in claims:
        paper = name.partition(".")[0]
        became = report.by_text(claims[name])
        lines += ["", f"[Claims](CLAIMS.md#{anchor(papers.title_of(paper))}): {became}."]
    return lines


def shown(out: Path, name: str, entry: Entry) -> list[str]:
    """The picture with its alt text, or the table, or a link to it where it is long."""
    paper, _, short = name.partition(".")
    picture = f"{short}.png"
    if picture in entry["files"]:
        return [publish.image(entry["alt"], f"{paper}/{picture}"), ""]
    table = out / paper / f"{short}.md"
    if not table.exists():
        return []
    text = table.read_text(encoding="utf-8")
    rows = text.count("\n|") - 1  # without the names of the columns and the rule below them
    if rows <= LONGEST_TABLE:
        return [text]
    return [f"[The table of {rows} rows]({paper}/{short}.md)", ""]


def made(name: str, entry: Entry, others: str) -> str:
    """How long a figure took, with how many seeds, and its files; `others` were drawn from the same runs."""
    paper = name.partition(".")[0]
    took = duration(entry["seconds"])
    if others:
        took += f" with {others}"
    files = []
    for file in entry["files"]:
        suffix = file.partition(".")[2]
        if suffix != "webp":  # which the site shows on phones
            files.append(f"[{suffix}]({paper}/{file})")
    return f"{took}; seeds: {entry['seeds']}; {', '.join(files)}"


def links(ids: list[str], entries: Entries) -> str:
    """Links to these figures and tables, with commas between."""
    each = [f"[{name.partition('.')[2]}](#{anchor(heading(name, entries))})" for name in ids]
    return ", ".join(each)
