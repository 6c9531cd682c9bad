"""The contents of a connection: frames, a handshake of two who know the same secret, and limits.

A frame is four bytes, the length (big-endian), and a JSON list: the kind of message, then its arguments. A
connection begins with three frames, in which both sides say their version and who they are, and prove by
HMAC-SHA256 over two fresh random numbers that they know the secret. It keeps strangers out; what follows is
neither encrypted nor signed, so use a network that you trust.

Plain asyncio protocols are used, since asyncio's streams wake a coroutine for every message.
"""

import asyncio
import hmac
import json
import secrets
import socket
from typing import Any

SECRET = "SCHEDLIB_PROTOTYPE_SECRET"  # the environment variable in which hosts and drivers find it
VERSION = 1
LONGEST = 1 << 20  # bytes of a frame
MOST_UNREAD = 64 << 20  # bytes that may wait for a peer that does not read
PATIENCE = 10.0  # s for a handshake
_json = json.JSONEncoder(separators=(",", ":")).encode
Name = tuple[str, int]
"""The role and the number of a process, as in ("node", 3)."""


def in_words(name: Name) -> str:
    """A process in a sentence.

    >>> in_words(("node", 3))
    'node 3'
    """
    role, number = name
    return f"{role} {number}"


class WireError(Exception):
    """Bytes that came over a connection cannot be part of it; the connection is closed."""


def encode(message: list[Any]) -> bytes:
    """A frame; ValueError when it would be longer than the limit.

    >>> encode(["none", 7])
    b'\\x00\\x00\\x00\\n["none",7]'
    """
    body = _json(message).encode()
    if len(body) > LONGEST:
        raise ValueError(
            f"message {message[0]!r}: {len(body):,} bytes; a frame has at most {LONGEST:,}"
        )
    return len(body).to_bytes(4, "big") + body


def decode(buffer: bytearray) -> list[Any] | None:
    """Take the first frame out of the buffer; None when it is not whole yet. Raises WireError.

    >>> some = bytearray(encode(["get", 3]) + b"\\x00")
    >>> decode(some), decode(some), some
    (['get', 3], None, bytearray(b'\\x00'))
    """
    if len(buffer) < 4:
        return None
    length = int.from_bytes(buffer[:4], "big")
    if length > LONGEST:
        raise WireError(f"a frame of {length:,} bytes is announced; the limit is {LONGEST:,}")
    if len(buffer) < 4 + length:
        return None
    body = bytes(buffer[4 : 4 + length])
    del buffer[: 4 + length]
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):  # the second: lists in lists, too deep
        message = None
    if not (isinstance(message, list) and message and isinstance(message[0], str)):
        raise WireError(f"bytes that do not form a frame: {body[:40]!r}")
    return message


def proof(secret: bytes, *said: Any) -> str:
    """The HMAC of these words, which needs the secret."""
    return hmac.new(secret, json.dumps(said).encode(), "sha256").hexdigest()


def listening(host: str, port: int, secret: bytes) -> socket.socket:
    """A socket that listens; ValueError without a secret, since any program could then start processes."""
    if not secret:
        raise ValueError(
            f"any program that reaches {host!r} could start processes; give a secret in {SECRET} (environment)"
        )
    return socket.create_server(
        (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=256
    )


class Peer(asyncio.Protocol):
    """One side of a connection; its `owner`, a `member.Member`, learns of its opening, messages and end."""

    def __init__(self, owner: Any, dials: bool):
        self.owner = owner
        self.dials = dials
        self.name: Name = ("stranger", 0)
        self.open = False
        self.why = ""
        self.buffer = bytearray()
        self.nonce = secrets.token_hex(16)

    def connection_made(self, transport: Any) -> None:
        """The connection exists; the side that dials begins the handshake."""
        self.transport = transport
        self.at = transport.get_extra_info("peername")
        self.timer = asyncio.get_running_loop().call_later(
            PATIENCE, self.close, f"no handshake within {PATIENCE:g} s"
        )
        if self.dials:
            self.send("hello", VERSION, self.owner.name, self.nonce)

    def data_received(self, data: bytes) -> None:
        """Bytes have come: handle each frame that is whole."""
        self.buffer += data
        try:
            while not self.transport.is_closing() and (message := decode(self.buffer)) is not None:
                if self.open:
                    self.owner.received(self, message)
                else:
                    self.shake_hands(message)
        except WireError as error:
            self.close(str(error))
        except RecursionError:
            self.close("lists in lists, too deep to be read")

    def shake_hands(self, message: list[Any]) -> None:
        """One frame of the handshake; WireError when the other side may not come in."""
        kind, *rest = message
        if kind == "refused":
            raise WireError(f"the other side refuses: {rest!s:.100}")
        if kind != (
            "welcome" if self.dials else "proof" if self.name[0] != "stranger" else "hello"
        ):
            raise WireError(f"{kind!r} does not belong to the handshake")
        try:
            if kind == "proof":
                (shown,) = rest
            else:
                version, (role, number), self.theirs, *shown = rest
                shown = shown[0] if shown else ""
                if not (isinstance(role, str) and isinstance(self.theirs, str)):
                    raise TypeError
                if version != VERSION:
                    raise WireError(
                        f"the other side speaks version {version}, this one {VERSION}; "
                        "run the same schedlib on both"
                    )
                self.name = (role, int(number))
            proved = shown.encode(errors="replace")
        except (TypeError, ValueError, OverflowError, AttributeError):
            raise WireError(f"a malformed {kind!r}") from None
        mine, theirs = (self.nonce, self.theirs) if self.dials else (self.theirs, self.nonce)
        if kind == "hello":
            welcome = proof(self.owner.secret, "accepts", self.owner.name, mine, theirs)
            self.send("welcome", VERSION, self.owner.name, self.nonce, welcome)
            return
        said = ("accepts" if self.dials else "dials", self.name, mine, theirs)
        if not hmac.compare_digest(proof(self.owner.secret, *said).encode(), proved):
            raise WireError("the other side does not know the secret")
        if self.dials:
            self.send("proof", proof(self.owner.secret, "dials", self.owner.name, mine, theirs))
        self.open = True
        self.timer.cancel()
        self.owner.opened(self)

    def send(self, *message: Any) -> None:
        """Send a message unless the connection is closing; close it if too many bytes are unread."""
        if self.transport.is_closing():
            return
        self.transport.write(encode(list(message)))
        if self.transport.get_write_buffer_size() > MOST_UNREAD:
            self.why = self.why or f"it does not read: {MOST_UNREAD:,} bytes wait for it"
            self.transport.abort()

    def close(self, why: str) -> None:
        """Close the connection for a reason, which the other side learns."""
        if not self.transport.is_closing():
            self.why = why
            self.send("refused", why)
            self.transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        """The connection has ended."""
        self.timer.cancel()
        self.owner.lost(self, self.why or (str(error) if error else "the connection was closed"))


async def dial(owner: Any, host: str, port: int) -> Peer:
    """Begin a connection: the owner learns when it is open. Raises OSError where no process listens."""
    _, peer = await asyncio.get_running_loop().create_connection(
        lambda: Peer(owner, dials=True), host, port
    )
    return peer
