"""HMHS: batches of MapReduce jobs on two pools of heterogeneous machines, smallest makespan.

Chen, Shen, Chen, Guo, "HMHS: Hybrid Multistage Heuristic Scheduling Algorithm for Heterogeneous MapReduce
System".

Read `plain.py` first: it is the paper's text in plain Python, and all else here makes the same decisions fast
or goes beyond the paper.
"""

from schedlib.hmhs import plain as plain
from schedlib.hmhs.arrivals import SHARING, Arrivals, Served, arriving, serve
from schedlib.hmhs.bound import bounds, lower_bound, optimum
from schedlib.hmhs.johnson import johnson, priority, total_times
from schedlib.hmhs.list_scheduling import (
    Waiting as Waiting,
)  # `help` of it is long: not in `__all__`
from schedlib.hmhs.list_scheduling import rule
from schedlib.hmhs.model import Instance, Schedule
from schedlib.hmhs.policies import POLICIES, Policy
from schedlib.hmhs.schedule import schedule, warm
from schedlib.hmhs.workloads import CLUSTERS, from_trace, hybrid, single, swim_jobs

__all__ = [
    "CLUSTERS",
    "POLICIES",
    "SHARING",
    "Arrivals",
    "Instance",
    "Policy",
    "Schedule",
    "Served",
    "arriving",
    "bounds",
    "from_trace",
    "hybrid",
    "johnson",
    "lower_bound",
    "optimum",
    "priority",
    "rule",
    "schedule",
    "serve",
    "single",
    "swim_jobs",
    "total_times",
    "warm",
]
