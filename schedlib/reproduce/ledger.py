"""The claims ledger: each claim of the papers judged on its experiment's frame, misses included."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from schedlib import paths
from schedlib.experiment import VERDICTS, Claim
from schedlib.reproduce import judge, prose, publish, registry, sweep
from schedlib.reproduce.tables import csv_text

COLUMNS = (
    "id",
    "paper",
    "where",
    "claim",
    "metric",
    "unit",
    "paper_value",
    "how_read",
    "check",
    "tolerance",
    "reading",
    "measured",
    "ci95",
    "verdict",
    "reason",
    "scale",
    "seeds",
)
REPRODUCED, _, _, CONSTRUCTED, _ = VERDICTS


def lines(
    claim: Claim,
    done_of: Callable[[str], "sweep.Sweep | None"],
    before: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> list[dict[str, Any]]:
    """The ledger's rows of a claim: one, or for several readings one for the whole and one for each.

    `done_of(experiment)` gives the sweep to judge on, None when it cannot be had: the line is then as
    `before`, which has earlier rows by their reading, or left out.
    """
    below: list[dict[str, Any]] = []
    for reading, one in claim.lines().items():
        done = done_of(one.experiment) if one.experiment else None
        if one.experiment is None or done is not None:
            below.append({"reading": reading, **_line(one, done)})
        elif reading in before:
            below.append({column: before[reading][column] for column in COLUMNS[10:]})
    if claim.readings and below:
        verdicts = {line["reading"]: line["verdict"] for line in below}
        seeds = min(line["seeds"] for line in below)
        below.insert(0, {"reading": "", **_under_readings(claim, verdicts), "seeds": seeds})
    return [{column: getattr(claim, column) for column in COLUMNS[:10]} | line for line in below]


def _line(claim: Claim, done: "sweep.Sweep | None") -> dict[str, Any]:
    """What one line says was measured; where the interval leaves a doubt, that its seeds are spent."""
    line = judge.judge(
        claim,
        done.frame if done else None,
        done.analyses if done else 1,
    )._asdict()
    seeds = done.frame["seed"].nunique() if done else 0
    if not line.pop("decided"):
        line["reason"] += f"; the budget of {seeds} seeds is spent"
    return line | {"seeds": seeds}


def _under_readings(claim: Claim, verdicts: Mapping[str, str]) -> dict[str, Any]:
    """What the verdicts under each reading make of the claim."""
    verdict, said = judge.together(verdicts, "under:")
    verdict = CONSTRUCTED if claim.by_construction and verdict == REPRODUCED else verdict
    reason = "; ".join(filter(None, (said, claim.reason)))
    return {"measured": float("nan"), "ci95": "", "verdict": verdict, "reason": reason}


def judged(
    scale: str = "quick",
    only: registry.Names = None,
    seeds: int | None = None,
    workers: int | None = None,
    dask: str | None = None,
    out: Path | None = None,
) -> pd.DataFrame:
    """Every claim that `only` asks for, judged on frames of this scale; what is not stored is run. Gives the
    rows of `lines`, with `COLUMNS`. What lacks its data here is as in the ledger in `out`, or left out."""
    library = registry.load()
    claims = library.wanted_claims(only)
    below = [line.experiment for claim in claims for line in claim.lines().values()]
    experiments = [library.experiments[name] for name in below if name]
    done = sweep.complete(
        experiments,
        scale,
        seeds,
        workers,
        dask,
    )
    for error in done.values():
        if isinstance(error, sweep.SweepError):
            raise error
    return judged_on(done, claims, scale, out)


def judged_on(
    done: Mapping[str, Any], claims: Iterable[Claim], scale: str, out: Path | None = None
) -> pd.DataFrame:
    """The rows of these claims, judged on finished sweeps by experiment; without one, as `judged` says."""
    before: dict[str, dict[str, Any]] = {}
    for row in read(out).to_dict("records") if out else ():
        if row["scale"] == scale:
            before.setdefault(row["id"], {})[row["reading"]] = row
    rows = [line for claim in claims for line in lines(claim, done.get, before.get(claim.id, {}))]
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).assign(scale=scale)
    return frame.astype({"paper_value": float})


def read(out: Path) -> pd.DataFrame:
    """The ledger in the folder `out`, with numbers where they are numbers; empty when there is none."""
    file = Path(out) / "claims.csv"
    if not file.exists():
        return pd.DataFrame(columns=list(COLUMNS))
    frame = pd.read_csv(file, dtype=str, keep_default_na=False).reindex(
        columns=list(COLUMNS), fill_value=""
    )
    numbers = ["paper_value", "tolerance", "measured", "seeds"]
    return frame.assign(**{name: pd.to_numeric(frame[name], errors="coerce") for name in numbers})


def write(frame: pd.DataFrame, out: Path) -> tuple[Path, Path]:
    """Put these rows into the folder's `claims.csv` and `CLAIMS.md`; rows of other claims stay as they were.
    A row whose paper is here but no longer makes the claim is dropped. The page of `figures/` also shows the
    verdicts at paper scale, and is made again when these are."""
    known, table, page = registry.load(), out / "claims.csv", out / "CLAIMS.md"
    with paths.alone(out):
        before, judged_now = read(out), set(frame["id"])
        made = [
            name in known.claims or paper not in known.papers()
            for name, paper in zip(before["id"], before["paper"], strict=True)
        ]
        kept = before[pd.Series(made, before.index, bool) & ~before["id"].isin(judged_now)]
        merged = pd.concat(
            [rows for rows in (kept, frame) if len(rows)] or [frame], ignore_index=True
        )
        merged = merged.loc[
            sorted(merged.index, key=lambda row: registry.book_order(merged["id"][row]))
        ]
        paths.write_whole(table, csv_text(merged))
        paths.write_whole(page, prose.page(merged, read(out / publish.PAPER_SCALE)))
    if out.name == publish.PAPER_SCALE and len(quick := read(out.parent)):
        paths.write_whole(out.parent / "CLAIMS.md", prose.page(quick, merged))
    return table, page
