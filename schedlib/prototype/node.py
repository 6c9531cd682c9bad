"""A node monitor of one slot: its queue, which probe it serves next, what it rejects, what it steals.

Algorithm 1 of Eagle, lines 14 to 27, with the numbers that the node itself knows: how many tasks of a job are
left it learns from messages. Jobs are known by their numbers, times are seconds of this machine.
"""

import asyncio
import math
import random
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from schedlib.prototype.member import Member
from schedlib.prototype.wire import Name, Peer

# nodes that a thief asks, and probes that it takes at the most (Hawk)
VICTIMS = 10
LOOT = 1_000
SLICE = 0.002  # s of computing before messages are looked at, with `burn`
CENTRE: Name = ("centre", 0)


@dataclass(slots=True, eq=False)
class Entry:
    """An entry of a queue: a probe of a job, or a task that the centre has placed."""

    job: int
    owner: Name  # who hands out its tasks
    left: int  # tasks of the job not handed out, as far as this node knows
    estimate: float  # of one task (s)
    long: bool
    since: float  # when it joined a queue
    task: int = -1  # the number of the placed task
    duration: float = 0.0  # its duration (s)
    behind: bool = False  # whether a long task was here before it
    bypassed: float = 0.0  # the bypass counter (Section 4.3)


def next_entry(queue: Iterable[Entry], cap: float) -> Entry | None:
    """Algorithm 1, lines 14-27: the job of least remaining time that may bypass all in front of it.

    >>> line = [Entry(1, CENTRE, 1, 4.0, False, 0.0), Entry(2, CENTRE, 1, 3.0, False, 0.0)]
    >>> next_entry(line, cap=5).job, next_entry(line, cap=0).job
    (2, 1)
    """
    # lines 15-16
    shortest = math.inf
    room = math.inf
    chosen = None
    first = None
    for entry in queue:  # line 17
        first = first or entry
        if entry.long:  # lines 18-19
            break
        left = entry.estimate * entry.left
        if left < shortest and entry.estimate <= room:  # lines 20-21
            # lines 22-23
            shortest = left
            chosen = entry
        room = min(room, cap * entry.estimate - entry.bypassed)
    return chosen or first  # lines 24-27


