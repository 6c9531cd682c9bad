"""Which modules a module imports, read from its text: what the rules of the house are checked against."""

import ast
from pathlib import Path


def locate(name: str, folder: Path, top: str = "schedlib") -> Path | None:
    """The file of module `name` of the package that lies in `folder`, or None when it is none."""
    if name.split(".")[0] != top:
        return None
    base = folder.joinpath(*name.split("."))
    return next(
        (
            path
            for path in (base / "__init__.py", base.with_name(base.name + ".py"))
            if path.is_file()
        ),
        None,
    )


def imports(name: str, folder: Path) -> set[str]:
    """The modules that a module imports, anywhere in its text, by absolute name.

    `from package import thing` counts as `package.thing` when that is a module, else as `package`.
    """
    path = locate(name, folder)
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    modules = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            inner = {f"{base}.{alias.name}" for alias in node.names}
            inside = {module for module in inner if locate(module, folder)}
            modules |= inside | ({base} if inside != inner else set())
    return modules
