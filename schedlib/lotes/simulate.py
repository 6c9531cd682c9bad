"""Stage 3 as a simulation: a policy dispatches a workload to the machines (LoTES, Sections 4.3 and 5)."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from schedlib.core import streams
from schedlib.core.checks import typed
from schedlib.core.running import to_the_end
from schedlib.lotes.dispatching.machine_tree import fractions, machines
from schedlib.lotes.dispatching.run import Run
from schedlib.lotes.dispatching.state import Given, Tasks, state_of
from schedlib.lotes.model import JobClasses, MachineConfigs, Plan
from schedlib.lotes.policies import OPTIONS, chosen
from schedlib.lotes.policies.own import Policy
from schedlib.lotes.replan import Planner, Replan
from schedlib.lotes.simulation import Simulation, simulation_of
from schedlib.lotes.workloads.instances import RandomWorkload
from schedlib.workload import Workload

MOST_INTERVALS = 10_000_000
MOST_CLASSES = 10_000  # of which most may have no job
MOST_CALLS = 1_000_000  # of a timer


@typed
def simulate(
    policy: str | Policy,
    configs: MachineConfigs,
    workload: Workload | RandomWorkload,
    *,
    plan: Plan | None = None,
    classes: JobClasses | None = None,
    seed: int = 0,
    record: bool = True,
    until: float | None = None,
    interval: float | None = None,
    replan: Replan | None = None,
    enough: Callable[[float, int], bool] | None = None,
    **options: Any,
) -> Simulation:
    """Run a workload on the machines under a policy and measure how long jobs wait.

    `workload` is a `Workload` (each task is a job of its own, of its job's class; demands in the capacities'
    units, in columns of their `names`, or else in their order) or a `RandomWorkload`. The policies and their
    options:

    - `"lotes"` (needs `plan`): the extended version; `exit` `"delta"`: on an exit only classes with Delta > 0
      are considered, or `"all"`; `fallback=False`: arrivals never start where Delta = 0; `sampled=N`: only N
      random machines of a configuration are looked at; `wheel`: the roulette goes by `"delta"`, as printed,
      or by `"rate"`, Delta times mu
    - `"lotes-first"` (needs `plan`): the first version, which after one spin takes the best score anywhere
    - `"greedy"`: `bypass=True` lets an arrival start on a machine on which others wait
    - `"tetris"`: weights `packing` and `work` of omega and gamma; `gamma_unit` of processing times in gamma:
      `"h"` (or `"ms"`, `"s"`, `"min"`, `"d"`)
    - a `lotes.Policy`

    At one time jobs end first, one by one, and the machine of each is filled before the next ends; then jobs
    arrive, one by one, and each starts or waits before the next arrives: LoTES decides at each arrival and exit. A
    `lotes.Policy(at_moment=...)` decides after all of a moment. An arrival at `until` is not part of the run.

    `seed` is for the policy's own choices alone. The run ends at `until`, else at a `RandomWorkload`'s
    `hours` or when all jobs are done. `interval` is the width of the metrics' intervals (unless given, a
    hundredth of the time of the arrivals, or of the longest job if that is longer, twice as wide whenever there
    would be more than some thousand); `record=False` keeps no
    row per job. Of a `Workload`, `classes`, or those of the plan, say where a class can run and how fast: a task
    takes its duration on the configuration where its class's rate is largest, twice as long where the rate is half
    of that, and cannot run where it is 0; without both it takes its duration on each machine. With `replan` a LoTES policy plans again while it runs. `enough(time, waiting)` is asked at each
    interval's end; once it is true the run ends. Raises ValueError on an unknown policy or option, a plan
    made for other machines or classes, a job that no machine can run, and a policy that breaks the rules;
    warns when more arrives than stage 2 sustains, and when jobs wait at the end although nothing else was to
    happen. Source: LoTES, extended, Sections 4.3 and 5.1.

    See also: `lotes.Policy`, `lotes.capacity`, `boards.lotes`.

    >>> jobs = Workload.from_arrays([0, 0, 1], [4.0, 2.0, 1.0], cpu=[1, 1, 1])
    >>> run = simulate("greedy", MachineConfigs([[2.0]], [1]), jobs)
    >>> run.wait.tolist()
    [0.0, 0.0, 1.0]
    """
    module, name, settings = chosen(policy, options)
    jobs = Tasks(workload, configs.names) if isinstance(workload, Workload) else workload
    if replan is not None and not (policy in ("lotes", "lotes-first") and isinstance(jobs, Tasks)):
        raise ValueError(
            "replan: needs a LoTES policy and a Workload; other policies follow no plan, and random "
            "workloads do not drift"
        )
    pace = _pace(configs, jobs, plan, classes)
    given = _given(configs, jobs, plan, pace, seed, own=isinstance(policy, Policy))
    _require_few_calls(policy, jobs)
    _warn_of_overload(name, jobs, plan)
    width, end = _times(jobs, interval, until)
    run = Run(
        name,
        module.begin(policy, settings, given),
        state_of(given.machines, width, jobs.begin, fixed=interval is not None),
        given,
        end=end,
        record=record,
        planner=Planner(replan, name, settings, given) if replan else None,
        enough=enough,
    )
    slices = run.slices()
    to_the_end(lambda: next(slices, 1.0), "lotes.simulate")
    _warn_of_waiting(run, policy)
    return simulation_of(
        run,
        policy=name,
        options=settings,
        seed=seed,
        looked=run.looked() if name in OPTIONS else np.nan,
        plans=tuple(run.planner.plans) if run.planner else (),
    )


def _pace(configs, jobs, plan, classes):
    """Time per unit of work of each configuration and class, (M, K); infinite where it cannot run.

    A task's work is its time where its class's rate is largest, a random workload's what it draws.
    """
    drawn = None if isinstance(jobs, Tasks) else jobs.classes
    if plan is not None:
        plan.require(configs, drawn or classes)
    classes = classes or (plan.classes if plan else drawn)
    if classes is None:
        _require_few_classes(jobs.job_class)
        return np.ones((configs.n_configs, int(jobs.job_class.max(initial=0)) + 1))
    rows = len(classes.rate)
    if rows != configs.n_configs:
        raise ValueError(
            f"classes: rates for {rows} configurations, but there are {configs.n_configs}"
        )
    if drawn is None:
        return classes.slowdown
    if drawn.rate.shape != classes.rate.shape:
        raise ValueError(
            f"classes: {classes.n_classes}, but the workload draws from {drawn.n_classes}"
        )
    return jobs.pace()


def _require_few_classes(job_class):
    """Raise ValueError on a class so large that most classes up to it have no job."""
    for row in np.flatnonzero(job_class >= max(MOST_CLASSES, len(job_class)))[:1]:
        raise ValueError(
            f"workload: job {row} is of class {job_class[row]}, and each class from 0 on takes memory; number "
            "the classes 0, 1, ..., as pandas.factorize does"
        )


def _given(configs, jobs, plan, pace, seed, own):
    """The input of a policy when it begins."""
    typical = jobs.typical()
    if len(typical) != configs.n_resources:
        raise ValueError(
            f"workload: demands {len(typical)} resources, but machines have "
            f"{configs.n_resources}; needs a column for each"
        )
    capacity, size = fractions(configs.capacity, typical[None], own)
    (rng,) = streams(seed, "lotes policy")
    return Given(
        configs=configs,
        machines=machines(capacity, configs.count, pace),
        plan=plan,
        typical=size[0],
        jobs=jobs,
        rng=rng,
        own=own,
    )


def _span(jobs):
    """A time that is at most as long as the run."""
    if not isinstance(jobs, Tasks):
        return jobs.hours
    if not len(jobs.submit):
        return 1.0
    arrivals = float(jobs.submit[-1] - jobs.submit[0])
    return max(arrivals, float(jobs.work.max())) or 1.0


def _require_few_calls(policy, jobs):
    """Raise ValueError where the policy's timer calls too often."""
    wake = getattr(policy, "wake", None)
    least = _span(jobs) / MOST_CALLS
    if wake is not None and wake < least:
        raise ValueError(
            f"wake: {wake:g}, calls more than {MOST_CALLS:,} times; at least {least:.3g} here"
        )


