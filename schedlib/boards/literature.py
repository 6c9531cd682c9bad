"""Policies of the literature, written as a reader would: most of ten to twenty lines, each for one of the boards.

    from schedlib import boards
    from schedlib.boards import literature

    boards.lotes(literature.easy, literature.dot_product, literature.srpt, literature.round_robin(0.5))
    boards.hmhs(literature.sufferage, literature.delay)
    boards.eagle(literature.power_of_d)

`fgd` is for machines with GPUs. They compile when they are first used. Copy one as a start for your own.
"""

from collections.abc import Callable
from dataclasses import replace

import numba
import numpy as np

from schedlib import eagle, hmhs, lotes
from schedlib.hmhs.list_scheduling import Waiting

SKIPS = 10
"""How many offers of a machine a job lets pass under `delay`, Zaharia's D."""
HEARTBEAT = 3.0
"""How long an idle machine waits under `delay` until it offers itself again (s), as in Hadoop."""
CHOICES = 2
"""How many workers a probe of `power_of_d` looks at."""


# --- EASY backfilling: Lifka, The ANL/IBM SP scheduling system, JSSPP 1995; Mu'alem, Feitelson, TPDS 2001 ---


def _easy(said: Callable, name: str) -> lotes.Policy:
    """EASY, where `said(cluster, job, machine)` is how long a job is said to run there."""
    said = numba.njit(said)

    @numba.njit
    def reservation(cluster, machine):
        """When the first in line can start there, as said, and what is free then, (R,)."""
        head = cluster.waiting[0]
        need = cluster.room.size[head]
        free = cluster.room.free[machine].copy()
        if cluster.pace[cluster.config[machine], cluster.job_class[head]] == np.inf:
            return np.inf, free
        runs = np.empty(cluster.running[machine].sum(), np.int64)
        ends = np.empty(runs.size)
        running = cluster.first[machine]
        for place in range(runs.size):
            runs[place] = running
            ends[place] = max(cluster.now, cluster.begun[running] + said(cluster, running, machine))
            running = cluster.following[running]
        when = cluster.now
        for place in np.argsort(ends):
            fits = (free >= need).all()
            if fits and ends[place] > when:
                break
            free += cluster.room.size[runs[place]]
            when = ends[place]
        fits = (free >= need).all()
        return when if fits else np.inf, free

    @numba.njit
    def harmless(cluster, job, machine):
        """Whether the first in line keeps its reservation when a job starts there now."""
        reserved = -1
        begins = np.inf
        room = cluster.room.free[machine]
        for other in range(len(cluster.config)):
            when, free = reservation(cluster, other)
            if when < begins:
                reserved = other
                begins = when
                room = free
        if machine != reserved or cluster.now + said(cluster, job, machine) <= begins:
            return True
        spare = room - cluster.room.size[job]
        fits = spare >= cluster.room.size[cluster.waiting[0]]
        return fits.all()

    def backfill(cluster, machine):
        """The first in line, or the first behind it that does not delay it."""
        for job in cluster.waiting:
            if not lotes.can_start(cluster, job, machine):
                continue
            if job == cluster.waiting[0] or harmless(cluster, job, machine):
                return job
        return -1

    return lotes.Policy(at_moment=backfill, name=name)


easy = _easy(
    lambda cluster, job, machine: (
        cluster.work[job] * cluster.pace[cluster.config[machine], cluster.job_class[job]]
    ),
    "EASY backfilling",
)
"""The first in line has a reservation; others overtake it as long as they do not delay it. Like the paper's
it goes by how long jobs say that they run, so it keeps its promise when they say the truth. It decides after all
that ends and arrives at a time."""


def easy_by(column: str) -> lotes.Policy:
    """EASY by what users said of their jobs' times: a numeric `column` of `Workload.jobs`, in its unit of time.

    A job that has run longer than its user said is taken to end now. `lotes.simulate` raises ValueError where the
    column has NaN: fill it with a limit first, as with the longest time that a user may ask for.

    >>> easy_by("requested_time").name
    'EASY by requested_time'
    """
    return _easy(
        lambda cluster, job, machine: getattr(cluster.jobs, column)[job], f"EASY by {column}"
    )


# --- Policies that stop jobs: Kleinrock, Queueing systems 2, 1976; Schrage, Operations Research 16, 1968 (SRPT);
# --- Arpaci-Dusseau, Operating systems: three easy pieces, chapters 7 and 8 (round robin, feedback) ---


