"""Whether each axis of a drawn figure has a label, and its label a unit: a lint on the gallery's figures."""

import re


def check_labels(figure_id, drawn):
    """Raise ValueError when an axis lacks its label or unit; one label may serve axes that share it. Axes
    that are off, or labelled "no-axes" by `ax.set_label`, need none."""
    for ax in drawn.axes:
        if not ax.axison or ax.get_label() in ("no-axes", "<colorbar>"):
            continue
        where = f"figure {figure_id}: axes {ax.get_title() or drawn.axes.index(ax)!r}"
        for letter in "xy":
            shared = [ax, *getattr(ax, f"get_shared_{letter}_axes")().get_siblings(ax)]
            own = [label for other in shared if (label := getattr(other, f"get_{letter}label")())]
            label = (*own, getattr(drawn, f"get_sup{letter}label")())[0]
            ticks = [
                tick for other in shared for tick in getattr(other, f"get_{letter}ticklabels")()
            ]
            if not label:
                raise ValueError(f"{where} lack the {letter} label")
            if numeric(tick.get_text() for tick in ticks) and not has_unit(label):
                way_out = "write it as in 'wait (s)', or name what is counted"
                raise ValueError(f"{where}: the {letter} label {label!r} lacks its unit; {way_out}")


def numeric(ticks):
    """Whether the ticks are numbers; words need no unit.

    >>> numeric(["0", "1/2", r"$\\mathdefault{10^{3}}$"]), numeric(["Eagle", "Hawk"])
    (True, False)
    """
    return not any(re.search("[A-Za-z]", tick.replace(r"\mathdefault", "")) for tick in ticks)


UNIT = (
    r"\((s|min|hours|days|GB|%|thousands|mean task lengths|mean service times)\b[^)]*\)|\(%"
    r"| / |\bover\s+(the|that)\b"
)
MEASURED = r"\b(times?|waits?|memory|makespans?|durations?|delays?|rates?|bytes)\b"
BARE = (
    r"\b((micro)?seconds|jobs|tasks|machines|workers|nodes|cores|classes|levels|operations|candidates"
    r"|percentile|probes|queue|load|share|fraction|chance|factor|Phi|Omega)\b"
)


def has_unit(label):
    """Whether an axis label names its unit in brackets, is a ratio, or says what is counted.

    >>> [has_unit(label) for label in ("mean wait (s)", "mean wait", "wait, Eagle / Hawk", "number of jobs")]
    [True, False, True, True]
    """
    counted = not re.search(MEASURED, label.replace("\n", " ")) and re.search(BARE, label)
    return bool(re.search(UNIT, label) or counted)
