"""Controls above a picture of fixed height, which is also there on a page where no code runs."""

import base64
import html
import io
from collections.abc import Callable, Mapping

import ipywidgets as widgets


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
        self.png = b""
        super().__init__([*self.controls.values(), self.picture])
        self.refresh()
        for control in self.controls.values():
            control.observe(self.refresh, "value")

    def refresh(self, change=None):
        """Draw again with the controls' present values."""
        try:
            figure, alt = self.draw(**{name: control.value for name, control in self.controls.items()})
        except ValueError as error:
            self.picture.value = f'<p role="alert">{html.escape(str(error))}</p>'
            return
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=100)
        self.png = buffer.getvalue()
        source = base64.b64encode(self.png).decode()
        style = f"max-height:{self.height}px;max-width:100%"
        self.picture.value = f'<img alt="{html.escape(alt)}" style="{style}" src="data:image/png;base64,{source}">'

    def _repr_mimebundle_(self, **options):
        bundle = super()._repr_mimebundle_(**options)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return data | {"image/png": base64.b64encode(self.png).decode()}, metadata
