"""Stage 3 as a simulation: a policy dispatches a workload to the machines (LoTES, Sections 4.3 and 5)."""

import warnings

import numpy as np
import pandas as pd

from schedlib.core import streams
from schedlib.lotes.dispatching import meter as columns
from schedlib.lotes.dispatching.job_table import MACHINE, SUBMIT
from schedlib.lotes.dispatching.machine_tree import fractions, machines
from schedlib.lotes.model import JobClasses, MachineConfigs, Plan
from schedlib.lotes.policies.own import Policy
from schedlib.lotes.policies.shipped import OPTIONS, engine_parts, settings_of
from schedlib.lotes.replan import Replan
from schedlib.lotes.result import Simulation, frame_of
from schedlib.lotes.workloads.random_instances import BLOCK, Arrivals
from schedlib.workload import Workload


class Tasks:
    """A `Workload` as the simulator takes it: each task a job of its own, as much work as it is long."""

    def __init__(self, workload: Workload):
        jobs, tasks = workload.jobs, workload.tasks
        counts = np.diff(workload.offsets)
        self.job = np.repeat(jobs["job"].to_numpy(), counts)
        self.submit = np.repeat(jobs["submit"].to_numpy(float), counts)
        self.job_class = np.repeat(jobs["class"].to_numpy(np.int64), counts)
        self.work = tasks["duration"].to_numpy(float)
        self.demand = tasks[list(workload.resources)].to_numpy(float)
        self.resources, self.time_unit = workload.resources, workload.time_unit

    def blocks(self):
        for at in range(0, len(self.submit), BLOCK):
            part = slice(at, at + BLOCK)
            yield Arrivals(self.submit[part], self.job_class[part], self.work[part], self.demand[part])


def _classes(configs, jobs, plan, classes):
    if plan is not None:
        plan.require(configs, classes)
    generated = getattr(jobs, "classes", None)
    classes = classes or (plan.classes if plan is not None else generated)
    if classes is not None and classes.rate.shape[0] != configs.n_configs:
        raise ValueError(f"classes: rates for {classes.rate.shape[0]} configurations, but there are {configs.n_configs}")
    if generated is not None:
        if generated.rate.shape != classes.rate.shape:
            raise ValueError(f"classes: {classes.n_classes}, but the workload draws from {generated.n_classes}")
        return classes, jobs.pace()
    if classes is not None:
        return classes, np.where(classes.rate > 0, 1.0, np.inf)
    return None, np.ones((configs.n_configs, int(jobs.job_class.max(initial=0)) + 1))


def _check_block(block, size, capacity, pace, before):
    """Refuse a job that no machine can ever run, or of a class that is not there."""
    if len(block.job_class) and not (block.job_class.min() >= 0 and block.job_class.max() < pace.shape[1]):
        row = int(np.flatnonzero((block.job_class < 0) | (block.job_class >= pace.shape[1]))[0])
        raise ValueError(f"workload: job {before + row} is of class {block.job_class[row]}; there are {pace.shape[1]}, from 0 on")
    whole = np.isfinite(pace).all(axis=1) & (np.array([column.max() for column in size.T]) <= capacity).all(axis=1)
    if whole.any():
        return
    able = np.zeros(len(size), bool)
    for j, available in enumerate(capacity):
        able |= (size <= available).all(axis=1) & np.isfinite(pace[j, block.job_class])
    if not able.all():
        row = int(np.flatnonzero(~able)[0])
        demand = ", ".join(f"{value:g}" for value in block.demand[row])
        raise ValueError(
            f"workload: job {before + row} (class {block.job_class[row]}) needs ({demand}), more than any machine "
            "that may run it has; leave it out, split it, or add such machines"
        )


def _warn(name, jobs, plan):
    rate = getattr(jobs, "rate", None)
    limit = plan.rate_rounded if plan is not None else getattr(jobs, "limit", None)
    if rate is not None and limit is not None and rate > limit:
        left = (rate - limit) * jobs.hours
        warnings.warn(
            f"{name}: {rate:.6g} jobs per {jobs.time_unit} arrive, but stage 2 sustains {limit:.6g}; the queue may grow to about "
            f"{left:.3g} jobs in {jobs.hours:g} {jobs.time_unit}",
            stacklevel=3,
        )