def _times(jobs, interval, until):
    """The width of an interval of the metrics, and when the run ends."""
    span = _span(jobs)
    width = span / 100 if interval is None else interval
    if not width > span / MOST_INTERVALS:
        raise ValueError(
            f"interval: {interval}, must be positive, and at most {MOST_INTERVALS:,} in all"
        )
    end = jobs.hours if until is None else float(until)
    if not end >= 0:
        raise ValueError(f"until: {end:g}, must be a time from 0 on")
    if width * MOST_INTERVALS < end - jobs.begin < np.inf:
        raise ValueError(
            f"until: {end:g}, makes more than {MOST_INTERVALS:,} intervals; widen interval="
        )
    return width, end


def _warn_of_waiting(run, policy):
    """Warn when jobs never start although the run ended because nothing else was to happen."""
    waiting = run.state.meter.clock[0].waiting
    if not waiting or run.end < np.inf:
        return
    why = ""
    if isinstance(policy, Policy):
        why = (
            ": does the rule keep room free, start jobs by a clock that nothing wakes (`wake` ends with a call that "
            "starts none), or return -1 on arrival when no job is to end?"
        )
    warnings.warn(
        f"{run.name}: {waiting:,} of {run.state.progress[0].arrived:,} jobs never start, although nothing else is to "
        f"happen{why}",
        stacklevel=4,
    )


def _warn_of_overload(name, jobs, plan):
    """Warn when more jobs arrive than stage 2 sustains."""
    if isinstance(jobs, Tasks):
        return
    limit = plan.rate_rounded if plan else jobs.limit
    if limit is not None and jobs.rate > limit:
        queue = (jobs.rate - limit) * jobs.hours
        warnings.warn(
            f"{name}: {jobs.rate:.6g} jobs per {jobs.time_unit} arrive, but stage 2 sustains {limit:.6g}; "
            f"the queue may grow to about {queue:.3g} jobs in {jobs.hours:g} {jobs.time_unit}",
            stacklevel=3,
        )
