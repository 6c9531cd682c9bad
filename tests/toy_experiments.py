"""Small experiments for the tests of `reproduce`; workers import this module too."""

import os
import signal
import time
import uuid
from pathlib import Path

import numpy as np
import pandas as pd

from reproduce import registry
from reproduce.figure import Figure
from reproduce.sentences import Sentence
from schedlib.sweeps import Experiment, grid, scales

TESTS = Path(__file__).parent


def noisy(jobs, seed):
    rng = np.random.default_rng([jobs, seed])
    times = jobs * np.array([1.0, 2.0]) * rng.uniform(0.9, 1.1)
    return pd.DataFrame({"policy": ["fast", "slow"], "time": times, "ran": time.time()})


def doubtful(jobs, seed):
    return pd.DataFrame({"x": [(-1.0) ** seed + jobs / 10]})


def counted(folder, jobs, seed):
    """Leaves a file per execution, and takes a moment when the folder has a file `slow`."""
    place = Path(folder)
    (place / f"{jobs}-{seed}-{uuid.uuid4().hex}").touch()
    if (place / "slow").exists():
        try:
            time.sleep(0.4)
        except KeyboardInterrupt:
            (place / "interrupted").touch()
            raise
    return pd.DataFrame({"value": [jobs + seed / 3], "odd": [bool(jobs % 2)]})


def fragile(folder, jobs, seed):
    """Fails for two jobs until the folder has a file `mended`."""
    if jobs == 2 and not (Path(folder) / "mended").exists():
        raise ArithmeticError("two jobs are one too many")
    return counted(folder, jobs, seed)


def deadly(folder, jobs, seed):
    """Kills its own process, the first time that two jobs are asked for."""
    died = Path(folder) / "died"
    if jobs == 2 and seed == 0 and not died.exists():
        died.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return counted(folder, jobs, seed)


def untidy(folder, jobs, seed):
    return pd.DataFrame({"cells": [[1, 2]]}) if jobs > 1 else {"not": "a frame"}


def experiment(run, folder, points=3, seeds=2):
    cases = grid(folder=[str(folder)], jobs=range(1, points + 1))
    return Experiment(f"hmhs.toy-{run.__name__}", "A toy", run, scales(cases), scales(seeds))


def executions(folder):
    """The executions of `counted`, as jobs-seed."""
    return sorted(
        file.name.rpartition("-")[0] for file in Path(folder).iterdir() if file.name.count("-") == 2
    )


def plot(frame):
    from schedlib.plots import style

    figure, ax = style.subplots()
    style.band(ax, frame, "jobs", "time", by="policy")
    ax.set(xlabel="jobs", ylabel="time (s)")
    ax.legend()
    return figure


def speedup(frame):
    times = frame.pivot_table(index="seed", columns="policy", values="time")
    return times["slow"] / times["fast"]


TOY = Experiment(
    "hmhs.toy", "Time against jobs", noisy,
    scales(grid(jobs=[1]), grid(jobs=[1, 2, 4]), grid(jobs=[9])), scales(1, 3, 5), timing=("ran",),
)  # fmt: skip
REGISTRY = registry.Registry.of(
    (TOY,),
    (
        Figure("hmhs.toy", "hmhs.toy", plot, "Time against *jobs*.", lambda frame: f"Two lines over {len(frame)} rows."),
        Figure("hmhs.toy-table", "hmhs.toy", None, "Times.", "A table of times."),
    ),
    (
        Sentence("hmhs.twice", "Section 1", "slow takes twice as long", "value", "2.0", "times", "hmhs.toy", speedup),
        Sentence("hmhs.big", "Section 2", "it scales to a warehouse", "words", cause="no warehouse here"),
    ),
)  # fmt: skip


def install():
    """Make the toys the registry of this process: what a toy notebook does first."""
    registry.load = lambda: REGISTRY
