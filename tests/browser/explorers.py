"""Explorers moved by the keyboard, one control after the other."""

import time
from dataclasses import dataclass

SETTLES, UNCHANGED = 60, 0.3
"""Seconds that a move may take, and that a picture must stay as it is, with an idle kernel, to count as unchanged."""
LAPSE = 2.0
"""Seconds in which a player that plays shows another picture."""
STEPS = 12
"""How many steps of a control are tried until one changes the picture."""
KEYS = {
    "slider": (["ArrowRight"], ["ArrowLeft"]),
    "menu": (["Space", "ArrowDown", "Enter"], ["Space", "ArrowUp", "Enter"]),
    "box": (["Space"], ["Space"]),
}
"""Each kind's keys, on and back. A menu must be opened: on a closed one JupyterLab takes up and down to go to another cell."""
ONLY_SETTINGS = {
    "events a second": "how fast the player plays, which no still picture shows",
}
"""Controls that change no picture, and why."""
CLEAR = ("ControlOrMeta+a", "Delete")
TYPED = {"tree": "[(1, 4), (3, 1)]"}
"""What is typed into a box for text."""

ROOTS = ".jp-OutputArea-output .jupyter-widgets.widget-vbox:has(> .widget-html)"
MARK = """root => {
  const kinds = {slider: '.noUi-handle', menu: 'select', box: 'input[type=checkbox]', text: 'input[type=text]', button: 'button'};
  const seen = e => e.getClientRects().length > 0;
  const rows = e => [...e.children].filter(seen).flatMap(child => child.matches('.widget-container') ? rows(child) : [child]);
  const found = [];
  for (const row of rows(root).filter(e => !e.matches('.widget-html'))) {
    const controls = Object.entries(kinds).flatMap(([kind, selector]) =>
      [...(row.matches(selector) ? [row] : row.querySelectorAll(selector))].filter(seen).map(e => [kind, e]));
    const label = (row.querySelector('.widget-label-basic') ?? row.querySelector('.widget-label'))?.innerText.trim() || '';
    if (!controls.length) found.push({kind: 'unknown', name: label || row.className});
    for (const [kind, e] of controls) {
      e.dataset.control = found.length;
      found.push({kind, name: label || e.innerText.trim() || e.querySelector('i').className.replace('fa fa-', '')});
    }
  }
  return found;
}"""
CLIPPED = """root => [...root.querySelectorAll('.widget-label')].filter(e => e.scrollWidth > e.clientWidth).map(e => e.innerText)"""
LOOK = """root => {
  const content = root.querySelector(':scope > .widget-html .widget-html-content');
  const shown = content.querySelector('img, svg'), frame = content.parentElement.getBoundingClientRect();
  const drawn = shown?.getBoundingClientRect();
  let picture = 0;
  for (const letter of shown?.src ?? content.innerHTML) picture = (31 * picture + letter.charCodeAt(0)) | 0;
  return {
    picture, height: frame.height, drawn: !!shown, alert: content.querySelector('[role=alert]')?.innerText ?? '',
    words: shown?.getAttribute('alt') ?? shown?.getAttribute('aria-label') ?? '',
    ready: !!content.innerText || (shown && (shown.complete ?? true) && (shown.naturalWidth ?? 1) > 0),
    whole: !drawn || (drawn.height > 0 && drawn.bottom <= frame.bottom + 1 && drawn.right <= frame.right + 1),
    settings: [...root.querySelectorAll('[data-control]')].map(e =>
      e.closest('.widget-slider')?.querySelector('.widget-readout').innerText ?? (e.type === 'checkbox' ? e.checked : e.value)),
  };
}"""
FOCUSED = "() => document.activeElement.dataset.control ?? ''"


@dataclass(frozen=True)
class Move:
    """A key on a control: what was seen before and after, and the seconds until the picture was another."""

    before: dict
    after: dict
    seconds: float

    @property
    def seen(self) -> bool:
        """Another picture; a message in its place is none."""
        return self.after["drawn"] and self.after["picture"] != self.before["picture"]

    @property
    def set(self) -> bool:
        """Another setting."""
        return self.after["settings"] != self.before["settings"]


