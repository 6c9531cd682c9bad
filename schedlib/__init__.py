"""A textbook that runs: five papers on data-centre scheduling.

- lotes, hmhs, mch, eagle: the papers' models, policies and simulators; read `plain` of each first
- workload, traces: jobs and tasks, made or read from logs; theory, intervals: closed forms and intervals to check against
- boards, sweeps, plots: your policy beside the papers', your experiment stored and resumed, charts of every result
- prototype: Eagle and Hawk on real processes

In the shell: python -m schedlib --help
"""

import importlib
import typing as _typing

from schedlib import former as _former

if _typing.TYPE_CHECKING:
    from schedlib.sweeps import Experiment as Experiment

__version__ = "3.0.0"
_former.install()
_PARTS = (
    "boards",
    "eagle",
    "hmhs",
    "intervals",
    "lotes",
    "mch",
    "plots",
    "prototype",
    "sweeps",
    "theory",
    "traces",
    "workload",
)


def __dir__() -> list[str]:
    """What the package offers."""
    return ["Experiment", "__version__", *_PARTS]


def __getattr__(name: str) -> _typing.Any:
    """A part, or `Experiment`, when it is first asked for: a reader of one loads only that."""
    if name == "Experiment":
        return importlib.import_module("schedlib.sweeps").Experiment
    if name in _PARTS or _former.new_name(f"schedlib.{name}"):
        return importlib.import_module(f"schedlib.{name}")
    raise AttributeError(f"module 'schedlib' has no attribute {name!r}")
