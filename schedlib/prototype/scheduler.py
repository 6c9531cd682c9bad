"""A distributed scheduler probes for short jobs, and hands tasks out when nodes ask (Sections 3.3 and 4.3).

A probe that a node rejects is sent again: first to nodes whose bit is clear in the freshest vector that this
scheduler has seen, then to the short partition.
"""

import asyncio
import random
from dataclasses import dataclass, field
from typing import Any

from schedlib.prototype.member import Member
from schedlib.prototype.wire import Name, Peer

# rounds of Section 3.3
FIRST = 1
SECOND = 2
FALLBACK = 3
PROBE_RATIO = 2  # probes for each task (Section 5)


@dataclass(slots=True)
class Job:
    """A job whose tasks this process hands out; times in seconds."""

    number: int
    durations: list[float]
    estimate: float
    long: bool
    unstarted: list[int]  # tasks, the next one first
    running: dict[int, int] = field(default_factory=dict)  # task -> node
    # node -> probes there, as far as is known
    located: dict[int, int] = field(default_factory=dict)
    rows: dict[int, list[Any]] = field(
        default_factory=dict
    )  # task -> the row that its node has sent


class Owner(Member):
    """A scheduler or the centre, with the jobs that it is responsible for."""

    def joined(self, driver: Peer) -> None:
        self.jobs: dict[int, Job] = {}
        role, number = self.name
        self.random = random.Random(f"{self.how['seed']} {role} {number}")
        self.awaited = len(self.addresses)  # nodes that have not answered, and are not lost
        calls = [self.call(host, port) for host, port in self.addresses]
        self.calls = asyncio.gather(*calls)

    def one_less(self) -> None:
        """A node has answered or is lost; the driver hears when it was the last."""
        self.awaited -= 1
        if self.awaited == 0 and self.driver:
            self.driver.send("ready")

    def opened(self, peer: Peer) -> None:
        super().opened(peer)
        if peer.dials:
            self.one_less()

    def unreached(self) -> None:
        """A node that does not answer is not awaited any longer."""
        self.one_less()

    def on_job(
        self, peer: Peer, number: int, durations: list[float], estimate: float, long: bool
    ) -> None:
        """The driver submits a job."""
        self.write("submit", -1, number)
        job = Job(
            number=number,
            durations=durations,
            estimate=estimate,
            long=long,
            unstarted=list(range(len(durations))),
        )
        self.jobs[number] = job
        self.bring(job)

    def bring(self, job: Job) -> None:
        """Send its probes or tasks to nodes."""

    def on_finished(self, peer: Peer, number: int, task: int, *rest: Any) -> None:
        """A task has ended; the driver hears when it was the last of its job."""
        job = self.jobs.get(number)
        if job is None or task in job.rows:
            return
        job.running.pop(task, None)
        job.rows[task] = [number, task, *rest]
        self.ended(job, task, rest[0])
        if len(job.rows) == len(job.durations):
            del self.jobs[number]
            assert self.driver
            in_order = [job.rows[task] for task in sorted(job.rows)]
            self.driver.send("done", number, in_order)

    def ended(self, job: Job, task: int, node: int) -> None:
        """A task of the job has ended on that node."""

    def on_status(self, peer: Peer) -> None:
        """The driver asks how many tasks have not ended, and how many have not begun."""
        not_ended = 0
        not_begun = 0
        for job in self.jobs.values():
            not_ended += len(job.durations) - len(job.rows)
            not_begun += len(job.unstarted)
        peer.send("status", not_ended, not_begun)

    def tasks(self) -> list[list[Any]]:
        rows: list[list[Any]] = []
        for job in self.jobs.values():
            rows += job.rows.values()
        return rows

    def nodes(self, low: int = 0) -> list[int]:
        """The nodes from `low` on that are alive."""
        numbers = [number for role, number in self.peers if role == "node"]
        return sorted(number for number in numbers if number >= low)

    def lost_tasks(self, job: Job, node: int) -> list[int]:
        """The job's tasks that were on a node that has left; they are to be started again."""
        tasks = [task for task in job.running if job.running[task] == node]
        for task in tasks:
            del job.running[task]
        if tasks:
            listed = ", ".join(map(str, tasks))
            what = f"tasks of job {job.number} ({listed}) will run again elsewhere"
            self.note(f"node {node} is lost: {what}")
        return tasks


