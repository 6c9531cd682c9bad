"""Controls above a picture of fixed height, which is also there on a page where no code runs."""

import base64
import html
import io
from collections.abc import Callable, Mapping

import ipywidgets as widgets


def slider(value, low, high, step=1, *, text: str):
    """A slider with its description; whole numbers when all of its numbers are. It answers when it is let go.

    >>> slider(2, 0, 9, text="seed").value, slider(2, 0.5, 6, 0.5, text="GB").value
    (2, 2.0)
    """
    whole = all(isinstance(number, int) for number in (value, low, high, step))
    kind = widgets.IntSlider if whole else widgets.FloatSlider
    return kind(value=value, min=low, max=high, step=step, description=text, continuous_update=False)


class Explorer(widgets.VBox):
    """A picture that follows its controls.

    `draw(**values)` takes the controls' values and returns (matplotlib Figure, alt text); `controls` maps its argument names to
    ipywidgets. The picture keeps its `height` in pixels, so that the page does not jump. A draw that raises ValueError shows the
    message in the picture's place. On a static page the first picture stands for the whole.
    """

    def __init__(self, draw: Callable, controls: Mapping[str, widgets.Widget], height: int = 420):
        self.draw, self.controls, self.height = draw, dict(controls), height
        for control in self.controls.values():
            control.style.description_width = "11em"
            control.layout.width = "34em"
        self.picture = widgets.HTML(layout=widgets.Layout(height=f"{height + 10}px", overflow="hidden"))
        self.png, self.alt, self.drawn = b"", "", None
        super().__init__([*self.controls.values(), self.picture])
        self.refresh()
        for control in self.controls.values():
            control.observe(self.refresh, "value")

    def refresh(self, change=None):
        """Draw with the controls' present values, unless the picture is already of these."""
        values = {name: control.value for name, control in self.controls.items()}
        if values == self.drawn:
            return
        self.drawn = values
        try:
            figure, alt = self.draw(**values)
        except ValueError as error:
            self.picture.value = f'<p role="alert">{html.escape(str(error))}</p>'
            return
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=100)
        self.png, self.alt = buffer.getvalue(), alt
        source = base64.b64encode(self.png).decode()
        style = f"max-height:{self.height}px;max-width:100%"
        self.picture.value = f'<img alt="{html.escape(alt)}" style="{style}" src="data:image/png;base64,{source}">'

    def _repr_mimebundle_(self, **options):
        bundle = super()._repr_mimebundle_(**options)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return data | {"image/png": base64.b64encode(self.png).decode()}, metadata | {"image/png": {"alt": self.alt}}
