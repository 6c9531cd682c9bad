"""Right and wrong answers to the exercises of chapter 10, by the exercise's name, made when they are asked for."""

import numpy as np
import pandas as pd

from answers_other_papers import choices, nowhere, sent
from book.exercises import own
from schedlib import eagle, hmhs, lotes
from schedlib.intervals import mean_ci

A, B = (40.0, 12.0, 25.0, 58.0, 30.0), (37.0, 10.0, 21.0, 53.0, 29.0)


def let_wait(cluster, job):
    return -1


def off_the_end(cluster, job):
    return len(cluster.config)


def wrong_job(stage, machine, now):
    return stage.left.size


def late(tasks, duration, submit=5.0):
    """Leaves 0 and 1 fill the cluster at 0, leaf 2 comes late."""
    return pd.DataFrame(
        {"leaf": [0, 1, 2], "submit": [0.0, 0.0, submit], "tasks": tasks, "duration": duration}
    )


def halves():
    return [mean_ci(v).high - mean_ci(v).mean for v in (A, B, np.subtract(B, A))]


RIGHT = {
    "own_policy.paired": halves,
    "own_policy.nobody_lets_it_in": lambda: late([10**4, 10**4, 10], [7.0, np.pi * np.e, 3.0]),
}
WRONG = {
    "own_policy.above_best_fit": lambda: [
        lotes.Policy(own.best_fit),
        lotes.Policy(off_the_end),
        lotes.Policy(let_wait, lambda cluster, machine: -1),
    ],
    "own_policy.nobody_lets_it_in": lambda: [
        late([10**4, 10**4, 10], [7.0, 7.0, 3.0]),
        late([10**4, 10**4, 10], [7.0, np.pi * np.e, 3.0], 590.0),
        late([10**4, 10**4, 0], [7.0, 11.0, 3.0]).query("leaf < 2"),
        late([10**4, 10**4, 0], [7.0, np.pi * np.e, 3.0]),  # nothing to starve
        late([20, 10**4, 10], [700.0, np.pi * np.e, 3.0]),  # blocked to the end
    ],
    "own_policy.above_hmhs": lambda: [
        hmhs.Policy(hmhs.priority),
        hmhs.Policy(map_rule=wrong_job),
        "hmhs",
    ],
    "own_policy.paired": lambda: [
        [np.std(v, ddof=1) for v in (A, B, np.subtract(B, A))],  # deviations
        np.multiply(halves(), 1.96 / 2.7764),  # normal
        np.multiply(halves(), 2),  # whole widths
        [*halves()[:2], halves()[0] - halves()[1]],  # difference of both
    ],
    "own_policy.above_hawk": lambda: [eagle.Hawk(), choices(1), sent(nowhere)],
}
