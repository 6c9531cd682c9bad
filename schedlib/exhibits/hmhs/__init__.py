"""HMHS: how each figure and table was run, drawn and judged."""

from schedlib.hmhs import warm

__all__ = ["warm"]
