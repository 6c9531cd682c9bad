"""Section 7's experiment on real processes: Eagle and Hawk on the Google sample, at several loads.

What is measured goes into one file beside the figures, `FILE`; the exhibit `eagle.prototype` draws it. Its
times never repeat, so it is no part of what must be the same bytes.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from schedlib import paths
from schedlib.eagle.workloads.samples import SAMPLE_JOBS, SAMPLE_NODES, google_sample
from schedlib.prototype.measure import run
from schedlib.prototype.results import Measurement
from schedlib.workload import Workload

FILE = "figures/eagle/prototype.measured.csv"
RATIOS = (0.6, 1.2, 2.0)
REPEATS = 1
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
"""What a measured run is known by."""


def workload(interarrival: float, jobs: int = SAMPLE_JOBS, nodes: int = SAMPLE_NODES) -> Workload:
    """The jobs of the experiment, the same in every repeat."""
    return google_sample(interarrival, 0, jobs, nodes)


def rows(done: Measurement, key: dict) -> pd.DataFrame:
    """A run as rows: a percentile of a class each, with counts, delays (ms) and seconds of processors.

    Times are in ms of the workload, as in the paper; completion times in s. `busy` is the share of the nodes
    that had a task from the first submission to the last.
    """
    times = done.percentiles()
    told = {
        "class": times["long"].map({True: "long", False: "short"}),
        "percentile": times["percentile"],
        "completion": (times["completion"] / 1000).round(6),
    }
    delays = {kind: round(done.delay(kind), 3) for kind in done.delays["kind"]}
    stats = {name: int(done.stats[name]) for name in COUNTS}
    return pd.DataFrame(
        key
        | told
        | {"busy": round(done.stats["utilisation"], 4)}
        | stats
        | delays
        | {"late": round(done.stats["late"], 3), "cpu": round(done.stats["cpu"], 2)}
    )


def measure(
    file: Path,
    ratios: Sequence[float] = RATIOS,
    repeats: int = REPEATS,
    nodes: int = SAMPLE_NODES,
    jobs: int = SAMPLE_JOBS,
    compress: float = COMPRESS,
    hosts: Sequence[str] | None = None,
    burn: bool = False,
) -> pd.DataFrame:
    """Measure what the file does not hold yet; each run is written when done.

    A run ends when every task has begun: those that still run would only sleep, and have their planned ends.
    `hosts` and `burn` are as in `run`; the file does not say them.
    """
    from tqdm import tqdm

    known = pd.read_csv(file) if file.exists() else pd.DataFrame(columns=KEY)
    keys: list[dict] = [
        dict(zip(KEY, (ratio, system, repeat, nodes, jobs, compress), strict=True))
        for repeat in range(repeats)
        for ratio in ratios
        for system in SYSTEMS
    ]
    left = [
        key for key in keys if known.empty or not (known[KEY] == pd.Series(key)).all(axis=1).any()
    ]
    if not left:
        print(f"{file} has these runs already; --out FILE measures again", file=sys.stderr)
        return known
    spans = (workload(key["interarrival"], jobs, nodes).jobs["submit"].max() for key in left)
    minutes = (sum(spans) / 1000 / compress + START * len(left)) / 60
    print(f"{len(left)} of {len(keys)} runs are left: about {minutes:.0f} min", file=sys.stderr)
    for key in tqdm(left, unit="run", file=sys.stderr):
        done = run(
            workload(key["interarrival"], jobs, nodes),
            key["system"],
            nodes,
            compress=compress,
            sleep_out=burn,
            seed=key["repeat"],
            hosts=hosts,
            burn=burn,
            progress=sys.stderr.isatty(),
        )
        for note in done.notes.itertuples():
            tqdm.write(f"{key}: {note.process}: {note.what}", file=sys.stderr)
        known = pd.concat(
            [known, rows(done, key)] if len(known) else [rows(done, key)], ignore_index=True
        )
        known = known.sort_values(KEY, kind="stable", ignore_index=True)
        paths.write_whole(file, known.to_csv(index=False, lineterminator="\n"))
    return known
