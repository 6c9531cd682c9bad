"""How each figure came about, in one file beside them."""

import contextlib
import json
from pathlib import Path
from typing import Any

from schedlib import papers, paths
from schedlib.reproduce import keys, registry, sweep


def read(out: Path) -> dict[str, dict[str, Any]]:
    """Figure id to entry, from `provenance.json` in the folder `out`; empty when there is none."""
    with contextlib.suppress(FileNotFoundError):
        return json.loads((out / "provenance.json").read_text(encoding="utf-8"))
    return {}


def book_order(name: str) -> tuple[int, int, str]:
    """Sorts ids by paper in the book's order, then as the registry lists them, then by name."""
    paper = name.partition(".")[0]
    library = registry.load()
    listed = [*library.figures, *library.claims]
    place = papers.KEYS.index(paper) if paper in papers.KEYS else len(papers.KEYS)
    return (place, listed.index(name) if name in listed else len(listed), name)


def record(out: Path, figure_id: str, done: sweep.Sweep, caption: str, alt: str, files: list[str]) -> None:
    """Put one figure's entry into `provenance.json`. Times are those of the stored points, so they repeat."""
    experiment, metas = done.experiment, done.metas
    entry = {
        "experiment": experiment.id, "title": experiment.title, "scale": done.scale, "seeds": done.seeds,
        "points": [meta["point"] for meta in metas[:: done.seeds]],
        "seconds": round(sum(meta["seconds"] for meta in metas), 3), "source": metas[0]["source"],
        "commits": sorted({meta["commit"] for meta in metas if meta.get("commit")}),
        "versions": metas[0]["versions"],
        "data": {name: digest for meta in metas for name, digest in meta["data"].items()},
        "files": files, "caption": caption, "alt": alt,
    }
    with paths.alone(out):
        entries = read(out) | {figure_id: entry}
        ordered = {name: entries[name] for name in sorted(entries, key=book_order)}
        paths.write_whole(out / "provenance.json", json.dumps(ordered, indent=1, ensure_ascii=False) + "\n")


def status(figure_id: str, out: Path) -> str:
    """`current` where the present code would make the figure's result, else `stale`; `-` when unpublished."""
    entry = read(out).get(figure_id)
    if entry is None:
        return "-"
    return "current" if keys.current(registry.load().experiment(figure_id), entry) else "stale"


def stale(out: Path) -> list[str]:
    """The figures published in `out` that the present code would make otherwise, in the book's order."""
    library = registry.load()
    return [name for name in read(out) if name not in library.figures or status(name, out) == "stale"]
