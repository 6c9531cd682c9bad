"""Explorers: a few controls above a picture, in JupyterLab and, with chosen settings, on the website.

Each is a thin skin over a paper's functions. This module has their common parts.
"""

import base64
import contextlib
import functools
import html
import io
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from reproduce.publish import numbered_ids
from schedlib.paths import extra
from schedlib.plots import style

with extra("book"):
    import ipywidgets as widgets
    from IPython import get_ipython
    from IPython.display import HTML, display

__all__ = ["Explorer"]
Picture = tuple[Figure, str]  # of a draw function: a matplotlib figure and its alt text
# A fixed place of titles saves a fifth of the time of a move; a fixed salt gives equal figures equal ids.
RC: dict[Any, Any] = {"axes.titley": 1.0, "svg.hashsalt": "schedlib"}


class Frame(NamedTuple):
    """The view of one setting: a picture as SVG text and its alt text, or words alone."""

    picture: str
    words: str


class Question(NamedTuple):
    """What a reader guesses before the picture is shown: words, the setting that it asks about, a function of all
    values that gives the number, the slider's ends and step, and the number's unit."""

    words: str
    setting: dict[str, Any]
    number: Callable[..., float]
    ends: tuple[float, float, float]
    unit: str


def slider(value: float, low: float, high: float, step: float = 1, *, text: str) -> widgets.Widget:
    """A slider with its description, of whole numbers when all four numbers are. The picture follows a drag:
    the page sends a value when the kernel has answered the last one, and skips those between."""
    whole = all(isinstance(number, int) for number in (value, low, high, step))
    kind = widgets.IntSlider if whole else widgets.FloatSlider
    return kind(value=value, min=low, max=high, step=step, description=text)


def menu(options: Sequence, value: Any = None, *, text: str) -> widgets.Dropdown:
    """A menu of names, or of (label, value) pairs, with its description; the first is chosen by default."""
    return widgets.Dropdown(
        options=options, description=text, **({} if value is None else {"value": value})
    )


def labelled(policies: Sequence[str]) -> list[tuple[str, str]]:
    """Policies as a menu's options: each with its label in the book's figures."""
    return [(style.look(policy).label, policy) for policy in policies]


def placed(size: tuple[float, float], *places: Sequence[float]) -> tuple[Figure, list[Axes]]:
    """A figure of `size` (inches) with axes at fixed places (left, bottom, width, height), in parts of 1. The
    book's style lays figures out, which would take half of the time of a move."""
    figure, axes = style.subplots(1, len(places), size=size)
    figure.set_layout_engine("none")
    for ax, place in zip(np.atleast_1d(axes), places, strict=True):
        ax.set_position(place)
    return figure, list(np.atleast_1d(axes))


