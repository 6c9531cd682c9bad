"""Writes the seals of the exercises from the answers beside this file: `python tests/sealing.py [id ...]`.

A check is run on the right answer, and what it compares is recorded in place of being compared. Then it is run on
each wrong answer that bears the name of one of its traps. So answers stand here and nowhere else, and students'
copies have neither this file nor those.
"""

import contextlib
import importlib
import json
import sys
from pathlib import Path

from schedlib.teaching import exercises
from schedlib.teaching.exercises import EXERCISES, sealed
from schedlib.teaching.exercises.reading import Hint

exercises.listed()
MODULES = [
    importlib.import_module(file.stem)
    for file in sorted(Path(__file__).parent.glob("answers_*.py"))
]
RIGHT = {name: make for module in MODULES for name, make in module.RIGHT.items()}
WRONG = {name: make for module in MODULES for name, make in module.WRONG.items()}


def wrong(name):
    """An exercise's wrong answers by name; those without a name are numbered."""
    answers = WRONG[name]()
    return (
        answers
        if isinstance(answers, dict) and all(isinstance(label, str) for label in answers)
        else dict(enumerate(answers))
    )


class Recorder(sealed.Sealed):
    """Records what is compared: every part of the right answer, then one trap for each wrong one of its name."""

    def __init__(self, exercise, label=None, known=None):
        self.exercise, self.label, self.facts = exercise, label, {} if known is None else known

    def holds(self, name, value, within=0.02, floor=1e-6):
        if self.label == name or (self.label is None and not self.trapping):
            cells = self.cells(value, within, floor)
            shifts = [
                round(8 * (cell - round(cell))) if isinstance(cell, float) else None
                for cell in cells
            ]
            rounded = [
                cell if shift is None else round(cell - shift / 8)
                for cell, shift in zip(cells, shifts, strict=True)
            ]
            self.facts[name] = [sealed.digest(self.exercise, name, rounded), shifts]
        return super().holds(name, value, within, floor)

    trapping = False

    def trap(self, name, value, hint, within=0.02, floor=1e-6):
        self.trapping = True
        super().trap(name, value, hint, within, floor)
        self.trapping = False


def seals(name):
    """All seals of one exercise."""
    recorder = Recorder(name)
    EXERCISES[name].judge(RIGHT[name](), recorder)
    parts, found = set(recorder.facts), recorder.facts
    for label, answer in wrong(name).items():
        if label not in parts:
            with contextlib.suppress(Hint):
                EXERCISES[name].judge(answer, Recorder(name, label, found))
    return found


if __name__ == "__main__":
    made = json.loads(sealed.FILE.read_text(encoding="utf-8")) if sealed.FILE.exists() else {}
    for name in sys.argv[1:] or exercises.listed():
        made[name] = seals(name)
        print(name, len(made[name]))
    made = {name: made[name] for name in exercises.listed() if made.get(name)}
    sealed.FILE.write_text(
        json.dumps(made, indent=None, separators=(",", ":")).replace("},", "},\n") + "\n",
        encoding="utf-8",
    )
