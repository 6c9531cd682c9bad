"""The functions that a chapter defines, for tests that try them."""

import ast

from notebook_cells import sources
from schedlib import paths


def functions(chapter, *names):
    """The named functions of a chapter, and what its first cell imports."""
    first, *others = sources(paths.checkout() / "notebooks" / f"{chapter}.ipynb")
    space = {}
    exec(first.replace("%matplotlib inline", ""), space)
    for source in others:
        if "\n%" in source:
            continue
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef) and node.name in names:
                exec(ast.unparse(node), space)
    return [space[name] for name in names]
