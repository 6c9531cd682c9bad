"""The interface between engine and policy: questions and notices.

A policy's state is a NamedTuple. `hand_over` makes the policy's kernels its methods, so that the engine
calls `policy.on_arrive(state, slot, rng)` and knows no policy by name:

- `arrive(policy, state, slot, rng)`: the machine on which an arriving job starts, or NONE
- `wait(policy, state, slot, rng)`: the arriving job waits
- `left(policy, state, slot, machine)`: a job has left the machine
- `pick(policy, state, machine)`: the waiting job that now starts on the machine, or NONE; asked after `left`
  until it gives NONE
- `moment(policy, state, log)`: all of a moment has happened; how many jobs the policy then starts, or REFUSED
- `grown(policy, slots)`: the same with room for `slots` jobs; no kernel

On an impossible choice `arrive` and `pick` give `refuse(...)`.
"""

from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import overload_method

from schedlib.core.uncounted import UNCOUNTED, WITHIN, kernel

# these methods hide fields of the same name in every NamedTuple that a kernel sees
KERNELS = ("on_arrive", "on_wait", "on_left", "on_pick", "on_moment")
IN_LINE = {"nogil": True, **UNCOUNTED, **WITHIN}


@kernel
def nothing(policy, state, *rest):
    """The notice of an event that a policy ignores."""


@kernel
def none_start(policy, state, log):
    """A policy that decides at each event leaves nothing for the end of a moment."""
    return 0


def unchanged(policy: Any, slots: int) -> Any:
    """Room for more jobs, in a policy that keeps nothing for each job."""
    return policy


def hand_over(
    kept: Any,
    *,
    arrive: Callable,
    wait: Callable,
    pick: Callable,
    left: Callable = nothing,
    moment: Callable = none_start,
    grown: Callable = unchanged,
) -> None:
    """Make these functions the methods of a policy's state."""
    kept.on_arrive = arrive
    kept.on_wait = wait
    kept.on_pick = pick
    kept.on_left = left
    kept.on_moment = moment
    kept.grown = grown


def in_kernels(name: str) -> None:
    """Let kernels call this method, which numba looks up as it compiles."""

    @overload_method(types.BaseNamedTuple, name, jit_options=IN_LINE)  # type: ignore[call-arg]
    def compiled(policy, state, *rest):
        chosen = getattr(policy.instance_class, name)
        return lambda policy, state, *rest: chosen(policy, state, *rest)


for name in KERNELS:
    in_kernels(name)
