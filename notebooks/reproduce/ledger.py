"""The claims ledger: each sentence of the papers judged on its experiments' frames, misses included."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from pandas import DataFrame

from reproduce import points, registry, report, verdicts
from reproduce.sentences import Sentence
from schedlib import paths
from schedlib.sweeps import SweepError
from schedlib.sweeps.experiment import Settings
from schedlib.sweeps.text import csv_text

TYPES = verdicts.Row.__annotations__
COLUMNS = verdicts.Row._fields
NUMBERS = ("measured", "low", "high", "world_measured", "world_low", "world_high")


def judged(settings: Settings, only: registry.Names = None, out: Path | None = None) -> DataFrame:
    """Every claim that `only` asks for, judged on frames of one scale; what is not stored is run. Gives a
    frame with `COLUMNS`. What lacks its data here is as in the ledger in `out`, or left out."""
    library = registry.load()
    claims = library.wanted_claims(only)
    needed = [library.experiments[name] for claim in claims for name in claim.experiments()]
    done = points.complete(needed, settings)
    for error in done.values():
        if isinstance(error, SweepError):
            raise error
    return judged_on(done, claims, settings.scale, out)


def judged_on(
    done: Mapping[str, Any], claims: Iterable[Sentence], scale: str, out: Path | None = None
) -> DataFrame:
    """The rows of these claims, judged on finished sweeps by experiment. A claim of which some experiment
    lacks its data here keeps its row in `out`; without such a row it is judged on what is here, if anything."""
    before = {}
    if out is not None:
        earlier = read(out).to_dict("records")
        before = {row["id"]: row for row in earlier if row["scale"] == scale}
    frames = {name: finished.frame for name, finished in done.items()}
    rows = []
    for claim in claims:
        needed = claim.experiments()
        here = [name for name in needed if name in frames]
        if claim.id in before and here != needed:
            rows.append(before[claim.id])
        elif not needed or claim.experiment in here:
            looks = [done[name].analyses for name in here]
            row = verdicts.judge(claim, frames, scale, max(looks, default=1))
            rows.append(row._asdict())
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(TYPES)


def read(out: Path) -> DataFrame:
    """The ledger in the folder `out`, with numbers where they are numbers; empty without one, or for one
    with other columns, as of version 1.0."""
    file = Path(out) / "claims.csv"
    if file.exists():
        missing: Any = dict.fromkeys(NUMBERS, "")
        frame = pd.read_csv(file, dtype=TYPES, keep_default_na=False, na_values=missing)
        if tuple(frame.columns) == COLUMNS:
            return frame
    return pd.DataFrame(columns=list(COLUMNS)).astype(TYPES)


def write(frame: DataFrame, out: Path) -> tuple[Path, Path]:
    """Put these rows into the folder's `claims.csv` and `CLAIMS.md`; rows of other claims stay as they were.
    A row whose paper is here but no longer makes the claim is dropped. The page of `figures/` also shows
    what differs at paper scale, and is made again when that is."""
    known = registry.load()
    table = out / "claims.csv"
    page = out / "CLAIMS.md"
    with paths.alone(out):
        before = read(out)
        made = before["id"].isin(known.claims) | ~before["paper"].isin(known.papers())
        kept = before[made & ~before["id"].isin(frame["id"])]
        merged = pd.concat([kept, frame])
        merged = merged.sort_values("id", key=lambda ids: ids.map(registry.book_order))
        paths.write_whole(table, csv_text(merged))
        paths.write_whole(page, report.page(merged, read(out / points.PAPER_SCALE)))
    quick = read(out.parent)
    if out.name == points.PAPER_SCALE and len(quick):
        paths.write_whole(out.parent / "CLAIMS.md", report.page(quick, merged))
    return table, page
