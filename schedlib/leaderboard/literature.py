"""Policies of the literature, written as a reader would: each of ten to twenty lines, for one of the boards.

    from schedlib.leaderboard import literature

    leaderboard.lotes(literature.easy, literature.dot_product)
    leaderboard.hmhs(literature.sufferage, literature.delay)
    leaderboard.eagle(literature.power_of_d)

`fgd` is for machines with GPUs. They compile when they are first used. Copy one as a start for your own.
"""

from collections.abc import Callable

import numba
import numpy as np

from schedlib import eagle, hmhs, lotes
from schedlib.hmhs.list_scheduling import Waiting

SKIPS = 10
"""How many offers of a machine a job lets pass under `delay`, Zaharia's D."""
HEARTBEAT = 3.0
"""How long an idle machine waits under `delay` until it offers itself again (s), as in Hadoop."""
EQUAL = 1e-7
"""Smaller differences of fragments are none: what is free is counted a billionth larger, so that jobs fit."""
CHOICES = 2
"""How many workers a probe of `power_of_d` looks at."""


# --- EASY backfilling: Lifka, The ANL/IBM SP scheduling system, JSSPP 1995; Mu'alem, Feitelson, TPDS 2001 ---


@numba.njit
def harmless(cluster: lotes.Cluster, job: int, machine: int) -> bool:
    """Whether the first in line keeps its reservation when a job starts there now."""
    head, where, when = cluster.waiting[0], -1, np.inf
    for other in range(len(cluster.config)):  # the reservation: where it can start first, and when
        room = lotes.room_at(cluster, head, other)
        if room < when:
            where, when = other, room
    pace = cluster.pace[cluster.config[machine], cluster.job_class[job]]
    if machine != where or cluster.now + cluster.work[job] * pace <= when:
        return True
    spare = cluster.free[machine] - cluster.size[job]  # then, beside the first in line
    runs = cluster.first[machine]
    while runs >= 0 and cluster.ends[runs] <= when:
        spare, runs = spare + cluster.size[runs], cluster.following[runs]
    return (spare >= cluster.size[head]).all()


def easy_arrive(cluster: lotes.Cluster, job: int) -> int:
    """The first machine with room, if that does not delay the first in line."""
    if cluster.waiting.size == 0:
        return lotes.first_fit(cluster, job)
    for machine in range(len(cluster.config)):
        if lotes.can_start(cluster, job, machine) and harmless(cluster, job, machine):
            return machine
    return -1


def easy_leave(cluster: lotes.Cluster, machine: int) -> int:
    """The first in line, or the first behind it that does not delay it."""
    for job in cluster.waiting:
        first = job == cluster.waiting[0]
        if lotes.can_start(cluster, job, machine) and (first or harmless(cluster, job, machine)):
            return job
    return -1


easy = lotes.Policy(easy_arrive, easy_leave, "EASY backfilling")
"""The first in line has a reservation; others overtake it as long as they do not delay it. Like the paper's
it goes by how long jobs say that they run, so it keeps its promise when they say the truth."""


# --- Dot product: Panigrahy, Talwar, Uyeda and Wieder, Heuristics for vector bin packing, 2011 ---


@numba.njit
def along(cluster: lotes.Cluster, job: int, machine: int) -> float:
    """How well a job's size and what is free on a machine point the same way; scarce resources weigh more."""
    total = 0.0
    for l in range(cluster.free.shape[1]):
        weight = (cluster.share * cluster.demand[:, l]).sum()
        total += weight * cluster.size[job, l] * cluster.free[machine, l]
    return total


def dot_arrive(cluster: lotes.Cluster, job: int) -> int:
    """The machine with the largest product."""
    best, most = -1, -1.0
    for machine in range(len(cluster.config)):
        if lotes.can_start(cluster, job, machine) and along(cluster, job, machine) > most:
            best, most = machine, along(cluster, job, machine)
    return best


def dot_leave(cluster: lotes.Cluster, machine: int) -> int:
    """The job with the largest product."""
    best, most = -1, -1.0
    for job in cluster.waiting:
        if lotes.can_start(cluster, job, machine) and along(cluster, job, machine) > most:
            best, most = job, along(cluster, job, machine)
    return best


dot_product = lotes.Policy(dot_arrive, dot_leave, "dot product")
"""A job goes where its size and the free room have the largest product, each resource weighed by the mean
demand for it; so does a machine choose among those who wait."""


# --- Fragmentation gradient descent: Weng et al., Beware of fragmentation, USENIX ATC 2023 ---


