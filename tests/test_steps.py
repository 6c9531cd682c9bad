"""The steps of a box: each line and value is that of the program that ran."""

import json

import pytest

from book import running, steps
from book.explorers import stepper
from book.listing import places, show
from schedlib.hmhs import plain

BOXES = {box.name: box for box in running.boxes()}
CLASSICS = (
    "01c.johnson",
    "01c.pack",
    "01c.list_with_order",
    "01c.fcfs",
    "04.__init__",
    "05.min_min",
)


def countdown(n):
    """A docstring, which no listing has."""
    total = 0
    while n > 0:
        total += n
        n -= 1
    return total


def test_each_line_with_the_values_before_it():
    found = steps.recorded(lambda: countdown(2), places(countdown))
    assert [step.line for step in found] == [1, 2, 3, 4, 2, 3, 4, 2, 5, 5]
    totals = [step.variables.get("total") for step in found]
    assert totals == [None, "0", "0", "2", "2", "2", "3", "3", "3", "3"]
    assert found[-1].variables["returns"] == "3"


def test_lines_are_those_of_the_listing_of_several_functions():
    lines = str(show(countdown, plain.johnson)).splitlines()
    numbers = places(countdown, plain.johnson)
    assert len(set(numbers.values())) == len(lines) - 2  # less those between
    found = steps.recorded(lambda: plain.johnson([1], [2]), numbers)
    assert lines[found[-1].line].strip().startswith("return")


def test_a_long_run_keeps_its_first_steps_and_the_tracer_before_it_returns():
    found = steps.recorded(lambda: countdown(10**4), places(countdown))
    assert len(found) == steps.MOST


@pytest.mark.parametrize("name", CLASSICS)
def test_the_classics_have_steps_through_several_lines_of_their_boxes(name):
    box = BOXES[name]
    lines = box.source.splitlines()
    assert len({step.line for step in box.steps}) > 5
    assert all(lines[step.line].strip() for step in box.steps)
    assert "0x" not in json.dumps(box.steps)


def test_the_stepper_marks_the_line_of_each_step():
    made = stepper.step(countdown, 1)
    slider, shown = made.children
    slider.value = slider.max
    assert '<mark aria-current="step">    return total</mark>' in shown.value
    assert '<th scope="row">returns</th><td>1</td>' in shown.value
    with pytest.raises(ValueError, match="runs no line"):
        stepper.step(lambda: 0)
