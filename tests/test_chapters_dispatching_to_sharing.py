"""What chapters 4 to 6 say: of figures against their frames, and what is proved or ruled out, on all small cases."""

import itertools
import re

import nbformat
import pandas as pd
import pytest

import reproduce
from book import slides
from notebook_cells import words
from reproduce import notebooks
from reproduce.exhibits.lotes import worlds
from schedlib import lotes, mch, paths
from schedlib.lotes import plain
from schedlib.mch.properties import node_shares
from schedlib.workload import Workload

LEAVES = ((1, 0), (0, 1), (1, 1), (2, 1))


def said(name):
    """All that a chapter says, on its page and on its slides, in one line."""
    file = notebooks.book()[name]
    texts = [words(file)]
    for cell in nbformat.read(file, as_version=4).cells:
        for slide in slides.slides_of(cell):
            texts += [slide["title"], slide.get("text", ""), *slide.get("points", [])]
    return re.sub(r"\s+", " ", " ".join(texts))


def medians(sizes):
    """Of Fig. 11: the median waits (s) by Phi and policy, and the share of stable runs."""
    frame = reproduce.frame("lotes.fig11").query("sizes == @sizes")
    runs = frame.groupby(["phi", "policy"])
    return runs["wait"].median().unstack(), runs["stable"].mean().unstack()


def over(name, base="fifo"):
    """The makespans of a figure of HMHS over those of a policy on the same jobs."""
    frame = reproduce.frame(name)
    same = [column for column in frame if column not in ("policy", "makespan")]
    table = frame.pivot(index=same, columns="policy", values="makespan")
    return table.div(table[base], axis=0).reset_index()


def law_of_the_text():
    wait, stable = medians("independent-limit")
    grown = stable.index[stable["greedy"] < 1]
    return (wait[["lotes", "tetris"]] < 1).all(axis=None) and (grown == stable.index[-2:]).all()


def one_factor():
    _, stable = medians("common-limit")
    return (stable["lotes"] <= 0.5).all() and (stable["greedy"] <= 0.25).all()


def mean_as_planned():
    wait, stable = medians("common-matched-limit")
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
        last.loc["single"].tolist() == [7, 2]
        and last.loc["hybrid"].tolist() == [24, 8]
        and hybrid[[25, 100, 800]].round(-1).tolist() in ([20, 50, 20], [30, 50, 20])
    )


def gained(slow):
    table = over("hmhs.fig2").query("slow == @slow").groupby("workload")["hmhs"].mean()
    return (100 * (1 - table)).round()[["single", "hybrid"]].tolist()


def over_mch(load):
    """What H-DRF takes in all with the largest trees of a load: operations, seconds, decisions over those of MCH."""
    frame = pd.read_csv(paths.checkout() / "figures/mch/frontier.timing.csv")
    best = frame.query("method == 'fast' and load == @load and (q > 1e6 or load == 'stream')")
    runs = best.set_index("rule")[["operations", "seconds", "decisions"]]
    return runs.loc["h-drf"] / runs.loc["mch"]


def filled():
    over = over_mch("fill")
    places, seconds = over[["operations", "seconds"]] / over["decisions"]
    return round(places, 1) == 1 and seconds > 4


def streamed():
    over = over_mch("stream")
    return 1.25 < over["operations"] < 1.75 and 1 < over["seconds"] < 2


SAID = [
    ("04-dispatching", "LoTES and Tetris hardly let anyone wait, and Greedy's queue grows only where classes differ most", law_of_the_text),
    ("04-dispatching", "on these 500 machines so does LoTES's in half of the runs or more", one_factor),
    ("04-dispatching", "With the mean as planned LoTES is nearly always stable again, and once classes differ it waits least", mean_as_planned),
    ("04-dispatching", "One factor, mean as planned: most sentences hold", laws),
    ("05-hmhs", "No slow machines: 68 and 59 % gained over FIFO", lambda: gained(0) == [68, 59]),
    ("05-hmhs", "Only slow ones: 3 and 7 %", lambda: gained(100) == [3, 7]),
    ("05-hmhs", "At 800 jobs: HMHS 7 and 24 % above the bound, priced dispatch 2 and 8 %", wasted),
    ("06-mch", "looks at as many places per decision as MCH; in seconds it takes many times as long", filled),
    ("06-mch", "one and a half times as many places for a task, and takes up to twice as long", streamed),
]  # fmt: skip


@pytest.mark.parametrize(("name", "sentence", "holds"), SAID, ids=[row[1][:60] for row in SAID])
def test_a_sentence_on_a_figure_is_what_its_frame_says(name, sentence, holds):
    assert sentence in said(name) and holds()


def longest_waits(jobs, plan):
    """On two machines of five cores, by policy."""
    configs = lotes.MachineConfigs([[5.0]], [2])
    plans = {"lotes": plan, "greedy": None}
    return {
        policy: plain.simulate(policy, configs, jobs, plan=plans[policy]).wait.max()
        for policy in plans
    }


def test_four_jobs_that_lotes_lets_wait_need_one_that_is_larger_than_its_class():
    cores = [3, 2]
    classes = lotes.JobClasses([0.5, 0.5], [[3.0], [2.0]], [[1.0, 1.0]])
    plan = lotes.plan(lotes.MachineConfigs([[5.0]], [2]), classes)
    arrivals = [0, 0, 0, 0], [0, 0, 1, 3], [0, 1, 2, 3]
    for kinds in itertools.product((0, 1), repeat=4):
        demand = [cores[kind] for kind in kinds]
        for submit, lasts in itertools.product(arrivals, itertools.product((1, 4), repeat=4)):
            jobs = Workload.from_arrays(submit, lasts, job_class=kinds, cores=demand)
            found = longest_waits(jobs, plan)
            assert not found["lotes"] > 0 == found["greedy"]


def small_trees():
    for a, b, c in itertools.product(LEAVES, repeat=3):
        yield mch.Tree([a, [b, c]])
    for a, b, c, d in itertools.product(LEAVES[:3], repeat=4):
        yield mch.Tree([[a, b], [c, d]], weights={(1,): 2})


def test_two_phase_mch_keeps_every_guarantee_on_all_small_trees():
    """Of the other repairs and of H-DRF the properties are tried on random trees."""
    for tree in small_trees():
        shares = mch.allocate(tree, [1, 1], "mch-two-phase").shares
        nodes = node_shares(tree, [1, 1], shares)
        assert (nodes[1:] >= tree.guarantee[1:] - 1e-9).all()
