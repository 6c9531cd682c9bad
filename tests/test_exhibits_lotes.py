"""LoTES's measures of random data."""

import pytest

from frames import as_frame
from reproduce.exhibits.lotes import fig11_13_random

RUNS = """
    seed    phi omega policy  wait stable
       0    0.0   0.0  lotes   0.1   True
       0    0.0   0.0 tetris  10.0   True
       0  0.003   0.0  lotes   1.0   True
       0  0.003   0.0 tetris   0.1  False
       0  0.015   0.0  lotes   1.0   True
       0  0.015   0.0 tetris   1.0  False
       1    0.0   0.0  lotes   0.0   True
       1    0.0   0.0 tetris   0.0  False
       1  0.003   0.0  lotes   0.0   True
       1  0.003   0.0 tetris   0.0   True
       1  0.015   0.0  lotes   0.0   True
       1  0.015   0.0 tetris   0.0   True
"""


@pytest.fixture
def frame():
    return as_frame(RUNS)


def test_names_stand_behind_their_lines_in_the_lines_order_and_clear_of_each_other(frame):
    figure = fig11_13_random.plot_waits(frame.assign(sizes="common-limit"))
    figure.draw_without_rendering()
    tetris, lotes = sorted(figure.axes[0].texts, key=lambda text: text.get_position()[1])[::-1]
    assert (tetris.get_text(), lotes.get_text()) == ("Tetris", "LoTES")
    assert not tetris.get_window_extent().overlaps(lotes.get_window_extent())
    assert lotes.get_window_extent().x0 > figure.axes[0].get_window_extent().x1


def test_fig11_takes_instances_in_order_and_the_others_those_that_can_be_planned():
    seen = {}
    for load, omega in ((0.97, 0.0), (0.90, 0.0)):
        made = fig11_13_random.dispatching(
            phi=0.006, omega=omega, load=load, sizes=["independent-limit"], machines=4, hours=0.1,
            seed=5,
        )  # fmt: skip
        seen[load] = made["rate"].iloc[0] / load
    assert fig11_13_random.drawn(5) == 6 and seen[0.97] != pytest.approx(seen[0.90])
