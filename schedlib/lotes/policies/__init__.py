"""The policies of stage 3 by name: LoTES in two versions, Greedy, Tetris, and a user's policy.

A policy is a module with `OPTIONS`, the options of each name it goes by; `begin`, which makes what it keeps;
the functions that `dispatching.decisions` names; and perhaps `check(settings)`, which raises ValueError on
invalid values of the options.
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
        options = {}
    elif policy in OPTIONS:
        module = next(module for module in MODULES if policy in module.OPTIONS)
        name = policy
        options = OPTIONS[policy]
    else:
        raise unknown("policy", policy, OPTIONS, "or pass a lotes.Policy")
    for key in given:
        if key not in options:
            raise ValueError(
                f"{key}: {name!r} has no such option, but {', '.join(options) or 'no options'}"
            )
    settings = {**options, **given}
    if hasattr(module, "check"):
        module.check(settings)
    return module, name, settings
