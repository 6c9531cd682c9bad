"""The book's map: who decides, and what is known of durations, for its policies and for six systems."""

from typing import NamedTuple

from matplotlib.figure import Figure

from schedlib.plots import style

KNOWN = ("of no\ntask", "a mean or\nan estimate", "of each\ntask")
DECIDES = (
    "a centre,\nfor a batch",
    "a centre,\nas jobs come",
    "a centre shares,\napplications\nplace tasks",
    "a centre for\nlong jobs, many\nfor short ones",
    "many\nschedulers",
)


class Place(NamedTuple):
    """A policy or a system on the map: the row of who decides and the column of what is known of durations."""

    name: str
    decides: int
    known: int
    several: bool = False
    system: bool = False


PLACES = (
    Place("FIFO", 0, 0),
    Place("List", 0, 0),
    Place("HMHS", 0, 2),
    Place("LPT", 0, 2),
    Place("Johnson", 0, 2),
    Place("FCFS", 1, 0),
    Place("Greedy", 1, 0, several=True),
    Place("DRF", 1, 0, several=True),
    Place("H-DRF", 1, 0, several=True),
    Place("MCH", 1, 0, several=True),
    Place("Borg", 1, 0, several=True, system=True),
    Place("Kubernetes", 1, 0, several=True, system=True),
    Place("LoTES", 1, 1, several=True),
    Place("Slurm", 1, 1, several=True, system=True),
    Place("Tetris", 1, 2, several=True),
    Place("SRPT", 1, 2),
    Place("YARN", 2, 0, several=True, system=True),
    Place("Mesos", 2, 0, several=True, system=True),
    Place("Spark", 2, 0, system=True),
    Place("Hawk", 3, 1),
    Place("Eagle", 3, 1),
    Place("Sparrow", 4, 0),
    Place("DLWL", 4, 1),
)

LEFT, TOP = 1.1, 0.75
WIDE, HIGH = 0.83, 0.27  # inches of a column, and of a name in it: all fits on a phone
KINDS = {
    "one resource": {"facecolor": "white", "edgecolor": style.BLUE, "linestyle": "--"},
    "several resources": {"facecolor": "white", "edgecolor": style.GREEN},
    "a system": {"facecolor": "#E4E4E4", "edgecolor": "#555555"},
}


def _kind(place):
    if place.system:
        return "a system"
    return "several resources" if place.several else "one resource"


def plot_map() -> Figure:
    """A map of the book's policies and of six systems: by who decides (rows) and what is known of durations.

    >>> plot_map().alt.split(":")[0]
    'A map of 17 policies and 6 systems'
    """
    cells: dict[tuple[int, int], list[Place]] = {}
    for place in PLACES:
        cells.setdefault((place.decides, place.known), []).append(place)
    lines = [2] * len(DECIDES)
    for (row, _), places in cells.items():
        lines[row] = max(lines[row], len(places))
    width = LEFT + WIDE * len(KNOWN)
    heights = [HIGH * (number + 1) for number in lines]
    height = TOP + sum(heights) + 0.45
    figure, ax = style.canvas(width, height)
    ax.text(
        LEFT + 1.5 * WIDE, height - 0.12, "what is known of durations", ha="center", va="center"
    )
    ax.text(0.05, height - 0.45, "who decides", va="center")
    bold = {"va": "center", "fontweight": "bold", "fontsize": 8}
    for column, name in enumerate(KNOWN):
        x = LEFT + WIDE * (column + 0.5)
        ax.text(x, height - 0.45, name, ha="center", **bold)
    top = height - TOP
    for row, name in enumerate(DECIDES):
        ax.axhline(top, color="#BBBBBB", linewidth=0.8)
        ax.text(0.05, top - heights[row] / 2, name, **bold)
        for column in range(len(KNOWN)):
            x = LEFT + WIDE * (column + 0.5)
            for line, place in enumerate(cells.get((row, column), [])):
                _name(ax, x, top - HIGH * (line + 1), place.name, _kind(place))
        top -= heights[row]
    ax.axhline(top, color="#BBBBBB", linewidth=0.8)
    for column, kind in enumerate(KINDS):
        _name(ax, 0.6 + 1.28 * column, 0.2, kind, kind)
    systems = [place for place in PLACES if place.system]
    phrases = []
    for (row, column), places in cells.items():
        names = ", ".join(place.name for place in places)
        where = f"{DECIDES[row]}; durations: {KNOWN[column]}".replace("\n", " ")
        phrases.append(f"{names} ({where})")
    figure.alt = (
        f"A map of {len(PLACES) - len(systems)} policies and {len(systems)} systems: "
        f"{'. '.join(phrases)}."
    )
    return figure


def _name(ax, x, y, name, kind):
    box = {"boxstyle": "round,pad=0.22", **KINDS[kind]}
    ax.text(x, y, name, ha="center", va="center", fontsize=9, bbox=box)
