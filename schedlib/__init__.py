"""A textbook that runs: five papers on data-centre scheduling."""

import importlib
from typing import TYPE_CHECKING, Any

from schedlib import former

if TYPE_CHECKING:
    from schedlib.sweeps import Experiment as Experiment

__version__ = "2.0.0"
former.install()


def __getattr__(name: str) -> Any:
    """`Experiment`, when it is first asked for: a reader of a part of the library loads only that."""
    if name == "Experiment":
        return importlib.import_module("schedlib.sweeps").Experiment
    if former.new_name(f"schedlib.{name}"):
        return importlib.import_module(f"schedlib.{name}")
    raise AttributeError(f"module 'schedlib' has no attribute {name!r}")
