"""The verdict of a sentence and of its printed number, from what was measured."""

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

import numpy as np
from pandas import DataFrame

from reproduce.sentences import Sentence
from schedlib.intervals import Best, Exact, Proportion, mean_ci

HOLDS, FAILS, DEPENDS, UNDECIDED = "holds", "fails", "depends", "undecided"
SLIP, UNTESTABLE = "the paper's slip", "not testable"
VERDICTS = (HOLDS, DEPENDS, UNDECIDED, FAILS, SLIP, UNTESTABLE)
AS_PRINTED, NEAR, OFF = "as printed", "near", "off"
NUMBERS = (AS_PRINTED, NEAR, OFF, UNDECIDED)
Frames = Mapping[str, DataFrame]
"""Experiments' frames by their names."""
A_QUARTER = 0.25  # how far from the printed number is near


class Measured(NamedTuple):
    """A mean with the ends of its interval, NaN where one run gives none, and over how many runs."""

    mean: float
    low: float
    high: float
    runs: int


class Row(NamedTuple):
    """A row of the ledger. `window` says where along a column the sentence holds or is undecided; `turns` names the
    other readings under which it fares otherwise, and how."""

    id: str
    paper: str
    where: str
    sentence: str
    printed: str
    unit: str
    measured: float
    low: float
    high: float
    runs: int
    verdict: str
    number: str
    window: str
    turns: str
    cause: str
    kind: str
    scale: str


def judge(sentence: Sentence, frames: Frames, scale: str, looks: int = 1) -> Row:
    """The ledger's row of a sentence, from the frames of its experiments by name.

    Where seeds are added until verdicts are decided, with `looks` at them in all, each interval has level
    1 - 0.05 / looks: so all of them hold together in 95 % of cases (Bonferroni). A reading whose frame is
    not among `frames` is passed over. Raises ValueError, which names the claim, when a measure gives no number.
    """
    found = Measured(math.nan, math.nan, math.nan, 0)
    verdict, number, window, turns = UNTESTABLE, "", "", ""
    if sentence.experiment:
        level = 1 - 0.05 / looks
        frame = frames[sentence.experiment]
        if sentence.along:
            verdict, window = windows(along(sentence, frame, level), sentence.along)
            turns = other_windows(sentence, window, frames, level)
            found = found._replace(runs=frame["seed"].nunique())
        else:
            found = measured(sentence, frame, level)
            verdict = decide(sentence, found)
            number = number_of(sentence, found) if sentence.printed else ""
        if not sentence.along and verdict in (HOLDS, FAILS):
            turns = turned(sentence, verdict, frames, level)
            verdict = DEPENDS if turns else verdict
    if sentence.slip:
        verdict = SLIP
    return Row(
        id=sentence.id,
        paper=sentence.paper,
        where=sentence.where,
        sentence=sentence.sentence,
        printed=sentence.printed,
        unit=sentence.unit,
        measured=found.mean,
        low=found.low,
        high=found.high,
        runs=found.runs,
        verdict=verdict,
        number=number,
        window=window,
        turns=turns,
        cause=sentence.cause,
        kind=sentence.kind,
        scale=scale,
    )


def measured(sentence: Sentence, frame: DataFrame, level: float) -> Measured:
    """The value of the sentence's measure on a frame, with an interval of this level."""
    assert sentence.measure is not None
    try:
        values = sentence.measure(frame, **sentence.args)
        if values is None:
            return Measured(math.nan, math.nan, math.nan, 1)
        if isinstance(values, Proportion | Best | Exact):
            interval = values.interval(level)
            runs = values.runs
        else:
            interval = mean_ci(values, level)
            runs = np.size(values)
        # what is below 1e-12 is rounding, which processors do differently
        mean, low, high = map(float, np.round(interval, 12) + 0.0)
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise ValueError(f"claim {sentence.id}: cannot be measured ({what})") from error
    return Measured(mean, low, high, runs)


def zone(sentence: Sentence) -> tuple[float, float]:
    """Between which numbers a measured one is near: a quarter from the printed ones, or `within`."""
    if sentence.within is not None:
        return sentence.within
    least, most, _ = sentence.numbers()
    ends = [least * (1 - A_QUARTER), least * (1 + A_QUARTER)]
    ends += [most * (1 - A_QUARTER), most * (1 + A_QUARTER)]
    return min(ends), max(ends)


