"""The reference: each public name with its signature, its docstring and its examples, and the source of every module."""

import ast
import importlib
import inspect
import re
import textwrap
from functools import cached_property
from pathlib import Path

HIDDEN = ("__", "_")
LONGEST_VALUE, LONGEST_DEFAULT = 100, 40
PACKAGES = {
    "workload": "Workload", "traces": "Traces", "lotes": "LoTES", "hmhs": "HMHS", "mch": "MCH", "eagle": "Eagle",
    "prototype": "Prototype", "theory": "Theory", "reproduce": "Reproduce", "leaderboard": "Leaderboard", "exercises": "Exercises", "notation": "Notation",
    "explorers": "Explorers", "style": "Style",
}  # fmt: skip
ROOMS = {"exercises": "teaching.", "notation": "teaching.", "explorers": "teaching.", "style": "pictures."}
"""Where those are that do not lie directly below schedlib."""


def module_name(package: str) -> str:
    """The full name of a package or module of the reference.

    >>> module_name("mch"), module_name("style")
    ('schedlib.mch', 'schedlib.pictures.style')
    """
    return f"schedlib.{ROOMS.get(package, '')}{package}"


def packages() -> list[str]:
    """The packages and modules that the reference covers, without those that are not there."""
    return [name for name in PACKAGES if importlib.util.find_spec(module_name(name))]


def public(package: str) -> dict[str, object]:
    """The public names of a package or module in the order in which they read best: functions and classes, then constants.

    >>> list(public("mch"))[:3]
    ['allocate', 'Allocation', 'Churn']
    """
    module = importlib.import_module(module_name(package))
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
    names = getattr(module, "__all__", None) or [name for name in own if not name.startswith("_")]
    found = {name: getattr(module, name) for name in sorted(names, key=str.lower)}
    return {name: value for name, value in found.items() if callable(value)} | {
        name: value for name, value in found.items() if not callable(value)
    }


def kind_shown(kind, package: str) -> str:
    """A type as a reader would call it: `np.ndarray`, `mch.Tree`."""
    text = kind if isinstance(kind, str) else kind.__name__ if kind in (int, float, bool, str, list, dict, tuple) else str(kind)
    text = re.sub(r"<class '([\w.]+)'>", r"\1", text)
    text = re.sub(r"\bschedlib\.(\w+)\.(?:\w+\.)*(?=\w)", r"\1.", text).replace("workload.Workload", "Workload")
    text = re.sub(r"\b(?:pandas|collections|matplotlib|pathlib|typing|contextlib|ipywidgets)\.(?:\w+\.)*(\w+)", r"\1", text)
    text = text.replace("numpy.random._generator.", "np.random.").replace("numpy.", "np.")
    own = public(package) if package else {}
    return re.sub(r"(?<![\w.])[A-Z]\w*", lambda name: f"{package}.{name[0]}" if name[0] in own else name[0], text)


def written(thing) -> dict[str, str]:
    """The annotations of a function as its source writes them, by argument ("return" for the result); none without a source.

    >>> from schedlib import mch
    >>> written(mch.allocate)["capacity"]
    'npt.ArrayLike'
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(getattr(thing, "py_func", thing))))
    except (TypeError, OSError, SyntaxError):
        return {}
    if not isinstance(function := tree.body[0], ast.FunctionDef):
        return {}
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    kinds = {argument.arg: argument.annotation for argument in arguments} | {"return": function.returns}
    return {name: ast.unparse(kind).strip("'") for name, kind in kinds.items() if kind is not None}


def default_shown(value) -> str:
    """A default value: a function by its name, three dots for what is long."""
    name = getattr(getattr(value, "py_func", value), "__name__", None)
    text = name if name and callable(value) else repr(value).replace("'", '"')
    return text if len(text) <= LONGEST_DEFAULT else "..."


def signature(thing, package: str = "") -> str:
    """A signature as a reader would write it.

    >>> from schedlib import mch
    >>> signature(mch.allocate, "mch")
    '(tree: mch.Tree, capacity: npt.ArrayLike, rule: str | mch.Rule, divisible: bool = True) -> mch.Allocation'
    """
    package = "" if package == "workload" else package
    try:
        found = inspect.signature(getattr(thing, "py_func", thing))
    except (TypeError, ValueError):
        return "()"
    kinds = written(thing)
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    shown, keywords = [], False
    for name, parameter in found.parameters.items():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not keywords:
            shown.append("*")
            keywords = True
        text = stars.get(parameter.kind, "") + name
        typed = parameter.annotation is not parameter.empty
        text += f": {kind_shown(kinds.get(name, parameter.annotation), package)}" if typed else ""
        if parameter.default is not parameter.empty:
            text += (" = " if typed else "=") + default_shown(parameter.default)
        shown.append(text)
    gives = found.return_annotation
    tail = "" if inspect.isclass(thing) or gives in (found.empty, None) else f" -> {kind_shown(kinds.get('return', gives), package)}"
    return f"({', '.join(shown)}){tail}"


def examples_fenced(doc: str, margin: bool = True) -> str:
    """A docstring as Markdown: doctests become code blocks, stars that belong to a name stay stars.

    `margin` takes off the indentation that all lines but the first share, which a module's docstring does not have.

    >>> examples_fenced("Adds.\\n\\n>>> 1 + 1\\n2").split("\\n")
    ['Adds.', '', '```pycon', '>>> 1 + 1', '2', '```']
    """
    out, inside = [], False
    for line in (inspect.cleandoc(doc) if margin else doc.strip()).splitlines():
        if line.startswith(">>> ") and not inside:
            out += [*([""] if out and out[-1] else []), "```pycon"]
            inside = True
        elif inside and not line.strip():
            out.append("```")
            inside = False
        out.append(line if inside else re.sub(r"(?<=[\w)])\*(?=[\s,.;:)]|$)", r"\\*", line))
    return "\n".join([*out, *(["```"] if inside else [])])


def source_page(thing) -> str:
    """The link to the page with a name's source, or nothing."""
    module = getattr(getattr(thing, "py_func", thing), "__module__", None)
    if not module or not module.startswith("schedlib"):
        return ""
    file = Path(inspect.getsourcefile(importlib.import_module(module)))
    below = file.relative_to(Path(importlib.import_module("schedlib").__file__).parent.parent).as_posix()
    return f"\n\n[source](../code/{below}.md)"


