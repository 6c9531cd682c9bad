"""LoTES: multi-stage resource-aware scheduling for data centres with heterogeneous servers.

Read `plain.py` first: the paper's three stages in plain Python, which the other files repeat faster.

Papers: Tran, Padmanabhan, Zhang, Li, Down, Beck, two versions of "Multi-Stage Resource-Aware Scheduling for
Data Centers with Heterogeneous Servers". Sections, figures and tables are cited as the extended version numbers
them.
"""

from schedlib.lotes import plain as plain
from schedlib.lotes.capacity import Capacity, capacity
from schedlib.lotes.model import (
    FIT,
    Allocation,
    JobClasses,
    MachineConfigs,
    Plan,
    check,
    fits,
    scaled,
)
from schedlib.lotes.planning.allocate import allocate, scarcity
from schedlib.lotes.planning.bins import algorithm1, count_bins, defects, non_dominated_bins
from schedlib.lotes.planning.generation import GeneratedPlan, generate_plan
from schedlib.lotes.planning.plan import plan
from schedlib.lotes.policies import OPTIONS
from schedlib.lotes.policies.own import Cluster as Cluster  # `help` of it is long: not in `__all__`
from schedlib.lotes.policies.own import Policy, can_start, first_fit, remaining, room_at
from schedlib.lotes.replan import Past as Past  # the same
from schedlib.lotes.replan import Replan
from schedlib.lotes.simulate import simulate
from schedlib.lotes.simulation import Simulation
from schedlib.lotes.workloads.alibaba import alibaba_hour, alibaba_instances, offered_load
from schedlib.lotes.workloads.example import six_jobs
from schedlib.lotes.workloads.instances import RandomInstance as RandomInstance  # the same
from schedlib.lotes.workloads.instances import (
    RandomWorkload,
    fewer_machines,
    google2011,
    random_instance,
)
from schedlib.lotes.workloads.kmeans import class_counts, cluster_jobs
from schedlib.lotes.workloads.month import GOOGLE_ARRIVALS, ArrivalModel, core_load, google_month
from schedlib.lotes.workloads.month import google_times as google_times

__all__ = [
    "FIT",
    "GOOGLE_ARRIVALS",
    "Allocation",
    "ArrivalModel",
    "GeneratedPlan",
    "JobClasses",
    "MachineConfigs",
    "Plan",
    "algorithm1",
    "alibaba_hour",
    "alibaba_instances",
    "allocate",
    "check",
    "Capacity",
    "capacity",
    "first_fit",
    "remaining",
    "room_at",
    "class_counts",
    "can_start",
    "cluster_jobs",
    "core_load",
    "count_bins",
    "defects",
    "fewer_machines",
    "fits",
    "generate_plan",
    "google2011",
    "google_month",
    "google_times",
    "non_dominated_bins",
    "offered_load",
    "plan",
    "scaled",
    "scarcity",
    "OPTIONS",
    "Policy",
    "RandomWorkload",
    "Replan",
    "Simulation",
    "random_instance",
    "simulate",
    "six_jobs",
]
