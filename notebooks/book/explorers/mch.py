"""The explorer of the MCH chapter: a tree that one writes and fills."""

import ast
import functools
import warnings
from typing import Any

import ipywidgets as widgets
import numpy as np
from matplotlib.axes import Axes

from book.explorers import Explorer, Picture, Question, labelled, menu, placed, slider, working
from schedlib import mch
from schedlib.mch.allocate import filling_path
from schedlib.mch.properties import node_shares
from schedlib.plots import style
from schedlib.plots.trees import colour_of

RULES = (
    "mch",
    "mch-two-phase",
    "h-drf",
    "case1",
    "exact-ch",
    "naive-h-drf",
    "drf",
    "weighted-drf",
    "c-ch",
    "m-ch",
)
RESOURCES = ("CPU", "GB")
FULL = np.array(["CPU", "memory"])
LEAVES = 12
DEPTH = 5
# inches
WIDTH = 4.4  # of the picture: as wide as a phone
LEFT = 2.6  # of the bars of shares
ROOM = 1.2  # for the longest of them
SMALLEST = 1e-3
LARGEST = 1e6
# Examples by name: the tree's text, CPUs, memory (GB).
PRESETS: dict[str, tuple[str, int, int]] = {
    "MCH breaks its promise": ("[(4, 1), [(1, 0), (0, 1), (0, 1)]]", 36, 36),
    "Fig. 4 of the paper": ("[[(1, 0), (0, 1)], [(1, 0), (1, 0), (0, 1)], [(1, 0)]]", 200, 200),
    "all jobs full-type": ("[(1, 3), [(2, 3), (5, 3)]]", 10, 12),
    "Fig. 1, with weights": ("[[(1, 2)*90, (2, 1)*10]*60, [(1, 1)*90, (3, 1)*10]*40]", 100, 100),
    "two users": ("[(1, 4), (3, 1)]", 9, 18),
    "a group of three": ("[[(0, 1), (0, 1), (0, 1)], (0, 1), (1, 0), (1, 0), (1, 0)]", 100, 100),
}


def read_tree(text: str) -> mch.Tree:
    """The tree of a text such as "[(1, 0), [(0, 1), (2, 1)]*3]": groups in brackets, leaves in parentheses,
    weights after an asterisk. Only numbers are read, nothing is run. Raises ValueError, with what is wanted,
    on any other text and on trees that cannot be drawn well: of more than 12 leaves or 5 levels, of demands of
    other than two resources, or that are not 0 or between 0.001 and 1,000,000.

    >>> tree = read_tree("[(1, 0), [(0, 1), (2, 1)]*3]")
    >>> tree.n_leaves, tree.weight.tolist()
    (3, [1.0, 1.0, 3.0, 1.0, 1.0])
    """
    weights = {}

    def nested(node, path):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and path:
            weights[path] = ast.literal_eval(node.right)
            node = node.left
        if isinstance(node, ast.List):
            return [nested(child, (*path, k)) for k, child in enumerate(node.elts, 1)]
        return ast.literal_eval(node)

    try:
        with warnings.catch_warnings(action="ignore", category=SyntaxWarning):
            groups = nested(ast.parse(text.strip(), mode="eval").body, ())
        if not isinstance(groups, list):
            raise ValueError("the whole is a group, in brackets")
        tree = mch.Tree(groups, {path: float(weight) for path, weight in weights.items()})
    except Exception as error:  # whatever a reader writes, the reply is a sentence
        why = (error.msg if isinstance(error, SyntaxError) else str(error))[:120]
        why = (
            "numbers, commas and asterisks are all that may stand in it"
            if "malformed" in why
            else why
        )
        form = "Groups stand in brackets, leaves in parentheses: [(1, 0), [(0, 1), (2, 1)]*3]"
        raise ValueError(f"this tree cannot be read: {why}. {form}") from error
    if tree.n_leaves > LEAVES or tree.depth.max() > DEPTH:
        size = f"leaves: {tree.n_leaves}, levels: {tree.depth.max()}"
        raise ValueError(f"{size}; a picture has room for {LEAVES} leaves and {DEPTH} levels")
    if tree.n_resources != 2:
        raise ValueError(
            f"resources named by a leaf: {tree.n_resources}; here they are two, CPU and memory"
        )
    numbers = np.concatenate([tree.demand[tree.demand > 0], tree.weight])
    if numbers.min() < SMALLEST or numbers.max() > LARGEST:
        raise ValueError(
            f"demands (unless 0) and weights here lie between {SMALLEST:g} and {LARGEST:,.0f}"
        )
    return tree


@functools.lru_cache(maxsize=64)
def _path(text, capacity, rule):
    """The tree, its filling's corners (E + 1, p), and what is used at each, in parts of the last."""
    tree = read_tree(text)
    try:
        path = filling_path(tree, capacity, rule)
    except RuntimeError as error:
        raise ValueError(str(error)) from error
    need = tree.demand / capacity
    used = (path / need.max(axis=1)) @ need.sum(axis=1)
    return tree, path, used / used[-1]