def directive(kind: str, name: str, body: str, colons: int, options: str = "") -> str:
    fence = ":" * colons
    return f"{fence}{{py:{kind}}} {name}\n{options}\n{body}\n{fence}\n"


def members(package: str, name: str, kind: type) -> str:
    """The directives of a class's own public methods and properties that have a docstring."""
    out = []
    for member, value in vars(kind).items():
        inner = getattr(value, "func", None) or getattr(value, "fget", None) or getattr(value, "__func__", value)
        if member.startswith("_") or not inspect.isfunction(inner) or not inner.__doc__:
            continue
        attribute = isinstance(value, property | cached_property)
        shown = "" if attribute else re.sub(r"^\((?:self|cls)(?:, )?", "(", signature(inner, package))
        options = ":classmethod:\n" if isinstance(value, classmethod) else ""
        out.append(directive("attribute" if attribute else "method", f"{name}.{member}{shown}", examples_fenced(inner.__doc__), 4, options))
    return "\n".join(out)


def entry(package: str, name: str, thing) -> str:
    """The reference of one public name."""
    full = name if package == "workload" else f"{package}.{name}"
    if inspect.ismodule(thing):
        return ""
    if not callable(thing):
        value = repr(thing)
        return directive("data", full, f"`{value}`" if len(value) <= LONGEST_VALUE else f"A {type(thing).__name__}.", 6)
    doc = examples_fenced(thing.__doc__ or "") + source_page(thing)
    if inspect.isclass(thing):
        return directive("class", full + signature(thing, package), f"{doc}\n\n{members(package, full, thing)}", 6)
    return directive("function", full + signature(thing, package), doc, 6)


def page(package: str) -> str:
    """The page of a package or module: what it is, then its names."""
    module = importlib.import_module(module_name(package))
    called = "from schedlib.workload import Workload" if package == "workload" else f"from {module_name(package).rpartition('.')[0]} import {package}"
    entries = [entry(package, name, thing) for name, thing in public(package).items()]
    head = f"# {PACKAGES[package]}\n\n`{called}`\n\n{examples_fenced(module.__doc__ or '', margin=False)}\n"
    return "\n".join([head, *filter(None, entries)])


def first_sentence(doc: str | None) -> str:
    text = " ".join((doc or "").split("\n\n")[0].split())
    return text.replace("|", "\\|")


def index() -> str:
    """The reference's first page."""
    rows = [
        f"| [{PACKAGES[name]}]({name}.md) | {first_sentence(importlib.import_module(module_name(name)).__doc__)} |" for name in packages()
    ]
    return (
        "# Reference\n\nEvery public name of `schedlib`, made from its docstring. Examples are run as tests. Arrays are said with their "
        "shape: `(M, K)` has a row for each configuration and a column for each class.\n\n| | what |\n|---|---|\n" + "\n".join(rows) + "\n"
    )


def code_page(root: Path, path: str, language: str = "python") -> str:
    """A page that shows one source file; left out of the search, so that chapters are found first."""
    text = (root / path).read_text(encoding="utf-8")
    fence = "`" * max(4, 1 + max(map(len, re.findall(r"`+", text)), default=0))
    head = f"---\norphan: true\nnosearch: true\n---\n\n# {path}\n\n"
    return f"{head}{fence}{{code-block}} {language}\n:linenos:\n\n{text}\n{fence}\n" if text.strip() else head + "Empty.\n"


def code_index(root: Path) -> str:
    """All modules with what their first sentence says."""
    out, folder = ["# Source code", "", "The library as it was when this book was built."], None
    for file in sorted((root / "schedlib").rglob("*.py"), key=lambda file: (file.parent.as_posix(), file.name)):
        below = file.relative_to(root).as_posix()
        if file.parent != folder:
            folder = file.parent
            out += ["", f"## {folder.relative_to(root).as_posix()}", ""]
        doc = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
        out.append(f"- [`{file.name}`]({below}.md) {first_sentence(doc)}".rstrip())
    return "\n".join(out) + "\n"
