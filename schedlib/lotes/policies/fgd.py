"""Fragmentation gradient descent: the machine whose GPUs a task makes least useless to the tasks to come.

Weng et al., *Beware of fragmentation* (USENIX ATC 2023), Section 4; beyond the LoTES papers. A machine n with
R_g left of GPU g is fragmented, for a typical task m, by

    F_n(m) = sum_g R_g                              where m cannot run on n now, or asks for no GPU
    F_n(m) = sum_g R_g [R_g < min(m's GPUs, 1)]     where it can

and for all of them by F_n(M) = sum_m popularity_m F_n(m). An arriving task goes to the machine, and a share
of a GPU to the GPU, where F_n(M) rises least; ties go to the first. The paper places or rejects; here a task
that fits nowhere waits, and a machine that a task has left starts the first in line that fits.
"""

from typing import Any, NamedTuple

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching import machine_tree as tree
from schedlib.lotes.dispatching.machine_tree import Machines, fits, piece_unit, sizes
from schedlib.lotes.dispatching.state import NONE, Given
from schedlib.lotes.model import MachineConfigs
from schedlib.workload import Workload

OPTIONS = {"fgd": {"typical": None}}


class Typical(NamedTuple):
    """The typical tasks: `demand (M, R)`, each once, and `popularity (M,)`, the part of all tasks it is.

    See also: `lotes.typical_tasks`, which counts them in a workload; `lotes.fragmentation`.

    >>> halves = Typical(demand=np.array([[4.0, 0.5], [8.0, 1.0]]), popularity=np.array([0.75, 0.25]))
    >>> halves.popularity.sum()
    np.float64(1.0)
    """

    demand: np.ndarray
    popularity: np.ndarray


class Fragments(NamedTuple):
    """What FGD keeps of its typical tasks and of N machines."""

    size: np.ndarray  # (M, R + 1)
    popularity: np.ndarray  # (M,)
    now: np.ndarray  # (N,): F_n(M) of each machine, a fraction of the largest capacity of GPUs


KEPT = Fragments


def typical_tasks(workload: Workload, cover: float = 0.95) -> Typical:
    """The most popular demands of a workload's tasks, so many that they make up the part `cover` of them.

    >>> typical_tasks(Workload.from_arrays([0, 1, 2], [9, 9, 9], cpu=[4, 2, 4], gpu=[0.5, 1, 0.5]), 0.6)
    Typical(demand=array([[4. , 0.5]]), popularity=array([1.]))
    """
    if not 0 < cover <= 1:
        raise ValueError(f"cover: {cover}, must be a part of the tasks, more than 0 and at most 1")
    demand, number = np.unique(
        workload.tasks[list(workload.resources)].to_numpy(float), axis=0, return_counts=True
    )
    order = np.argsort(-number, kind="stable")
    order = np.sort(order[: np.searchsorted(np.cumsum(number[order]), cover * number.sum()) + 1])
    return Typical(demand=demand[order], popularity=number[order] / number[order].sum())


def check(settings: dict) -> None:
    """Raise ValueError unless typical tasks are given."""
    if not isinstance(settings["typical"], Typical):
        raise ValueError(
            "typical: 'fgd' goes by typical tasks; make them with lotes.typical_tasks(workload)"
        )


def kept(typical: Typical, configs: MachineConfigs, m: Machines) -> Fragments:
    """Typical tasks in the engine's units, those of equal GPUs side by side, and the state of machines."""
    if configs.pieces is None:
        raise ValueError(
            "configs: 'fgd' needs a resource that comes in pieces; name its column, pieces="
        )
    size = sizes(configs, typical.demand)
    order = np.lexsort((size[:, -1], size[:, configs.pieces]))
    made = Fragments(
        size=np.ascontiguousarray(size[order]),
        now=np.zeros(len(m.config)),
        popularity=typical.popularity[order].astype(float),
    )
    all_fragmented(made, m)
    return made


def begin(policy: str, settings: dict, given: Given) -> Fragments:
    """The typical tasks, and machines that run nothing."""
    return kept(settings["typical"], given.configs, given.machines)


@kernel
def fragmented(f, m, machine):
    """F_n(M) of a machine as it is."""
    last, left = m.free.shape[1] - 1, 0.0
    for g in range(m.pieces.shape[1]):
        left += m.pieces[machine, g]
    if left == 0:
        return 0.0
    total = useless = 0.0
    for t in range(f.popularity.size):
        share, whole = f.size[t, last], f.size[t, m.piece]
        if t == 0 or share != f.size[t - 1, last] or whole != f.size[t - 1, m.piece]:
            useless, need = 0.0, share if share > 0 else m.unit
            for g in range(m.pieces.shape[1]):
                if m.pieces[machine, g] < need:
                    useless += m.pieces[machine, g]
        can = share + whole > 0 and fits(m.free[machine], f.size[t])
        total += f.popularity[t] * (useless if can else left)
    return total


