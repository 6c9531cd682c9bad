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
    return Listing("\n\n\n".join(_without_docstrings(function) for function in functions))


def _without_docstrings(function: Callable[..., Any]) -> str:
    """The source of one function or class without its docstrings, its first line at the margin."""
    source = textwrap.dedent(inspect.getsource(function))
    lines = source.splitlines()
    dropped: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, (ast.FunctionDef, ast.ClassDef))
            and ast.get_docstring(node) is not None
        ):
            docstring = node.body[0]
            dropped.update(range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1))
    kept = [line for number, line in enumerate(lines, 1) if number not in dropped]
    return "\n".join(kept).rstrip()


def figure(number: str, name: str) -> Published:
    """A published figure, its caption with its number in the book; errors are those of `reproduce.picture`.

    >>> figure("5.1", "hmhs.fig1").caption[:12]
    'Figure 5.1. '
    """
    published = reproduce.picture(name)
    return replace(published, caption=f"Figure {number}. {published.caption}")
