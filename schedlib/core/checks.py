"""Argument checks and error messages: an unknown name, an argument of another kind, a wrong array."""

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
"""At most this many known names are listed in a message."""
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
ARRAY_LIKE = set(get_args(npt.ArrayLike)) or {npt.ArrayLike}
"""numpy's union of what can be made an array; from Python 3.12 on it is one name, without parts."""
UNIONS = (Union, UnionType, npt.ArrayLike)
P = ParamSpec("P")
R = TypeVar("R")


def typed(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which first refuses an argument of another kind than it is annotated with.

    Whole numbers count as numbers, and lists, tuples and what numpy can take for an array as arrays. An
    annotation that is no type is not looked at, nor is what a container holds (the `int` of `list[int]`),
    except in a tuple of fixed length. Raises TypeError, naming the argument; ValueError for a number that is
    not of its kind, and for a call that needs more memory than there is.

    >>> @typed
    ... def half(x: float, name: str | None = None) -> float:
    ...     return x / 2
    >>> half(3)
    1.5
    >>> half("3")
    Traceback (most recent call last):
    TypeError: x: needs a number, not str '3'; see help(half)
    """
    signature = inspect.signature(function)
    where = f"help({function.__qualname__.partition('.')[0]})"

    @functools.cache  # when first called: only then are all names known
    def kinds() -> dict[str, Any]:
        hints = get_type_hints(function)
        hints.pop("return", None)
        return hints

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{function.__qualname__}: {error}; see {where}") from None
        for name, kind in kinds().items():
            if name in given:
                for said, value in _each(signature.parameters[name], given[name]).items():
                    _unmasked(said, value)
                    if not is_a(kind, value):
                        raise _of_another_kind(said, value, kind, where)
        try:
            return function(*args, **kwargs)
        except (MemoryError, OverflowError) as error:
            raise _too_much(function, given, error) from error

    return checked


def _each(parameter: inspect.Parameter, given: Any) -> dict[str, Any]:
    """The values that a parameter was given, by the names that messages call them."""
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        return {f"{parameter.name}[{place}]": value for place, value in enumerate(given)}
    if parameter.kind is inspect.Parameter.VAR_KEYWORD:
        return given
    return {parameter.name: given}


def _unmasked(name: str, value: Any) -> None:
    """Raise ValueError on an array with masked entries: no function here looks at masks."""
    with_mask = isinstance(value, np.ma.MaskedArray)
    if with_mask and np.ma.is_masked(value):
        raise ValueError(f"{name}: has masked entries; leave them out, or fill them")


def _of_another_kind(said: str, value: Any, kind: Any, where: str) -> Exception:
    if isinstance(value, abstract.Real) and not isinstance(value, bool):
        return ValueError(f"{said}: {value!r:.30}; needs {called(kind)}; see {where}")
    shown = f"{type(value).__name__} {value!r}"
    shown = shown.partition("\n")[0][:60]
    return TypeError(f"{said}: needs {called(kind)}, not {shown}; see {where}")


def _too_much(function: Callable, given: dict[str, Any], error: Exception) -> ValueError:
    """The error for a call that needs too much memory or too large numbers; it names the largest argument."""
    said = function.__qualname__
    sizes = {name: value for name, value in given.items() if isinstance(value, abstract.Real)}
    if sizes:
        most = max(sizes, key=lambda name: sizes[name])
        said = f"{most}: {sizes[most]!r:.30}"
    return ValueError(f"{said} is more than this machine can hold ({error}); ask for less")


def is_a(kind: Any, value: Any) -> bool:
    """Whether a value is of the kind that an annotation names, as far as it names one."""
    whole = get_origin(kind) or kind
    parts = get_args(kind)
    if whole in UNIONS:
        numeric, others = _choices(kind)
        if numeric and is_numeric(value):
            return True
        return any(is_a(part, value) for part in others)
    if whole in (np.ndarray, Sequence) and hasattr(value, "__array__"):
        return getattr(value, "ndim", 1) > 0
    if _fixed(whole, parts):
        if not isinstance(value, tuple | list):
            return False
        if len(value) != len(parts):
            return True  # the function itself says more about another length
        return all(map(is_a, parts, value))
    if whole is Any or not isinstance(whole, type) or getattr(whole, "_is_protocol", False):
        return True
    if whole in (int, float) and isinstance(value, bool):
        return False
    _, takes = KINDS.get(whole, ("", (whole,)))
    return isinstance(value, takes)


def _fixed(whole: Any, parts: tuple[Any, ...]) -> bool:
    """Whether a kind is a tuple of a fixed length."""
    return whole is tuple and len(parts) > 0 and ... not in parts


def _choices(union: Any) -> tuple[bool, list[Any]]:
    """Whether a union takes what numpy makes numbers of, and its other parts."""
    parts = get_args(union) or (union,)
    numeric = set(parts) >= ARRAY_LIKE
    others = [part for part in parts if not (numeric and part in ARRAY_LIKE)]
    return numeric, others


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
    whole = get_origin(kind) or kind
    parts = get_args(kind)
    if whole in UNIONS:
        numeric, others = _choices(kind)
        names = ["numbers, in rows of equal length"] if numeric else []
        names += [called(part) for part in others]
        return " or ".join(dict.fromkeys(names))
    if _fixed(whole, parts):
        return f"a tuple of {len(parts)}"
    if whole in KINDS:
        return KINDS[whole][0]
    name = getattr(whole, "__name__", str(whole))
    article = "an" if name[0] in "AEIOaeiou" else "a"
    return f"{article} {name}"


def unknown(argument: str, given: Any, known: Iterable[Any], otherwise: str = "") -> ValueError:
    """The error for a name that nobody has: near matches, what there is, and what else could be given.

    `argument` is the argument's name, or the kind of name, `given` what it was given. The `known` names are
    listed where they are few; `otherwise` is a last hint, such as where to find them all.

    >>> print(unknown("policy", "gredy", ["lotes", "greedy"], "or pass a lotes.Policy"))
    policy: 'gredy' is unknown; did you mean 'greedy'? Choose from lotes, greedy, or pass a lotes.Policy
    """
    texts = map(str, known)
    names = list(dict.fromkeys(texts))
    near = get_close_matches(str(given), names, n=2, cutoff=0.5)
    listed = f"choose from {', '.join(names)}" if len(names) <= MOST_NAMES else ""
    rest = ", ".join(filter(None, (listed, otherwise)))
    if near:
        hint = " or ".join(map(repr, near))
        rest = f"did you mean {hint}? {rest[:1].upper()}{rest[1:]}"
    return ValueError(f"{argument}: {given!r} is unknown; {rest}")


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
    _unmasked(name, values)
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
        value = values.item(where)
        shown = f"{value:g}" if isinstance(value, float) else repr(value)
        place = f"[{', '.join(map(str, where))}]" if where else ""
        raise ValueError(f"{name}{place}: {shown}; {rule}")


def amounts(name: str, values: npt.NDArray[np.float64]) -> None:
    """Raise ValueError at the first entry that is negative, infinite or not a number."""
    right = np.isfinite(values) & (values >= 0)
    refuse(name, ~right, values, "must be a finite number >= 0")


def whole(name: str, values: npt.NDArray[np.float64], least: int) -> None:
    """Raise ValueError at the first entry that is not a whole number, or less than `least`.

    >>> whole("servers", np.float64(1.5), 1)
    Traceback (most recent call last):
    ValueError: servers: 1.5; must be 1, 2, 3, ...
    """
    right = np.isfinite(values) & (values >= least)
    right &= values == np.floor(values)
    refuse(name, ~right, values, f"must be {least}, {least + 1}, {least + 2}, ...")
