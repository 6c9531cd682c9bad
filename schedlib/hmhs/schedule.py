"""Policies and the schedules that they make: HMHS, its rivals, priced dispatch (ours), and a reader's own.

Priced dispatch: the linear program of the map stage uses job i on machine j only where the price of doing it
there, u_j E_ij, is the job's lowest. So a free machine takes, in Johnson's order of the priced jobs, the
first job whose price on it is within a factor of that job's lowest, or else the nearest. Reduces go by
Dynamic-Min-Min: few wait at a time, so what counts is which ends soonest.

It plans with each of `FACTORS` and by HMHS, before the first task runs, and keeps the plan with the smallest
makespan (on a tie the smaller factor, HMHS last). Prices mislead where few tasks share many machines: the
fluid optimum cuts tasks in pieces, and a machine then takes a task that would end sooner elsewhere. With HMHS
among the plans priced dispatch never loses to it, and only how far it wins is a finding.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from schedlib.core.checks import unknown
from schedlib.hmhs import list_scheduling, min_min
from schedlib.hmhs.bound import Bounds, bounds
from schedlib.hmhs.johnson import johnson, priority
from schedlib.hmhs.list_scheduling import OK, STUCK, best_price, first, first_in_line, first_ready
from schedlib.hmhs.model import Instance, Schedule, Stage

FACTORS = (1.0, 1.05, 1.1, 1.2, 1.5, 2.0)
MIN_MIN = "min-min"


def as_given(instance: Instance) -> np.ndarray:
    """The jobs in the order they were submitted."""
    return np.arange(instance.n_jobs)


def reverse_priority(instance: Instance) -> np.ndarray:
    """Pri's order reversed, ties included."""
    return -np.argsort(np.argsort(priority(instance), kind="stable"), kind="stable")


@dataclass(frozen=True)
class Policy:
    """An order of the jobs and a way to dispatch each stage.

    - `order(instance)` returns one number per job, (N,); the smaller, the earlier, ties as submitted
    - `map_rule`, `reduce_rule`: a function made by `hmhs.rule`, or `"min-min"`, which picks the machine too
      and so is no such function. Min-Min on the map stage then runs each machine's tasks in order of their
      jobs; on the reduce stage it is Dynamic-Min-Min.
    - `score(instance)`: tables (N, Mm) and (N, Mr) that rules see as `stage.score`; default: the task times
    - `barrier`: no reduce starts before every map has ended
    """

    order: Callable[[Instance], np.ndarray] = as_given
    map_rule: Callable | str = first
    reduce_rule: Callable | str = first
    score: Callable[[Instance], tuple[np.ndarray, np.ndarray]] | None = None
    barrier: bool = False
    name: str = "own"


POLICIES = {policy.name: policy for policy in (
    Policy(priority, MIN_MIN, MIN_MIN, name="hmhs"),
    Policy(reverse_priority, MIN_MIN, MIN_MIN, name="r-hmhs"),
    Policy(as_given, first, first, name="fifo"),
    Policy(priority, first, first, name="fifo-pri"),
    Policy(as_given, first, first_in_line, name="fifo-strict"),
    Policy(as_given, first, first_ready, name="fifo-ready"),
    Policy(as_given, first, first, barrier=True, name="fifo-barrier"))}
"""The policies that `schedule` knows by name, besides `"priced"`.

The paper does not say which job a free reduce machine takes under FIFO. Here it is the first ready job in
order, which keeps machines busy; the three last policies are the other readings.
"""


def run(instance: Instance, policy: Policy, maps: Stage | None = None) -> Schedule:
    """Dispatch all map tasks by a policy, then all reduce tasks; ValueError when it breaks the rules.

    `maps`: the map stage of a policy that dispatches it alike: by Min-Min, or by the same order and rule.
    """
    keys = np.asarray(policy.order(instance), dtype=float)
    if keys.shape != (instance.n_jobs,) or np.isnan(keys).any():
        raise ValueError(f"policy {policy.name!r}: order must return {instance.n_jobs} numbers, none NaN; "
                         f"got shape {keys.shape}")
    order = np.argsort(keys, kind="stable")
    scores = policy.score(instance) if policy.score else (instance.map_task_time, instance.reduce_task_time)
    ready = np.zeros(instance.n_jobs)
    map_steps = np.zeros(2, int)
    if maps is None:
        maps, map_steps = _dispatch(policy, "map", instance, order, ready, scores[0])
    if policy.map_rule == MIN_MIN:
        maps = maps._replace(start=maps.start.copy(), finish=maps.finish.copy())
        min_min.sequence(order, instance.map_task_time, maps)
    map_end = _latest(ready, maps)
    ready = np.full_like(map_end, map_end.max()) if policy.barrier else map_end
    reduces, reduce_steps = _dispatch(policy, "reduce", instance, order, ready, scores[1])
    job_end = _latest(map_end, reduces)
    steps, full_scan = map_steps + reduce_steps
    return Schedule(policy=policy.name, makespan=float(job_end.max()), map_end=map_end, job_end=job_end,
                    map=maps, reduce=reduces, steps=int(steps), steps_full_scan=int(full_scan))


def _latest(least: np.ndarray, stage: Stage) -> np.ndarray:
    """When the last task of each job ends in this stage, (N,), and at least `least (N,)`."""
    end = least.copy()
    np.maximum.at(end, stage.job, stage.finish)
    return end


