"""Speed of HMHS's schedulers and bounds."""

from bench_core import seconds
from schedlib.hmhs.bound import bounds
from schedlib.hmhs.priced import priced
from schedlib.hmhs.schedule import schedule
from schedlib.hmhs.workloads import single


def bench() -> list[dict]:
    """Rows of name, value, unit and note, on the single workload; kernels are compiled before."""
    rows = []

    def row(name, value, note=""):
        rows.append({"name": name, "value": float(f"{value:.3g}"), "unit": "s", "note": note})

    for jobs, repeats in ((10_000, 3), (1_000, 5)):
        instance = single(jobs, seed=1)
        both = f"{int(instance.map_tasks.sum() + instance.reduce_tasks.sum()):,} tasks, both stages"
        row(f"hmhs, {jobs:,} jobs", seconds(lambda i=instance: schedule(i, "hmhs"), repeats), both)
    row("fifo, 1,000 jobs", seconds(lambda: schedule(instance, "fifo")), both)

    small = instance.head(400)
    known = bounds(small)
    row(
        "lower bound, 400 jobs",
        seconds(lambda: bounds(small), 3),
        "two linear programs of 40,001 columns",
    )
    row(
        "priced, 400 jobs",
        seconds(lambda: priced(small, known), 3),
        "seven plans; prices known already",
    )
    return rows
