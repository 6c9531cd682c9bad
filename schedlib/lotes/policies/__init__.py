"""The policies of stage 3 by name: LoTES in two versions, Greedy, Tetris, and a reader's own; and the five
entry points by which the engine calls any of them.

A policy is a module with a NamedTuple `KEPT` of what it keeps, which `begin` makes, and with kernels of these
names, whose first arguments are what the policy keeps and the `State`:

- `arrive(policy, state, slot, rng)`: the machine on which an arriving job starts, or NONE
- `wait(policy, state, slot, rng)`: the arriving job waits
- `left(policy, state, slot, machine)`: a job has left the machine
- `pick(policy, state, machine)`: the waiting job that now starts on the machine, or NONE; asked after `left`
  until it gives NONE
- `changed(policy, state, machine)`: what is free on the machine has changed

`left` and `changed` may be missing; so may, outside kernels, `grown(policy, slots)`, what the policy
keeps with room for so many jobs. On an impossible choice, a reader's, `arrive` and `pick` give
`refuse(...)`. Outside kernels a module has `OPTIONS`, the options of each name it goes by, and may have
`check(settings)`, which raises ValueError on their values.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from numba.extending import overload

from schedlib.core.checks import unknown
from schedlib.core.uncounted import UNCOUNTED, WITHIN, kernel
from schedlib.lotes.policies import greedy, lotes, own, tetris

MODULES = (lotes, greedy, tetris, own)
"""Every kind of policy; a new one is its file and its name here."""

OPTIONS = {name: options for module in MODULES for name, options in module.OPTIONS.items()}
"""The policies that `simulate` knows by name, with the options each takes and their defaults."""

KEEPER = {module.KEPT: module for module in MODULES}
IN_LINE = {"nogil": True, **UNCOUNTED, **WITHIN}


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


def grown(policy: Any, slots: int) -> Any:
    """What a policy keeps, with room for so many jobs."""
    module = KEEPER[type(policy)]
    return module.grown(policy, slots) if hasattr(module, "grown") else policy


def chosen(policy: str | own.Policy, given: dict) -> tuple[ModuleType, str, dict]:
    """The module of a policy, its name, and its options' values; ValueError on what is unknown.

    >>> chosen("greedy", {})[1:]
    ('greedy', {'bypass': False})
    """
    if isinstance(policy, own.Policy):
        module, name, known = own, policy.name, own.CHOICES
    elif policy in OPTIONS:
        module = next(module for module in MODULES if policy in module.OPTIONS)
        name, known = policy, OPTIONS[policy]
    else:
        raise unknown("policy", policy, OPTIONS, "or pass a lotes.Policy")
    for key in given:
        if key not in known:
            raise ValueError(
                f"{key}: no option of {name!r}, which has {', '.join(known) or 'none'}"
            )
    settings = {**known, **given}
    if hasattr(module, "check"):
        module.check(settings)
    return module, name, settings
