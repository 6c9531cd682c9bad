"""Other readings of stage 3 than those of `lotes.plain`, as small differences from it (LoTES, Sections 4.3, 5.1)."""

import heapq
from dataclasses import dataclass

import numpy as np

from lotes_systems import as_workload
from schedlib.core import streams
from schedlib.lotes import plain, plain_datacentre, plain_rivals

SWAP = plain_datacentre.EXIT - 1  # before all else that happens then


class Centre(plain.DataCentre):
    """A data centre that is never overfull."""

    def start(self, job, machine):
        super().start(job, machine)
        assert min(self.free[machine]) >= 0, "capacity exceeded"

    def allowed(self, k, j):
        return self.pace[j][k] < float("inf")


@dataclass(eq=False)
class Swap:
    """A plan to follow from now on, and each of the `jobs`' class under it. It comes as a job does."""

    plan: object
    labels: np.ndarray
    jobs: list


class Lotes(plain.Lotes):
    """Every option of `lotes.simulate`, and plans that are swapped while it runs."""

    def __init__(
        self,
        centre,
        plan,
        rng,
        *,
        first=False,
        exit="delta",
        fallback=True,
        sampled=None,
        wheel="delta",
    ):
        super().__init__(centre, plan, rng)
        self.first, self.exit_all, self.fallback = first, exit == "all", fallback
        self.sampled, self.wheel = sampled, wheel
        self.follow(plan)

    def follow(self, plan):
        self.N = [row for j in range(len(self.Delta)) for row in plan.targets(j).tolist()]
        weights = plan.running * plan.classes.rate if self.wheel == "rate" else plan.running
        self.Delta = weights.tolist()

    def looked_at(self, j):
        """`sampled` machines of configuration j, drawn without replacement by Floyd's algorithm, or all."""
        machines = self.centre.machines_of(j)
        if self.sampled is None:
            return machines
        n, picks = len(machines), []
        wanted = min(self.sampled, n)
        for last in range(n - wanted, n):
            pick = int(self.rng.random() * (last + 1))
            picks.append(last if pick in picks else pick)
        return [machines[pick] for pick in picks]

    def first_fit(self, job):
        return super().first_fit(job) if self.fallback else -1

    def arrive(self, job):
        if isinstance(job, Swap):
            self.swap(job)
            return -1
        if not self.first and self.sampled is None:
            return super().arrive(job)
        left = [j for j, weights in enumerate(self.Delta) if weights[job.k] > 0]
        tried = []
        while left:
            j = self.spin(left, job.k)
            machine = self.best(job, self.looked_at(j))
            if machine >= 0:
                return machine
            left.remove(j)
            tried.append(j)
            if self.first:
                break
        others = [
            j for j in range(len(self.Delta)) if j not in tried and self.centre.allowed(job.k, j)
        ]
        if self.first:
            return self.best(job, [machine for j in others for machine in self.looked_at(j)])
        if self.fallback:
            for j in others:
                machine = self.best(job, self.looked_at(j))
                if machine >= 0:
                    return machine
        return -1

    def wait(self, job):
        if not isinstance(job, Swap):
            super().wait(job)

    def served(self, j):
        return list(range(len(self.queues))) if self.exit_all else super().served(j)

    def swap(self, swap):
        """Jobs have new classes; then every machine starts what it would on an exit."""
        centre = self.centre
        if all(kind == SWAP for _, kind, *_ in centre.events):
            return  # nothing comes and nothing runs: the run has ended
        waiting = sorted((job for queue in self.queues for job in queue), key=lambda job: job.row)
        for job, label in zip(swap.jobs, swap.labels.tolist(), strict=True):
            job.k = label
        centre.kappa = [[0] * len(self.queues) for _ in centre.config]
        for _, kind, _, job in centre.events:
            if kind == plain_datacentre.EXIT:
                centre.kappa[job.machine][job.k] += 1
        self.queues = [[job for job in waiting if job.k == k] for k in range(len(self.queues))]
        self.follow(swap.plan)
        for machine in range(len(centre.config)):
            self.exit(machine)


class Bypass(plain_rivals.Greedy):
    """An arrival may start on a machine on which others wait."""

    def arrive(self, job):
        for machine in range(len(self.queues)):
            if self.centre.fits(job, machine):
                return machine
        return -1


class Weighted(plain_rivals.Tetris):
    """Weights of omega and of gamma."""

    def __init__(self, centre, hours, *, packing, work):
        super().__init__(centre, hours)
        self.packing, self.work = packing, work

    def score(self, job, machine):
        return self.packing * self.omega(job, machine) - self.work * self.gamma(job, machine)


class FirstFit(plain_rivals.Tetris):
    """All scores are equal: the first machine that has room, and of those that wait the first that fits."""

    def omega(self, job, machine):
        return 0.0

    def gamma(self, job, machine):
        return 0.0


def choices(seed):
    """The random generator of a policy's own choices."""
    return streams(seed, "lotes policy")[0]


def decisions(make, configs, pace, arrays, swaps=()):
    """The `start, finish, machine`, each (N,), of jobs under the policy `make(centre)`.

    `arrays`: what `as_workload` takes; `swaps`: times with the plan to follow from there and each job's class
    under it.
    """
    centre = Centre(configs, pace.tolist())
    jobs = plain.jobs_of(as_workload(*arrays), configs)
    for turn, (time, plan, labels) in enumerate(swaps):
        heapq.heappush(centre.events, (time, SWAP, turn, Swap(plan, labels, jobs)))
    plain.event_loop(make(centre), centre, jobs)
    return [
        np.array([getattr(job, name) for job in jobs]) for name in ("start", "finish", "machine")
    ]
