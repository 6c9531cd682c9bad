"""Boxes that run in a page of the site: in a Python without packages, by the same harness as in the browser."""

import json
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from book import running
from book.run import stand_ins, trials
from cases import CASES
from schedlib import mch

CHANGES = CASES["running"]["changes"]
"""A fault for each box, which its trials must find: old and new words."""
BOXES = {box.name: box for box in running.boxes()}
SCRIPT = (running.ROOT / "notebooks/book/style/run.js").read_text(encoding="utf-8")
FIELD = re.compile(re.search(r"const FIELD = /(.+)/;", SCRIPT)[1], re.M)
"""A line of a toy that the page shows as a field for the reader's own values."""
OWN = sorted(name for name, box in BOXES.items() if not box.lacks and FIELD.search(box.toy))


def answer(call):
    """What the harness says in a Python that sees no package."""
    code = (running.RUN / "harness.py").read_text(encoding="utf-8") + f"\nprint({call})"
    command = [sys.executable, "-I", "-S", "-c", code]
    given = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return given.stdout + given.stderr


def shown(box, toy):
    """What the page shows of a toy."""
    return json.loads(answer(f"run({box.before!r}, {box.source!r}, {toy!r})"))


def own(name, **given):
    """What the page shows where a reader fills in these texts, one for each field."""
    toy = FIELD.sub(lambda line: f"{line[1]} = {given.pop(line[1])}", BOXES[name].toy)
    assert not given
    return shown(BOXES[name], toy)


def checked(box, source):
    words = (running.RUN / "trials.py").read_text(encoding="utf-8")
    return answer(f"check({box.before!r}, {source!r}, {box.source!r}, {words!r}, {box.name!r})")


@pytest.mark.parametrize("name", sorted(name for name, box in BOXES.items() if not box.lacks))
def test_a_box_runs_with_its_toy_and_its_trials_find_a_fault(name):
    box = BOXES[name]
    printed = shown(box, box.toy)["text"]
    assert printed.strip() and "Error" not in printed
    assert checked(box, box.source).startswith("Right")
    old, new = CHANGES[name]
    assert old in box.source
    assert checked(box, box.source.replace(old, new)).startswith("Not yet")


def test_boxes_fit_the_page():
    lines = "\n".join(box.source for box in BOXES.values()).splitlines()
    assert max(map(len, lines)) <= 77


def test_every_trial_has_its_box():
    assert {name for name, box in BOXES.items() if box.tried} == trials.TRIALS.keys()


def test_an_order_as_good_as_johnsons_is_right():
    box = BOXES["05.johnson"]
    other = box.source.replace("return L1 + L2", "return sorted(L1, key=lambda i: M[i]) + L2")
    assert checked(box, other).startswith("Right")


def test_an_error_names_its_line():
    faulty = "def f():\n    return 1 / 0"
    said = json.loads(answer(f"run('', {faulty!r}, 'f()')"))["text"]
    assert said.splitlines()[:3] == [
        "toy, line 1",
        "box, line 2",
        "ZeroDivisionError: division by zero",
    ]
    assert "box, line 1" in answer("run('', 'def f(:', '')")
    assert "toy, line 1" in answer("run('', '', '1 +')")
    values = "print(7)\n[8]\nNone"
    assert json.loads(answer(f"run('', '', {values!r})"))["text"].split() == ["7", "[8]"]


def test_the_boxes_that_the_book_promises_take_own_numbers():
    promised = {"01.first_come_first_served", "01c.list_schedule", "01c.list_with_order"}
    assert promised | {"01c.johnson", "01c.pack", "05.fifo", "05.johnson", "05.min_min"} <= {*OWN}


@pytest.mark.parametrize("name", OWN)
def test_a_toys_fields_come_first_and_its_chart_is_a_schedule(name):
    box = BOXES[name]
    fields = [bool(FIELD.match(line)) for line in box.toy.splitlines()]
    assert fields == sorted(fields, reverse=True)  # so that an error's line counts the fields
    whole = shown(box, box.toy)
    assert "Error" not in whole["text"]
    chart = pd.DataFrame(whole["chart"], columns=["line", "start", "end", "job"])
    for _, bars in chart.groupby("line"):  # a machine does one thing at a time
        ends = bars.sort_values(["start", "end"])[["start", "end"]].to_numpy().ravel()
        assert (np.diff(ends) >= 0).all()
    assert bool(whole["axis"]) == bool(whole["chart"])


@pytest.mark.parametrize("case", CASES["running"]["own"], ids=lambda case: case["box"])
def test_own_numbers_are_run_and_drawn(case):
    assert own(case["box"], **case["given"]) == case["shown"]


@pytest.mark.parametrize("nested", [[(1, 2)], [[(1, 0), (0, 1)], (2, 1)], [[[(1, 1)]], [(3, 1)]]])
def test_the_stand_in_is_the_librarys_tree(nested):
    mine, theirs = stand_ins.Tree(nested), mch.Tree(nested)
    assert mine.n_leaves == theirs.n_leaves and mine.n_nodes == theirs.n_nodes
    assert mine.demand == theirs.demand.tolist()
    depths = [sorted(tree.depth[leaf] for leaf in tree.leaves) for tree in (mine, theirs)]
    assert depths[0] == depths[1]
