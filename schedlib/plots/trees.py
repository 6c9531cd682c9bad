"""Pictures of a hierarchy: boxes with names, weights, demands and shares, as a tidy tree."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from schedlib.core.checks import typed
from schedlib.mch.model import Tree
from schedlib.plots import style

# trees of at most this number of leaves stand upright, the root above; larger ones lie, a row a leaf
UPRIGHT = 9
# Inches: a character's width, a line's height, a box's margins, what is between boxes, a title's height.
CHARACTER = 0.082
LINE = 0.17
PAD = 0.16
GAP = 0.16
HEAD = 0.3
LEAF_LINES = ("-", "-", "--", ":", "--", "-.")
LEAF_WIDTHS = (1.8, 1.8, 2.6, 1.4, 1.4, 1.4)
"""A line for each leaf over time, so that those that lie on one another are still told apart."""
# leaves that do not need every resource
PARTIAL = (style.BROWN, style.GREEN, style.PURPLE, style.VIOLET)


@typed
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
    named = len(resources)
    if named > 0 and (isinstance(resources, str) or named < tree.n_resources):
        raise ValueError(f"resources: needs a name for each of the {tree.n_resources} resources")
    texts = _texts(tree, shares, labels, resources)
    share = _per_node(tree, shares)
    box, centre, size = _layout(tree, texts, title)
    _, ax = style.into(ax, size)
    width, height = size
    if title:
        height -= HEAD
    ax.set(xlim=(0, width), ylim=(0, height), aspect="equal", title=title)
    ax.axis("off")
    for node in range(1, tree.n_nodes):
        _line(ax, centre, box, tree.parent[node], node, _upright(tree))
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 9}
    look |= {"linespacing": 1.2, "zorder": 4}
    for node, text in enumerate(texts):
        _box(ax, centre[node], box[node], _colour(tree, node), share[node])
        x, y = centre[node]
        ax.text(x, y, text, **look)
    return ax


def side_by_side(rows: Sequence[Sequence[Mapping]]) -> Figure:
    """Trees in rows of panels, each at its own size; a panel is a dictionary of `plot_tree`'s arguments."""
    sizes = np.array([[tree_size(**panel) for panel in row] for row in rows])
    widths = sizes[..., 0].max(axis=0)
    heights = sizes[..., 1].max(axis=1)
    ratios = {"width_ratios": widths.tolist(), "height_ratios": heights.tolist()}
    width = float(widths.sum() + 0.4)
    height = float(heights.sum() + 0.1 * len(rows))
    figure, axes = style.subplots(
        len(rows), len(widths), size=(width, height), squeeze=False, gridspec_kw=ratios
    )
    panels = [panel for row in rows for panel in row]
    for ax, panel in zip(axes.flat, panels, strict=True):
        plot_tree(**panel, ax=ax)
    return figure


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
    texts = _texts(tree, shares, labels, resources)
    _, _, size = _layout(tree, texts, title)
    return size


def _upright(tree):
    return tree.n_leaves <= UPRIGHT


def _per_node(tree, shares):
    """Shares as (Q,), NaN where a node has none."""
    per_node = np.full(tree.n_nodes, np.nan)
    if shares is None:
        return per_node
    given = np.asarray(shares, float)
    if given.shape == per_node.shape:
        return given
    if given.shape not in ((), (tree.n_leaves,)):
        wanted = f"each of {tree.n_leaves} leaves or {tree.n_nodes} nodes"
        raise ValueError(f"shares: shape {given.shape}; give one for {wanted}")
    per_node[tree.leaves] = given
    return per_node


def _texts(tree, shares, labels, resources):
    """What stands in each node's box."""
    labels = labels or {}
    for path in labels:
        if path not in tree.paths:
            raise ValueError(
                f"labels: no node has the path {path!r}; paths are tuples, (2, 1) for n2,1"
            )
    joint = "\n" if _upright(tree) else "  "
    texts = []
    for node, share in enumerate(_per_node(tree, shares)):
        lines = [tree.name(node)]
        path = tree.paths[node]
        if path not in labels:
            lines += _described(tree, node, resources)
        elif labels[path]:
            lines += labels[path].split("\n")
        if not np.isnan(share):
            lines.append(f"share {share:.3g}")
        texts.append(joint.join(lines))
    return texts