def last_to_stop(key: Callable) -> Callable:
    """A function `(cluster, running)`: of the jobs that take the room of one that waits with a smaller key, that with the
    largest key; -1 without one. What started at this time stays."""

    @numba.njit
    def makes_room(cluster, job, machine):
        """Whether the job has room there once all with larger keys have stopped."""
        config = cluster.config[machine]
        free = cluster.room.free[machine].copy()
        other = cluster.first[machine]
        while other >= 0:
            if cluster.begun[other] < cluster.now and key(cluster, other) > key(cluster, job):
                free += cluster.room.size[other]
            other = cluster.following[other]
        able = cluster.pace[config, cluster.job_class[job]] < np.inf
        return able and (cluster.room.size[job] <= free).all()

    @numba.njit
    def last_of(cluster, running):
        least = np.inf
        for job in cluster.waiting:
            least = min(least, key(cluster, job))
        last = -1  # of equal keys the first
        for other in running:
            largest = key(cluster, other) > (least if last < 0 else key(cluster, last))
            if not largest or cluster.begun[other] == cluster.now:
                continue
            machine = cluster.machine[other]
            for job in cluster.waiting:
                smaller = key(cluster, job) < key(cluster, other)
                if (
                    smaller
                    and lotes.first_fit(cluster, job) < 0
                    and makes_room(cluster, job, machine)
                ):
                    last = other
                    break
        return last

    return last_of


def first_to_start(cost: Callable) -> Callable:
    """A function `(cluster, machine)`: of the jobs that can start there, the first with the least
    `cost(cluster, job, machine)`; -1 without one."""

    def first_of(cluster, machine):
        best = -1
        least = np.inf
        for job in cluster.waiting:
            if lotes.can_start(cluster, job, machine):
                more = cost(cluster, job, machine)
                if best < 0 or more < least:
                    best = job
                    least = more
        return best

    return first_of


def first_machine(cost: Callable) -> Callable:
    """A function `(cluster, job)`: of the machines where the job can start, the first with the least
    `cost(cluster, job, machine)`; -1 without one."""

    def cheapest(cluster, job):
        best = -1
        least = np.inf
        for machine in range(len(cluster.config)):
            if lotes.can_start(cluster, job, machine):
                more = cost(cluster, job, machine)
                if more < least:
                    best = machine
                    least = more
        return best

    return cheapest


def least_first(
    key: Callable, name: str, quantum: float = np.inf, keep: bool = True
) -> lotes.Policy:
    """The jobs with the least `key(cluster, job)` run, and stop those with larger ones that take their room.

    Of equal keys those that run go on, and those that wait go in order. A key that changes with time is compared
    again a `quantum` after each decision. A job that is stopped keeps what it has done, or not.

    >>> shortest = least_first(lambda cluster, job: cluster.work[job], "preemptive shortest job first")
    """
    if not quantum > 0:
        raise ValueError(f"quantum: {quantum}, give a positive time, or leave it out")
    key = numba.njit(key)
    last_of = last_to_stop(key)
    by_key = numba.njit(lambda cluster, job, machine: key(cluster, job))

    def stop(cluster, running):
        """The job with the largest key, where one with a smaller key needs its room."""
        if cluster.waiting.size > 0:
            cluster.wake[0] = cluster.now + quantum
        return last_of(cluster, running)

    return lotes.Policy(at_moment=first_to_start(by_key), stop=stop, name=name, keep=keep)


srpt = least_first(lambda cluster, job: lotes.remaining(cluster, job), "SRPT")
"""Shortest remaining processing time: no policy of one machine has a smaller mean response."""

preemptive_priority = least_first(
    lambda cluster, job: cluster.job_class[job], "preemptive priority"
)
"""Class 0 first. A job goes on where it was stopped (preemptive resume)."""


def foreground_background(quantum: float) -> lotes.Policy:
    """The jobs that have had least service run, in turns of a quantum (the workload's unit of time)."""
    return least_first(
        lambda cluster, job: cluster.work[job] - lotes.remaining(cluster, job),
        "foreground-background",
        quantum,
    )


