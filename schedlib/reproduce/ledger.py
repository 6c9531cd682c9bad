"""The claims ledger: each claim of the papers judged on its experiment's frame, misses included."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from schedlib import paths
from schedlib.experiment import VERDICTS, Claim
from schedlib.intervals import Interval, mean_ci
from schedlib.reproduce import registry, report, sweep
from schedlib.reproduce.tables import csv_text

COLUMNS = ("id", "paper", "where", "claim", "metric", "unit", "paper_value", "how_read", "check", "tolerance",
           "reading", "measured", "ci95", "verdict", "reason", "scale", "seeds")
REPRODUCED, IN_PART, MISSED, CONSTRUCTED, UNTESTABLE = VERDICTS


class Judgement(NamedTuple):
    """What was measured for a claim, and what that makes of it."""

    measured: float
    ci95: str
    verdict: str
    reason: str


def judge(claim: Claim, frame: pd.DataFrame | None) -> Judgement:
    """Judge a claim on its experiment's frame, by the rules in `Claim`. One replicate gives no interval: the
    mean alone is judged, and the reason says so. Raises ValueError, which names the claim, when `measure`
    gives no number, or one that is not finite."""
    if claim.experiment is None or claim.measure is None:
        return Judgement(float("nan"), "", UNTESTABLE, claim.reason)
    try:
        measured = claim.measure(frame)
        interval = measured if isinstance(measured, Interval) else mean_ci(measured)
        mean, low, high = map(float, np.round(interval, 12) + 0.0)
    except Exception as error:
        raise ValueError(f"claim {claim.id}: cannot be measured ({type(error).__name__}: {error})") from error
    text = "" if low != low else f"{low:.4g} to {high:.4g}"
    low, high = (mean, mean) if low != low else (low, high)
    near = claim.check in ("value", "ratio")
    verdict, reason = _near(claim, mean, low, high) if near else _above(claim, mean, low)
    single = "" if text else "one replicate: no interval, judged on the mean"
    verdict = CONSTRUCTED if claim.by_construction and verdict == REPRODUCED else verdict
    reasons = "; ".join(filter(None, (reason, single, claim.reason)))
    return Judgement(float(f"{mean:.6g}"), text, verdict, reasons)


def _near(claim: Claim, mean: float, low: float, high: float) -> tuple[str, str]:
    """Whether a value lies near the paper's, by difference or by ratio."""
    paper, tolerance = claim.paper_value, claim.tolerance
    assert paper is not None
    least, most, target, what = paper - tolerance, paper + tolerance, paper, "the mean"
    if claim.check == "ratio":
        if paper == 0:
            raise ValueError(f"claim {claim.id}: no ratio to the paper's value 0 exists; use check 'value'")
        mean, (low, high) = mean / paper, sorted((low / paper, high / paper))
        least, most, target, what = 1 / (1 + tolerance), 1 + tolerance, 1.0, f"measured / paper = {mean:.3g}"
    room = f"{least:.4g} to {most:.4g}"
    if least <= low and high <= most:
        return REPRODUCED, f"{what} is within {room}"
    if least <= mean <= most:
        return IN_PART, f"{what} is within {room}, its interval is not"
    if not (low <= most and high >= least):
        return MISSED, f"{what} is outside {room}"
    if abs(mean - target) <= max(abs(target), 2 * tolerance):
        return IN_PART, f"{what} is outside {room}, the interval reaches there"
    return MISSED, f"{what} is far outside {room}; that the interval reaches there only says how wide it is"


def _above(claim: Claim, mean: float, low: float) -> tuple[str, str]:
    """Whether a margin or a slope is positive."""
    what = "the margin" if claim.check == "order" else "the slope in the claimed direction"
    if mean <= 0:
        return MISSED, f"{what} is not positive"
    if low > 0:
        return REPRODUCED, f"{what} is positive"
    return IN_PART, f"{what} is positive on average only"


