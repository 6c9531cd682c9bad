"""The ledger as a report card: what reproduces of a paper, in part, not, and why; the rows alone decide."""

import re
from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from schedlib import papers
from schedlib.experiment import VERDICTS
from schedlib.reproduce.tables import markdown, measurement, number

*_, CONSTRUCTED, UNTESTABLE = VERDICTS
JUDGED = (
    r"(the mean|measured / paper|the margin|the slope|that the interval reaches|one replicate|"
    r"the budget of)\b"
)
"""How those parts of a ledger's `reason` begin that say by what rule it was judged."""

AT = r"((?:(?:holds|in part|fails) at [^;:]*(?:; )?)+)"
"""Those that say where along a column a claim holds under one reading."""

HEAD = """\
# What became of the papers' claims

Made by `make figures` from [claims.csv](claims.csv), which has every column. Each row states its tolerance and its
reading; many were changed after a result was known, and [the list of changes](../notebooks/book/report/changes.csv)
has each with the verdict before and after. Misses stay. The pictures are in [the gallery](README.md).

How to read the tables: *asked* is where the whole 95 % interval over independent runs (Wilson's for a
proportion) must lie for a claim to count as reproduced. A value is in part when only some of its interval
lies there and the mean is not far off. For an order or a trend the number is the margin, or the slope, in the
claimed direction, and must be above 0; it is in part when only the mean is. A claim with several readings or
loads is in part when some of them hold and others do not, or when one of them is in part. Each experiment has
its own numbers of seeds. Some of HMHS's, MCH's and Eagle's have several: where the interval leaves a doubt, seeds
are added up to the last number, and it is wider, so that 95 % hold for all looks at it together. All others have
a single look, LoTES's at one to five seeds, and no seeds are added, whatever the doubt. No interval: one run,
judged as it is. *By construction*: no
honest run could fail the check, so it is not counted. Decades are powers of ten. `id` is the row in the
ledger, without the paper's name; the paper's value stands where it printed one.
"""

SCALES = """\
There are two runs of it all. *Quick* is what `make figures` makes, in minutes, with enough seeds for
intervals. *Paper* has the papers' own sizes (`make figures SCALE=paper`), and runs most of it once, as the
papers did: such a verdict has no interval and is a yes or a no. Its [ledger](paper-scale/claims.csv) and its
frames are in `figures/paper-scale`. The tables below are sorted by quick's verdict and have its numbers; the
column *at paper scale* has the other's, and where the verdict is another it is in bold.
"""


