"""The code that a function reaches: what a stored result depends on, name by name.

A module-level name depends on the statement that binds it; that statement depends on the names it uses, in
its own file or in the modules it imports, and so on. What a function does not reach may change freely, also
in the same file. Docstrings, annotations of arguments and results, and layout do not count.

A module used as a value (not as `module.name`) counts whole. So do the statements of a reached module that
bind no name, since they run when it is imported. An import by a name made at run time is not seen.
"""

import ast
import hashlib
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

IMPORTS = (ast.Import, ast.ImportFrom)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPES = (*FUNCTIONS, ast.Lambda, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)
Place = tuple[str, str]
"""A module and a name in it; the name "" stands for its statements that bind none, "*" for all of it."""


class Module(NamedTuple):
    """A parsed file: the statements by the name they bind, those that bind none, what imports stand for."""

    bound: dict[str, list[ast.stmt]]
    effects: list[ast.stmt]
    imported: dict[str, str]


class Source:
    """The Python files of some packages, read once; `roots` gives the folder that each package lies in."""

    def __init__(self, roots: dict[str, Path]):
        self.roots = roots
        self.module = cache(self._module)
        self.depends = cache(self._depends)

    def file(self, name: str) -> Path | None:
        """The file of module `name`, or None when it belongs to none of the packages."""
        top, *rest = name.split(".")
        if top not in self.roots:
            return None
        base = self.roots[top].joinpath(top, *rest)
        places = (base / "__init__.py", base.with_name(base.name + ".py"))
        return next((path for path in places if path.is_file()), None)

    def package(self, name: str) -> str:
        """The package that module `name` belongs to; a package belongs to itself."""
        return (
            name if (self.file(name) or Path()).name == "__init__.py" else name.rpartition(".")[0]
        )

    def _module(self, name: str) -> Module:
        file = self.file(name)
        assert file is not None
        tree = without_words(ast.parse(file.read_bytes()))
        module = Module(bound={}, effects=[], imported=self.imports(tree.body, self.package(name)))
        for statement in tree.body:
            names = set(_bound(statement))
            for bound in names:
                module.bound.setdefault(bound, []).append(statement)
            if not names:
                module.effects.append(statement)
        return module

    def imports(self, body: Sequence[ast.AST], package: str) -> dict[str, str]:
        """What the names that these statements import stand for, dotted; `package` resolves relative ones."""
        stands: dict[str, str] = {}
        for node in (node for statement in body for node in _within(statement)):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name.partition(".")[0]
                    stands[alias.asname or top] = alias.name if alias.asname else top
            elif isinstance(node, ast.ImportFrom):
                parents = (
                    package.split(".")[: len(package.split(".")) - node.level + 1]
                    if node.level
                    else []
                )
                base = ".".join([*parents, *([node.module] if node.module else [])])
                stands |= {
                    alias.asname or alias.name: f"{base}.{alias.name}" for alias in node.names
                }
        return stands

    def reach(self, module: str, name: str) -> tuple[dict[Place, str], frozenset[str]]:
        """What `name` in `module` depends on, directly or not: code by place, and packages from elsewhere."""
        code: dict[Place, str] = {}
        packages: set[str] = set()
        left: list[Place] = [(module, name)]
        while left:
            place = left.pop()
            if place not in code:
                code[place], places, outside = self.depends(*place)
                packages |= outside
                left += [*places, (place[0], "")]
        return code, frozenset(packages)

    def _depends(self, module: str, name: str) -> tuple[str, list[Place], frozenset[str]]:
        """The text of a place, the places that its statements use, and the packages from elsewhere."""
        here = self.module(module)
        if name == "*":
            return "", [(module, bound) for bound in here.bound], frozenset()
        statements = here.bound.get(name, []) if name else here.effects
        package = self.package(module)
        places: list[Place] = (
            [(package, "")] if package and package != module and self.file(package) else []
        )
        outside: set[str] = set()
        for statement in statements:
            if isinstance(statement, IMPORTS):
                self._resolve(here.imported[name], [], places, outside)
                continue
            outside |= set(_distributions(statement))
            for local, (root, *rest) in _references(statement):
                inner = self.imports(local, package)
                if root in inner:
                    self._resolve(inner[root], rest, places, outside)
                elif root in here.bound:
                    self._resolve(f"{module}.{root}", rest, places, outside)
        code = [statement for statement in statements if not isinstance(statement, IMPORTS)]
        return "\n".join(map(ast.dump, code)), sorted(set(places)), frozenset(outside)

    def _resolve(
        self, dotted: str, rest: list[str], places: list[Place], outside: set[str]
    ) -> None:
        """Note the place that a dotted name, with the attributes asked of it, stands for."""
        top, *names = [*dotted.split("."), *rest]
        if top not in self.roots:
            outside.add(top)
            return
        # what stands before an import's last name is a module
        module, last = (top, dotted.count(".") - 1)
        for depth, name in enumerate(names):
            here = self.module(module)
            # a package that imports a module of its own
            own = here.imported.get(name) == f"{module}.{name}"
            if depth >= last and name in here.bound and not own:
                if name in here.imported and all(
                    isinstance(node, IMPORTS) for node in here.bound[name]
                ):
                    places.append((module, ""))
                    self._resolve(here.imported[name], names[depth + 1 :], places, outside)
                else:
                    places.append((module, name))
                return
            if self.file(f"{module}.{name}") is None:
                break  # an attribute made at run time: any code of the module could have made it
            module = f"{module}.{name}"
        places.append((module, "*"))