def simulate(
    policy: str | Policy,
    configs: MachineConfigs,
    workload,
    *,
    plan: Plan | None = None,
    classes: JobClasses | None = None,
    seed: int = 0,
    record: bool = True,
    until: float | None = None,
    interval: float | None = None,
    slots: int = 1 << 16,
    replan: Replan | None = None,
    **options,
) -> Simulation:
    """Run a workload on the machines under a policy and measure how long jobs wait.

    `workload` is a `Workload` (each task is a job of one task, its class that of its job, its demands in the capacities' units
    and the order of their columns) or a `RandomWorkload`. The policies and their options:

    - `"lotes"` (needs `plan`): the extended version; `exit` `"delta"`: on an exit only classes with Delta > 0 are considered, or
      `"all"`; `fallback=False`: arrivals never start where Delta = 0; `sampled=N`: of a configuration N random machines are looked
      at; `wheel`: the roulette goes by `"delta"`, as printed, or by `"rate"`, Delta times mu (what the plan's machines serve)
    - `"lotes-first"` (needs `plan`): the first version, which after one spin takes the best score anywhere
    - `"greedy"`: `bypass=True` lets an arrival start on a machine on which others wait
    - `"tetris"`: weights `packing` and `work` of omega and gamma; `gamma_unit` of processing times in gamma: `"h"`, `"min"`,
      `"s"`, or None for the workload's unit
    - a `lotes.Policy`

    `seed` is for the policy's own choices alone. The run ends at `until`: when not given, a `RandomWorkload`'s `hours`, else when
    all jobs are done. `interval` is the width of an interval of the metrics (a hundredth of the arrivals' time unless given).
    `record=False` keeps no row per job: then memory does not grow with the run, unless the queue does. `classes` gives the rates
    (0: cannot run there) when there is no plan. `replan`, a `Replan`, has a LoTES policy plan anew while it runs. Gives a
    `Simulation`.

    Raises ValueError on an unknown policy or option, a plan made for other machines or classes, a job that no machine can run, and
    a policy that breaks the rules; warns when more arrives than stage 2 sustains. Source: LoTES, extended, Sections 4.3 and 5.1.

    >>> jobs = Workload.from_arrays([0, 0, 1], [4.0, 2.0, 1.0], cpu=[1, 1, 1])
    >>> run = simulate("greedy", MachineConfigs([[2.0]], [1]), jobs)
    >>> run.response.tolist(), int(run.intervals["queue_most"].max())
    ([0.0, 0.0, 1.0], 1)
    """
    from schedlib.lotes.dispatching import engine

    name, settings = settings_of(policy, options)
    jobs = Tasks(workload) if isinstance(workload, Workload) else workload
    if name in ("lotes", "lotes-first") and plan is None and policy in OPTIONS:
        raise ValueError(f"plan: {name!r} follows one; make it with lotes.plan(configs, classes)")
    if replan is not None and not (policy in ("lotes", "lotes-first") and isinstance(jobs, Tasks)):
        raise ValueError("replan: needs a LoTES policy and a Workload; other policies follow no plan, random ones do not drift")
    classes, pace = _classes(configs, jobs, plan, classes)
    resources = getattr(jobs, "resources", tuple(range(configs.n_resources)))
    width = jobs.demand.shape[1] if isinstance(jobs, Tasks) else jobs.classes.n_resources
    if width != configs.n_resources:
        raise ValueError(f"workload: demands {width} resources, but machines have {configs.n_resources}; needs a column for each")
    _warn(name, jobs, plan)

    typical = jobs.demand.mean(axis=0) if isinstance(jobs, Tasks) else jobs.typical()
    capacity, typical = fractions(configs.capacity, typical[None])
    m = machines(capacity, configs.count, np.ascontiguousarray(pace, float))
    span = jobs.submit[-1] if isinstance(jobs, Tasks) and len(jobs.submit) else getattr(jobs, "hours", 1.0)
    if isinstance(jobs, Tasks) and interval is None:
        span = max(span, float(jobs.work.max(initial=0.0))) or 1.0
    interval = span / 100 if interval is None else interval
    if not interval > 0:
        raise ValueError(f"interval: {interval}, must be positive")
    end = getattr(jobs, "hours", np.inf) if until is None else float(until)
    kind, parts = engine_parts(policy, settings, m, plan, jobs.time_unit, typical[0])
    sys = engine.system(m, **parts, slots=slots, intervals=128, width=interval)
    own = (policy.arrive, policy.leave) if kind == engine.OWN else (engine.nobody, engine.nobody)
    (choices,) = streams(seed, "lotes policy")
    planner = _planner(replan, plan, jobs, policy, settings, typical[0])
    sys, rows = _run(engine, own, kind, name, sys, configs, pace, jobs, choices, end, record, planner)
    return _result(name, settings, seed, sys, rows, jobs, configs, capacity, resources, end, planner)


def _planner(replan, plan, *rest):
    if replan is None:
        return None
    from schedlib.lotes.planner import Planner

    return Planner(replan, plan, *rest)


