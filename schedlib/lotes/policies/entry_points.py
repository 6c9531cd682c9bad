"""A policy's five entry points, by which the engine calls it without asking which policy it is.

A policy is a module with a NamedTuple of what it keeps, which `begin` makes, and with kernels of these names.
Their first arguments are what the policy keeps and the `State`.

- `arrive(policy, state, slot, rng)`: the machine on which an arriving job starts, or NONE
- `wait(policy, state, slot, rng)`: the arriving job waits
- `left(policy, state, slot, machine)`: a job has left the machine
- `pick(policy, state, machine)`: the waiting job that now starts on the machine, or NONE; asked after `left`
  until it gives NONE
- `changed(policy, state, machine, rose)`: what is free on the machine has changed; `rose`: it only grew

`left` and `changed` may be missing. Where a choice can be impossible, which happens to a reader's policy,
`arrive` and `pick` give `refuse(...)`. Outside kernels a module has `OPTIONS`, the options of each name it
goes by, and may have `check(settings)`, which raises ValueError on their values.
"""

from collections.abc import Callable

from numba.extending import overload

from schedlib.core.uncounted import kernel
from schedlib.lotes.policies import greedy, lotes, own, tetris

MODULES = (lotes, greedy, tetris, own)
"""Every kind of policy; a new one is its file and its name here."""

KEEPER = {module.KEPT: module for module in MODULES}
IN_LINE = {"nogil": True, "_nrt": False, "forceinline": True}


@kernel
def nothing(policy, state, *rest):
    """The entry point of a policy to which the event does not matter."""


def entry_point(name: str) -> Callable:
    """A function that calls the kernel `name` of the policy's module, which numba looks up as it compiles."""

    def called(policy, state, *rest):
        return getattr(KEEPER[type(policy)], name, nothing)(policy, state, *rest)

    @overload(called, jit_options=IN_LINE)  # type: ignore[arg-type]
    def compiled(policy, state, *rest):
        chosen = getattr(KEEPER[policy.instance_class], name, nothing)
        return lambda policy, state, *rest: chosen(policy, state, *rest)

    return called


arrive, wait, left, pick, changed = map(entry_point, ("arrive", "wait", "left", "pick", "changed"))
