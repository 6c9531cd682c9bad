"""Which leaf a rule serves next.

A rule, shipped or a reader's, is one of two functions: a `priority`, asked once for each leaf that has
changed, or one that chooses, asked once for a decision, of a `Hierarchy`.
"""

import numpy as np

from schedlib.core.rules import FLOATS, RNG, RuleKind, read_only
from schedlib.core.uncounted import UNCOUNTED, kernel
from schedlib.mch.heaps import least, set_key
from schedlib.mch.hierarchy import Hierarchy, fixed, note
from schedlib.mch.state import smallest

CUT = float(2**24 + 1)  # Veltkamp's constant: of 53 bits, 29 are kept
NODES_A_STEP = 100  # nodes looked at count as one step of a slice


@kernel
def rounded(x):
    """A number to 29 bits (Veltkamp's splitting), so that shares which differ by rounding alone are equal."""
    if not np.isfinite(x):
        return x
    y = x * CUT
    return y - (y - x)


@kernel
def rank(priority, state, heaps, leaf, weight, wants):
    """Ask for a leaf's priority and keep it in a heap while the leaf `wants` tasks.

    What the leaf uses is in `state.usage`. A leaf that never was active has no weight, and comes last.
    """
    tally = state.tally[0]
    key = np.inf
    if weight > 0.0:
        key = priority(leaf, state.usage, state.shown_demand[leaf], weight, state.shown_capacity)
        if np.isnan(key) and tally.bad_leaf < 0:
            tally.bad_leaf = leaf
            tally.bad_tasks = state.leaves[leaf].tasks
    tally.operations += set_key(heaps, leaf, key, wants)


@kernel
def update(priority, state, leaf):
    """Bring a leaf's priority up to date after a change of its tasks, of its backlog or of its weight."""
    tally, record = state.tally[0], state.leaves[leaf]
    if tally.chooses:
        note(state.copies, leaf)
        return
    for l in range(state.used.size):
        state.usage[l] = record.tasks * state.demand[leaf, l]
    wants = record.waiting > 0
    rank(priority, state, state.heaps, leaf, record.weight, wants)
    if tally.first >= 0:  # the weight once k' is saturated, of leaves that do not demand k'
        free = (record.bits >> tally.first) & 1 == 0
        late = record.late if free else 0.0
        rank(priority, state, state.late, leaf, late, wants and free)


@kernel
def ask(pick, rng, state):
    """The leaf that a rule's function chooses from its view of the hierarchy."""
    tally, copies, looked = state.tally[0], state.copies, state.looked
    # c: the copy for the saturated resources, if each set of them has its own
    c = tally.saturated if copies.made.size > 1 else 0
    every_leaf = copies.made[c] != tally.saturated
    copies.made[c] = tally.saturated
    for at in range(copies.changes[c]):
        copies.noted[c, copies.changed[c, at]] = False
    for l in range(state.used.size):
        state.free[l] = state.capacity[l] - state.used[l]
    before = looked[0]
    leaf = pick(
        Hierarchy(
            nodes=state.nodes,
            leaves=read_only(state.leaves),
            need=state.need,
            capacity=state.shown_capacity,
            free=read_only(state.free),
            now=tally.now,
            saturated=tally.saturated,
            first=tally.first,
            changed=copies.changed[c, : copies.changes[c]],
            every_leaf=every_leaf,
            room=copies.room[c],
            mine=state.mine,
            looked=looked,
            rng=rng,
        )
    )
    copies.changes[c] = 0
    tally.steps += (looked[0] - before) // NODES_A_STEP
    return leaf


@kernel
def choose(pick, rng, state):
    """The leaf that the rule serves next, or -1 when every leaf is blocked or has no waiting task."""
    tally, leaves = state.tally[0], state.leaves
    if not tally.chooses:
        if tally.first >= 0 and (tally.saturated >> tally.first) & 1 == 1:
            return least(state.late, tally.saturated)
        return least(state.heaps, tally.saturated)
    leaf = ask(pick, rng, state)
    can = leaf < leaves.size
    if can and leaf >= 0:
        can = leaves[leaf].waiting > 0 and leaves[leaf].bits & tally.saturated == 0
    if not can:
        tally.bad_leaf = leaf
        tally.bad_tasks = -1
    return leaf


_STATE = smallest()
_VIEW = Hierarchy(
    nodes=_STATE.nodes,
    leaves=fixed(_STATE.leaves),
    need=_STATE.need,
    capacity=_STATE.capacity,
    free=fixed(_STATE.free),
    now=0.0,
    saturated=0,
    first=-1,
    changed=_STATE.touched,
    every_leaf=True,
    room=_STATE.mine,
    mine=_STATE.mine,
    looked=_STATE.looked,
    rng=RNG,
)
PRIORITY = RuleKind(
    {"leaf": 0, "usage": FLOATS, "demand": FLOATS, "weight": 1.0, "capacity": FLOATS},
    "priority",
    0.0,
    notes="`tree.mine` or `tree.room` (see @mch.rule(room=...); a priority keeps none)",
)
CHOOSE = RuleKind(
    {"tree": _VIEW},
    "leaf",
    notes="`tree.mine` or `tree.room` (see @mch.rule(room=...))",
    options=UNCOUNTED,
)
