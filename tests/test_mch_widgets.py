"""MCH's explorers answer for every corner of their settings and for any text, and what they draw is what was computed."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlib import mch
from schedlib.mch.allocate import filling_path
from schedlib.pictures import style
from schedlib.teaching.explorers import mch as explorer

demands = st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(any)
trees = st.recursive(
    demands, lambda below: st.lists(below, min_size=1, max_size=3), max_leaves=8
).filter(lambda n: isinstance(n, list))


@settings(max_examples=40, deadline=None)
@given(trees, st.sampled_from(["drf", "mch", "exact-ch", "h-drf", "naive-h-drf"]))
def test_the_way_ends_at_the_allocation_and_never_goes_back_or_over(nested, rule):
    tree, capacity = mch.Tree(nested), np.array([10.0, 20.0])
    path = filling_path(tree, capacity, rule)
    assert not path[0].any() and np.allclose(path[-1], mch.allocate(tree, capacity, rule).shares)
    assert (np.diff(path, axis=0) >= -1e-9).all()
    need = tree.demand / capacity
    used = (path / need.max(axis=1)) @ need
    assert used.max() <= 1 + 1e-9 and (np.diff(used.sum(axis=1)) > 0).all()


@settings(max_examples=40, deadline=None)
@given(trees)
def test_on_the_way_leaves_that_can_grow_are_level_under_drf(nested):
    tree = mch.Tree(nested)
    path = filling_path(tree, [10, 20], "drf")
    need = tree.demand / [10, 20]
    for shares in path[:-1]:
        full = (shares / need.max(axis=1)) @ need > 1 - 1e-9
        grows = ~(need[:, full] > 0).any(axis=1)
        assert np.ptp(shares[grows]) < 1e-9


def test_on_the_way_h_drf_keeps_siblings_level_until_something_is_full():
    tree = mch.Tree([(4, 1), [(1, 0), (0, 1), (0, 1)]])
    path = filling_path(tree, [36, 36], "h-drf")
    assert np.allclose(path[1], [2 / 3, 1 / 3, 1 / 3, 1 / 3]) and np.allclose(
        path[2], [2 / 3, 1 / 3, 5 / 12, 5 / 12]
    )


@pytest.mark.parametrize("preset, rule", list(itertools.product(explorer.PRESETS, explorer.RULES)))
def test_every_example_is_drawn_under_every_rule_that_is_for_it(preset, rule):
    filled = 35 if rule == "h-drf" else 100
    text, cpu, memory = explorer.PRESETS[preset]
    needs = explorer.read_tree(text).demand.min(axis=0)
    if (rule == "c-ch" and not needs[0]) or (rule == "m-ch" and not needs[1]):
        with pytest.raises(ValueError, match="uses nothing of resource"):
            explorer.draw_filling(text, cpu, memory, rule, filled)
        return
    figure, alt = explorer.draw_filling(text, cpu, memory, rule, filled)
    assert alt.startswith(f"{style.look(rule).label}, {filled} % of the way") and figure.axes


def test_bars_are_what_the_leaves_hold():
    figure, alt = explorer.draw_filling("[(4, 1), [(1, 0), (0, 1), (0, 1)]]", 36, 36, "mch", 100)
    widths = np.reshape([bar.get_width() for bar in figure.axes[1].patches], (4, 2))
    assert np.allclose(widths * 0.36, [[16, 4], [20, 0], [0, 16], [0, 16]])
    assert "CPU and memory full" in alt and "n2,1 0.556" in alt


def test_half_of_the_way_is_half_of_what_is_used_in_the_end():
    def used(filled):
        figure, _ = explorer.draw_filling(
            "[[(1, 0), (0, 1)], [(1, 0), (1, 0), (0, 1)]]", 100, 50, "h-drf", filled
        )
        return sum(bar.get_width() for bar in figure.axes[1].patches)

    assert np.isclose(used(50), used(100) / 2) and used(0) == 0


BAD = [
    "", "(1, 0)", "[", "[]", "[()]", "[1, 2]", "[(1, 'a')]", "[(-1, 1)]", "[(0, 0)]", "[(1, 0), (1, 2, 3)]", "[(1,)]", "[(1, 0)](2)",
    "[(nan, 1)]", "__import__('os').abort()", "[(1, 0)] * 3", "[(1, 0)*0]", "[(1, 0)*'a']", "[(1, 0)*(1, 2)]",
    "[(1, 0), *[(1, 0)]]", "[(1e400, 1)]",
    "[(1e-9, 1)]", f"[(1{'0' * 400}, 1)]", f"[({'9' * 5000}, 1)]", "[(1, 0)]\0", "[" * 3000, "[[[[[[(1, 1)]]]]]]", "[" + "(1, 1)," * 13 + "]",
    "[(1j, 0)]", "{1: 2}",
]  # fmt: skip


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_what_is_no_tree_gets_an_answer_that_helps(text):
    with pytest.raises(
        ValueError, match="brackets|picture has room|here they are two|lie between"
    ) as caught:
        explorer.read_tree(text)
    assert len(str(caught.value)) < 300


def test_a_written_tree_has_the_weights_behind_the_asterisks():
    tree = explorer.read_tree(" [(1, 2)*3, [(0, .5)*2, (1, 1)]*40] ")
    assert dict(zip(tree.paths, tree.weight, strict=True)) == {
        (): 1,
        (1,): 3,
        (2,): 40,
        (2, 1): 2,
        (2, 2): 1,
    }
    assert tree.demand.tolist() == [[1, 2], [0, 0.5], [1, 1]]


def test_an_example_fills_the_box_and_the_sliders():
    made = explorer.filling()
    made.controls["preset"].value = "two users"
    assert [made.controls[name].value for name in ("text", "cpu", "memory")] == list(
        explorer.PRESETS["two users"]
    )
    assert "Dominant shares of 9 CPUs and 18 GB: n1 0.667, n2 0.667" in made.picture.value


def test_a_slip_in_the_box_is_said_in_the_pictures_place_and_can_be_mended():
    made = explorer.filling()
    made.controls["text"].value = "[(1, 0), (0, 1)"
    assert made.picture.value.startswith('<p role="alert">this tree cannot be read')
    made.controls["text"].value = "[(1, 0), (0, 1)]"
    assert "<img alt=" in made.picture.value


@pytest.mark.parametrize("scene, time", list(itertools.product(explorer.SCENES, (0, 1100))))
def test_scenes_are_drawn_at_any_time_under_any_rules(scene, time):
    end = explorer.SCENES[scene]
    every = ["drf", *explorer.CHURN_RULES]
    for rules in zip(every[::2], every[1::2], strict=True):
        figure, alt = explorer.draw_churn(scene, time, *rules)
        titles = [ax.get_title() for ax in figure.axes[:2]]
        assert titles == [style.look(rule).label for rule in rules]
        assert alt.startswith(f"Dominant shares up to {min(time, end):g} s.")
        assert figure.axes[0].get_xlim() == (0, end)


def test_lines_stop_at_the_time_and_the_legend_says_what_is_held_then():
    figure, alt = explorer.draw_churn(
        "[M, [C, M]]: a rule that starves", 200, "h-drf", "naive-h-drf"
    )
    kept, starved = (ax.get_legend().get_texts()[2].get_text() for ax in figure.axes[:2])
    assert kept == "n2,2: 0.50" and starved == "n2,2: 0.00" and "n2,2 0.00" in alt
    assert max(line.get_xdata()[-1] for line in figure.axes[0].lines) == 200


def test_nothing_is_held_when_all_is_done():
    figure, _ = explorer.draw_churn("Fig. 4 of the paper", 1100, "mch", "h-drf")
    assert all(
        text.get_text().endswith(": 0.00")
        for ax in figure.axes[:2]
        for text in ax.get_legend().get_texts()
    )


def test_while_all_six_are_active_shares_are_the_papers():
    times, names, shares = explorer._run("Fig. 4 of the paper", "mch")
    between = (times >= 250) & (times <= 550)
    assert names == ["n1,1", "n1,2", "n2,1", "n2,2", "n2,3", "n3,1"]
    assert np.allclose(shares[between], [1 / 3, 1 / 2, 1 / 6, 1 / 6, 1 / 2, 1 / 3], atol=0.02)


def test_a_scene_has_its_own_length_and_runs_are_made_before_the_first_move():
    made = explorer.churn()
    before = explorer._run.cache_info().misses
    made.controls["time"].value = 1000
    made.controls["scene"].value = "[M, [C, M]]: a rule that starves"
    assert (
        made.controls["time"].value == made.controls["time"].max == 300
        and "up to 300 s" in made.picture.value
    )
    made.controls["left"].value = "drf"
    assert explorer._run.cache_info().misses == before and "<img alt=" in made.picture.value


def test_an_unknown_scene_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match="scene: 'nowhere'"):
        explorer.draw_churn("nowhere")
