"""The driver has processes started, submits the jobs in time, records which die, and collects the logs."""

import asyncio
import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from schedlib import paths
from schedlib.prototype.member import Member
from schedlib.prototype.wire import SECRET, Name, Peer, dial, in_words

POLL = 0.25  # s between two questions how many tasks are left
PATIENCE = 30.0  # s for any answer
STALL = 20.0  # s, beyond the longest task, without any progress
MOMENT = 0.5  # s after a process's death in which its host may turn out to be lost, too
START = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from schedlib.prototype.host import main
main()
"""
"""Starts a host of the package in a folder, whose path may hold what separates paths in PYTHONPATH."""


class Order(NamedTuple):
    """A job as the driver submits it; times in seconds of this machine."""

    at: float
    durations: list[float]
    estimate: float
    long: bool


class Setting(NamedTuple):
    """The processes that the driver starts, and when it ends them."""

    nodes: int
    schedulers: int
    how: dict[str, Any]  # sent to every process
    hosts: Sequence[str]  # address:port of hosts that listen already; empty: it starts one here
    kill: Mapping[Name, float]  # which processes to kill, and when (s)
    sleep_out: bool  # whether to wait for tasks that run when all have begun


class Place(NamedTuple):
    """Where a process runs."""

    host: Peer
    address: str
    port: int
    process: int


class Driver(Member):
    """Runs one replay. Jobs are known by their place among the orders."""

    def __init__(
        self, orders: Sequence[Order], setting: Setting, progress: Callable[[int], object]
    ):
        secret = os.environ.get(SECRET, "") if setting.hosts else secrets.token_hex(16)
        if not secret:
            raise ValueError(
                f"hosts: put the secret that they were started with into {SECRET} (environment)"
            )
        super().__init__(("driver", 0), secret.encode())
        self.orders = orders
        self.setting = setting
        self.progress = progress  # called with the number of jobs that are over
        self.started = threading.Event()
        self.heard = asyncio.Event()
        self.answers: dict[Peer, list[Any]] = {}  # to the last question
        self.failure: Exception | None = None
        self.met: set[Name] = set()  # all that have ever been connected
        self.begun = False  # whether the replay has
        self.owner: dict[int, Name] = {}  # job -> the process that is responsible for it
        self.done: dict[int, list[list[Any]]] = {}  # job -> its tasks' rows
        # (job, task) -> its row, of jobs that are not done
        self.rows: dict[tuple[int, int], list[Any]] = {}
        self.failed: set[int] = set()
        self.notes: list[tuple[float, str, str]] = []
        self.late: list[float] = []  # how late jobs were submitted (s)
        self.total: list[dict[str, float]] = []  # the counts of each process
        self.hosts: list[Peer] = []
        self.own_host: subprocess.Popen | None = None
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `stop`

    async def replay(self) -> None:
        """Start, submit, wait, collect; whatever happens, no process is left."""
        self.loop = asyncio.get_running_loop()
        self.task = asyncio.current_task()
        self.started.set()
        try:
            await self.start()
            await self.submit()
            await self.wait()
            await self.collect()
        finally:
            self.stop()

    def interrupt(self) -> None:
        """End the replay, from another thread than its own."""
        self.started.wait()
        if self.task and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.task.cancel)

    # Starting

    async def start(self) -> None:
        """Have the processes forked, and connected to one another."""
        addresses = await self.dial_hosts()
        wanted: list[Name] = [("centre", 0)]
        wanted += [("scheduler", number) for number in range(self.setting.schedulers)]
        wanted += [("node", number) for number in range(self.setting.nodes)]
        where = await self.spawn(wanted, addresses)
        calls = [dial(self, place.address, place.port) for place in where.values()]
        await asyncio.gather(*calls, return_exceptions=True)
        await self.until(lambda: self.met.issuperset(wanted), "a process does not answer")
        nodes = []
        for number in range(self.setting.nodes):
            node = where["node", number]
            nodes.append([node.address, node.port])
        join = ("join", self.setting.how, nodes)
        await self.ask(dict.fromkeys(self.peers.values(), join))
        asked = time.monotonic()
        clocks = await self.ask(dict.fromkeys(self.hosts, ("clock",)))
        middle = (asked + time.monotonic()) / 2
        self.begun = True
        self.zero = time.monotonic() + 0.05
        for name, peer in self.peers.items():
            ahead = 0.0
            if not self.own_host:  # another machine's clock has its own zero
                (clock,) = clocks[where[name].host]
                ahead = clock - middle
            peer.send("begin", self.zero + ahead)
        for name, at in self.setting.kill.items():
            place = where[name]
            self.loop.call_later(0.05 + at, place.host.send, "kill", place.process)

    async def dial_hosts(self) -> list[str]:
        """Connect to the hosts; their addresses."""
        places = self.setting.hosts or [await self.start_host()]
        addresses = []
        for place in places:
            address, _, port = place.rpartition(":")
            address = address.strip("[]")
            addresses.append(address)
            try:
                self.hosts.append(await dial(self, address, int(port)))
            except OSError as error:
                raise RuntimeError(
                    f"no host answers ({error}); start it: see schedlib.prototype.host"
                ) from None
        await self.until(lambda: all(host.open for host in self.hosts), "a host does not answer")
        return addresses

    async def spawn(self, wanted: Sequence[Name], addresses: Sequence[str]) -> dict[Name, Place]:
        """Have each process forked by one of the hosts, in turn; where they are."""
        questions = {}
        for place, host in enumerate(self.hosts):
            questions[host] = ("spawn", wanted[place :: len(self.hosts)])
        made = await self.ask(questions)
        where = {}
        for host, address in zip(self.hosts, addresses, strict=True):
            (processes,) = made[host]
            for role, number, port, process in processes:
                where[role, number] = Place(host=host, address=address, port=port, process=process)
        return where

    async def start_host(self) -> str:
        """Start a host on this machine; where it listens."""
        package = str(paths.PACKAGE.parent)
        secret = {SECRET: self.secret.decode()}
        # The host gets a new session: Ctrl-C reaches the driver alone, which then ends the others.
        self.own_host = subprocess.Popen(
            [sys.executable, "-c", START, package, "--once"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            start_new_session=True,
            env=os.environ | secret,
        )
        assert self.own_host.stdout
        with self.own_host.stdout as said:
            place = await self.loop.run_in_executor(None, said.readline)
        if not place:
            raise RuntimeError(f"the processes cannot be started. {self.last_words()}")
        return place.strip()

    # Replaying

    async def submit(self) -> None:
        """Each job at its time to the next scheduler, long ones to the centre."""
        for number, order in enumerate(self.orders):
            while (early := order.at - self.now()) > 0:
                await asyncio.sleep(early)
            self.check()
            self.late.append(-early)
            role = "scheduler"
            if order.long and self.setting.how["centre"]:
                role = "centre"
            if alive := self.alive(role):
                owner = alive[number % len(alive)]
                self.owner[number] = owner.name
                owner.send("job", number, order.durations, order.estimate, order.long)
            else:
                self.fail([number], f"job {number} has failed: no {role} is left")

    def alive(self, *roles: str) -> list[Peer]:
        """The connected processes of these roles, in the order of their names."""
        names = sorted(name for name in self.peers if name[0] in roles)
        return [self.peers[name] for name in names]

    async def wait(self) -> None:
        """Wait until every job is done or has failed; without `sleep_out` until every task has begun."""
        longest = max(max(order.durations) for order in self.orders)
        patience = longest + STALL
        before = None
        since = time.monotonic()
        while len(self.done) + len(self.failed) < len(self.orders):
            owners = self.alive("scheduler", "centre")
            answers = await self.ask(dict.fromkeys(owners, ("status",)))
            not_ended = sum(ended for ended, _ in answers.values())
            not_begun = sum(begun for _, begun in answers.values())
            if not self.setting.sleep_out and not_begun == 0:
                return
            now = (len(self.done), not_ended, not_begun)
            if now != before:
                before = now
                since = time.monotonic()
            elif time.monotonic() - since > patience:
                waiting = sorted({*self.owner} - {*self.done} - self.failed)
                raise RuntimeError(
                    f"nothing has happened for {patience:.0f} s; jobs that wait: {waiting[:10]}"
                )
            await asyncio.sleep(POLL)

    def on_done(self, peer: Peer, number: int, rows: list[list[Any]]) -> None:
        """A job is complete; `rows` are its tasks'."""
        self.done[number] = rows
        self.progress(1)

    def on_note(self, peer: Peer, at: float, what: str) -> None:
        """A process reports a fact for the reader of the run."""
        self.notes.append((at, in_words(peer.name), what))

    def fail(self, numbers: list[int], why: str) -> None:
        """These jobs have failed."""
        if numbers:
            self.failed.update(numbers)
            self.notes.append((self.now(), "driver", why))
            self.progress(len(numbers))

    def lost(self, peer: Peer, why: str) -> None:
        """A connection is closed: of a host, of a process before its handshake, or of a process."""
        name = in_words(peer.name)
        if peer in self.hosts:
            self.failure = RuntimeError(f"{name}: {why}. {self.last_words()}")
        elif not peer.open:
            self.fail_soon(f"{name}: {why}. {self.last_words()}")
        elif self.peers.pop(peer.name, None):
            self.died(peer.name, why)
        self.heard.set()

    def died(self, member: Name, why: str) -> None:
        """A process has exited: the jobs that it is responsible for fail."""
        name = in_words(member)
        when = "" if self.begun else " before the replay began"
        at = self.now() if self.begun else 0.0
        self.notes.append((at, "driver", f"{name} has died{when} ({why})"))
        owned = [job for job, owner in self.owner.items() if owner == member]
        open_jobs = [job for job in owned if job not in self.done]
        listed = ", ".join(map(str, open_jobs))
        self.fail(open_jobs, f"jobs of {name} have failed: {listed}")
        if not self.alive("node"):
            self.fail_soon(f"no node is left. {self.last_words()}")

    def fail_soon(self, why: str) -> None:
        """End the replay in a moment, by this reason unless a host turns out to be lost."""

        def end() -> None:
            self.failure = self.failure or RuntimeError(why)
            self.heard.set()

        self.loop.call_later(MOMENT, end)

    # Collecting

    async def collect(self) -> None:
        """Get the logs and counts of all living processes; nodes first, since they may still write to the others."""
        await asyncio.sleep(POLL)  # what is on its way arrives
        for roles in (("node",), ("scheduler", "centre")):
            alive = self.alive(*roles)
            answers = await self.ask(dict.fromkeys(alive, ("collect",)))
            self.total += [counts for (counts,) in answers.values()]
        for number, order in enumerate(self.orders):
            if number in self.done or number in self.failed:
                continue
            tasks = [(number, task) for task in range(len(order.durations))]
            rows = [self.rows[task] for task in tasks if task in self.rows]
            if len(rows) < len(tasks):
                self.fail([number], f"job {number} has failed: the end of a task is unknown")
            else:
                self.done[number] = rows

    def on_rows(self, peer: Peer, rows: list[list[Any]]) -> None:
        """A piece of a process's log."""
        self.log += map(tuple, rows)

    def on_tasks(self, peer: Peer, rows: list[list[Any]]) -> None:
        """Tasks of jobs that are not complete."""
        for job, task, *rest in rows:
            self.rows[job, task] = [job, task, *rest]

    # Questions and answers

    async def ask(self, questions: Mapping[Peer, tuple[Any, ...]]) -> dict[Peer, list[Any]]:
        """Ask several processes; the answers of those that have not died meanwhile."""
        self.answers = {}
        for peer, question in questions.items():
            peer.send(*question)

        def all_have_answered() -> bool:
            return all(peer in self.answers or peer.transport.is_closing() for peer in questions)

        first, *_ = next(iter(questions.values()), ("?",))
        await self.until(all_have_answered, f"no answer to {first!r}")
        return self.answers

    def answer(self, peer: Peer, *said: Any) -> None:
        """A process answers the last question."""
        self.answers[peer] = list(said)

    on_spawned = on_ready = on_clock = on_status = on_collected = answer

    def received(self, peer: Peer, message: list[Any]) -> None:
        """Handle a message, then let `until` look again."""
        super().received(peer, message)
        self.heard.set()

    def opened(self, peer: Peer) -> None:
        """A host or a process has proved that it knows the secret."""
        if peer not in self.hosts:
            self.peers[peer.name] = peer
            self.met.add(peer.name)
        self.heard.set()

    def note(self, what: str) -> None:
        """The driver's own error ends the replay."""
        self.failure = RuntimeError(f"the driver {what}")

    def check(self) -> None:
        """Raise the error that has ended the replay, if one has."""
        if self.failure:
            raise self.failure

    async def until(self, holds: Callable[[], bool], otherwise: str) -> None:
        """Wait until something holds; RuntimeError when it takes too long or a host is lost."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not holds():
                    self.check()
                    self.heard.clear()
                    await self.heard.wait()
        except TimeoutError:
            raise RuntimeError(f"{otherwise} within {PATIENCE:g} s. {self.last_words()}") from None
        self.check()

    def last_words(self) -> str:
        """The last words that the processes wrote to their standard error."""
        if self.errors.closed:
            return ""
        self.errors.seek(0)
        written = self.errors.read()
        words = written.decode(errors="replace").split()
        return " ".join(words[-60:])

    def stop(self) -> None:
        """Hang up, which ends every process, and wait until the own host has ended, too."""
        self.lost = lambda peer, why: None  # type: ignore[method-assign]
        for peer in [*self.hosts, *self.peers.values()]:
            connection = peer.transport.get_extra_info("socket")
            with contextlib.suppress(OSError):  # now, as the event loop would do it too late
                connection.shutdown(socket.SHUT_RDWR)
            peer.transport.abort()
        if self.own_host:
            try:
                self.own_host.wait(timeout=5)
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self.own_host.pid, signal.SIGKILL)
                self.own_host.wait()
        self.errors.close()
