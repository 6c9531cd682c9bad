"""Jobs that arrive over time, under what a cluster would run instead of HMHS (beyond the paper)."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from schedlib.core.checks import positive, typed, unknown
from schedlib.core.streams import streams
from schedlib.hmhs import serving
from schedlib.hmhs.johnson import job_times, priority
from schedlib.hmhs.list_scheduling import Ended, require_all, require_untouched
from schedlib.hmhs.model import Instance, Schedule, latest
from schedlib.hmhs.policies import Policy, order_of
from schedlib.hmhs.workloads import drawn, from_trace

SHARING = {
    "fifo": serving.first_submitted,
    "fair": serving.fair,
    "delay": serving.fair,
    "capacity": serving.capacity,
    "shortest": serving.shortest,
    "hmhs": serving.as_placed,
}
"""The policies of `serve` by name: the key of a waiting job, of which the least goes first."""
REPLICAS = 3  # of each map's input
MOST = 1e12
"""The longest delay, and the largest factor."""


@dataclass(frozen=True, eq=False)
class Arrivals:
    """Jobs that arrive over time, for machines that have a map slot and a reduce slot each.

    - `instance`: the jobs and their speed factors on M machines (as many map as reduce machines)
    - `submit (N,)`: when each arrives, ascending, in the instance's unit of time
    - `copy (N,)`: how long one reduce task copies its input, before its own time; 0 if left out

    Raises ValueError on shapes that disagree, on submissions out of order and on pools of different size.

    See also: `hmhs.serve`; `hmhs.arriving`, which makes them from a trace.

    >>> one = [[1.0], [1.0]]
    >>> Arrivals(Instance([4, 1], [1, 1], one, [1, 1], [1, 1], one), [0.0, 1.0]).copy.tolist()
    [0.0, 0.0]
    """

    instance: Instance
    submit: np.ndarray
    copy: np.ndarray

    @typed
    def __init__(
        self, instance: Instance, submit: npt.ArrayLike, copy: npt.ArrayLike | None = None
    ) -> None:
        n = instance.n_jobs
        times = {"submit": submit, "copy": np.zeros(n) if copy is None else copy}
        for name, values in times.items():
            object.__setattr__(self, name, job_times(name, values, n))
        if (np.diff(self.submit) < 0).any():
            raise ValueError("submit: not ascending; sort the jobs first")
        if instance.map_machines != instance.reduce_machines:
            raise ValueError(
                f"instance: {instance.map_machines} map and {instance.reduce_machines} reduce "
                "machines; here a machine has a slot of each kind"
            )
        object.__setattr__(self, "instance", instance)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Served(Schedule):
    """The schedule of jobs that arrived over time; its `map` and `reduce` hold the tasks in order of start.

    `submit (N,)`: when each job arrived; `local`: the share of the map tasks that ran where their input lies.

    See also: `hmhs.serve`.

    >>> one = [[1.0], [1.0]]
    >>> two = Instance([4, 1], [1, 1], one, [1, 1], [1, 1], one)
    >>> served = serve(Arrivals(two, [0.0, 1.0]), "shortest")
    >>> served.job_end.tolist(), served.flow.tolist(), served.local
    ([5.0, 6.0], [5.0, 5.0], 1.0)
    """

    submit: np.ndarray
    local: float

    @property
    def flow(self) -> np.ndarray:
        """Flow time of each job, (N,): from its submission to the end of its last task."""
        return self.job_end - self.submit


@typed
def arriving(
    jobs: pd.DataFrame,
    seed: int = 0,
    *,
    n_jobs: int | None = None,
    load: float = 0.8,
    machines: int = 100,
    copy: float = 0.0,
) -> Arrivals:
    """Real jobs at a stated load: `n_jobs` of a trace, drawn as by `from_trace`, in the trace's order.

    - `jobs`: one row per job, with the columns that `from_trace` needs and `submit`
    - `seed`: draws the jobs and, as in `from_trace`, the speed factors
    - `load`: the times of submission are stretched or compressed until the busier of the two stages has this
      load while jobs arrive: work on machines of average speed over machine time
    - `machines`: how many, each with a map slot and a reduce slot
    - `copy`: the share of a reduce task's time that goes into copying

    Raises ValueError as `from_trace` does, and when all jobs are submitted at once.

    See also: `hmhs.serve`, `hmhs.from_trace`.

    >>> columns = {"submit": [0.0, 5.0], "map_tasks": [3, 1], "map_time": [9.0, 4.0]}
    >>> jobs = pd.DataFrame(columns | {"reduce_tasks": [1, 1], "reduce_time": [5.0, 1.0]})
    >>> arriving(jobs, machines=2).submit[0]
    np.float64(0.0)
    """
    if "submit" not in jobs:
        raise ValueError(f"jobs: needs a column submit, not {list(jobs)}")
    positive("load", load)
    if not 0 <= copy <= 1:
        raise ValueError(f"copy: {copy:g}, must be a share from 0 to 1")
    chosen = drawn(jobs, seed, n_jobs)
    instance = from_trace(chosen, seed, machines=(machines, machines))
    stages = (instance.maps, instance.reduces)
    work = max((stage.time.mean(axis=1) * stage.tasks).sum() for stage in stages)
    submit = (chosen["submit"] - chosen["submit"].min()).to_numpy(float)
    if not submit.max() > 0:
        raise ValueError("jobs: all submitted at once; a load needs times of submission")
    least = np.maximum((1 - copy) * instance.reduce_time, 1e-3)
    return Arrivals(
        replace(instance, reduce_time=least),
        submit * (work / machines / load / submit.max()),
        copy * instance.reduce_time,
    )


@typed
def serve(
    arrivals: Arrivals,
    policy: str | Policy = "fair",
    *,
    delay: float = 5.0,
    remote: float = 1.0,
    seed: int = 0,
) -> Served:
    """Serve jobs as they arrive; no task is interrupted.

    Events of one moment: ends, then arrivals, then starts.

    - `policy`: `"fifo"`, `"fair"`, `"delay"` (fair sharing with delay scheduling), `"capacity"` (four queues
      of equal share, jobs dealt at random), `"shortest"` (remaining work first), `"hmhs"` (placed again at each
      arrival, since HMHS plans for a batch), or an `hmhs.Policy` whose rules are functions. These see the jobs
      of their stage that have arrived, `ready` when they did or their maps ended, in the policy's order. `barrier`
      is refused, since jobs keep coming
    - `delay`: how long, under `"delay"`, a job lets slots pass that are not where its input is
    - `remote`: a map takes that much longer where none of the three replicas of its input, on machines
      drawn at random, lies
    - `seed`: decides those machines, the queues of `"capacity"`, and what rules draw

    Raises ValueError on an unknown policy or an argument out of range, and on a rule that names a job that does
    not wait or lets all slots wait for ever. Sources: Zaharia et al., *Delay scheduling*, EuroSys 2010;
    Hadoop's capacity scheduler.

    See also: `hmhs.schedule`, for a batch; `hmhs.arriving`; `boards.literature`.

    >>> one = [[1.0], [1.0]]
    >>> two = Instance([4, 1], [1, 1], one, [1, 1], [1, 1], one)
    >>> serve(Arrivals(two, [0.0, 1.0]), "fifo").flow.tolist()
    [5.0, 5.0]
    """
    own = isinstance(policy, Policy)
    chosen = policy if isinstance(policy, Policy) else Policy(name=policy)
    if own:
        _check_own(chosen)
    elif policy not in SHARING:
        raise unknown("policy", policy, SHARING, "or give an hmhs.Policy")
    for name, value, low in (("delay", delay, 0), ("remote", remote, 1)):
        if not low <= value <= MOST:
            raise ValueError(f"{name}: {value:g}, must be from {low} to {MOST:g}")
    instance = arrivals.instance
    inputs, queues = streams(seed, "hmhs inputs", "hmhs queues")
    map_rng, reduce_rng = streams(seed, "hmhs map rule", "hmhs reduce rule")
    order = order_of(chosen, instance)
    pri = np.nan_to_num(priority(instance))  # finite, in the same order
    both: dict[str, Any] = {"own": own, "places": policy == "hmhs"}
    both["queue"] = queues.integers(0, serving.QUEUES, instance.n_jobs)
    maps = serving.state_of(
        instance.maps,
        order,
        map_rng,
        inputs=inputs.integers(0, instance.map_machines, (instance.map_tasks.sum(), REPLICAS)),
        prefer=pri[:, None],
        delay=float(delay if policy == "delay" else 0),
        remote=remote,
        rest=instance.reduce_tasks * instance.reduce_time,
        **both,
    )
    reduces = serving.state_of(
        instance.reduces,
        order,
        reduce_rng,
        inputs=np.zeros((instance.reduce_tasks.sum(), 0), np.int64),
        prefer=instance.reduce_task_time,
        shuffle=arrivals.copy,
        **both,
    )
    key = SHARING.get(chosen.name, serving.first_submitted)
    rules = chosen.map_rule, chosen.reduce_rule
    end = serving.serve(key, *rules, arrivals.submit, maps, reduces)
    stages = [("map", maps, instance.maps), ("reduce", reduces, instance.reduces)]
    if reduces.clock[0].machine >= 0:  # its rule ended the run
        stages.reverse()
    for name, state, _ in stages:
        clock = state.clock[0]
        require_all(chosen.name, name, state.line, Ended(end, clock.machine, clock.job))
    map_end = latest(arrivals.submit, maps.tasks)
    for (name, state, side), ready in zip(stages, (arrivals.submit, map_end), strict=True):
        given = np.where(side.tasks > 0, ready, np.inf), side.time
        require_untouched(chosen.name, name, (state.line.ready, state.line.time), given)
    clock = maps.clock[0]
    return Served(
        policy=chosen.name,
        map_end=map_end,
        map=maps.tasks,
        reduce=reduces.tasks,
        submit=arrivals.submit,
        local=float(clock.local / clock.begun) if clock.begun else 1.0,
    )


def _check_own(policy: Policy) -> None:
    """ValueError on a policy that is made for a batch."""
    for stage in ("map_rule", "reduce_rule"):
        if not callable(rule := getattr(policy, stage)):
            raise ValueError(f"policy: its {stage} is {rule!r}, for a batch; give a function")
    if policy.barrier:
        raise ValueError("policy: a barrier waits for all maps, and jobs keep coming; leave it out")
