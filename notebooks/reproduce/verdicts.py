"""The verdicts of a sentence, by the text and in the paper's world, and of its printed number, from what was measured."""

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

import numpy as np
from pandas import DataFrame

from reproduce.sentences import Sentence
from schedlib.intervals import Best, Exact, Proportion, mean_ci

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"
WINDOW, NOTHING = "in a window", "nothing to measure"
SLIP, UNTESTABLE, FIXED = "the paper's slip", "not testable", "fixed it"
VERDICTS = (HOLDS, WINDOW, UNDECIDED, FAILS, NOTHING, SLIP, UNTESTABLE)
"""By the text."""
AS_PRINTED, NEAR, OFF = "as printed", "near", "off"
NUMBERS = (AS_PRINTED, NEAR, OFF, UNDECIDED)
Frames = Mapping[str, DataFrame]
"""Experiments' frames by their names."""


class Measured(NamedTuple):
    """A mean with the ends of its interval, NaN where one run gives none, and over how many runs."""

    mean: float
    low: float
    high: float
    runs: int


class Row(NamedTuple):
    """A row of the ledger. `verdict` is by the text, and `window` says where along a column that the text leaves open
    the sentence holds or is undecided; `together` is the verdict in the paper's world, "" where there cannot be one;
    its number is the text's where the world changes nothing. `never` says that it fails by the text, in the world and in
    all other readings, which `others` lists."""

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
    together: str
    world_measured: float
    world_low: float
    world_high: float
    never: bool
    others: str
    cause: str
    kind: str
    scale: str


SAID = ("id", "paper", "where", "sentence", "printed", "unit", "cause", "kind")
"""Columns of a row that the sentence has itself."""


def judge(sentence: Sentence, frames: Frames, scale: str, looks: int = 1) -> Row:
    """The ledger's row of a sentence, from the frames of its experiments by name.

    Where seeds are added until verdicts are decided, with `looks` at them in all, each interval has level
    1 - 0.05 / looks: so all of them hold together in 95 % of cases (Bonferroni). A reading whose frame is not
    among `frames` is undecided. Raises ValueError, which names the claim, when a measure gives no number.
    """
    level = 1 - 0.05 / looks

    def of(one: Sentence) -> Outcome:
        return outcome(one, frames.get(one.experiment), level)

    text = of(sentence)
    world = text if sentence.world is None else of(sentence.world)
    others = {name: of(other) for name, other in sentence.others.items()}
    verdict, together = text.verdict, world.verdict
    if together == WINDOW:
        together = UNDECIDED  # no world says where along the column
    if sentence.fixed:
        together = FIXED
    fates = {one.verdict for one in (text, world, *others.values())}
    never = FAILS in fates and fates <= {FAILS, NOTHING}
    if sentence.slip or not sentence.experiment:
        verdict = SLIP if sentence.slip else UNTESTABLE
        together, never = "", False
    said = {name: getattr(sentence, name) for name in SAID}
    return Row(
        **said,
        measured=text.found.mean,
        low=text.found.low,
        high=text.found.high,
        runs=text.found.runs,
        verdict=verdict,
        number=number_of(sentence, text.found) if sentence.printed else "",
        window=text.window,
        together=together,
        world_measured=world.found.mean,
        world_low=world.found.low,
        world_high=world.found.high,
        never=never,
        others="; ".join(f"{name}: {other.words()}" for name, other in others.items()),
        scale=scale,
    )


class Outcome(NamedTuple):
    """What a sentence gives under one reading."""

    found: Measured
    verdict: str
    window: str = ""

    def words(self) -> str:
        """Its window, or its verdict and number."""
        number = "" if math.isnan(self.found.mean) else f" ({self.found.mean:.3g})"
        return self.window or self.verdict + number


UNKNOWN = Outcome(Measured(math.nan, math.nan, math.nan, 0), UNDECIDED)


def outcome(sentence: Sentence, frame: DataFrame | None, level: float) -> Outcome:
    """What a sentence gives on its experiment's frame, undecided without one; along a column it has no number."""
    if frame is None:
        return UNKNOWN
    if sentence.along:
        if sentence.at is None:
            verdict, window = windows(along(sentence, frame, level), sentence.along)
            return Outcome(UNKNOWN.found._replace(runs=frame["seed"].nunique()), verdict, window)
        frame = frame[np.isclose(frame[sentence.along], sentence.at)]
        if frame.empty:
            return UNKNOWN
    found = measured(sentence, frame, level)
    if floor := sentence.floor:
        size = replace(sentence, measure=floor.measure, args=floor.args)
        if measured(size, frame, level).high < floor.below:
            return Outcome(found, NOTHING)
    return Outcome(found, decide(sentence, found))


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
    ends = np.outer((least, most), (0.75, 1.25))
    return ends.min(), ends.max()


