"""The one style, and what can be drawn of any result: Gantt charts, boards, trees, series with intervals."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schedlib.plots.bars import gantt as gantt


def __getattr__(name: str) -> Any:
    """`gantt`, when it is first asked for: the papers' names need no matplotlib."""
    if name == "gantt":
        return importlib.import_module("schedlib.plots.bars").gantt
    raise AttributeError(f"module 'schedlib.plots' has no attribute {name!r}")
