"""The policies: their form, the paper's policies, and how one is run on an instance."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from schedlib.core.streams import streams
from schedlib.hmhs import list_scheduling, min_min
from schedlib.hmhs.johnson import priority
from schedlib.hmhs.list_scheduling import first, first_in_line, first_ready
from schedlib.hmhs.model import Instance, Schedule, Side, Stage, latest

MIN_MIN = "min-min"


def as_given(instance: Instance) -> np.ndarray:
    """The jobs in the order they were submitted."""
    return np.arange(instance.n_jobs)


def reverse_priority(instance: Instance) -> np.ndarray:
    """Pri's order reversed, ties included."""
    return -np.argsort(np.argsort(priority(instance), kind="stable"), kind="stable")


@dataclass(frozen=True)
class Policy:
    """An order of the jobs and a way to dispatch each stage.

    - `order(instance)` returns one number per job, (N,); the smaller, the earlier, ties as submitted
    - `map_rule`, `reduce_rule`: a function for `hmhs.rule`, or `"min-min"`, which picks the machine too
      and so is not such a function. Min-Min on the map stage then runs each machine's tasks in order of their
      jobs; on the reduce stage it is Dynamic-Min-Min.
    - `barrier`: no reduce starts before every map has ended
    - `name`: what boards, messages and figures call it

    Raises ValueError, with the reason, when a rule does not compile.

    See also: `hmhs.rule`, `hmhs.priority`, `boards.hmhs`.

    >>> from schedlib import hmhs
    >>> def largest(instance):
    ...     return -instance.map_time
    >>> one = [[1.0], [1.0]]
    >>> two = hmhs.Instance([1, 5], [1, 1], one, [1, 1], [1, 1], one)
    >>> hmhs.schedule(two, Policy(order=largest, name="largest first")).map_end.tolist()
    [6.0, 5.0]
    """

    order: Callable[[Instance], np.ndarray] = as_given
    map_rule: Callable | str = first
    reduce_rule: Callable | str = first
    barrier: bool = False
    name: str = "own"

    def __post_init__(self) -> None:
        for stage in ("map_rule", "reduce_rule"):
            rule = getattr(self, stage)
            if callable(rule):
                object.__setattr__(self, stage, list_scheduling.rule(rule))


POLICIES = {
    policy.name: policy
    for policy in (
        Policy(priority, MIN_MIN, MIN_MIN, name="hmhs"),
        Policy(reverse_priority, MIN_MIN, MIN_MIN, name="r-hmhs"),
        Policy(as_given, first, first, name="fifo"),
        Policy(priority, first, first, name="fifo-pri"),
        Policy(as_given, first, first_in_line, name="fifo-strict"),
        Policy(as_given, first, first_ready, name="fifo-ready"),
        Policy(as_given, first, first, barrier=True, name="fifo-barrier"),
    )
}
"""The policies that dispatch by a rule, by name.

The paper does not say which job a free reduce machine takes under FIFO. Here it is the first ready job in
order, which keeps machines busy; the three last policies are the other readings.
"""


def order_of(policy: Policy, instance: Instance) -> np.ndarray:
    """The jobs (N,) as a policy orders them; ValueError when it does not give a number for each.

    >>> one = [[1.0], [1.0]]
    >>> order_of(POLICIES["hmhs"], Instance([5, 1], [1, 1], one, [1, 5], [1, 1], one)).tolist()
    [1, 0]
    """
    keys = np.asarray(policy.order(instance), dtype=float)
    if keys.shape != (instance.n_jobs,) or np.isnan(keys).any():
        raise ValueError(
            f"policy {policy.name!r}: order must return {instance.n_jobs} numbers, none NaN; "
            f"got shape {keys.shape}"
        )
    return np.argsort(keys, kind="stable")


def run(
    instance: Instance, policy: Policy, maps: Stage | None = None, *, seed: int = 0
) -> Schedule:
    """Dispatch all map tasks by a policy, then all reduce tasks; ValueError when it breaks the rules.

    `maps`: the map stage of a policy that dispatches it in the same way: by Min-Min, or by the same order and
    rule. The rest is as for `schedule`.
    """
    order = order_of(policy, instance)
    at_once = np.zeros(instance.n_jobs)
    map_rng, reduce_rng = streams(seed, "hmhs map rule", "hmhs reduce rule")
    map_steps = (0, 0)
    if maps is None:
        maps, map_steps = _dispatch(policy, "map", instance.maps, order, at_once, map_rng)
    if policy.map_rule == MIN_MIN:
        maps = min_min.sequence(order, instance.map_task_time, maps)
    map_end = latest(at_once, maps)
    ready = np.full_like(map_end, map_end.max()) if policy.barrier else map_end
    reduces, reduce_steps = _dispatch(policy, "reduce", instance.reduces, order, ready, reduce_rng)
    return Schedule(
        policy=policy.name,
        map_end=map_end,
        map=maps,
        reduce=reduces,
        steps=map_steps[0] + reduce_steps[0],
        steps_full_scan=map_steps[1] + reduce_steps[1],
    )


def _dispatch(
    policy: Policy, name: str, side: Side, order, ready, rng
) -> tuple[Stage, tuple[int, int]]:
    """Dispatch the stage called `name` by the policy's rule: its tasks, and both counts of candidates."""
    rule = getattr(policy, f"{name}_rule")
    stage = Stage.empty(int(side.tasks.sum()))
    # sorted here: numba takes longer to compile a sort than all of a dispatcher
    by_arrival = np.argsort(ready, kind="stable")
    arrivals = by_arrival[side.tasks[by_arrival] > 0]
    if rule == MIN_MIN:
        return stage, min_min.dispatch(arrivals, ready, side.tasks, side.time, side.quickest, stage)
    if not callable(rule):
        raise ValueError(
            f"policy {policy.name!r}: {name}_rule is {rule!r}; give {MIN_MIN!r} or a function "
            "made by @hmhs.rule"
        )
    line = list_scheduling.line_of(side, order, ready, rng)
    ended = list_scheduling.dispatch(rule, line, arrivals, stage)
    left, given = (line.ready, line.time), (ready, side.time)
    list_scheduling.require_untouched(policy.name, name, left, given)
    list_scheduling.require_all(policy.name, name, line, ended)
    return stage, (stage.job.size, stage.job.size)