class Explorer:
    """The `index`-th explorer of a notebook that was run."""

    def __init__(self, notebook, index: int):
        self.notebook, self.page = notebook, notebook.page
        self.root = self.page.locator(ROOTS).nth(index)
        self.root.scroll_into_view_if_needed()
        self.controls = self.root.evaluate(MARK)
        self.title = f"{notebook.name}, explorer {index + 1}"
        self.settled()
        self.height = self.look()["height"]
        self.sound(self.look(), "at first")

    def look(self) -> dict:
        return self.root.evaluate(LOOK)

    def focus(self, number: int) -> None:
        self.root.locator(f"[data-control='{number}']").focus()

    def settled(self) -> None:
        self.notebook.until(
            lambda: not self.notebook.traffic.waiting and self.look()["ready"],
            SETTLES,
            f"{self.title} comes to rest",
        )

    def unreached(self) -> list[str]:
        """The controls that Tab does not reach from the first one on, nor Shift+Tab on the way back."""
        missing = set(map(str, range(len(self.controls))))
        self.focus(0)
        for key, wanted in (("Tab", missing - {"0"}), ("Shift+Tab", {"0"})):
            for _ in range(4 * len(self.controls)):
                if not missing & wanted:
                    break
                self.page.keyboard.press(key)
                missing.discard(self.page.evaluate(FOCUSED))
        return [self.controls[int(number)]["name"] for number in sorted(missing, key=int)]

    def clipped(self) -> list[str]:
        """The labels that there is no room for."""
        return self.root.evaluate(CLIPPED)

    def press(self, number: int, *keys: str, patience: float = UNCHANGED) -> Move:
        """Press keys on a control, and wait until the kernel is idle and the picture is another, or stays the same for long enough."""
        self.focus(number)
        before, start = self.look(), time.monotonic()
        for key in keys:
            self.page.keyboard.press(key)
            if key == "Space" and self.controls[number]["kind"] == "menu":
                self.page.wait_for_function("() => document.activeElement.matches(':open')")
        idle_since = None
        while time.monotonic() - start < SETTLES:
            after = self.look()
            if after["picture"] != before["picture"]:
                break
            idle_since = None if self.notebook.traffic.waiting else idle_since or time.monotonic()
            if idle_since and time.monotonic() - idle_since > patience:
                break
            self.page.wait_for_timeout(10)
        seconds = time.monotonic() - start
        self.settled()
        after, when = self.look(), f"after {' '.join(keys[-3:])} on {self.controls[number]['name']}"
        said = self.notebook.traffic.complaints
        assert not said, f"{self.title}, {when}: the kernel said: {said[-1]}"
        self.sound(after, when)
        return Move(before, after, seconds)

    def move(self, number: int) -> Move:
        """Move a control until the picture changes, and back. Raises AssertionError when no step of it changes anything."""
        control = self.controls[number]
        kind, name = control["kind"], control["name"]
        if kind == "text":
            return self.type(number)
        if kind == "button":
            return self.push(number)
        assert kind in KEYS, f"{self.title}: no key is known for the control {name}"
        tried = []
        for key, undo in (KEYS[kind], KEYS[kind][::-1]):
            for _ in range(STEPS):
                move = self.press(number, *key)
                tried.append(move.after["settings"][number])
                if not move.set:
                    break
                if name in ONLY_SETTINGS:
                    return move
                if move.seen:
                    self.same(move, self.press(number, *undo), name)
                    return move
        raise AssertionError(
            f"{self.title}: {name} changes no picture; tried {', '.join(map(str, tried))}"
        )

    def type(self, number: int) -> Move:
        """Write into a box for text, then what was there before."""
        name, was = self.controls[number]["name"], self.look()["settings"][number]
        assert name in TYPED, f"{self.title}: nothing is known to type into {name}"
        move = self.press(number, *CLEAR, *TYPED[name], "Enter")
        assert move.seen, f"{self.title}: {TYPED[name]} in {name} changes no picture"
        self.same(move, self.press(number, *CLEAR, *was, "Enter"), name)
        return move

    def push(self, number: int) -> Move:
        """Push a button, again after a step of the last slider if there was nothing for it to do; what plays is paused again."""
        name = self.controls[number]["name"]
        plays = name == "play"
        move = self.press(number, "Space", patience=LAPSE if plays else UNCHANGED)
        if not move.seen and not plays:
            last = max(k for k, control in enumerate(self.controls) if control["kind"] == "slider")
            self.press(last, "ArrowRight")
            move = self.press(number, "Space")
        assert move.seen, f"{self.title}: the button {name} changes no picture"
        if plays:
            self.press(number, "Space", patience=0)
            paused = self.look()["picture"]
            self.page.wait_for_timeout(1000 * LAPSE)
            assert self.look()["picture"] == paused, (
                f"{self.title}: it plays on after a second push"
            )
        return move

    def same(self, there: Move, back: Move, name: str) -> None:
        """Raise AssertionError when equal settings have two pictures."""
        if back.after["settings"] == there.before["settings"]:
            assert back.after["picture"] == there.before["picture"], (
                f"{self.title}: {name} moved and moved back: another picture"
            )

    def sound(self, look: dict, when: str) -> None:
        """Raise AssertionError unless the picture is whole, has words, and its place is as high as ever."""
        assert look["height"] == self.height, (
            f"{self.title}, {when}: the picture's place is {look['height']} px high, not {self.height}"
        )
        assert look["whole"], f"{self.title}, {when}: the picture is cut off by its place"
        assert look["words"].strip() or look["alert"], (
            f"{self.title}, {when}: the picture has no alt text"
        )
