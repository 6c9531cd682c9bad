"""What is published says the same everywhere: each claim is judged again on the committed frames."""

import dataclasses
import functools
import itertools
import re

import pandas as pd
import pytest

import reproduce
from reproduce import gallery, ledger, points, registry, report, verdicts
from reproduce.figure import Figure
from schedlib import paths

FIGURES = paths.checkout() / "figures"
LIBRARY = registry.load()
IN_NO_FRAME = {
    *("lotes.minute", "lotes.bins-second", "lotes.tetris-weights"),
    *("lotes.fallback", "lotes.exit", "lotes.improved", "hmhs.crossing"),
}
"""Claims on times by a clock, and on policies or sizes that no figure of their experiment shows."""
JUDGED = [claim for claim in LIBRARY.claims.values() if claim.id not in IN_NO_FRAME]


@functools.cache
def committed(experiment):
    """An experiment's frame, from the figures drawn from it."""
    drawn = [figure for figure in LIBRARY.figures.values() if figure.experiment == experiment]
    whole = [figure for figure in drawn if figure.part is Figure.part]
    parts = [reproduce.frame(figure.id) for figure in whole[:1] or drawn]
    return pd.concat(parts).drop_duplicates()


@pytest.mark.parametrize("claim", JUDGED, ids=lambda claim: claim.id)
def test_the_ledger_says_what_the_committed_frames_give(claim):
    row = ledger.read(FIGURES).set_index("id").loc[claim.id]
    needed = claim.experiments()
    looks = [len(LIBRARY.experiments[name].analyses("quick")) for name in needed]
    frames = {name: committed(name) for name in needed}
    again = verdicts.judge(claim, frames, "quick", max(looks, default=1))
    for name in ledger.COLUMNS[1:]:
        assert getattr(again, name) == pytest.approx(row[name], nan_ok=True), name


def test_the_pages_are_made_from_the_ledger_and_from_how_figures_came_about():
    rows = ledger.read(FIGURES)
    claims = report.page(rows, ledger.read(FIGURES / points.PAPER_SCALE))
    assert (FIGURES / "CLAIMS.md").read_text() == claims
    page = gallery.page(FIGURES)
    assert (FIGURES / "README.md").read_text() == page
    headings = re.findall(r"^#+ (.*)$", page, re.M)
    linked = set(re.findall(r"\]\(#([^)]+)\)", page))
    anchors = [gallery.anchor(title) for title in headings]
    assert linked == set(anchors[1:])


def test_in_hmhs_s_world_as_many_sentences_hold_as_in_any_range_of_jobs():
    """As the world's `tried` says; Fig. 1's frame has 60 instances for each number of jobs."""
    frame = committed("hmhs.fig1")
    judged = [
        claim.world for claim in LIBRARY.claims.values() if claim.paper == "hmhs" and claim.world
    ]
    numbers = sorted(set(frame["jobs"]))
    held = {}
    for first, last in itertools.combinations(numbers, 2):
        jobs = [number for number in numbers if first <= number <= last]
        ranged = [dataclasses.replace(claim, args={**claim.args, "jobs": jobs}) for claim in judged]
        found = [verdicts.outcome(claim, frame, 0.95).verdict for claim in ranged]
        held[first, last] = found.count(verdicts.HOLDS)
    most = held[25, 200]
    assert [range_ for range_, count in held.items() if count == most] == [
        (25, 200),
        (25, 400),
        (50, 200),
    ]
    assert (
        held[25, 800] == most - 1 and most - 3 <= min(held.values()) and max(held.values()) == most
    )