def _described(tree, node, resources):
    """A node's weight, where weights were given, and a leaf's demands."""
    lines = []
    if tree.weights and node:
        lines.append(f"weight {tree.weight[node]:g}")
    leaf = tree.leaf_of[node]
    if leaf >= 0:
        lines += _needs(tree.demand[leaf], resources)
    return lines


def _needs(demand, resources):
    """A leaf's demands in lines: two resources in the first, then one in each."""
    if len(resources) != len(demand):
        amounts = [f"{amount:.3g}" for amount in demand]
        return ["<" + ", ".join(amounts) + ">"]
    pairs = zip(demand, resources, strict=True)
    needs = [f"{amount:.3g} {name}" for amount, name in pairs if amount]
    lines = [", ".join(needs[:2]), *needs[2:]]
    return [f"{line}," for line in lines[:-1]] + lines[-1:]


def _layout(tree, texts, title):
    """Each node's box (Q, 2) and centre (Q, 2) and the whole's size, in inches; a level's boxes are alike."""
    margin = GAP / 2
    if _upright(tree):
        across, along = 0, 1
        gap, apart = GAP, 0.36
    else:
        across, along = 1, 0
        gap, apart = GAP / 2, 0.5
    box = np.array([_text_size(text) for text in texts])
    breadth = box[:, across].max()
    length = np.zeros(tree.depth.max() + 1)  # (depths,)
    np.maximum.at(length, tree.depth, box[:, along])
    box[:, across] = breadth
    box[:, along] = length[tree.depth]
    ends = np.cumsum(length + apart)
    start = np.concatenate(([0], ends[:-1]))
    middle = start + length / 2
    beside = _order(tree) * (breadth + gap)
    centre = np.empty_like(box)
    centre[:, across] = beside + breadth / 2 + margin
    centre[:, along] = middle[tree.depth] + margin
    corner = centre + box / 2
    width, height = corner.max(axis=0) + margin
    centre[:, 1] = height - centre[:, 1]  # the first on top
    if title:
        height += HEAD
    return box, centre, (float(width), float(height))


def _text_size(text):
    """The width and the height of a box around a text, in inches."""
    lines = text.split("\n")
    longest = max(map(len, lines))
    width = CHARACTER * longest + PAD
    height = LINE * len(lines) + PAD
    return max(width, 0.6), height


def _order(tree):
    """Places of the nodes side by side: leaves at 0, 1, ..., a group in the middle of its children."""
    order = np.zeros(tree.n_nodes)
    order[tree.leaves] = np.arange(tree.n_leaves)
    groups = np.flatnonzero(tree.leaf_of < 0)
    for node in groups[::-1]:
        places = order[tree.children(node)]
        order[node] = (places[0] + places[-1]) / 2
    return order


def _colour(tree, node):
    leaf = tree.leaf_of[node]
    if leaf < 0:
        return "#666666"
    needs = tree.demand[leaf] > 0
    if needs.all():
        return style.BLUE
    first = int(needs.argmax())
    return PARTIAL[first % len(PARTIAL)]


def _line(ax, centre, box, parent, child, upright):
    """From a parent to a child, with its bends half-way between their sides."""
    x, y = centre[parent]
    u, v = centre[child]
    if upright:
        begin = y - box[parent, 1] / 2
        end = v + box[child, 1] / 2
        bend = (begin + end) / 2
        xs = (x, x, u, u)
        ys = (begin, bend, bend, end)
    else:
        begin = x + box[parent, 0] / 2
        end = u - box[child, 0] / 2
        bend = (begin + end) / 2
        xs = (begin, bend, bend, end)
        ys = (y, y, v, v)
    ax.plot(xs, ys, color="#888888", linewidth=1.1, zorder=1, solid_joinstyle="round")


def _box(ax, centre, size, colour, share):
    """A node's box, filled from the left as far as its share goes."""
    low = centre - size / 2
    width, height = size
    look = {"edgecolor": colour, "linewidth": 1.3, "zorder": 2}
    shape = style.rounded(ax, low, size, 0.05, facecolor=to_rgba(colour, 0.1), **look)
    if share > 0:
        filled = {"facecolor": to_rgba(colour, 0.28), "edgecolor": "none", "zorder": 3}
        bar = Rectangle(low, min(share, 1) * width, height, **filled)
        ax.add_patch(bar)
        bar.set_clip_path(shape)
