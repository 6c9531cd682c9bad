"""From a frame to figures/<paper>/<name>.{svg,png,webp,csv,md}, the same bytes each time, and its provenance."""

import contextlib
import io
import json
import os
import re
import sys
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pandas as pd

from reproduce import points, reach, registry
from reproduce.figure import Figure
from reproduce.tables import averaged, markdown
from schedlib import paths
from schedlib.sweeps import store, sweep
from schedlib.sweeps.experiment import Settings, check_scale
from schedlib.sweeps.text import csv_text


def out_folder(
    scale: str = "quick", seeds: int | None = None, out: str | Path | None = None
) -> Path:
    """Where files go: `out`, or with a scale's own number of seeds `figures/` for quick and
    `figures/paper-scale` for paper, else a cache folder. Raises ValueError for an unknown scale.

    >>> out_folder("smoke").name, out_folder("quick", seeds=2).name, out_folder(out="here").name
    ('figures-smoke', 'figures-quick-2-seeds', 'here')
    >>> out_folder("paper").name
    'paper-scale'
    """
    if out is not None and not isinstance(out, str | PathLike):
        raise TypeError(f"out: {out!r:.60}; needs a path")
    if out:
        return Path(out)
    check_scale(scale)
    if seeds is not None:
        return paths.cache_folder(f"figures-{scale}-{seeds}-seeds")
    if scale == "smoke":
        return paths.cache_folder("figures-smoke")
    figures = root / "figures" if (root := paths.checkout()) else paths.cache_folder("figures")
    return figures if scale == "quick" else figures / points.PAPER_SCALE


@dataclass(frozen=True)
class Published:
    """A figure or table on disk; in a notebook it displays itself with its caption. Where `linked` the notebook
    holds the picture's address and not the picture."""

    id: str
    caption: str
    alt: str
    files: tuple[Path, ...]
    linked: bool = False

    def _ipython_display_(self) -> None:
        from IPython.display import Image, Markdown, display

        for file in self.files:
            if file.suffix == ".png" and self.linked:
                address = Path(os.path.relpath(file)).as_posix()
                display(Markdown(image(self.alt, address)))
            elif file.suffix == ".png":
                display(Image(file, alt=self.alt))
            elif file.suffix == ".md":
                display(Markdown(file.read_text(encoding="utf-8")))
        display(Markdown(f"*{self.caption}*"))


def image(alt: str, address: str) -> str:
    """A picture in Markdown, with what it shows in words.

    >>> image("Waits [s] by load", "fig1.png")
    '![Waits (s) by load](fig1.png)'
    """
    words = " ".join(alt.split()).replace("[", "(").replace("]", ")")
    return f"![{words}]({address})"


def publish(figure_id: str, settings: Settings, out: str | Path | None = None) -> Published:
    """Run a figure's experiment (from the store where done), draw it, and write its files and provenance.
    Raises ValueError for an unknown name, and whatever `run` raises."""
    figure = registry.load().figure(figure_id)
    done = points.finished(figure.experiment, settings)
    return write(figure, done, out_folder(settings.scale, settings.seeds, out))


def write(figure: Figure, done: sweep.Sweep, out: Path) -> Published:
    """The files of a figure, from a finished sweep, and its entry in the folder's provenance."""
    paper, _, name = figure.id.partition(".")
    frame = figure.part(done.frame)
    seen = figure.seen(frame)
    caption, alt = (text(seen) if callable(text) else text for text in (figure.caption, figure.alt))
    timing = [column for column in done.experiment.timing if column in frame.columns]
    untimed = frame.drop(columns=timing)
    if figure.plot is None:
        parameters = {name for meta in done.metas for name in meta["point"]}
        table = averaged(untimed, parameters)
        heads = {column: figure.heads.get(column, column.replace("_", " ")) for column in table}
        contents: dict[str, bytes | str] = {"md": markdown(table.rename(columns=heads))}
    else:
        contents = pictures_of(figure, seen, caption, alt)
    contents["csv"] = csv_text(untimed)
    if timing:
        keys = untimed.select_dtypes(exclude="float")
        contents["timing.csv"] = csv_text(frame[[*keys, *timing]])
    files = {out / paper / f"{name}.{suffix}": content for suffix, content in contents.items()}
    for file, content in files.items():
        paths.write_whole(file, content)
    former = provenance(out).get(figure.id, {}).get("files", [])
    for gone in {out / paper / file for file in former} - files.keys():
        gone.unlink(missing_ok=True)  # the site would show an old picture on phones
    record(out, figure.id, done, caption, alt, [file.name for file in files])
    return Published(figure.id, caption, alt, tuple(files))