class Node(Member):
    """A node monitor and its slot."""

    def __init__(self, name: Name, secret: bytes):
        super().__init__(name, secret)
        self.queue: list[Entry] = []
        self.serving: Entry | None = None  # the entry that it asks for a task or runs one of
        self.asked = 0.0
        self.row = [0, 0, 0, 0.0, 0.0, 0.0, 0.0]
        self.overtaken: list[Entry] = []  # the entries in front of it
        self.asks = self.runs = False
        self.long_tasks = 0  # long tasks that wait, are asked for or run here
        # its copy of the centre's bit vector, and when it was sent
        self.bits = ""
        self.stamp = -1.0
        self.attempts = 0
        self.asking_victim = False

    def joined(self, driver: Peer) -> None:
        self.random = random.Random(f"{self.how['seed']} node {self.name[1]}")
        driver.send("ready")

    # What comes in

    def on_probe(
        self, peer: Peer, job: int, left: int, estimate: float, long: bool, stage: int
    ) -> None:
        """A scheduler probes: the probe is rejected behind a long task (Section 3.3), or queued."""
        me = self.name[1]
        if self.how["shares"] and self.long_tasks:
            self.counts["rejections"] += 1
            self.write("reject", me, job)
            peer.send("reject", job, stage, self.bits, self.stamp)
        else:
            self.take_in(Entry(job, peer.name, left, estimate, long, self.now()))

    def on_place(
        self,
        peer: Peer,
        job: int,
        task: int,
        duration: float,
        estimate: float,
        bits: str,
        stamp: float,
    ) -> None:
        """The centre places a long task, and sends its bit vector and the vector's time."""
        self.bits = bits
        self.stamp = stamp
        self.take_in(Entry(job, peer.name, 1, estimate, True, self.now(), task, duration))

    def take_in(self, entry: Entry) -> None:
        """The entry joins the end of the queue."""
        entry.behind = not entry.long and self.long_tasks > 0
        self.counts["behind_long"] += entry.behind
        self.long_tasks += entry.long
        self.queue.append(entry)
        self.counts["longest_queue"] = max(self.counts["longest_queue"], len(self.queue))
        self.write("queue", self.name[1], entry.job)
        self.serve()

    def on_left(self, peer: Peer, job: int, left: int) -> None:
        """A task of the job was handed out somewhere: `left` are left; at 0 its probes are dropped."""
        for entry in [entry for entry in self.queue if entry.job == job]:
            entry.left = left
            if left == 0 and not (entry is self.serving and self.asks):
                self.drop(entry)

    def drop(self, entry: Entry) -> None:
        """An entry that is not needed any more leaves the queue."""
        self.queue.remove(entry)
        self.long_tasks -= entry.long
        self.counts["dropped"] += 1
        self.write("drop", self.name[1], entry.job)

    # What runs next

    def serve(self) -> None:
        """A free node picks an entry and asks for a task of its job; a placed task starts at once."""
        if self.serving:
            return
        srpt = self.how["queue"] == "srpt"
        entry = next_entry(self.queue, self.how["cap"]) if srpt else next(iter(self.queue), None)
        if entry is None:
            return
        self.serving = entry
        self.asked = self.now()
        if entry.task >= 0:
            self.queue.remove(entry)
            self.start(entry.task, entry.duration)
            return
        self.asks = True
        self.overtaken = self.queue[: self.queue.index(entry)]
        self.counts["requests"] += 1
        if entry.long or not self.how["sticky"]:
            self.queue.remove(entry)
        if owner := self.peers.get(entry.owner):
            owner.send("get", entry.job)
        else:
            self.on_none(None, entry.job)

    def on_task(self, peer: Peer, job: int, task: int, duration: float, left: int) -> None:
        """The scheduler hands a task out; the bypass counters of those in front grow (Section 4.3)."""
        entry = self.serving
        if not (entry and self.asks and entry.job == job):
            raise ValueError(f"this node has not asked for a task of job {job}")
        self.asks = False
        if self.how["queue"] == "srpt" and not entry.long:
            for other in self.overtaken:
                other.bypassed += entry.estimate * (not other.long)
        entry.left = left
        self.counts["ran_behind_long"] += entry.behind
        self.start(task, duration)
        if left == 0 and self.how["updates"] and entry in self.queue:
            self.drop(entry)

    def on_none(self, peer: Peer | None, job: int) -> None:
        """The job has no task left to hand out."""
        entry = self.serving
        self.serving = None
        self.asks = False
        assert entry
        self.write("vain", self.name[1], job)
        if entry in self.queue:
            self.queue.remove(entry)
        self.long_tasks -= entry.long
        self.freed()

    def start(self, task: int, duration: float) -> None:
        """The slot runs a task for `duration` seconds."""
        entry = self.serving
        loop = asyncio.get_running_loop()
        assert entry
        self.runs = True
        now = self.write("start", self.name[1], entry.job)
        if entry.task >= 0:
            self.asked = now
        self.row = [entry.job, task, self.name[1], entry.since, self.asked, now, now + duration]
        if entry.owner == CENTRE and CENTRE in self.peers:
            self.peers[CENTRE].send("started", entry.job, task, now)
        if self.how["burn"]:
            self.burn(duration)
        else:
            loop.call_later(duration, self.finish)

    def burn(self, left: float) -> None:
        """Compute for `left` seconds of processor time, and look at messages in between."""
        end = time.process_time() + min(left, SLICE)
        while time.process_time() < end:
            pass
        left -= SLICE
        loop = asyncio.get_running_loop()
        if left > 0:
            loop.call_soon(self.burn, left)
        else:
            loop.call_soon(self.finish)

    def finish(self) -> None:
        """The task ends (lines 4-5), and the node looks for the next."""
        entry = self.serving
        self.serving = None
        self.runs = False
        assert entry
        self.row[-1] = self.write("finish", self.name[1], entry.job)
        self.long_tasks -= entry.long
        if owner := self.peers.get(entry.owner):
            owner.send("finished", *self.row)
        self.freed()

    def freed(self) -> None:
        """Serve the queue; a node that has run out of work steals (Hawk, Section 6.1)."""
        self.serve()
        if self.how["steal"] and not self.serving and not self.queue:
            self.attempts = VICTIMS
            self.try_to_steal()

    # Hawk: stealing

    def try_to_steal(self) -> None:
        """Ask one more node of the general partition, while there is nothing to do here."""
        low = self.how["short_only"]
        me = self.name[1]
        others = [node for node in range(low, len(self.addresses)) if node != me]
        may = me >= low or self.how["thieves"] == "any"
        if self.asking_victim or self.serving or self.attempts == 0 or not may or not others:
            return
        self.attempts -= 1
        self.asking_victim = True
        self.counts["steal_attempts"] += 1
        victim = ("node", self.random.choice(others))
        if victim in self.peers:
            self.peers[victim].send("steal")
        else:
            address = self.addresses[victim[1]]  # `opened` asks it
            self.calling = asyncio.get_running_loop().create_task(self.call(*address))

    def opened(self, peer: Peer) -> None:
        super().opened(peer)
        if peer.dials:
            peer.send("steal")

    def on_steal(self, peer: Peer) -> None:
        """A thief takes the first unbroken run of short probes behind a long task."""
        behind = bool(self.serving and self.serving.long)
        batch: list[Entry] = []
        for entry in self.queue:
            if entry.long and batch:
                break
            if entry.long:
                behind = True
            elif behind:
                batch.append(entry)
        loot = []
        for entry in batch[:LOOT]:
            self.queue.remove(entry)
            # both rows here, and now, so that a replay sees them together and in time
            self.write("robbed", self.name[1], entry.job)
            self.write("steal", peer.name[1], entry.job)
            loot.append([entry.job, entry.owner, entry.left, entry.estimate, entry.since])
        peer.send("loot", loot)

    def on_loot(self, peer: Peer | None, loot: list[list[Any]]) -> None:
        """The stolen probes join the queue; after an attempt in vain the node tries again."""
        self.asking_victim = False
        self.counts["steals"] += bool(loot)
        self.counts["stolen"] += len(loot)
        for job, (role, number), left, estimate, since in loot:
            self.queue.append(Entry(job, (role, number), left, estimate, False, since))
        self.serve()
        self.try_to_steal()

    def gone(self, name: Name) -> None:
        """A process that has died needs no more of this node; a task that runs is run to its end."""
        if name[0] == "node":
            if self.asking_victim:
                self.on_loot(None, [])
            return
        for entry in [entry for entry in self.queue if entry.owner == name]:
            self.drop(entry)
        if self.serving and self.asks and self.serving.owner == name:
            self.on_none(None, self.serving.job)

    def unreached(self) -> None:
        """The victim does not answer: an attempt in vain."""
        self.on_loot(None, [])

    def tasks(self) -> list[list[Any]]:
        return [self.row] if self.runs else []
