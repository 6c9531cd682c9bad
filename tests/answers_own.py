"""What makes right and wrong answers to the exercises of chapter 10, which answers_made.toml lists."""

import pandas as pd


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
