"""The centre: it places long tasks by least work left, and keeps a bit for each node (Section 3.3).

Of starts and ends it learns late, from the nodes' messages.
"""

from heapq import heapify, heappop, heappush

from schedlib.prototype.scheduler import Job, Owner
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
        """Place all of its tasks."""
        self.place(job, job.unstarted)

    def place(self, job: Job, tasks: list[int]) -> None:
        """Each task goes where the least work is left in the general partition."""
        alive = self.nodes(self.how["short_only"]) or self.nodes()
        heap = [(self.wait(node), node) for node in alive]
        heapify(heap)
        if not heap:
            self.note(f"no node is left for long job {job.number}")
            return
        for task in tasks:
            wait, node = heappop(heap)
            heappush(heap, (wait + job.estimate, node))
            job.running[task] = node
            self.work[node] += job.estimate
            self.placed[node] += 1
            self.counts["placements"] += 1
            if self.how["shares"]:
                self.bits |= 1 << node
                self.write("mark", node, job.number)
        bits = f"{self.bits:x}" if self.how["shares"] else ""
        for task in tasks:  # all bits are set before the first task is sent
            node = job.running[task]
            there = self.peers["node", node]
            stamp = self.write("send", node, job.number)
            duration = job.durations[task]
            there.send("place", job.number, task, duration, job.estimate, bits, stamp)

    def on_started(self, peer: Peer, number: int, task: int, since: float) -> None:
        """A placed task has begun on its node."""
        if job := self.jobs.get(number):
            job.unstarted.remove(task)
            self.began[peer.name[1]] = (since, job.estimate)

    def ended(self, job: Job, task: int, node: int) -> None:
        """A task is no longer on its node, whose bit is cleared with the last one."""
        self.began[node] = None
        self.placed[node] -= 1
        if self.placed[node]:
            self.work[node] -= job.estimate
            return
        self.work[node] = 0.0
        if self.how["shares"]:
            self.bits &= ~(1 << node)
            self.write("clear", node, job.number)

    def gone(self, name: Name) -> None:
        """A node has left: its long tasks are placed again."""
        if name[0] != "node":
            return
        for job in list(self.jobs.values()):
            if tasks := self.lost_tasks(job, name[1]):
                job.unstarted = sorted({*job.unstarted, *tasks})
                self.place(job, tasks)
