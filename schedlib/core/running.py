"""Long runs in Python's hands: a kernel works a slice at a time, so Ctrl-C works and progress can be shown."""

from collections.abc import Callable

from tqdm import tqdm

PATIENCE = 5.0  # seconds without a progress bar


def to_the_end(advance: Callable[[], float], what: str) -> None:
    """Call `advance()` until it gives 1: it works for a fraction of a second and gives the share that is done.

    Python sees Ctrl-C between two slices. On a terminal a progress bar called `what` appears after five
    seconds.

    >>> shares = iter([0.2, 0.7, 1.0])
    >>> to_the_end(lambda: next(shares), "three slices")
    >>> list(shares)
    []
    """
    form = "{desc}: {percentage:3.0f} %|{bar}| {elapsed}<{remaining}"
    with tqdm(
        total=1.0, desc=what, delay=PATIENCE, leave=False, disable=None, bar_format=form
    ) as bar:
        done = 0.0
        while done < 1.0:
            done = advance()
            bar.update(done - bar.n)
