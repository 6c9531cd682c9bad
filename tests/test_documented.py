"""Every public function and class has an example, and what its docstring says to see exists."""

import importlib
import inspect
import pkgutil
import re

import pytest

FACES = (
    "schedlib.lotes",
    "schedlib.hmhs",
    "schedlib.mch",
    "schedlib.eagle",
    "schedlib.hmhs.plain",
    "schedlib.hmhs.plain_model",
    "schedlib.hmhs.plain_rivals",
    "schedlib.lotes.plain",
    "schedlib.lotes.plain_datacentre",
    "schedlib.lotes.plain_dispatching",
    "schedlib.lotes.plain_rivals",
    "schedlib.mch.plain",
    "schedlib.mch.plain_model",
    "schedlib.mch.plain_rivals",
    "schedlib.eagle.plain",
    "schedlib.eagle.plain_model",
    "schedlib.eagle.plain_rivals",
    "schedlib.traces",
    "schedlib.traces.download",
    "schedlib.boards",
    "schedlib.sweeps",
    "schedlib.prototype",
    "schedlib.workload",
    "schedlib.theory",
    "schedlib.intervals",
    "schedlib.paths",
    "schedlib.plots.style",
    "reproduce",
    "reproduce.figure",
    "book.listing",
    "book.notation",
    "book.exercises",
    "book.explorers",
)
PACKAGES = ("", "schedlib.", "schedlib.plots.", "book.")
"""Where a docstring's names begin."""
SEE = re.compile(r"See also: (.*?)(?:\.\n|\.$)", re.DOTALL)


def public(face):
    """Its public functions and classes by name: those of `__all__`, or that are its own."""
    module = importlib.import_module(face)
    own = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]
    for name in getattr(module, "__all__", own):
        value = getattr(module, name)
        if callable(value) and not inherits_within(module, value):
            yield f"{face}.{name}", value


def inherits_within(module, value):
    """Whether a class of a plain file is another's with changes: the base's example shows it."""
    bases = getattr(value, "__bases__", ())
    return ".plain" in module.__name__ and any(".plain" in base.__module__ for base in bases)


@pytest.mark.parametrize("face", FACES)
def test_every_public_function_and_class_has_an_example(face):
    names = dict(public(face))
    assert names
    assert [name for name, value in names.items() if ">>>" not in (value.__doc__ or "")] == []


@pytest.mark.parametrize("face", FACES)
def test_every_public_function_and_method_has_types(face):
    for name, value in public(face):
        functions = vars(value).values() if inspect.isclass(value) else [value]
        for function in filter(inspect.isfunction, functions):
            if function.__name__[0] in "_<":  # private, or a lambda that is a field
                continue
            given = inspect.signature(function).parameters.values()
            wanted = {one.name for one in given if one.kind != one.VAR_KEYWORD} - {"self"}
            assert wanted | {"return"} <= set(inspect.get_annotations(function)), name


def resolves(name):
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def test_what_docstrings_say_to_see_is_there():
    named = {
        see
        for face in FACES
        for _, value in public(face)
        for line in SEE.findall(inspect.getdoc(value) or "")
        for see in re.findall(r"`(\w+\.[\w.]+)`", line)
    }
    assert len(named) > 50
    for name in named:
        assert any(resolves(package + name) for package in PACKAGES), name
