"""Random small clusters and jobs for the tests of Eagle and its rivals, and the library's answer beside
`plain`'s."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import eagle_program as program
from schedlib import eagle
from schedlib.eagle import plain, plain_rivals
from schedlib.workload import Workload

DETAILS = ("as_published", "as_submitted", "as_written")

# what the library calls it, and the class that is made of `plain`'s
SYSTEMS = {
    "eagle": ("eagle", plain.Eagle),
    "eagle without sss": (eagle.Eagle(sss=False), program.EagleWithoutSSS),
    "eagle without sss, updates": (
        replace(eagle.Eagle(sss=False), updates=False),
        program.EagleWithoutSSSUpdates,
    ),
    "eagle without sbp": (eagle.Eagle(sbp=False), program.EagleWithoutSBP),
    "eagle without srpt": (eagle.Eagle(srpt=False), program.EagleWithoutSRPT),
    "eagle without sbp, srpt": (eagle.Eagle(sbp=False, srpt=False), program.EagleWithoutSBPAndSRPT),
    "eagle without minimum": (eagle.Eagle(min_probes=0), program.EagleWithoutMinimum),
    "eagle by old vectors": (replace(eagle.Eagle(), short_jobs="old-sss"), program.OldVectors),
    "hawk": ("hawk", plain_rivals.Hawk),
    "hawk, any thief": (eagle.Hawk(thieves="any"), program.AnyThief),
    "hawk, general thieves": (eagle.Hawk(thieves="general"), program.GeneralThieves),
    "hawk without stealing": (eagle.Hawk(steal=False), plain.Hybrid),
    "sparrow": ("sparrow", plain_rivals.Sparrow),
    "dlwl": ("dlwl", plain_rivals.DLWL),
    "dlwl without srpt": (replace(eagle.DLWL(), queue="fifo"), plain_rivals.OldNews),
    "omniscient": ("omniscient", plain_rivals.Omniscient),
    "omniscient with srpt": (
        replace(eagle.Omniscient(), queue="srpt-tasks"),
        program.OmniscientWithSRPT,
    ),
    "ideal-eagle": ("ideal-eagle", program.IdealEagle),
    "probes for all, srpt": (
        eagle.System("mixed", long_jobs="probes", queue="srpt", sticky=True),
        program.MixedSRPT,
    ),
}


@dataclass
class Case:
    """Jobs and a cluster."""

    submit: list
    durations: list
    workers: int
    short_only: int
    cutoff: float
    hop: float

    @property
    def means(self):
        """In 64ths of a second, so that sums of estimates have no rounding and a late task's waiting time is
        exactly 0."""
        return [round(64 * sum(d) / len(d)) / 64 for d in self.durations]

    @property
    def workload(self):
        counts, number = [len(d) for d in self.durations], range(len(self.submit))
        jobs = pd.DataFrame({"job": number, "submit": self.submit, "mean": self.means})
        durations = {"job": np.repeat(number, counts), "duration": np.concatenate(self.durations)}
        return Workload(jobs, pd.DataFrame(durations))

    def given(self, **more):
        """The arguments of a simulation."""
        share = (self.short_only + 0.5) / self.workers if self.short_only else 0.0
        return {
            "workload": self.workload,
            "workers": self.workers,
            "short_partition": share,
            "cutoff": self.cutoff,
            "network_delay": self.hop,
        } | more

    def simulate(self, system, **options):
        """The library's answer; as published it cuts many of these durations, and says so."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "detail: as published durations are cut")
            return eagle.simulate(system=system, **self.given(**options))

    def plain(self, variant, detail="as_published", seed=0, **options):
        """The answer of a class that is made of `plain`'s, from the same random numbers."""
        return program.simulate(variant=variant, detail=detail, **self.given(seed=seed, **options))


