"""Parts of one's own: where a short job's probes go, and what a worker runs next.

def emptiest_of_two(cluster, job, probe, rng):
    a, b = int(rng.random() * len(cluster.queued)), int(rng.random() * len(cluster.queued))
    return a if cluster.queued[a] + cluster.busy[a] <= cluster.queued[b] + cluster.busy[b] else b

mine = eagle.System("two choices", short_jobs=emptiest_of_two, long_jobs="lwl", queue="fifo")
eagle.simulate(workload, mine, workers=100, short_partition=0.1, cutoff=60)
"""

from typing import NamedTuple

import numba
import numpy as np
from numba.core import types

from schedlib.core import compiling
from schedlib.core.uncounted import kernel
from schedlib.eagle.simulating import columns as at


class Cluster(NamedTuple):
    """What a reader's part sees: W workers, N jobs by number.

    - `now` (s), `short_only`: workers 0 to short_only - 1 are the short partition
    - `queued (W,)`: entries waiting; `busy (W,)`: 1 when a worker asks for a task or runs one; `long_tasks (W,)`: tasks placed there
      by the centre and not finished
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


_COLUMN, _REAL, _LINE = types.int64[:], types.float64[:], types.int64[::1]
CLUSTER = types.NamedTuple([types.float64, types.int64, _COLUMN, _COLUMN, _COLUMN, _REAL, _COLUMN, _COLUMN, _COLUMN], Cluster)
SEND = types.int64(CLUSTER, types.int64, types.int64, numba.typeof(np.random.default_rng(0)))
PICK = types.int64(CLUSTER, _LINE)


@kernel
def seen(sys, now):
    """What a reader's part sees."""
    workers, jobs = sys.workers.whole, sys.jobs.whole
    of_workers = workers[:, at.QUEUED], workers[:, at.BUSY], workers[:, at.PLACED]
    of_jobs = sys.jobs.real[:, at.ESTIMATE], jobs[:, at.TASKS], jobs[:, at.UNSTARTED], jobs[:, at.LONG]
    return Cluster(now, sys.how.short_only, *of_workers, *of_jobs)


@kernel
def picked_by_reader(pick, sys, worker, now):
    """The entry that a reader's rule picks and the one in front of it; an impossible place is noted and ends the run."""
    whole, line = sys.entries.whole, sys.choices.line
    size = 0
    entry = sys.workers.whole[worker, at.HEAD]
    while entry >= 0:
        line[size] = whole[entry, at.OWNER]
        size += 1
        entry = whole[entry, at.NEXT]
    place = pick(seen(sys, now), line[:size])
    if place < 0 or place >= size:
        sys.counts[at.REFUSED] = 1 + worker
        place = 0
    before, entry = -1, sys.workers.whole[worker, at.HEAD]
    for _ in range(place):
        before, entry = entry, whole[entry, at.NEXT]
    return entry, before


def part(function, signature):
    """A reader's function, compiled; ValueError, with the compiler's reason, when it does not compile."""
    if numba.config.DISABLE_JIT:
        return function
    if isinstance(function, numba.core.dispatcher.Dispatcher) and signature.args in [tuple(s) for s in function.signatures]:
        return function
    return compiling.rule(signature)(function)


@compiling.rule(SEND)
def nowhere(cluster, job, probe, rng):
    return 0


@compiling.rule(PICK)
def first(cluster, line):
    return 0
