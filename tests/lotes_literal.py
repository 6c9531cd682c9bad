"""Stage 3 word for word: slow, no search structure, every machine and every queued job looked at (LoTES,
Sections 4.3 and 5.1).

Decisions only share with the library the unit of sizes, the seeded stream of the policy's choices, and the
reading of ties.
"""

import numpy as np

from schedlib.core import streams
from schedlib.lotes.dispatching.machine_tree import fractions


class Literal:
    """A data centre; `arrive` and `exit` are the policy's."""

    def __init__(self, configs, pace, seed):
        self.capacity = fractions(configs.capacity, configs.capacity)[0].tolist()
        self.first = np.concatenate(([0], np.cumsum(configs.count))).tolist()
        self.config = np.repeat(np.arange(len(configs.count)), configs.count).tolist()
        self.free = [list(self.capacity[j]) for j in self.config]
        self.pace = pace.tolist()
        self.rng = streams(seed, "lotes policy")[0]
        self.running = [[0] * pace.shape[1] for _ in self.config]

    def allowed(self, job, j):
        return self.pace[j][job["k"]] < float("inf")

    def fits(self, job, machine):
        free = self.free[machine]
        return self.allowed(job, self.config[machine]) and all(
            r <= c for r, c in zip(job["size"], free, strict=True)
        )

    def members(self, j):
        return range(self.first[j], self.first[j + 1])

    def configurations(self):
        return range(len(self.capacity))


class Lotes(Literal):
    """Sections 4.3.1 and 4.3.2."""

    def __init__(
        self,
        configs,
        pace,
        seed,
        plan,
        *,
        first=False,
        exit="delta",
        fallback=True,
        sampled=None,
        wheel="delta",
    ):
        super().__init__(configs, pace, seed)
        self.only_first, self.exit_all, self.fallback, self.sampled = (
            first,
            exit == "all",
            fallback,
            sampled,
        )
        self.wheel, self.queues = wheel, [[] for _ in range(pace.shape[1])]
        self.follow(plan)

    def follow(self, plan):
        self.bins = [row for j in self.configurations() for row in plan.targets(j).tolist()]
        delta = plan.running * plan.classes.rate if self.wheel == "rate" else plan.running
        k = range(len(self.queues))
        self.delta = [
            [delta[j][c] if self.allowed({"k": c}, j) else 0.0 for c in k]
            for j in self.configurations()
        ]
        self.served = plan.running > 0

    def relabel(self, running):
        """Jobs have new classes, `running` being pairs of a job and its machine."""
        self.running = [[0] * len(self.queues) for _ in self.config]
        for job, machine in running:
            self.running[machine][job["k"]] += 1
        waiting = sorted(
            (job for queue in self.queues for job in queue), key=lambda job: job["row"]
        )
        self.queues = [[job for job in waiting if job["k"] == k] for k in range(len(self.queues))]

    def upsilon(self, machine, k):
        return self.bins[machine][k] - self.running[machine][k]

    def best(self, job, machines):
        """The highest score with sufficient resources, the first of equals."""
        able = [machine for machine in machines if self.fits(job, machine)]
        return max(
            able, key=lambda machine: self.upsilon(machine, job["k"]), default=-1
        )  # max keeps the first

    def looked_at(self, j):
        machines = list(self.members(j))
        if self.sampled is None:
            return machines
        n, picks = len(machines), []
        wanted = min(self.sampled, n)
        for last in range(n - wanted, n):
            pick = int(self.rng.random() * (last + 1))
            picks.append(last if pick in picks else pick)
        return [machines[pick] for pick in picks]

    def arrive(self, job):
        left = [j for j in self.configurations() if self.delta[j][job["k"]] > 0]
        tried = []
        while left:
            spin = self.rng.random() * sum(float(self.delta[j][job["k"]]) for j in left)
            passed, chosen = 0.0, left[-1]
            for j in left:
                passed += self.delta[j][job["k"]]
                if spin < passed:
                    chosen = j
                    break
            machine = self.best(job, self.looked_at(chosen))
            if machine >= 0:
                return machine
            left.remove(chosen)
            tried.append(chosen)
            if self.only_first:
                break
        others = [j for j in self.configurations() if j not in tried and self.allowed(job, j)]
        if self.only_first:
            return self.best(job, [machine for j in others for machine in self.looked_at(j)])
        if self.fallback:
            for j in others:
                if self.sampled is not None:
                    machine = self.best(job, self.looked_at(j))
                    if machine >= 0:
                        return machine
                    continue
                for machine in self.members(j):
                    if self.fits(job, machine):
                        return machine
        return -1

    def wait(self, job):
        self.queues[job["k"]].append(job)

    def exit(self, machine):
        """Starts, one by one: yields a job; the caller starts it before asking on."""
        j = self.config[machine]
        nowhere = ~self.served.any(axis=0)
        classes = [k for k in range(len(self.queues)) if self.allowed({"k": k}, j)]
        classes = [k for k in classes if self.served[j][k] or nowhere[k] or self.exit_all]
        classes.sort(key=lambda k: -self.upsilon(machine, k))
        exhausted = set()
        while True:
            classes.sort(
                key=lambda k: -self.upsilon(machine, k)
            )  # stable: ties leave the order as it was
            k = next((k for k in classes if k not in exhausted), None)
            if k is None:
                return
            job = next((job for job in self.queues[k] if self.fits(job, machine)), None)
            if job is None:
                exhausted.add(k)
                continue
            self.queues[k].remove(job)
            yield job


