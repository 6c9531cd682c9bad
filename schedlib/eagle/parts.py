"""The parts that systems are made of. A shipped part and a reader's function are records of the same kind.

The record's fields say what the part needs from the engine (a centre's bits, rejections, news), so that only
`engine.bring` and `reorder.choose` ask which part it is.
"""

from collections.abc import Callable
from typing import NamedTuple

from schedlib.core.checks import unknown
from schedlib.core.compiling import rule
from schedlib.eagle.own import PICK, PICK_FORM, SEND, SEND_FORM

ANYWHERE, THREE_ROUNDS, CLEAR, LEAST_WORK, OLD_NEWS, READERS_WAY = range(6)
"""Ways in which the tasks of a job come to workers: the branches of `engine.bring`."""
FIRST_COME, SHORTEST_JOB, SHORTEST_JOB_AS_WRITTEN, SHORTEST_TASK, READERS_ORDER = range(5)
"""Orders in which a worker serves its queue: the branches of `reorder.choose`."""
NOBODY, SHORT, EVERYBODY = range(3)


class Part(NamedTuple):
    """A way in which tasks come to workers, or an order in which a worker serves its queue."""

    branch: int
    written: int = -1  # another branch as written (-1: the same)
    places: bool = False  # whole tasks are placed; otherwise probes are sent
    stale: bool = False  # by the news of the last heartbeat
    shares: bool = False  # it needs the bits of a centre: long jobs placed by "lwl", and a short partition
    rejects: bool = False  # workers with a long task reject probes; as written they do when these arrive
    charges: int = NOBODY  # whose bypass counters grow: short ones' when short ones overtake, or everybody's
    news: bool = False  # it goes by what workers know of started tasks
    function: Callable | None = None  # a reader's function, compiled

    def at(self, published: bool) -> int:
        """The branch as published or as written."""
        return self.branch if published or self.written < 0 else self.written


WAYS = {
    "probes": Part(branch=ANYWHERE),
    "sss": Part(branch=THREE_ROUNDS, written=ANYWHERE, shares=True, rejects=True),
    "clear": Part(branch=CLEAR, shares=True),
    "lwl": Part(branch=LEAST_WORK, places=True),
    "stale-lwl": Part(branch=OLD_NEWS, places=True, stale=True),
}
LONG_WAYS = {name: WAYS[name] for name in ("lwl", "probes", "stale-lwl")}
ORDERS = {
    "fifo": Part(branch=FIRST_COME),
    "srpt": Part(branch=SHORTEST_JOB, written=SHORTEST_JOB_AS_WRITTEN, charges=SHORT, news=True),
    "srpt-tasks": Part(branch=SHORTEST_TASK, charges=EVERYBODY),
}
ARGUMENTS = {
    "short_jobs": (WAYS, READERS_WAY, rule(SEND, SEND_FORM)),
    "long_jobs": (LONG_WAYS, -1, None),
    "queue": (ORDERS, READERS_ORDER, rule(PICK, PICK_FORM)),
}
"""For each argument of a `System`: its shipped parts, and a reader's function's branch and compiler."""


def part(argument: str, given: str | Callable) -> Part:
    """The shipped part of that name, or a reader's function compiled; ValueError where neither fits."""
    shipped, branch, compiler = ARGUMENTS[argument]
    if callable(given) and compiler is not None:
        return Part(branch=branch, function=compiler(given))
    if not isinstance(given, str) or given not in shipped:
        raise unknown(argument, given, shipped)
    return shipped[given]
