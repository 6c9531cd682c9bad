"""A word to the reader while long work goes on: compiling, or the first run of a simulation."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

from IPython import get_ipython
from IPython.display import HTML, display

AFTER = 1.5
"""Seconds that work may take before anything is said."""


@contextlib.contextmanager
def working(show: Callable[[str], None] | None = None, after: float = AFTER) -> Iterator[None]:
    """Inside the block, say that it works and for how many seconds, once it has taken more than `after`.

    `show` takes the words, and "" when the block is done; without it they stand below the cell that runs.

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
    said: list[str] = []
    say, start, done = show or _below_the_cell(), time.monotonic(), threading.Event()

    def keep_saying():
        while not done.wait(1.0 if said else after):
            seconds = time.monotonic() - start
            said.append(f"Working, {seconds:.0f} s: what is run for the first time is compiled first.")
            say(said[-1])

    thread = threading.Thread(target=keep_saying, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        if said:
            say("")


def _below_the_cell() -> Callable[[str], None]:
    """Words below the running cell, each in the place of the last; none where there is no notebook."""
    handles: list = []

    def show(words):
        page = HTML(f'<p role="status">{words}</p>' if words else "")
        if handles:
            handles[0].update(page)
        elif hasattr(get_ipython(), "kernel"):
            handles.append(display(page, display_id=True))

    return show