class Greedy(Literal):
    """Section 5.1, first half."""

    def __init__(self, configs, pace, seed, *, bypass=False):
        super().__init__(configs, pace, seed)
        self.bypass = bypass
        self.queues = [[] for _ in self.config]

    def arrive(self, job):
        for machine in range(len(self.config)):
            if self.fits(job, machine) and (self.bypass or not self.queues[machine]):
                return machine
        return -1

    def wait(self, job):
        def large_enough(j):
            return self.allowed(job, j) and all(
                r <= c for r, c in zip(job["size"], self.capacity[j], strict=True)
            )

        able = [machine for machine, j in enumerate(self.config) if large_enough(j)]
        shortest = min(len(self.queues[machine]) for machine in able)
        ties = [machine for machine in able if len(self.queues[machine]) == shortest]
        self.queues[ties[int(self.rng.random() * len(ties))]].append(job)

    def exit(self, machine):
        while self.queues[machine] and self.fits(self.queues[machine][0], machine):
            yield self.queues[machine].pop(0)


class Tetris(Literal):
    """Section 5.1, second half."""

    def __init__(self, configs, pace, seed, *, packing=1.0, work=1.0, unit=1.0):
        super().__init__(configs, pace, seed)
        self.packing, self.weight = packing, work * unit
        self.queue = []

    def score(self, job, machine):
        omega = sum(r * c for r, c in zip(job["size"], self.free[machine], strict=True))
        gamma = self.pace[self.config[machine]][job["k"]] * (job["work"] * sum(job["size"]))
        return self.packing * omega - self.weight * gamma, omega

    def arrive(self, job):
        able = [machine for machine in range(len(self.config)) if self.fits(job, machine)]
        return max(able, key=lambda machine: (*self.score(job, machine), -machine), default=-1)

    def wait(self, job):
        self.queue.append(job)

    def exit(self, machine):
        while True:
            able = [job for job in self.queue if self.fits(job, machine)]
            if not able:
                return
            job = max(able, key=lambda job: (self.score(job, machine)[0], -job["row"]))
            self.queue.remove(job)
            yield job


def run(center, configs, submit, job_class, work, demand, swaps=()):
    """Dispatch the jobs; gives `start, finish, machine`, each (N,). Exits come before arrivals, equal exits
    as they were set.

    `swaps`: times, before all else that happens then, with the plan to follow from there and each job's class
    under it.
    """
    size = fractions(configs.capacity, demand)[1].tolist()
    jobs = [
        {
            "row": i,
            "k": int(job_class[i]),
            "work": float(work[i]),
            "size": size[i],
            "submit": float(submit[i]),
        }
        for i in range(len(submit))
    ]
    pending, serial = [], 0
    start, finish, where = (
        np.full(len(jobs), np.nan),
        np.full(len(jobs), np.nan),
        np.full(len(jobs), -1),
    )

    def begin(job, machine, now):
        nonlocal serial
        center.free[machine] = [
            c - r for c, r in zip(center.free[machine], job["size"], strict=True)
        ]
        assert min(center.free[machine]) >= 0, "capacity exceeded"
        center.running[machine][job["k"]] += 1
        end = now + job["work"] * center.pace[center.config[machine]][job["k"]]
        start[job["row"]], finish[job["row"]], where[job["row"]] = now, end, machine
        pending.append((end, serial, job, machine))
        serial += 1

    arrivals, swaps = list(jobs), list(swaps)
    while arrivals or pending:
        soonest = min(pending, key=lambda event: event[:2], default=None)
        following = min([event[0] for event in pending] + [job["submit"] for job in arrivals[:1]])
        if swaps and swaps[0][0] <= following:
            now, plan, labels = swaps.pop(0)
            for job in jobs:
                job["k"] = int(labels[job["row"]])
            center.relabel([event[2:] for event in pending])
            center.follow(plan)
            for machine in range(len(center.config)):
                for queued in center.exit(machine):
                    begin(queued, machine, now)
        elif soonest is not None and (not arrivals or soonest[0] <= arrivals[0]["submit"]):
            pending.remove(soonest)
            now, _, job, machine = soonest
            center.free[machine] = [
                c + r for c, r in zip(center.free[machine], job["size"], strict=True)
            ]
            center.running[machine][job["k"]] -= 1
            for queued in center.exit(machine):
                begin(queued, machine, now)
        else:
            job = arrivals.pop(0)
            machine = center.arrive(job)
            if machine >= 0:
                begin(job, machine, job["submit"])
            else:
                center.wait(job)
    return start, finish, where
