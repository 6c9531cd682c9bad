"""The interface between engine and policy: questions and notices.

A policy's state is a NamedTuple. `hand_over` makes the policy's kernels its methods, so that the engine
calls `policy.on_arrive(state, slot, rng)` and knows no policy by name:

- `arrive(policy, state, slot, rng)`: the machine on which an arriving job starts, or NONE
- `wait(policy, state, slot, rng)`: the arriving job waits
- `left(policy, state, slot, machine)`: a job has left the machine
- `pick(policy, state, machine)`: the waiting job that now starts on the machine, or NONE; asked after `left`
  until it gives NONE
- `start(policy, state, slot, machine)`: whether a job that starts does so for the first time, and when it will end
- `moment(policy, state, log)`: all of a moment has happened; 1 when the policy then stops or starts jobs, or may have
  named a time; 0 when not; REFUSED; MORE_PIECES
- `clock(policy, state, ahead)`: when the policy asks to be called, infinite if never; `ahead`: when the next job comes
  or ends; REFUSED
- `call(policy, state, log, ahead)`: that time has come, before what else happens then; gives REFUSED or not
- `grown(policy, slots)`: the same with room for `slots` jobs; no kernel

On an impossible choice `arrive` and `pick` give `refuse(...)`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload_method

from schedlib.core.uncounted import UNCOUNTED, WITHIN, kernel

# these methods hide fields of the same name in every NamedTuple that a kernel sees
KERNELS = (
    "on_arrive",
    "on_wait",
    "on_left",
    "on_pick",
    "on_start",
    "on_moment",
    "on_clock",
    "on_call",
)
IN_LINE = {"nogil": True, **UNCOUNTED, **WITHIN}


@kernel
def nothing(policy, state, *rest):
    """The notice of an event that a policy ignores."""


@kernel
def runs_through(policy, state, slot, machine):
    """A job that starts once, and ends when its work is done."""
    m = state.machines
    job = state.table.job[slot]
    return True, state.meter.clock[0].now + job.work * m.pace[m.config[machine], job.job_class]


@kernel
def none_start(policy, state, *rest):
    """A policy that decides at each event leaves nothing for the end of a moment, nor for another time."""
    return 0


@kernel
def never(policy, state, ahead):
    """A policy that names no time."""
    return np.inf


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
    start: Callable = runs_through,
    moment: Callable = none_start,
    clock: Callable = never,
    call: Callable = none_start,
    grown: Callable = unchanged,
) -> None:
    """Make these functions the methods of a policy's state."""
    kept.on_arrive = arrive
    kept.on_wait = wait
    kept.on_pick = pick
    kept.on_left = left
    kept.on_start = start
    kept.on_moment = moment
    kept.on_clock = clock
    kept.on_call = call
    kept.grown = grown


def in_kernels(name: str) -> None:
    """Let kernels call this method, which numba looks up as it compiles."""

    @overload_method(types.BaseNamedTuple, name, jit_options=IN_LINE)  # type: ignore[call-arg]
    def compiled(policy, state, *rest):
        chosen = getattr(policy.instance_class, name)
        return lambda policy, state, *rest: chosen(policy, state, *rest)


for name in KERNELS:
    in_kernels(name)
