"""Controls above a picture of fixed height, which is also there on a page where no code runs."""

import base64
import contextlib
import functools
import gc
import html
import io
from collections.abc import Callable, Mapping

import ipywidgets as widgets
import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from schedlib.teaching.explorers.working import working


def slider(value, low, high, step=1, *, text: str):
    """A slider with its description; whole numbers when all of its numbers are. It answers when it is let go.

    >>> slider(2, 0, 9, text="seed").value, slider(2, 0.5, 6, 0.5, text="GB").value
    (2, 2.0)
    """
    whole = all(isinstance(number, int) for number in (value, low, high, step))
    kind = widgets.IntSlider if whole else widgets.FloatSlider
    return kind(value=value, min=low, max=high, step=step, description=text, continuous_update=False)


def png(figure) -> bytes:
    """A figure as a PNG file of 100 dots an inch. It is laid out and drawn once, where `savefig` does both twice.

    >>> from schedlib.pictures import style
    >>> png(style.subplots()[0])[1:4]
    b'PNG'
    """
    figure.set_dpi(100)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    buffer = io.BytesIO()
    Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB").save(buffer, format="png", compress_level=1)
    return buffer.getvalue()


@contextlib.contextmanager
def swept():
    """Garbage made inside is collected at the end, while it is young.

    A figure is thousands of objects that hold one another. Those of some moves make Python look through all that lives in the
    process, which holds up every tenth move or so by a third of a second.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.collect(0)
        if was_on:
            gc.enable()


class Explorer(widgets.VBox):
    """A picture that follows its controls.

    `draw(**values)` takes the controls' values and returns (matplotlib Figure, alt text); `controls` maps its argument names to
    ipywidgets. The picture keeps its `height` in pixels, so that the page does not jump. A draw that raises ValueError shows the
    message in the picture's place; so does a move that fails in any other way, with the call that repeats it. Work that takes long
    says so. On a static page the first picture stands for the whole.

    `settle` holds, by the name of a control, what brings others in line with it when it is moved; the picture is drawn after that.
    """

    def __init__(
        self,
        draw: Callable,
        controls: Mapping[str, widgets.Widget],
        height: int = 420,
        settle: Mapping[str, Callable[[], None]] | None = None,
    ):
        self.draw, self.controls, self.height = draw, dict(controls), height
        self.settle, self.settling = settle or {}, False
        for control in self.controls.values():
            control.style.description_width = "11em"
            control.layout.width = "34em"
        self.picture = widgets.HTML(layout=widgets.Layout(height=f"{height + 10}px", overflow="hidden"))
        self.png, self.alt, self.drawn = b"", "", None
        super().__init__([*self.controls.values(), self.picture])
        with working():
            self.refresh()
        for name, control in self.controls.items():
            control.observe(functools.partial(self._moved, name), "value")

    def refresh(self):
        """Draw with the controls' present values, unless the picture is already of these."""
        values = {name: control.value for name, control in self.controls.items()}
        if values == self.drawn:
            return
        self.drawn = values
        with swept():
            self.picture.value = self._page(values)

    def _page(self, values) -> str:
        try:
            with mpl.rc_context({"axes.titley": 1.0}):  # to look for a higher place takes a fifth of the time of a drawing
                figure, alt = self.draw(**values)
        except ValueError as error:
            return _message(str(error))
        self.png, self.alt = png(figure), alt
        source = base64.b64encode(self.png).decode()
        style = f"max-height:{self.height}px;max-width:100%"
        return f'<img alt="{html.escape(alt)}" style="{style}" src="data:image/png;base64,{source}">'

    def _moved(self, name, change):
        """Answer a move. What fails is said here: nobody would see a traceback, and the old picture is not of these settings."""
        if self.settling:
            return
        try:
            with working(self._say):
                self._settled(name)
                self.refresh()
        except Exception as error:
            values = ", ".join(f"{name}={control.value!r}" for name, control in self.controls.items())
            why = f"This setting could not be drawn ({type(error).__name__}: {error}); others may be. To see where it fails, give this "
            self.picture.value = _message(f"{why}explorer a name and call name.draw({values}).")

    def _settled(self, name):
        self.settling = True
        try:
            self.settle.get(name, lambda: None)()
        finally:
            self.settling = False

    def _say(self, words):
        if words:
            self.picture.value = f'<p role="status">{words}</p>'

    def _repr_mimebundle_(self, **options):
        bundle = super()._repr_mimebundle_(**options)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        if not self.png:
            return data, metadata
        return data | {"image/png": base64.b64encode(self.png).decode()}, metadata | {"image/png": {"alt": self.alt}}


def _message(words: str) -> str:
    return f'<p role="alert">{html.escape(words)}</p>'
