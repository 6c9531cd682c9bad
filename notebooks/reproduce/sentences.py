"""The papers' sentences as data: what each says, what is measured for it, in the paper's world and otherwise read.

Each paper has a file `claims.toml` beside its exhibits, and `measures.py` with the functions that it names.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, NamedTuple

from reproduce.figure import of_paper

SAYS = ("order", "value", "at least", "at most", "up to", "words")
KINDS = ("", "construction", "own")
MOST_WORDS = 12  # of a cause


class World(NamedTuple):
    """The one workload, law, size, version and parameters in which most of a paper's sentences hold at once.

    `name` has it in full, `found` how it was found, `tried` each other world with how many sentences hold in it, and
    `fixed_by` the claims that fixed it: these are no evidence for it.
    """

    name: str
    found: str
    tried: Sequence[str] = ()
    fixed_by: Sequence[str] = ()


class Reading(NamedTuple):
    """How a paper is read by its text, and why so; then its worlds: one, or one for each kind of data."""

    name: str
    why: str
    worlds: Sequence[World] = ()


class Floor(NamedTuple):
    """What lies `below` so little, by its whole interval, that a comparison has nothing to measure, as when nobody waits."""

    measure: Callable[..., Any]
    below: float
    args: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Sentence:
    """A sentence of a paper in our words, and how it is judged on an experiment's frame.

    - `says`: an "order" (a margin or a slope in the claimed direction, above `limit`, 0 unless given), a "value"
      (near the printed number, or within `within`), "at least" or "at most" (a bound: `limit`, else the printed
      number), "up to" (the largest comes within a quarter of the printed number or above it), or "words" (not
      testable here; `cause` says why)
    - `printed`: the number as the paper prints it, such as "77" or "3 to 10"; "" where it prints none
    - `experiment`, `measure(frame, **args)`: gives a number for each independent run, or one of
      `schedlib.intervals`; None where the frame has too few runs to tell
    - `along`: a column that the text leaves open, such as the load: the sentence is judged at each of its values,
      or, in a world, `at` one
    - `floor`: where it says so, there is nothing to measure
    - `world`: the sentence in the paper's world, None where that changes nothing for it; `fixed`: it fixed the world
    - `others`: other readings by name, each a sentence of its own; they never enter a verdict
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
    at: float | None = None
    floor: Floor | None = None
    cause: str = ""
    kind: str = ""
    slip: bool = False
    headline: bool = False
    fixed: bool = False
    world: "Sentence | None" = None
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
        """The sentence by the text, then in the paper's world, then under each other reading."""
        yield self
        if self.world is not None:
            yield self.world
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
        if self.says in ("value", "up to") and not self.printed and self.within is None:
            return f"{self.says!r} needs a printed number or `within`"
        if self.says in ("at least", "at most") and not self.printed and self.limit is None:
            return "a bound needs a printed number or `limit`"
        return ""


def read(file: Path, paper: str, measures: ModuleType) -> tuple[Reading, list[Sentence]]:
    """The reading and the sentences in a paper's `claims.toml`; `measures` has the functions it names.

    `[reading]` and `[world]` (or several) have the fields of `Reading` and `World`. A `[[claim]]` is read by the text;
    its `[claim.world]` has those fields that differ in the paper's world, and each `[[claim.other]]` those of another
    reading, with its `name`. Raises ValueError, which names the claim, for a field or a measure that does not exist.
    """
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    stated = data.get("world", [])
    if isinstance(stated, dict):
        stated = [stated]
    worlds = [World(**world) for world in stated]
    fixing = {name for world in worlds for name in world.fixed_by}
    sentences = []
    for entry in data["claim"]:
        in_world = entry.pop("world", None)
        others = {}
        for other in entry.pop("other", ()):
            name = other.pop("name")
            others[name] = _sentence(paper, entry | other, measures)
        whole = entry | {"others": others, "fixed": entry["id"] in fixing}
        if in_world is not None:
            whole["world"] = _sentence(paper, entry | in_world, measures)
        sentences.append(_sentence(paper, whole, measures))
    if unknown := fixing - {entry["id"] for entry in data["claim"]}:
        raise ValueError(f"world of {paper}: fixed_by names unknown claims: {', '.join(unknown)}")
    return Reading(**data["reading"], worlds=worlds), sentences


def _sentence(paper: str, entry: dict[str, Any], measures: ModuleType) -> Sentence:
    """One sentence from its fields."""
    fields = dict(entry)
    name = f"{paper}.{fields.pop('id')}"
    if "within" in fields:
        fields["within"] = tuple(fields["within"])
    try:
        if "floor" in fields:
            fields["floor"] = Floor(**_with_measure(name, fields["floor"], measures))
        return Sentence(id=name, **_with_measure(name, fields, measures))
    except TypeError as unknown:
        raise ValueError(f"claim {name}: {unknown}") from unknown


def _with_measure(name: str, fields: dict[str, Any], measures: ModuleType) -> dict[str, Any]:
    """The fields of a claim or of its floor, with the measure's function for its name."""
    if "measure" not in fields:
        return fields
    called = fields["measure"]
    if not hasattr(measures, called):
        raise ValueError(f"claim {name}: {measures.__name__} has no measure {called!r}")
    return fields | {"measure": getattr(measures, called)}