def lines(claim: Claim, frame_of: Callable[[str], pd.DataFrame | None]) -> list[dict[str, Any]]:
    """The ledger's rows of a claim: one, or for several readings one for the whole and one for each.

    `frame_of(experiment)` gives the frame to judge on, None when it cannot be had: that line is left out.
    """
    readings = {reading: replace(claim, experiment=name, measure=measure, readings={}, reason="")
                for reading, (name, measure) in claim.readings.items()}
    below: list[dict[str, Any]] = []
    for reading, one in (readings or {"": claim}).items():
        frame = frame_of(one.experiment) if one.experiment else None
        if one.experiment is None or frame is not None:
            seeds = 0 if frame is None else frame["seed"].nunique()
            below.append({"reading": reading, **judge(one, frame)._asdict(), "seeds": seeds})
    if claim.readings and below:
        verdicts = {line["reading"]: line["verdict"] for line in below}
        whole = {"reading": "", **_under_readings(claim, verdicts)._asdict()}
        below.insert(0, whole | {"seeds": min(line["seeds"] for line in below)})
    return [{column: getattr(claim, column) for column in COLUMNS[:10]} | line for line in below]


def _under_readings(claim: Claim, verdicts: Mapping[str, str]) -> Judgement:
    """What the verdicts under each reading make of the claim."""
    kinds = {kind: [name for name, verdict in verdicts.items() if verdict == kind] for kind in VERDICTS}
    holds, partly, fails = kinds[REPRODUCED], kinds[IN_PART], kinds[MISSED]
    verdict = REPRODUCED if not partly + fails else IN_PART if holds + partly else MISSED
    words = {"holds under": holds, "in part under": partly, "fails under": fails}
    said = [f"{word}: {', '.join(names)}" for word, names in words.items() if names]
    return Judgement(float("nan"), "", verdict, "; ".join(filter(None, (*said, claim.reason))))


def judged(scale: str = "quick", only: registry.Names = None, seeds: int | None = None,
           workers: int | None = None, dask: str | None = None, progress: bool = True) -> pd.DataFrame:
    """Every claim that `only` asks for, judged on frames of this scale; what is not stored is run. Gives the
    rows of `lines`, with `COLUMNS`. What lacks its data here is left out."""
    library = registry.load()

    @cache
    def frame_of(name):
        lacks = library.experiments[name].missing()
        return None if lacks else sweep.run(name, scale, seeds, workers, dask, progress)

    rows = [line for claim in library.wanted_claims(only) for line in lines(claim, frame_of)]
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).assign(scale=scale)
    return frame.astype({"paper_value": float})


def read(out: Path) -> pd.DataFrame:
    """The ledger in the folder `out`, with numbers where they are numbers; empty when there is none."""
    file = Path(out) / "claims.csv"
    if not file.exists():
        return pd.DataFrame(columns=list(COLUMNS))
    frame = pd.read_csv(file, dtype=str, keep_default_na=False).reindex(columns=list(COLUMNS), fill_value="")
    numbers = ["paper_value", "tolerance", "measured", "seeds"]
    return frame.assign(**{name: pd.to_numeric(frame[name], errors="coerce") for name in numbers})


def write(frame: pd.DataFrame, out: Path) -> tuple[Path, Path]:
    """Put these rows into the folder's `claims.csv` and `CLAIMS.md`; rows of other claims stay as they were.
    A row whose paper is here but no longer makes the claim is dropped."""
    known, table, page = registry.load(), out / "claims.csv", out / "CLAIMS.md"
    with paths.alone(out):
        before, judged_now = read(out), set(frame["id"])
        made = [name in known.claims or paper not in known.papers()
                for name, paper in zip(before["id"], before["paper"], strict=True)]
        kept = before[pd.Series(made, before.index, bool) & ~before["id"].isin(judged_now)]
        merged = pd.concat([rows for rows in (kept, frame) if len(rows)] or [frame], ignore_index=True)
        merged = merged.loc[sorted(merged.index, key=lambda row: registry.book_order(merged["id"][row]))]
        paths.write_whole(table, csv_text(merged))
        paths.write_whole(page, report.page(merged))
    return table, page
