"""An explorer as the website has it: all pictures of chosen settings, in one small file that a page reads."""

import base64
import gzip
import json
import re
from typing import Any

from schedlib.teaching.explorers import Explorer, young_garbage

PARTS = re.compile(r"(?<=>\n)|(?<=>)(?=<)")  # where a picture's text is cut


def values(control: Any) -> dict:
    """All values that a reader can give a control, with their labels; of a box for text, the one it has.

    >>> from schedlib.teaching.explorers import slider
    >>> values(slider(2, 0.5, 2, 0.5, text="GB"))
    {0.5: '0.5', 1.0: '1', 1.5: '1.5', 2.0: '2'}
    """
    kind = type(control).__name__
    if kind == "Checkbox":
        return {False: "off", True: "on"}
    if kind in ("IntSlider", "FloatSlider"):
        steps = round((control.max - control.min) / control.step)
        numbers = (control.min + k * control.step for k in range(steps + 1))
        return {number: f"{number:g}" for number in numbers}
    if kind == "Text":
        return {control.value: control.value}
    pairs = (one if isinstance(one, tuple) else (one, one) for one in control.options)
    return {value: str(label) for label, value in pairs}


def kept(explorer: Explorer, name: str) -> dict:
    """The values, with their labels, that the website has of a control as it now stands."""
    chosen = explorer.page.get(name)
    every = values(explorer.controls[name])
    if chosen is None:
        return every
    return {value: every[value] for value in chosen if value in every}


def record(explorer: Explorer) -> dict[str, Any]:
    """All settings that the website has, and what each shows, found by moving the controls.

    - `controls`: the kind and the description of each control, in order
    - `tree`: the settings. The first control's labels; the places by which the page finds the nearest when
      another control has moved; for each label the next control's tree, at last a frame's number
    - `start`: which label each control has at first
    - `frames`: of each frame its words and its picture's parts, as numbers into `parts`
    - `plays`: whether it is a player, of its last control; `note`: what there is in JupyterLab only

    ValueError when the setting at first is not among them.
    """
    names = [name for name in explorer.controls if explorer.page.get(name) != ()]
    first: dict[str, Any] = explorer.values()
    parts: dict[str, int] = {}
    frames: dict[tuple, int] = {}

    def shown():
        with young_garbage():
            words, picture = explorer.frame(**explorer.values())[::-1]
        cut = (parts.setdefault(part, len(parts)) for part in PARTS.split(picture) if part)
        return frames.setdefault((words, *cut), len(frames))

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

    tree = level(*names)
    for name, value in first.items():
        explorer.set(name, value)
    at = [list(kept(explorer, name)) for name in names]
    if missing := [
        name for name, options in zip(names, at, strict=True) if first[name] not in options
    ]:
        raise ValueError(f"page: the values of {', '.join(missing)} at first are not on the page")
    start = [options.index(first[name]) for name, options in zip(names, at, strict=True)]
    described = {name: control.description for name, control in explorer.controls.items()}
    controls = [[type(explorer.controls[name]).__name__, described[name]] for name in names]
    more = ", ".join(text for name, text in described.items() if name not in names)
    note = "In JupyterLab (make lab) the controls take more values"
    note += f", and there is more to set: {more}." if more else "."
    return {
        "controls": controls,
        "tree": tree,
        "start": start,
        "frames": list(frames),
        "parts": list(parts),
        "plays": hasattr(explorer, "play"),
        "note": note if explorer.page else "",
    }


def packed(recorded: dict[str, Any]) -> str:
    """A record as a script that hands it to the page. A file next to a page may be run, but not be read."""
    text = json.dumps(recorded, ensure_ascii=False, separators=(",", ":")).encode()
    return f'explorer("{base64.b64encode(gzip.compress(text, 9, mtime=0)).decode()}")\n'
