"""Which source computes a result: the modules an experiment's module imports, and a hash over their code.

The hash covers the syntax tree without docstrings: comments, layout and docstrings may change, code may not.
"""

import ast
import hashlib
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

PACKAGES = ("numpy", "pandas", "scipy", "numba", "pulp", "highspy", "spar")


def locate(name: str, roots: dict[str, Path]) -> Path | None:
    """The file of module `name`, or None when its top-level package is none of those in `roots` (package: its folder)."""
    top, *rest = name.split(".")
    if top not in roots:
        return None
    base = roots[top].joinpath(top, *rest)
    return next((path for path in (base / "__init__.py", base.with_name(base.name + ".py")) if path.is_file()), None)


def roots_of(*packages: str) -> dict[str, Path]:
    """The folders that these imported top-level packages (or single modules) lie in.

    >>> (roots_of("schedlib")["schedlib"] / "schedlib" / "paths.py").exists()
    True
    """
    files = {package: Path(sys.modules[package].__file__) for package in packages}
    return {package: path.parents[1] if path.name == "__init__.py" else path.parent for package, path in files.items()}


def imports(name: str, roots: dict[str, Path]) -> set[str]:
    """The modules that module `name` imports, anywhere in its text, by absolute name.

    `from package import thing` counts as `package.thing` when that is a module in `roots`, else as `package`.

    >>> sorted(imports("schedlib.intervals", roots_of("schedlib")))
    ['numpy', 'scipy.special', 'typing']
    """
    path = locate(name, roots)
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            inner = {f"{base}.{alias.name}" for alias in node.names}
            modules = {module for module in inner if locate(module, roots)}
            found |= modules | ({base} if modules != inner else set())
    return found


def closure(name: str, roots: dict[str, Path]) -> dict[str, Path]:
    """Module `name` and all it imports, directly or not, within the packages in `roots`: name to file."""
    files, left = {}, [name]
    while left:
        module = left.pop()
        path = locate(module, roots)
        if module not in files and path is not None:
            files[module] = path
            left.extend(imports(module, roots))
    return dict(sorted(files.items()))


def code_hash(text: str | bytes) -> str:
    """A hash of Python source that comments, layout and docstrings do not change.

    >>> code_hash("def f():\\n    'Doc.'\\n    return 1  # one") == code_hash("def f():  return (1)")
    True
    """
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(node):
            del node.body[0]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


@cache
def source_hash(module: str) -> str:
    """One hash over the code of `module` and everything it imports from its own package and from schedlib.

    Taken once per process, since Python too reads a module once: restart the kernel after an edit.
    Raises ValueError when the module has no file, as a notebook's cells have none.
    """
    top = module.partition(".")[0]
    if top == "__main__" or getattr(sys.modules.get(top), "__file__", None) is None:
        raise ValueError(f"module {module!r}: an experiment's `run` must live in a file that can be imported, not in a cell")
    files = closure(module, roots_of(top, "schedlib"))
    text = "\n".join(f"{name} {code_hash(path.read_bytes())}" for name, path in files.items())
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def versions() -> dict[str, str]:
    """Python's minor version and those of the packages that numbers can depend on."""
    found = {"python": f"{sys.version_info.major}.{sys.version_info.minor}"}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "absent"
    return found


@cache
def _file_hash(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def data_hashes(run, experiment: str, point) -> dict[str, str]:
    """Hashes of the files a point reads: those that `data_files(experiment_id, point)` in the experiment's module names.

    A module without that function reads no files. Keys are file names without folders.
    """
    files = getattr(sys.modules[run.__module__], "data_files", None)
    paths = [Path(path) for path in files(experiment, point)] if files else []
    return {path.name: _file_hash(path, path.stat().st_size, path.stat().st_mtime_ns) for path in sorted(paths)}