def _dispatch(policy: Policy, name: str, instance: Instance, order, ready, score) -> tuple[Stage, np.ndarray]:
    """Dispatch the stage called `name` by the policy's rule: its tasks, and both counts of candidates."""
    rule = getattr(policy, f"{name}_rule")
    tasks = np.array(getattr(instance, f"{name}_tasks"))  # kernels are compiled for writeable arrays only
    time = getattr(instance, f"{name}_task_time")
    stage = Stage.empty(int(tasks.sum()))
    if rule == MIN_MIN:
        return stage, np.array(min_min.dispatch(ready, tasks, time, stage))
    if not callable(rule):
        raise ValueError(f"policy {policy.name!r}: {name}_rule is {rule!r}; give {MIN_MIN!r} or a function "
                         "made by @hmhs.rule")
    score = np.ascontiguousarray(score, dtype=float)
    if score.shape != time.shape:
        raise ValueError(f"policy {policy.name!r}: the {name} score has shape {score.shape}; needs "
                         f"{time.shape}")
    ended = list_scheduling.dispatch(list_scheduling.rule(rule), order, ready, tasks, time, score, stage)
    job, broke = ended.job, f"policy {policy.name!r}: at {ended.time:.4g} its {name} rule"
    if ended.status == STUCK:
        raise ValueError(f"{broke} left every machine waiting with {tasks.sum() - ended.started} tasks still "
                         "to start; some machine must take each job in the end")
    if ended.status != OK:
        why = f"there are {ready.size} jobs, 0 to {ready.size - 1}"
        if -1 <= job < ready.size:
            why = f"its maps end at {ready[job]:.4g}" if ready[job] > ended.time else "it has no task left"
        raise ValueError(f"{broke} gave machine {ended.machine} the job {job}, which is not waiting: {why}; "
                         "return a member of stage.queue, or -1 to wait")
    return stage, np.array([ended.started, ended.started])


def relative_prices(machine_price: np.ndarray, time: np.ndarray) -> np.ndarray:
    """What a task of job i costs on machine j over what it costs where it is cheapest, (N, M), at least 1.

    `machine_price (M,)`: u_j; `time (N, M)`: E_ij. A machine that the fluid optimum leaves idle has price
    zero; where a job is free on such a machine, its price is 1 there and infinite on all that cost something.

    >>> relative_prices(np.array([0.5, 0.5]), np.array([[1.0, 3.0]])).tolist()
    [[1.0, 3.0]]
    """
    price = machine_price * time
    least = price.min(axis=1, keepdims=True)
    return np.where(least > 0, price / np.where(least > 0, least, 1.0), np.where(price > 0, np.inf, 1.0))


def priced_policy(instance: Instance, known: Bounds, factor: float) -> Policy:
    """The policy that dispatches the maps by the prices in `known`, within `factor` of a job's lowest."""
    rank = np.argsort(johnson(known.map_prices.job, known.reduce_prices.job))
    score = relative_prices(known.map_prices.machine, instance.map_task_time) / (factor * (1 + 1e-9))
    scores = score, instance.reduce_task_time
    return Policy(lambda _: rank, best_price, MIN_MIN, lambda _: scores, name="priced")


def priced(instance: Instance, known: Bounds | None = None, hmhs: Schedule | None = None) -> Schedule:
    """Schedule by priced dispatch; `known` bounds and HMHS's own schedule are not worked out again.

    >>> from schedlib.hmhs.workloads import single
    >>> instance = single(20, seed=1, machines=(5, 5))
    >>> priced(instance).makespan <= run(instance, POLICIES["hmhs"]).makespan
    True
    """
    known = bounds(instance) if known is None else known
    plans = [run(instance, priced_policy(instance, known, factor)) for factor in FACTORS]
    plans.append(replace(hmhs or run(instance, POLICIES["hmhs"]), policy="priced"))
    return min(plans, key=lambda plan: plan.makespan)


def schedule(instance: Instance, policy: str | Policy = "hmhs") -> Schedule:
    """Schedule an instance by a named policy, or by a reader's own `Policy`.

    Names: `"hmhs"`, `"r-hmhs"`, `"fifo"`, `"fifo-pri"` (the paper's four), `"priced"` (ours, beyond the
    paper), and the other readings of FIFO, `"fifo-strict"` (a reduce machine waits for the first unfinished
    job), `"fifo-ready"` (reduces in the order in which they become ready), `"fifo-barrier"` (no reduce before
    the last map). Raises ValueError on an unknown name and on a policy that breaks the rules, with the time,
    the machine and the job. Source: HMHS, Sections 3.3 and 4.

    >>> one = [[1.0], [1.0]]
    >>> two = Instance([5, 1], [1, 1], one, [1, 5], [1, 1], one)
    >>> schedule(two, "fifo").makespan, schedule(two, "hmhs").makespan
    (11.0, 7.0)
    """
    if isinstance(policy, Policy):
        return run(instance, policy)
    if not isinstance(policy, str):
        raise ValueError(f"policy: {policy!r}; give a name or hmhs.Policy(order=..., map_rule=..., "
                         "reduce_rule=...)")
    if policy == "priced":
        return priced(instance)
    if policy not in POLICIES:
        raise unknown("policy", policy, [*POLICIES, "priced"], "or pass a hmhs.Policy")
    return run(instance, POLICIES[policy])


def warm() -> None:
    """Compile or load every kernel, so that what is timed next is not charged for it."""
    tiny = Instance(*(np.ones(2), np.ones(2), np.ones((2, 2))) * 2)
    for policy in POLICIES.values():
        run(tiny, policy)
