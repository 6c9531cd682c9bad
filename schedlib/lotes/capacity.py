"""How much a policy sustains, measured: the arrival rate up to which a queue, once there, shrinks again."""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from schedlib.lotes.model import MachineConfigs, Plan
from schedlib.lotes.planning.allocate import allocate
from schedlib.lotes.policies.own import Policy
from schedlib.lotes.simulate import simulate
from schedlib.lotes.workloads.instances import RandomWorkload

OVERLOAD = 0.1  # by how much of lambda* the burst's rate exceeds it, or by twice as much, thrice ...
BACKLOG, FEWEST = 0.05, 200  # ... until a queue of this part of the jobs that run is left, and of so many
BURST, FIRST = 4.0, 8.0  # lengths of the burst and of the first trial, in the longest mean processing time
STEPS = 16  # how often the queue is looked at during a first trial
GONE, GROWN = 0.1, 1.5  # parts of the burst's queue at which a queue has gone, or grows


@dataclass(frozen=True, eq=False)
class Capacity:
    """What `capacity` found.

    - `rate`: the middle of `low`, which the policy sustains, and `high`, which it does not; jobs per unit of
      time
    - `bound`: lambda* of stage 1, which no policy exceeds when every job is as large as its class says
    - `trials`: a row each, in order: `rate`, `time` simulated after the burst, `burst_queue` and `last_queue`
      (jobs waiting after the burst, and when it was decided), `sustained`, `decided` (False: time ran out)
    """

    rate: float
    low: float
    high: float
    bound: float
    trials: pd.DataFrame


def capacity(policy: str | Policy, configs: MachineConfigs, workload: RandomWorkload, *,
             plan: Plan | None = None, seed: int = 0, precision: float = 0.01, doublings: int = 2,
             **options: Any) -> Capacity:
    """The largest arrival rate of the workload's jobs that a policy sustains, by bisection.

    Every trial begins with a burst of 1.1 lambda* for four times the longest mean processing time (of more,
    until it leaves a queue of 200 jobs and of 5 % of those that run). The rate is sustained when that queue
    falls to a tenth, and not when it grows by half; while neither happens the trial is run again for twice as
    long, up to `doublings` times, and at last judged by whether the queue grew in its second half: jobs of
    the burst that never start (LoTES as printed may have some) do no harm, more and more of them do. So a
    rate at which a policy recovers from no burst (Greedy has such rates) does not count as sustained, though
    a run from an empty system may look stable; nor does one at which large jobs gather.

    `workload` gives classes and sizes; its own `rate` and `hours` do not matter. `plan` and `options` are
    those of `simulate`. The bisection ends when `low` and `high` are `precision` of lambda* apart. Raises
    ValueError on a precision outside (0, 0.25), on a policy that sustains less than a thousandth of lambda*,
    and as `simulate` does.

    >>> from schedlib.lotes import JobClasses
    >>> machines, classes = MachineConfigs([[1.0]], [500]), JobClasses([1.0], [[0.5]], [[1.0]])
    >>> jobs = RandomWorkload(classes, rate=1.0, hours=1.0, sizes="fixed")
    >>> found = capacity("greedy", machines, jobs, precision=0.05)
    >>> found.bound, round(found.rate / found.bound, 1)
    (1000.0, 1.0)
    """
    if not isinstance(workload, RandomWorkload):
        raise ValueError("workload: needs a RandomWorkload, whose rate can be varied; a trace has one rate")
    if not 0 < precision < 0.25:
        raise ValueError(f"precision: {precision}, must lie between 0 and 0.25 (a share of lambda*)")
    allocation = allocate(configs, workload.classes)
    longest = float((1 / workload.classes.rate.max(axis=0)).max())
    bound, overload, trials = allocation.rate, 1.0, list[dict]()

    def sustained(rate):
        if rate < bound / 1000:
            raise ValueError(f"policy: sustains less than a thousandth of {bound:.4g}, which stage 1 allows")
        jobs = replace(workload, rate=rate, burst=(overload * bound, BURST * longest), limit=None)
        trials.append(_trial(policy, configs, jobs, longest, doublings, plan=plan, seed=seed, **options))
        return trials[-1]["sustained"]

    backlog = max(BACKLOG * allocation.running.sum(), FEWEST)
    while not trials or trials[-1]["burst_queue"] < backlog:
        overload += OVERLOAD
        sustained(bound)
    first, width = trials[-1], precision * bound
    served = bound - (first["last_queue"] - first["burst_queue"]) / first["time"]
    low, high, step = served - width / 2, np.inf, width
    while not sustained(low):
        low, high, step = low - step, low, 2 * step
    if high == np.inf:
        high = low + step
        while sustained(high):
            low, high, step = high, high + step, 2 * step
    while high - low > 1.001 * width:
        middle = (low + high) / 2
        low, high = (middle, high) if sustained(middle) else (low, middle)
    return Capacity((low + high) / 2, low, high, bound, pd.DataFrame(trials))


def _trial(policy, configs, jobs, longest, doublings, **more):
    """A row of `Capacity.trials`."""
    burst = jobs.burst[1]
    for doubling in range(doublings + 1):
        length = FIRST * longest * 2**doubling
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # trials above the capacity are meant to be overloaded
            run = simulate(policy, configs, replace(jobs, hours=burst + length), record=False,
                           interval=FIRST * longest / STEPS, **more)
        queue, end = run.intervals["queue_end"].to_numpy(), run.intervals["end"].to_numpy()
        first = int(np.searchsorted(end, burst - 1e-9 * burst))
        start, later = queue[first], queue[first + 1 :]
        crossed = np.flatnonzero((later <= GONE * start) | (later >= GROWN * start))
        at = crossed[0] if len(crossed) else len(later) - 1
        if len(crossed):
            break
    sustained = later[at] < start if len(crossed) else later[at] <= later[at // 2]
    return {"rate": jobs.rate, "time": float(end[first + 1 + at] - burst), "burst_queue": int(start),
            "last_queue": int(later[at]), "sustained": bool(sustained), "decided": bool(len(crossed))}