@numba.njit
def fragments(cluster: lotes.Cluster, free: np.ndarray) -> float:
    """F_n(M): GPUs, as a part of the most that a machine has, which typical tasks cannot use; `free (R,)`."""
    total, gpu = 0.0, len(free) - 1
    for k in range(len(cluster.share)):
        if cluster.demand[k, gpu] == 0 or (cluster.demand[k] > free).any():
            total += cluster.share[k] * free[gpu]
    return total


def fgd_arrive(cluster: lotes.Cluster, job: int) -> int:
    """The machine on which F_n(M) rises least."""
    best, least = -1, np.inf
    for machine in range(len(cluster.config)):
        if lotes.can_start(cluster, job, machine):
            free = cluster.free[machine]
            rise = fragments(cluster, free - cluster.size[job]) - fragments(cluster, free)
            if rise < least - EQUAL:
                best, least = machine, rise
    return best


fgd = lotes.Policy(fgd_arrive, name="FGD, whole GPUs")
"""The classes are the typical tasks; GPUs are the last resource, and tasks take whole ones."""


# --- Sufferage: Maheswaran, Ali, Siegel, Hensgen and Freund, Dynamic mapping, JPDC 59, 1999, Section 3.2 ---


def sufferage_rule(stage: Waiting, machine: int, now: float) -> int:
    """What Sufferage maps to the machine first, when it maps all waiting tasks anew; -1 if nothing."""
    left, free = stage.left.copy(), np.maximum(stage.free, now)
    stage.wake[0] = np.append(stage.free[stage.free > now], np.inf).min()  # idle machines ask again
    while True:
        winner, most = np.full(free.size, -1), np.full(free.size, -1.0)
        for job in stage.queue:
            if left[job] > 0:
                ends = free + stage.time[job]
                best = ends.argmin()
                sooner, ends[best] = ends[best], np.inf
                if ends.min() - sooner > most[best]:  # it would suffer more than the one before
                    winner[best], most[best] = job, ends.min() - sooner
        if winner[machine] >= 0:
            stage.wake[0] = min(stage.wake[0], now + stage.time[winner[machine], machine])
        if winner[machine] >= 0 or winner.max() < 0:
            return winner[machine]
        for other in range(free.size):
            if winner[other] >= 0:
                left[winner[other]] -= 1
                free[other] += stage.time[winner[other], other]


sufferage = hmhs.Policy(map_rule=sufferage_rule, reduce_rule=sufferage_rule, name="sufferage")
"""A machine goes to the task that would lose most without it: the difference between its two earliest ends.
Tasks that have not begun are mapped anew whenever a machine asks."""


# --- Delay scheduling: Zaharia et al., EuroSys 2010, Algorithm 1 ---


def fewest_running(skips: int) -> Callable:
    """Fair sharing; a job whose input is not on the machine lets up to so many offers pass."""

    def rule(stage, machine, now):
        running = np.zeros(stage.left.size)
        for other in range(stage.free.size):
            if stage.free[other] > now:
                running[int(stage.machine_notes[other, 0])] += 1
        for job in stage.queue[np.argsort(running[stage.queue], kind="mergesort")]:
            local = stage.time[job, machine] <= stage.time[job].min()
            if local or stage.notes[job, 0] >= skips:
                stage.notes[job, 0] *= not local
                stage.machine_notes[machine, 0] = job
                return job
            stage.notes[job, 0] += 1
        stage.wake[0] = (now // HEARTBEAT + 1) * HEARTBEAT
        return -1

    return rule


delay = hmhs.Policy(
    map_rule=fewest_running(SKIPS), reduce_rule=fewest_running(0), name="delay scheduling"
)
"""The job with the fewest running tasks goes first, and waits a little for a machine that has its input:
one on which its maps are quickest."""


# --- Power of d choices (Mitzenmacher, IEEE TPDS 12, 2001), bound late (Ousterhout et al., SOSP 2013) ---


def less_work_of_d(cluster: eagle.Cluster, job: int, probe: int, rng: np.random.Generator) -> int:
    """Of `CHOICES` workers without a probe of this job, the one that has least work."""
    best, least, workers = -1, np.inf, len(cluster.busy)
    while best < 0:
        for _ in range(CHOICES):
            worker = int(rng.random() * workers)
            work = eagle.remaining_work(cluster, worker)
            probed = cluster.worker_notes[worker, 0] == job + 1
            if work < least and (not probed or probe >= workers):
                best, least = worker, work
    cluster.worker_notes[best, 0] = job + 1
    return best


def twice(cluster: eagle.Cluster, job: int, rng: np.random.Generator) -> int:
    """Two probes a task: the workers that are free first get them."""
    return 2 * cluster.tasks[job]


power_of_d = eagle.System("power of two, bound late", short_jobs=less_work_of_d, probes=twice)
"""A probe looks at some workers and goes to the one with least work; tasks are bound to the probes that come
first to the front of a queue."""
