"""The rules: a shipped rule and a reader's are both a `Rule`, made of one of two functions.

A priority of each leaf, as the flat rules have, or a function that sees the hierarchy and chooses, as H-DRF:

    @mch.rule
    def least_memory(leaf, usage, demand, weight, capacity):
        return usage[1] / (weight * capacity[1])

    @mch.rule(room=0)
    def at_random(tree):
        k = int(tree.rng.random() * tree.leaves.size)
        for _ in range(tree.leaves.size):
            if tree.leaves[k].waiting > 0 and tree.leaves[k].bits & tree.saturated == 0:
                return k
            k = (k + 1) % tree.leaves.size
        return -1
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import overload

from schedlib.core.checks import require_fields, typed, unknown
from schedlib.core.uncounted import UNCOUNTED
from schedlib.mch import hdrf_tree
from schedlib.mch.choice import CHOOSE, PRIORITY, rounded
from schedlib.mch.fluid import fluid_flat, fluid_hdrf
from schedlib.mch.weights import FLAT, flat_weights

MOST_ROOM = 1000  # numbers of a rule's own for each node
_shipped = replace(PRIORITY, options=UNCOUNTED)


@_shipped
def no_priority(leaf, usage, demand, weight, capacity):
    """Placeholder of rules that choose."""
    return 0.0


@CHOOSE
def no_choice(tree):
    """Placeholder of rules that have a priority."""
    return -1


@_shipped
def cpu_share(leaf, usage, demand, weight, capacity):
    """The leaf's share of the first resource over its weight."""
    return rounded(usage[0] / capacity[0] / weight)


@_shipped
def memory_share(leaf, usage, demand, weight, capacity):
    """The leaf's share of the second resource over its weight."""
    return rounded(usage[1] / capacity[1] / weight)


@_shipped
def dominant_share(leaf, usage, demand, weight, capacity):
    """The dominant share over the weight."""
    share = 0.0
    for l in range(usage.size):
        share = max(share, usage[l] / capacity[l])
    return rounded(share / weight)


@dataclass(frozen=True)
class Rule:
    """A rule: which leaf is next, of those that want a task and demand no saturated resource.

    It is one of two functions, which are compiled:

    - `priority(leaf, usage, demand, weight, capacity)`: a number, from the leaf's index, what its tasks use
      now (R,), what one demands (R,), the leaf's weight and the capacity (R,), in the reader's units; the
      leaf with the least is next, ties go to the lower index; asked again only when a leaf's usage or weight
      changes. Priorities are compared exactly. The shipped rules round their shares to 29 bits, so that
      sums which differ by rounding alone are ties
    - `choose(tree)`: the next leaf, or -1 when none can be served, from a `hierarchy.Hierarchy`: nodes and
      siblings, what each leaf runs and has waiting, what is saturated and free, the time, random numbers,
      and arrays of its own, of `room` numbers for each node (a pair: the second, for each resource of it). It
      makes no arrays; its helpers are `schedlib.core.uncounted.kernel`s
    - `weights`: where the weight comes from, a flat rule's name: "weighted-drf" (the leaf's own), "mch",
      "mch-two-phase", "case1", "c-ch", "m-ch", "exact-ch", or "drf" (all 1)

    ValueError on unknown `weights`, on a `room` outside 0 to 1000, with the compiler's reason when a function
    does not compile, and (from `fill` and `simulate`, with the leaf and the time) when it gives NaN,
    or a leaf that cannot be served.

    >>> @rule
    ... def asset_fairness(leaf, usage, demand, weight, capacity):
    ...     return (usage / capacity).sum() / weight
    >>> asset_fairness.name, asset_fairness.weights
    ('asset_fairness', 'weighted-drf')
    """

    priority: Callable = no_priority
    weights: str = "weighted-drf"
    name: str = ""
    choose: Callable = no_choice
    room: int | tuple[int, int] = 0
    # what a shipped rule chooses, as printed
    literal: Callable | None = field(default=None, repr=False)
    fluid: Callable | None = field(default=None, repr=False)  # how it shares tasks as fine as sand

    def __post_init__(self):
        require_fields(self)
        room = tuple(self.room) if isinstance(self.room, tuple | list) else (self.room, 0)
        if len(room) != 2 or not all(0 <= n <= MOST_ROOM for n in room):
            raise ValueError(
                f"room: {self.room}; give a whole number from 0 to {MOST_ROOM}, or two"
            )
        if self.weights not in FLAT:
            raise unknown("weights", self.weights, FLAT)
        function = self.priority if self.choose is no_choice else self.choose
        object.__setattr__(self, "room", room)
        object.__setattr__(self, "name", self.name or getattr(function, "__name__", "own"))
        object.__setattr__(self, "priority", PRIORITY(self.priority))
        object.__setattr__(self, "choose", CHOOSE(self.choose))


