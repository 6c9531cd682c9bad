"""Every public function and class has an example, and what its docstring says to see exists."""

import importlib
import inspect
import pkgutil
import re

import pytest

FACES = (
    "lotes",
    "hmhs",
    "mch",
    "eagle",
    "hmhs.plain",
    "hmhs.plain_model",
    "hmhs.plain_rivals",
    "lotes.plain",
    "lotes.plain_datacentre",
    "lotes.plain_dispatching",
    "lotes.plain_results",
    "lotes.plain_rivals",
    "mch.plain",
    "mch.plain_model",
    "mch.plain_rivals",
    "eagle.plain",
    "eagle.plain_model",
    "eagle.plain_rivals",
    "traces",
    "traces.download",
    "leaderboard",
    "reproduce",
    "prototype",
    "workload",
    "experiment",
    "theory",
    "intervals",
    "paths",
    "pictures.style",
    "teaching.listing",
    "teaching.notation",
    "teaching.exercises",
    "teaching.explorers",
)
SEE = re.compile(r"See also: (.*?)(?:\.\n|\.$)", re.DOTALL)


def public(face):
    """Its public functions and classes by name: those of `__all__`, or that are its own."""
    module = importlib.import_module(f"schedlib.{face}")
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


def test_what_a_reader_is_told_to_see_is_there():
    named = {
        see
        for face in FACES
        for _, value in public(face)
        for line in SEE.findall(inspect.getdoc(value) or "")
        for see in re.findall(r"`(\w+\.[\w.]+)`", line)
    }
    assert len(named) > 50
    for name in named:
        pkgutil.resolve_name(f"schedlib.{name.removeprefix('schedlib.')}")  # raises, with its name
