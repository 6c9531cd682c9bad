"""Speed of the simulator at Google's size, against the event queue alone; systems against Eagle."""

import resource
import time
from collections.abc import Mapping

from bench_core import bench as floor
from schedlib.eagle.simulating.simulate import simulate
from schedlib.eagle.systems import SYSTEMS
from schedlib.eagle.workloads.synthetic import CUTOFF, PARTITION, WORKERS, google


def timed(workload, system, workers: int) -> tuple[float, Mapping]:
    """Seconds and statistics of one run with Google's cut-off and short partition.

    >>> seconds, stats = timed(google(jobs=200, scale=0.02), "eagle", 300)
    >>> seconds > 0, stats["jobs"]
    (True, 200)
    """
    begin = time.perf_counter()
    run = simulate(
        workload, system, workers, short_partition=PARTITION["google"], cutoff=CUTOFF["google"]
    )
    return time.perf_counter() - begin, run.stats


def bench() -> list[dict]:
    """Rows of name, value, unit and note: one run of each system on the Google-like workload, full size."""
    small = google(jobs=200, scale=0.02)
    for name in SYSTEMS:  # their kernels compile now, not while they are timed
        timed(small, name, 300)
    workload, workers = google(), WORKERS["google"][0]
    runs = {name: timed(workload, name, workers) for name in SYSTEMS}
    alone, rows = floor()[0]["value"], []
    for name in ("eagle", "hawk"):
        seconds, stats = runs[name]
        counts = f"{stats['jobs']:,} jobs, {stats['tasks'] / 1e6:.1f} million tasks"
        rate, events = (
            stats["events"] / seconds / 1e6,
            f"{stats['events'] / 1e6:.0f} million events",
        )
        rows.append(
            (f"{name}, Google's size", round(seconds, 1), "s", f"{counts}, {events}; asked: 30")
        )
        note = f"{rate:.1f} against {alone} million/s; asked: 0.3"
        rows.append((f"{name}, events", round(rate / alone, 2), "of the floor", note))
    for name in list(SYSTEMS)[1:]:
        ratio = round(runs[name][0] / runs["eagle"][0], 2)
        rows.append((f"{name}, time", ratio, "x Eagle's", "the same workload; asked: at most 5"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # KiB on Linux
    rows.append(("memory", round(peak), "MiB", "of the whole process at its peak; asked: 2,048"))
    return [dict(zip(("name", "value", "unit", "note"), row, strict=True)) for row in rows]
