"""Pictures of a hierarchy: boxes with names, weights, demands and shares, as a tidy tree."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from schedlib.mch.model import Tree
from schedlib.pictures import style

UPRIGHT = 9  # trees with at most this many leaves stand upright, the root above; larger ones lie
# in inches
CHARACTER = 0.082  # a character's width
LINE = 0.17  # a line's height
PAD = 0.16  # a box's margins
GAP = 0.16  # what is between boxes
HEAD = 0.3  # a title's height
# leaves that do not need every resource
PARTIAL = (style.BROWN, style.GREEN, style.PURPLE, style.VIOLET)


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
    texts = _texts(tree, shares, labels, resources)
    share = _per_node(tree, shares)
    box, centre, size = _layout(tree, texts, title)
    width, height = size
    _, ax = style.into(ax, size)
    top = height - HEAD if title else height
    ax.set(xlim=(0, width), ylim=(0, top), aspect="equal", title=title)
    ax.axis("off")
    for node in range(1, tree.n_nodes):
        _line(ax, centre, box, tree.parent[node], node, _upright(tree))
    for node, text in enumerate(texts):
        x, y = centre[node]
        _box(ax, centre[node], box[node], _colour(tree, node), share[node])
        ax.text(x, y, text, ha="center", va="center", fontsize=9, linespacing=1.2, zorder=4)
    return ax


def side_by_side(rows: Sequence[Sequence[Mapping]]) -> Figure:
    """Trees in rows of panels, each at its own size; a panel is a dictionary of `plot_tree`'s arguments."""
    sizes = np.array([[tree_size(**panel) for panel in row] for row in rows])
    widths = sizes[..., 0].max(axis=0)
    heights = sizes[..., 1].max(axis=1)
    width = float(widths.sum() + 0.4)
    height = float(heights.sum() + 0.1 * len(rows))
    figure, axes = style.subplots(
        len(rows),
        len(widths),
        size=(width, height),
        squeeze=False,
        gridspec_kw={"width_ratios": widths.tolist(), "height_ratios": heights.tolist()},
    )
    for line, row in zip(axes, rows, strict=True):
        for ax, panel in zip(line, row, strict=True):
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
    if given.shape != (tree.n_leaves,):
        wanted = f"each of {tree.n_leaves} leaves or {tree.n_nodes} nodes"
        raise ValueError(f"shares: shape {given.shape}; give one for {wanted}")
    per_node[tree.leaves] = given
    return per_node


def _texts(tree, shares, labels, resources):
    labels = labels or {}
    for path in labels:
        if path not in tree.paths:
            raise ValueError(
                f"labels: no node has the path {path!r}; paths are tuples, (2, 1) for n2,1"
            )
    joint = "\n" if _upright(tree) else "  "
    texts = []
    for node, share in enumerate(_per_node(tree, shares)):
        path, leaf = tree.paths[node], tree.leaf_of[node]
        lines = [tree.name(node)]
        if path in labels:
            if labels[path]:
                lines += labels[path].split("\n")
        else:
            if tree.weights and node > 0:
                lines.append(f"weight {tree.weight[node]:g}")
            if leaf >= 0:
                lines += _needs(tree.demand[leaf], resources).split("\n")
        if not np.isnan(share):
            lines.append(f"share {share:.3g}")
        texts.append(joint.join(lines))
    return texts


def _needs(demand, resources):
    amounts = [f"{amount:.3g}" for amount in demand]
    if len(resources) != len(demand):
        return "<" + ", ".join(amounts) + ">"
    named = zip(demand, amounts, resources, strict=True)
    needs = [f"{amount} {name}" for need, amount, name in named if need]
    first_line = ", ".join(needs[:2])
    return ",\n".join([first_line, *needs[2:]])


def _layout(tree, texts, title):
    """Each node's box (Q, 2) and centre (Q, 2) and the whole's size, in inches; a level's boxes are alike."""
    box = np.array([_box_of(text) for text in texts])
    upright = _upright(tree)
    across, along = (0, 1) if upright else (1, 0)
    box[:, across] = box[:, across].max()
    depths = range(tree.depth.max() + 1)
    levels = np.array([box[tree.depth == depth, along].max() for depth in depths])
    box[:, along] = levels[tree.depth]
    apart = 0.36 if upright else 0.5
    ends = np.cumsum(levels + apart)
    start = np.append(0.0, ends[:-1])
    # leaves are at 0, 1, ..., a group is in the middle of its children
    order = np.zeros(tree.n_nodes)
    order[tree.leaves] = np.arange(tree.n_leaves)
    for node in np.flatnonzero(tree.leaf_of < 0)[::-1]:
        children = tree.children(node)
        order[node] = (order[children[0]] + order[children[-1]]) / 2
    wide = box[0, across]
    pitch = wide + (GAP if upright else GAP / 2)
    middle = start + levels / 2
    centre = np.empty_like(box)
    centre[:, across] = order * pitch + wide / 2 + GAP / 2
    centre[:, along] = middle[tree.depth] + GAP / 2
    width, height = (centre + box / 2).max(axis=0) + GAP / 2
    centre[:, 1] = height - centre[:, 1]  # the first on top
    if title:
        height += HEAD
    return box, centre, (float(width), float(height))


def _box_of(text):
    """Width and height of a box around a text."""
    lines = text.split("\n")
    longest = max(map(len, lines))
    width = CHARACTER * longest + PAD
    return max(width, 0.6), LINE * len(lines) + PAD


def _colour(tree, node):
    if tree.leaf_of[node] < 0:
        return "#666666"
    needs = tree.demand[tree.leaf_of[node]] > 0
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
        across, along = [x, x, u, u], [begin, bend, bend, end]
    else:
        begin = x + box[parent, 0] / 2
        end = u - box[child, 0] / 2
        bend = (begin + end) / 2
        across, along = [begin, bend, bend, end], [y, y, v, v]
    ax.plot(
        across,
        along,
        color="#888888",
        linewidth=1.1,
        zorder=1,
        solid_joinstyle="round",
    )


def _box(ax, centre, size, colour, share):
    low = centre - size / 2
    width, height = size
    shape = style.rounded(
        ax,
        low,
        size,
        0.05,
        facecolor=to_rgba(colour, 0.1),
        edgecolor=colour,
        linewidth=1.3,
        zorder=2,
    )
    if share > 0:
        bar = Rectangle(
            low,
            min(share, 1) * width,
            height,
            facecolor=to_rgba(colour, 0.28),
            edgecolor="none",
            zorder=3,
        )
        ax.add_patch(bar)
        bar.set_clip_path(shape)
