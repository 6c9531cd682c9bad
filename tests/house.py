"""Which modules a module imports, read from its text: what the rules of the house are checked against."""

import ast
import functools

from reproduce import reach


@functools.cache
def imports(name):
    """The modules that a module imports, anywhere in its text, by absolute name.

    `from package import thing` counts as `package.thing` when that is a module, else as `package`.
    """
    modules = set()
    for node in ast.walk(ast.parse(reach.file_of(name).read_bytes())):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = reach.origin(node, reach.parsed(name).package)
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                modules.add(inner if reach.file_of(inner) else base)
    return modules
