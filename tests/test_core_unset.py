"""Variables that may be unset: Python's own UnboundLocalError on random programs, and programs whose answer is plain."""

import random

import pytest

from cases import CASES
from schedlib.core.unset import may_be_unset

NAMES = ("x", "y", "z")
SIMPLE = ("set", "read")
DEEP = (*SIMPLE, "if", "for", "while", "leave", "return")


def lines(draw, depth, indent, in_loop):
    """The lines of a random block, at most `depth` blocks deep; `ask()` gives a number."""
    space = " " * indent
    for _ in range(draw.randint(1, 3)):
        kind = draw.choice(DEEP if depth else SIMPLE)
        name = draw.choice(NAMES)
        inner = (draw, depth - 1, indent + 1)
        if kind == "set":
            yield f"{space}{name} = ask()"
        elif kind == "read":
            yield f"{space}seen = {name}"
        elif kind == "return":
            yield f"{space}if ask(): return 0"
        elif kind == "leave":
            yield f"{space}if ask(): {draw.choice(('break', 'continue')) if in_loop else 'pass'}"
        else:
            head = {"for": f"for {name} in range(ask())"}.get(kind, f"{kind} ask()")
            yield f"{space}{head}:"
            yield from lines(*inner, in_loop or kind != "if")
            if draw.random() < 0.5:
                yield f"{space}else:"
                yield from lines(*inner, in_loop)


def raises_unbound(function):
    """Whether the function reads a variable before it is set, for some answers of `ask`."""
    for seed in range(100):
        answers = random.Random(seed)
        asked = iter([answers.choice((0, 0, 1, 2)) for _ in range(100)])
        try:
            function(lambda: next(asked, 0))  # noqa: B023
        except UnboundLocalError:
            return True
    return False


def test_no_program_that_python_stops_is_passed():
    stopped = 0
    for seed in range(600):
        head = "def program(ask):\n x = y = z = 0\n del x, y, z\n"
        text = head + "\n".join(lines(random.Random(seed), 3, 1, False))
        names = {}
        exec(text, names)
        if raises_unbound(names["program"]):
            stopped += 1
            assert may_be_unset(names["program"].__code__), text
    assert stopped > 100


@pytest.mark.parametrize(
    ("body", "unset"), CASES["core_unset"]["a_variable_is_set_on_every_path_or_named"]
)
def test_a_variable_is_set_on_every_path_or_named(body, unset):
    names = {}
    exec(f"def program(a, b):\n {body}", names)
    assert may_be_unset(names["program"].__code__) == (tuple(unset) or None)
