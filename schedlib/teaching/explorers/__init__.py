"""Explorers: a few controls above a picture. Each is a thin skin over a paper's own functions."""

from schedlib.teaching.explorers.explorer import Explorer

__all__ = ["Explorer"]
