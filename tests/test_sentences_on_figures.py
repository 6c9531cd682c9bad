"""What chapters 7 to 9 say in words about a figure, read against its frame; test_prose.py reads their numbers."""

import re

import pandas as pd
import pytest

import reproduce
from notebook_cells import words
from reproduce import notebooks
from schedlib import paths

FIGURES = paths.checkout() / "figures"


def short(figure):
    return reproduce.frame(figure).query("`class` == 'short'")


def over(rows, system, other, *by):
    """One system's mean time over another's, run by run, by these columns."""
    wide = rows.pivot_table(index=[*by, "seed"], columns="system", values="completion")
    return (wide[system] / wide[other]).dropna().groupby(list(by)).mean()


def at_the_highest_load(rows):
    return rows[rows["workers"] == rows.groupby("trace")["workers"].transform("min")]


def loads():
    return short("eagle.fig2")


def hour():
    """Mean times in Alibaba's hour: a row for workers and percentile, a column for each system that is drawn."""
    rows = short("eagle.hour")
    wide = rows.pivot_table(index=["workers", "percentile"], columns="system", values="completion")
    return wide[["eagle", "omniscient", "dlwl", "hawk", "sparrow"]]


def prototype(source):
    rows = short("eagle.prototype")
    return over(rows[rows["source"] == source], "eagle", "hawk", "percentile", "interarrival")


def eagle_is_first_but_for_the_fewest_workers():
    wide = hour()
    fewest = wide.index.get_level_values("workers").min()
    others = wide.drop(index=fewest, level="workers")
    left = wide.loc[fewest]
    rivals = left.drop(columns="eagle")
    ahead = rivals.lt(left["eagle"], axis=0)
    return (
        (others.idxmin(axis=1) == "eagle").all()
        and not ahead.loc[50].any()
        and list(ahead.columns[ahead.loc[90]]) == ["dlwl"]
        and ahead.loc[99].all()
    )


def eagle_beats_hawk_everywhere():
    return (over(loads(), "eagle", "hawk", "trace", "workers", "percentile") < 1).all()


def cloudera_has_the_least_factor():
    ratios = over(at_the_highest_load(loads()), "hawk", "eagle", "trace", "percentile")
    return ratios.idxmin() == ("cloudera", 99)


def yahoo_has_the_papers_factors():
    ratios = over(at_the_highest_load(loads()), "hawk", "eagle", "trace", "percentile")["yahoo"]
    return ratios.min() > 2.5 and ratios.max() < 12


def dlwl_is_half_as_long_again():
    ratios = over(at_the_highest_load(loads()), "dlwl", "eagle", "trace", "percentile")
    return ratios.xs(50, level="percentile").between(1.35, 1.65).all()


def dlwl_takes_nearly_four_times():
    ratios = over(at_the_highest_load(loads()), "dlwl", "eagle", "trace", "percentile")
    return 3.5 < ratios["google", 99] < 4


def thieves_of_both_partitions_decide():
    rows = short("eagle.thieves").groupby(["system", "percentile"])["completion"].mean()
    return all(rows["hawk", p] < rows["hawk-general", p] < rows["hawk-none", p] for p in (50, 90))


def eagle_hardly_notices():
    rows = short("eagle.fig8").query("system == 'eagle'")
    wide = rows.pivot_table(
        index=["low", "high"], columns=["percentile", "seed"], values="completion"
    )
    over_exact = (wide / wide.loc[1.0, 1.0]).T.groupby("percentile").mean()
    return (over_exact < 1.1).all(axis=None)


def means_on_the_hour():
    rows = reproduce.frame("lotes.hour8").query("x == 0 and load == 0.8")
    return rows.pivot_table(index="policy", columns="measure", values="value")


def a_decision_of_h_drf_takes_several_times():
    runs = pd.read_csv(FIGURES / "mch/frontier.timing.csv").query(
        "load == 'fill' and method == 'fast'"
    )
    largest = runs[runs["q"] == runs["q"].max()]
    each = (largest["seconds"] / largest["decisions"]).groupby(largest["rule"]).mean()
    return runs["q"].max() > 1e6 and each["h-drf"] > 3 * each["mch"]


SENTENCES = {
    "07-head-of-line": {
        "leaves the 90th percentile eight times as long": thieves_of_both_partitions_decide,
    },
    "08-eagle": {
        "Short jobs finish sooner under Eagle at every percentile and load, on all three traces": eagle_beats_hawk_everywhere,
        "Yahoo's jobs give the paper's factors": yahoo_has_the_papers_factors,
        "the least is that of Cloudera's slowest": cloudera_has_the_least_factor,
        "the median under DLWL+SRPT is half as long again as under Eagle": dlwl_is_half_as_long_again,
        "on Google's trace it takes nearly four times as long": dlwl_takes_nearly_four_times,
        "Eagle hardly notices wrong estimates": eagle_hardly_notices,
        "Eagle is first at every percentile, except with the fewest workers": eagle_is_first_but_for_the_fewest_workers,
        "Eagle takes a third of Hawk's time at a ratio of 1.2": lambda: abs(prototype("prototype")[90, 1.2] - 1 / 3) < 0.05,
        "The simulator agrees within a sixth": lambda: (
            abs(prototype("simulator")[90] / prototype("prototype")[90] - 1).max() < 1 / 6
        ),
        "Eagle takes two fifths of Hawk's time at 0.6": lambda: abs(prototype("prototype")[50, 0.6] - 0.4) < 0.05,
        "as long at 1.2": lambda: abs(prototype("prototype")[50, 1.2] - 1) < 0.05,
        "and a fifth longer at 2": lambda: abs(prototype("prototype")[50, 2.0] - 1.2) < 0.05,
        "a third to a half slower": lambda: (
            (prototype("simulator")[50] / prototype("prototype")[50]).between(1.28, 1.55).all()
        ),
    },
    "09-one-trace": {
        "With enough workers Eagle is first at every percentile": eagle_is_first_but_for_the_fewest_workers,
        "gives the same order of the means": lambda: (
            list(means_on_the_hour()["mean"].sort_values().index) == ["tetris", "lotes", "greedy"]
        ),
        "LoTES's tail is the longest there, too": lambda: means_on_the_hour()["p99"].idxmax() == "lotes",
        "a decision of H-DRF with stored sums takes several times as long": a_decision_of_h_drf_takes_several_times,
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("chapter", "sentence"), [(name, words) for name, told in SENTENCES.items() for words in told]
)
def test_a_sentence_on_a_figure_is_what_its_frame_says(chapter, sentence):
    said = re.sub(r"\s+", " ", words(notebooks.book()[chapter]))
    assert said.count(sentence) == 1
    assert SENTENCES[chapter][sentence]()
