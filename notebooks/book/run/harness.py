"""Runs a box in a page of the site: its toy, and trials of a changed box beside the printed one. Plain Python alone."""

# what is compiled here inherits this: annotations of a box name what it does not need
from __future__ import annotations

import ast
import contextlib
import io
import json
import random
import traceback

ROUNDS = 200  # trials of a changed box
LONGEST = 4000  # characters of an output that are shown


def space_of(before, source):
    """The names after the code before a box and the box itself."""
    space = {"__name__": "__main__"}  # a module that exists: dataclasses look it up
    exec(compile(before, "before", "exec"), space)
    exec(compile(source, "box", "exec"), space)
    return space


def run(before, source, toy):
    """What the toy prints, its `chart` and its `axis`, as JSON. Each line's value is printed, as a notebook prints the last."""
    printed = io.StringIO()
    space = {}
    with contextlib.redirect_stdout(printed):
        try:
            space = space_of(before, source)
            for statement in ast.parse(toy).body:
                if isinstance(statement, ast.Expr):
                    line = compile(ast.Expression(statement.value), "toy", "eval")
                    value = eval(line, space)
                    if value is not None:
                        print(repr(value))
                else:
                    exec(compile(ast.Module([statement], []), "toy", "exec"), space)
        except Exception as error:
            print(where(error))
    shown = {"text": printed.getvalue()[:LONGEST], "chart": space.get("chart", [])}
    return json.dumps(shown | {"axis": space.get("axis", "")})


def where(error):
    """An error in words, with the lines of the box and of the toy that it came through."""
    lines = []
    if isinstance(error, SyntaxError) and error.filename in ("box", "<unknown>"):
        part = "box" if error.filename == "box" else "toy"
        lines.append(f"{part}, line {error.lineno}")
    for step in traceback.extract_tb(error.__traceback__):
        if step.filename in ("box", "toy"):
            lines.append(f"{step.filename}, line {step.lineno}")
    last = traceback.format_exception_only(error)[-1].strip()
    return "\n".join([*lines, last])


def check(before, source, printed, trials, name):
    """Whether a changed box gives what the printed one gives, on random small cases."""
    own = {"__name__": "trials"}
    exec(compile(trials, "trials", "exec"), own)
    trial = own["TRIALS"][name]
    try:
        mine, theirs = space_of(before, source), space_of(before, printed)
        for seed in range(ROUNDS):
            case, right = trial(theirs, random.Random(seed))
            _, given = trial(mine, random.Random(seed))
            if given != right:
                return f"Not yet: for {case}\nyours gives {given!r}\nthe box gives {right!r}"
    except Exception as error:
        return f"Not yet: {where(error)}"
    return f"Right: the same as the printed box in {ROUNDS} random cases."