def without_words(tree: ast.Module) -> ast.Module:
    """The tree without docstrings, texts that stand alone, and annotations of arguments and results."""

    def is_text(part: ast.stmt) -> bool:
        return isinstance(part, ast.Expr) and isinstance(getattr(part.value, "value", None), str)

    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS)):
            node.body = [part for part in node.body if not is_text(part)] or [ast.Pass()]
        if isinstance(node, FUNCTIONS):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    return tree


def _within(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all below it that belong to the same scope."""
    yield node
    if not isinstance(node, (*SCOPES, ast.ClassDef)):
        for child in ast.iter_child_nodes(node):
            yield from _within(child)


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement binds in its own scope."""
    for node in _within(statement):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, IMPORTS):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name


def _locals(scope: ast.AST) -> set[str]:
    """The names that belong to a function or comprehension itself; what it imports is no such name."""
    names: set[str] = set()
    for node in (node for child in ast.iter_child_nodes(scope) for node in _within(child)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            names.add(node.name)
    globals_ = {
        name for node in ast.walk(scope) if isinstance(node, ast.Global) for name in node.names
    }
    return names - globals_


def _references(statement: ast.stmt) -> Iterator[tuple[list[ast.AST], tuple[str, ...]]]:
    """Each name, with its attributes, that a statement reads from its module; imports of scopes around it."""

    def walk(node: ast.AST, hidden: frozenset[str], imports: list[ast.AST]) -> Iterator:
        if isinstance(node, SCOPES):
            body = [child for child in ast.walk(node) if isinstance(child, IMPORTS)]
            inside, shadowed = [*imports, *body], hidden | _locals(node)
            arguments = getattr(node, "args", None)  # a comprehension has none
            defaults = (
                [*arguments.defaults, *filter(None, arguments.kw_defaults)] if arguments else []
            )
            outer = [*getattr(node, "decorator_list", []), *defaults]
            for child in outer:
                yield from walk(child, hidden, imports)
            for child in ast.iter_child_nodes(node):
                if child not in outer:
                    yield from walk(child, shadowed, inside)
            return
        chain: list[str] = []
        base = node
        while isinstance(base, ast.Attribute):
            chain.insert(0, base.attr)
            base = base.value
        if isinstance(base, ast.Name):
            if isinstance(base.ctx, ast.Load) and base.id not in hidden:
                yield imports, (base.id, *chain)
            return
        for child in ast.iter_child_nodes(node):
            yield from walk(child, hidden, imports)

    yield from walk(statement, frozenset(), [])


def _distributions(statement: ast.stmt) -> Iterator[str]:
    """The packages whose files a statement asks for, as in `importlib.metadata.distribution("spar")`."""
    for call in (node for node in ast.walk(statement) if isinstance(node, ast.Call)):
        if getattr(call.func, "id", getattr(call.func, "attr", "")) == "distribution":
            yield from (
                str(argument.value) for argument in call.args if isinstance(argument, ast.Constant)
            )


@cache
def _source(*packages: str) -> Source:
    """The source of these imported top-level packages (or single modules), wherever they lie."""
    files = {package: Path(sys.modules[package].__file__ or "") for package in packages}
    return Source({name: file.parents[file.name == "__init__.py"] for name, file in files.items()})


@cache
def of(module: str, name: str) -> tuple[str, frozenset[str]]:
    """A hash over the code that `name` in `module` reaches, and the packages that this code imports. A file
    is read once per process, as Python does: restart the kernel after an edit. Raises ValueError when the
    module has no file, as a notebook's cells have none."""
    top = module.partition(".")[0]
    if top == "__main__" or getattr(sys.modules.get(top), "__file__", None) is None:
        raise ValueError(
            f"module {module!r}: `run` must be in a file that can be imported, not in a cell"
        )
    reached, packages = _source(*dict.fromkeys((top, "schedlib"))).reach(module, name)
    text = "\n".join(
        f"{'.'.join(place)}: {code}" for place, code in sorted(reached.items()) if code
    )
    return hashlib.sha256(text.encode()).hexdigest(), packages


def forget() -> None:
    """Read every file anew the next time."""
    _source.cache_clear()
    of.cache_clear()
