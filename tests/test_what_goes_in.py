"""The book's page on Eagle's two generators: its tables have the numbers of the figures' files."""

import re

import pandas as pd
import pytest

import reproduce
from schedlib import paths
from test_prose import NUMBER, rounds_to

ROOT = paths.checkout()
PAGE = ROOT / "notebooks/book/what-goes-in.md"
EAGLE = ROOT / "figures/eagle"
QUANTILES = {"mean": ("mean",), "median": ("50%",), "95 %": ("95%",), "5 % and 95 %": ("5%", "95%")}
COLUMNS = {
    "excerpts of Yahoo": ("excerpt 1", "excerpt 2"),
    "excerpt of Google": ("excerpt",),
    "calibrated": ("calibrated",),
    "old": ("old",),
}


def tables():
    """The page's tables, by the words in the corner and in the second column's head."""
    found = {}
    for block in re.findall(r"(?:^\|.*\|\n)+", PAGE.read_text(), re.M):
        head, _, *rows = [
            [cell.strip() for cell in row.split("|")[1:-1]] for row in block.splitlines()
        ]
        found[head[0] or head[1]] = head, rows
    return found


def check(cell, values):
    numbers = NUMBER.findall(cell)
    assert len(numbers) == len(values), cell
    assert all(map(rounds_to, values, numbers)), f"{cell}: measured {values}"


@pytest.mark.parametrize("place", ["excerpts of Yahoo", "excerpt of Google"])
def test_what_goes_in(place):
    head, rows = tables()[place]
    inputs = pd.read_csv(EAGLE / "inputs.csv")
    inputs = inputs[inputs["trace"] == place.split()[-1].lower()].set_index(
        ["quantity", "quantile"]
    )
    quantity = ""
    for label, *cells in rows:
        which = "mean"
        if label.startswith("—"):
            which = label.removeprefix("— ")
        elif label in inputs.index:
            quantity = label
        else:
            quantity, _, which = label.rpartition(", ")
        for column, cell in zip(head[1:], cells, strict=True):
            values = [
                inputs.loc[(quantity, quantile), name]
                for name in COLUMNS[column]
                for quantile in QUANTILES[which]
            ]
            check(cell, values)


@pytest.mark.parametrize("trace", ["Yahoo", "Google"])
def test_what_comes_out(trace):
    _, rows = tables()[trace]
    found = pd.read_csv(EAGLE / "laws-table.csv")
    found = found[found["trace"] == trace.lower()].set_index("source")
    assert [row[0] for row in rows] == found.index.tolist()
    for source, factors, behind, stolen in rows:
        assert factors == found.loc[source, "Hawk / Eagle"]
        check(behind, [found.loc[source, "behind"]])
        check(stolen, [found.loc[source, "stolen"]])


def test_ingredients():
    ((head, rows),) = (table for corner, table in tables().items() if corner.startswith("Yahoo, "))
    found = pd.read_csv(EAGLE / "ingredients.csv").set_index("ingredient")
    assert [row[0] for row in rows] == found.index.tolist()
    for ingredient, *cells in rows:
        assert cells == found.loc[ingredient, head[1:]].tolist()


def test_verdicts():
    """The calibrated column; the old one is version 1.0's ledger."""
    _, rows = tables()["the paper says"]
    measured = reproduce.claims("eagle").set_index("id")["measured"]
    for percentile, row in zip((50, 90, 99), rows, strict=False):
        check(row[2], [1 + measured[f"eagle.omniscient-p{percentile}"] / 100])
    ids = [
        "heartbeat-5-p90", "heartbeat-7-p90", "overestimated", "speedup-most", "behind-long-yahoo",
    ]  # fmt: skip
    for name, row in zip(ids, rows[3:], strict=False):
        check(row[2], [measured[f"eagle.{name}"]])
    check(rows[8][2], [measured["eagle.min-google"]])
    assert measured["eagle.sss-exception"] < 0 and rows[9][2] == "no"