def within(found: Measured, least: float, most: float) -> str:
    """Whether a measured interval lies within these ends (it holds), outside (it fails), or at one of them."""
    if found.high < least or found.low > most:
        return FAILS
    if least <= found.low and found.high <= most:
        return HOLDS
    return UNDECIDED


def decide(sentence: Sentence, found: Measured) -> str:
    """Whether the sentence holds, fails, or is undecided: one run never decides.

    >>> most = Sentence("hmhs.most", "", "", "at least", printed="51", experiment="hmhs.fig1")
    >>> decide(most, Measured(57.7, 57.1, 58.2, 20)), decide(most, Measured(52.0, 50.1, 54.0, 20))
    ('holds', 'undecided')
    """
    if math.isnan(found.low):
        return UNDECIDED
    least, most = -math.inf, math.inf
    if sentence.says == "value":
        least, most = zone(sentence)
    elif sentence.says == "up to":
        least = zone(sentence)[0]
    elif sentence.says == "order":
        least = sentence.limit or 0.0
    else:
        limit = sentence.numbers()[0] if sentence.limit is None else sentence.limit
        if sentence.says == "at least":
            least = limit
        else:
            most = limit
    verdict = within(found, least, most)
    if sentence.says == "order" and found.low == least:
        verdict = UNDECIDED  # as much is not more
    if verdict == UNDECIDED and found.low == found.high:
        return FAILS  # all runs agree
    return verdict


def number_of(sentence: Sentence, found: Measured) -> str:
    """The verdict of the printed number: as printed to its last digit, near, or off; "" after one run.

    >>> gain = Sentence("hmhs.most", "", "", "order", printed="77", experiment="hmhs.fig1")
    >>> [number_of(gain, Measured(mean, mean - 1, mean + 1, 20)) for mean in (76.5, 73.4, 40, 58)]
    ['as printed', 'near', 'off', 'undecided']
    """
    if math.isnan(found.low):
        return ""
    verdict = within(found, *zone(sentence))
    if verdict != HOLDS:
        return OFF if verdict == FAILS else UNDECIDED
    first, last, digit = sentence.numbers()
    meets = found.low <= last + digit / 2 and found.high >= first - digit / 2
    return AS_PRINTED if meets else NEAR


def along(sentence: Sentence, frame: DataFrame, level: float) -> dict[str, str]:
    """The verdict at each value that the column along which the sentence is judged has in the rows that it is about."""
    rows = frame
    for name, value in sentence.args.items():
        if name in frame:
            rows = rows[rows[name] == value]
    return {
        f"{at:g}": outcome(replace(sentence, at=at), frame, level).verdict
        for at in sorted(set(rows[sentence.along]))
    }


def windows(each: Mapping[str, str], column: str) -> tuple[str, str]:
    """The verdict over all values of a column, and where it holds or is undecided; it fails elsewhere.

    >>> windows({"0.8": HOLDS, "0.85": HOLDS, "0.9": FAILS}, "load")
    ('in a window', 'holds at load 0.8–0.85')
    """
    texts: dict[str, list[str]] = {verdict: [] for verdict in VERDICTS}
    for verdict, names in groupby(each, key=lambda name: each[name]):
        first, *rest = names
        place = f"{first}–{rest[-1]}" if rest else first
        texts[verdict].append(f"{verdict} at {column} {place}")
    text = ", ".join(texts[HOLDS] + texts[UNDECIDED])
    found = set(each.values()) or {UNDECIDED}
    if len(found) == 1:
        return found.pop(), text
    if HOLDS in found and found & {FAILS, NOTHING}:
        return WINDOW, text
    return (UNDECIDED if UNDECIDED in found else FAILS), text


def decided(
    sentences: Mapping[str, Sentence], experiment: str, frame: DataFrame, looks: int
) -> bool:
    """Whether no sentence of the paper judged on an experiment is undecided, by the text or together: then it needs
    no more seeds. Other readings have as many, and what is not counted."""
    level = 1 - 0.05 / looks
    for sentence in sentences.values():
        for one in filter(None, (sentence, sentence.world)):
            if one.experiment == experiment and not one.kind:
                found = outcome(one, frame, level)
                if UNDECIDED in found.verdict + found.window:
                    return False
    return True
