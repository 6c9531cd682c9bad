"""For every paper: figures draw from small runs, claims can be judged on them, what is committed is current."""

import functools
import json
import re
import sys
from pathlib import Path

import pandas as pd
import pytest

import seeing
from labels import check_labels
from reproduce import ledger, publish, registry, verdicts
from schedlib import paths
from schedlib.plots.alt import MOST_WORDS
from schedlib.sweeps import store, sweep

LIBRARY = registry.load()
LONGEST_CAPTION = 60  # words


@functools.cache
def small_run(name):
    """The experiment's smoke-scale frame, without the store."""
    experiment = LIBRARY.experiments[name]
    if lacking := experiment.missing():
        pytest.skip(lacking)
    blocks = []
    for point in experiment.points["smoke"]:
        for seed in range(experiment.analyses("smoke")[0]):
            task = store.Task(experiment.id, point, seed, description={}, path=Path(), exhibit=True)
            blocks.append(sweep.labelled(experiment.run(seed=seed, **point), task))
    return pd.concat(blocks, ignore_index=True)


def of_experiment(items, name):
    """Those of the registry's figures or claims that are made from this experiment."""
    return [item for item in items.values() if item.experiment == name]


def check_figure(figure, frame):
    """That its words are long enough to say something, and that every eye can read its picture."""
    frame = figure.seen(figure.part(frame))
    caption, alt = (
        text(frame) if callable(text) else text for text in (figure.caption, figure.alt)
    )
    assert min(len(caption), len(alt)) > 40
    if figure.plot is not None:
        drawn = figure.plot(frame)
        check_labels(figure.id, drawn)
        assert not seeing.alike(drawn), "to some eyes these series look the same"
        assert not seeing.faint(drawn), "these words hardly stand out from what is behind them"


def check_claim(claim):
    """That it can be judged, and under each of its readings."""
    frames = {name: small_run(name) for name in claim.experiments()}
    assert verdicts.judge(claim, frames, "smoke").verdict in verdicts.VERDICTS


RUN = [*LIBRARY.figures.values(), *LIBRARY.claims.values()]


@pytest.mark.parametrize("name", sorted({item.experiment for item in RUN if item.experiment}))
def test_figures_and_claims_of_a_small_run(name, subtests):
    """One test for each experiment, so that it runs once, in one process."""
    frame = small_run(name)
    for figure in of_experiment(LIBRARY.figures, name):
        with subtests.test(figure.id):
            check_figure(figure, frame)
    for claim in of_experiment(LIBRARY.claims, name):
        with subtests.test(claim.id):
            check_claim(claim)


@pytest.mark.parametrize("paper", LIBRARY.papers())
def test_each_printed_number_stands_in_the_paper(paper):
    folder = paths.checkout().parent / "shared/papers"
    files = sorted(folder.glob(f"{paper}*"))
    if not files:
        pytest.skip(f"the papers' texts are not here: {folder}")
    text = " ".join(file.read_text(encoding="utf-8") for file in files)
    for claim in LIBRARY.claims.values():
        if claim.paper != paper or not claim.printed:
            continue
        for number in claim.printed.split(" to "):
            spelled = re.escape(number).replace(",", ",?")
            assert re.search(rf"(?<![\d.]){spelled}(?![\d])", text), f"{claim.id}: {number}"


def test_published_captions_and_alt_texts_are_short():
    for name, entry in publish.provenance(paths.checkout() / "figures").items():
        assert len(entry["caption"].split()) <= LONGEST_CAPTION, name
        assert len(entry["alt"].split()) <= MOST_WORDS, name


def test_committed_figures_and_ledger_come_from_this_source():
    root = paths.checkout()
    entries = json.loads((root / "figures/provenance.json").read_text())
    assert set(ledger.read(root / "figures")["id"]) == set(LIBRARY.claims)
    assert set(entries) <= set(LIBRARY.figures)
    for name in set(LIBRARY.figures) - set(entries):
        lacking = LIBRARY.experiment(name).missing()
        assert lacking, f"make figures ONLY={name}: all that it needs is here"
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    if any(entry["versions"]["python"] != python for entry in entries.values()):
        pytest.skip(
            "the committed figures were made under another Python, whose syntax trees hash differently"
        )
    stale = publish.stale(root / "figures")
    assert not stale, f"make figures: {', '.join(stale)} were made by other code"
