"""A process of the prototype: it listens, keeps a log and counts, and obeys the driver."""

import asyncio
import socket
import time
import traceback
from collections import Counter
from typing import Any

from schedlib.prototype.wire import Name, Peer, WireError, dial, in_words

CHUNK = 5_000  # rows of a log in one message


class Member:
    """A process with a name. A message of kind K from a peer calls `on_K(peer, ...)`."""

    def __init__(self, name: Name, secret: bytes):
        self.name = name
        self.secret = secret
        self.driver: Peer | None = None
        self.peers: dict[Name, Peer] = {}
        self.zero = 0.0  # when the replay begins, by this machine's clock (s)
        self.log: list[tuple[float, str, int, int]] = []
        self.counts: Counter[str] = Counter()
        self.end = asyncio.Event()

    async def listen(self, listens: socket.socket) -> None:
        """Answer until the driver is gone."""
        server = await asyncio.get_running_loop().create_server(
            lambda: Peer(self, dials=False), sock=listens
        )
        await self.end.wait()
        server.close()

    def now(self) -> float:
        """Seconds since the replay began."""
        return time.monotonic() - self.zero

    def write(self, event: str, worker: int, job: int) -> float:
        """A row of the log; gives its time."""
        now = self.now()
        self.log.append((now, event, worker, job))
        return now

    def note(self, what: str) -> None:
        """Report a fact to the driver, for the reader of the run."""
        if self.driver:
            self.driver.send("note", self.now(), what)

    def opened(self, peer: Peer) -> None:
        """A peer has proved that it knows the secret."""
        self.peers[peer.name] = peer
        if peer.name[0] == "driver":
            self.driver = peer

    def received(self, peer: Peer, message: list[Any]) -> None:
        """Handle a message by its kind; WireError on one that cannot be handled."""
        kind, *rest = message
        handler = getattr(self, f"on_{kind}", None)
        if handler is None:
            raise WireError(f"a message of unknown kind {kind!r}")
        self.counts["frames"] += 1
        try:
            handler(peer, *rest)
        except WireError:
            raise
        except Exception:
            self.note(f"failed at {kind!r}: {traceback.format_exc(limit=-2)}")
            raise WireError(f"cannot make sense of a message {kind!r}") from None

    def on_refused(self, peer: Peer, why: str) -> None:
        """The other side closes the connection."""
        raise WireError(f"the other side closes: {why}")

    def lost(self, peer: Peer, why: str) -> None:
        """A connection is closed; without the driver's the process ends."""
        if self.peers.get(peer.name) is peer:
            del self.peers[peer.name]
            if peer.name[0] == "driver":
                self.end.set()
            self.gone(peer.name)
        if peer.why:  # it was not simply closed
            self.note(f"closed the connection of {in_words(peer.name)}: {why}")
        if peer.dials and not peer.open:
            self.unreached()

    async def call(self, host: str, port: int) -> None:
        """Dial a node."""
        try:
            await dial(self, host, port)
        except OSError:  # it has died
            self.unreached()

    def unreached(self) -> None:
        """A node that was dialled does not answer."""

    def gone(self, name: Name) -> None:
        """The process of this name is no longer connected."""

    def on_join(self, peer: Peer, how: dict[str, Any], addresses: list[list[Any]]) -> None:
        """The driver says how to work and where the nodes are."""
        self.how = how
        self.addresses = addresses
        self.joined(peer)

    def joined(self, driver: Peer) -> None:
        """Set up what `how` says, and tell the driver when ready."""

    def on_clock(self, peer: Peer) -> None:
        """The driver asks for the time of this machine's clock."""
        peer.send("clock", time.monotonic())

    def on_begin(self, peer: Peer, zero: float) -> None:
        """The replay begins at `zero`, by this machine's clock (s)."""
        self.zero = zero

    def on_collect(self, peer: Peer) -> None:
        """Send the log and the tasks in pieces, then the counts, and the seconds that this process worked."""
        for first in range(0, len(self.log), CHUNK):
            peer.send("rows", self.log[first : first + CHUNK])
        tasks = self.tasks()
        for first in range(0, len(tasks), CHUNK):
            peer.send("tasks", tasks[first : first + CHUNK])
        peer.send("collected", {**self.counts, "cpu": time.process_time()})

    def tasks(self) -> list[list[Any]]:
        """The rows of tasks that the driver has not received; one that runs has its planned end."""
        return []