def page(
    frame: pd.DataFrame,
    paper_scale: pd.DataFrame | None = None,
    paragraphs: Mapping[str, str] = MappingProxyType({}),
    why: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """The whole ledger as a Markdown page: the counts of all papers, then a report card for each.

    With the rows of `paper_scale` it shows both verdicts: by paper in `paragraphs` what to quote, by claim in
    `why` what makes a verdict change.
    """
    lines = [HEAD, f"{sentence(frame)}\n", counts(frame)]
    if paper_scale is not None:
        frame = frame.assign(other=other_verdicts(frame, paper_scale))
        lines[1] = f"**At quick scale.** {lines[1]}"
        lines += [
            f"**At paper scale.** {sentence(paper_scale)}\n",
            counts(paper_scale),
            SCALES,
            "## What changes with scale\n",
            changes_table(frame, paper_scale, why),
        ]
    for paper, rows in frame.groupby("paper", sort=False):
        title = papers.title_of(paper)
        lines += [
            f"## {title}\n",
            paragraphs.get(str(paper), ""),
            f"{sentence(rows)}\n",
        ]
        for verdict in VERDICTS:
            lines.append(section(rows, verdict, f"### {title}: {verdict} ({{}})"))
    return "\n".join(filter(None, lines))


def together(quick: pd.DataFrame, paper_scale: pd.DataFrame) -> pd.DataFrame:
    """Quick's rows, in their order and with their index, beside `verdict_there`, `measured_there` and
    `ci95_there` of the same line at paper scale; where that lacks the line, these are missing."""
    there = paper_scale[["id", "reading", "verdict", "measured", "ci95"]]
    both = quick.merge(
        there, "left", ["id", "reading"], suffixes=("", "_there"), validate="one_to_one"
    )
    return both.set_axis(quick.index)


def other_verdicts(quick: pd.DataFrame, paper_scale: pd.DataFrame) -> list[str]:
    """For each of quick's rows the verdict at paper scale and what was measured; another one is in bold."""
    texts = []
    for row in together(quick, paper_scale).itertuples():
        verdict = row.verdict_there
        if verdict != verdict:
            texts.append("not run")
            continue
        if verdict != row.verdict:
            verdict = f"**{verdict}**"
        texts.append(_verdict_and_mean(verdict, row.measured_there, row.ci95_there))
    return texts


def _verdict_and_mean(verdict, mean, ci95):
    return ": ".join(filter(None, (verdict, measured(mean, ci95))))


def changes(
    quick: pd.DataFrame, paper_scale: pd.DataFrame, paper: str | None = None
) -> pd.DataFrame:
    """The claims whose verdict at paper scale is another than quick's, and below each those of its readings
    that change, as rows of `together`."""
    both = together(quick, paper_scale)
    both = both[both["verdict_there"].notna() & (both["verdict_there"] != both["verdict"])]
    both = both[both["id"].isin(of_claims(both)["id"])]
    return both if paper is None else both[both["paper"] == paper]


def changes_table(quick: pd.DataFrame, paper_scale: pd.DataFrame, why: Mapping[str, str]) -> str:
    """Those claims as a table, with a sentence of why; says so when there is none."""
    rows = changes(quick, paper_scale)
    if rows.empty:
        return "No claim's verdict changes.\n"
    lines = []
    for row in rows.itertuples():
        whole = row.reading == ""
        line = {
            "claim": row.claim if whole else f"– {row.reading}",
            "quick": _verdict_and_mean(row.verdict, row.measured, row.ci95),
            "paper": _verdict_and_mean(row.verdict_there, row.measured_there, row.ci95_there),
            "why": why.get(row.id, "") if whole else "",
            "id": f"`{row.id}`",
        }
        lines.append(line)
    return markdown(pd.DataFrame(lines))


def card(frame: pd.DataFrame) -> str:
    """Some rows as a chapter shows them, without headings: how many of each verdict, and a table for each."""
    lines = [f"{sentence(frame)}\n"]
    for verdict in VERDICTS:
        lines.append(section(frame, verdict, f"**{verdict}** ({{}})"))
    return "\n".join(filter(None, lines))


def sentence(frame: pd.DataFrame) -> str:
    """How many claims there are and of which verdicts.

    >>> verdicts = ["in part", "reproduced", "reproduced", "by construction"]
    >>> sentence(pd.DataFrame({"verdict": verdicts, "reading": ""}))
    '3 claims: 2 reproduced, 1 in part; 1 more by construction, not counted.'
    """
    frame = of_claims(frame)
    number_of = frame["verdict"].value_counts()
    made = int(number_of.get(CONSTRUCTED, 0))
    number_of = number_of.drop(CONSTRUCTED, errors="ignore")
    each = [f"{number_of[verdict]} {verdict}" for verdict in VERDICTS if verdict in number_of]
    more = f"; {made} more {CONSTRUCTED}, not counted" if made else ""
    counted = len(frame) - made
    claims = "claim" if counted == 1 else "claims"
    return f"{counted} {claims}: {', '.join(each)}{more}."


def of_claims(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of whole claims, without the lines of their readings."""
    return frame[frame["reading"] == ""]


def counts(frame: pd.DataFrame) -> str:
    """A table of papers by verdicts, with links to their cards."""
    frame = of_claims(frame)
    table = pd.crosstab(frame["paper"], frame["verdict"])
    table = table.reindex(
        frame["paper"].unique(),
        columns=VERDICTS,
        fill_value=0,
    )
    table.insert(0, "claims", table.drop(columns=CONSTRUCTED).sum(axis=1))
    names = [papers.title_of(paper) for paper in table.index]
    table.insert(0, "paper", [f"[{name}](#{name.lower()})" for name in names])
    total = table.drop(columns="paper").sum().to_frame().T.assign(paper="all")
    return markdown(pd.concat([table, total])[table.columns])


def section(rows: pd.DataFrame, verdict: str, title: str) -> str:
    """The rows of one verdict: a table of those with reasons of their own, and one for each shared reason."""
    whole = of_claims(rows)
    whole = whole[whole["verdict"] == verdict]
    if whole.empty:
        return ""
    rows = rows[rows["id"].isin(whole["id"])]
    reasons = whole.set_index("id")["reason"].map(own_reason)
    several = reasons.where((reasons != "") & (reasons.groupby(reasons).transform("size") > 1), "")
    own, shared = (rows["id"].map(texts) for texts in (reasons, several))
    own = own.where(rows["reading"] == "", "")
    lines = [title.format(len(whole)) + "\n"]
    for reason, group in rows.groupby(shared, sort=False):
        if reason:
            lines.append(f"{reason[0].upper()}{reason[1:]} ({len(of_claims(group))}):\n")
        lines.append(table(group, None if reason else own[group.index]))
    return "\n".join(lines)


def table(rows: pd.DataFrame, why: pd.Series | None = None) -> str:
    """Rows as a Markdown table; columns that would be empty are left out."""
    shown = pd.DataFrame(
        {
            "claim": _claim_or_reading(rows),
            "where": rows["where"],
            "paper": rows["paper_value"].astype(float).map(number),
            "asked": [
                asked(*row)
                for row in rows[["check", "paper_value", "tolerance"]].itertuples(index=False)
            ],
            "measured (95 %)": _measured(rows),
            "unit": rows["unit"].where(rows["unit"] != "1", ""),
            "at paper scale": rows.get("other", ""),
            "why": "" if why is None else why,
            "id": "`" + rows["id"].str.partition(".")[2] + "`",
        }
    )
    if (rows["verdict"] == UNTESTABLE).all():
        shown = shown.drop(columns="asked")
    return markdown(shown.loc[:, (shown != "").any()])


def verdicts(rows: pd.DataFrame) -> str:
    """Rows as a short table, verdicts first, as they stand beside a figure."""
    in_units = zip(_measured(rows), rows["unit"], strict=True)
    return markdown(
        pd.DataFrame(
            {
                "verdict": rows["verdict"],
                "claim": _claim_or_reading(
                    rows.assign(claim=rows["claim"] + " (" + rows["where"] + ")")
                ),
                "paper": rows["paper_value"].astype(float).map(number),
                "measured (95 %)": [f"{text} {unit}".removesuffix(" 1") for text, unit in in_units],
            }
        )
    )


def _claim_or_reading(rows):
    """The claim's sentence; for the line of a reading its name, and its verdict or where along a column it
    holds."""
    along = rows["reason"].str.extract(AT, expand=False).fillna("").str.removesuffix("; ")
    return rows["claim"].where(
        rows["reading"] == "",
        "– " + rows["reading"] + ": " + along.where(along != "", rows["verdict"]),
    )


def _measured(rows):
    return [measured(*row) for row in rows[["measured", "ci95"]].itertuples(index=False)]


def measured(mean: float, ci95: str) -> str:
    """A ledger's mean and its "low to high" as they are read.

    >>> measured(0.0931, "-0.2459 to 0.4321"), measured(80.0, "")
    ('0.09 (-0.25 to 0.43)', '80')
    """
    if not ci95:
        return number(float(mean))
    low, high = ci95.split(" to ")
    return measurement(float(mean), float(low), float(high))


def asked(check: str, paper_value: float, tolerance: float) -> str:
    """Where the interval must lie for a claim to count as reproduced.

    >>> asked("value", 17.5, 2.5), asked("value", 80.0, 1e-6)
    ('15 to 20', '80')
    >>> asked("ratio", 3e6, 2.3), asked("order", 0.0, 0.0)
    ('909,000 to 9,900,000', '> 0')
    """
    if check in ("order", "trend"):
        return "> 0"
    if check == "value" and tolerance <= 1e-6 * max(1.0, abs(paper_value)):
        return number(paper_value)
    ends = [paper_value - tolerance, paper_value + tolerance]
    if check == "ratio":
        ends = sorted((paper_value / (1 + tolerance), paper_value * (1 + tolerance)))
    texts = []
    for end in ends:
        large = abs(end) >= 1000
        texts.append(number(float(f"{end:.3g}")) if large else f"{end:.4g}")
    return " to ".join(dict.fromkeys(texts))


def own_reason(reason: str) -> str:
    """What a ledger's `reason` says beside the rule by which the claim was judged.

    >>> own_reason("the mean is outside 1 to 1; one replicate: no interval; the optimum is ours; it is so")
    'the optimum is ours; it is so'
    """
    return "; ".join(text for text in reason.split("; ") if not re.match(JUDGED, text))
