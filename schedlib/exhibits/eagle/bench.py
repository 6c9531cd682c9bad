"""Speed of the simulator: Google's size, events a second against the event queue alone, and every system against Eagle."""

import resource
import time

from schedlib.core.bench import bench as floor
from schedlib.eagle.simulating.simulate import simulate
from schedlib.eagle.systems import SYSTEMS
from schedlib.eagle.workloads.synthetic import CUTOFF, PARTITION, WORKERS, google


def timed(workload, system, workers: int, **options):
    """Seconds and statistics of one run with Google's cut-off and short partition.

    >>> seconds, stats = timed(google(jobs=200, scale=0.02), "eagle", 300)
    >>> seconds > 0, stats["jobs"]
    (True, 200)
    """
    begin = time.perf_counter()
    run = simulate(workload, system, workers, short_partition=PARTITION["google"], cutoff=CUTOFF["google"], **options)
    return time.perf_counter() - begin, run.stats


def bench() -> list[dict]:
    """Rows of name, value, unit and note; the Google-like workload of the paper's size on 15,000 workers, one run of each system."""
    workload, workers = google(), WORKERS["google"][0]
    runs = {name: timed(workload, name, workers) for name in SYSTEMS}
    alone = floor()[0]["value"]
    rows = []
    for name in ("eagle", "hawk"):
        seconds, stats = runs[name]
        note = f"{stats['jobs']:,} jobs, {stats['tasks'] / 1e6:.1f} million tasks, {stats['events'] / 1e6:.0f} million events; asked: 30"
        rows.append({"name": f"{name}, Google's size", "value": round(seconds, 1), "unit": "s", "note": note})
        rate = stats["events"] / seconds / 1e6
        note = f"{rate:.1f} against {alone} million/s; asked: 0.3"
        rows.append({"name": f"{name}, events", "value": round(rate / alone, 2), "unit": "of the floor", "note": note})
    for name in list(SYSTEMS)[1:]:
        ratio = runs[name][0] / runs["eagle"][0]
        rows.append({"name": f"{name}, time", "value": round(ratio, 2), "unit": "x Eagle's", "note": "the same workload; asked: at most 5"})
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # KiB on Linux
    rows.append({"name": "memory", "value": round(peak), "unit": "MiB", "note": "of the whole process at its peak; asked: 2,048"})
    return rows
