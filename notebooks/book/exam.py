"""An examination: questions of four kinds from all chapters, with numbers by sitting and student, and a marking scheme.

To compute: numbers are drawn here and worked out by the library. Words, and questions to explain, prove or program, are data in exam.toml.
To criticise: a sentence of a paper, and what the ledger of claims found; what was measured for it is said in exam.toml.
"""

import heapq
import math
import re
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import reproduce
from reproduce import publish
from schedlib import hmhs, lotes, mch, theory
from schedlib.hmhs.johnson import flow_shop_makespan
from schedlib.intervals import mean_ci

Step = tuple[int, str]
WORDS = tomllib.loads(Path(__file__).with_name("exam.toml").read_text(encoding="utf-8"))
HEAD = """\
# Examination{solved}

{about}: 120 minutes, 120 points, a point a minute.

Allowed: a pocket calculator, the book's cheat sheet, and one sheet of your own. Give the way, not the number alone. Round to three digits.

With c servers and an offered load a < c (the mean number of busy servers), Erlang's C, the chance that a job waits, is
C = X / (1 + a + a²/2! + ... + a^(c−1)/(c−1)! + X), where X = a^c/c! · c/(c − a).
"""


class Question(NamedTuple):
    """A question: its chapter, its kind, what is asked, the answers by name, and what earns points."""

    chapter: str
    kind: str
    asked: str
    answer: dict[str, float | str]
    steps: tuple[Step, ...]

    @property
    def points(self) -> int:
        """The points of all steps."""
        return sum(points for points, _ in self.steps)


class Drawn(NamedTuple):
    """The numbers of a question to compute, by their names in exam.toml; `fair` unless they hide a mistake, as a tie does."""

    numbers: dict[str, Any]
    fair: bool


def canteen(rng):
    rate, stay, line = (rng.integers((4, 10, 3), (12, 25, 9)) * (15, 1, 1)).tolist()
    inside, waiting = rate * stay / 60, rate * line / 60
    named = {"rate": rate, "stay": stay, "line": line, "inside": inside, "waiting": waiting}
    return Drawn(named, rate != 60)  # with one visitor a minute the law has nothing to multiply


def help_desk(rng):
    served = int(rng.integers(6, 13))
    came = int(rng.integers(3, served))
    one, two = (60 * theory.mmc_mean_wait(came, served, clerks) for clerks in (1, 2))
    chance, both = theory.erlang_c(2, came / served), 2 * served
    named = {"served": served, "came": came, "one": one, "two": two, "chance": chance, "both": both}
    return Drawn(named, 2 * came != served)  # at half load a wait is as long as a service


def by_list(times: Sequence[int], machines: int) -> int:
    """When the last job ends if a free machine takes the next job of a list.

    >>> by_list([3, 2, 2], 2)
    4
    """
    free = [0] * machines
    for time in times:
        heapq.heapreplace(free, free[0] + time)
    return max(free)


def three_machines(rng):
    times = (rng.permutation(9)[:7] + 1).tolist()
    listed, longest = by_list(times, 3), by_list(sorted(times, reverse=True), 3)
    third, largest = sum(times) / 3, max(times)
    bound = max(math.ceil(third), largest)
    named = {"times": _say(times), "listed": listed, "longest": longest, "bound": bound}
    return Drawn(named | {"third": third, "largest": largest}, len({listed, longest, bound}) == 3)


def limit_by_hand(rng):
    cores, memory, count = (rng.integers((4, 6, 10), (10, 10, 40)) * (2, 4, 1)).tolist()
    classes = lotes.JobClasses([0.5, 0.5], [[2.0, 1.0], [1.0, 4.0]], [[1.0, 1.0]])
    pool = lotes.MachineConfigs([[float(cores), float(memory)]], [count])
    rate = lotes.allocate(pool, classes).rate
    by_cores, by_memory = count * cores / 1.5, count * memory / 2.5
    scarce = "cores" if by_cores < by_memory else "memory"
    named = {"cores": cores, "memory": memory, "count": count, "rate": rate, "scarce": scarce}
    named |= {"by_cores": by_cores, "by_memory": by_memory}
    return Drawn(named, abs(by_cores / by_memory - 1) > 0.05)


