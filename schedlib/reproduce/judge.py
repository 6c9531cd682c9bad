"""What a claim's numbers make of it, by the rules in `Claim`, and whether more seeds could change that."""

import math
from collections.abc import Mapping
from dataclasses import replace
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
        return Judgement(math.nan, "", UNTESTABLE, claim.reason)
    if claim.along:
        assert frame is not None
        one = replace(claim, along="", reason="")
        each = {}
        for at, rows in frame.groupby(claim.along):
            each[f"{at:g}"] = judge(one, rows, analyses)
        by_place = {}
        for verdict, names in groupby(each, key=lambda name: each[name].verdict):
            first, *others = names  # neighbours of the same verdict
            place = f"{first} to {others[-1]}" if others else first
            by_place[place] = verdict
        verdict, said = together(by_place, f"at {claim.along}")
        decided = all(found.decided for found in each.values())
        return Judgement(math.nan, "", verdict, _joined(said, claim.reason), decided)
    try:
        measured = claim.measure(frame)
        if measured is None:
            return Judgement(math.nan, "", UNTESTABLE, _joined(TOO_FEW, claim.reason))
        level = 1 - 0.05 / analyses
        if isinstance(measured, Proportion):
            interval = measured.interval(level)
        else:
            interval = mean_ci(measured, level)
        mean, low, high = map(float, np.round(interval, 12) + 0.0)
    except Exception as error:
        raise ValueError(
            f"claim {claim.id}: cannot be measured ({type(error).__name__}: {error})"
        ) from error
    text = f"{low:.4g} to {high:.4g}"
    single = ""
    if math.isnan(low):
        low = high = mean
        text = ""
        single = "one replicate: no interval, judged on the mean"
    rule = _near if claim.check in ("value", "ratio") else _above
    verdict, reason, decided = rule(claim, mean, low, high)
    if claim.by_construction and verdict == REPRODUCED:
        verdict = CONSTRUCTED
    reasons = _joined(reason, single, claim.reason)
    return Judgement(float(f"{mean:.6g}"), text, verdict, reasons, decided)


def _joined(*texts: str) -> str:
    """What there is of these texts, with semicolons between."""
    return "; ".join(filter(None, texts))


def together(verdicts: Mapping[str, str], word: str) -> tuple[str, str]:
    """The verdict on a whole by those on its parts, and which parts have which.

    >>> together({"one law": REPRODUCED, "another": MISSED}, "under:")
    ('in part', 'holds under: one law; fails under: another')
    >>> together({"runs of one workload": REPRODUCED, "several workloads": UNTESTABLE}, "under:")
    ('in part', 'holds under: runs of one workload; not testable under: several workloads')
    """
    kinds: dict[str, list[str]] = {kind: [] for kind in VERDICTS}
    for name, verdict in verdicts.items():
        kinds[verdict].append(name)
    holds = kinds[REPRODUCED] + kinds[CONSTRUCTED]
    partly = kinds[IN_PART]
    fails = kinds[MISSED]
    unknown = kinds[UNTESTABLE]
    if partly or (holds and fails + unknown):
        whole = IN_PART
    elif holds:
        whole = REPRODUCED
    elif fails:
        whole = MISSED
    else:
        whole = UNTESTABLE
    parts = {
        "holds": holds,
        "in part": partly,
        "fails": fails,
        "not testable": unknown,
    }
    texts = [f"{kind} {word} {', '.join(names)}" for kind, names in parts.items() if names]
    return whole, _joined(*texts)


def _near(claim: Claim, mean: float, low: float, high: float) -> tuple[str, str, bool]:
    """Whether a value lies near the paper's, by difference or by ratio."""
    paper = claim.paper_value
    tolerance = claim.tolerance
    assert paper is not None
    target = paper
    least = paper - tolerance
    most = paper + tolerance
    what = "the mean"
    if claim.check == "ratio":
        if paper == 0:
            raise ValueError(
                f"claim {claim.id}: no ratio to the paper's value 0 exists; use check 'value'"
            )
        mean = mean / paper
        low, high = sorted((low / paper, high / paper))
        target = 1.0
        least = 1 / (1 + tolerance)
        most = 1 + tolerance
        what = f"measured / paper = {mean:.3g}"
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
