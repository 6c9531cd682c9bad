"""The gallery: each figure and table with its caption, the claims judged on it, its command and its time."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd

from schedlib import papers, paths
from schedlib.reproduce import ledger, publish, registry, report
from schedlib.reproduce.tables import duration

HEAD = """\
# Every figure and table

`make figures` makes all of these, and [provenance.json](provenance.json) says how each was made. \
A time is that of all points of the experiment, one
after another on one core. Figures drawn from the same experiment share its time.
"""
HEAD_CLAIMS = """\
The claims judged on a figure's numbers are folded below it. \
[The report card](CLAIMS.md) has all claims, paper by paper.
"""


Entries = dict[str, dict[str, Any]]  # how each figure came about, as `publish.provenance` gives it


def write(out: Path) -> Path:
    """Write the folder's `README.md` from its `provenance.json`, `claims.csv` and tables; nothing is run."""
    with paths.alone(out):
        paths.write_whole(out / "README.md", page(out))
    return out / "README.md"


def page(out: Path) -> str:
    """The gallery of a folder as Markdown: contents with links, then each paper's figures in order."""
    published, rows = publish.provenance(out), ledger.read(out)
    entries = titled({name: published[name] for name in sorted(published, key=registry.book_order)})
    claims = beside(entries, rows)
    by_paper: dict[str, list[str]] = {}
    for name in entries:
        by_paper.setdefault(name.partition(".")[0], []).append(name)
    lines = [HEAD]
    if (out / "CLAIMS.md").exists():
        lines.append(HEAD_CLAIMS)
    for paper, ids in by_paper.items():
        lines.append(contents(paper, ids, entries, rows[rows["paper"] == paper]))
    for paper, ids in by_paper.items():
        lines += ["", f"## {papers.title_of(paper)}", "", thumbnails(ids, entries)]
        for name in ids:
            lines += ["", *one(out, name, entries, claims)]
    return "\n".join(lines) + "\n"


def contents(paper: str, ids: list[str], entries: Entries, rows: pd.DataFrame) -> str:
    """A paper's line of the contents: how many figures, their time, and what became of its claims."""
    title = papers.title_of(paper)
    took = {entries[name]["experiment"]: entries[name]["seconds"] for name in ids}
    line = f"- [{title}](#{anchor(title)}) ({len(ids)} in {duration(sum(took.values()))})"
    if rows.empty:
        return line
    return f"{line}: [{report.sentence(rows)}](CLAIMS.md#{anchor(title)})"


def titled(entries: Entries) -> Entries:
    """The entries; where figures share a title, what the caption says first takes its place.

    >>> shared = {"title": "Two queues", "caption": "Waits over time, one day (the paper's Fig. 1)."}
    >>> other = shared | {"caption": "Queue lengths: one day."}
    >>> [entry["title"] for entry in titled({"x.fig1": shared, "x.fig2": other}).values()]
    ['Waits over time, one day', 'Queue lengths']
    """
    count = Counter(entry["title"] for entry in entries.values())
    out: Entries = {}
    for name, entry in entries.items():
        if count[entry["title"]] > 1:
            first = re.split(r": | \(|[.?] (?=[A-Z])|\.$", entry["caption"])[0]
            entry = entry | {"title": first}
        out[name] = entry
    return out


def thumbnails(ids: list[str], entries: Entries) -> str:
    """Small pictures that lead to the figures and tables, one after another."""
    shown = []
    for name in ids:
        paper, _, short = name.partition(".")
        picture = ""
        if f"{short}.png" in entries[name]["files"]:
            picture = f'<img src="{paper}/{short}.png" width="150" alt=""> '
        shown.append(f"[{picture}{short}](#{anchor(heading(name, entries))})")
    return "\n".join(shown)


def heading(name: str, entries: Entries) -> str:
    """The heading of a figure or table."""
    return f"{name}: {entries[name]['title']}"


def anchor(title: str) -> str:
    """The name by which GitHub links to a heading.

    >>> anchor("hmhs.fig1: Makespan, and the gain (in %)")
    'hmhsfig1-makespan-and-the-gain-in-'
    """
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def beside(entries: Entries, rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The ledger's rows by the figure that they stand beside. A claim stands beside the first figure of its
    experiment that it names, else beside the first."""
    known = registry.load().claims
    home: dict[str, list[int]] = {}
    for row in rows.itertuples():
        if row.id not in known:
            continue
        experiment = known[row.id].experiment
        figures = [name for name, entry in entries.items() if entry["experiment"] == experiment]
        named = [name for name in figures if names(row.where, name)]
        for figure in (named or figures)[:1]:
            home.setdefault(figure, []).append(row.Index)
    return {name: rows.loc[indices] for name, indices in home.items()}


def names(where: str, figure_id: str) -> bool:
    """Whether a place in a paper names the figure or table that this one shows, by its number.

    >>> names("Section 5; Fig. 8a", "lotes.fig8-google"), names("Fig. 8", "lotes.table8")
    (True, False)
    """
    match = re.match(r"([a-z]+)(\d+)", figure_id.partition(".")[2])
    if match is None:
        return False
    kind = "Table" if match[1] == "table" else r"Figs?\."
    return re.search(rf"\b{kind} {match[2]}(?!\d)", where) is not None


def one(out: Path, name: str, entries: Entries, claims: dict[str, pd.DataFrame]) -> list[str]:
    """The lines of one figure or table."""
    entry = entries[name]
    paper, _, short = name.partition(".")
    lines = [f"### {heading(name, entries)}", ""]
    table = out / paper / f"{short}.md"
    if f"{short}.png" in entry["files"]:
        alt = re.sub(r"\s+", " ", entry["alt"]).translate(str.maketrans("[]", "()"))
        lines += [f"![{alt}]({paper}/{short}.png)", ""]
    elif table.exists():
        lines.append(table.read_text(encoding="utf-8"))
    same = [key for key in entries if entries[key]["experiment"] == entry["experiment"]]
    others = [key for key in same if key != name]
    files = [f"[{file.partition('.')[2]}]({paper}/{file})" for file in entry["files"]]
    scale = "" if entry["scale"] == "quick" else f" SCALE={entry['scale']}"
    shared = f" with {links(others, entries)}" if others else ""
    seeds = f"{entry['seeds']} seed{'s' * (entry['seeds'] > 1)}"
    made = f"`make figures ONLY={name}{scale}`: {duration(entry['seconds'])}{shared}; {seeds}"
    lines += [entry["caption"], "", f"{made}; files: {', '.join(files)}"]
    judged_on = [other for other in others if other in claims]
    if name in claims:
        summary = f"<details><summary>{report.sentence(claims[name])}</summary>"
        lines += ["", summary, "", report.verdicts(claims[name]), "</details>"]
    elif judged_on:
        lines += ["", f"Claims on the same numbers: see {links(judged_on, entries)}."]
    return lines


def links(ids: list[str], entries: Entries) -> str:
    """Links to these figures and tables, with commas between."""
    each = [f"[{name.partition('.')[2]}](#{anchor(heading(name, entries))})" for name in ids]
    return ", ".join(each)
