"""The parts that systems are made of. A shipped part and a reader's function are records of the same kind:

def emptiest_of_two(cluster, job, probe, rng):
    a, b = int(rng.random() * len(cluster.queued)), int(rng.random() * len(cluster.queued))
    return a if cluster.queued[a] + cluster.busy[a] <= cluster.queued[b] + cluster.busy[b] else b

mine = eagle.System("two choices", short_jobs=emptiest_of_two, long_jobs="lwl", queue="fifo")
eagle.simulate(workload, mine, workers=100, short_partition=0.1, cutoff=60)
"""

from collections.abc import Callable
from typing import NamedTuple

import numba
import numpy as np
from numba.core import types

from schedlib.core.checks import unknown
from schedlib.core.compiling import rule

ANYWHERE, THREE_ROUNDS, CLEAR, LEAST_WORK, OLD_NEWS, READERS_WAY = range(6)
"""Ways in which the tasks of a job come to workers: the branches of `engine.bring`."""
FIRST_COME, SHORTEST_JOB, SHORTEST_JOB_AS_WRITTEN, SHORTEST_TASK, READERS_ORDER = range(5)
"""Orders in which a worker serves its queue: the branches of `reorder.choose`."""
NOBODY, SHORT, EVERYBODY = range(3)
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


_COUNTS, _TIMES = types.int64[:], types.float64[:]
CLUSTER = types.NamedTuple(
    [types.float64, types.int64, *3 * [_COUNTS], _TIMES, *3 * [_COUNTS]], Cluster)
SEND = types.int64(CLUSTER, types.int64, types.int64, numba.typeof(np.random.default_rng(0)))
PICK = types.int64(CLUSTER, types.int64[::1])


class Part(NamedTuple):
    """A way in which tasks come to workers, or an order in which a worker serves its queue.

    The fields say what the part needs: only `engine.bring` and `reorder.choose` ask which part it is.
    """

    branch: int
    written: int = -1  # another branch as written (-1: the same)
    places: bool = False  # whole tasks are placed; otherwise probes are sent
    stale: bool = False  # by the news of the last heartbeat
    shares: bool = False  # it needs the bits of a centre: long jobs placed by "lwl", and a short partition
    rejects: bool = False  # workers with a long task reject probes; as written they do when these arrive
    charges: int = NOBODY  # whose bypass counters grow: short ones' when short ones overtake, or everybody's
    news: bool = False  # it goes by what workers know of started tasks
    function: Callable | None = None  # a reader's function, compiled

    def at(self, published: bool) -> int:
        """The branch as published or as written."""
        return self.branch if published or self.written < 0 else self.written


WAYS = {
    "probes": Part(branch=ANYWHERE),
    "sss": Part(branch=THREE_ROUNDS, written=ANYWHERE, shares=True, rejects=True),
    "clear": Part(branch=CLEAR, shares=True),
    "lwl": Part(branch=LEAST_WORK, places=True),
    "stale-lwl": Part(branch=OLD_NEWS, places=True, stale=True),
}
ORDERS = {
    "fifo": Part(branch=FIRST_COME),
    "srpt": Part(branch=SHORTEST_JOB, written=SHORTEST_JOB_AS_WRITTEN, charges=SHORT, news=True),
    "srpt-tasks": Part(branch=SHORTEST_TASK, charges=EVERYBODY),
}
ARGUMENTS = {
    "short_jobs": (WAYS, READERS_WAY, rule(SEND, "(cluster, job, probe, rng) -> worker")),
    "long_jobs": ({name: WAYS[name] for name in ("lwl", "probes", "stale-lwl")}, -1, None),
    "queue": (ORDERS, READERS_ORDER, rule(PICK, "(cluster, line) -> place")),
}
"""For each argument of a `System`: its shipped parts, and a reader's function's branch and compiler."""


def part(argument: str, given: str | Callable) -> Part:
    """The shipped part of that name, or a reader's function compiled; ValueError where neither fits."""
    shipped, branch, compiler = ARGUMENTS[argument]
    if callable(given) and compiler is not None:
        return Part(branch=branch, function=compiler(given))
    if not isinstance(given, str) or given not in shipped:
        raise unknown(argument, given, shipped)
    return shipped[given]


@rule(SEND)
def nowhere(cluster, job, probe, rng):
    """What the engine is handed when the probes go where a shipped part says."""
    return 0


@rule(PICK)
def first(cluster, line):
    """What the engine is handed when the order in a queue is a shipped one."""
    return 0
