"""Functions that are in no file, such as those of a notebook's cells: how a worker gets them, and their digest.

cloudpickle sends such a function with all that it names: functions, classes and values by their contents; what
a file defines by its name, since the worker imports it.
"""

import functools
import hashlib
import io
import sys
from types import CodeType, GetSetDescriptorType, MemberDescriptorType
from typing import Any

import cloudpickle

CACHED = type(functools.cache(len))
SLOTS = (GetSetDescriptorType, MemberDescriptorType)
PARTS = (
    "code",
    "exceptiontable",
    "flags",
    "argcount",
    "posonlyargcount",
    "kwonlyargcount",
    "names",
    "varnames",
    "freevars",
    "cellvars",
)
"""The parts of a code object without its file, in which a notebook has its kernel's number, and its lines."""
MADE = {"__module__", "__firstlineno__", "__annotations__", "_abc_impl"}
"""Entries of a class that Python makes, or that change no number."""


def name_of(value: Any) -> str | None:
    """The name, as `module:function`, under which another process can import a value, or None without one.

    >>> name_of(name_of), name_of(lambda seed: seed)
    ('schedlib.sweeps.contents:name_of', None)
    """
    module = getattr(value, "__module__", None)
    name = getattr(value, "__qualname__", None)
    if module in (None, "__main__") or not hasattr(sys.modules.get(module), name or ""):
        return None
    return f"{module}:{name}"


class Sender(cloudpickle.Pickler):
    """Pickles functions with their contents, those of `functools.cache` too."""

    def reducer_override(self, value: Any) -> Any:
        """How pickle makes a value again."""
        if type(value) is CACHED and name_of(value) is None:
            return cached, (value.__wrapped__, value.cache_parameters())
        return super().reducer_override(value)


class Contents(Sender):
    """Pickles what counts: the same contents give the same bytes in each process, and cannot be loaded."""

    def reducer_override(self, value: Any) -> Any:
        """What counts of a value."""
        if isinstance(
            value, CodeType
        ):  # not its file, which has a kernel's number in it, nor its lines
            return tuple, (code_of(value),)
        if isinstance(value, type) and name_of(value) is None:
            items = {
                name: item
                for name, item in vars(value).items()
                if name not in MADE and not isinstance(item, SLOTS)
            }
            return type, (), [value.__qualname__, value.__bases__, items]
        states = getattr(value, "states", None)
        if type(value).__module__.startswith("numba.") and isinstance(states, dict):
            # numba gives each compiled function a number of chance
            return dict, ([(name, state) for name, state in states.items() if name != "uuid"],)
        return super().reducer_override(value)


def code_of(code: CodeType) -> list[Any]:
    """The parts of a function's code, with constants that are sets in one order."""
    constants = [
        sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant
        for constant in code.co_consts
    ]
    return [constants, *(getattr(code, f"co_{part}") for part in PARTS)]


def cached(function: Any, parameters: dict[str, Any]) -> Any:
    """A function with a cache, which is empty."""
    return functools.lru_cache(**parameters)(function)


def packed(value: Any, pickler: type[cloudpickle.Pickler] = Sender) -> bytes:
    """A value with its contents, which `pickle.loads` makes again in another process. Raises ValueError for one
    that cannot be sent."""
    text = io.BytesIO()
    try:
        pickler(text).dump(value)
    except (TypeError, AttributeError, RuntimeError, ValueError) as error:
        own = "a function of a notebook or a script"
        way = "make it inside the function, or write the function to a file"
        raise ValueError(f"run: {own} reads what no worker can get ({error}): {way}") from error
    return text.getvalue()


def digest(value: Any) -> str:
    """A digest of a value's contents.

    >>> digest(lambda load: 2 * load) == digest(lambda load: 3 * load)
    False
    """
    return hashlib.sha256(packed(value, Contents)).hexdigest()
