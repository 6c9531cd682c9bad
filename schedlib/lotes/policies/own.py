"""A policy of one's own: which machine on an arrival, which job on an exit.

    def worst_fit(cluster, job):
        best = -1
        for machine in range(len(cluster.config)):
            if lotes.can_start(cluster, job, machine):
                if best < 0 or cluster.free[machine, 0] > cluster.free[best, 0]:
                    best = machine
        return best

    lotes.simulate(lotes.Policy(arrive=worst_fit), configs, workload)

The library's `lotes.can_start` and `lotes.first_in_line` are such compiled functions too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba.core import types
from numba.core.typing import Signature

from schedlib.core import compiling
from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching.machine_tree import fits
from schedlib.lotes.dispatching.state import NONE, Given, refuse

OPTIONS: dict = {}


class Cluster(NamedTuple):
    """What a policy sees: N machines, M configurations, K classes, R resources, and S numbered jobs. Sizes
    are fractions of the largest capacity of each resource. One that comes in pieces has two columns: in
    whole pieces and, as the last, in shares of one (of which `free` has the largest).

    - `capacity (M, R)`, `pace (M, K)`: what a machine has; time per unit of work (infinite: cannot run there)
    - `config (N,)`, `free (N, R)`, `running (N, K)`: each machine's configuration, what it has left, and its
      jobs by class
    - `target (N, K)`: each machine's bin when `simulate` was given a plan, else zeros
    - `size (S, R)`, `work (S,)`, `submit (S,)`, `job_class (S,)`: of the jobs
    - `waiting (W,)`: the jobs that wait, in order of arrival, without the arriving one; `now`: the time
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
CLUSTER = types.NamedTuple([_F2, _F2, _I1, _F2, _I2, _I2, types.float64[:, :], _F1, _F1, types.int32[:], _I1,
                            types.float64], Cluster)
RULE = types.int64(CLUSTER, types.int64)
ON_ARRIVAL = compiling.rule(RULE, "(cluster, job) -> machine")
ON_EXIT = compiling.rule(RULE, "(cluster, machine) -> job")


@dataclass(frozen=True)
class Policy:
    """A reader's policy.

    - `arrive(cluster, job)`: the machine on which the arriving job starts now, or -1 to let it wait
    - `leave(cluster, machine)`: a member of `cluster.waiting` that starts on the machine a job has just left,
      or -1 for none; asked again after each start. Left out, the first in line that fits.

    Both are small functions of numbers, loops and arrays; they are compiled. Raises ValueError, with the
    compiler's reason, when one does not compile, and (from `simulate`) when one names a machine or a job that
    cannot be.
    """

    arrive: Callable
    leave: Callable | None = None
    name: str = "own"

    def __post_init__(self):
        object.__setattr__(self, "arrive", ON_ARRIVAL(self.arrive))
        object.__setattr__(self, "leave", ON_EXIT(self.leave or first_in_line))


@kernel
def can_start(cluster, job, machine):
    """Whether a job can start on a machine now: its class runs there, and there is room for it."""
    able = cluster.pace[cluster.config[machine], cluster.job_class[job]] < np.inf
    return able and fits(cluster.free[machine], cluster.size[job])


@ON_EXIT
def first_in_line(cluster: Cluster, machine: int) -> int:
    """The first waiting job that can start on the machine, or -1."""
    for job in cluster.waiting:
        if can_start(cluster, job, machine):
            return job
    return -1


class Rule(types.WrapperAddressProtocol):
    """A policy's compiled function as kernels take it: numba gives all of one signature the same type."""

    def __init__(self, function):
        self.function = function

    def __call__(self, *arguments):
        return self.function(*arguments)

    def __wrapper_address__(self):
        compiled = self.function.get_compile_result(RULE)
        return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)

    def signature(self) -> Signature:
        return RULE


class Own(NamedTuple):
    """What is kept: the policy's functions, and `running` and `target` of `Cluster`."""

    on_arrival: Rule
    on_exit: Rule
    running: np.ndarray
    target: np.ndarray


KEPT = Own


def begin(policy: Policy, settings: dict, given: Given) -> Own:
    bins = given.targets()
    return Own(on_arrival=Rule(policy.arrive), on_exit=Rule(policy.leave), target=bins,
               running=np.zeros_like(bins))


@kernel
def _seen(own, state):
    m, table, clock = state.machines, state.table, state.meter.clock[0]
    return Cluster(capacity=m.capacity, pace=m.pace, config=m.config, free=m.free, running=own.running,
                   target=own.target, size=table.size, work=table.job.work, submit=table.job.submit,
                   job_class=table.job.job_class, waiting=table.hall[: clock.waiting], now=clock.now)


@kernel
def arrive(own, state, slot, rng):
    """The machine that the policy gives the arriving job, or NONE."""
    cluster = _seen(own, state)
    machine = own.on_arrival(cluster, slot)
    if machine == NONE:
        return NONE
    if not 0 <= machine < cluster.config.size or not can_start(cluster, slot, machine):
        return refuse(state, True, slot, NONE, machine)
    own.running[machine, state.table.job[slot].job_class] += 1
    return machine


@kernel
def wait(own, state, slot, rng):
    """Let the job wait behind all others."""
    state.table.hall[state.meter.clock[0].waiting] = slot


@kernel
def left(own, state, slot, machine):
    """The machine runs one job less."""
    own.running[machine, state.table.job[slot].job_class] -= 1


@kernel
def pick(own, state, machine):
    """The waiting job that the policy starts on the machine, taken out of the hall, or NONE."""
    cluster, hall = _seen(own, state), state.table.hall
    slot, waiting = own.on_exit(cluster, machine), cluster.waiting.size
    if slot == NONE:
        return NONE
    place = 0
    while place < waiting and hall[place] != slot:
        place += 1
    if place == waiting or not can_start(cluster, slot, machine):
        return refuse(state, False, NONE, machine, slot)
    for later in range(place, waiting - 1):
        hall[later] = hall[later + 1]
    own.running[machine, state.table.job[slot].job_class] += 1
    return slot