def bins_by_hand(rng):
    cores, memory = rng.integers(7, 16, 2).tolist()
    bins = lotes.non_dominated_bins([cores, memory], [[3, 1], [1, 3]])
    return Drawn(
        {"cores": cores, "memory": memory, "bins": _rows(sorted(bins.tolist()))}, len(bins) > 2
    )


def scores_by_hand(rng):
    planned = rng.integers(1, 6, (3, 2))
    running = rng.integers(0, planned + 1)
    left = planned - running
    first, second = (left.argmax(axis=0) + 1).tolist()
    ranked = np.sort(left, axis=0)
    named = {"planned": _rows(planned), "running": _rows(running), "left": _rows(left)}
    tie = (ranked[2] == ranked[1]).any()
    return Drawn(named | {"first": first, "second": second}, not tie and first != second)


def order_by_hand(rng):
    maps, reduces = rng.permutation(9)[:5] + 1, rng.permutation(9)[:5] + 1
    order = hmhs.johnson(maps, reduces)
    makespan, *others = (
        flow_shop_makespan(maps, reduces, one) for one in (order, np.arange(5), np.argsort(maps))
    )
    jobs = _rows(np.transpose([maps, reduces]))
    both_groups = (maps != reduces).all() and 0 < (maps < reduces).sum() < 5
    named = {"jobs": jobs, "order": " ".join(map(str, order + 1)), "makespan": makespan}
    return Drawn(named, both_groups and min(others) > makespan)


def shares_by_hand(rng):
    one, both = rng.integers(1, 8, (2, 2)).tolist()
    alone = rng.permutation([1, 0]).tolist()
    pool = 10 * int(rng.integers(1, 4))
    tree, capacity = mch.Tree([tuple(one), [tuple(alone), tuple(both)]]), [pool, pool]
    flat, shares = mch.flatten(tree, capacity), mch.allocate(tree, capacity, "mch").shares
    used = flat.weights @ (tree.demand / tree.demand.max(axis=1, keepdims=True))
    first = flat.first_saturated
    rest = "" if alone[first] else "Leaf a does without it, and goes on until the other is full. "
    named = {"one": _rows([one]), "a": _rows([alone]), "b": _rows([both]), "pool": pool}
    named |= {"first": ("CPU", "memory")[first], "rest": rest}
    named |= dict(zip(("weight", "weight_a", "weight_b"), flat.weights.tolist(), strict=True))
    named |= dict(zip(("share", "share_a", "share_b"), shares.tolist(), strict=True))
    fills_it = used[first] > used[1 - first] + 1e-6  # and the other one not sooner
    several = min(np.ptp(flat.weights), np.ptp(shares), np.ptp(one), np.ptp(both)) > 1e-6
    return Drawn(named, fills_it and several)


def ticket_office(rng):
    percent, slow = rng.integers((40, 4), (80, 6)).tolist()
    rate, mean, second = percent / 100, (4 + slow) / 5, (4 + slow**2) / 5
    mixed = theory.pollaczek_khinchine(rate / 2, mean, second)
    quick, late = theory.sita_mean_waits(rate, [0.8, 0.2], [1, slow], [1, slow**2], [1, 1])
    apart = float(0.8 * quick + 0.2 * late)
    named = {"rate": rate, "slow": slow, "mean": mean, "second": second, "mixed": mixed}
    return Drawn(
        named | {"quick": quick, "late": late, "apart": apart}, abs(mixed / apart - 1) > 0.05
    )


