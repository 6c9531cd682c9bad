"""Section 7's experiment on real processes: Eagle and Hawk on the Google sample, at several loads.

The measurements go into one file beside the figures, `FILE`; the exhibit `eagle.prototype` draws it. Its
times differ from run to run, so the file need not have the same bytes again.
"""

import itertools
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from schedlib import paths
from schedlib.eagle.workloads.samples import SAMPLE_JOBS, SAMPLE_NODES, google_sample
from schedlib.prototype.measure import run
from schedlib.prototype.results import Measurement

FILE = "figures/eagle/prototype.measured.csv"
RATIOS = (0.6, 1.2, 2.0)
REPEATS = 1
NODES = SAMPLE_NODES
JOBS = SAMPLE_JOBS
COMPRESS = 16.0  # half of all tasks then last 17 ms or more
START = 8  # s in which processes start, and queues run empty
SYSTEMS = ("eagle", "hawk")
COUNTS = (
    "probes",
    "rejections",
    "requests",
    "vain",
    "dropped",
    "steal_attempts",
    "steals",
    "stolen",
    "placements",
    "ran_behind_long",
    "messages",
    "updates",
    "frames",
    "failed",
)
KEY = ["interarrival", "system", "repeat", "nodes", "jobs", "compress"]
"""The columns that name a measured run."""


def rows(done: Measurement, key: dict) -> pd.DataFrame:
    """A run as rows: a percentile of a class each, with counts, delays (ms) and seconds of processors.

    Times are in ms of the workload, as in the paper; completion times in s. `busy` is the share of the nodes
    that had a task from the first submission to the last.
    """
    times = done.percentiles()
    measured = {
        "class": times["long"].map({True: "long", False: "short"}),
        "percentile": times["percentile"],
        "completion": (times["completion"] / 1000).round(6),
    }
    delays = {kind: round(done.delay(kind), 3) for kind in done.delays["kind"]}
    stats = {name: int(done.stats[name]) for name in COUNTS}
    busy = round(done.stats["utilisation"], 4)
    late = round(done.stats["late"], 3)
    cpu = round(done.stats["cpu"], 2)
    return pd.DataFrame(
        {**key, **measured, "busy": busy, **stats, **delays, "late": late, "cpu": cpu}
    )


def measure(
    file: Path,
    ratios: Sequence[float] = RATIOS,
    repeats: int = REPEATS,
    hosts: Sequence[str] | None = None,
    burn: bool = False,
) -> pd.DataFrame:
    """Measure what the file does not hold yet; each run is written when done.

    A run ends when every task has begun: those that still run would only sleep, and have their planned ends.
    `hosts` and `burn` are as in `run`; the file does not record them.
    """
    from tqdm import tqdm

    blocks = [pd.read_csv(file)] if file.exists() else []
    measured: set[tuple] = set()
    for block in blocks:
        measured.update(block[KEY].itertuples(index=False, name=None))
    samples = {ratio: google_sample(ratio, 0, JOBS, NODES) for ratio in ratios}
    cases = [
        (ratio, system, repeat, NODES, JOBS, COMPRESS)
        for repeat, ratio, system in itertools.product(range(repeats), ratios, SYSTEMS)
    ]
    left = [case for case in cases if case not in measured]
    if not left:
        print(f"{file} has these runs already; --out FILE measures again", file=sys.stderr)
        return blocks[0]
    span = sum(samples[ratio].jobs["submit"].max() for ratio, *_ in left)
    minutes = (span / 1000 / COMPRESS + START * len(left)) / 60
    print(f"{len(left)} of {len(cases)} runs are left: about {minutes:.0f} min", file=sys.stderr)
    for case in tqdm(left, unit="run", file=sys.stderr):
        ratio, system, repeat, *_ = case
        done = run(
            samples[ratio],
            system,
            NODES,
            compress=COMPRESS,
            sleep_out=burn,
            seed=repeat,
            hosts=hosts,
            burn=burn,
            progress=sys.stderr.isatty(),
        )
        key = dict(zip(KEY, case, strict=True))
        for note in done.notes.itertuples():
            tqdm.write(f"{key}: {note.process}: {note.what}", file=sys.stderr)
        blocks.append(rows(done, key))
        table = pd.concat(blocks, ignore_index=True)
        table = table.sort_values(KEY, kind="stable", ignore_index=True)
        paths.write_whole(file, table.to_csv(index=False, lineterminator="\n"))
    return table
