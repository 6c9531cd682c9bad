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

OVERLOAD = (
    0.1  # by how much of lambda* the burst's rate exceeds it, or by twice as much, thrice ...
)
# ... until a queue of this part of the jobs that run is left, and of so many
BACKLOG = 0.05
FEWEST = 200
# how long the burst is, and how often the queue is looked at, in the same unit
BURST = 4.0
LOOK = 0.5
GONE, GROWN = 0.1, 1.5  # parts of the burst's queue at which a queue has gone, or grows


@dataclass(frozen=True, eq=False)
class Capacity:
    """What `capacity` found, in jobs per unit of time.

    - `rate`: the middle of `low`, which the policy sustains, and `high`, which it does not
    - `bound`: lambda* of stage 1, which no policy exceeds when every job is as large as its class says
    - `trials`: a row each, in order: `rate`, `time` simulated after the burst, `burst_queue` and `last_queue`
      (jobs waiting after the burst, and when it was decided), `sustained`, `decided` (False: time ran out)

    See also: `lotes.capacity`.

    >>> trials = pd.DataFrame({"rate": [8.0, 10.0], "sustained": [True, False]})
    >>> found = Capacity(rate=9.0, low=8.0, high=10.0, bound=12.0, trials=trials)
    >>> found.low <= found.rate <= found.high, found.rate / found.bound
    (True, 0.75)
    """

    rate: float
    low: float
    high: float
    bound: float
    trials: pd.DataFrame


def capacity(
    policy: str | Policy,
    configs: MachineConfigs,
    workload: RandomWorkload,
    *,
    plan: Plan | None = None,
    seed: int = 0,
    precision: float = 0.01,
    patience: float = 32.0,
    near: float | None = None,
    **options: Any,
) -> Capacity:
    """The largest arrival rate of the workload's jobs that a policy sustains, by bisection.

    Every trial begins with a burst of 1.1 lambda* for four times the longest mean processing time (of more,
    until it leaves a queue of 200 jobs and of 5 % of those that run). The rate is sustained when that queue
    falls to a tenth, and not when it grows by half; where neither happens within `patience` times the longest
    mean processing time, when it did not grow in the second half: jobs of the burst that never start (LoTES
    as printed may have some) do no harm, more and more of them do. So a rate at which a policy recovers from
    no burst (Greedy has such rates) does not count, though a run from an empty system may look stable.

    `workload` gives classes and sizes; its own `rate` and `hours` do not matter. `plan` and `options` are
    those of `simulate`. The bisection begins at the rate `near`, which saves trials when that is near the
    answer, and ends when `low` and `high` are `precision` of lambda* apart. Raises ValueError on a precision
    outside (0, 0.25) or a patience that is not positive, on a policy that sustains less than a thousandth of
    lambda*, and as `simulate` does.

    See also: `lotes.simulate`, `lotes.Capacity`.

    >>> from schedlib.lotes import JobClasses
    >>> machines, classes = MachineConfigs([[1.0]], [500]), JobClasses([1.0], [[0.5]], [[1.0]])
    >>> jobs = RandomWorkload(classes, rate=1.0, hours=1.0, sizes="fixed")
    >>> found = capacity("greedy", machines, jobs, precision=0.05)
    >>> found.bound, round(found.rate / found.bound, 1)
    (1000.0, 1.0)
    """
    if not isinstance(workload, RandomWorkload):
        raise ValueError(
            "workload: needs a RandomWorkload, whose rate can be varied; a trace has one rate"
        )
    if not 0 < precision < 0.25:
        raise ValueError(
            f"precision: {precision}, must lie between 0 and 0.25 (a share of lambda*)"
        )
    if not 0 < patience < np.inf:
        raise ValueError(
            f"patience: {patience}, must be a positive number of mean processing times"
        )
    allocation = allocate(configs, workload.classes)
    longest = float((1 / workload.classes.rate.max(axis=0)).max())
    bound = allocation.rate
    overload = 1.0
    trials = list[dict]()
    backlog = max(BACKLOG * allocation.running.sum(), FEWEST)

    def trial(rate):
        if rate < bound / 1000:
            raise ValueError(
                f"policy: sustains less than a thousandth of {bound:.4g}, which stage 1 allows"
            )
        jobs = replace(workload, rate=rate, burst=(overload * bound, BURST * longest), limit=None)
        return _trial(
            policy, configs, jobs, longest, patience, backlog, plan=plan, seed=seed, **options
        )

    def sustained(rate):
        if rate != trials[-1]["rate"]:
            trials.append(trial(rate))
        return trials[-1]["sustained"]

    while not trials or trials[-1]["burst_queue"] < backlog:
        overload += OVERLOAD
        trials = [trial(near or bound)]
    first = trials[0]
    width = precision * bound
    served = (
        bound - (first["last_queue"] - first["burst_queue"]) / first["time"]
        if near is None
        else 0.0
    )
    low = near or served - width / 2
    high = np.inf
    step = width
    while not sustained(low):
        low, high, step = low - step, low, 2 * step
    if high == np.inf:
        high = low + step
        while sustained(high):
            low = high
            high = high + step
            step = 2 * step
    while high - low > 1.001 * width:
        middle = (low + high) / 2
        low, high = (middle, high) if sustained(middle) else (low, middle)
    return Capacity((low + high) / 2, low, high, bound, pd.DataFrame(trials))


def _trial(policy, configs, jobs, longest, patience, backlog, **more):
    """A row of `Capacity.trials`; it ends with the burst when that leaves less than the backlog."""
    burst = jobs.burst[1]
    queue = list[int]()

    def enough(time, waiting):
        if time < burst * (1 - 1e-9):
            return False
        queue.append(waiting)
        return (
            queue[0] < backlog
            or len(queue) > 1
            and not GONE * queue[0] < waiting < GROWN * queue[0]
        )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # trials above the capacity are meant to be overloaded
        hours = burst + patience * longest * (1 + 1e-9)
        run = simulate(
            policy,
            configs,
            replace(jobs, hours=hours),
            record=False,
            interval=LOOK * longest,
            enough=enough,
            **more,
        )
    start = queue[0]
    later = queue[1:] or queue
    decided = not GONE * start < later[-1] < GROWN * start
    sustained = later[-1] < start if decided else later[-1] <= later[(len(later) - 1) // 2]
    return {
        "rate": jobs.rate,
        "time": run.time - burst,
        "burst_queue": start,
        "last_queue": later[-1],
        "sustained": sustained,
        "decided": decided,
    }
