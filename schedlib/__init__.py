"""A textbook that runs: five papers on data-centre scheduling."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schedlib.experiment import Experiment as Experiment

__version__ = "2.0.0"


def __getattr__(name: str) -> Any:
    """`Experiment`, when it is first asked for: a reader of a part of the library loads only that."""
    if name != "Experiment":
        raise AttributeError(f"module 'schedlib' has no attribute {name!r}")
    from schedlib import experiment

    return experiment.Experiment
