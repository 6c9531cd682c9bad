"""The evidence: one file for each exhibit, or for those drawn from one run: run, drawing and claims."""

from collections.abc import Callable
from typing import Any


def measure(judged: Callable[..., Any]) -> Callable[..., Callable[[Any], Any]]:
    """A decorator for a claim's measure that has options: called with these, it gives a function of a frame.

    >>> @measure
    ... def share(frame, name):
    ...     return frame[name] / sum(frame.values())
    >>> share("a")({"a": 1, "b": 3})
    0.25
    """
    return lambda *options, **named: lambda frame: judged(frame, *options, **named)
