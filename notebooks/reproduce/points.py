"""The points behind the book's figures and claims: run where they are not stored, with seeds until all is decided."""

import json
from collections.abc import Iterable

from reproduce import reach, registry, verdicts
from schedlib import paths
from schedlib.sweeps import sweep
from schedlib.sweeps.experiment import Experiment, Settings

PAPER_SCALE = "paper-scale"
"""The folder in `figures/` with the ledger and the frames of the run at paper scale."""


def decided(done: sweep.Sweep) -> bool:
    """Whether no verdict needs more seeds; a reader's own experiment has no claims."""
    claims = registry.load().claims
    return verdicts.decided(claims, done.experiment.id, done.frame, done.analyses)


def complete(
    experiments: Iterable[Experiment], settings: Settings
) -> dict[str, sweep.Sweep | sweep.SweepError]:
    """Run all that these experiments lack in one pool; gives each one's sweep by its id, or its error."""
    seconds = published_seconds(settings.scale)
    return sweep.complete(experiments, settings, decided, seconds, reach.describe)


def finished(name: str | Experiment, settings: Settings) -> sweep.Sweep:
    """The finished sweep of an experiment, by its id or that of one of its figures; ValueError for an unknown name."""
    if isinstance(name, str):
        experiment, known = registry.load().experiment(name), reach.describe
    else:
        experiment, known = name, None
    seconds = published_seconds(settings.scale)
    return sweep.finished(experiment, settings, decided, seconds, known)


def published_seconds(scale: str) -> dict[str, float]:
    """How long a point of each experiment took, on average, when it was last published at this scale."""
    seconds = {}
    figures = (paths.checkout() or paths.PACKAGE) / "figures"
    # by their names: another process that draws has temporary folders there, which come and go
    for file in (figures / "provenance.json", figures / PAPER_SCALE / "provenance.json"):
        entries = json.loads(file.read_text("utf-8")) if file.exists() else {}
        for entry in entries.values():
            if entry["scale"] == scale:
                points = entry["seeds"] * len(entry["points"])
                seconds[entry["experiment"]] = entry["seconds"] / points
    return seconds
