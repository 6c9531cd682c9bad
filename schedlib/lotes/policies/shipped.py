"""The policies by name, with their options."""

from types import ModuleType

from schedlib.core.checks import unknown
from schedlib.lotes.policies import own
from schedlib.lotes.policies.entry_points import MODULES
from schedlib.lotes.policies.own import Policy

OPTIONS = {name: options for module in MODULES for name, options in module.OPTIONS.items()}
"""The policies that `simulate` knows by name, with the options each takes and their defaults."""


def chosen(policy: str | Policy, given: dict) -> tuple[ModuleType, str, dict]:
    """The module of a policy, its name, and its options' values; ValueError on what is unknown.

    >>> chosen("greedy", {})[1:]
    ('greedy', {'bypass': False})
    """
    if isinstance(policy, Policy):
        module, name, known = own, policy.name, {}
    elif policy in OPTIONS:
        module = next(module for module in MODULES if policy in module.OPTIONS)
        name, known = policy, OPTIONS[policy]
    else:
        raise unknown("policy", policy, OPTIONS, "or pass a lotes.Policy")
    for key in given:
        if key not in known:
            raise ValueError(f"{key}: no option of {name!r}, which has {', '.join(known) or 'none'}")
    settings = {**known, **given}
    if hasattr(module, "check"):
        module.check(settings)
    return module, name, settings
