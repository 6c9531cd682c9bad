"""What chapters 4 to 6 say: of figures against their frames, of proofs on all small cases, of exercises by simulations of their own."""

import itertools
import re

import nbformat
import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq

import reproduce
from book import exercises, slides
from notebook_cells import words
from reproduce import notebooks
from reproduce.exhibits.lotes import worlds
from schedlib import hmhs, lotes, mch
from schedlib.hmhs import plain as batches
from schedlib.hmhs import plain_rivals as rivals
from schedlib.hmhs.johnson import flow_shop_makespan
from schedlib.hmhs.plain_model import Task, last_finish
from schedlib.lotes import plain
from schedlib.mch.properties import node_shares
from schedlib.workload import Workload

CORES = {0: 3, 1: 2}  # of the toy's classes
LEAVES = ((1, 0), (0, 1), (1, 1), (2, 1))


def said(name):
    """All that a chapter says, on its page and on its slides, in one line."""
    file = notebooks.book()[name]
    texts = [words(file)]
    for cell in nbformat.read(file, as_version=4).cells:
        for slide in slides.slides_of(cell):
            texts += [slide["title"], slide.get("text", ""), *slide.get("points", [])]
    return re.sub(r"\s+", " ", " ".join(texts))


def medians(**where):
    """Of Fig. 11: the median waits (s) by Phi and policy, and the share of stable runs."""
    frame = reproduce.frame("lotes.fig11").query("sizes == @where['sizes']")
    runs = frame.groupby(["phi", "policy"])
    return runs["wait"].median().unstack(), runs["stable"].mean().unstack()


def over(name, base="fifo"):
    """The makespans of a figure of HMHS over those of a policy on the same jobs."""
    frame = reproduce.frame(name)
    same = [column for column in frame if column not in ("policy", "makespan")]
    table = frame.pivot(index=same, columns="policy", values="makespan")
    return table.div(table[base], axis=0).reset_index()


def law_of_the_text():
    wait, stable = medians(sizes="independent-limit")
    grown = stable["greedy"] < 1
    return (wait[["lotes", "tetris"]] < 1).all(axis=None) and grown.tolist() == [False] * 4 + [
        True
    ] * 2


def one_factor():
    _, stable = medians(sizes="common-limit")
    return (stable["lotes"] <= 0.5).all() and (stable["greedy"] <= 0.25).all()


def mean_as_planned():
    wait, stable = medians(sizes="common-matched-limit")
    differ = wait.index > 0
    return (stable["lotes"] > 0.9).all() and (wait[differ].idxmin(axis=1) == "lotes").all()


def laws():
    found = worlds.law_map(reproduce.frame("lotes.laws"))
    holds = found.groupby("at", sort=False)["verdict"].apply(lambda some: (some == "holds").mean())
    text, _, matched = holds
    return matched > 0.5 and text == holds.min()


def wasted():
    table = over("hmhs.gap", "bound").groupby(["workload", "jobs"]).mean(numeric_only=True) - 1
    last = (100 * table.xs(800, level="jobs")[["hmhs", "priced"]]).round()
    hybrid = 100 * table.loc["hybrid", "hmhs"]
    return (
        (table["fifo"] > 4 * table["hmhs"]).all()
        and last.loc["single"].tolist() == [7, 2]
        and last.loc["hybrid"].tolist() == [24, 8]
        and hybrid[[25, 100, 800]].round(-1).tolist() in ([20, 50, 20], [30, 50, 20])
    )


def gained(slow):
    table = over("hmhs.fig2").query("slow == @slow").groupby("workload")["hmhs"].mean()
    return (100 * (1 - table)).round()[["single", "hybrid"]].tolist()


def timed():
    """A decision of H-DRF with stored sums over one of MCH at a million nodes; a task of a stream: places, seconds."""
    frame = pd.read_csv(notebooks.book()["06-mch"].parents[1] / "figures/mch/frontier.timing.csv")
    best = frame.query("method == 'fast' and (q > 1e6 or load == 'stream')")
    both = best.set_index(["load", "rule"])
    ratio = both.xs("h-drf", level="rule") / both.xs("mch", level="rule")[["operations", "seconds"]]
    decisions = both["decisions"].unstack()
    each = decisions["mch"] / decisions["h-drf"]
    fill = ratio.loc["fill", ["operations", "seconds"]] * each["fill"]
    stream = ratio.loc["stream", ["operations", "seconds"]]
    return [round(value, 1) for value in (*fill, *stream)]


