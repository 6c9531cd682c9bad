"""Eagle and its rivals: short jobs beside long ones (Delgado, Didona, Dinu and Zwaenepoel, SoCC 2016).

Read `plain.py` first: the paper's text in plain Python, which the fast code here agrees with.
"""

from schedlib.eagle import plain as plain
from schedlib.eagle import plain_rivals as plain_rivals
from schedlib.eagle.detail import Detail
from schedlib.eagle.simulating.results import Simulation
from schedlib.eagle.simulating.simulate import simulate
from schedlib.eagle.systems import (
    DLWL,
    SYSTEMS,
    Eagle,
    Hawk,
    IdealEagle,
    Omniscient,
    Place,
    Sparrow,
    System,
    remaining_work,
)
from schedlib.eagle.systems import (
    SystemView as SystemView,  # `help` of it is long: not in `__all__`
)
from schedlib.eagle.workloads.measures import (
    cutoff_for,
    job_means,
    offered_load,
    short_share,
    table1,
)
from schedlib.eagle.workloads.samples import alibaba, four_nodes, google_sample
from schedlib.eagle.workloads.synthetic import (
    CUTOFF,
    HEARTBEAT,
    JOBS,
    LONG_SHARE,
    PARTITION,
    WORKERS,
    cloudera,
    google,
    yahoo,
)

__all__ = [
    "CUTOFF",
    "DLWL",
    "Detail",
    "HEARTBEAT",
    "JOBS",
    "LONG_SHARE",
    "PARTITION",
    "SYSTEMS",
    "WORKERS",
    "Eagle",
    "Hawk",
    "IdealEagle",
    "Omniscient",
    "Place",
    "Simulation",
    "Sparrow",
    "System",
    "alibaba",
    "cloudera",
    "cutoff_for",
    "four_nodes",
    "google",
    "google_sample",
    "job_means",
    "offered_load",
    "remaining_work",
    "short_share",
    "simulate",
    "table1",
    "yahoo",
]
