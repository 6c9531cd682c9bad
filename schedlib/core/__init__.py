"""The ground of all papers: compiled heaps, an event queue, a winner tree; readers' rules; seeded streams.

State is a namedtuple of arrays and every operation a plain function over it, so that the same source runs
compiled or, with `NUMBA_DISABLE_JIT=1`, as ordinary Python.
"""

from schedlib.core.compiling import compiled
from schedlib.core.rules import RuleKind
from schedlib.core.streams import streams

__all__ = ["RuleKind", "compiled", "streams"]
