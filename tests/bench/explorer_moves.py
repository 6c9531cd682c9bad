"""Every explorer of the book, as its chapter makes it, and moves of its controls, for tests and timings."""

from book.explorers import boards as board
from book.explorers import eagle, eagle_player, hmhs, lotes, mch, one_trace, recorded, six
from schedlib import boards


def _board():
    return board.seeds(
        boards.hmhs(seeds=20, against=["hmhs", "priced", "r-hmhs", "fifo"], each=True)
    )


EXPLORERS = {
    "01 six jobs": six.explorer,
    "01 waiting line": lotes.line,
    "02 two pools": lotes.pools,
    "03 bins": lotes.bins,
    "04 dispatching": lotes.dispatch,
    "05 HMHS": hmhs.explorer,
    "06 filling": mch.filling,
    "07 load": eagle.load_explorer,
    "08 player": eagle_player.Player,
    "09 one trace": one_trace.explorer,
    "10 seeds": _board,
}
"""By chapter."""


def move(explorer, rng):
    """Give one of the controls another value, both at random; gives the control's name.

    >>> import numpy as np
    >>> explorer = lotes.bins()
    >>> before = explorer.picture.value
    >>> move(explorer, np.random.default_rng(0)) in explorer.controls and explorer.picture.value != before
    True
    """
    others = {
        name: [v for v in recorded.values(control) if v != control.value]
        for name, control in explorer.controls.items()
    }
    name = rng.choice([name for name, choices in others.items() if choices])
    explorer.controls[name].value = others[name][rng.integers(len(others[name]))]
    return str(name)