def feedback(*quanta: float) -> lotes.Policy:
    """Multilevel feedback queues, a quantum for each level (the workload's unit of time).

    Jobs come on the first level. A job that has run for the quantum of its level goes to the end of the next one; on the last
    level, to the end of that. Jobs stop those of lower levels that take their room, and go on with a whole quantum.

    >>> feedback(1.0, 2.0, 4.0).name
    'feedback queues'
    """
    lengths = np.array(quanta, float)
    if not lengths.size or not (lengths > 0).all():
        raise ValueError(f"quanta: {quanta}, give a positive time for each level")

    @numba.njit
    def turn(cluster, job, begins):
        """The job has its turn, which goes on or begins: wake when it will be over."""
        if begins:
            level = int(cluster.notes[job, 0])
            cluster.notes[job, 1] = cluster.now + lengths[level]
        cluster.wake[0] = min(cluster.wake[0], cluster.notes[job, 1])

    @numba.njit
    def next_level(cluster, job):
        """The level on which a job that runs is next, and whether its turn is over."""
        over = cluster.notes[job, 1] <= cluster.now
        return min(cluster.notes[job, 0] + over, lengths.size - 1), over

    @numba.njit
    def place(cluster, job):
        """The level on which a job stands; at the end of its turn it is behind those of its next level."""
        if cluster.machine[job] < 0:
            return cluster.notes[job, 0]
        level, over = next_level(cluster, job)
        return level + over / 2

    last_of = last_to_stop(place)
    by_place = numba.njit(lambda cluster, job, machine: place(cluster, job))
    first_of = numba.njit(first_to_start(by_place))

    def start(cluster, machine):
        """The first job on the highest level that can start; its turn begins."""
        best = first_of(cluster, machine)
        if best >= 0:
            turn(cluster, best, True)
        return best

    def stop(cluster, running):
        """The job on the lowest level, of several one whose turn is over, where one before it needs its room."""
        last = last_of(cluster, running)
        if last >= 0:
            cluster.notes[last, 0] = np.floor(place(cluster, last))
            return last
        cluster.wake[0] = np.inf
        for job in running:
            cluster.notes[job, 0], over = next_level(cluster, job)
            turn(cluster, job, over)
        return -1

    return lotes.Policy(at_moment=start, stop=stop, name="feedback queues")


def round_robin(quantum: float) -> lotes.Policy:
    """Each job runs for a quantum (the workload's unit of time), and then goes to the end of the line.

    >>> round_robin(0.5).name
    'round robin'
    """
    return replace(feedback(quantum), name="round robin")


# --- Dot product: Panigrahy, Talwar, Uyeda and Wieder, Heuristics for vector bin packing, 2011 ---


@numba.njit
def mismatch(cluster: lotes.Cluster, job: int, machine: int) -> float:
    """Minus the product of a job's size and what is free on a machine: it is least where they point the same way.
    Scarce resources weigh more. Amounts are parts of the largest capacity."""
    total = 0.0
    for l in range(cluster.free.shape[1]):
        largest = cluster.capacity[:, l].max()
        weight = (cluster.share * cluster.demand[:, l]).sum() / largest
        size = cluster.size[job, l] / largest
        total -= weight * size * (cluster.free[machine, l] / largest)
    return total


dot_product = lotes.Policy(first_machine(mismatch), first_to_start(mismatch), "dot product")
"""A job goes where its size and the free room have the largest product, each resource weighed by the mean
demand for it; so does a machine choose among those who wait."""


# --- Fragmentation gradient descent: Weng et al., Beware of fragmentation, USENIX ATC 2023 ---


@numba.njit
def fragments(cluster: lotes.Cluster, free: np.ndarray) -> float:
    """F_n(M): GPUs, as a part of the most that a machine has, which typical tasks cannot use; `free (R,)`."""
    useless = 0.0
    largest = cluster.capacity[:, -1].max()
    for k in range(len(cluster.share)):
        demand = cluster.demand[k]
        too_large = (demand > free * (1 + lotes.FIT)).any()
        if too_large or demand[-1] == 0:
            useless += cluster.share[k] * free[-1] / largest
    return useless


@numba.njit
def rise(cluster: lotes.Cluster, job: int, machine: int) -> float:
    """How much F_n(M) rises; smaller differences than 1e-7 are rounding."""
    free = cluster.free[machine]
    before = fragments(cluster, free)
    after = fragments(cluster, free - cluster.size[job])
    return np.round(after - before, 7)


