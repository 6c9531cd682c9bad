"""The centre: it places long tasks by least work left, and keeps a bit for each node (Section 3.3).

Of starts and ends it learns late, from the nodes' messages.
"""

import asyncio
from heapq import heapify, heappop, heappush

from schedlib.prototype.scheduler import PAUSE, Job, Owner
from schedlib.prototype.wire import Name, Peer


class Centre(Owner):
    """The scheduler of long jobs."""

    def joined(self, driver: Peer) -> None:
        super().joined(driver)
        workers = len(self.addresses)
        self.work = [0.0] * workers  # estimates of tasks placed there and not ended (s)
        self.placed = [0] * workers  # how many these are
        # when one began, and its estimate
        self.began: list[tuple[float, float] | None] = [None] * workers
        self.bits = 0

    def wait(self, node: int) -> float:
        """The work left on a node as far as the centre knows (s)."""
        left = self.work[node]
        if had := self.began[node]:
            since, estimate = had
            left -= min(self.now() - since, estimate)
        return left

    def bring(self, job: Job) -> None:
        self.place(job, job.unstarted)

    def place(self, job: Job, tasks: list[int], but: int = -1) -> None:
        """Each task goes where the least work is left in the general partition, not to node `but`."""
        alive = self.nodes(self.how["short_only"]) or self.nodes()
        others = [node for node in alive if node != but]
        heap = [(self.wait(node), node) for node in others or alive]
        heapify(heap)
        if not heap:
            self.note(f"no node is left for long job {job.number}")
            return
        chosen = []
        for task in tasks:
            wait, node = heappop(heap)
            chosen.append((task, node))
            heappush(heap, (wait + job.estimate, node))
        for task, node in chosen:
            job.running[task] = node
            self.work[node] += job.estimate
            self.placed[node] += 1
            self.counts["placements"] += 1
            if self.how["shares"]:
                self.bits |= 1 << node
                self.write("mark", node, job.number)
        bits = f"{self.bits:x}" if self.how["shares"] else ""
        for task, node in chosen:
            there = self.peers["node", node]
            stamp = self.write("send", node, job.number)
            duration = job.durations[task]
            there.send("place", job.number, task, duration, job.estimate, bits, stamp)

    def on_started(self, peer: Peer, number: int, task: int, since: float) -> None:
        if job := self.jobs.get(number):
            job.unstarted.remove(task)
            self.began[peer.name[1]] = (since, job.estimate)

    def ended(self, job: Job, task: int, node: int) -> None:
        self.began[node] = None
        self.take_off(job, node)

    def take_off(self, job: Job, node: int) -> None:
        """A task is no longer on a node; its bit is cleared with the last one."""
        self.placed[node] -= 1
        if self.placed[node]:
            self.work[node] -= job.estimate
            return
        self.work[node] = 0.0
        if self.how["shares"]:
            self.bits &= ~(1 << node)
            self.write("clear", node, job.number)

    def on_full(self, peer: Peer, number: int, task: int) -> None:
        """A node has no room in its queue: the task goes elsewhere, after a pause."""
        if job := self.jobs.get(number):
            node = peer.name[1]
            job.running.pop(task, None)
            self.take_off(job, node)
            loop = asyncio.get_running_loop()
            loop.call_later(PAUSE, self.place, job, [task], node)

    def gone(self, name: Name) -> None:
        """A node is no more: its long tasks are placed again."""
        if name[0] != "node":
            return
        for job in list(self.jobs.values()):
            if tasks := self.lost_tasks(job, name[1]):
                job.unstarted = sorted({*job.unstarted, *tasks})
                self.place(job, tasks)
