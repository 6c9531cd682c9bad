"""What a claim's numbers make of it, by the rules in `Claim`, and whether more seeds could change that."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import NamedTuple

import numpy as np
import pandas as pd

from schedlib.experiment import VERDICTS, Claim
from schedlib.intervals import Proportion, mean_ci

REPRODUCED, IN_PART, MISSED, CONSTRUCTED, UNTESTABLE = VERDICTS
TOO_FEW = "one run cannot tell"


class Judgement(NamedTuple):
    """What was measured for a claim, what that makes of it, and whether the interval leaves no doubt."""

    measured: float
    ci95: str
    verdict: str
    reason: str
    decided: bool = True


def judge(claim: Claim, frame: pd.DataFrame | None, analyses: int = 1) -> Judgement:
    """Judge a claim on its experiment's frame, by the rules in `Claim`.

    Where seeds are added until the verdict is decided, with `analyses` of it in all, each has an interval
    of level 1 - 0.05 / analyses: so all of them hold together in 95 % of cases (Bonferroni). One replicate gives
    no interval: the mean alone is judged, and the reason says so; a `measure` that compares replicates gives
    None of one, and the claim is not testable. A claim that is judged `along` a column has
    no number of its own. Raises ValueError, which names the claim, when `measure` gives no number, or one
    that is not finite.
    """
    if claim.experiment is None or claim.measure is None:
        return Judgement(float("nan"), "", UNTESTABLE, claim.reason)
    if claim.along:
        assert frame is not None
        one = replace(claim, along="", reason="")
        each = {f"{at:g}": judge(one, rows, analyses) for at, rows in frame.groupby(claim.along)}
        kinds = [(name, found.verdict) for name, found in each.items()]
        at = {}
        for verdict, run in groupby(kinds, key=lambda kind: kind[1]):
            # neighbours of the same verdict
            names = [name for name, _ in run]
            at[" to ".join(dict.fromkeys((names[0], names[-1])))] = verdict
        verdict, said = together(at, f"at {claim.along}")
        said = "; ".join(filter(None, (said, claim.reason)))
        return Judgement(
            float("nan"), "", verdict, said, all(found.decided for found in each.values())
        )
    try:
        if (measured := claim.measure(frame)) is None:
            return Judgement(
                float("nan"), "", UNTESTABLE, "; ".join(filter(None, (TOO_FEW, claim.reason)))
            )
        level = 1 - 0.05 / analyses
        interval = (
            measured.interval if isinstance(measured, Proportion) else partial(mean_ci, measured)
        )
        mean, low, high = map(float, np.round(interval(level), 12) + 0.0)
    except Exception as error:
        raise ValueError(
            f"claim {claim.id}: cannot be measured ({type(error).__name__}: {error})"
        ) from error
    text = "" if low != low else f"{low:.4g} to {high:.4g}"
    low, high = (mean, mean) if low != low else (low, high)
    near = claim.check in ("value", "ratio")
    verdict, reason, decided = (_near if near else _above)(claim, mean, low, high)
    single = "" if text else "one replicate: no interval, judged on the mean"
    verdict = CONSTRUCTED if claim.by_construction and verdict == REPRODUCED else verdict
    reasons = "; ".join(filter(None, (reason, single, claim.reason)))
    return Judgement(float(f"{mean:.6g}"), text, verdict, reasons, decided)


def together(verdicts: Mapping[str, str], word: str) -> tuple[str, str]:
    """The verdict on a whole by those on its parts, and which parts have which.

    >>> together({"one law": REPRODUCED, "another": MISSED}, "under:")
    ('in part', 'holds under: one law; fails under: another')
    >>> together({"runs of one workload": REPRODUCED, "several workloads": UNTESTABLE}, "under:")
    ('in part', 'holds under: runs of one workload; not testable under: several workloads')
    """
    kinds = {
        kind: [name for name, verdict in verdicts.items() if verdict == kind] for kind in VERDICTS
    }
    holds, partly, fails = kinds[REPRODUCED] + kinds[CONSTRUCTED], kinds[IN_PART], kinds[MISSED]
    unknown = kinds[UNTESTABLE]
    verdict = (
        IN_PART
        if partly or (holds and fails + unknown)
        else REPRODUCED
        if holds
        else MISSED
        if fails
        else UNTESTABLE
    )
    parts = {"holds": holds, "in part": partly, "fails": fails, "not testable": unknown}
    return verdict, "; ".join(
        f"{kind} {word} {', '.join(names)}" for kind, names in parts.items() if names
    )


def _near(claim: Claim, mean: float, low: float, high: float) -> tuple[str, str, bool]:
    """Whether a value lies near the paper's, by difference or by ratio."""
    paper, tolerance = claim.paper_value, claim.tolerance
    assert paper is not None
    least, most, target, what = paper - tolerance, paper + tolerance, paper, "the mean"
    if claim.check == "ratio":
        if paper == 0:
            raise ValueError(
                f"claim {claim.id}: no ratio to the paper's value 0 exists; use check 'value'"
            )
        mean, (low, high) = mean / paper, sorted((low / paper, high / paper))
        least, most, target, what = (
            1 / (1 + tolerance),
            1 + tolerance,
            1.0,
            f"measured / paper = {mean:.3g}",
        )
    room = f"{least:.4g} to {most:.4g}"
    if least <= low and high <= most:
        return REPRODUCED, f"{what} is within {room}", True
    if least <= mean <= most:
        return IN_PART, f"{what} is within {room}, its interval is not", False
    if not (low <= most and high >= least):
        return MISSED, f"{what} is outside {room}", True
    if abs(mean - target) <= max(abs(target), 2 * tolerance):
        return IN_PART, f"{what} is outside {room}, the interval reaches there", False
    far = f"{what} is far outside {room}; that the interval reaches there only says how wide it is"
    return MISSED, far, False


def _above(claim: Claim, mean: float, low: float, high: float) -> tuple[str, str, bool]:
    """Whether a margin or a slope is positive."""
    what = "the margin" if claim.check == "order" else "the slope in the claimed direction"
    if mean <= 0:
        return MISSED, f"{what} is not positive", high <= 0
    if low > 0:
        return REPRODUCED, f"{what} is positive", True
    return IN_PART, f"{what} is positive on average only", False