def decide(sentence: Sentence, found: Measured) -> str:
    """Whether the sentence holds, fails, or is undecided: one run never decides.

    >>> most = Sentence("hmhs.most", "", "", "at least", printed="51", experiment="hmhs.fig1")
    >>> decide(most, Measured(57.7, 57.1, 58.2, 20)), decide(most, Measured(52.0, 50.1, 54.0, 20))
    ('holds', 'undecided')
    """
    if math.isnan(found.low):
        return UNDECIDED
    if sentence.says == "value":
        least, most = zone(sentence)
    else:
        limit = sentence.limit
        if limit is None:
            limit = sentence.numbers()[0] if sentence.says != "order" else 0.0
        least, most = (-math.inf, limit) if sentence.says == "at most" else (limit, math.inf)
    if sentence.says == "order":  # more than the limit, not as much
        inside = found.low > least
        outside = found.high < least
    else:
        inside = least <= found.low and found.high <= most
        outside = found.high < least or found.low > most
    if found.low == found.high and not inside:
        return FAILS  # all runs agree
    if inside:
        return HOLDS
    return FAILS if outside else UNDECIDED


def number_of(sentence: Sentence, found: Measured) -> str:
    """The verdict of the printed number: as printed to its last digit, near, or off; "" after one run.

    >>> gain = Sentence("hmhs.most", "", "", "order", printed="77", experiment="hmhs.fig1")
    >>> [number_of(gain, Measured(mean, mean - 1, mean + 1, 20)) for mean in (76.5, 73.4, 40, 58)]
    ['as printed', 'near', 'off', 'undecided']
    """
    if math.isnan(found.low):
        return ""
    least, most = zone(sentence)
    first, last, digit = sentence.numbers()
    if found.high < least or found.low > most:
        return OFF
    if not (least <= found.low and found.high <= most):
        return UNDECIDED
    meets = found.low <= last + digit / 2 and found.high >= first - digit / 2
    return AS_PRINTED if meets else NEAR


def turned(sentence: Sentence, verdict: str, frames: Frames, level: float) -> str:
    """The other readings that decide the sentence the other way, with what each measures; "" without any."""
    opposite = FAILS if verdict == HOLDS else HOLDS
    texts = []
    for name, other in sentence.others.items():
        if other.experiment in frames:
            found = measured(other, frames[other.experiment], level)
            if decide(other, found) == opposite:
                texts.append(f"{name} ({found.mean:.3g})")
    return f"{opposite} with {', '.join(texts)}" if texts else ""


def other_windows(sentence: Sentence, window: str, frames: Frames, level: float) -> str:
    """Where along a column the sentence holds or fails under each other reading that has other windows."""
    texts = []
    for name, other in sentence.others.items():
        if other.experiment in frames:
            each = along(other, frames[other.experiment], level)
            _, found = windows(each, other.along)
            if found != window:
                texts.append(f"{found or 'fails everywhere'} with {name}")
    return "; ".join(texts)


def along(sentence: Sentence, frame: DataFrame, level: float) -> dict[str, str]:
    """The verdict at each value of the column along which the sentence is judged."""
    one = replace(sentence, along="")
    return {
        f"{at:g}": decide(one, measured(one, rows, level))
        for at, rows in frame.groupby(sentence.along)
    }


def windows(each: Mapping[str, str], column: str) -> tuple[str, str]:
    """The verdict over all values of a column, and where it holds or is undecided; it fails elsewhere.

    >>> windows({"0.8": HOLDS, "0.85": HOLDS, "0.9": FAILS}, "load")
    ('depends', 'holds at load 0.8 to 0.85')
    """
    texts: dict[str, list[str]] = {HOLDS: [], UNDECIDED: [], FAILS: []}
    for verdict, names in groupby(each, key=lambda name: each[name]):
        first, *rest = names
        place = f"{first} to {rest[-1]}" if rest else first
        texts[verdict].append(f"{verdict} at {column} {place}")
    text = ", ".join(texts[HOLDS] + texts[UNDECIDED])
    found = set(each.values())
    if len(found) == 1:
        return found.pop(), text
    return (DEPENDS if {HOLDS, FAILS} <= found else UNDECIDED), text


def decided(
    sentences: Mapping[str, Sentence], experiment: str, frame: DataFrame, looks: int
) -> bool:
    """Whether no sentence judged on an experiment is undecided, under any reading: it then needs no more seeds."""
    level = 1 - 0.05 / looks
    for sentence in sentences.values():
        for one in sentence.readings():
            if one.experiment != experiment or one.kind == "construction":
                continue
            if one.along:
                found = set(along(one, frame, level).values())
            else:
                found = {decide(one, measured(one, frame, level))}
            if UNDECIDED in found:
                return False
    return True
