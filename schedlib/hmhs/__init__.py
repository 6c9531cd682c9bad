"""HMHS: batches of MapReduce jobs on two pools of heterogeneous machines, smallest makespan.

Chen, Shen, Chen, Guo, "HMHS: Hybrid Multistage Heuristic Scheduling Algorithm for Heterogeneous MapReduce
System".
"""

from schedlib.hmhs.bound import bounds, lower_bound, optimum
from schedlib.hmhs.johnson import johnson, priority, total_times
from schedlib.hmhs.list_scheduling import rule
from schedlib.hmhs.model import Instance, Schedule
from schedlib.hmhs.policies import POLICIES, Policy
from schedlib.hmhs.schedule import schedule, warm
from schedlib.hmhs.workloads import CLUSTERS, from_trace, hybrid, single, swim_jobs

__all__ = ["CLUSTERS", "POLICIES", "Instance", "Policy", "Schedule", "bounds", "from_trace", "hybrid",
           "johnson", "lower_bound", "optimum", "priority", "rule", "schedule", "single", "swim_jobs",
           "total_times", "warm"]
