"""The papers' sentences as data: what each says, what is measured for it, and how else it can be read.

Each paper has a file `claims.toml` beside its exhibits, and `measures.py` with the functions that it names.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from reproduce.figure import of_paper

SAYS = ("order", "value", "at least", "at most", "words")
KINDS = ("", "construction", "own")
MOST_WORDS = 12  # of a cause


class Reading(NamedTuple):
    """How a paper is read as a whole, and why so."""

    name: str
    why: str


@dataclass(frozen=True)
class Sentence:
    """A sentence of a paper in our words, and how it is judged on an experiment's frame.

    - `says`: an "order" (a margin or a slope in the claimed direction, above `limit`, 0 unless given), a "value"
      (near the printed number, or within `within`), "at least" or "at most" (a bound: `limit`, else the printed
      number), or "words" (not testable here; `cause` says why)
    - `printed`: the number as the paper prints it, such as "77" or "3 to 10"; "" where it prints none
    - `experiment`, `measure(frame, **args)`: gives a number for each independent run, or one of
      `schedlib.intervals`; None where the frame has too few runs to tell
    - `along`: a column, such as the load: the sentence is judged at each of its values
    - `others`: other readings by name, each a sentence of its own
    - `kind`: "construction" where no honest run could fail, "own" for what the paper does not say; these are
      shown apart. `slip`: the paper contradicts itself
    - `cause`: why it came out so, in at most twelve words

    Raises ValueError, which names the sentence, when a part is missing, unknown or too long.

    See also: `schedlib.Experiment`, `reproduce.claims`.

    >>> Sentence("hmhs.most", "Abstract", "HMHS gains up to 77 %", "order", "77", "%", "hmhs.fig1").numbers()
    (77.0, 77.0, 1.0)
    """

    id: str
    where: str
    sentence: str
    says: str
    printed: str = ""
    unit: str = ""
    experiment: str = ""
    measure: Callable[..., Any] | None = None
    args: Mapping[str, Any] = field(default_factory=dict)
    limit: float | None = None
    within: tuple[float, float] | None = None
    along: str = ""
    cause: str = ""
    kind: str = ""
    slip: bool = False
    headline: bool = False
    others: Mapping[str, "Sentence"] = field(default_factory=dict)

    @property
    def paper(self) -> str:
        """The paper's key."""
        return self.id.partition(".")[0]

    def numbers(self) -> tuple[float, float, float]:
        """The least and the largest printed number, and the unit of their last digit."""
        texts = [text.replace(",", "") for text in self.printed.split(" to ")]
        decimals = max(len(text.partition(".")[2]) for text in texts)
        values = list(map(float, texts))
        return values[0], values[-1], 10.0**-decimals

    def readings(self) -> Iterator["Sentence"]:
        """The sentence as the paper is read, then under each other reading."""
        yield self
        yield from self.others.values()

    def experiments(self) -> list[str]:
        """The experiments on which it is judged, under every reading; its own first."""
        names = [one.experiment for one in self.readings() if one.experiment]
        return list(dict.fromkeys(names))

    def __post_init__(self):
        of_paper("claim", self.id)
        if wrong := self._wrong():
            raise ValueError(f"claim {self.id}: {wrong}")

    def _wrong(self) -> str:
        """The sentence's fault in words; "" without one."""
        testable = self.says != "words"
        if self.says not in SAYS:
            return f"says {self.says!r} is not one of {', '.join(SAYS)}"
        if self.kind not in KINDS:
            return f"kind {self.kind!r} is not one of {', '.join(KINDS[1:])}"
        if testable != bool(self.experiment):
            return "needs an experiment, and one that says 'words' has none"
        if len(self.cause.split()) > MOST_WORDS:
            return f"its cause has more than {MOST_WORDS} words"
        if not self.cause and (not testable or self.slip or self.kind == "construction"):
            return "needs a cause: why it is not testable, cannot fail, or is a slip"
        if self.says == "value" and not self.printed and self.within is None:
            return "a value needs a printed number or `within`"
        if self.says in ("at least", "at most") and not self.printed and self.limit is None:
            return "a bound needs a printed number or `limit`"
        return ""


def read(file: Path, paper: str, measures: ModuleType) -> tuple[Reading, list[Sentence]]:
    """The reading and the sentences in a paper's `claims.toml`; `measures` has the functions it names.

    Raises ValueError, which names the claim, for a field or a measure that does not exist.
    """
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    sentences = []
    for entry in data["claim"]:
        own = {name: value for name, value in entry.items() if name != "other"}
        one = _sentence(paper, own, measures)
        others = {}
        for other in entry.get("other", ()):
            changed = {name: value for name, value in other.items() if name != "name"}
            others[other["name"]] = _sentence(paper, own | changed, measures)
        sentences.append(replace(one, others=others))
    return Reading(**data["reading"]), sentences


def _sentence(paper: str, entry: Mapping[str, Any], measures: ModuleType) -> Sentence:
    """One sentence from its fields."""
    fields = dict(entry)
    name = f"{paper}.{fields.pop('id')}"
    if "measure" in fields:
        called = fields["measure"]
        fields["measure"] = getattr(measures, called, None)
        if fields["measure"] is None:
            raise ValueError(f"claim {name}: {measures.__name__} has no measure {called!r}")
    if "within" in fields:
        fields["within"] = tuple(fields["within"])
    try:
        return Sentence(id=name, **fields)
    except TypeError as unknown:
        raise ValueError(f"claim {name}: {unknown}") from unknown
