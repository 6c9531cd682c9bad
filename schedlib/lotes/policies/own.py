"""A policy of one's own: which machine on an arrival, which job on an exit.

    def worst_fit(cluster, job):
        best = -1
        for machine in range(len(cluster.config)):
            if lotes.can_start(cluster, job, machine) and (best < 0 or cluster.free[machine, 0] > cluster.free[best, 0]):
                best = machine
        return best

    lotes.simulate(lotes.Policy(arrive=worst_fit), configs, workload)

The library's `lotes.can_start` and `lotes.first_in_line` are such compiled functions too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numba
import numpy as np
from numba.core import types

from schedlib.core import compiling
from schedlib.core.uncounted import kernel


class Cluster(NamedTuple):
    """What a policy sees: N machines, M configurations, K classes, R resources, and the jobs in the system by number.

    Sizes are fractions of the largest capacity of each resource.

    - `capacity (M, R)`, `pace (M, K)`: what a machine has, and time per unit of work (infinite: that class cannot run there)
    - `config (N,)`, `free (N, R)`, `running (N, K)`: each machine's configuration, what it has left, and its jobs by class
    - `target (N, K)`: each machine's bin when `simulate` was given a plan, else zeros
    - `size (S, R)`, `work (S,)`, `submit (S,)`, `job_class (S,)`: of the jobs
    - `waiting (W,)`: the jobs that wait, in order of arrival (the arriving one is not among them)
    - `now`: the time
    """

    capacity: np.ndarray
    pace: np.ndarray
    config: np.ndarray
    free: np.ndarray
    running: np.ndarray
    target: np.ndarray
    size: np.ndarray
    work: np.ndarray
    submit: np.ndarray
    job_class: np.ndarray
    waiting: np.ndarray
    now: float


_F1, _F2, _I1, _I2 = types.float64[:], types.float64[:, ::1], types.int64[::1], types.int64[:, ::1]
CLUSTER = types.NamedTuple(
    [_F2, _F2, _I1, _F2, _I2, _I2, types.float64[:, :], _F1, _F1, types.int64[:], _I1, types.float64], Cluster
)
RULE = types.int64(CLUSTER, types.int64)


@dataclass(frozen=True)
class Policy:
    """A reader's policy.

    - `arrive(cluster, job)`: the machine on which the arriving job starts now, or -1 to let it wait
    - `leave(cluster, machine)`: a member of `cluster.waiting` that starts on the machine a job has just left, or -1 for none; asked
      again after each start. Left out, the first in line that fits.

    Both are small functions of numbers, loops and arrays; they are compiled. Raises ValueError, with the compiler's reason, when
    one does not compile, and (from `simulate`) when one names a machine or a job that cannot be.
    """

    arrive: Callable
    leave: Callable | None = None
    name: str = "own"

    def __post_init__(self):
        object.__setattr__(self, "arrive", _compiled(self.arrive))
        object.__setattr__(self, "leave", _compiled(self.leave or first_in_line))


def _compiled(function):
    if isinstance(function, numba.core.dispatcher.Dispatcher) and RULE.args in [tuple(s) for s in function.signatures]:
        return function
    return function if numba.config.DISABLE_JIT else compiling.rule(RULE)(function)


@kernel
def can_start(cluster, job, machine):
    """Whether a job can start on a machine now: its class runs there, and there is room for it."""
    if cluster.pace[cluster.config[machine], cluster.job_class[job]] == np.inf:
        return False
    for l in range(cluster.free.shape[1]):
        if cluster.size[job, l] > cluster.free[machine, l]:
            return False
    return True


@compiling.rule(RULE)
def first_in_line(cluster, machine):
    """The first waiting job that can start on the machine, or -1."""
    for job in cluster.waiting:
        if can_start(cluster, job, machine):
            return job
    return -1