fgd = lotes.Policy(first_machine(rise), name="FGD, whole GPUs")
"""The classes are the typical tasks; GPUs are the last resource, and tasks take whole ones."""


# --- Sufferage: Maheswaran, Ali, Siegel, Hensgen and Freund, Dynamic mapping, JPDC 59, 1999 ---


def sufferage_rule(stage: Waiting, machine: int, now: float) -> int:
    """The task that Sufferage maps to the machine first, once it has mapped all that wait again; -1 if none."""
    left = stage.left.copy()
    free = np.maximum(stage.free, now)
    busy = stage.free > now
    ends = stage.free[busy]
    wake = ends.min() if ends.size else np.inf  # idle machines ask again
    while True:
        winner = np.full(free.size, -1)
        most = np.full(free.size, -1.0)
        for job in stage.queue[left[stage.queue] > 0]:
            ends = free + stage.time[job]
            best = ends.argmin()
            sooner = ends[best]
            ends[best] = np.inf
            later = ends.min()
            suffers = later - sooner
            if suffers > most[best]:
                winner[best] = job
                most[best] = suffers
        mapped = winner[machine]
        if mapped >= 0:
            end = now + stage.time[mapped, machine]
            wake = min(wake, end)
        if mapped >= 0 or winner.max() < 0:
            stage.wake[0] = wake
            return mapped
        for other in range(free.size):
            job = winner[other]
            if job >= 0:
                left[job] -= 1
                free[other] += stage.time[job, other]


sufferage = hmhs.Policy(map_rule=sufferage_rule, reduce_rule=sufferage_rule, name="sufferage")
"""A machine goes to the task that would lose most without it: the difference between its two earliest ends.
Tasks that have not begun are mapped again whenever a machine asks."""


# --- Delay scheduling: Zaharia et al., EuroSys 2010, Algorithm 2 ---


def fewest_running(skips: int) -> Callable:
    """Fair sharing; a job whose input is not on the machine lets up to `skips` offers pass."""

    def rule(stage, machine, now):
        skipped = stage.notes[:, 0]
        runs = stage.machine_notes[:, 0]  # the job of each machine
        running = np.zeros(stage.left.size)
        for other in range(stage.free.size):
            if stage.free[other] > now:
                running[int(runs[other])] += 1
        counts = running[stage.queue]
        fewest = np.argsort(counts, kind="mergesort")
        for job in stage.queue[fewest]:
            time = stage.time[job]
            local = time[machine] <= time.min()
            if local or skipped[job] >= skips:
                if local:
                    skipped[job] = 0  # it waits again
                runs[machine] = job
                return job
            skipped[job] += 1
        beats = now // HEARTBEAT
        stage.wake[0] = (beats + 1) * HEARTBEAT
        return -1

    return rule


delay = hmhs.Policy(
    map_rule=fewest_running(SKIPS), reduce_rule=fewest_running(0), name="delay scheduling"
)
"""The job with the fewest running tasks goes first, and waits a little for a machine that has its input:
one on which its maps are quickest."""


# --- Power of d choices (Mitzenmacher, IEEE TPDS 12, 2001), bound late (Ousterhout et al., SOSP 2013) ---


def less_work_of_d(
    cluster: eagle.SystemView, job: int, probe: int, rng: np.random.Generator
) -> int:
    """Of `CHOICES` workers without a probe of this job, the one that has least work."""
    probed = cluster.worker_notes[:, 0]  # the job that probed each worker last, counted from 1
    workers = len(cluster.busy)
    best = -1
    least = np.inf
    while best < 0:
        for _ in range(CHOICES):
            drawn = rng.random() * workers
            worker = int(drawn)
            work = eagle.remaining_work(cluster, worker)
            another = probed[worker] != job + 1 or probe >= workers
            if another and work < least:
                best = worker
                least = work
    probed[best] = job + 1
    return best


def twice(cluster: eagle.SystemView, job: int, rng: np.random.Generator) -> int:
    """Two probes a task: the workers that are free first get the tasks."""
    return 2 * cluster.tasks[job]


power_of_d = eagle.System("power of two, bound late", short_jobs=less_work_of_d, probes=twice)
"""A probe looks at some workers and goes to the one with least work; tasks are bound to the probes that come
first to the front of a queue."""
