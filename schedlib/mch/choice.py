"""Which leaf a rule serves next.

A rule, shipped or a reader's, is one of two functions: a `priority`, asked once for each leaf that has
changed, or one that chooses, asked once for a decision, of a `Hierarchy`.
"""

import numpy as np

from schedlib.core.rules import FLOATS, RuleKind
from schedlib.core.uncounted import UNCOUNTED, kernel
from schedlib.mch.heaps import least, set_key
from schedlib.mch.hierarchy import Hierarchy, note
from schedlib.mch.state import HEAPS, TREE, smallest

CUT = float(2**24 + 1)  # Veltkamp's constant: of 53 bits, 29 are kept
LOOKS = 100  # nodes looked at count as one step of a slice


@kernel
def rounded(x):
    """A number to 29 bits (Veltkamp's splitting), so that shares which differ by rounding alone are equal."""
    if not np.isfinite(x):
        return x
    y = x * CUT
    return y - (y - x)


@kernel
def rank(priority, state, heaps, leaf, weight, wants):
    """Ask for a leaf's priority and keep it in a heap while the leaf `wants` tasks; gives it, to 29 bits.

    What the leaf uses is in `state.usage`. A leaf that never was active has no weight, and comes last.
    """
    tally = state.tally[0]
    key = np.inf
    if weight > 0.0:
        key = priority(leaf, state.usage, state.demand[leaf], weight, state.capacity)
        if np.isnan(key) and tally.bad_leaf < 0:
            tally.bad_leaf = leaf
            tally.bad_tasks = state.leaves[leaf].tasks
        key = rounded(key)
    if tally.how == HEAPS:
        tally.operations += set_key(heaps, leaf, key, wants)
    return key


@kernel
def update(priority, state, leaf):
    """Bring a leaf's priority up to date after a change of its tasks, of its backlog or of its weight."""
    tally, one = state.tally[0], state.leaves[leaf]
    if tally.how == TREE:
        note(state.copies, leaf)
        return
    for l in range(state.used.size):
        state.usage[l] = one.tasks * state.demand[leaf, l]
    one.key = rank(priority, state, state.heaps, leaf, one.weight, one.waiting > 0)
    if tally.first >= 0:
        free = (one.bits >> tally.first) & 1 == 0
        late = one.late if free else 0.0
        wants = free and one.waiting > 0
        one.late_key = rank(priority, state, state.late, leaf, late, wants)


@kernel
def ask(pick, state):
    """The leaf that a function chooses, of what it is shown."""
    tally, seen, copies = state.tally[0], state.seen, state.copies
    c = tally.saturated if copies.made.size > 1 else 0
    every_leaf = copies.made[c] != tally.saturated
    copies.made[c] = tally.saturated
    for at in range(copies.changes[c]):
        copies.noted[c, copies.changed[c, at]] = False
    for l in range(state.used.size):
        state.free[l] = state.capacity[l] - state.used[l]
    looked = seen.looked[0]
    leaf = pick(
        Hierarchy(
            nodes=seen.nodes,
            leaves=seen.leaves,
            need=seen.need,
            capacity=seen.capacity,
            free=seen.free,
            now=tally.now,
            saturated=tally.saturated,
            first=tally.first,
            changed=copies.changed[c, : copies.changes[c]],
            every_leaf=every_leaf,
            room=copies.room[c],
            mine=seen.mine,
            looked=seen.looked,
            rng=seen.rng,
        )
    )
    copies.changes[c] = 0
    tally.steps += (seen.looked[0] - looked) // LOOKS
    return leaf


@kernel
def choose(pick, state):
    """The leaf that the rule serves next, or -1 when every leaf is blocked or has no waiting task."""
    tally, leaves = state.tally[0], state.leaves
    if tally.how == HEAPS:
        if tally.first >= 0 and (tally.saturated >> tally.first) & 1 == 1:
            return least(state.late, tally.saturated)
        return least(state.heaps, tally.saturated)
    leaf = ask(pick, state)
    can = leaf < leaves.size
    if can and leaf >= 0:
        can = leaves[leaf].waiting > 0 and leaves[leaf].bits & tally.saturated == 0
    if not can:
        tally.bad_leaf = leaf
        tally.bad_tasks = -1
    return leaf


PRIORITY = RuleKind(
    {"leaf": 0, "usage": FLOATS, "demand": FLOATS, "weight": 1.0, "capacity": FLOATS},
    "priority",
    0.0,
    notes="`tree.mine` or `tree.room` (see @mch.rule(room=...); a priority keeps none)",
)
CHOOSE = RuleKind(
    {"tree": smallest().seen},
    "leaf",
    notes="`tree.mine` or `tree.room` (see @mch.rule(room=...))",
    options=UNCOUNTED,
)