def draw_filling(
    text: str, cpu: int = 36, memory: int = 36, rule: str = "mch", filled: int = 100
) -> Picture:
    """A tree, as `read_tree` reads it, on `cpu` CPUs and `memory` GB, `filled` to that % of what `rule` gives
    out in the end. Shares are those of the divisible filling; a group's is what its poorest child lets it
    show. Raises ValueError as `read_tree` does, and when the rule is not for this tree."""
    capacity = (cpu, memory)
    tree, path, used = _path(text, capacity, rule)
    shares = np.array(
        [np.interp(filled / 100, used, path[:, leaf]) for leaf in range(tree.n_leaves)]
    )
    need = tree.demand / capacity
    names = [tree.name(node) for node in tree.leaves]
    usage = need * (shares / need.max(axis=1))[:, None]
    full = FULL[usage.sum(axis=0) > 1 - 1e-6]
    title = (
        f"{style.look(rule).label}, {filled} % of the way: {' and '.join(full) or 'nothing'} full"
    )
    nodes = node_shares(tree, capacity, shares)
    nodes[0] = np.nan
    height = 0.26 * tree.n_nodes  # inches; the bars stand below the tree
    whole = height + 2.1
    above = LEFT / WIDTH, 1.6 / whole, ROOM / WIDTH, height / whole
    figure, (top, bottom) = placed((WIDTH, whole), above, (0.18, 0.5 / whole, 0.78, 0.9 / whole))
    _plot_shares(top, tree, nodes)
    figure.suptitle(title.replace(": ", "\n"), y=1 - 0.05 / whole, va="top", fontsize=10)
    colours = [colour_of(tree, node) for node in tree.leaves]
    _plot_usage(bottom, usage, names, colours, capacity)
    held = ", ".join(f"{name} {share:.3g}" for name, share in zip(names, shares, strict=True))
    return figure, f"{title}. Dominant shares of {cpu} CPUs and {memory} GB: {held}."


def _plot_shares(ax: Axes, tree, nodes):
    """A line for each node, below its parent and further in: what it is, and a bar as long as its share."""
    order = sorted(range(tree.n_nodes), key=lambda node: tree.paths[node])
    beside: Any = {"transform": ax.get_yaxis_transform(), "clip_on": False}
    for row, node in enumerate(order):
        words = tree.name(node)
        if tree.weights and node:
            words += f", weight {tree.weight[node]:g}"
        if tree.leaf_of[node] >= 0:
            needs = zip(tree.demand[tree.leaf_of[node]], RESOURCES, strict=True)
            words += ": " + ", ".join(f"{amount:g} {name}" for amount, name in needs if amount)
        start = (0.1 + 0.16 * tree.depth[node] - LEFT) / ROOM
        ax.text(start, row, words, va="center", **beside)
        if node:
            parent = order.index(tree.parent[node]) + 0.4
            stem = start - 0.1 / ROOM
            bend = [stem, stem, start - 0.02 / ROOM]
            ax.plot(bend, [parent, row, row], color="#888888", linewidth=1, **beside)
            ax.text(1.04, row, f"{nodes[node]:.3g}", va="center", **beside)
            ax.barh(row, nodes[node], height=0.7, color=colour_of(tree, node), alpha=0.5)
    ax.set(xlim=(0, 1), ylim=(tree.n_nodes - 0.5, -0.5), xticks=[], yticks=[])
    ax.text(1.04, 0, "share", va="center", **beside)


def _plot_usage(ax: Axes, usage, names, colours, capacity):
    """A bar for each resource, a part of it for each leaf, in the colour that the leaf has in the tree."""
    start = np.zeros(len(capacity))
    at = np.arange(len(capacity))[::-1]
    for name, colour, amount in zip(names, colours, 100 * usage, strict=True):
        ax.barh(at, amount, left=start, height=0.7, color=colour, alpha=0.5, edgecolor="white")
        for row, (width, left) in enumerate(zip(amount, start, strict=True)):
            if width > 2.5 * len(name):
                ax.text(left + width / 2, at[row], name, ha="center", va="center")
        start += amount
    labels = [f"{amount} {name}" for amount, name in zip(capacity, RESOURCES, strict=True)]
    ax.set(
        xlim=(0, 100), ylim=(-0.5, len(at) - 0.5), xlabel="used (%)", yticks=at, yticklabels=labels
    )


def filling() -> Explorer:
    """A menu of trees and a box to write one, sliders for the capacities and the way, a menu of rules."""
    text, cpu, memory = PRESETS["MCH breaks its promise"]
    controls = {
        "preset": menu(list(PRESETS), text="example"),
        "text": widgets.Text(value=text, description="tree", continuous_update=False),
        "cpu": slider(cpu, 1, 200, text="CPUs"),
        "memory": slider(memory, 1, 400, text="memory (GB)"),
        "rule": menu(labelled(RULES), text="rule"),
        "filled": slider(100, 0, 100, 5, text="filled (%)"),
    }

    def take_example():
        names = ("text", "cpu", "memory")
        for name, value in zip(names, PRESETS[controls["preset"].value], strict=True):
            controls[name].value = value

    with working():
        _path(text, (cpu, memory), "h-drf")  # compiled before the first move
    # on the website these are the example's
    alone = dict.fromkeys(("text", "cpu", "memory"), ())
    rules = ("mch", "mch-two-phase", "h-drf", "naive-h-drf", "drf", "c-ch")
    page = alone | {"rule": rules, "filled": range(0, 101, 10)}
    question = Question(
        "H-DRF fills this cluster. How large is the dominant share of the leaf that has least?",
        {"preset": next(iter(PRESETS)), "rule": "h-drf", "filled": 100},
        lambda preset, text, cpu, memory, rule, filled: _path(text, (cpu, memory), rule)[1][
            -1
        ].min(),
        (0, 1, 0.05),
        "of the cluster",
    )
    return Explorer(
        lambda preset, **values: draw_filling(**values),
        controls,
        height=510,
        on_change={"preset": take_example},
        page=page,
        question=question,
    )
