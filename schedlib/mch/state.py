"""The state of a run: everything that its kernels change."""

from typing import NamedTuple

import numpy as np

from schedlib.core.arrays import zeroed
from schedlib.core.events import EventQueue, event_queue
from schedlib.mch.flatten import Nodes
from schedlib.mch.heaps import Heaps, new_heaps
from schedlib.mch.hierarchy import MOST, Copies, by_depth, fixed, new_copies, new_leaves
from schedlib.mch.model import Tree
from schedlib.mch.weights import Weights, flat_weights

f8, i8, flag = np.float64, np.int64, np.bool_
JOB = np.dtype(
    [
        ("submit", f8),
        ("duration", f8),
        ("depart", f8),
        ("start", f8),
        ("finish", f8),
        ("leaf", i8),
        ("left", i8),  # tasks that wait
        ("running", i8),
    ],
    align=True,
)
CHANGE = np.dtype([("time", f8), ("leaf", i8), ("tasks", i8)], align=True)
TALLY = np.dtype(
    [
        ("now", f8),
        ("until", f8),  # the last time that counts
        ("whose", i8),  # whose weights change with the active leaves; -1: they do not change
        ("saturated", i8),  # bit j: a chosen task did not fit in resource j
        ("first", i8),  # k', whose saturation changes weights, -1 for none
        ("decisions", i8),  # leaves chosen
        ("operations", i8),  # heap places looked at
        ("reweighed", i8),  # how often weights were worked out again
        ("ordered", i8),  # entries of `State.order`
        ("touched", i8),  # entries of `State.touched`
        ("logged", i8),  # entries of `State.log`
        ("submitted", i8),  # jobs that have arrived
        ("departed", i8),  # jobs whose time to leave has come
        (
            "bad_leaf",
            i8,
        ),  # of a priority that is NaN, or chosen although it cannot be served; -1 for none
        ("bad_tasks", i8),  # its tasks then; -1: it cannot be served
        ("steps", i8),  # decisions and events in this slice
        ("active_changed", flag),  # whether a leaf has become active or inactive
        (
            "chooses",
            flag,
        ),  # whether the rule is a function that chooses; else its priorities are in heaps
        ("rank_all", flag),  # whether to ask for every priority: at the start, and with new weights
        ("ready", flag),  # whether all ends and arrivals of this time are done, and tasks may start
    ],
    align=True,
)


class Jobs(NamedTuple):
    """Jobs, and their order in the leaves' lines (one line after another), at arrival and at leaving."""

    table: np.recarray  # JOB (n,)
    line: np.ndarray
    head: np.ndarray  # (p,) the place in `line` of the job that a leaf serves
    by_submit: np.ndarray
    by_depart: np.ndarray


NONE = np.zeros(0, np.int64)
NO_JOBS = Jobs(table=zeroed(JOB, 0), line=NONE, head=NONE, by_submit=NONE, by_depart=NONE)


class Work(NamedTuple):
    """The work to do, and the lengths of the arrays that it needs."""

    waiting: np.ndarray  # (p,) tasks that wait at the start
    jobs: Jobs = NO_JOBS  # those that bring more
    ends: int = 0  # of tasks that are known at the same time
    order: int = 0  # leaves to write down, one for each task
    log: int = 0  # changes to write down


class State(NamedTuple):
    """All that a run changes; p leaves, R resources."""

    tally: np.recarray  # TALLY (1,)
    leaves: np.recarray  # LEAF (p,)
    demand: np.ndarray  # (p, R) per task
    capacity: np.ndarray  # (R,)
    shown_demand: np.ndarray  # (p, R) copies for rules: numpy lets them write to what is read-only
    shown_capacity: np.ndarray  # (R,)
    used: np.ndarray  # (R,)
    free: np.ndarray  # (R,) as a rule sees it
    busy: np.ndarray  # (R,) usage times time
    usage: np.ndarray  # (R,) what a priority is shown
    touched: np.ndarray  # (p,) leaves whose tasks changed at this time
    order: np.ndarray  # leaves in the order in which tasks started; empty when not wanted
    log: np.recarray  # CHANGE; empty when not wanted
    jobs: Jobs
    ends: EventQueue  # of tasks
    heaps: Heaps
    late: Heaps  # by `late_key`, of the leaves that do not demand k'
    nodes: np.recarray  # NODE (Q,), read-only
    need: np.ndarray  # (p, R) demand over capacity, read-only
    mine: np.ndarray  # (N, W) a rule's own numbers
    looked: np.ndarray  # (1,) operations that a rule has counted
    copies: Copies
    flat: Nodes  # what a flat rule's weights are worked out in


def new_state(
    tree: Tree,
    capacity: np.ndarray,
    weights: Weights,
    chooses: bool,
    work: Work,
    room: tuple[int, int] = (0, 0),
) -> State:
    """A state in which nothing runs yet.

    `room` is how many numbers a rule keeps for each node, and for each resource of it.
    """
    tally = zeroed(TALLY, 1)
    tally.bad_leaf = tally.whose = -1
    tally.first = weights.first
    tally.chooses = chooses
    tally.until = np.inf
    tally.rank_all = True
    nodes = by_depth(tree)
    rows = len(nodes) + nodes.count[nodes.inner >= 0].sum()
    leaves = new_leaves(tree, nodes, work.waiting)
    leaves.weight = weights.weight
    leaves.late = weights.late
    p, resources = tree.demand.shape
    wide = room[0] + room[1] * resources
    count = 2**resources if resources <= MOST and chooses else 1
    return State(
        tally=tally,
        leaves=leaves,
        demand=fixed(tree.demand),
        capacity=fixed(capacity),
        shown_demand=fixed(tree.demand.copy()),
        shown_capacity=fixed(capacity.copy()),
        free=np.zeros(resources),
        used=np.zeros(resources),
        busy=np.zeros(resources),
        usage=np.zeros(resources),
        touched=np.zeros(p, np.int64),
        order=np.zeros(work.order, np.int64),
        log=zeroed(CHANGE, work.log),
        jobs=work.jobs,
        ends=event_queue(work.ends + 1),
        heaps=new_heaps(leaves.bits),
        late=new_heaps(leaves.bits),
        nodes=fixed(nodes),
        need=fixed(tree.demand / capacity),
        mine=np.zeros((rows, wide)),
        looked=np.zeros(1, np.int64),
        copies=new_copies(count, rows, wide, p),
        flat=weights.flat,
    )


def smallest() -> State:
    """The state of a single leaf, from which the types of kernels are read."""
    tree = Tree([(1.0,)])
    unit = np.ones(1)
    weights = flat_weights(tree, unit, "drf")
    return new_state(tree, unit, weights, False, Work(unit))
