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
    published, ledger_rows = publish.provenance(out), ledger.read(out)
    entries = titled({name: published[name] for name in sorted(published, key=registry.book_order)})
    claims = beside(entries, ledger_rows)
    by_paper: dict[str, list[str]] = {}
    for name in entries:
        by_paper.setdefault(name.partition(".")[0], []).append(name)
    lines = [HEAD] + ([HEAD_CLAIMS] if (out / "CLAIMS.md").exists() else [])
    for paper, ids in by_paper.items():
        title = papers.title_of(paper)
        took = {entries[name]["experiment"]: entries[name]["seconds"] for name in ids}
        size = f"{len(ids)} in {duration(sum(took.values()))}"
        lines.append(f"- [{title}](#{anchor(title)}) ({size})")
        if len(rows := ledger_rows[ledger_rows["paper"] == paper]):
            lines[-1] += f": [{report.sentence(rows)}](CLAIMS.md#{anchor(title)})"
    for paper, ids in by_paper.items():
        lines += ["", f"## {papers.title_of(paper)}", "", thumbnails(ids, entries)]
        for name in ids:
            lines += ["", *one(out, name, entries, claims)]
    return "\n".join(lines) + "\n"


def titled(entries: Entries) -> Entries:
    """The entries, each with a title of its own: where figures share one, what the caption says first.

    >>> shared = {"title": "Two queues", "caption": "Waits over time, one day (the paper's Fig. 1)."}
    >>> other = shared | {"caption": "Queue lengths: one day."}
    >>> [entry["title"] for entry in titled({"x.fig1": shared, "x.fig2": other}).values()]
    ['Waits over time', 'Queue lengths']
    """
    count = Counter(entry["title"] for entry in entries.values())
    ends = r": | \(|[.?] (?=[A-Z])|\.$"
    clauses = {name: re.split(ends, entry["caption"])[0] for name, entry in entries.items()}
    starts = {name: clause.partition(", ")[0] for name, clause in clauses.items()}
    out: Entries = {}
    taken = set(count)
    for name, entry in entries.items():
        title, start = entry["title"], starts[name]
        if count[title] > 1:
            longer = sorted([clauses[name], f"{start} ({title[0].lower()}{title[1:]})"], key=len)
            title = next((words for words in [start, *longer] if words not in taken), title)
            taken.add(title)
        out[name] = entry | {"title": title}
    return out


def thumbnails(ids: list[str], entries: Entries) -> str:
    """Small pictures that lead to the figures and tables, one after another."""
    shown = []
    for name in ids:
        paper, _, short = name.partition(".")
        drawn = f"{short}.png" in entries[name]["files"]
        picture = f'<img src="{paper}/{short}.png" width="150" alt=""> ' if drawn else ""
        shown.append(f"[{picture}{short}](#{anchor(heading(name, entries))})")
    return "\n".join(shown)


def heading(name: str, entries: Entries) -> str:
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
        experiment = known[row.id].experiment if row.id in known else None
        figures = [name for name, entry in entries.items() if entry["experiment"] == experiment]
        named = [name for name in figures if names(row.where, name)]
        if figures:
            home.setdefault((named or figures)[0], []).append(row.Index)
    return {name: rows.loc[indices] for name, indices in home.items()}


def names(where: str, figure_id: str) -> bool:
    """Whether a place in a paper names the figure or table that this one shows, by its number.

    >>> names("Section 5; Fig. 8a", "lotes.fig8-google"), names("Fig. 8", "lotes.table8")
    (True, False)
    """
    match = re.match(r"([a-z]+)(\d+)", figure_id.partition(".")[2])
    kind = match and ("Table" if match[1] == "table" else r"Figs?\.")
    return bool(match and re.search(rf"\b{kind} {match[2]}(?!\d)", where))


def one(out: Path, name: str, entries: Entries, claims: dict[str, pd.DataFrame]) -> list[str]:
    """The lines of one figure or table."""
    entry, (paper, _, short) = entries[name], name.partition(".")
    lines = [f"### {heading(name, entries)}", ""]
    if f"{short}.png" in entry["files"]:
        alt = re.sub(r"\s+", " ", entry["alt"]).translate(str.maketrans("[]", "()"))
        lines += [f"![{alt}]({paper}/{short}.png)", ""]
    elif (table := out / paper / f"{short}.md").exists():
        lines += [table.read_text(encoding="utf-8")]
    others = [
        key for key in entries if entries[key]["experiment"] == entry["experiment"] and key != name
    ]
    files = ", ".join(f"[{file.partition('.')[2]}]({paper}/{file})" for file in entry["files"])
    scale = "" if entry["scale"] == "quick" else f" SCALE={entry['scale']}"
    took = f"{duration(entry['seconds'])}{' with ' + links(others, entries) if others else ''}"
    seeds = f"{entry['seeds']} seed{'s' * (entry['seeds'] > 1)}"
    lines += [
        entry["caption"],
        "",
        f"`make figures ONLY={name}{scale}`: {took}; {seeds}; files: {files}",
    ]
    if name in claims:
        summary = f"<details><summary>{report.sentence(claims[name])}</summary>"
        lines += ["", summary, "", report.verdicts(claims[name]), "</details>"]
    elif judged_on := [other for other in others if other in claims]:
        lines += ["", f"Claims on the same numbers: see {links(judged_on, entries)}."]
    return lines


def links(ids: list[str], entries: Entries) -> str:
    """Links to these figures and tables, with commas between."""
    return ", ".join(
        f"[{name.partition('.')[2]}](#{anchor(heading(name, entries))})" for name in ids
    )
