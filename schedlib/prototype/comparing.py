"""The prototype against the simulator on the same trace, with the delays that were measured fed back."""

import warnings

import pandas as pd

from schedlib.core.checks import typed
from schedlib.eagle.simulating.results import Simulation
from schedlib.eagle.simulating.simulate import simulate
from schedlib.prototype.results import Measurement
from schedlib.workload import Workload

PERCENTILES = (50, 90, 99)
COUNTED = (
    "probes",
    "rejections",
    "requests",
    "vain",
    "dropped",
    "steals",
    "stolen",
    "ran_behind_long",
    "messages",
)


def as_it_was(done: Measurement) -> Workload:
    """The jobs that were completed, submitted when they really were, with tasks that last as they did.

    ValueError when all jobs have failed.
    """
    jobs = done.jobs[~done.jobs["failed"]]
    if jobs.empty:
        raise ValueError("done: all of its jobs have failed; there is nothing to compare")
    frame = jobs[["job", "submit"]].assign(mean=jobs["estimate"])
    frame["class"] = jobs["long"].astype(int)
    frame = frame.sort_values("submit", kind="stable")
    assert done.tasks is not None
    lasted = done.tasks[["job"]].assign(duration=done.tasks["finish"] - done.tasks["start"])
    return Workload(frame, lasted[lasted["job"].isin(frame["job"])], done.time_unit)


def network_delay(done: Measurement) -> float:
    """The mean time of one hop: a task begins a hop and a fetch, of two hops, after its submission."""
    return (done.delay("hop") + done.delay("fetch")) / 3


@typed
def compare(done: Measurement, *, seed: int = 0) -> pd.DataFrame:
    """Completion times and counts of a run beside those of the simulator on the same jobs, a row each.

    Columns: `prototype`; `simulator`, as written with the delay that was measured (`network_delay`); `no
    delay`, the same without any; `published`, as published with the delay, so that durations are cut to whole
    numbers. A job's estimate is what it was before the run, not what its tasks then took. Completion times are in the workload's unit; `seed` is the
    simulator's. Differences that remain come from what the simulator leaves out: a node with many askers
    answers late, the centre hears late of starts and ends, news is on its way, and all processes share the
    machine's processors. Raises ValueError when all jobs have failed. Source: Eagle, Section 7.

    See also: `prototype.run`.

    >>> from schedlib import prototype
    >>> jobs = Workload.from_arrays([0, 0], [2.0, 1.0])
    >>> done = prototype.run(jobs, "sparrow", 3, cutoff=1.5, compress=20, schedulers=1)
    >>> compare(done).columns.tolist()
    ['prototype', 'simulator', 'no delay', 'published']
    """
    jobs = as_it_was(done)
    delay = network_delay(done)
    stats = done.stats
    short_partition = (stats["short_only"] + 0.5) / stats["workers"]

    def simulated(network_delay, detail):
        return simulate(
            jobs,
            done.system,
            int(stats["workers"]),
            short_partition=short_partition,
            seed=seed,
            cutoff=None,
            network_delay=network_delay,
            detail=detail,
        )

    with warnings.catch_warnings():
        # of estimates that were far off and of durations that are cut: both are what this table is to show
        warnings.simplefilter("ignore")
        runs = {
            "prototype": done,
            "simulator": simulated(delay, "as_written"),
            "no delay": simulated(0.0, "as_written"),
            "published": simulated(delay, "as_published"),
        }
    return pd.DataFrame({name: _summary(run) for name, run in runs.items()})


def _summary(run: Simulation) -> pd.Series:
    """The percentiles and the counts of a run."""
    values: dict[str, float] = {}
    for row in run.percentiles(PERCENTILES).itertuples():
        values[f"{'long' if row.long else 'short'} jobs, {row.percentile} %"] = row.completion
    for name in COUNTED:
        values[name.replace("_", " ")] = float(run.stats[name])
    return pd.Series(values)
