"""A word to the reader while long work goes on: compiling, or the first run of a simulation."""

import contextlib
import threading
import time
from collections.abc import Callable

from IPython import get_ipython
from IPython.display import HTML, display

AFTER = 1.5
"""Seconds that work may take before anything is said."""


@contextlib.contextmanager
def working(show: Callable[[str], None] | None = None, after: float = AFTER):
    """Inside the block, say that it works and for how many seconds, once it has taken more than `after`; nothing is left behind.

    `show` takes the words; without it they stand below the cell that runs, and are taken away when the block is done.

    >>> said = []
    >>> with working(said.append, after=0.01):
    ...     time.sleep(0.1)
    >>> said[0], said[-1]
    ('Working, 0 s: what is run for the first time is compiled first.', '')
    >>> with working(said.append):
    ...     said.clear()
    >>> said
    []
    """
    show, start, done, said = show or _below_the_cell(), time.monotonic(), threading.Event(), []

    def tell():
        pause = after
        while not done.wait(pause):
            said.append(f"Working, {time.monotonic() - start:.0f} s: what is run for the first time is compiled first.")
            show(said[-1])
            pause = 1.0

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        if said:
            show("")


def _below_the_cell() -> Callable[[str], None]:
    """Words below the running cell, each in the place of the last; none where there is no notebook."""
    handles = []

    def show(words):
        if not hasattr(get_ipython(), "kernel"):
            return
        page = HTML(f'<p role="status">{words}</p>' if words else "")
        if handles:
            handles[0].update(page)
        else:
            handles.append(display(page, display_id=True))

    return show
