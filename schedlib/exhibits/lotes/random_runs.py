"""Runs on the random workloads of LoTES's Section 5.4: their size at each scale, and one policy on one
instance."""

from schedlib.lotes.model import Plan
from schedlib.lotes.result import Simulation
from schedlib.lotes.simulate import simulate
from schedlib.lotes.workloads.random_instances import RandomInstance

POLICIES = ("lotes", "lotes-first", "greedy", "tetris")
"""LoTES in the extended and in the first version, and the two policies that the paper compares it with."""
CONFIGS = 10
"""Machine configurations of a random workload, with equally many machines each."""
SIZE = {
    "smoke": {"machines": 4, "hours": 10.0},
    "quick": {"machines": 50, "hours": 50.0},
    "paper": {"machines": 1000, "hours": 100.0},
}
"""Machines of each configuration and hours of arrivals. The paper's own size is that of the scale `paper`."""
MATCHED = {"sizes": "common", "matched": True, "rounded": True}
"""Options of `random_instance`: one factor for all of a job's sizes, whose mean is as planned; the load
refers to the rate of stage 2 in whole machines."""


def follow(
    instance: RandomInstance, policy: str, seed: int, plan: Plan | None = None, **options
) -> Simulation:
    """A run of a policy on the jobs of a random instance. LoTES follows `plan`, by default the instance's
    own."""
    plan = instance.plan if plan is None else plan
    return simulate(
        policy, instance.configs, instance.workload, plan=plan, seed=seed, record=False, **options
    )


def outcome(run: Simulation, instance: RandomInstance) -> dict:
    """The waits of a run (s) and what shows whether its queue grew.

    `wait`, `p99`: mean and 99 % quantile over started jobs; `arrived`: jobs; `waiting`: jobs queued at the
    end; `slope`: growth of the queue in jobs per hour, per job that arrives in an hour; `stable`:
    `Simulation.stable`.
    """
    row = {"wait": 3600 * run.mean_response, "p99": 3600 * run.quantile(0.99), "arrived": run.arrived}
    return row | {"waiting": run.waiting, "slope": run.slope / instance.workload.rate, "stable": run.stable}