@kernel
def all_fragmented(f, m):
    """Bring F_n(M) of every machine up to date."""
    for machine in range(m.config.size):
        f.now[machine] = fragmented(f, m, machine)


@kernel
def _with_job(f, m, machine, size, piece):
    """F_n(M) if the machine ran this job too, a share of it in that piece."""
    m.wanted[0] = piece
    for l in range(size.size):
        m.free[machine, l] -= size[l]
    bits = tree.take_pieces(m, machine, size)
    after = fragmented(f, m, machine)
    for l in range(size.size):
        m.free[machine, l] += size[l]
    tree.return_pieces(m, machine, size, bits)
    return after


@kernel
def _least(f, m, machine, size):
    """The least F_n(M) with this job, and the piece in which its share then is, -1 without a share."""
    share = size[size.size - 1]
    if share == 0:
        return _with_job(f, m, machine, size, -1), -1
    least, piece = np.inf, -1
    for g in range(m.pieces.shape[1]):
        room, seen = m.pieces[machine, g], False
        for earlier in range(g):
            seen |= m.pieces[machine, earlier] == room
        if room >= share and not seen:
            after = _with_job(f, m, machine, size, g)
            if after < least:
                least, piece = after, g
    return least, piece


@kernel
def arrive(f, state, slot, rng):
    """The machine on which F_n(M) rises least with the arriving job, or NONE."""
    m, k, size = state.machines, state.table.job[slot].job_class, state.table.size[slot]
    best, best_rise, best_piece = NONE, np.inf, -1
    state.meter.clock[0].looked += m.config.size
    for machine in range(m.config.size):
        if m.pace[m.config[machine], k] < np.inf and fits(m.free[machine], size):
            after, piece = _least(f, m, machine, size)
            if after - f.now[machine] < best_rise:
                best, best_rise, best_piece = machine, after - f.now[machine], piece
    m.wanted[0] = best_piece
    return best


@kernel
def wait(f, state, slot, rng):
    """Let the job wait behind all others."""
    state.table.hall[state.meter.clock[0].waiting] = slot


@kernel
def pick(f, state, machine):
    """The first in line that fits the machine, taken out of the hall, or NONE."""
    m, table, waiting = state.machines, state.table, state.meter.clock[0].waiting
    for place in range(waiting):
        slot = table.hall[place]
        able = m.pace[m.config[machine], table.job[slot].job_class] < np.inf
        if able and fits(m.free[machine], table.size[slot]):
            for later in range(place, waiting - 1):
                table.hall[later] = table.hall[later + 1]
            _, m.wanted[0] = _least(f, m, machine, table.size[slot])
            return slot
    return NONE


@kernel
def changed(f, state, machine):
    """Bring the machine's F_n(M) up to date."""
    f.now[machine] = fragmented(f, state.machines, machine)


def fragmentation(
    configs: MachineConfigs, typical: Typical, size: np.ndarray, jobs: Any, time: float
) -> float:
    """The sum of F_n(M) over all machines, in pieces, at a time of a run.

    `jobs` are the rows of a `Simulation` of these `configs`, `size (N, R)` the demands of the same tasks.

    >>> configs = MachineConfigs([[10.0, 2.0]], [1], pieces=1)
    >>> half = Typical(np.array([[1.0, 0.5]]), np.ones(1))
    >>> jobs = {"start": [0.0], "finish": [5.0], "machine": [0], "pieces": [1]}
    >>> [round(fragmentation(configs, half, np.array([[1.0, 0.75]]), jobs, time), 6) for time in (1.0, 5.0)]
    [0.25, 0.0]
    """
    unit, capacity = piece_unit(configs), tree.fractions(configs.capacity, configs.capacity)[0]
    m = tree.machines(
        capacity, configs.count, np.ones((configs.n_configs, 1)), configs.pieces, unit
    )
    start, finish, machine, bits = (
        np.asarray(jobs[name]) for name in ("start", "finish", "machine", "pieces")
    )
    running = np.flatnonzero((start <= time) & (time < finish))
    machine, size = machine[running], sizes(configs, size[running])
    held = (bits[running, None] >> np.arange(m.pieces.shape[1])) & 1
    np.subtract.at(m.free, machine, size)
    np.subtract.at(m.pieces, machine, held * np.where(size[:, -1:] > 0, size[:, -1:], unit))
    m.free[:, configs.pieces] = (m.pieces == unit).sum(axis=1) * unit
    m.free[:, -1] = m.pieces.max(axis=1)
    return float(sum(kept(typical, configs, m).now.tolist()) / unit)
