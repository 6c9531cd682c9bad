"""Speed of HMHS's schedulers and bounds."""

from bench_core import row, seconds
from schedlib.hmhs.bound import bounds
from schedlib.hmhs.priced import priced
from schedlib.hmhs.schedule import schedule
from schedlib.hmhs.workloads import single


def bench():
    """Rows of name, value, unit and note, on the single workload; kernels are compiled before."""
    rows = []
    for jobs, repeats in ((10_000, 3), (1_000, 5)):
        instance = single(jobs, seed=1)
        both = f"{int(instance.map_tasks.sum() + instance.reduce_tasks.sum()):,} tasks, both stages"
        took = seconds(lambda i=instance: schedule(i, "hmhs"), repeats)
        rows.append(row(f"hmhs, {jobs:,} jobs", took, "s", both))
    fifo = seconds(lambda: schedule(instance, "fifo"))
    small = instance.head(400)
    known = bounds(small)
    bound = seconds(lambda: bounds(small), 3)
    plans = seconds(lambda: priced(small, known), 3)
    return [
        *rows,
        row("fifo, 1,000 jobs", fifo, "s", both),
        row("lower bound, 400 jobs", bound, "s", "two linear programs of 40,001 columns"),
        row("priced, 400 jobs", plans, "s", "seven plans; prices known already"),
    ]