class Scheduler(Owner):
    """A distributed scheduler of short jobs (under Sparrow of all jobs)."""

    def joined(self, driver: Peer) -> None:
        super().joined(driver)
        # the freshest vector that a rejection has brought
        self.bits = 0
        self.stamp = -1.0

    def bring(self, job: Job) -> None:
        """The first round: max(K, 2t) probes, to distinct nodes while there are enough (Section 3.3)."""
        probes = max(self.how["min_probes"], PROBE_RATIO * len(job.durations))
        self.counts["probes"] += probes
        alive = self.nodes()
        while probes > 0 and alive:
            count = min(probes, len(alive))
            for node in self.random.sample(alive, count):
                self.probe(job, node, FIRST)
            probes -= len(alive)

    def probe(self, job: Job, node: int, stage: int) -> None:
        """Send a probe of the job to a node, in this round."""
        self.write("send", node, job.number)
        job.located[node] = job.located.get(node, 0) + 1
        left = len(job.unstarted)
        there = self.peers["node", node]
        there.send("probe", job.number, left, job.estimate, job.long, stage)

    def probe_again(self, job: Job, stage: int) -> None:
        """A probe of the second or third round, if the job still needs one."""
        alive = self.nodes()
        short = self.how["short_only"]
        if not job.unstarted or not alive:
            return
        targets = []
        for node in alive:
            has_long_task = self.bits >> node & 1  # by the freshest vector
            if node < short or (stage == SECOND and not has_long_task):
                targets.append(node)
        if not self.how["shares"]:
            targets = alive
        self.probe(job, self.random.choice(targets or alive), stage)

    def take_back(self, peer: Peer, number: int) -> Job | None:
        """A probe is no longer at a node; its job, unless that is done."""
        job = self.jobs.get(number)
        node = peer.name[1]
        if job and node in job.located:
            job.located[node] -= 1
            if job.located[node] == 0:
                del job.located[node]
        return job

    def on_reject(self, peer: Peer, number: int, stage: int, bits: str, stamp: float) -> None:
        """A node with a long task returns a probe with its bit vector and the vector's time."""
        if stamp > self.stamp:
            self.bits = int(bits, 16)
            self.stamp = stamp
        if job := self.take_back(peer, number):
            self.probe_again(job, SECOND if stage == FIRST else FALLBACK)

    def on_get(self, peer: Peer, number: int) -> None:
        """A node asks for a task (late binding); nodes with other probes of the job learn how many are left."""
        job = self.jobs.get(number)
        node = peer.name[1]
        self.write("ask", node, number)
        if job is None or not job.unstarted:
            self.counts["vain"] += 1
            self.take_back(peer, number)
            peer.send("none", number)
            return
        task = job.unstarted.pop(0)
        job.running[task] = node
        left = len(job.unstarted)
        peer.send("task", number, task, job.durations[task], left)
        if job.long or not self.how["sticky"]:
            self.take_back(peer, number)
        if self.how["updates"]:
            for other in job.located:
                if other != node and (there := self.peers.get(("node", other))):
                    self.counts["updates"] += 1
                    there.send("left", number, left)

    def gone(self, name: Name) -> None:
        """A node has left: its tasks run again, and jobs with tasks left send probes again."""
        if name[0] != "node":
            return
        for job in list(self.jobs.values()):
            job.located.pop(name[1], None)
            job.unstarted += self.lost_tasks(job, name[1])
            for _ in range(PROBE_RATIO * len(job.unstarted)):
                self.probe_again(job, FALLBACK)
