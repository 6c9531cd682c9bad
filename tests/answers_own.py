"""What makes right and wrong answers to the exercises of chapter 10, which answers_made.toml lists."""

import numpy as np
import pandas as pd

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
