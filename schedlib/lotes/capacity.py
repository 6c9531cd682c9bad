"""How much a policy sustains, measured: the arrival rate up to which a queue, once there, shrinks again."""

import warnings
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

from schedlib.core.checks import typed
from schedlib.lotes.model import MachineConfigs, Plan
from schedlib.lotes.planning.allocate import allocate
from schedlib.lotes.policies.own import Policy
from schedlib.lotes.simulate import simulate
from schedlib.lotes.workloads.instances import RandomWorkload

OVERLOAD = (
    0.1  # the burst's rate exceeds lambda* by this part of it, or by twice, three times ... as much
)
BACKLOG = 0.05  # until it leaves a queue of this part of the jobs that run,
FEWEST_QUEUED = 200  # and of at least this number of jobs
BURST = 4.0  # length of the burst, in longest mean processing times, as are the next two
CHECK_EVERY = 0.5  # time between looks at the queue
WAIT_AFTER = 32.0  # time after the burst
GONE, GROWN = 0.1, 1.5  # parts of the burst's queue at which a queue has gone, or grows


@dataclass(frozen=True, eq=False)
class Capacity:
    """The result of `capacity`, in jobs per unit of time.

    - `rate`: the middle of `low`, which the policy sustains, and `high`, which it does not
    - `bound`: lambda* of stage 1, which no policy exceeds when every job is as large as its class says

    See also: `lotes.capacity`.

    >>> measured = Capacity(rate=9.0, low=8.0, high=10.0, bound=12.0)
    >>> measured.low <= measured.rate <= measured.high, measured.rate / measured.bound
    (True, 0.75)
    """

    rate: float
    low: float
    high: float
    bound: float


class Trial(NamedTuple):
    """Jobs waiting after the burst, and when the trial was decided, that much `time` later."""

    burst_queue: int
    last_queue: int
    time: float
    sustained: bool


@typed
def capacity(
    policy: str | Policy,
    configs: MachineConfigs,
    workload: RandomWorkload,
    *,
    plan: Plan | None = None,
    seed: int = 0,
    precision: float = 0.01,
    near: float | None = None,
    **options: Any,
) -> Capacity:
    """The largest arrival rate of the workload's jobs that a policy sustains, by bisection.

    Every trial begins with a burst of 1.1 lambda* for four times the longest mean processing time (of more,
    until it leaves a queue of 200 jobs and of 5 % of those that run). The rate is sustained when that queue
    falls to a tenth, and not when it grows by half. Where neither happens within 32 times the longest mean
    processing time, it is sustained when the queue did not grow in the second half: jobs of the burst that
    never start (LoTES as printed may have some) do no harm, more and more of them do. So a rate at which a
    policy recovers from no burst (Greedy has such rates) does not count, though a run from an empty system
    may look stable.

    `workload` gives classes and sizes; its own `rate` and `hours` do not matter. `plan` and `options` are
    those of `simulate`. The bisection begins at the rate `near`, which saves trials when that is near the
    answer, and ends when `low` and `high` are `precision` of lambda* apart. Raises ValueError on a precision
    outside (0, 0.25), on a `near` outside (0, 2 lambda*], on a policy that sustains less than a thousandth of
    lambda*, and as `simulate` does.

    See also: `lotes.simulate`, `lotes.Capacity`.

    >>> from schedlib.lotes import JobClasses
    >>> machines, classes = MachineConfigs([[1.0]], [500]), JobClasses([1.0], [[0.5]], [[1.0]])
    >>> jobs = RandomWorkload(classes, rate=1.0, hours=1.0, sizes="fixed")
    >>> measured = capacity("greedy", machines, jobs, precision=0.05)
    >>> measured.bound, round(measured.rate / measured.bound, 1)
    (1000.0, 1.0)
    """
    if not 0 < precision < 0.25:
        raise ValueError(
            f"precision: {precision}, must lie between 0 and 0.25 (a share of lambda*)"
        )
    allocation = allocate(configs, workload.classes)
    longest = float((1 / workload.classes.rate.max(axis=0)).max())
    bound = allocation.rate
    backlog = max(BACKLOG * allocation.running.sum(), FEWEST_QUEUED)
    overload = 1.0

    @cache
    def trial(rate, overload):
        burst = BURST * longest
        jobs = replace(
            workload,
            rate=rate,
            burst=(overload * bound, burst),
            hours=burst + WAIT_AFTER * longest * (1 + 1e-9),
            limit=None,
        )
        return _trial(policy, configs, jobs, longest, backlog, plan=plan, seed=seed, **options)

    def sustained(rate):
        return trial(rate, overload).sustained

    if near is not None and not 0 < near <= 2 * bound:
        raise ValueError(f"near: {near}, must lie between 0 and twice lambda*, {2 * bound:.4g}")
    begin = near or bound
    first = None
    while first is None or first.burst_queue < backlog:
        overload += OVERLOAD
        first = trial(begin, overload)
    width = precision * bound
    served = bound - (first.last_queue - first.burst_queue) / first.time
    least = bound / 1000
    low = near or max(served - width / 2, least)
    step = width
    high = None
    while not sustained(low):
        if low <= least:
            raise ValueError(
                f"policy: sustains less than a thousandth of {bound:.4g}, which stage 1 allows"
            )
        high = low
        low = max(low - step, least)
        step = 2 * step
    if high is None:
        high = low + step
        while sustained(high):
            low = high
            high = high + step
            step = 2 * step
    while high - low > 1.001 * width:
        middle = (low + high) / 2
        if sustained(middle):
            low = middle
        else:
            high = middle
    return Capacity((low + high) / 2, low, high, bound)


def _trial(policy, configs, jobs, longest, backlog, **more):
    """The outcome of a trial; it ends with the burst when that leaves less than the backlog."""
    burst = jobs.burst[1]
    queue = []

    def enough(time, waiting):
        if time < burst * (1 - 1e-9):
            return False
        queue.append(waiting)
        if len(queue) == 1:
            return waiting < backlog
        return not GONE * queue[0] < waiting < GROWN * queue[0]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # trials above the capacity are meant to be overloaded
        run = simulate(
            policy,
            configs,
            jobs,
            record=False,
            interval=CHECK_EVERY * longest,
            enough=enough,
            **more,
        )
    start = queue[0]
    later = queue[1:] or queue
    last = later[-1]
    decided = not GONE * start < last < GROWN * start
    middle = later[(len(later) - 1) // 2]
    return Trial(
        burst_queue=start,
        last_queue=last,
        time=run.time - burst,
        sustained=last < start if decided else last <= middle,
    )
