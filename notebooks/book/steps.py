"""The steps of a box: the line that runs next, and what the variables hold before it."""

import contextlib
import sys
from collections.abc import Callable, Mapping
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

from book.run import harness

MOST = 400  # steps that are kept
LONGEST = 60  # characters of a value
NO_STATE = (BuiltinFunctionType, FunctionType, ModuleType, type)


class Step(NamedTuple):
    """The listing's line that runs next, from 0, and its variables as text; at a return also what it returns."""

    line: int
    variables: dict[str, str]


def recorded(run: Callable[[], Any], lines: Mapping[tuple[str, int], int]) -> list[Step]:
    """The first `MOST` steps through these lines while `run()` runs; `lines` has the listing's line of (file, line).

    >>> from book.listing import places
    >>> from schedlib.hmhs.plain import johnson
    >>> steps = recorded(lambda: johnson([3, 1], [2, 2]), places(johnson))
    >>> steps[0].variables, steps[-1].variables["returns"]
    ({'M': '[3, 1]', 'R': '[2, 2]'}, '[1, 0]')
    """
    steps: list[Step] = []
    files = {file for file, _ in lines}
    latest: dict[FrameType, int | None] = {}

    def at_line(frame: FrameType, event: str, argument: Any) -> Any:
        line = lines.get((frame.f_code.co_filename, frame.f_lineno))
        again = event == "line" and latest.get(frame) == line
        latest[frame] = line
        if line is not None and not again and event in ("line", "return") and len(steps) < MOST:
            end = {"returns": argument} if event == "return" else {}
            steps.append(Step(line, in_words(frame.f_locals | end)))
        return at_line

    def at_call(frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        # of a comprehension the whole is one step: Python 3.11 calls it, later ones stay in its line
        inner = code.co_name.startswith("<")
        return at_line if code.co_filename in files and not inner else None

    before = sys.gettrace()
    sys.settrace(at_call)
    try:
        run()
    finally:
        sys.settrace(before)
    return steps


def in_words(variables: Mapping[str, Any]) -> dict[str, str]:
    """The values as short text, without functions, and without objects that only say where they lie.

    >>> in_words({"x": 0.1 + 0.2, "f": len, "self": object()})
    {'x': '0.3'}
    """
    words = {}
    for name, value in variables.items():
        text = f"{value:.6g}" if isinstance(value, float) else repr(value)
        if isinstance(value, NO_STATE) or " at 0x" in text:
            continue
        words[name] = text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
    return words


def of_box(before: str, source: str, toy: str) -> list[Step]:
    """The steps of a box that needs only the code before it, when its toy runs."""
    space = harness.space_of(before, source)
    program = compile(toy, "toy", "exec")
    lines = {("box", number + 1): number for number in range(len(source.splitlines()))}

    def run() -> None:
        with contextlib.suppress(Exception):  # a toy that fails says so where it is run
            exec(program, space)

    return recorded(run, lines)
