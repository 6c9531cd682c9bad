"""The policies of stage 3 by name: LoTES in two versions, Greedy, Tetris, and a reader's own.

A policy is a module with `OPTIONS`, the options of each name it goes by; `begin`, which makes what it keeps;
the functions that `dispatching.decisions` names; and perhaps `check(settings)`, which raises ValueError on
the options' values.
"""

from types import ModuleType

from schedlib.core.checks import unknown
from schedlib.lotes.policies import greedy, lotes, own, tetris

MODULES = (lotes, greedy, tetris, own)
"""Every kind of policy; a new one is its file and its name here."""

OPTIONS = {name: options for module in MODULES for name, options in module.OPTIONS.items()}
"""The policies that `simulate` knows by name, with the options each takes and their defaults."""


def chosen(policy: str | own.Policy, given: dict) -> tuple[ModuleType, str, dict]:
    """The module of a policy, its name, and its options' values; ValueError on what is unknown.

    >>> chosen("greedy", {})[1:]
    ('greedy', {'bypass': False})
    """
    if isinstance(policy, own.Policy):
        module = own
        name = policy.name
        known = {}
    elif policy in OPTIONS:
        module = next(module for module in MODULES if policy in module.OPTIONS)
        name = policy
        known = OPTIONS[policy]
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