def sticky(rng):
    quick, slow, task = (rng.integers((5, 10, 5), (15, 20, 15)) * (1, 10, 1)).tolist()
    free = [quick, quick, slow, slow]
    stuck = max(heapq.heapreplace(free, free[0] + task) + task for _ in range(4))
    again = quick + task
    named = {
        "quick": quick,
        "slow": slow,
        "task": task,
        "again": again,
        "bound": slow + task,
        "stuck": stuck,
    }
    return Drawn(named, again < slow and quick != task)


def four_views(rng):
    stages, paired = [], []
    for number in range(1, rng.integers(6, 9)):
        waits = sorted(rng.permutation(range(1, number))[: rng.choice([0, 0, 1, 1, 2])].tolist())
        stages.append("_".join(map(str, ["MRJ"[len(waits)] + str(number), *waits])))
        if len(waits) == 1 and stages[waits[0] - 1].startswith("M"):
            paired.append((stages[waits[0] - 1], stages[-1]))
    counts = rng.integers(1, 9, len(stages)).tolist()
    maps = {first for first, _ in paired}
    named = {"names": _say(stages), "counts": _say(counts), "all": sum(counts)}
    named |= {"paired": _rows(paired), "pairs": len(paired), "stages": len(stages)}
    # one reduce for a map, and stages that are in no pair
    clear = 0 < len(paired) == len(maps) < len(stages) / 2
    return Drawn(named, clear and sum(counts) > len(stages))


def paired(rng):
    a = rng.integers(10, 60, 5)
    apart = rng.integers(-6, 3, 5)
    mean, low, high = mean_ci(apart)
    better = "yes" if high < 0 else "not shown"
    named = {
        "a": _say(a),
        "b": _say(a + apart),
        "apart": _say(apart),
        "mean": mean,
        "low": low,
        "high": high,
    }
    # neither at the edge, nor all alike
    return Drawn(named | {"better": better}, mean < 0 < np.ptp(apart) and abs(high) > 0.2)


def _rows(rows):
    return _say(f"({a}, {b})" for a, b in rows)


def _say(things):
    return ", ".join(map(str, things))


KINDS: dict[str, Callable[[np.random.Generator], Drawn]] = {
    "01-waiting": canteen,
    "01b-many-servers": help_desk,
    "01c-classics": three_machines,
    "02-fluid": limit_by_hand,
    "03-bins": bins_by_hand,
    "04-dispatching": scores_by_hand,
    "05-hmhs": order_by_hand,
    "06-mch": shares_by_hand,
    "07-head-of-line": ticket_office,
    "08-eagle": sticky,
    "09-one-trace": four_views,
    "10-your-own": paired,
}
"""What is computed, by chapter."""
PAPERS = {"04-dispatching": "lotes", "05-hmhs": "hmhs", "06-mch": "mch", "08-eagle": "eagle"}
"""Chapters whose papers' sentences are criticised."""


def computed(chapter: str, *seed: int | str) -> Question:
    """The question to compute of a chapter, with numbers by seed; numbers that hide a mistake are drawn again.

    >>> computed("01-waiting", 1, "Ada").points
    9
    """
    digits = [byte for part in seed for byte in (*str(part).encode(), 0)]
    rng = np.random.default_rng([list(KINDS).index(chapter), *digits])
    drawn = KINDS[chapter](rng)
    while not drawn.fair:
        drawn = KINDS[chapter](rng)
    words, numbers = WORDS["compute"][chapter], drawn.numbers
    answer = {part: numbers[name] for part, name in words["answer"].items()}
    steps = tuple((points, text.format_map(numbers)) for points, text in words["steps"])
    return Question(chapter, "compute", words["asked"].format_map(numbers), answer, steps)


def _of_words(kind, chapter, rng):
    found = [entry for entry in WORDS[kind] if entry["chapter"] == chapter]
    entry = found[rng.integers(len(found))]
    code = {name: entry[name].strip() for name in ("code", "test") if name in entry}
    return Question(chapter, kind, entry["asked"], code, tuple(map(tuple, entry["steps"])))


