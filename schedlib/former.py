"""Names of version 2 that have moved: they work in version 3, with a warning, and go in version 4."""

import importlib
import re
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

MOVED = {
    "schedlib.leaderboard": "schedlib.boards",
    "schedlib.experiment": "schedlib.sweeps",
    "schedlib.papers": "schedlib.plots.papers",
    "schedlib.pictures.alt": "schedlib.plots.alt",
    "schedlib.pictures.gantt": "schedlib.plots.bars",
    "schedlib.pictures.style": "schedlib.plots.style",
    "schedlib.pictures.trees": "schedlib.plots.trees",
    "schedlib.pictures": "book.pictures",
    "schedlib.reproduce": "reproduce",
    "schedlib.teaching": "book",
}
"""Old module to new; modules within are found by the first name that fits."""
COMMANDS = {"list", "stale", "figures", "claims", "notebooks"}
"""Commands of `python -m schedlib` that `python -m reproduce` has now."""


def new_name(old: str) -> str | None:
    """Where a module has moved, None for one that has not.

    >>> new_name("schedlib.leaderboard.literature"), new_name("schedlib.lotes")
    ('schedlib.boards.literature', None)
    """
    for before, now in MOVED.items():
        if f"{old}.".startswith(f"{before}."):
            return now + old.removeprefix(before)
    return None


class Finder(MetaPathFinder, Loader):
    """Finds a module by its old name: a module whose names are those of the new one."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """A specification for an old name, None for others."""
        return ModuleSpec(name, self, is_package=True) if new_name(name) else None

    def exec_module(self, module: ModuleType) -> None:
        """Give the module the names of the new one, and warn."""
        old = module.__name__
        new = str(new_name(old))
        moved = f"{old} is {new} now; the old name goes in version 4"
        warnings.warn(moved, FutureWarning, stacklevel=2)
        try:
            found = importlib.import_module(new)
        except ModuleNotFoundError as error:
            if new.startswith("schedlib."):
                raise
            message = f"{old} is {new} now, which is in the checkout, not in the package: clone it and work there"
            if not any(name.startswith(f"{old}.") for name in MOVED):
                raise ImportError(message) from error
            found = None  # parts of it are in the package

        def attribute(name: str) -> Any:
            if found is None:
                raise AttributeError(message)
            return getattr(found, name)

        module.__dict__["__getattr__"] = attribute


def command(arguments: Sequence[str]) -> int | None:
    """Run a command that has moved to `reproduce` and give its exit code; None for any other."""
    first, second, *_ = (*arguments, "", "")
    of_the_book = first == "run" and re.fullmatch(r"\w+\.(?!py$)[\w-]+", second)  # `run hmhs.fig1`
    if first not in COMMANDS and not of_the_book:
        return None
    new = f"python -m reproduce {first}"
    print(f"python -m schedlib {first} is {new} now", file=sys.stderr)
    try:
        program = importlib.import_module(f"{MOVED['schedlib.reproduce']}.__main__")
    except ModuleNotFoundError:
        print(f"{new}: it is in the checkout: clone it and run there", file=sys.stderr)
        return 2
    return program.commands.main(list(arguments))


def install() -> None:
    """Have the old names found after all others."""
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.append(Finder())
