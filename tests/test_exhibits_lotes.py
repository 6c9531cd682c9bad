"""LoTES's measures of random data, and the maps of what holds under which choice."""

import pandas as pd
import pytest

from frames import as_frame
from reproduce.exhibits.lotes import fig11_13_random, measures, runs, worlds

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


def test_a_policy_is_unstable_where_its_queue_grows_at_most_points(frame):
    assert measures.grew(frame, ["tetris"]).interval(0.95)[0] == 50
    assert measures.grew(frame, ["tetris"], phi=0.0).interval(0.95)[0] == 50
    assert measures.grew(frame, ["lotes", "tetris"], phi=[0.003, 0.015]).interval(0.95)[0] == 50
    assert measures.grew(frame, ["lotes"]).interval(0.95)[0] == 0
    assert measures.grew(frame, ["greedy"]) is None


def test_the_longest_wait_is_that_of_the_policy_that_waits_longer_at_each_point(frame):
    assert measures.longest(frame, ["lotes", "tetris"]).tolist() == pytest.approx([1 / 3, -4])
    assert measures.longest(frame, ["lotes"], phi=0.0).tolist() == pytest.approx([-1, -4])


def test_names_stand_behind_their_lines_in_the_lines_order_and_clear_of_each_other(frame):
    figure = fig11_13_random.plot_waits(frame.assign(sizes="common-limit"))
    figure.draw_without_rendering()
    tetris, lotes = sorted(figure.axes[0].texts, key=lambda text: text.get_position()[1])[::-1]
    assert (tetris.get_text(), lotes.get_text()) == ("Tetris", "LoTES")
    assert not tetris.get_window_extent().overlaps(lotes.get_window_extent())
    assert lotes.get_window_extent().x0 > figure.axes[0].get_window_extent().x1


def test_shares_of_optima_and_of_machines_asked():
    optima = pd.DataFrame({"rounded": [1.0, 0.9, 0.8, 0.99], "assignment": 1.0})
    assert measures.optima(optima, "rounded > 0.95 * assignment").interval(0.95)[0] == 50
    asked = pd.DataFrame({"seed": 0, "policy": "lotes", "sampled": [0, 10], "looked": [12.0, 3.0]})
    assert measures.asked_times(asked).tolist() == [4]


def test_fig11_takes_instances_in_order_and_the_others_those_that_can_be_planned():
    seen = {}
    for load, omega in ((0.97, 0.0), (0.90, 0.0)):
        made = fig11_13_random.dispatching(
            phi=0.006, omega=omega, load=load, sizes=["independent-limit"], machines=4, hours=0.1,
            seed=5,
        )  # fmt: skip
        seen[load] = made["rate"].iloc[0] / load
    assert fig11_13_random.drawn(5) == 6 and seen[0.97] != pytest.approx(seen[0.90])


def test_a_map_has_each_sentence_under_each_choice_and_counts_those_that_hold():
    parts = []
    for law in ("independent-limit", "common-matched-limit"):
        for policy in runs.POLICIES:
            rows = as_frame(RUNS).query("policy == 'lotes'")
            many = [rows.assign(seed=2 * more + rows["seed"]) for more in range(3)]
            parts.append(pd.concat(many).assign(policy=policy, sizes=law, load=0.97, wait=1e-4))
    frame = pd.concat(parts, ignore_index=True)
    whole = pd.concat([frame, frame.assign(load=0.90), frame.assign(load=0.95)])
    whole = pd.concat([whole, whole.assign(omega=0.1), whole.assign(omega=0.2)])
    made = worlds.law_map(whole)
    assert made.groupby("at")["id"].nunique().tolist() == [22, 22]
    verdicts = made.set_index(["at", "id"])["verdict"].xs("lotes.fig11-better", level="id")
    assert set(verdicts) == {"nothing to measure"}
    counts = worlds.holding(made)
    assert counts["sentences"].tolist() == [(made["verdict"] == "holds").sum() // 2] * 2
