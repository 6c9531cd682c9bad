"""How the library says no: a name that nobody has, an array that is not what an argument needs."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

import numpy as np
import numpy.typing as npt

MOST_NAMES = 12
"""So many known names are listed in full."""


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
    array.flags.writeable = False
    return array


def refuse(name: str, bad: npt.NDArray[np.bool_], values: npt.NDArray[Any], rule: str) -> None:
    """Raise ValueError, with the place and the value, at the first entry where `bad` holds.

    >>> refuse("count", np.array([False, True]), np.array([3.0, 0.5]), "must be 1, 2, 3, ...")
    Traceback (most recent call last):
    ValueError: count[1]: 0.5; must be 1, 2, 3, ...
    """
    if np.any(bad):
        where = tuple(np.argwhere(bad)[0])
        value = values[where]
        shown = f"{value:g}" if isinstance(value, float) else repr(getattr(value, "item", lambda: value)())
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