SAID = [
    ("04-dispatching", "LoTES and Tetris hardly let anyone wait, and Greedy's queue grows only where classes differ most", law_of_the_text),
    ("04-dispatching", "on these 500 machines so does LoTES's in half of the runs or more", one_factor),
    ("04-dispatching", "With the mean as planned LoTES is nearly always stable again, and once classes differ it waits least", mean_as_planned),
    ("04-dispatching", "One factor, mean as planned: most sentences hold", laws),
    ("05-hmhs", "No slow machines: 68 and 59 % gained over FIFO", lambda: gained(0) == [68, 59]),
    ("05-hmhs", "Only slow ones: 3 and 7 %", lambda: gained(100) == [3, 7]),
    ("05-hmhs", "At 800 jobs: HMHS 7 and 24 % above the bound, priced dispatch 2 and 8 %", wasted),
    ("06-mch", "looks at as many places per decision as MCH; in seconds it takes many times as long", lambda: timed()[0] == 1 and timed()[1] > 4),
    ("06-mch", "one and a half times as many places for a task, and takes up to twice as long", lambda: 1.25 < timed()[2] < 1.75 and 1 < timed()[3] < 2),
]  # fmt: skip


@pytest.mark.parametrize(("name", "sentence", "holds"), SAID, ids=[row[1][:60] for row in SAID])
def test_a_sentence_on_a_figure_is_what_its_frame_says(name, sentence, holds):
    assert sentence in said(name) and holds()


def four(classes, submit, lasts, cores):
    return Workload.from_arrays(list(submit), list(lasts), job_class=list(classes), cores=cores)


def waits(jobs, plan):
    configs = lotes.MachineConfigs([[5.0]], [2])
    return {
        policy: plain.simulate(
            policy, configs, jobs, plan=plan if policy == "lotes" else None
        ).wait.max()
        for policy in ("lotes", "greedy")
    }


def test_four_jobs_that_lotes_lets_wait_need_one_that_is_larger_than_its_class():
    classes = lotes.JobClasses([0.5, 0.5], [[3.0], [2.0]], [[1.0, 1.0]])
    plan = lotes.plan(lotes.MachineConfigs([[5.0]], [2]), classes)
    arrivals = (0, 0, 0), (0, 1, 3), (1, 2, 3)
    for kinds in itertools.product((0, 1), repeat=4):
        for later, lasts in itertools.product(arrivals, itertools.product((1, 4), repeat=4)):
            jobs = four(kinds, (0, *later), lasts, [CORES[k] for k in kinds])
            found = waits(jobs, plan)
            assert not found["lotes"] > 0 == found["greedy"]


def test_johnsons_order_of_the_warm_up_is_the_only_best_one_of_its_kind():
    first, second = [3, 7, 4, 5], [6, 2, 4, 1]
    ends = {
        order: flow_shop_makespan(first, second, list(order))
        for order in itertools.permutations(range(4))
    }
    order = tuple(batches.johnson(first, second))
    assert ends[order] == min(ends.values())
    answer = [job + 1 for job in order], ends[order]
    assert str(exercises.check("hmhs.order_by_hand", answer)).startswith("Right")


def soonest(ready, tasks, time):
    """Of the tasks that are there, the one that can end first on its best machine, again and again."""
    left, free, placed = tasks.copy(), np.zeros(time.shape[1]), []
    while left.any():
        now = max(free.min(), ready[left > 0].min())
        there = (left > 0) & (ready <= now)
        ends = np.maximum(free, ready[:, None]) + time  # (jobs, machines)
        ends[~there] = np.inf
        job, machine = np.unravel_index(ends.argmin(), ends.shape)
        placed.append(Task(job, machine, ends[job, machine] - time[job, machine], ends.min()))
        free[machine] = ends[job, machine]
        left[job] -= 1
    return placed


def test_min_min_on_one_stage_alone_gains_what_exercise_5_3_says():
    ends = np.zeros(3)
    for seed in range(5):
        case = hmhs.single(100, seed)
        order = np.argsort(batches.pri(case), kind="stable").tolist()
        tasks, times = case.map_tasks, case.map_task_time
        work = case.reduce_tasks, case.reduce_task_time
        in_turn = rivals.fifo(order, np.zeros(100), tasks, times)
        best = batches.sequence(soonest(np.zeros(100), tasks, times), order, times)
        plain, mixed = (np.array(last_finish(maps, 100)) for maps in (in_turn, best))
        done = (
            *(rivals.fifo(order, ready, *work) for ready in (plain, mixed)),
            soonest(plain, *work),
        )
        ends += [max(task.finish for task in reduces) for reduces in done]
    assert exercises.check("hmhs.two_stages", ends[1:] / ends[0]).ok