def png(figure: Figure) -> bytes:
    """A figure as a PNG file of 100 dots an inch."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100)
    return buffer.getvalue()


def svg(figure: Figure) -> str:
    """A figure as SVG text of 100 pixels an inch, coordinates to a hundredth of a point; equal figures have
    equal text. Letters are outlines, so that it looks the same wherever it is shown."""
    buffer = io.StringIO()
    FigureCanvasSVG(figure).print_svg(
        buffer, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type"))
    )
    text = numbered_ids(buffer.getvalue(), "explorer")
    text = re.sub(
        r'(width|height)="([\d.]+)pt"',
        lambda size: f'{size[1]}="{float(size[2]) / 0.72:.0f}"',
        text[text.index("<svg") :],
        count=2,
    )
    return "".join(
        line if "scale" in line else re.sub(r"(\.\d\d)\d+", r"\1", line)
        for line in text.splitlines(keepends=True)
    )


@contextlib.contextmanager
def working(show: Callable[[str], None] | None = None, after: float = 1.5) -> Iterator[None]:
    """Inside the block, say for how many seconds it has worked, once this is more than `after` s.

    `show` takes the words, and "" at the end of the block; without it they are shown below the cell that runs.

    >>> messages = []
    >>> with working(messages.append, after=0.01):
    ...     time.sleep(0.1)
    >>> messages[0], messages[-1]
    ('Working, 0 s: what is run for the first time is compiled first.', '')
    """
    messages: list[str] = []
    say = show or _below_the_cell()
    start = time.monotonic()
    done = threading.Event()

    def keep_saying():
        while not done.wait(1.0 if messages else after):
            how_long = f"Working, {time.monotonic() - start:.0f} s"
            messages.append(f"{how_long}: what is run for the first time is compiled first.")
            say(messages[-1])

    thread = threading.Thread(target=keep_saying, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        if messages:
            say("")


def _below_the_cell() -> Callable[[str], None]:
    """Words below the running cell, each in the place of the last; none without a notebook."""
    handles: list = []

    def show(words):
        page = HTML(f'<p role="status">{words}</p>' if words else "")
        if handles:
            handles[0].update(page)
        elif hasattr(get_ipython(), "kernel"):
            handles.append(display(page, display_id=True))

    return show


class Explorer(widgets.VBox):
    """A picture that follows its controls.

    - `draw(**values)` takes the controls' values and gives a `Picture`, of `height` pixels
    - `controls`: ipywidgets by the names of its arguments
    - `on_change`: by the name of a control, a function that updates what depends on it, before the drawing
    - `page`: by the name of a control, the values that it has on the website; a control that is not named has all
      of its values there, and one with no values is left out (see `recorded`)
    - `question`: what the reader guesses first; then the explorer moves to its setting

    A draw that raises ValueError shows the message in the picture's place; a move that fails in any other way
    shows the call that repeats it. Long work says so.

    Not tried by the tests, since it needs a notebook:

    >>> Explorer(lambda jobs: draw(jobs), {"jobs": widgets.IntSlider(3, 1, 9)})  # doctest: +SKIP
    """

    def __init__(
        self,
        draw: Callable[..., Picture],
        controls: Mapping[str, widgets.Widget],
        height: int = 420,
        on_change: Mapping[str, Callable[[], None]] | None = None,
        page: Mapping[str, Sequence] | None = None,
        question: Question | None = None,
    ):
        self.draw, self.controls, self.height, self.page = draw, dict(controls), height, page or {}
        self.on_change, self.question = on_change or {}, question
        self.updating = False
        for control in self.controls.values():
            control.style.description_width = "11em"
            control.layout.width = "34em"
        self.picture = widgets.HTML(
            layout=widgets.Layout(height=f"{height + 10}px", overflow="hidden")
        )
        self.drawn: dict[str, Any] | None = None
        asked = [] if question is None else [self._asked(question)]
        super().__init__([*asked, *self.controls.values(), self.picture])
        with working():
            self.refresh()
        for name, control in self.controls.items():
            control.observe(functools.partial(self._moved, name), "value")

    def answer(self) -> str:
        """The number that the question asks for, once the explorer has moved to its setting; "" without one."""
        if self.question is None:
            return ""
        for name, value in self.question.setting.items():
            self.set(name, value)
        return f"{self.question.number(**self.values()):.3g} {self.question.unit}"

    def refresh(self) -> None:
        """Draw with the controls' present values, unless the picture is already of these."""
        values = self.values()
        if values != self.drawn:
            self.drawn = values
            self.shown = self.frame(**values)
            self.picture.value = self._html(self.shown)

    def values(self) -> dict[str, Any]:
        """The controls' present values, by name."""
        return {name: control.value for name, control in self.controls.items()}

    def frame(self, **values: Any) -> Frame:
        """The view of these values, the same in JupyterLab and on the website."""
        try:
            with mpl.rc_context(RC):
                figure, alt = self.draw(**values)
                return Frame(svg(figure), alt)
        except ValueError as error:
            return Frame("", str(error))

    def set(self, name: str, value: Any) -> None:
        """Give a control a value, and what depends on it, without drawing."""
        self.updating = True
        try:
            self.controls[name].value = value
            self.on_change.get(name, lambda: None)()
        finally:
            self.updating = False

    def places(self, name: str) -> list | None:
        """The places of a control's values, among which a page looks for the nearest; None for the values."""
        return None

    @property
    def alt(self) -> str:
        """The picture's words, "" without a picture."""
        return self.shown.words if self.shown.picture else ""

    @property
    def png(self) -> bytes:
        """The picture as a PNG file, for pages where no code runs; empty without a picture."""
        if not self.shown.picture:
            return b""
        with mpl.rc_context(RC):
            return png(self.draw(**self.values())[0])

    def _asked(self, question):
        """The question, a slider for the guess, and a button that shows the picture and the number."""
        low, high, step = question.ends
        guess = slider(low, low, high, step, text="your guess")
        show = widgets.Button(description="show")
        said = widgets.HTML()

        def reveal(button):
            with working(self._say):
                answer = self.answer()
                self.refresh()
            said.value = f'<p role="status">You said {guess.value:g}. It is {answer}.</p>'

        show.on_click(reveal)
        words = widgets.HTML(f"<b>Guess first.</b> {question.words}")
        return widgets.VBox([words, guess, widgets.HBox([show, said])])

    def _html(self, shown):
        if not shown.picture:
            return message(shown.words)
        attributes = (
            f'alt="{html.escape(shown.words)}" style="max-height:{self.height}px;max-width:100%"'
        )
        source = base64.b64encode(shown.picture.encode()).decode()
        return f'<img {attributes} decoding="sync" src="data:image/svg+xml;base64,{source}">'

    def _moved(self, name, change):
        """Answer a move. A failure replaces the picture: a traceback would go unseen below an old one."""
        if self.updating:
            return
        try:
            with working(self._say):
                self.set(name, change["new"])
                self.refresh()
        except Exception as error:
            values = ", ".join(f"{name}={value!r}" for name, value in self.values().items())
            why = f"This setting could not be drawn ({type(error).__name__}: {error}); others may be. "
            how = f"To see where it fails, give this explorer a name and call name.draw({values})."
            self.picture.value = message(why + how)

    def _say(self, words):
        """Words in the place of the picture; after the last ones the picture, which they may have overwritten."""
        self.picture.value = f'<p role="status">{words}</p>' if words else self._html(self.shown)

    def _repr_mimebundle_(self, **options):
        bundle = super()._repr_mimebundle_(**options)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        if self.shown.picture:
            data["image/png"] = base64.b64encode(self.png).decode()
            metadata["image/png"] = {"alt": self.alt}
        return data, metadata


def message(words: str) -> str:
    """The words in the place of a picture that cannot be drawn."""
    return f'<p role="alert">{html.escape(words)}</p>'
