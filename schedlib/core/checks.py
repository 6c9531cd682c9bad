"""How the library says no: a name that nobody has, an argument of another kind, an array that is not what
an argument needs."""

import functools
import inspect
import numbers as abstract
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

MOST_NAMES = 12
"""So many known names are listed in full."""
KINDS: dict[Any, tuple[str, tuple[Any, ...]]] = {
    int: ("a whole number", (abstract.Integral,)),
    float: ("a number", (abstract.Real,)),
    bool: ("True or False", (bool, np.bool_)),
    str: ("a text", (str,)),
    Path: ("a path", (str, PathLike)),
    np.ndarray: ("an array", (np.ndarray, list, tuple, range)),
    Sequence: ("a sequence", (Sequence,)),
    NoneType: ("None", (NoneType,)),
    Mapping: ("a dict", (Mapping,)),
    Callable: ("a function", (Callable,)),
}
"""What an annotation is called in a message, and the types that it takes."""
ARRAY_LIKE = set(get_args(npt.ArrayLike))
P = ParamSpec("P")
R = TypeVar("R")


def typed(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which first refuses an argument of another kind than it is annotated with.

    Whole numbers count as numbers, and lists, tuples and what numpy can take for an array as arrays; an
    annotation that is no type, or only of what is inside (`list[int]`), is not looked at. Raises TypeError,
    naming the argument, and ValueError for a number that is not of its kind.

    >>> @typed
    ... def half(x: float, name: str | None = None) -> float:
    ...     return x / 2
    >>> half(3)
    1.5
    >>> half("3")
    Traceback (most recent call last):
    TypeError: x: needs a number, not str '3'; see help(half)
    """
    signature, where = (
        inspect.signature(function),
        f"help({function.__qualname__.partition('.')[0]})",
    )

    @functools.cache  # when first called: only then are all names known
    def kinds() -> dict[str, Any]:
        return {name: kind for name, kind in get_type_hints(function).items() if name != "return"}

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{function.__qualname__}: {error}; see {where}") from None
        for name, kind in kinds().items():
            if name in given:
                several = signature.parameters[name].kind
                values = {name: given[name]}
                if several is inspect.Parameter.VAR_POSITIONAL:
                    values = {f"{name}[{place}]": value for place, value in enumerate(given[name])}
                elif several is inspect.Parameter.VAR_KEYWORD:
                    values = given[name]
                for said, value in values.items():
                    if not is_a(kind, value):
                        if isinstance(value, abstract.Real) and not isinstance(value, bool):
                            raise ValueError(
                                f"{said}: {value!r:.30}; needs {called(kind)}; see {where}"
                            )
                        shown = f"{type(value).__name__} {value!r}".partition("\n")[0][:60]
                        raise TypeError(f"{said}: needs {called(kind)}, not {shown}; see {where}")
        try:
            return function(*args, **kwargs)
        except (MemoryError, OverflowError) as error:
            numbers = {
                said: value for said, value in given.items() if isinstance(value, abstract.Real)
            }
            most = max(numbers, key=lambda said: numbers[said], default="")
            said = f"{most}: {numbers[most]!r:.30}" if most else function.__qualname__
            raise ValueError(
                f"{said} is more than this machine can hold ({error}); ask for less"
            ) from error

    return checked


def is_a(kind: Any, value: Any) -> bool:
    """Whether a value is of the kind that an annotation names, as far as it names one."""
    whole, parts = get_origin(kind) or kind, get_args(kind)
    if whole in (Union, UnionType):
        if set(parts) >= ARRAY_LIKE:
            return is_numeric(value) or any(
                is_a(part, value) for part in parts if part not in ARRAY_LIKE
            )
        return any(is_a(part, value) for part in parts)
    if whole in (np.ndarray, Sequence) and not isinstance(value, str | bytes):
        array = hasattr(value, "__array__") and getattr(value, "ndim", 1) > 0
        return array or isinstance(value, KINDS[whole][1]) and not isinstance(value, np.ndarray)
    if whole is tuple and parts and ... not in parts:
        # Another length is told better by the function itself.
        return isinstance(value, tuple | list) and (
            len(value) != len(parts)
            or all(is_a(part, one) for part, one in zip(parts, value, strict=True))
        )
    if whole is Any or not isinstance(whole, type) or getattr(whole, "_is_protocol", False):
        return True
    if whole in (int, float) and isinstance(value, bool):
        return False
    return isinstance(value, KINDS.get(whole, ("", (whole,)))[1])


def is_numeric(value: Any) -> bool:
    """Whether numpy makes floats of a value, missing ones included."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "iufb":
        return True
    try:
        np.asarray(value, float)
    except (ValueError, TypeError, OverflowError):
        return False
    return True


def called(kind: Any) -> str:
    """What an annotation is called in a message.

    >>> called(float | None), called(Sequence[int] | np.ndarray), called(tuple[int, int])
    ('a number or None', 'a sequence or an array', 'a tuple of 2')
    >>> called(npt.ArrayLike | None)
    'numbers, in rows of equal length or None'
    """
    whole, parts = get_origin(kind) or kind, get_args(kind)
    if whole in (Union, UnionType):
        rest = [
            called(part) for part in parts if part not in ARRAY_LIKE or not set(parts) >= ARRAY_LIKE
        ]
        numeric = ["numbers, in rows of equal length"] * (set(parts) >= ARRAY_LIKE)
        return " or ".join(dict.fromkeys(numeric + rest))
    if whole is tuple and parts and ... not in parts:
        return f"a tuple of {len(parts)}"
    if whole in KINDS:
        return KINDS[whole][0]
    name = getattr(whole, "__name__", str(whole))
    return f"{'an' if name[0] in 'AEIOaeiou' else 'a'} {name}"


def unknown(argument: str, given: Any, known: Iterable[Any], otherwise: str = "") -> ValueError:
    """The error for a name that nobody has: near matches, what there is, and what else could be given.

    `argument` is the argument's name, or the kind of name, `given` what it was given. The `known` names are
    listed where they are few; `otherwise` is a last hint, such as where to find them all.

    >>> print(unknown("policy", "gredy", ["lotes", "greedy"], "or pass a lotes.Policy"))
    policy: 'gredy' is unknown; did you mean 'greedy'? Choose from lotes, greedy, or pass a lotes.Policy
    """
    names = list(dict.fromkeys(map(str, known)))
    near = get_close_matches(str(given), names, n=2, cutoff=0.5)
    hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
    listed = f"choose from {', '.join(names)}" if len(names) <= MOST_NAMES else ""
    rest = ", ".join(part for part in (listed, otherwise) if part)
    rest = rest[:1].upper() + rest[1:] if near else rest
    return ValueError(f"{argument}: {given!r} is unknown; {hint}{rest}")


def frozen(array: np.ndarray) -> np.ndarray:
    """A copy that nobody can write to, nor make writable.

    >>> frozen(np.ones((2, 1))).flags.writeable
    False
    """
    return np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape)


