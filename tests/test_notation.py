"""The notation table: every name of ours is in the library, every symbol is set, and a page without code shows it."""

import inspect
import pkgutil
import re

import pytest

from book import notation
from refusals import refuses
from schedlib import lotes, mch

TREE = mch.Tree([[(1, 0), (0, 1)], [(1, 0)]])
EXAMPLES = {"mch.Tree": TREE}  # what is set in __post_init__ is an attribute of instances only


def named(dotted):
    """The object with a name such as `lotes.plan`; a function goes before a module of the same name."""
    return pkgutil.resolve_name(f"schedlib.{dotted.replace('.', ':', 1)}")


def found(name):
    """The attribute, or the argument, that a name such as `lotes.Plan.bins` or `lotes.plan(integer=)` stands for."""
    dotted, _, argument = name.removesuffix("=)").partition("(")
    if argument:
        taken = inspect.signature(named(dotted)).parameters
        options = lotes.OPTIONS.values() if dotted == "lotes.simulate" else ()
        return any(argument in names for names in (taken, *options))
    owner, _, last = dotted.rpartition(".")
    here = EXAMPLES.get(owner) or named(owner)
    return hasattr(here, last) or last in getattr(here, "__dataclass_fields__", {})


of_each_row = pytest.mark.parametrize(
    "row", notation.TABLE, ids=lambda row: f"{row.paper} {row.symbol}"
)


@of_each_row
def test_our_name_is_in_the_library(row):
    assert found(row.ours), f"{row.ours} is not there"
    assert row.meaning and row.unit and row.chapters
    for other in re.findall(
        r"`([a-z_]+)`", row.meaning
    ):  # a second name told in the meaning belongs to the same owner
        owner, _, _ = row.ours.rpartition("(" if "(" in row.ours else ".")
        assert found(f"{owner}.{other}") or found(f"{owner}({other}=)"), f"{row.ours}: {other}"


@of_each_row
def test_mathematics_is_closed_and_breaks_no_table(row):
    for text in (row.symbol, row.meaning, row.unit):
        assert (
            text.count("$") % 2 == 0
            and text.count("{") == text.count("}")
            and "|" not in text
            and "\n" not in text
        )


def test_no_symbol_means_two_things_in_a_chapter():
    for paper in notation.SOURCES:
        for chapter in ("1b", "1c", *map(str, range(1, 9))):
            symbols = [
                row.symbol
                for row in notation.TABLE
                if row.paper == paper and chapter in row.chapters
            ]
            assert len(symbols) == len(set(symbols))


def test_shown_as_markdown_and_still_a_frame():
    table = notation.table("lotes", chapter=2)
    assert table._repr_html_() is None
    assert table[table["unit"] == "1"]._repr_markdown_().startswith("| symbol |")
    assert "paper" in notation.table().columns and len(notation.table()) == len(notation.TABLE)


@pytest.mark.parametrize("arguments", [("tetris",), ("lotes", 6), (None, 0)])
def test_unknown_names_are_refused(arguments):
    refuses("paper|chapter", notation.table, *arguments)
