"""A rule at work on a cluster, from its first decision to its last."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from schedlib.core.arrays import grown
from schedlib.core.checks import unknown
from schedlib.core.streams import streams
from schedlib.mch import dispatch
from schedlib.mch.model import Tree
from schedlib.mch.rules import Rule, no_choice
from schedlib.mch.state import State, Work, new_state
from schedlib.mch.weights import exact_weights, flat_weights

METHODS = ("fast", "literal")
MOST_RESOURCES = 62  # sets of resources are the bits of a whole number


@dataclass
class Run:
    """A rule, the function by which it chooses, and the state on which it decides."""

    tree: Tree
    rule: Rule
    choose: Callable
    rng: np.random.Generator
    state: State
    tasks: int  # how many start at most, for the progress bar

    def advance(self) -> float:
        """Work for a slice; gives the part of the tasks that have started, and 1 when nothing is left to do."""
        status = dispatch.advance(self.rule.priority, self.choose, self.rng, self.state)
        if status in (dispatch.DONE, dispatch.BAD_RULE):
            return 1.0
        if status == dispatch.REWEIGH:
            self.reweigh()
        if status == dispatch.MORE_ROOM:
            log = self.state.log
            self.state = self.state._replace(log=grown(log, 2 * len(log)))
        return min(0.999, int(self.state.tally[0].ordered) / self.tasks)

    def reweigh(self) -> None:
        """Weights of the active leaves that no kernel works out; the others keep their last ones."""
        leaves = self.state.leaves
        active = (leaves.tasks > 0) | (leaves.waiting > 0)
        leaves.weight[active] = exact_weights(self.tree, self.state.capacity, active)
        self.state.tally.rank_all = True
        self.state.tally.reweighed += 1

    def operations(self) -> int:
        """Heap places that were looked at, and what the rule itself has counted."""
        return int(self.state.tally.operations[0] + self.state.looked[0])

    def check(self, when: str) -> None:
        """ValueError where a reader's rule wrote to what it sees, gave NaN, or a leaf that cannot be served."""
        state, tree, name = self.state, self.tree, repr(self.rule.name)
        shown = {"demand": state.shown_demand, "capacity": state.shown_capacity}
        for field, values in shown.items():
            if not np.array_equal(values, getattr(state, field)):
                raise ValueError(f"rule {name} wrote to `{field}`, which is only to be read")
        tally = state.tally[0]
        leaf, tasks = int(tally.bad_leaf), int(tally.bad_tasks)
        if leaf < 0:
            return
        if leaf >= tree.n_leaves:
            raise ValueError(f"rule {name} chose leaf {leaf} at {when}, of {tree.n_leaves} leaves")
        who = f"leaf {leaf} ({tree.name(tree.leaves[leaf])}) at {when}"
        if tasks < 0:
            raise ValueError(
                f"rule {name} chose {who}, which has no task waiting, or demands a saturated "
                "resource; look at `leaves[k].waiting`, and at `leaves[k].bits & saturated`"
            )
        uses = ", ".join(f"{amount:.4g}" for amount in tasks * tree.demand[leaf])
        raise ValueError(
            f"not a number: the priority of {who}, where it uses ({uses}); return one for each "
            "leaf, inf to come last"
        )


def start(
    tree: Tree, capacity: np.ndarray, rule: Rule, method: str, work: Work, tasks: int, seed: int = 0
) -> Run:
    """A run in which nothing runs yet; at most `tasks` start.

    ValueError on an unknown method, too many resources, and a leaf whose one task is larger than the cluster.
    """
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    if tree.n_resources > MOST_RESOURCES:
        raise ValueError(
            f"tree: {tree.n_resources} resources; task by task there can be {MOST_RESOURCES}"
        )
    for leaf, resource in np.argwhere(tree.demand > capacity * (1 + 1e-9))[:1]:
        raise ValueError(
            f"leaf {leaf} ({tree.name(tree.leaves[leaf])}) needs {tree.demand[leaf, resource]:g} of "
            f"resource {resource} for a task, but there is {capacity[resource]:g}: none of its "
            "tasks ever fits; leave it out, or make its tasks smaller"
        )
    choose = rule.choose
    if method == "literal" and rule.literal is not None:
        choose = rule.literal
    room: Any = rule.room  # a pair, once the rule is made
    weights = flat_weights(tree, capacity, rule.weights)
    state = new_state(tree, capacity, weights, choose is not no_choice, work, room)
    (rng,) = streams(seed, "mch rule")
    return Run(tree, rule, choose, rng, state, max(tasks, 1))


def most_at_once(tree: Tree, capacity: np.ndarray, left: np.ndarray) -> int:
    """A bound on the tasks that run together: of each leaf alone, and by a task's least dominant share."""
    share = (tree.demand / capacity).max(axis=1)
    alone = np.minimum(np.floor((1 + 1e-6) / share), left)
    together = np.floor((1 + 1e-6) * tree.n_resources / share.min())
    return int(min(alone.sum(), together)) + 1