def _run(engine, own, kind, name, sys, configs, pace, jobs, choices, end, record, planner):
    """Feed the blocks to the kernel, giving it room when it asks; the final state, and the rows kept."""
    log, kept = engine.no_log(), []
    nothing = Arrivals(np.zeros(0), np.zeros(0, np.int64), np.zeros(0), np.zeros((0, configs.n_resources)))
    blocks = jobs.blocks()
    last = False
    while not last:
        block = next(blocks, None)
        last = block is None
        block = nothing if last else block
        size = fractions(configs.capacity, block.demand)[1]
        if len(size):
            _check_block(block, size, sys.m.capacity, pace, int(sys.seen[1]))
        if record:
            kept.append(block)
        if record or planner:
            log = _room(log, int(sys.seen[1]) + len(size))
        sys.seen[0] = 0
        arrays = (np.array(block.submit, float), np.array(block.job_class, np.int64), np.array(block.work, float), size)
        given = engine.Block(*(np.ascontiguousarray(array) for array in arrays))
        if planner:
            planner.relabel(given, sys.seen)
        while True:
            stop = min(end, planner.due) if planner else end
            status, where, _ = engine.advance(*own, kind, sys, given, log, choices, stop, last)
            if status == engine.DONE:
                more = sys.seen[0] < len(size) or (last and sys.events.count[0] > 0)
                if stop == end or not more:
                    break
                sys = planner.swap(sys, log)
                planner.relabel(given, sys.seen)
            elif status == engine.MORE_SLOTS:
                sys = engine.enlarged(sys)
            elif status == engine.MORE_INTERVALS:
                sys = sys._replace(meter=columns.lengthened(sys.meter))
            elif status == engine.BAD_MACHINE:
                raise ValueError(f"policy {name!r}: gave job {where} a machine that is not there or has no room; -1 lets it wait")
            elif status == engine.BAD_JOB:
                raise ValueError(f"policy {name!r}: gave machine {where} a job that does not wait or does not fit; -1 means none")
        if sys.seen[0] < len(size):
            break
    return sys, (kept, log)


def _room(log, rows):
    if rows <= len(log.start):
        return log
    size = max(rows, 2 * len(log.start))
    made = log._replace(start=np.full(size, np.nan), finish=np.full(size, np.nan), machine=np.full(size, -1))
    for new, old in zip(made, log, strict=True):
        new[: len(old)] = old
    return made


def _result(name, settings, seed, sys, rows, jobs, configs, capacity, resources, end, planner):
    meter = sys.meter
    state, series = meter.state, meter.series
    if np.isfinite(end):
        while end >= meter.width * len(meter.series):
            meter = columns.lengthened(meter)
        columns.tick(meter, float(end))
        series = meter.series
    time = float(state[columns.NOW])
    started, waiting = int(series[:, columns.STARTED].sum()), int(state[columns.WAITING])
    present = np.ones(len(sys.jobs.spare), bool)
    present[sys.jobs.spare[sys.jobs.taken[0] :]] = False
    present = np.flatnonzero(present)
    queued = present[sys.jobs.real[present, MACHINE] < 0]
    total = configs.count @ capacity
    busy, held = series[:, columns.BUSY :].sum(axis=0), series[:, columns.QUEUED_TIME].sum()
    r = configs.n_resources
    frame = None
    if rows[0]:
        frame = _frame(rows, int(sys.seen[1]), getattr(jobs, "job", None))
    return Simulation(
        policy=name,
        options=settings,
        seed=seed,
        jobs=frame,
        arrived=int(sys.seen[1]),
        started=started,
        finished=int(series[:, columns.FINISHED].sum()),
        waiting=waiting,
        mean_response=float(series[:, columns.WAIT].sum() / started) if started else float("nan"),
        longest=float(state[columns.LONGEST]),
        looked=float(state[columns.LOOKED] / max(sys.seen[1], 1)) if name in OPTIONS else float("nan"),
        mean_queue=float(series[:, columns.QUEUE_AREA].sum() / time) if time else 0.0,
        mean_present=float(state[columns.PRESENT_AREA] / time) if time else 0.0,
        residual=float((time - sys.jobs.real[queued, SUBMIT]).sum()),
        intervals=frame_of(meter, total, resources),
        utilisation=busy[:r] / (time * total) if time else np.zeros(r),
        fragmentation=1 - busy[r:] / (held * total) if held else np.full(r, np.nan),
        time=time,
        sketch=meter.sketch,
        width=meter.width,
        plans=tuple(planner.plans) if planner else (),
    )


def _frame(rows, n, names):
    kept, log = rows
    columns_of = [np.concatenate([getattr(block, name) for block in kept])[:n] for name in ("job_class", "submit")]
    job = np.arange(n) if names is None else names[:n]
    table = {"job": job, "class": columns_of[0], "submit": columns_of[1]}
    return pd.DataFrame({**table, "start": log.start[:n], "finish": log.finish[:n], "machine": log.machine[:n]})
