"""Numbers in the prose of README and chapters: each is checked against what was measured, or marked as an example in prose.toml.

Sentences that state a result in words are in sentences.toml, each with what must be so in a frame. Numbers written as words are not looked at, nor are formulas, code, years, ordinals, loads that were asked for, and where something stands.
"""

import json
import re
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import reproduce
from reproduce.exhibits.lotes import worlds as lotes_worlds
from schedlib import hmhs, lotes, paths, traces
from schedlib.prototype import experiment

ROOT = paths.checkout()
TOLD = tomllib.loads(Path(__file__).with_name("prose.toml").read_text())
IN_WORDS = tomllib.loads(Path(__file__).with_name("sentences.toml").read_text())
ALWAYS = (
    r"README|.*by hand.*|A toy.*|Try it|Exercises|Sources"  # sections of examples in every chapter
)
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
PLACE = r"(?:Eq\.|Figs?\.|Figures?|Tables?|Sections?|[Cc]hapters?|Algorithm|Sub-case|Case|[Ee]xercises?|lines)"
ELSE = re.compile(
    r"```.*?```|\$\$.*?\$\$|\$[^$]*\$|`[^`]*`|<cite.*?</cite>|<[^>]+>|\]\([^)]*\)|\b(?:19|20)\d\d\b|^\d\.|\b[A-Z]\d+\b|"
    r"\b\d+(?:th|nd|rd|st)\b|\b95\s%\sinterval|v20\d\d|load\sof\s\d\.?\d*(?:\s%)?|"
    rf"\b{PLACE}\s\[?\d+[a-z]?(?:\.\d)*(?:(?:,| and| to|\])\s\[?\d+[a-z]?)*",
    re.S | re.M,
)


def sections(name):
    """Each heading of a chapter or page with its prose, and with what its cells print."""
    if name == "README":
        cells = [{"cell_type": "markdown", "source": (ROOT / "README.md").read_text()}]
    else:
        cells = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text())["cells"]
    found = [["README", "", ""]]
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            for part in re.split(r"^(?=##? )", source, flags=re.M):
                if heading := re.match(r"##? (.*)\n?", part):
                    found.append([heading[1], "", ""])
                    part = part[heading.end() :]
                found[-1][1] += part + "\n\n"
        else:
            for output in cell["outputs"]:
                data = output.get("data", {})
                found[-1][2] += (
                    "".join(output.get("text", []))
                    + "".join(data.get("text/plain", []))
                    + "".join(data.get("text/markdown", []))
                    + "\n"
                )
    return found[2:] if name != "README" else found  # a chapter's head says what the paper claims


def measured(claim):
    """The mean in the ledger's line."""
    (mean,) = reproduce.claims(claim)["measured"]
    return float(mean)


def all_words(told):
    return [
        words for kind in ("given", "shown", "measured", "repeated") for words in told.get(kind, ())
    ]


def printed_beside(words, parts):
    """The numbers that the cells print in the section in which these words stand, in turn."""
    (printed,) = (printed for _, text, printed in parts if spans(text, words))
    return [float(found.replace(",", "")) for found in NUMBER.findall(printed)]


def line(words, parts):
    """The one line with these words that a cell of the chapter prints."""
    (found,) = (line for _, _, printed in parts for line in printed.splitlines() if words in line)
    return found


def rounds_to(value, text):
    """Whether a value, rounded as the text is written, is the text; final zeros of a whole number may be rounding.

    >>> rounds_to(4.9792, "5.0"), rounds_to(1402.3, "1,400"), rounds_to(-0.31, "0.3")
    (True, True, True)
    >>> rounds_to(26.0, "27"), rounds_to(4.9792, "4.9"), rounds_to(1460.0, "1,400")
    (False, False, False)
    """
    plain = text.replace(",", "")
    digits = len(plain.partition(".")[2]) if "." in plain else -len(plain) + len(plain.rstrip("0"))
    return abs(abs(value) - float(plain)) <= 0.5 * 10.0**-digits * (1 + 1e-9)


def times(figure, over, under, of="short"):
    rows = reproduce.frame(figure).query("`class` == @of")
    means = rows.pivot_table("completion", ["trace", "workers", "percentile"], "system")
    return means[over] / means[under]


def on_processes(source):
    rows = reproduce.frame("eagle.prototype").query("`class` == 'short' and source == @source")
    means = rows.pivot_table("completion", ["percentile", "interarrival"], "system")
    return means["eagle"] / means["hawk"]


