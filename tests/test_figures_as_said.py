"""What chapters 0 to 3 say in words of a figure is read against its frame."""

import pytest

import reproduce
from notebook_cells import words
from reproduce import notebooks


def few_meet_a_queue():
    jobs = reproduce.frame("lotes.fig3").set_index(["source", "target"])["jobs"]
    return jobs["outside", "queue"] < 0.05 * jobs["machine", "left"]


def jobs_four_and_five_wait():
    jobs = reproduce.frame("lotes.fig1").set_index("job")
    late = jobs[jobs["start"] > jobs["submit"]]
    free = {job: _free(jobs, job, late["submit"][job]) for job in late.index}
    return (
        free[4]["cores"] < 1
        and free[4]["memory"] == 2
        and free[5]["cores"] >= 1
        and free[5]["memory"] == 3
    )


def _free(jobs, job, moment):
    """What is free when a job comes."""
    runs = jobs[(jobs["start"] <= moment) & (moment < jobs["finish"]) & (jobs.index != job)]
    return {kind: jobs[f"total_{kind}"][job] - runs[kind].sum() for kind in ("cores", "memory")}


def hmhs_ends_sooner():
    took = reproduce.frame("hmhs.alibaba").groupby(["jobs", "policy"])["makespan"].mean().unstack()
    return (took["hmhs"] < took["fifo"]).all()


def all_bins_lose_less():
    rates = reproduce.frame("lotes.stages").query("phi == -1")
    lost = 1 - rates[["assignment", "generated"]].div(rates["allocation"], axis=0)
    return (lost["generated"] < 0.1 * lost["assignment"]).all()


SAID = [
    ("00-start-here", "So the answer is yes: order and place matter.", hmhs_ends_sooner),
    ("02-fluid", "Even then few jobs meet a queue.", few_meet_a_queue),
    ("02-fluid", "Job 4 waits for a core although 2 GB, all it needs, are free. Job 5 waits for memory although a core is free: it needs 4 GB and there are 3.",
     jobs_four_and_five_wait),
    ("03-bins", "For Google nearly all of the loss came from the restriction to $K^j$.", all_bins_lose_less),
]  # fmt: skip


@pytest.mark.parametrize(("chapter", "sentence", "true"), SAID)
def test_a_sentence_on_a_figure_is_true_of_its_frame(chapter, sentence, true):
    said = " ".join(words(notebooks.book()[chapter]).split())
    assert sentence in said and true()
