"""A function step by step in JupyterLab: its next line lights up, with its variables. (The site has this below a box.)"""

import html
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from book.explorers import slider
from book.listing import places, show
from book.steps import Step, recorded


def page(lines: list[str], step: Step) -> str:
    """A step as HTML: the listing with its next line marked, and the variables as a table."""
    marked = [html.escape(line) for line in lines]
    marked[step.line] = f'<mark aria-current="step">{marked[step.line]}</mark>'
    rows = [
        f'<tr><th scope="row">{name}</th><td>{html.escape(value)}</td></tr>'
        for name, value in step.variables.items()
    ]
    listing = "\n".join(marked)
    return f"<pre>{listing}</pre><table>{''.join(rows)}</table>"


def step(function: Callable[..., Any], *arguments: Any) -> widgets.VBox:
    """A slider through the steps of `function(*arguments)`, above its source and its variables.

    Raises ValueError for a function without a step of its own, such as a built-in one in a wrapper.

    >>> from schedlib.hmhs.plain import johnson
    >>> step(johnson, [3, 1], [2, 2]).children[0].max
    13
    """
    steps = recorded(lambda: function(*arguments), places(function))
    if not steps:
        raise ValueError(f"function: {function.__name__} runs no line of its own")
    lines = str(show(function)).splitlines()
    at = slider(0, 0, len(steps) - 1, text="step")
    shown = widgets.HTML(page(lines, steps[0]))

    def follow(change: dict[str, Any]) -> None:
        shown.value = page(lines, steps[change["new"]])

    at.observe(follow, "value")
    return widgets.VBox([at, shown])
