"""What a page of the book shows: a function's own source as an algorithm box, a published figure with its number."""

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import reproduce
from reproduce.publish import Published


@dataclass(frozen=True, repr=False)
class Listing:
    """Python source that a notebook shows highlighted.

    >>> Listing("x = 1")
    x = 1
    """

    source: str

    def __repr__(self) -> str:
        return self.source

    def _repr_markdown_(self) -> str:
        return f"```python\n{self.source}\n```"


def show(*functions: Callable[..., Any]) -> Listing:
    """The source of functions or classes, one below the other, without their docstrings.

    Raises OSError for a function whose source is in no file or cell.

    >>> from schedlib.hmhs.johnson import flow_shop_makespan
    >>> print(str(show(flow_shop_makespan)).splitlines()[-1])
        return float(ends.max())
    """
    return Listing("\n\n\n".join("\n".join(_kept(each).values()).rstrip() for each in functions))


def places(*functions: Callable[..., Any]) -> dict[tuple[str, int], int]:
    """The line of the listing that `show` gives, from 0, by file and line of the source.

    >>> from schedlib.hmhs.johnson import flow_shop_makespan
    >>> sorted(places(flow_shop_makespan).values())[:3]
    [0, 1, 2]
    """
    found = {}
    first = 0
    for function in functions:
        numbers = list(_kept(function))
        file = inspect.unwrap(function).__code__.co_filename
        found.update({(file, number): first + k for k, number in enumerate(numbers)})
        first += len(numbers) + 2
    return found


def _kept(function: Callable[..., Any]) -> dict[int, str]:
    """The lines of a function's source without its docstrings, by their numbers, its first at the margin."""
    lines, first = inspect.getsourcelines(function)
    source = textwrap.dedent("".join(lines))
    kept = dict(enumerate(source.splitlines(), first))
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, (ast.FunctionDef, ast.ClassDef))
            and ast.get_docstring(node) is not None
        ):
            docstring = node.body[0]
            for number in range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1):
                del kept[first + number - 1]
    return kept


def figure(number: str, name: str) -> Published:
    """A published figure, its caption with its number in the book; errors are those of `reproduce.picture`.

    >>> figure("5.1", "hmhs.fig1").caption[:12]
    'Figure 5.1. '
    """
    published = reproduce.picture(name)
    return replace(published, caption=f"Figure {number}. {published.caption}")
