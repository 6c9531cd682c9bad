"""An explorer as the website has it: all pictures of chosen settings, in one small file that a page reads."""

import base64
import gzip
import json
import re
from typing import Any

from book.explorers import Explorer

PARTS = re.compile(r"(?<=>\n)|(?<=>)(?=<)")  # where a picture's text is cut


def values(control: Any) -> dict:
    """All values that a reader can give a control, with their labels; of a box for text, the one it has.

    >>> from book.explorers import slider
    >>> values(slider(2, 0.5, 2, 0.5, text="GB"))
    {0.5: '0.5', 1.0: '1', 1.5: '1.5', 2.0: '2'}
    """
    kind = type(control).__name__
    if kind == "Checkbox":
        return {False: "off", True: "on"}
    if kind == "Text":
        return {control.value: control.value}
    labels = {}
    if kind in ("IntSlider", "FloatSlider"):
        steps = round((control.max - control.min) / control.step)
        for k in range(steps + 1):
            number = control.min + k * control.step
            labels[number] = f"{number:g}"
        return labels
    for option in control.options:
        label, value = option if isinstance(option, tuple) else (option, option)
        labels[value] = str(label)
    return labels


def kept(explorer: Explorer, name: str) -> dict:
    """The values, with their labels, that the website has of a control in its present state."""
    chosen = explorer.page.get(name)
    every = values(explorer.controls[name])
    if chosen is None:
        return every
    return {value: every[value] for value in chosen if value in every}


def record(explorer: Explorer) -> dict[str, Any]:
    """All settings that the website has, and the view of each, by moving the controls.

    - `controls`: the kind and the description of each control, in order
    - `tree`: the settings. The first control's labels; the places by which the page finds the nearest when
      another control has moved; for each label the next control's tree, at last a frame's number
    - `start`: which label each control has at first
    - `frames`: of each frame its words and its picture's parts, as numbers into `parts`
    - `question`: its words, the guess's ends and step, the setting as the places of labels, the answer; or None
    - `plays`: whether it is a player, of its last control; `note`: what there is in JupyterLab only

    ValueError when the setting at first is not among them.
    """
    names = [name for name in explorer.controls if explorer.page.get(name) != ()]
    first: dict[str, Any] = explorer.values()
    parts: dict[str, int] = {}
    frames: dict[tuple, int] = {}

    def shown():
        frame = explorer.frame(**explorer.values())
        cut = []
        for part in filter(None, PARTS.split(frame.picture)):
            cut.append(parts.setdefault(part, len(parts)))
        return frames.setdefault((frame.words, *cut), len(frames))

    def level(name=None, *rest):
        if name is None:
            return shown()
        options = kept(explorer, name)
        below = []
        for value in options:
            explorer.set(name, value)
            below.append(level(*rest))
        places = explorer.places(name) or list(options)
        return [list(options.values()), places, below]

    def places():
        found = []
        for name in names:
            value, options = explorer.controls[name].value, list(kept(explorer, name))
            if value not in options:
                raise ValueError(
                    f"page: {name} is {value} at first or in the question, which has no page"
                )
            found.append(options.index(value))
        return found

    tree = level(*names)
    for name, value in first.items():
        explorer.set(name, value)
    start = places()
    question = None
    if explorer.question:
        answer = explorer.answer()
        question = [explorer.question.words, explorer.question.ends, places(), answer]
    controls = []
    others = []
    for name, control in explorer.controls.items():
        if name in names:
            controls.append([type(control).__name__, control.description])
        else:
            others.append(control.description)
    note = "In JupyterLab (make lab) the controls take more values"
    if others:
        note += f", and there is more to set: {', '.join(others)}"
    note += "."
    return {
        "controls": controls,
        "tree": tree,
        "start": start,
        "frames": list(frames),
        "parts": list(parts),
        "question": question,
        "plays": hasattr(explorer, "play"),
        "note": note if explorer.page else "",
    }


def packed(recorded: dict[str, Any]) -> str:
    """A record as a script that hands it to the page. A file next to a page may be run, but not be read."""
    text = json.dumps(recorded, ensure_ascii=False, separators=(",", ":"))
    small = gzip.compress(text.encode(), 9, mtime=0)
    letters = base64.b64encode(small).decode()
    return f'explorer("{letters}")\n'
