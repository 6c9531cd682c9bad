"""Pictures of a hierarchy: boxes with names, weights, demands and shares, as a tidy tree."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from schedlib.mch.model import Tree
from schedlib.plots import style

# Inches: a character's width, a line's height, a box's margins, what is between boxes and levels, a title's height.
CHARACTER = 0.082
LINE = 0.17
PAD = 0.16
GAP = 0.16
APART = 0.36
HEAD = 0.3
# leaves that do not need every resource
PARTIAL = (style.BROWN, style.GREEN, style.PURPLE, style.VIOLET)


class Layout(NamedTuple):
    """Where each of Q nodes is drawn: texts, shares (Q,), boxes and centres (Q, 2), and the whole's size, in inches."""

    texts: list[str]
    share: np.ndarray
    box: np.ndarray
    centre: np.ndarray
    size: tuple[float, float]


def plot_tree(
    tree: Tree,
    shares: npt.ArrayLike | None = None,
    labels: Mapping[tuple, str] | None = None,
    *,
    resources: Sequence[str] = (),
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a hierarchy, a box for each node: name, weight where weights were given, a leaf's demands, share.

    - `shares`: dominant shares as fractions, (p,) one per leaf or (Q,) one per node, or NaN; a bar shows each
    - `labels`: text by path that takes the place of weight and demands; lines are separated by newlines
    - `resources`: the resources' names, to write demands as "1 CPU"
    - `ax`: axes to draw into, best of the size that `tree_size` gives; otherwise a figure is made

    Leaves that need every resource are blue, others have the colour of the first that they need; groups are
    grey. Raises ValueError for shares of another length and labels that name no node.

    >>> ax = plot_tree(Tree([[(1, 0), (0, 1)], [(1, 0)]]), shares=[0.5, 1, 0.5], resources=("CPU", "memory"))
    >>> [text.get_text() for text in ax.texts[:3]]
    ['root', 'n1', 'n1,1\\n1 CPU\\nshare 0.5']
    """
    layout = _layout(tree, shares, labels, resources, title)
    _, ax = style.into(ax, layout.size)
    width, height = layout.size
    if title:
        height -= HEAD
    ax.set(xlim=(0, width), ylim=(0, height), aspect="equal", title=title)
    ax.axis("off")
    for child in range(1, tree.n_nodes):
        _line(ax, layout, tree.parent[child], child)
    for node, text in enumerate(layout.texts):
        _box(ax, layout.centre[node], layout.box[node], colour_of(tree, node), layout.share[node])
        x, y = layout.centre[node]
        ax.text(x, y, text, ha="center", va="center", fontsize=9, linespacing=1.2, zorder=4)
    return ax


def tree_size(
    tree: Tree,
    shares: npt.ArrayLike | None = None,
    labels: Mapping[tuple, str] | None = None,
    *,
    resources: Sequence[str] = (),
    title: str = "",
) -> tuple[float, float]:
    """Width and height in inches that `plot_tree` takes for the same arguments.

    >>> width, height = tree_size(Tree([(1, 0), (0, 1)]))
    >>> width > 1 and height > 0.5
    True
    """
    return _layout(tree, shares, labels, resources, title).size


def _per_node(tree, shares):
    """Shares as (Q,), NaN where a node has none."""
    values = np.asarray(np.nan if shares is None else shares, float)
    if values.shape == (tree.n_nodes,):
        return values
    if values.shape not in ((), (tree.n_leaves,)):
        raise ValueError(
            f"shares: shape {values.shape}; give one for each of {tree.n_leaves} leaves or {tree.n_nodes} nodes"
        )
    per_node = np.full(tree.n_nodes, np.nan)
    per_node[tree.leaves] = values
    return per_node


def _lines(tree, node, share, labels, resources):
    """The lines in a node's box: its name, its label or else its weight and demands, its share."""
    lines = [tree.name(node)]
    path, leaf = tree.paths[node], tree.leaf_of[node]
    if path in labels:
        lines += labels[path].splitlines()
    else:
        if tree.weights and node:
            lines.append(f"weight {tree.weight[node]:g}")
        if leaf >= 0:
            lines += _needs(tree.demand[leaf], resources)
    if not np.isnan(share):
        lines.append(f"share {share:.3g}")
    return lines


def _needs(demand, resources):
    """A leaf's demands in lines: two resources in the first, then one in each."""
    if len(resources) != len(demand):
        return ["<" + ", ".join(f"{amount:.3g}" for amount in demand) + ">"]
    pairs = zip(demand, resources, strict=True)
    needs = [f"{amount:.3g} {name}" for amount, name in pairs if amount]
    return ",\n".join([", ".join(needs[:2]), *needs[2:]]).split("\n")


def _layout(tree, shares, labels, resources, title):
    """Where each node is drawn: all boxes are of one width, and those of a level of one height."""
    labels = labels or {}
    for path in labels:
        if path not in tree.paths:
            raise ValueError(
                f"labels: no node has the path {path!r}; paths are tuples, (2, 1) for n2,1"
            )
    share = _per_node(tree, shares)
    texts = []
    height = np.zeros(tree.n_nodes)
    longest = 0
    for node in range(tree.n_nodes):
        lines = _lines(tree, node, share[node], labels, resources)
        texts.append("\n".join(lines))
        height[node] = LINE * len(lines) + PAD
        longest = max(longest, *map(len, lines))
    width = max(CHARACTER * longest + PAD, 0.6)
    levels = np.zeros(tree.depth.max() + 1)  # (depths,) their heights
    np.maximum.at(levels, tree.depth, height)
    height = levels[tree.depth]
    above = np.cumsum(levels + APART) - (levels + APART)
    x = _order(tree) * (width + GAP) + width / 2 + GAP / 2
    y = above[tree.depth] + height / 2 + GAP / 2
    across = (x + width / 2).max() + GAP / 2
    down = (y + height / 2).max() + GAP / 2
    box = np.column_stack((np.full(tree.n_nodes, width), height))
    centre = np.column_stack((x, down - y))  # the first on top
    return Layout(texts, share, box, centre, (float(across), float(down + HEAD * bool(title))))


def _order(tree):
    """Places of the nodes side by side: leaves at 0, 1, ..., a group in the middle of its children."""
    order = np.zeros(tree.n_nodes)
    order[tree.leaves] = np.arange(tree.n_leaves)
    for node in np.flatnonzero(tree.leaf_of < 0)[::-1]:
        places = order[tree.children(node)]
        order[node] = (places[0] + places[-1]) / 2
    return order


def colour_of(tree: Tree, node: int) -> str:
    """The colour of a node in `plot_tree`.

    >>> colour_of(Tree([(1, 1)]), 1) == style.BLUE
    True
    """
    leaf = tree.leaf_of[node]
    if leaf < 0:
        return "#666666"
    needs = tree.demand[leaf] > 0
    if needs.all():
        return style.BLUE
    return PARTIAL[needs.argmax() % len(PARTIAL)]


def _line(ax, layout, parent, child):
    """From below a parent to above its child, with bends half-way between."""
    x, begin = layout.centre[parent]
    to, end = layout.centre[child]
    begin -= layout.box[parent, 1] / 2
    end += layout.box[child, 1] / 2
    middle = (begin + end) / 2
    ax.plot(
        [x, x, to, to],
        [begin, middle, middle, end],
        color="#888888",
        linewidth=1.1,
        zorder=1,
        solid_joinstyle="round",
    )


def _box(ax, centre, size, colour, share):
    """A node's box, filled from the left as far as its share goes."""
    low = centre - size / 2
    pale = to_rgba(colour, 0.1)
    shape = style.rounded(
        ax, low, size, 0.05, facecolor=pale, edgecolor=colour, linewidth=1.3, zorder=2
    )
    if share > 0:
        filled = to_rgba(colour, 0.28)
        wide = min(share, 1) * size[0]
        bar = Rectangle(low, wide, size[1], facecolor=filled, edgecolor="none", zorder=3)
        ax.add_patch(bar)
        bar.set_clip_path(shape)
