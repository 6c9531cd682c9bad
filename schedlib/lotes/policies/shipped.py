"""The policies by name: their options, and the state that each needs in the engine."""

from difflib import get_close_matches

import numpy as np

from schedlib.lotes.policies.own import Policy

HOURS = {"s": 1 / 3600, "min": 1 / 60, "h": 1.0}
OPTIONS = {
    "lotes": {"exit": "delta", "fallback": True, "sampled": None, "wheel": "delta"},
    "lotes-first": {"exit": "delta", "sampled": None, "wheel": "delta"},
    "greedy": {"bypass": False},
    "tetris": {"packing": 1.0, "work": 1.0, "gamma_unit": "h"},
}
"""The policies that `simulate` knows by name, with the options each takes and their defaults."""
SHIPPED = tuple(OPTIONS)


def settings_of(policy, given) -> tuple[str, dict]:
    """A policy's name and its options with their values; ValueError on an unknown policy, option or value."""
    if isinstance(policy, Policy):
        name, known = policy.name, {}
    elif policy in OPTIONS:
        name, known = policy, OPTIONS[policy]
    else:
        near = get_close_matches(str(policy), OPTIONS, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ValueError(f"policy: {policy!r} is unknown; {hint}choose from {', '.join(OPTIONS)}, or pass a lotes.Policy")
    for key in given:
        if key not in known:
            raise ValueError(f"{key}: no option of {name!r}, which has {', '.join(known) or 'none'}")
    settings = {**known, **given}
    choices = {"exit": ("delta", "all"), "wheel": ("delta", "rate"), "gamma_unit": (*HOURS, None)}
    for key, allowed in choices.items():
        if settings.get(key, allowed[0]) not in allowed:
            raise ValueError(f"{key}: {settings[key]!r}; choose from {', '.join(map(repr, allowed))}")
    if settings.get("sampled") is not None and not settings["sampled"] >= 1:
        raise ValueError(f"sampled: {settings['sampled']}, must be 1 or more machines, or None for all")
    for key in ("packing", "work"):
        if not settings.get(key, 0.0) >= 0:
            raise ValueError(f"{key}: {settings[key]}, a weight must not be negative")
    return name, settings


def engine_parts(policy, settings, m, plan, time_unit, typical, running=0) -> tuple[int, dict]:
    """The engine's number for the policy, and what `engine.system` needs for it.

    `m`: the machines; `typical (R,)`: about how large jobs are, in fractions, which matters for speed alone; `running (N, K)`: what
    the machines run already, which LoTES's scores take off their bins.
    """
    from schedlib.lotes.dispatching import engine, waiting_line
    from schedlib.lotes.policies import greedy, lotes, tetris

    if isinstance(policy, Policy):
        return engine.OWN, {"target": _targets(m, plan)}
    if policy == "greedy":
        return engine.GREEDY, {"queues": greedy.queues(m, bool(settings["bypass"]))}
    if policy == "tetris":
        weights = tetris.weights(m, settings["packing"], settings["work"] * _unit(settings["gamma_unit"], time_unit))
        return engine.TETRIS, {"weights": weights, "line": waiting_line.line(weights.factor.shape[1], typical)}
    able, held = np.isfinite(m.pace), plan.running > 0
    wheel = np.where(able, plan.running * (plan.classes.rate if settings["wheel"] == "rate" else 1.0), 0.0)
    serve = able & (held | ~held.any(axis=0) | (settings["exit"] == "all"))  # a class in no bin is served by all, or by none
    options = {"first": policy == "lotes-first", "fallback": settings.get("fallback", True), "sample": settings["sampled"] or 0}
    scores = lotes.scores(m, _targets(m, plan) - running, wheel, serve, **options)
    return engine.LOTES, {"scores": scores, "line": waiting_line.line(m.pace.shape[1], typical)}


def _targets(m, plan):
    if plan is None:
        return np.zeros((len(m.config), m.pace.shape[1]), np.int64)
    return np.concatenate([plan.targets(j) for j in range(len(m.first) - 1)]).astype(np.int64)


def _unit(wanted, given):
    """What a time of the workload counts in gamma."""
    if wanted is None:
        return 1.0
    if given not in HOURS:
        raise ValueError(f"gamma_unit: the workload is in {given!r}; pass gamma_unit=None to take times as they are")
    return HOURS[given] / HOURS[wanted]
