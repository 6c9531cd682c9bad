"""Whom a rule serves next, in one table of branches: `look_again` and `choose` are all that a kind of rule decides.

The dispatcher calls these two and asks nobody what kind of rule it has. There are four kinds: shipped flat rules
compare tasks times a constant, a reader's flat rule calls its function, H-DRF and its naive form descend a tree. They
are branches here, and no functions that the dispatcher is handed, because a decision of a shipped flat rule takes some
100 ns: a call of a function that is known only at run time cannot be put in line and takes a good part of that.
"""

from typing import NamedTuple

import numpy as np
from numba.core import types

from schedlib.core.events import EventQueue
from schedlib.core.uncounted import kernel
from schedlib.mch.flat_heap import Heaps, least, rounded, set_key
from schedlib.mch.hdrf_tree import Groups, next_leaf, note
from schedlib.mch.literal import Nodes, descend, scan

SHARE, OWN, H_DRF, NAIVE = range(4)
"""The kinds: flat rules by share over weight, a reader's flat rule, H-DRF, naive hierarchical DRF."""

_VECTOR = types.float64[::1]
PRIORITY = types.float64(types.int64, _VECTOR, _VECTOR, types.float64, _VECTOR)
"""The type of a reader's `priority(leaf, usage, demand, weight, capacity)`."""

LEAF = np.dtype(
    [
        ("weight", np.float64),
        ("slope", np.float64),  # what a task adds to a flat rule's key: its share over the leaf's weight
        ("key", np.float64),  # a flat rule's share over weight, or a reader's priority
        ("bits", np.int64),  # the resources that the leaf demands, bit j for resource j
        ("tasks", np.int64),  # running
        ("waiting", np.int64),
        ("started", np.int64),  # so far
        ("head", np.int64),  # the place in `Jobs.line` of the job that is served
        ("touched", np.bool_),  # whether its tasks changed at this time
    ],
    align=True,
)
JOB = np.dtype(
    [(name, np.float64) for name in ("submit", "duration", "depart", "start", "finish")]
    + [(name, np.int64) for name in ("leaf", "left", "running")],  # `left`: tasks that wait
    align=True,
)
CHANGE = np.dtype([("time", np.float64), ("leaf", np.int64), ("tasks", np.int64)], align=True)
TALLY = np.dtype(
    [
        ("now", np.float64),
        ("saturated", np.int64),  # bit j: a chosen task did not fit in resource j
        ("decisions", np.int64),
        ("operations", np.int64),  # nodes and heap places looked at
        ("ordered", np.int64),  # entries of `State.order`
        ("touched", np.int64),  # entries of `State.touched`
        ("logged", np.int64),  # entries of `State.log`
        ("submitted", np.int64),  # jobs that have arrived, and those whose time to leave has come
        ("departed", np.int64),
        ("bad_leaf", np.int64),  # the leaf whose priority was no number, -1: none; and its tasks then
        ("bad_tasks", np.int64),
        ("active_changed", np.bool_),  # whether a leaf has become active or has ceased to be so
        ("ready", np.bool_),  # whether all has happened at this time and tasks may start
    ],
    align=True,
)


class Jobs(NamedTuple):
    """Jobs, and in which order they come up: in the leaves' lines, one after another, at arrival, at leaving."""

    table: np.ndarray  # JOB (n,)
    line: np.ndarray
    by_submit: np.ndarray
    by_depart: np.ndarray


class State(NamedTuple):
    """All that a run changes; p leaves, R resources."""

    tally: np.ndarray  # TALLY (1,)
    leaves: np.ndarray  # LEAF (p,)
    demand: np.ndarray  # (p, R) per task
    capacity: np.ndarray  # (R,)
    used: np.ndarray  # (R,)
    busy: np.ndarray  # (R,) usage times time
    usage: np.ndarray  # (R,) what a reader's rule is shown
    touched: np.ndarray  # (p,) leaves whose tasks changed at this time
    order: np.ndarray  # leaves in the order in which tasks started; empty when not wanted
    log: np.ndarray  # CHANGE; empty when not wanted
    jobs: Jobs
    ends: EventQueue  # of tasks
    heaps: Heaps
    groups: Groups
    nodes: Nodes


@kernel
def look_again(own, kind, fast, state, leaf):
    """A leaf's number of tasks, or whether it has any waiting, has changed."""
    if kind >= H_DRF:
        if fast:
            note(state.groups, leaf)
        return
    tally, one = state.tally[0], state.leaves[leaf]
    if kind == OWN:
        for l in range(state.used.size):
            state.usage[l] = one.tasks * state.demand[leaf, l]
        key = own(leaf, state.usage, state.demand[leaf], one.weight, state.capacity)
        if np.isnan(key) and tally.bad_leaf < 0:
            tally.bad_leaf, tally.bad_tasks = leaf, one.tasks
        key = rounded(key)
    else:
        key = rounded(one.tasks * one.slope) if one.slope < np.inf else one.slope
    one.key = key
    if fast:
        tally.operations += set_key(state.heaps, leaf, key, one.waiting > 0)


@kernel
def choose(kind, fast, state):
    """The leaf that the rule serves next, or -1 when every leaf is blocked or has no waiting task."""
    tally = state.tally[0]
    if kind < H_DRF:
        if fast:
            return least(state.heaps, tally.saturated)
        tally.operations += state.leaves.size
        return scan(state.leaves, tally.saturated)
    if fast:
        leaf, looked = next_leaf(state.groups, state.leaves, tally.saturated, kind == H_DRF)
    else:
        leaf, looked = descend(state.nodes, state.leaves, tally.saturated, kind == H_DRF)
    tally.operations += looked
    return leaf