def numbers(name: str, values: npt.ArrayLike, dimensions: int, per: str) -> npt.NDArray[np.float64]:
    """`values` as a read-only float array of that many dimensions, copied.

    `per` says what each entry stands for, for the message. Raises ValueError when `values` is empty, holds
    what is no number, or has another number of dimensions.

    >>> numbers("count", [1, 2], 1, "one number for each machine")
    array([1., 2.])
    """
    try:
        array = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name}: needs numbers, in rows of equal length; {error}") from error
    if array.ndim != dimensions or array.size == 0:
        raise ValueError(f"{name}: needs {per}; got shape {array.shape}")
    return frozen(array)


def refuse(name: str, bad: npt.NDArray[np.bool_], values: npt.NDArray[Any], rule: str) -> None:
    """Raise ValueError, with the place and the value, at the first entry where `bad` holds.

    >>> refuse("count", np.array([False, True]), np.array([3.0, 0.5]), "must be 1, 2, 3, ...")
    Traceback (most recent call last):
    ValueError: count[1]: 0.5; must be 1, 2, 3, ...
    """
    if np.any(bad):
        where = tuple(np.argwhere(bad)[0])
        value = values[where]
        shown = (
            f"{value:g}"
            if isinstance(value, float)
            else repr(getattr(value, "item", lambda: value)())
        )
        place = f"[{', '.join(map(str, where))}]" if where else ""
        raise ValueError(f"{name}{place}: {shown}; {rule}")


def amounts(name: str, values: npt.NDArray[np.float64]) -> None:
    """Raise ValueError at the first entry that is negative, infinite or not a number."""
    refuse(name, ~(np.isfinite(values) & (values >= 0)), values, "must be a finite number >= 0")


def whole(name: str, values: npt.NDArray[np.float64], least: int) -> None:
    """Raise ValueError at the first entry that is not a whole number, or less than `least`.

    >>> whole("servers", np.float64(1.5), 1)
    Traceback (most recent call last):
    ValueError: servers: 1.5; must be 1, 2, 3, ...
    """
    right = np.isfinite(values) & (values >= least) & (values == np.floor(values))
    refuse(name, ~right, values, f"must be {least}, {least + 1}, {least + 2}, ...")
