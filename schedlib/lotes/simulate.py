"""Stage 3 as a simulation: a policy dispatches a workload to the machines (LoTES, Sections 4.3 and 5)."""

import warnings
from typing import Any

import numpy as np

from schedlib.core import streams
from schedlib.lotes.dispatching.machine_tree import fractions, machines
from schedlib.lotes.dispatching.run import run
from schedlib.lotes.dispatching.state import Given, state_of
from schedlib.lotes.model import JobClasses, MachineConfigs, Plan
from schedlib.lotes.policies.entry_points import OPTIONS, chosen
from schedlib.lotes.policies.own import Policy
from schedlib.lotes.replan import Planner, Replan
from schedlib.lotes.result import Simulation, result_of
from schedlib.lotes.workloads.job_stream import Tasks
from schedlib.lotes.workloads.random_instances import RandomWorkload
from schedlib.workload import Workload


def simulate(policy: str | Policy, configs: MachineConfigs, workload: Workload | RandomWorkload, *,
             plan: Plan | None = None, classes: JobClasses | None = None, seed: int = 0, record: bool = True,
             until: float | None = None, interval: float | None = None, slots: int = 1 << 16,
             replan: Replan | None = None, **options: Any) -> Simulation:
    """Run a workload on the machines under a policy and measure how long jobs wait.

    `workload` is a `Workload` (each task is a job of one task, its class that of its job, its demands in the
    capacities' units and the order of their columns) or a `RandomWorkload`. The policies and their options:

    - `"lotes"` (needs `plan`): the extended version; `exit` `"delta"`: on an exit only classes with Delta > 0
      are considered, or `"all"`; `fallback=False`: arrivals never start where Delta = 0; `sampled=N`: only N
      random machines of a configuration are looked at; `wheel`: the roulette goes by `"delta"`, as printed,
      or by `"rate"`, Delta times mu
    - `"lotes-first"` (needs `plan`): the first version, which after one spin takes the best score anywhere
    - `"greedy"`: `bypass=True` lets an arrival start on a machine on which others wait
    - `"tetris"`: weights `packing` and `work` of omega and gamma; `gamma_unit` of processing times in gamma:
      `"h"`, `"min"`, `"s"`, or None for the workload's unit
    - a `lotes.Policy`

    `seed` is for the policy's own choices alone. The run ends at `until`, else at a `RandomWorkload`'s
    `hours` or when all jobs are done. `interval` is the width of an interval of the metrics (a hundredth of
    the arrivals' time unless given). `record=False` keeps no row per job. `classes` gives the rates (0:
    cannot run there) when there is no plan. With `replan` a LoTES policy plans anew while it runs.

    Raises ValueError on an unknown policy or option, a plan made for other machines or classes, a job that no
    machine can run, and a policy that breaks the rules; warns when more arrives than stage 2 sustains.
    Source: LoTES, extended, Sections 4.3 and 5.1.

    >>> jobs = Workload.from_arrays([0, 0, 1], [4.0, 2.0, 1.0], cpu=[1, 1, 1])
    >>> run = simulate("greedy", MachineConfigs([[2.0]], [1]), jobs)
    >>> run.response.tolist(), int(run.intervals["queue_most"].max())
    ([0.0, 0.0, 1.0], 1)
    """
    module, name, settings = chosen(policy, options)
    jobs = Tasks(workload) if isinstance(workload, Workload) else workload
    if replan is not None and not (policy in ("lotes", "lotes-first") and isinstance(jobs, Tasks)):
        raise ValueError("replan: needs a LoTES policy and a Workload; other policies follow no plan, random "
                         "workloads do not drift")
    classes, pace = _classes(configs, jobs, plan, classes)
    typical = jobs.typical()
    if len(typical) != configs.n_resources:
        raise ValueError(f"workload: demands {len(typical)} resources, but machines have "
                         f"{configs.n_resources}; needs a column for each")
    _warn(name, jobs, plan)
    capacity, typical = fractions(configs.capacity, typical[None])
    m = machines(capacity, configs.count, np.ascontiguousarray(pace, float))
    given = Given(machines=m, plan=plan, time_unit=jobs.time_unit, typical=typical[0])
    width = _span(jobs) / 100 if interval is None else interval
    if not width > 0:
        raise ValueError(f"interval: {interval}, must be positive")
    end = getattr(jobs, "hours", np.inf) if until is None else float(until)
    state = state_of(m, slots=slots, intervals=128, width=width)
    kept = module.begin(policy, settings, given)
    planner = Planner(replan, policy, settings, given, jobs) if replan else None  # type: ignore[arg-type]
    (choices,) = streams(seed, "lotes policy")
    ended = run(name, kept, state, configs, jobs, choices, end=end, record=record, planner=planner)
    return result_of(ended, configs, jobs, end, policy=name, options=settings, seed=seed,
                     plans=tuple(planner.plans) if planner else (), counts_looks=name in OPTIONS)


def _span(jobs):
    """The time over which the metrics' intervals are laid."""
    if not isinstance(jobs, Tasks):
        return getattr(jobs, "hours", 1.0)
    arrivals = jobs.submit[-1] if len(jobs.submit) else 1.0
    return max(arrivals, float(jobs.work.max(initial=0.0))) or 1.0


def _classes(configs, jobs, plan, classes):
    if plan is not None:
        plan.require(configs, classes)
    generated = getattr(jobs, "classes", None)
    classes = classes or (plan.classes if plan is not None else generated)
    if classes is not None and classes.rate.shape[0] != configs.n_configs:
        raise ValueError(f"classes: rates for {classes.rate.shape[0]} configurations, but there are "
                         f"{configs.n_configs}")
    if generated is not None:
        if generated.rate.shape != classes.rate.shape:
            raise ValueError(f"classes: {classes.n_classes}, but the workload draws from "
                             f"{generated.n_classes}")
        return classes, jobs.pace()
    if classes is not None:
        return classes, np.where(classes.rate > 0, 1.0, np.inf)
    return None, np.ones((configs.n_configs, int(jobs.job_class.max(initial=0)) + 1))


def _warn(name, jobs, plan):
    rate = getattr(jobs, "rate", None)
    limit = plan.rate_rounded if plan is not None else getattr(jobs, "limit", None)
    if rate is not None and limit is not None and rate > limit:
        left = (rate - limit) * jobs.hours
        warnings.warn(
            f"{name}: {rate:.6g} jobs per {jobs.time_unit} arrive, but stage 2 sustains {limit:.6g}; the "
            f"queue may grow to about {left:.3g} jobs in {jobs.hours:g} {jobs.time_unit}", stacklevel=3)
