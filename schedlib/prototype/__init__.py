"""Eagle and Hawk on real processes that speak over TCP (Eagle, Section 7): schedulers, a centre, nodes.

What the simulator assumes is real here: messages take their time, news is late, timers overshoot, processes
die. `run` measures a workload, `compare` puts the simulator beside it. The processes themselves import none
of the heavy packages, so that a hundred of them start in a second.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schedlib.prototype.comparing import compare
    from schedlib.prototype.measure import run
    from schedlib.prototype.results import Measurement

__all__ = ["Measurement", "compare", "run"]


def __getattr__(name: str) -> Any:
    if name == "run":
        from schedlib.prototype.measure import run as exported
    elif name == "compare":
        from schedlib.prototype.comparing import compare as exported  # type: ignore[assignment]
    elif name == "Measurement":
        from schedlib.prototype.results import Measurement as exported  # type: ignore[assignment]
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return exported
