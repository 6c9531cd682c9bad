"""A reader's own parts: where the probes of a short job go, and what a worker runs next.

def emptiest_of_two(cluster, job, probe, rng):
    a, b = int(rng.random() * len(cluster.queued)), int(rng.random() * len(cluster.queued))
    return a if cluster.queued[a] + cluster.busy[a] <= cluster.queued[b] + cluster.busy[b] else b

mine = eagle.System("two choices", short_jobs=emptiest_of_two, long_jobs="lwl", queue="fifo")
eagle.simulate(workload, mine, workers=100, short_partition=0.1, cutoff=60)
"""

from typing import Any, NamedTuple

import numba
import numpy as np
from numba.core import types

from schedlib.core import compiling
from schedlib.core.uncounted import kernel

UNKNOWN_WORKER, UNKNOWN_PLACE = 1, 2
"""Choices of a reader's function that end a run: a worker or a place in a queue that does not exist."""


class Cluster(NamedTuple):
    """What a reader's function sees: W workers and N jobs by number. Read the arrays, change none.

    - `now` (s), `short_only`: workers 0 to short_only - 1 are the short partition
    - `queued (W,)`: entries waiting; `busy (W,)`: 1 when a worker asks for a task or runs one
    - `long_tasks (W,)`: tasks placed there by the centre and not finished
    - `estimate (N,)` of one task (s), `tasks (N,)`, `unstarted (N,)` tasks, `long (N,)` 1 for long jobs
    """

    now: float
    short_only: int
    queued: np.ndarray
    busy: np.ndarray
    long_tasks: np.ndarray
    estimate: np.ndarray
    tasks: np.ndarray
    unstarted: np.ndarray
    long: np.ndarray


_COUNTS, _TIMES, _LINE = types.int64[:], types.float64[:], types.int64[::1]
CLUSTER = types.NamedTuple([types.float64, types.int64, _COUNTS, _COUNTS, _COUNTS, _TIMES, _COUNTS, _COUNTS,
                            _COUNTS], Cluster)
SEND = types.int64(CLUSTER, types.int64, types.int64, numba.typeof(np.random.default_rng(0)))
PICK = types.int64(CLUSTER, _LINE)
SEND_FORM, PICK_FORM = "(cluster, job, probe, rng) -> worker", "(cluster, line) -> place"


@kernel
def seen(state, now):
    """What a reader's function sees."""
    workers, jobs = state.workers, state.jobs
    return Cluster(now=now, short_only=state.how.short_only, queued=workers.queued, busy=workers.busy,
                   long_tasks=workers.placed, estimate=jobs.estimate, tasks=jobs.tasks,
                   unstarted=jobs.unstarted, long=jobs.long)


@kernel
def refuse(state, what, choice, choices, now):
    """Record that a reader's function chose what does not exist; the engine then ends the run."""
    refusal = state.refusal[0]
    refusal.what, refusal.time, refusal.choice, refusal.choices = what, now, choice, choices


def refusal_text(state: Any, system: str, unit: str, names: np.ndarray) -> str:
    """What a reader's function chose, when, and what it could have; `names (N,)` by submission."""
    refusal = state.refusal[0]
    time, last = f"at {refusal.time:.4g} {unit}", refusal.choices - 1
    if refusal.what == UNKNOWN_WORKER:
        probe = f"probe {refusal.probe} of job {names[refusal.job]}"
        chose = f"short_jobs sends {probe} {time} to worker {refusal.choice}; there are {refusal.choices}"
    else:
        jobs = ", ".join(str(names[job]) for job in state.choices.line[: min(refusal.choices, 5)])
        line = f"the line of worker {refusal.worker} (jobs {jobs}{' ...' if last > 4 else ''})"
        chose = f"queue picks place {refusal.choice} {time} in {line}; it has {refusal.choices}"
    return f"system {system!r}: {chose}; return one of 0 to {last}"


@compiling.rule(SEND)
def nowhere(cluster, job, probe, rng):
    """What the engine is handed when the probes go where a shipped part says."""
    return 0


@compiling.rule(PICK)
def first(cluster, line):
    """What the engine is handed when the order in a queue is a shipped one."""
    return 0
