"""What is published says the same everywhere: headlines are measured again from the committed frames."""

import dataclasses
import itertools

import pandas as pd
import pytest

from reproduce import ledger, points, publish, registry, report, verdicts
from reproduce.figure import Figure
from schedlib import paths

FIGURES = paths.checkout() / "figures"
LIBRARY = registry.load()
HEADLINES = [claim for claim in LIBRARY.claims.values() if claim.headline]


def committed(experiment):
    """An experiment's frame, from the figures drawn from it."""
    entries = publish.provenance(FIGURES)
    drawn = [
        LIBRARY.figures[name]
        for name, entry in entries.items()
        if entry["experiment"] == experiment and name in LIBRARY.figures
    ]
    whole = [figure for figure in drawn if figure.part is Figure.part]
    parts = []
    for figure in whole[:1] or drawn:
        paper, _, name = figure.id.partition(".")
        parts.append(pd.read_csv(FIGURES / paper / f"{name}.csv"))
    if not parts:
        pytest.skip(f"make figures: nothing is drawn from {experiment}")
    return pd.concat(parts).drop_duplicates()


@pytest.mark.parametrize("claim", HEADLINES, ids=lambda claim: claim.id)
def test_a_headline_says_what_its_committed_frame_gives(claim):
    row = ledger.read(FIGURES).set_index("id").loc[claim.id]
    needed = claim.experiments()
    looks = max(len(LIBRARY.experiments[name].analyses("quick")) for name in needed)
    frames = {name: committed(name) for name in needed}
    again = verdicts.judge(claim, frames, "quick", looks)
    assert (again.verdict, again.window, again.together) == (row.verdict, row.window, row.together)
    for name in ledger.NUMBERS:
        assert getattr(again, name) == pytest.approx(row[name], nan_ok=True)


def test_the_page_of_claims_is_made_from_the_ledger():
    rows = ledger.read(FIGURES)
    page = report.page(rows, ledger.read(FIGURES / points.PAPER_SCALE))
    assert (FIGURES / "CLAIMS.md").read_text() == page


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
