"""Starts the prototype's processes on this machine when a driver asks, and ends them when the driver is gone.

A run on this machine starts its own. On each of several machines type, with the same secret for all,

    SCHEDLIB_PROTOTYPE_SECRET=... python -m schedlib.prototype.host --listen 0.0.0.0:7000

and give `hosts=["one:7000", "two:7000"]` to `prototype.run`. Processes are forks of this one, which has
loaded nothing large. Each holds the reading end of a pipe whose writing end this process alone has, so that
all end when it does, however it ends.
"""

import argparse
import asyncio
import contextlib
import os
import signal
import socket
import sys
import traceback
from typing import Any, NoReturn

from schedlib.prototype.centre import Centre
from schedlib.prototype.member import Member
from schedlib.prototype.node import Node
from schedlib.prototype.scheduler import Scheduler
from schedlib.prototype.wire import PATIENCE, SECRET, Peer, listening

ROLES: dict[str, type[Member]] = {"node": Node, "scheduler": Scheduler, "centre": Centre}


class Host(Member):
    """The parent of the processes on one machine."""

    def __init__(self, address: str, secret: bytes, once: bool):
        super().__init__(("host", 0), secret)
        self.address = address
        self.once = once
        self.children: dict[Peer, list[int]] = {}  # driver -> its processes
        self.lifeline, self.held = os.pipe()

    async def listen(self, listens: socket.socket) -> None:
        if self.once:
            asyncio.get_running_loop().call_later(PATIENCE, self.give_up)
        await super().listen(listens)

    def give_up(self) -> None:
        """No driver has come."""
        if not self.driver:
            self.end.set()

    def on_spawn(self, peer: Peer, members: list[list[Any]]) -> None:
        """Fork a process for each (role, number), and tell where it listens."""
        made = []
        for role, number in members:
            listens = listening(self.address, 0, self.secret)
            child = os.fork()
            if child == 0:
                self.become(role, number, listens)
            self.children.setdefault(peer, []).append(child)
            made.append([role, number, listens.getsockname()[1], child])
            listens.close()
        peer.send("spawned", made)

    def become(self, role: str, number: int, listens: socket.socket) -> NoReturn:
        """In the child: drop what is the parent's, and be a process of that role until the end."""
        try:
            kept = {listens.fileno(), self.lifeline}
            for descriptor in range(3, max(kept | {self.held}) + 64):
                if descriptor not in kept:
                    with contextlib.suppress(OSError):
                        os.close(descriptor)

            async def live() -> None:
                asyncio.get_running_loop().add_reader(self.lifeline, os._exit, 0)
                await ROLES[role]((role, number), self.secret).listen(listens)

            asyncio.run(live())
        except BaseException:  # nothing of the parent's may run in the child
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(0)

    def on_kill(self, peer: Peer, child: int) -> None:
        """End one process at once, to see what the others do."""
        if child in self.children.get(peer, ()):
            os.kill(child, signal.SIGKILL)

    def lost(self, peer: Peer, why: str) -> None:
        """When a driver is gone so are its processes, and no others."""
        children = self.children.pop(peer, [])
        for child in children:
            os.kill(child, signal.SIGKILL)
        for child in children:
            os.waitpid(child, 0)
        if peer is self.driver:
            self.driver = None
            if self.once:
                self.end.set()


def main(arguments: list[str] | None = None) -> None:
    """Listen for drivers; with `--once` end with the first."""
    parser = argparse.ArgumentParser(
        prog="python -m schedlib.prototype.host",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--listen", default="127.0.0.1:0", metavar="ADDRESS:PORT")
    parser.add_argument("--once", action="store_true", help="end with the first driver")
    options = parser.parse_args(arguments)
    address, _, port = options.listen.rpartition(":")
    secret = os.environ.get(SECRET, "").encode()
    try:
        listens = listening(address.strip("[]") or "127.0.0.1", int(port), secret)
    except (ValueError, OSError, OverflowError) as error:
        parser.error(f"--listen {options.listen}: {error}")
    print(f"{address}:{listens.getsockname()[1]}", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(Host(address, secret, options.once).listen(listens))


if __name__ == "__main__":
    main()
