"""Explorers moved by the keyboard, one control after the other."""

SETTLES = 90_000
"""Milliseconds that a move may take: only to end what hangs."""
STEPS = 12
"""How many steps of a control are tried until one changes the picture."""
MENU = ("Space", "ArrowDown", "Enter"), ("Space", "ArrowUp", "Enter")
"""A menu must be opened: on a closed one JupyterLab takes up and down to go to another cell."""
KEYS = {
    "slider": (("ArrowRight",), ("ArrowLeft",)),
    "menu": MENU,
    "box": (("Space",), ("Space",)),
    "button": (("Space",), ("Space",)),
}
"""Each kind's keys, on and back."""
ONLY_SETTINGS = {
    "events a second": "how fast the player plays, which no still picture shows",
    "your guess": "what the reader expects, which is compared when the picture is shown",
}
"""Controls that change no picture, and why."""
CLEAR = ("ControlOrMeta+a", "Delete")
TYPED = "[(1, 4), (3, 1)]"
"""What is typed into a box for text, where one writes trees."""

ROOTS = ".jp-OutputArea-output .jupyter-widgets.widget-vbox:has(> .widget-html:last-child)"
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
  const content = root.querySelector(':scope > .widget-html:last-child .widget-html-content');
  const shown = content.querySelector('img, svg'), frame = content.parentElement.getBoundingClientRect();
  const drawn = shown?.getBoundingClientRect();
  return {
    picture: shown?.src ?? content.innerHTML, height: frame.height, drawn: !!shown,
    alert: content.querySelector('[role=alert]')?.innerText ?? '',
    words: shown?.getAttribute('alt') ?? shown?.getAttribute('aria-label') ?? '',
    ready: !!content.innerText || (shown && (shown.complete ?? true) && (shown.naturalWidth ?? 1) > 0),
    whole: !drawn || (drawn.height > 0 && drawn.bottom <= frame.bottom + 1 && drawn.right <= frame.right + 1),
    settings: [...root.querySelectorAll('[data-control]')].map(e =>
      e.closest('.widget-slider')?.querySelector('.widget-readout').innerText ?? (e.type === 'checkbox' ? e.checked : e.value)),
  };
}"""
IDLE = "document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status === 'idle'"
SETTLED = f"root => {IDLE} && ({LOOK})(root).ready"
TURN_TO = """(root, number) => {
  delete root.quiet;
  root.querySelector(`[data-control='${number}']`).focus();
}"""
ANSWERED = f"""([root, before]) => {{
  if (!root.quiet || !{IDLE}) root.quiet = performance.now();
  return ({LOOK})(root).picture !== before || performance.now() - root.quiet > 2000;
}}"""
"""Another picture, or two seconds since the keys in which the kernel has nothing to do."""


class Explorer:
    """The `index`-th explorer of a page."""

    def __init__(self, page, index):
        self.page, self.root = page, page.locator(ROOTS).nth(index)
        self.root.scroll_into_view_if_needed()
        self.controls = self.root.evaluate(MARK)
        self.height = self.settled()["height"]

    def settled(self):
        """What is shown once the kernel is idle. Raises AssertionError unless it is whole, has words, and is as high as ever."""
        self.page.wait_for_function(SETTLED, arg=self.root.element_handle(), timeout=SETTLES)
        look = self.root.evaluate(LOOK)
        assert look["whole"] and (look["words"].strip() or look["alert"]), look["settings"]
        assert "could not be drawn" not in look["alert"], (look["settings"], look["alert"])
        assert look["height"] == getattr(self, "height", look["height"]), look["settings"]
        return look

    def press(self, number, *keys):
        """What is shown before and after keys on a control."""
        before = self.settled()
        self.root.evaluate(TURN_TO, number)
        for key in keys:
            self.page.keyboard.press(key)
            if key == "Space" and self.controls[number]["kind"] == "menu":
                self.page.wait_for_function("() => document.activeElement.matches(':open')")
        shown = [self.root.element_handle(), before["picture"]]
        self.page.wait_for_function(ANSWERED, arg=shown, timeout=SETTLES)
        return before, self.settled()

    def unreached(self):
        """The controls that Tab does not reach from the first one on."""
        missing = {str(number) for number in range(1, len(self.controls))}
        self.root.locator("[data-control='0']").focus()
        for _ in range(4 * len(self.controls)):
            self.page.keyboard.press("Tab")
            missing.discard(self.page.evaluate("document.activeElement.dataset.control ?? ''"))
        return [self.controls[int(number)]["name"] for number in missing]

    def move(self, number):
        """Move a control until the picture changes, and back. Raises AssertionError when no step of it changes anything, or
        equal settings have two pictures."""
        kind, name = self.controls[number]["kind"], self.controls[number]["name"]
        if kind == "text":
            was = self.settled()["settings"][number]
            there, back = (*CLEAR, *TYPED, "Enter"), (*CLEAR, *was, "Enter")
        else:
            there, back = KEYS[kind]
        if kind == "button":  # what steps back needs a step before
            last = max(k for k, control in enumerate(self.controls) if control["kind"] == "slider")
            self.press(last, "ArrowRight")
        for on, undo in ((there, back), (back, there)):
            for _ in range(STEPS):
                before, after = self.press(number, *on)
                if after["settings"] == before["settings"] and kind != "button":
                    break
                seen = after["drawn"] and after["picture"] != before["picture"]
                if seen or name in ONLY_SETTINGS:
                    _, undone = self.press(number, *undo)
                    same = undone["settings"] == before["settings"] and name not in ONLY_SETTINGS
                    assert not same or undone["picture"] == before["picture"], name
                    return
        raise AssertionError(f"{name} changes no picture")