def nested_share(weight, size=100, ends=6000):
    """What the memory job of group 2 holds in the long run under the naive rule, as tasks end at random."""
    rng, held, late = np.random.default_rng(0), [0, 0, 0], 0
    for step in range(ends):
        while True:
            able = [i for i in (0, 2) if held[0] + held[2] < size] + [1] * (held[1] < size)
            if not able:
                break
            group = max(held[1:]) / weight
            held[min(able, key=lambda i: (group if i else held[0], held[i]))] += 1
        late += held[2] * (step >= ends / 2)
        held[rng.choice(3, p=np.divide(held, sum(held)))] -= 1
    return late / size / (ends / 2)


def test_the_heavier_group_has_its_guarantee_from_the_root_of_two_on():
    for weight, kept in ((1.25, False), (1.6, True)):
        assert (nested_share(weight) >= weight / (weight + 1) / 2) == kept
    weight = brentq(lambda weight: 1 - 1 / weight - weight / (weight + 1) / 2, 1, 9)
    assert nested_share(weight) == pytest.approx(1 - 1 / weight, abs=0.02)
    assert exercises.check("mch.heavier_group", weight).ok


def best_end(maps, reduces, orders):
    """The least end of two jobs' tasks on given machines, where `orders` lists the orders that they may take."""
    ends = []
    for order in orders:
        ready = [0.0] * len(maps[0])
        for machine, sequence in zip(maps, order, strict=False):
            clock = 0.0
            for job in sequence:
                clock += machine[job]
                ready[job] = max(ready[job], clock if machine[job] else 0.0)
        end = 0.0
        for machine, sequence in zip(reduces, order[len(maps) :], strict=True):
            clock = 0.0
            for job in sequence:
                if machine[job]:
                    clock = max(clock, ready[job]) + machine[job]
            end = max(end, clock)
        ends.append(max(end, *ready))
    return min(ends)


def test_one_order_of_the_jobs_serves_all_machines():
    rng = np.random.default_rng(0)
    every = list(itertools.permutations(range(3)))
    alone = list(itertools.product(every, repeat=4))  # two map machines and two reduce machines
    together = [(order,) * 4 for order in every]
    for _ in range(60):
        work = rng.integers(0, 4, (4, 3)).tolist()  # of each machine, by job
        assert best_end(work[:2], work[2:], together) == best_end(work[:2], work[2:], alone)


@pytest.mark.parametrize("seed", range(20))
def test_each_step_of_the_bound_from_prices_holds_in_every_schedule(seed):
    rng = np.random.default_rng(seed)
    case = hmhs.single(5, seed, machines=(3, 2))
    cost = []
    for stage in (case.maps, case.reduces):
        price = rng.dirichlet(np.ones(stage.time.shape[1]))
        cost.append(stage.tasks * (price * stage.time).min(axis=1))
    for policy in ("hmhs", "r-hmhs", "fifo", "fifo-pri"):
        plan = hmhs.schedule(case, policy)
        order = np.argsort(plan.map_end, kind="stable")
        a, b = (work[order] for work in cost)
        A, C = plan.map_end[order], plan.makespan
        done, left = np.cumsum(a), np.cumsum(b[::-1])[::-1]
        assert (done <= A * (1 + 1e-9)).all() and (left <= (C - A) * (1 + 1e-9)).all()
        assert (done + left).max() == pytest.approx(flow_shop_makespan(a, b, list(range(5))))
        assert hmhs.lower_bound(case) <= C * (1 + 1e-9)


def small_trees():
    for a, b, c in itertools.product(LEAVES, repeat=3):
        yield mch.Tree([a, [b, c]])
    for a, b, c, d in itertools.product(LEAVES[:3], repeat=4):
        yield mch.Tree([[a, b], [c, d]], weights={(1,): 2})


def test_the_repairs_keep_what_the_chapter_proves_on_all_small_trees():
    for tree in small_trees():
        goal = mch.allocate(tree, [1, 1], "h-drf").shares
        for rule in ("case1", "mch-two-phase"):
            shares = mch.allocate(tree, [1, 1], rule).shares
            nodes = node_shares(tree, [1, 1], shares)
            assert (shares >= tree.guarantee[tree.leaves] - 1e-9).all()
            assert (nodes[1:] >= tree.guarantee[1:] - 1e-9).all()
        assert np.allclose(mch.allocate(tree, [1, 1], "exact-ch").shares, goal)
        if (tree.demand > 0).all():
            assert np.allclose(mch.allocate(tree, [1, 1], "mch").shares, goal)
