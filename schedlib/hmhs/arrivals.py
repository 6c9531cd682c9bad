"""Jobs that arrive over time, under what a cluster would run instead of HMHS (beyond the paper)."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from schedlib.core.checks import amounts, frozen, numbers, typed, unknown
from schedlib.core.streams import streams
from schedlib.hmhs import serving
from schedlib.hmhs.johnson import priority
from schedlib.hmhs.list_scheduling import first, line_of
from schedlib.hmhs.model import Instance, Side, Stage
from schedlib.hmhs.policies import Policy, latest, order_of
from schedlib.hmhs.workloads import Pools, from_trace

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
QUEUES = 4  # of the policy "capacity"
MOST = 1e12
"""No time is longer, and no factor larger."""


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
        for name, given in times.items():
            values = numbers(name, given, 1, "one time per job")
            amounts(name, values)
            if len(values) != n:
                raise ValueError(f"{name}: {len(values)} values for {n} jobs; give one per job")
            object.__setattr__(self, name, values)
        if (np.diff(self.submit) < 0).any():
            raise ValueError("submit: not ascending; sort the jobs first")
        if instance.map_machines != instance.reduce_machines:
            raise ValueError(
                f"instance: {instance.map_machines} map and {instance.reduce_machines} reduce "
                "machines; here a machine has a slot of each kind"
            )
        object.__setattr__(self, "instance", instance)


@dataclass(frozen=True, eq=False)
class Served:
    """The schedule of jobs that arrived over time.

    `submit (N,)`, `map_end (N,)` and `job_end (N,)` in time; `map` and `reduce` hold the tasks in order of
    start; `local` is the share of the map tasks that ran where their input lies.

    See also: `hmhs.serve`.

    >>> one = [[1.0], [1.0]]
    >>> two = Instance([4, 1], [1, 1], one, [1, 1], [1, 1], one)
    >>> served = serve(Arrivals(two, [0.0, 1.0]), "shortest")
    >>> served.job_end.tolist(), served.flow.tolist(), served.local
    ([5.0, 6.0], [5.0, 5.0], 1.0)
    """

    policy: str
    submit: np.ndarray
    map_end: np.ndarray
    job_end: np.ndarray
    map: Stage
    reduce: Stage
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
    - `copy`: the share of a reduce task's time that goes into copying, unless `jobs` has a column `copy` of
      such shares

    Raises ValueError as `from_trace` does, and when all jobs are submitted at once.

    See also: `hmhs.serve`, `hmhs.from_trace`.

    >>> columns = {"submit": [0.0, 5.0], "map_tasks": [3, 1], "map_time": [9.0, 4.0]}
    >>> jobs = pd.DataFrame(columns | {"reduce_tasks": [1, 1], "reduce_time": [5.0, 1.0]})
    >>> arriving(jobs, machines=2).submit[0]
    np.float64(0.0)
    """
    pools: Pools = (machines, machines)
    n_jobs = len(jobs) if n_jobs is None else n_jobs
    if "submit" not in jobs:
        raise ValueError(f"jobs: needs a column submit, not {list(jobs)}")
    if not 2 <= n_jobs <= len(jobs):
        raise ValueError(
            f"n_jobs: {n_jobs}, must be from 2 to {len(jobs)}, the number of jobs in the trace"
        )
    if not 0 < load < np.inf:
        raise ValueError(f"load: {load:g}, must be positive")
    if not 0 <= copy <= 1:
        raise ValueError(f"copy: {copy:g}, must be a share from 0 to 1")
    (choice,) = streams(seed, "hmhs jobs")
    chosen = jobs.iloc[np.sort(choice.permutation(len(jobs))[:n_jobs])]
    instance = from_trace(chosen, seed, machines=pools)
    work = max(
        (instance.map_task_time.mean(axis=1) * instance.map_tasks).sum(),
        (instance.reduce_task_time.mean(axis=1) * instance.reduce_tasks).sum(),
    )
    submit = (chosen["submit"] - chosen["submit"].min()).to_numpy(float)
    if not submit.max() > 0:
        raise ValueError("jobs: all submitted at once; a load needs times of submission")
    share = chosen["copy"].to_numpy(float) if "copy" in chosen else np.full(len(chosen), copy)
    least = np.maximum((1 - share) * instance.reduce_time, 1e-3)
    return Arrivals(
        replace(instance, reduce_time=least),
        submit * (work / machines / load / submit.max()),
        share * instance.reduce_time,
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
    own = policy if isinstance(policy, Policy) else None
    if own is not None:
        _check_own(own)
    elif policy not in SHARING:
        raise unknown("policy", policy, SHARING, "or give an hmhs.Policy")
    for name, value, low in (("delay", delay, 0), ("remote", remote, 1)):
        if not low <= value <= MOST:
            raise ValueError(f"{name}: {value:g}, must be from {low} to {MOST:g}")
    instance = arrivals.instance
    name = own.name if own else str(policy)
    inputs, queues = streams(seed, "hmhs inputs", "hmhs queues")
    holders = inputs.integers(0, instance.map_machines, (instance.map_tasks.sum(), REPLICAS))
    order = order_of(own, instance) if own else np.arange(instance.n_jobs)
    shared: dict[str, Any] = {"own": own is not None, "places": policy == "hmhs"}
    known = {"dealt": queues.integers(0, QUEUES, instance.n_jobs)}
    rngs = streams(seed, "hmhs map rule", "hmhs reduce rule")
    maps = _state(
        instance.stage("map"),
        order,
        rngs[0],
        prefer=np.broadcast_to(priority(instance)[:, None], instance.map_speed.shape),
        inputs=holders,
        known=known | {"rest": instance.reduce_tasks * instance.reduce_time},
        delay=float(delay if policy == "delay" else 0),
        remote=float(remote),
        **shared,
    )
    reduces = _state(
        instance.stage("reduce"),
        order,
        rngs[1],
        prefer=instance.reduce_task_time,
        inputs=np.zeros((instance.reduce_tasks.sum(), 0), np.int64),
        known=known | {"shuffle": arrivals.copy},
        delay=0.0,
        remote=1.0,
        **shared,
    )
    rules = (own.map_rule, own.reduce_rule) if own else (first, first)
    key = SHARING.get(name, serving.first_submitted)
    serving.serve(key, *rules, arrivals.submit, maps, reduces)
    _check_served(name, {"map_rule": maps, "reduce_rule": reduces})
    map_end = latest(arrivals.submit, maps.tasks)
    return Served(
        policy=name,
        submit=arrivals.submit,
        map_end=map_end,
        job_end=latest(map_end, reduces.tasks),
        map=maps.tasks,
        reduce=reduces.tasks,
        local=float(maps.local.mean()) if maps.local.size else 1.0,
    )


def _state(
    side: Side,
    order: np.ndarray,
    rng: np.random.Generator,
    *,
    prefer: np.ndarray,
    inputs: np.ndarray,
    known: dict[str, np.ndarray],
    **settings: Any,
) -> serving.State:
    """The state of a stage before its first job is ready; `known` has fields of `serving.JOB`."""
    n, m = side.speed.shape
    total = len(inputs)
    jobs = np.zeros(n, serving.JOB).view(np.recarray)
    jobs.stop = np.cumsum(side.tasks)
    jobs.low = jobs.stop - side.tasks
    jobs.unfinished = side.tasks
    jobs.since = np.inf
    jobs.passed = -1
    for name, values in known.items():
        jobs[name] = values
    clock = np.zeros(1, serving.CLOCK).view(np.recarray)
    clock.wake = np.inf
    slots = np.zeros(m, serving.SLOT).view(np.recarray)
    slots.job = -1
    return serving.State(
        clock=clock,
        line=line_of(order, side.tasks, np.full(n, np.inf), side.time, rng),
        jobs=jobs,
        slots=slots,
        unit=side.unit,
        speed=side.speed,
        prefer=frozen(prefer),
        inputs=inputs,
        used=np.zeros(QUEUES, np.int64),
        end=np.empty(m + 2),
        slot=np.empty(m + 2, np.int64),
        placed=np.zeros((n, m), np.int64),
        started=np.zeros(total, np.bool_),
        local=np.zeros(total, np.bool_),
        tasks=Stage.empty(total),
        refused=np.full(2, -1),
        **settings,
    )


def _check_served(name: str, stages: dict[str, serving.State]) -> None:
    """ValueError when a reader's rules ended the run."""
    for rule, state in stages.items():
        machine, job = state.refused.tolist()
        if machine >= 0:
            rest = "which does not wait; return a member of stage.queue, or -1 to wait"
            raise ValueError(
                f"policy {name!r}: its {rule} gave machine {machine} the job {job}, {rest}"
            )
    if left := sum(int(state.line.left.sum()) for state in stages.values()):
        raise ValueError(
            f"policy {name!r} left every slot waiting with {left} tasks to run; set stage.wake[0], "
            "or take each job in the end"
        )


def _check_own(policy: Policy) -> None:
    """ValueError on a policy that is made for a batch."""
    for stage in ("map_rule", "reduce_rule"):
        if not callable(rule := getattr(policy, stage)):
            raise ValueError(f"policy: its {stage} is {rule!r}, for a batch; give a function")
    if policy.barrier:
        raise ValueError("policy: a barrier waits for all maps, and jobs keep coming; leave it out")