def provenance(out: Path) -> dict[str, dict[str, Any]]:
    """Figure id to how it came about, from `provenance.json` in the folder `out`; empty without one."""
    with contextlib.suppress(FileNotFoundError):
        return json.loads((out / "provenance.json").read_text(encoding="utf-8"))
    return {}


def record(
    out: Path, figure_id: str, done: sweep.Sweep, caption: str, alt: str, files: list[str]
) -> None:
    """Put one figure's entry into `provenance.json`. Times are those of the stored points, so they repeat."""
    experiment, metas = done.experiment, done.metas
    entry = {
        "experiment": experiment.id,
        "title": experiment.title,
        "scale": done.scale,
        "seeds": done.seeds,
        "points": [meta["point"] for meta in metas[:: done.seeds]],
        "seconds": round(sum(meta["seconds"] for meta in metas), 3),
        "source": metas[0]["source"],
        "commits": sorted({meta["commit"] for meta in metas if meta.get("commit")}),
        "versions": metas[0]["versions"],
        "data": {name: digest for meta in metas for name, digest in meta["data"].items()},
        "files": files,
        "caption": caption,
        "alt": alt,
    }
    with paths.alone(out):
        entries = provenance(out) | {figure_id: entry}
        ordered = {name: entries[name] for name in sorted(entries, key=registry.book_order)}
        paths.write_whole(
            out / "provenance.json", json.dumps(ordered, indent=1, ensure_ascii=False) + "\n"
        )


def status(figure_id: str, out: Path) -> str:
    """`current` where the present code would make the figure's result, else `stale`; `-` when unpublished."""
    if (entry := provenance(out).get(figure_id)) is None:
        return "-"
    experiment = registry.load().experiment(figure_id)
    made_by = (entry["source"], entry["versions"], store.canonical(entry["points"]))
    listed = store.canonical(list(experiment.points[entry["scale"]]))
    known = made_by == (*reach.code(experiment.run), listed)
    return "current" if known and entry["seeds"] in experiment.analyses(entry["scale"]) else "stale"


def stale(out: Path) -> list[str]:
    """The figures published in `out` that the present code would make otherwise, in the book's order."""
    known = registry.load().figures
    return [name for name in provenance(out) if name not in known or status(name, out) == "stale"]


def pictures_of(
    figure: Figure, frame: pd.DataFrame, caption: str, alt: str
) -> dict[str, bytes | str]:
    """A figure as SVG and PNG bytes that depend on nothing but the frame, and for phones as WebP bytes where `narrow` can."""
    import matplotlib as mpl
    import matplotlib.figure
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    from reproduce import narrow
    from schedlib.plots import style

    assert figure.plot is not None
    title = re.sub(r"\s+", " ", re.sub(r"[*`$]", "", caption)).strip()  # without Markdown's marks
    with style.use():
        drawn = figure.plot(frame)
        if not isinstance(drawn, mpl.figure.Figure):
            raise ValueError(
                f"plot of {figure.id} returns {type(drawn).__name__}; return the matplotlib Figure that it draws"
            )
        svg, png = io.BytesIO(), io.BytesIO()
        drawn.dpi = mpl.rcParams["savefig.dpi"]
        if engine := drawn.get_layout_engine():
            # once for both: `savefig` lays out and draws twice each time
            engine.execute(drawn)
            drawn.set_layout_engine("none")
        FigureCanvasAgg(drawn).print_png(
            png, metadata={"Software": None, "Title": title, "Description": alt}
        )
        FigureCanvasSVG(drawn).print_svg(svg, metadata={"Date": None, "Title": title})
        phone = {"webp": narrow.picture(drawn)} if narrow.lay_out(drawn) else {}
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close(drawn)  # else a notebook shows it twice
    text = numbered_ids(svg.getvalue().decode(), figure.id)
    described = text.replace("</title>", f"</title>\n <desc>{escape(alt)}</desc>", 1)
    return {"svg": described, "png": png.getvalue(), **phone}


def numbered_ids(svg: str, prefix: str) -> str:
    """SVG text in which what is referred to is named by `prefix` and a number, in order of appearance.

    matplotlib names clip paths and markers by hashes of coordinates. Their last digit may differ between
    processors, although the text shows six digits only.

    >>> numbered_ids('<path id="p3f2a"/><use href="#p3f2a"/>', "fig1")
    '<path id="fig1-1"/><use href="#fig1-1"/>'
    """
    referred = dict.fromkeys(re.findall(r'(?:href="|url\()#([^")]+)', svg))
    names = {name: f"{prefix}-{number}" for number, name in enumerate(referred, 1)}
    return re.sub(
        r'(\bid="|href="#|url\(#)([^")]+)',
        lambda found: found[1] + names.get(found[2], found[2]),
        svg,
    )
