"""The smallest trees on which a rule breaks a property, or a flat rule allocates otherwise than H-DRF."""

from functools import partial

import numpy as np
import pandas as pd

from schedlib.exhibits.mch.common import CAPACITY, RULES, label
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.mch.allocate import allocate
from schedlib.mch.flatten import flatten
from schedlib.mch.properties import PROPERTIES, solve
from schedlib.mch.search import as_text, counter_example

PLACE = 5.5


def _capacity(tree):
    return np.full(tree.n_resources, CAPACITY)


def _clear(tree):
    """Whether one resource alone is saturated first: a failure could be put down to a tie of two."""
    return np.sort(flatten(tree, _capacity(tree)).node_share[0])[-2] < 0.99


def _violates(holds, rule, tree):
    """Whether the rule takes the tree and misses the property by more than 1 % of the guarantee."""
    try:
        return _clear(tree) and holds(tree, _capacity(tree), rule).value < -0.01
    except ValueError:
        return False


def _gaps(tree, rule):
    """How far each leaf's dominant share, (p,), is from H-DRF's."""
    capacity = _capacity(tree)
    return np.abs(solve(tree, capacity, rule).shares - allocate(tree, capacity, "h-drf").shares)


def _differs(rule, tree):
    """Whether some leaf's share is more than 1 % of the cluster away from H-DRF's."""
    return _clear(tree) and _gaps(tree, rule).max() > 0.01


def run(rule: str, tries: int, seed: int) -> pd.DataFrame:
    """The smallest tree found for each property that a rule violates.

    Columns are `rule, property, tree, leaves, margin, who, shares, h_drf`; shares are the leaves' dominant
    shares in per cent, the rule's and H-DRF's. A property without a row failed on no tree. For the flat rules
    `as H-DRF` is a property too: allocating 1 % of the cluster otherwise fails it.
    """
    one, rows = RULES[rule], []
    searched = {name: partial(_violates, holds, one) for name, holds in PROPERTIES.items()}
    if rule in ("mch", "exact-ch", "case1"):
        searched |= dict.fromkeys(("as H-DRF", "as H-DRF, full-type leaves"), partial(_differs, one))
    full_type = {"as H-DRF, full-type leaves", *(PROPERTIES if rule in ("c-ch", "m-ch") else ())}
    for name, fails in searched.items():
        tree = counter_example(fails, seed, tries, partial=0.0 if name in full_type else 0.5)
        if tree is None:
            continue
        capacity, gaps = _capacity(tree), _gaps(tree, one)
        margin, who = -gaps.max(), tree.name(tree.leaves[int(gaps.argmax())])
        if name in PROPERTIES:
            margin, who = PROPERTIES[name](tree, capacity, one)
        shares = (_percent(solve(tree, capacity, solved).shares) for solved in (one, "h-drf"))
        rows.append((rule, name, as_text(tree), tree.n_leaves, margin, who, *shares))
    return pd.DataFrame(
        rows, columns=["rule", "property", "tree", "leaves", "margin", "who", "shares", "h_drf"])


def _percent(shares):
    return ", ".join(f"{100 * share:.3g}" for share in shares)


def _alt(frame):
    rows = frame[frame["rule"] == "mch"].itertuples()
    words = "; ".join(f"{label(row.rule)}, {row.property}: {row.leaves} leaves" for row in rows)
    return f"Table of the smallest trees found on which a rule violates a property. {words}."


EXPERIMENTS = (Experiment("mch.counterexamples", "The smallest trees on which a property fails", run,
                          scales(*(grid(rule=RULES, tries=[tries]) for tries in (5, 100, 1000))), scales(1)),)
FIGURES = (Figure(
    "mch.counterexamples", "mch.counterexamples", None,
    "The smallest trees found on which a rule violates a property by 1 % of the guarantee or more (two "
    "resources of equal capacity, a leaf is what one of its tasks needs, a bracket a group), or on which a "
    "flat rule's shares differ from H-DRF's by more than 1 % of the cluster. Shares are the leaves' dominant "
    "shares in per cent, from left to right; the margin is in units of the guarantee. C-CH and M-CH are "
    "searched on full-type leaves. Random search, then shrinking: nothing smaller in one step fails.", _alt),)
