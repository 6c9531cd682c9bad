"""Speed of the simulator at Google's size, against the event queue alone; systems against Eagle."""

import resource
import time

from bench_core import bench as floor
from bench_core import row
from schedlib.eagle.simulating.simulate import simulate
from schedlib.eagle.systems import SYSTEMS
from schedlib.eagle.workloads.synthetic import CUTOFF, PARTITION, WORKERS, google


def timed(workload, system, workers):
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


def bench():
    """Rows of name, value, unit and note: one run of each system on the Google-like workload, full size."""
    rows = []
    small = google(jobs=200, scale=0.02)
    for name in SYSTEMS:  # their kernels compile now, not while they are timed
        timed(small, name, 300)
    workload, workers = google(), WORKERS["google"][0]
    least = None
    for name in SYSTEMS:
        alone = floor()[0]["value"]  # beside each system: the machine's pace wanders within minutes
        seconds, stats = timed(workload, name, workers)
        least = least or seconds  # Eagle's, the first
        counts = f"{stats['jobs']:,} jobs, {stats['events'] / 1e6:.0f} million events"
        rows.append(row(f"{name}, Google's size", seconds, "s", f"{counts}; asked of Eagle: 30"))
        rate = stats["events"] / seconds / 1e6
        note = f"{rate:.1f} against {alone} million/s; asked of Eagle: 0.3"
        rows.append(row(f"{name}, events", rate / alone, "of the floor", note))
        asked = "the same workload; asked: at most 5"
        rows.append(row(f"{name}, time", seconds / least, "x Eagle's", asked))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # KiB on Linux
    return [*rows, row("memory", peak, "MiB", "of the whole process at its peak; asked: 2,048")]
