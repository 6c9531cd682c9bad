"""MCH: how each exhibit was run and drawn, and its claims; here what exhibits share: trees, rules, pictures."""

from collections.abc import Iterable

import numpy as np
from pandas import DataFrame, concat

from schedlib.mch.allocate import allocate
from schedlib.mch.model import Tree
from schedlib.mch.properties import collapsed
from schedlib.mch.search import random_tree
from schedlib.plots import style
from schedlib.sweeps import scales

EXACT = 1e-9  # relative differences up to this are rounding: the numbers are equal
CAPACITY = 100.0  # of each resource; divisible shares do not depend on it
NAMES = ("drf", "h-drf", "naive-h-drf", "mch", "mch-two-phase", "case1", "exact-ch", "c-ch", "m-ch")
RULES = {name: name for name in NAMES} | {"collapsed": collapsed}
"""The rules compared; `collapsed`: collapsed hierarchies with dominant shares."""
SEEDS = scales(1, 5)


def random_trees(
    depth: int, partial: float, resources: int, trees: int, seed: int, needs: int = 1
) -> list[Tree]:
    """The same random trees for every rule; no two points or seeds share one."""
    words = [seed, depth, resources, round(1000 * partial)]
    if needs > 1:
        words.append(needs)
    rng = np.random.default_rng(words)
    return [
        random_tree(rng, depth, resources=resources, partial=partial, needs=needs)
        for _ in range(trees)
    ]


def leaf_shares(tree: Tree, capacity: tuple, rules: Iterable[str], **columns) -> DataFrame:
    """Divisible dominant shares under each rule: `rule, leaf, name, share`, and more columns, (p,) each."""
    names = [tree.name(node) for node in tree.leaves]
    leaves, blocks = range(tree.n_leaves), []
    for rule in rules:
        shares = allocate(tree, capacity, rule).shares
        block = DataFrame({"rule": rule, "leaf": leaves, "name": names, "share": shares})
        blocks.append(block.assign(**columns))
    return concat(blocks, ignore_index=True)


def label(rule: str) -> str:
    """A rule's name in a picture."""
    return {"collapsed": "CH, dominant shares"}.get(rule, style.look(rule).label)


def heat_maps(panels: list[tuple], size: tuple[float, float], xlabel: str, ylabel: str, bar: str):
    """Tables of per cents side by side, `(table, row labels, column labels, title)` each of this size.

    Light where nothing fails; one hue, so that it reads the same for the colour-blind and in grey.
    """
    width, height = size
    figure, axes = style.subplots(
        1, len(panels), size=(width * len(panels), height), squeeze=False, sharey=True
    )
    for ax, panel in zip(axes[0], panels, strict=True):
        table, rows, columns, title = panel
        values = table.to_numpy(float)
        image = ax.imshow(values, cmap="Blues", vmin=0, vmax=100, aspect="auto")
        for (i, j), value in np.ndenumerate(values):
            ax.annotate(
                per_cent(value),
                (j, i),
                ha="center",
                va="center",
                fontsize=8.5,
                color="white" if value > 55 else "black",
            )
        ax.set(
            xticks=range(len(columns)),
            xticklabels=columns,
            yticks=range(len(rows)),
            yticklabels=rows,
        )
        ax.grid(False)
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
        ax.set_title(title, fontsize=10)
        ax.set_xlabel(xlabel)
    axes[0, 0].set_ylabel(ylabel)
    figure.colorbar(image, ax=list(axes[0]), label=bar)
    return figure


def per_cent(value: float) -> str:
    """A number from 0 to 100 in a heat map: whole, except where it is nearly 0 or 100.

    >>> per_cent(0), per_cent(0.4), per_cent(55.4), per_cent(float("nan"))
    ('0', '0.4', '55', '–')
    """
    if np.isnan(value):
        return "–"
    whole = value in (0, 100) or 1 <= value <= 99
    return f"{value:.0f}" if whole else f"{value:.1f}"