def _criticised(chapter, rng):
    paper = PAPERS[chapter]
    found = [entry for entry in WORDS["criticise"] if entry["claim"].startswith(paper)]
    entry = found[rng.integers(len(found))]
    claims = reproduce.claims(paper)
    row: Any = claims[claims["id"] == entry["claim"]].iloc[0]
    frame = "| measured | low | high | runs |\n| --: | --: | --: | --: |\n"
    frame += f"| {row['measured']:.4g} | {row['low']:.4g} | {row['high']:.4g} | {row['runs']} |"
    figure = re.search(r"Fig\. (\d+)", row["where"])
    picture = f"{paper}/fig{figure[1]}.png" if figure else ""
    shown = bool(picture) and (publish.out_folder() / picture).is_file()
    frame += f"\n\n![its figure](../figures/{picture})" if shown else ""
    asked = (
        f'A paper ({paper}, {row["where"]}) says in effect: "{row["sentence"]}". This book measured, with 95 % intervals:\n\n'
        f"{entry['measured']}\n\n{frame}\n\n"
        "(a) Which values would say that the sentence is true, which that it is false? "
        "(b) Does it hold, fail, or is it undecided (the interval has values of both kinds)? "
        "(c) Name two things that were the same in all runs, and a run that would change one of them."
    )
    limits = " ".join(
        filter(None, (row["others"] and f"Other readings: {row['others']}.", row["cause"]))
    )
    steps = (
        (3, f"True: {entry['true']}; false: all else."),
        (3, f"By the whole interval, the verdict of the claims: {row['verdict']}."),
        (3, f"As {entry['fixed']}; two have 2 points, a run that changes one has 1. {limits}"),
    )
    return Question(chapter, "criticise", asked, {"verdict": row["verdict"]}, steps)


def exam(sitting: int, student: str = "") -> list[Question]:
    """The questions of a sitting, one a chapter: the same for all students, with numbers of their own.

    Six to compute (9 points each), three to explain (11), one to program (15), two to criticise (9).

    >>> sum(question.points for question in exam(1, "Ada"))
    120
    """
    rng = np.random.default_rng(sitting)
    kinds = dict.fromkeys(rng.choice(list(PAPERS), 2, replace=False).tolist(), "criticise")
    rest = rng.permutation([chapter for chapter in KINDS if chapter not in kinds]).tolist()
    kinds |= dict(zip(rest, ["program", *["explain"] * 3, *["compute"] * 6], strict=True))
    questions = []
    for chapter, stream in zip(KINDS, rng.spawn(len(KINDS)), strict=True):
        if kinds[chapter] == "compute":
            questions.append(computed(chapter, sitting, student))
        elif kinds[chapter] == "criticise":
            questions.append(_criticised(chapter, stream))
        else:
            questions.append(_of_words(kinds[chapter], chapter, stream))
    return questions


def solution(question: Question) -> str:
    """The marking scheme of a question as Markdown: points for steps, and code with its test."""
    steps = "".join(f"- {points}: {text}\n" for points, text in question.steps)
    if question.kind == "program":
        steps += "\n```python\n{code}\n\n# the test\n{test}\n```\n".format_map(question.answer)
    return f"*Marking*, points for steps:\n\n{steps}"


def pages(sitting: int, students: Sequence[str] = ()) -> dict[str, str]:
    """The examinations and the solutions of a sitting as Markdown, by file name; without students one for all."""
    written, solved = {}, [HEAD.format(about=f"Sitting {sitting}", solved=", with solutions")]
    for number, student in enumerate(students or [""], 1):
        asked = [HEAD.format(about=student or f"Sitting {sitting}", solved="")]
        if student:
            solved.append(f"# {student}\n")
        for i, question in enumerate(exam(sitting, student), 1):
            text = f"## {i}. To {question.kind} ({question.points} points)\n\n{question.asked}\n"
            asked.append(text)
            solved.append(f"{text}\n{solution(question)}")
        written[f"exam-{number:02}.md" if student else "exam.md"] = "\n".join(asked)
    return written | {"exam-solutions.md": "\n".join(solved)}
