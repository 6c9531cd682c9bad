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
WORDS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    str: "a text",
    Path: "a path",
    np.ndarray: "an array",
    Sequence: "a sequence",
    NoneType: "None",
    Mapping: "a dict",
    Callable: "a function",
}
"""Annotations in words, for messages."""
ACCEPTED: dict[Any, Any] = {
    int: abstract.Integral,
    float: abstract.Real,
    bool: (bool, np.bool_),
    Path: (str, PathLike),
    np.ndarray: (np.ndarray, list, tuple, range),
}
"""The types that an annotation takes, where these are more than its own."""
ARRAY_LIKE = set(get_args(npt.ArrayLike)) or {npt.ArrayLike}
"""numpy's union of what can be made an array; from Python 3.12 on it is one name, without parts."""
UNIONS = (Union, UnionType, npt.ArrayLike)
P = ParamSpec("P")
R = TypeVar("R")


_hints: Callable = functools.cache(get_type_hints)  # at a call: then all names are known


def typed(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which first refuses an argument of another kind than it is annotated with.

    Whole numbers count as numbers, and lists, tuples and what numpy can take for an array as arrays. An
    annotation that is not a type is not looked at, nor are the members of a container (the `int` of
    `list[int]`), except in a tuple of fixed length, nor arguments under `*` and `**`. Raises TypeError, naming
    the argument; ValueError for a number that is not of its kind, and for a call that needs more memory than
    the machine has.

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
    where = f"help({function.__qualname__})"

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            arguments = signature.bind(*args, **kwargs).arguments
        except TypeError:
            return function(*args, **kwargs)  # Python says what is wrong
        kinds = _hints(function)
        for name, value in arguments.items():
            variadic = signature.parameters[name].kind.name.startswith("VAR")
            if name in kinds and not variadic:
                require_kind(name, value, kinds[name], where)
        try:
            return function(*args, **kwargs)
        except (MemoryError, OverflowError) as error:
            asked = ", ".join(f"{name}={value!r:.20}" for name, value in arguments.items())
            raise ValueError(
                f"{asked}: more than this machine can hold ({error}); ask for less"
            ) from error

    return checked


def require_fields(record: Any) -> None:
    """Refuse a dataclass with a field of another kind than it is annotated with, as `typed` does; for
    `__post_init__`."""
    where = f"help({type(record).__name__})"
    for name, kind in _hints(type(record)).items():
        require_kind(name, getattr(record, name), kind, where)


def require_kind(argument: str, value: Any, kind: Any, where: str) -> None:
    """Raise TypeError on a value of another kind than an annotation names; ValueError on a number that is not of
    its kind and on an array with masked entries. `where` tells a reader more."""
    unmasked(argument, value)
    if is_a(kind, value):
        return
    excerpt = f"{type(value).__name__} {value!r}".partition("\n")[0][:60]
    message = f"{argument}: needs {describe_kind(kind)}, not {excerpt}; see {where}"
    raise ValueError(message) if isinstance(value, abstract.Real) else TypeError(message)


def unmasked(argument: str, value: Any) -> None:
    """Raise ValueError on an array with masked entries: functions here ignore masks."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ValueError(f"{argument}: has masked entries; leave them out, or fill them")


def is_a(kind: Any, value: Any) -> bool:
    """Whether a value is of the kind that an annotation names, as far as it names one."""
    origin = get_origin(kind) or kind
    if origin in UNIONS:
        numeric, others = _choices(kind)
        return (numeric and is_numeric(value)) or any(is_a(part, value) for part in others)
    parts = get_args(kind)
    if origin is tuple and isinstance(value, tuple | list) and len(value) == len(parts):
        return all(map(is_a, parts, value))
    if origin in (np.ndarray, Sequence) and hasattr(value, "__array__"):
        return getattr(value, "ndim", 1) > 0
    if origin is Any or not isinstance(origin, type) or getattr(origin, "_is_protocol", False):
        return True
    if origin in (int, float) and isinstance(value, bool):
        return False
    return isinstance(value, ACCEPTED.get(origin, origin))


def _choices(union: Any) -> tuple[bool, list[Any]]:
    """Whether a union takes what numpy makes numbers of, and its other parts."""
    parts = get_args(union) or (union,)
    numeric = set(parts) >= ARRAY_LIKE
    return numeric, [part for part in parts if not (numeric and part in ARRAY_LIKE)]


def is_numeric(value: Any) -> bool:
    """Whether numpy makes floats of a value, missing ones included."""
    try:
        np.asarray(value, float)
    except (ValueError, TypeError, OverflowError):
        return False
    return True


def describe_kind(kind: Any) -> str:
    """An annotation in words, for a message.

    >>> describe_kind(float | None), describe_kind(Sequence[int] | np.ndarray)
    ('a number or None', 'a sequence or an array')
    >>> describe_kind(npt.ArrayLike | None)
    'numbers, in rows of equal length or None'
    """
    origin = get_origin(kind) or kind
    if origin in UNIONS:
        numeric, others = _choices(kind)
        names = ["numbers, in rows of equal length"] if numeric else []
        return " or ".join(names + list(map(describe_kind, others)))
    article = "an" if origin.__name__[0] in "AEIOaeiou" else "a"
    return WORDS.get(origin, f"{article} {origin.__name__}")


def unknown(argument: str, name: Any, known: Iterable[Any], otherwise: str = "") -> ValueError:
    """The error for an unknown name: near matches, the known names, and what else could be given.

    `argument` is the argument's name, or the kind of name. The `known` names are listed where they are few;
    `otherwise` is a last hint, such as where to find them all.

    >>> print(unknown("policy", "gredy", ["lotes", "greedy"], "or pass a lotes.Policy"))
    policy: 'gredy' is unknown; did you mean 'greedy'? Choose from lotes, greedy, or pass a lotes.Policy
    """
    names = list(dict.fromkeys(map(str, known)))
    near = get_close_matches(str(name), names, n=2, cutoff=0.5)
    listed = f"choose from {', '.join(names)}" if len(names) <= MOST_NAMES else ""
    rest = ", ".join(filter(None, (listed, otherwise)))
    if near:
        hint = " or ".join(map(repr, near))
        rest = f"did you mean {hint}? {rest[:1].upper()}{rest[1:]}"
    return ValueError(f"{argument}: {name!r} is unknown; {rest}")


def frozen(array: np.ndarray) -> np.ndarray:
    """An immutable copy.

    >>> frozen(np.ones((2, 1))).flags.writeable
    False
    """
    return np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape)


def numbers(name: str, values: npt.ArrayLike, dimensions: int, per: str) -> npt.NDArray[np.float64]:
    """`values` as a read-only float array of that many dimensions, copied.

    `per` says what each entry stands for, for the message. Raises ValueError when `values` is empty, has
    an entry that is not a number, or another number of dimensions.

    >>> numbers("count", [1, 2], 1, "one number for each machine")
    array([1., 2.])
    """
    unmasked(name, values)
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
        where = np.argwhere(bad)[0].tolist()
        value = values.item(*where)
        excerpt = f"{value:g}" if isinstance(value, float) else repr(value)
        place = where or ""
        raise ValueError(f"{name}{place}: {excerpt}; {rule}")


def amounts(name: str, values: npt.NDArray[np.float64]) -> None:
    """Raise ValueError at the first entry that is negative, infinite or not a number."""
    right = np.isfinite(values) & (values >= 0)
    refuse(name, ~right, values, "must be a finite number >= 0")


def positive(name: str, value: float) -> None:
    """Raise ValueError unless a number is positive and finite.

    >>> positive("load", 0.0)
    Traceback (most recent call last):
    ValueError: load: 0.0, must be positive and finite
    """
    if not 0 < value < np.inf:
        raise ValueError(f"{name}: {value}, must be positive and finite")


def whole(name: str, values: npt.NDArray[np.float64], least: int) -> None:
    """Raise ValueError at the first entry that is not a whole number, or less than `least`.

    >>> whole("servers", np.float64(1.5), 1)
    Traceback (most recent call last):
    ValueError: servers: 1.5; must be 1, 2, 3, ...
    """
    right = np.isfinite(values) & (values >= least) & (values == np.floor(values))
    refuse(name, ~right, values, f"must be {least}, {least + 1}, {least + 2}, ...")