@overload
def rule(
    function: Callable, *, weights: str = ..., room: int | tuple[int, int] | None = ...
) -> Rule: ...


@overload
def rule(
    function: None = ..., *, weights: str = ..., room: int | tuple[int, int] | None = ...
) -> Callable[[Callable], Rule]: ...


@typed
def rule(
    function: Callable | None = None,
    *,
    weights: str = "weighted-drf",
    room: int | tuple[int, int] | None = None,
) -> Rule | Callable[[Callable], Rule]:
    """`Rule` as a decorator: of a priority, or, with `room`, of a function that chooses.

    ValueError as `mch.Rule`, and on a function of the tree without `room`.

    See also: `mch.Rule`, for what a function is given; `boards.mch`.

    >>> @rule(weights="drf")
    ... def fewest(leaf, usage, demand, weight, capacity):
    ...     return usage.sum()
    >>> fewest.name, fewest.weights
    ('fewest', 'drf')
    """
    if function is None:
        return partial(rule, weights=weights, room=room)
    if room is None:
        code = getattr(function, "__code__", None)
        if code and code.co_argcount == 1:
            raise ValueError(
                f"{code.co_name}: takes one argument, the tree, so it chooses the leaf; such a rule "
                "needs `room`: write @mch.rule(room=0)"
            )
        return Rule(function, weights)
    return Rule(weights=weights, choose=function, room=room)


def _fluid_flat(name, tree, capacity, stop):
    """Tasks (p,), saturated resources and events of a flat rule's divisible filling, up to event `stop`."""
    weights = flat_weights(tree, capacity, name)
    speed, late = weights.weight / weights.share, weights.late / weights.share
    return fluid_flat(tree.demand / capacity, speed, late, weights.first, stop)


def _fluid_tree(naive, tree, capacity, stop):
    """The same of a hierarchical rule's."""
    shares, saturated, events = fluid_hdrf(tree, capacity, naive, stop)
    return shares / (tree.demand / capacity).max(axis=1), saturated, events


BY_TREE = {
    "h-drf": (hdrf_tree.h_drf, hdrf_tree.h_drf_as_printed),
    "naive-h-drf": (hdrf_tree.naive_h_drf, hdrf_tree.naive_as_printed),
}
"""The hierarchical rules: how each chooses, fast and as printed."""
RULES = {
    name: Rule(
        {"c-ch": cpu_share, "m-ch": memory_share}.get(name, dominant_share),
        name,
        name,
        fluid=partial(_fluid_flat, name),
    )
    for name in FLAT
} | {
    name: Rule(
        name=name,
        choose=choose,
        room=hdrf_tree.ROOM,
        literal=literal,
        fluid=partial(_fluid_tree, name == "naive-h-drf"),
    )
    for name, (choose, literal) in BY_TREE.items()
}
"""Every shipped rule by name: what a reader can write, apart from the literal and the fluid form."""


def the_rule(given: str | Rule) -> Rule:
    """The rule of that name, or the rule itself; ValueError, with the near matches, when it is unknown."""
    if isinstance(given, Rule):
        return given
    if given not in RULES:
        raise unknown("rule", given, RULES, "or a rule made by @mch.rule")
    return RULES[given]