def case(
    rng, whole, jobs=None, workers=None, short_only=None, most_tasks=8, hop=None, long_share=None
):
    """A cluster of up to a dozen workers, busy with up to forty jobs of which some are long.

    `whole` times are quarters of a second and powers of two, so that sums of them have no rounding and ties
    abound.
    """
    n = jobs or int(rng.integers(1, 40))
    w = workers or int(rng.integers(2, 13))
    short = short_only or int(rng.integers(1, w // 2 + 1))
    counts = rng.integers(1, most_tasks + 1, n)
    if whole:
        counts = 2 ** rng.integers(0, 1 + int(np.log2(most_tasks)), n)
    long = rng.random(n) < (long_share or rng.choice([0.0, 0.15, 0.5]))
    of_short, of_long = [((1, 9), (20, 60)), ((1, 15), (16, 22)), ((0, 15), (16, 200))][
        rng.integers(3)
    ]
    work = (counts * np.where(long, sum(of_long), sum(of_short))).sum() / 2
    spread = rng.choice([0.3, 1.0, 3.0]) * work / w
    submit = rng.random(n) * spread
    draw = rng.uniform
    if whole:
        # equal times would be put 0.01 s apart
        submit = rng.choice(max(4 * int(spread), 4 * n), n, replace=False) / 4
        draw = rng.integers
        hop = rng.choice([2.0**-11, 0.25, 1.0, 0.0]) if hop is None else hop
    durations = []
    for count, is_long in zip(counts, long, strict=True):
        tasks = draw(*(of_long if is_long else of_short), count).astype(float)
        tasks[0] = max(tasks[0], 1.0)  # no job of nothing but zeros
        durations.append(tasks.tolist())
    hop = 0.0005 if hop is None else float(hop)
    made = Case(np.sort(submit).tolist(), durations, w, short, 15.0, hop)
    for least in (15.01, 16):  # above the cut-off as written, and as published
        if len({mean >= least for mean in made.means}) < 2:
            made.cutoff = np.inf  # all are of one class
    return made


@st.composite
def cases(draw):
    return case(np.random.default_rng(draw(st.integers(0, 2**32))), draw(st.booleans()))


LOG = ["time", "event", "worker", "job"]
COUNTS = {
    "probes": "probes",
    "rejections": "reject",
    "behind_long": "behind_long",
    "ran_behind_long": "ran_behind_long",
    "steal_attempts": "steal_attempts",
    "steals": "robbed",
    "stolen": "steal",
    "requests": "ask",
    "vain": "vain",
    "dropped": "drop",
    "placements": "placements",
    "updates": "updates",
    "heartbeats": "heartbeats",
    "longest_queue": "longest_queue",
}
"""Counters of `eagle.Simulation.stats`, and what `plain` calls them."""


def busy_share(busy, low, high, start, end, slots=None):
    """The share of the time from start to end (s) in which workers low to high - 1, or their slots, are busy."""
    room = (high - low if slots is None else sum(slots[low:high])) * (end - start)
    if not room > 0:
        return np.nan
    rows = busy[busy["worker"].between(low, high - 1)]
    spent = np.minimum(rows["end"], end) - np.maximum(rows["begin"], start)
    return spent.clip(lower=0).sum() / room


def agree(run, expected, rtol=0.0, log=False, slots=None):
    """Job by job, task by task, and what both count; with `log` event by event, too."""
    exact = ["long", "estimate", "tasks"]
    same = {"check_dtype": False, "check_exact": True}
    pd.testing.assert_frame_equal(run.jobs[exact], expected.jobs[exact], **same)
    times, tasks = ["submit", "finish"], run.tasks
    for ours, theirs in ((run.jobs[times], expected.jobs[times]), (tasks, expected.tasks)):
        if ours is not None:
            pd.testing.assert_frame_equal(ours, theirs, check_dtype=False, rtol=rtol, atol=0)
    lasted = run.jobs["finish"] - run.jobs["submit"]
    np.testing.assert_allclose(run.jobs["completion"], lasted, rtol=1e-12)
    counted = {name: expected.stats.get(event, 0) for name, event in COUNTS.items()}
    assert {name: run.stats[name] for name in COUNTS} == counted
    low, high = run.stats["short_only"], run.stats["workers"]
    parts = {
        "utilisation": (0, high),
        "utilisation_short": (0, low),
        "utilisation_general": (low, high),
    }
    span = run.jobs["submit"].min(), run.jobs["submit"].max()
    for name, workers in parts.items():
        share = busy_share(expected.busy, *workers, *span, slots)
        np.testing.assert_allclose(run.stats[name], share, rtol=1e-9, atol=1e-12)
    assert run.stats["makespan"] == run.jobs["finish"].max()
    if log:
        ours, theirs = (
            one.log.round({"time": 7}).sort_values(LOG, ignore_index=True)[LOG]
            for one in (run, expected)
        )
        pd.testing.assert_frame_equal(ours, theirs)
