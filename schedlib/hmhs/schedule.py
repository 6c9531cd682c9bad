"""Schedules by HMHS, its rivals, and a reader's own policy: an order of the jobs and a dispatch rule for each stage."""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches

import numba
import numpy as np

from schedlib.hmhs import list_scheduling, min_min
from schedlib.hmhs.johnson import priority
from schedlib.hmhs.model import Instance, Schedule, Stage

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
    - `map_rule`, `reduce_rule`: a function made by `hmhs.rule`, or `"min-min"`. Min-Min on the map stage then runs each machine's
      tasks in order of their jobs; on the reduce stage it is Dynamic-Min-Min.
    - `score(instance)`: tables (N, Mm) and (N, Mr) that the rules see as `stage.score`; task times unless given
    - `barrier`: no reduce starts before every map has ended
    """

    order: Callable[[Instance], np.ndarray] = as_given
    map_rule: Callable | str = list_scheduling.first
    reduce_rule: Callable | str = list_scheduling.first
    score: Callable[[Instance], tuple[np.ndarray, np.ndarray]] | None = None
    barrier: bool = False
    name: str = "own"


def _policies():
    fifo = list_scheduling.first
    shipped = {
        "hmhs": Policy(priority, MIN_MIN, MIN_MIN),
        "r-hmhs": Policy(reverse_priority, MIN_MIN, MIN_MIN),
        "fifo": Policy(as_given, fifo, fifo),
        "fifo-pri": Policy(priority, fifo, fifo),
        "fifo-strict": Policy(as_given, fifo, list_scheduling.first_in_line),
        "fifo-ready": Policy(as_given, fifo, list_scheduling.first_ready),
        "fifo-barrier": Policy(as_given, fifo, fifo, barrier=True),
    }
    return {name: Policy(**{**vars(policy), "name": name}) for name, policy in shipped.items()}


POLICIES = _policies()
"""The policies that `schedule` knows by name, besides `"priced"`. The three other FIFOs are other readings of the paper's text."""


def _order(policy, instance):
    keys = np.asarray(policy.order(instance), dtype=float)
    if keys.shape != (instance.n_jobs,) or np.isnan(keys).any():
        raise ValueError(f"policy {policy.name!r}: order must return {instance.n_jobs} numbers, none NaN; got shape {keys.shape}")
    return np.argsort(keys, kind="stable")


def _run_stage(name, rule, policy, order, ready, tasks, time, score):
    tasks, time = np.array(tasks), np.ascontiguousarray(time)  # kernels are compiled for writeable arrays only
    total = int(tasks.sum())
    stage = Stage(np.empty(total, np.int64), np.empty(total, np.int64), np.empty(total), np.empty(total))
    if rule == MIN_MIN:
        return stage, np.array(min_min.dispatch(ready, tasks, time, *stage))
    if not callable(rule):
        raise ValueError(f"policy {policy.name!r}: {name}_rule is {rule!r}; give {MIN_MIN!r} or a function made by @hmhs.rule")
    if not hasattr(rule, "py_func") and not numba.config.DISABLE_JIT:
        rule = list_scheduling.rule(rule)
    score = np.ascontiguousarray(score, dtype=float)
    if score.shape != time.shape:
        raise ValueError(f"policy {policy.name!r}: the {name} score has shape {score.shape}; needs {time.shape}")
    status, where, job = list_scheduling.dispatch(rule, order, ready, tasks, time, score, *stage)
    if status == list_scheduling.BAD_JOB:
        raise ValueError(
            f"policy {policy.name!r}: its {name} rule gave machine {where} the job {job}, which is not waiting; "
            "return a member of stage.queue, or -1 to wait"
        )
    if status == list_scheduling.STUCK:
        raise ValueError(
            f"policy {policy.name!r}: its {name} rule left every machine waiting with {total - where} tasks still to start; "
            "some machine must take each job in the end"
        )
    return stage, np.array([where, where])


def _latest(jobs, stage, least):
    end = np.array(least, dtype=float)
    np.maximum.at(end, stage.job, stage.finish)
    return end


def schedule(instance: Instance, policy: str | Policy = "hmhs") -> Schedule:
    """Schedule an instance by a named policy, or by a reader's own `Policy`.

    Names: `"hmhs"`, `"r-hmhs"`, `"fifo"`, `"fifo-pri"` (the paper's four), `"priced"` (ours, beyond the paper), and the other
    readings of FIFO, `"fifo-strict"` (a reduce machine waits for the first unfinished job), `"fifo-ready"` (reduces in the order
    in which they become ready), `"fifo-barrier"` (no reduce before the last map). Raises ValueError on an unknown name and on a
    policy that breaks the rules. Source: HMHS, Sections 3.3 and 4.

    >>> one = [[1.0], [1.0]]
    >>> two = Instance([5, 1], [1, 1], one, [1, 5], [1, 1], one)
    >>> schedule(two, "fifo").makespan, schedule(two, "hmhs").makespan
    (11.0, 7.0)
    """
    if policy == "priced":
        from schedlib.hmhs.priced import priced

        return priced(instance)
    if isinstance(policy, str):
        if policy not in POLICIES:
            names = [*POLICIES, "priced"]
            near = get_close_matches(policy, names, 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise ValueError(f"policy: {policy!r} is unknown; {hint}choose from {', '.join(names)}, or pass a hmhs.Policy")
        policy = POLICIES[policy]
    elif not isinstance(policy, Policy):
        raise ValueError(f"policy: {policy!r}; give a name or hmhs.Policy(order=..., map_rule=..., reduce_rule=...)")

    order = _order(policy, instance)
    map_score, reduce_score = (
        policy.score(instance) if policy.score else (instance.map_task_time, instance.reduce_task_time)
    )
    present = np.zeros(instance.n_jobs)
    maps, map_steps = _run_stage(
        "map", policy.map_rule, policy, order, present, instance.map_tasks, instance.map_task_time, map_score
    )
    if policy.map_rule == MIN_MIN:
        min_min.sequence(order, maps.job, maps.machine, instance.map_task_time, maps.start, maps.finish)
    map_end = _latest(instance.n_jobs, maps, present)
    ready = np.full_like(map_end, map_end.max()) if policy.barrier else map_end
    reduces, reduce_steps = _run_stage(
        "reduce", policy.reduce_rule, policy, order, ready, instance.reduce_tasks, instance.reduce_task_time, reduce_score
    )
    job_end = _latest(instance.n_jobs, reduces, map_end)
    steps = (int(count) for count in map_steps + reduce_steps)
    return Schedule(policy.name, float(job_end.max()), map_end, job_end, maps, reduces, *steps)


def warm() -> None:
    """Compile or load every kernel, so that the first point of a sweep is not charged for it."""
    tiny = Instance([1, 1], [1, 1], np.ones((2, 2)), [1, 1], [1, 1], np.ones((2, 2)))
    for policy in POLICIES:
        schedule(tiny, policy)