def month(policy):
    rows = reproduce.frame("lotes.month-map").query(
        "policy == @policy and measure == 'mean' and not ended and sizes == 'independent'"
    )
    return rows.groupby("load")["value"].median()


KNOWN = {
    "measured": measured, "frame": reproduce.frame, "reproduce": reproduce, "hmhs": hmhs, "lotes": lotes, "np": np, "re": re, "traces": traces,
    "times": times, "on_processes": on_processes, "month": month, "lotes_worlds": lotes_worlds, "pd": pd, "ROOT": ROOT,
    "prototype": pd.read_csv(ROOT / experiment.FILE),
    "cut_off": 1 + 0.5 * norm.pdf(2) / norm.cdf(2),  # the mean of a Gaussian with half the mean as deviation, cut off at 0
}  # fmt: skip
"""What the expressions of both files may use; those of prose.toml also `printed`, and `line`, which gives the numbers of a printed line."""


def plain(text):
    """The prose with what is no number of its own blanked out, letter by letter.

    >>> plain("In Fig. 3, chapters 2 to 4 and [chapter 8](08-eagle.ipynb) of 2016, `f(2)`: 7").split()
    ['In', ',', 'and', '[', 'of', ',', ':', '7']
    """
    return ELSE.sub(lambda found: " " * len(found[0]), text)


def spans(text, fragment):
    """Where a fragment stands, whatever the line breaks."""
    return [
        found.span() for found in re.finditer(r"\s+".join(map(re.escape, fragment.split())), text)
    ]


@pytest.mark.parametrize("name", TOLD)
def test_each_number_outside_examples_is_listed(name):
    told, missing = TOLD[name], []
    for heading, text, _ in sections(name):
        if (
            re.fullmatch(ALWAYS, heading)
            and name != "README"
            or heading in told.get("examples", ())
        ):
            continue
        covered = [span for words in all_words(told) for span in spans(text, words)]
        for found in NUMBER.finditer(plain(text)):
            if not any(start <= found.start() and found.end() <= end for start, end in covered):
                missing.append(
                    f"{heading}: ...{' '.join(text[max(found.start() - 60, 0) : found.end() + 25].split())}..."
                )
    assert not missing, "in neither list of tests/prose.toml:\n" + "\n".join(missing)


@pytest.mark.parametrize("name", TOLD)
def test_each_number_that_is_shown_or_measured_is_so(name):
    told, parts = TOLD[name], sections(name)
    whole = "\n".join(text for _, text, _ in parts)
    for words in all_words(told):
        assert len(spans(whole, words)) == 1, f"{words!r} stands not once in {name}"
    for words in told.get("shown", ()):
        values = printed_beside(words, parts)
        values += [100 * value for value in values if value < 1]
        for number in NUMBER.findall(plain(words)):
            assert any(rounds_to(value, number) for value in values), (
                f"{words!r}: no cell of the section prints {number}"
            )
    for words, expression in told.get("measured", {}).items():
        values = eval(
            expression,
            KNOWN
            | {
                "printed": printed_beside(words, parts),
                "line": lambda words: list(map(float, NUMBER.findall(line(words, parts)))),
            },
        )
        values = [float(value) for value in (values if isinstance(values, tuple) else [values])]
        numbers = NUMBER.findall(plain(words))
        assert len(values) == len(numbers) and all(map(rounds_to, values, numbers)), (
            f"{words!r}: measured {values}"
        )
    for words, said in told.get("repeated", {}).items():
        known = plain(said) if said in all_words(told) else line(said, parts)
        assert set(NUMBER.findall(plain(words))) <= set(NUMBER.findall(known)), (
            f"{words!r} is not {known!r}"
        )


@pytest.mark.parametrize("name", IN_WORDS)
def test_each_sentence_in_words_is_so(name):
    if "/" in name:
        whole = (ROOT / name).read_text()
    elif "." in name:
        whole = reproduce.picture(name).caption
    else:
        whole = "\n".join(text for _, text, _ in sections(name))
    for words, condition in IN_WORDS[name].items():
        assert len(spans(whole, words)) == 1, f"{words!r} stands not once in {name}"
        assert eval(condition, KNOWN), f"{name}: {words!r} is not so"


def test_every_chapter_is_listed():
    chapters = {file.stem for file in (ROOT / "notebooks").glob("*.ipynb")}
    assert set(TOLD) == chapters - {"10-your-own"} | {"README"}
