"""The paper's two examples of fragmentation: jobs that the pooled machines could run, and the real ones
cannot."""

import pandas as pd

from schedlib.exhibits.lotes.judging import claim
from schedlib.experiment import Experiment, Figure, scales
from schedlib.lotes.model import JobClasses, MachineConfigs
from schedlib.lotes.planning.plan import plan

PLACE = 2


def fragmentation(seed: int) -> pd.DataFrame:
    """Jobs of size 3 on two sets of machines: the rates `pooled` (stage 1) and `placed` (stage 2)."""
    classes, rows = JobClasses([1.0], [[3.0]], [[1.0]]), []
    for machines, size in ((30, 8.0), (2, 5.0)):
        made = plan(MachineConfigs([[size]], [machines]), classes)
        rows.append({"machines": machines, "size": size, "pooled": made.allocation.rate, "placed": made.rate})
    return pd.DataFrame(rows)


EXPERIMENTS = (
    Experiment(
        "lotes.fragmentation", "Eighty jobs fit the pool, sixty the machines", fragmentation,
        scales([{}]), scales(1),
    ),
)  # fmt: skip
FIGURES = (
    Figure(
        "lotes.fragmentation", "lotes.fragmentation", None,
        "The paper's two examples of fragmentation: jobs of size 3 and rate 1. What pooled machines could "
        "run, and what real ones can.",
        "Table: 30 machines of size 8 run 80 jobs pooled and 60 placed; 2 machines of size 5 run 10/3 pooled "
        "and 2 placed.",
    ),
)  # fmt: skip


def _rate(column, row):
    return lambda frame: frame[column][row : row + 1]


CLAIMS = tuple(
    claim(
        name, f"Section {section}", text, "lotes.fragmentation", _rate(name.partition("-")[0], row), value,
        check="value", tolerance=1e-6, metric=f"lambda of stage {stage}", unit=unit,
    )
    for name, section, text, row, value, stage, unit in (
        ("pooled", "2", "Thirty machines of 8 cores, pooled, run 80 jobs of 3 cores", 0, 80.0, 1, "jobs"),
        ("placed", "2", "On real machines only 60 of them run at once", 0, 60.0, 2, "jobs"),
        ("pooled-rate", "4.1",
         "Two machines of capacity five, pooled, sustain 10/3 jobs of three units a minute",
         1, 10 / 3, 1, "jobs/min"),
        ("placed-rate", "4.1", "The real machines sustain two", 1, 2.0, 2, "jobs/min"),
    )
)  # fmt: skip
