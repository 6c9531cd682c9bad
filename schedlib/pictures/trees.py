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

UPRIGHT = (
    9  # trees of up to so many leaves stand upright, the root above; larger ones lie, a row a leaf
)
# Inches: a character's width, a line's height, a box's margins, what is between boxes, a title's height.
CHARACTER, LINE, PAD, GAP, HEAD = 0.082, 0.17, 0.16, 0.16, 0.3
LEAF_LINES, LEAF_WIDTHS = ("-", "-", "--", ":", "--", "-."), (1.8, 1.8, 2.6, 1.4, 1.4, 1.4)
"""A line for each leaf over time, so that those that lie on one another are still told apart."""
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
    texts, share = _texts(tree, shares, labels, resources), _per_node(tree, shares)
    box, centre, size = _layout(tree, texts, title)
    _, ax = style.into(ax, size)
    ax.set(xlim=(0, size[0]), ylim=(0, size[1] - HEAD * bool(title)), aspect="equal", title=title)
    ax.axis("off")
    for node in range(1, tree.n_nodes):
        _line(ax, centre, box, tree.parent[node], node, _upright(tree))
    for node, (text, (x, y)) in enumerate(zip(texts, centre, strict=True)):
        _box(ax, centre[node], box[node], _colour(tree, node), share[node])
        ax.text(x, y, text, ha="center", va="center", fontsize=9, linespacing=1.2, zorder=4)
    return ax


def side_by_side(rows: Sequence[Sequence[Mapping]]) -> Figure:
    """Trees in rows of panels, each at its own size; a panel is a dictionary of `plot_tree`'s arguments."""
    sizes = np.array([[tree_size(**panel) for panel in row] for row in rows])
    widths, heights = sizes[..., 0].max(axis=0), sizes[..., 1].max(axis=1)
    ratios = {"width_ratios": widths.tolist(), "height_ratios": heights.tolist()}
    size = (float(widths.sum() + 0.4), float(heights.sum() + 0.1 * len(rows)))
    figure, axes = style.subplots(
        len(rows), len(widths), size=size, squeeze=False, gridspec_kw=ratios
    )
    for ax, panel in zip(axes.flat, [panel for row in rows for panel in row], strict=True):
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
    return _layout(tree, _texts(tree, shares, labels, resources), title)[2]


def _upright(tree):
    return tree.n_leaves <= UPRIGHT


def _per_node(tree, shares):
    """Shares as (Q,), NaN where a node has none."""
    per_node, given = (
        np.full(tree.n_nodes, np.nan),
        np.asarray(np.nan if shares is None else shares, float),
    )
    if given.shape == per_node.shape:
        return given
    if shares is not None and given.shape != (tree.n_leaves,):
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
        path, lines = tree.paths[node], [tree.name(node)]
        if path in labels:
            lines += labels[path].split("\n") if labels[path] else []
        else:
            lines += [f"weight {tree.weight[node]:g}"] if tree.weights and node else []
            leaf = tree.leaf_of[node]
            lines += _needs(tree.demand[leaf], resources).split("\n") if leaf >= 0 else []
        lines += [] if np.isnan(share) else [f"share {share:.3g}"]
        texts.append(joint.join(lines))
    return texts


def _needs(demand, resources):
    if len(resources) != len(demand):
        return "<" + ", ".join(f"{amount:.3g}" for amount in demand) + ">"
    needs = [
        f"{amount:.3g} {name}" for amount, name in zip(demand, resources, strict=True) if amount
    ]
    return ", ".join(needs[:2]) + "".join(f",\n{need}" for need in needs[2:])


def _layout(tree, texts, title):
    """Each node's box (Q, 2) and centre (Q, 2) and the whole's size, in inches; a level's boxes are alike."""
    lines = [text.split("\n") for text in texts]
    box = np.array(
        [[max(CHARACTER * max(map(len, one)) + PAD, 0.6), LINE * len(one) + PAD] for one in lines]
    )
    across, along = (0, 1) if _upright(tree) else (1, 0)
    box[:, across] = box[:, across].max()
    levels = np.array(
        [box[tree.depth == depth, along].max() for depth in range(tree.depth.max() + 1)]
    )
    box[:, along] = levels[tree.depth]
    apart = 0.36 if _upright(tree) else 0.5
    start = np.concatenate(([0], np.cumsum(levels + apart)[:-1]))
    # leaves are at 0, 1, ..., a group is in the middle of its children
    order = np.zeros(tree.n_nodes)
    order[tree.leaves] = np.arange(tree.n_leaves)
    for node in np.flatnonzero(tree.leaf_of < 0)[::-1]:
        order[node] = order[tree.children(node)[[0, -1]]].sum() / 2
    centre = np.empty_like(box)
    pitch = box[0, across] + (GAP if _upright(tree) else GAP / 2)
    centre[:, across] = order * pitch + box[0, across] / 2 + GAP / 2
    centre[:, along] = (start + levels / 2)[tree.depth] + GAP / 2
    size = (centre + box / 2).max(axis=0) + GAP / 2
    centre[:, 1] = size[1] - centre[:, 1]  # the first on top
    return box, centre, (float(size[0]), float(size[1] + HEAD * bool(title)))


def _colour(tree, node):
    if tree.leaf_of[node] < 0:
        return "#666666"
    needs = tree.demand[tree.leaf_of[node]] > 0
    return style.BLUE if needs.all() else PARTIAL[int(needs.argmax()) % len(PARTIAL)]


def _line(ax, centre, box, parent, child, upright):
    """From a parent to a child, with its bends half-way between their sides."""
    (x, y), (u, v) = centre[parent], centre[child]
    if upright:
        ends = y - box[parent, 1] / 2, v + box[child, 1] / 2
        path = [(x, ends[0]), (x, sum(ends) / 2), (u, sum(ends) / 2), (u, ends[1])]
    else:
        ends = x + box[parent, 0] / 2, u - box[child, 0] / 2
        path = [(ends[0], y), (sum(ends) / 2, y), (sum(ends) / 2, v), (ends[1], v)]
    ax.plot(
        *zip(*path, strict=True), color="#888888", linewidth=1.1, zorder=1, solid_joinstyle="round"
    )


def _box(ax, centre, size, colour, share):
    low, look = centre - size / 2, {"edgecolor": colour, "linewidth": 1.3, "zorder": 2}
    shape = style.rounded(ax, low, size, 0.05, facecolor=to_rgba(colour, 0.1), **look)
    if share > 0:
        filled = {"facecolor": to_rgba(colour, 0.28), "edgecolor": "none", "zorder": 3}
        bar = ax.add_patch(Rectangle(low, min(share, 1) * size[0], size[1], **filled))
        bar.set_clip_path(shape)
