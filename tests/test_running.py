"""Long runs in slices: all of them are done."""

from schedlib.core import running


def test_slices_run_until_all_is_done():
    shares = iter([0.0, 0.5, 1.0, 0.2])
    running.to_the_end(lambda: next(shares), "three slices")
    assert list(shares) == [0.2]
