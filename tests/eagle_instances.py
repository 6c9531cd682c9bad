"""Random small clusters and jobs for the tests of Eagle and its rivals, and the library's answer beside the
literal one's."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import eagle_literal as literal
from schedlib import eagle
from schedlib.core import streams
from schedlib.workload import Workload

DETAILS = ("as_published", "as_submitted", "as_written")

# what the library calls it, and what the literal transcription does
SYSTEMS = {
    "eagle": ("eagle", literal.SYSTEMS["eagle"]),
    "eagle without sss": (eagle.Eagle(sss=False), literal.eagle(sss=False)),
    "eagle without sss, updates": (
        eagle.Eagle(sss=False, updates=False),
        literal.eagle(sss=False, updates=False),
    ),
    "eagle without sbp": (eagle.Eagle(sbp=False), literal.eagle(sbp=False)),
    "eagle without srpt": (eagle.Eagle(srpt=False), literal.eagle(srpt=False)),
    "eagle without sbp, srpt": (
        eagle.Eagle(sbp=False, srpt=False),
        literal.eagle(sbp=False, srpt=False),
    ),
    "eagle without minimum": (eagle.Eagle(min_probes=0), literal.eagle(min_probes=0)),
    "eagle, updates halved": (eagle.Eagle(updates="halved"), literal.eagle(updates="halved")),
    "eagle by old vectors": (
        replace(eagle.Eagle(), short_jobs="old-sss"),
        replace(literal.eagle(), short_jobs="old-sss"),
    ),
    "hawk": ("hawk", literal.SYSTEMS["hawk"]),
    "hawk, any thief": (
        eagle.Hawk(thieves="any"),
        literal.Parts("probes", steal=True, thieves="any"),
    ),
    "hawk, general thieves": (
        eagle.Hawk(thieves="general"),
        literal.Parts("probes", steal=True, thieves="general"),
    ),
    "hawk without stealing": (eagle.Hawk(steal=False), literal.Parts("probes")),
    "sparrow": ("sparrow", literal.SYSTEMS["sparrow"]),
    "dlwl": ("dlwl", literal.SYSTEMS["dlwl"]),
    "dlwl without srpt": (eagle.DLWL(srpt=False), literal.Parts("stale-lwl", "stale-lwl")),
    "omniscient": ("omniscient", literal.SYSTEMS["omniscient"]),
    "omniscient with srpt": (eagle.Omniscient(srpt=True), literal.SYSTEMS["omniscient srpt"]),
    "ideal-eagle": ("ideal-eagle", literal.SYSTEMS["ideal-eagle"]),
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
        return Workload(
            jobs,
            pd.DataFrame(
                {"job": np.repeat(number, counts), "duration": np.concatenate(self.durations)}
            ),
        )

    def options(self, **more):
        return {"cutoff": self.cutoff, "network_delay": self.hop} | more

    def simulate(self, system, seed=0, **options):
        """The library's answer."""
        part = (self.short_only + 0.5) / self.workers if self.short_only else 0.0
        return eagle.simulate(
            self.workload,
            system,
            self.workers,
            short_partition=part,
            seed=seed,
            **self.options(**options),
        )

    def literal(self, parts, seed=0, **options):
        """The literal answer, from the same random numbers."""
        rng = streams(seed, "choices")[0]
        more = self.options(means=self.means, **options)
        return literal.Literal(
            self.submit,
            self.durations,
            parts,
            self.workers,
            short_only=self.short_only,
            rng=rng,
            **more,
        ).run()


def case(
    rng, whole, jobs=None, workers=None, short_only=None, most_tasks=8, hop=None, long_share=None
):
    """A cluster of up to a dozen workers, busy with up to forty jobs of which some are long.

    `whole` times are quarters of a second and powers of two, so that sums of them have no rounding and ties
    abound.
    """
    n = int(rng.integers(1, 40)) if jobs is None else jobs
    w = int(rng.integers(2, 13)) if workers is None else workers
    short = int(rng.integers(1, max(2, w // 2 + 1))) if short_only is None else short_only
    counts = (
        2 ** rng.integers(0, 1 + int(np.log2(most_tasks)), n)
        if whole
        else rng.integers(1, most_tasks + 1, n)
    )
    long = rng.random(n) < (rng.choice([0.0, 0.15, 0.5]) if long_share is None else long_share)
    of_short, of_long = [((1, 9), (20, 60)), ((1, 15), (16, 22)), ((0, 15), (16, 200))][
        rng.integers(3)
    ]
    spread = (
        rng.choice([0.3, 1.0, 3.0])
        * (counts * np.where(long, sum(of_long), sum(of_short))).sum()
        / 2
        / w
    )
    if whole:
        submit = (
            np.sort(rng.choice(max(4 * int(spread), 4 * n), n, replace=False)) / 4
        )  # equal times would be put 0.01 s apart
        durations = [
            rng.integers(*(of_long if l else of_short), c).astype(float)
            for c, l in zip(counts, long, strict=True)
        ]
    else:
        submit = np.sort(rng.random(n)) * spread
        durations = [
            rng.uniform(*of_long, c) if l else rng.exponential(5, c) + 1
            for c, l in zip(counts, long, strict=True)
        ]
    for tasks in durations:
        tasks[0] = max(tasks[0], 1.0)  # no job of nothing but zeros
    if hop is None:
        hop = float(rng.choice([2.0**-11, 0.25, 1.0, 0.0])) if whole else 0.0005
    made = Case(submit.tolist(), [d.tolist() for d in durations], w, short, 15.0, hop)
    if any(
        len({mean >= least for mean in made.means}) < 2 for least in (15.01, 16)
    ):  # in one of the details all are of one class
        made.cutoff = np.inf
    return made


@st.composite
def cases(draw, whole=None, **fixed):
    whole = draw(st.booleans()) if whole is None else whole
    return case(np.random.default_rng(draw(st.integers(0, 2**32))), whole, **fixed)


def agree(run, expected, rtol=0.0):
    """Job by job, and what both count."""
    frame = run.jobs
    finish = np.array(expected.finish())
    np.testing.assert_allclose(frame["finish"], finish, rtol=rtol, atol=0, err_msg="finish")
    np.testing.assert_allclose(
        frame["submit"], [job.submit for job in expected.jobs], rtol=rtol, atol=0, err_msg="submit"
    )
    np.testing.assert_allclose(frame["completion"], frame["finish"] - frame["submit"], rtol=1e-12)
    np.testing.assert_array_equal(
        frame["long"], [job.long for job in expected.jobs], err_msg="long"
    )
    np.testing.assert_array_equal(
        frame["estimate"], [job.estimate for job in expected.jobs], err_msg="estimate"
    )
    different = {
        name: (run.stats[name], count)
        for name, count in expected.stats.items()
        if run.stats[name] != count
    }
    assert not different
    shares = [run.stats[f"utilisation{part}"] for part in ("_short", "_general", "")]
    np.testing.assert_allclose(
        shares, expected.utilisation(), rtol=1e-9, atol=1e-12, err_msg="utilisation"
    )
    assert run.stats["makespan"] == frame["finish"].max()
    if run.tasks is not None:
        columns = ["job", "task", "worker", "queued", "asked", "start", "finish"]
        theirs = pd.DataFrame(expected.tasks, columns=columns).sort_values(
            ["job", "task"], ignore_index=True
        )
        ours = run.tasks[columns].sort_values(["job", "task"], ignore_index=True)
        np.testing.assert_allclose(
            ours.to_numpy(float), theirs.to_numpy(float), rtol=rtol, atol=0, err_msg="tasks"
        )
