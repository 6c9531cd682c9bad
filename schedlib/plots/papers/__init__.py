"""The papers of the book, one record each, a file in this folder: whatever lists the papers reads these."""

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    """All that the book must know of a paper besides its algorithms.

    - `key`: the name of its folders, and the first part of its experiments' ids
    - `title`: how the text calls it; `order`: its place in the book
    - `labels`: what figures call each policy, by name, in the order in which colours are given
    - `first_result`: a few lines of Python that print a first result of the paper's policy (`make bench`
      times it); empty for a paper without a policy
    """

    key: str
    title: str
    order: int
    labels: Mapping[str, str]
    first_result: str = ""


def _records() -> tuple[Paper, ...]:
    modules = [
        importlib.import_module(f"{__name__}.{file.name}")
        for file in pkgutil.iter_modules(__path__)
    ]
    return tuple(sorted((module.PAPER for module in modules), key=lambda paper: paper.order))


ALL: tuple[Paper, ...] = _records()
KEYS: tuple[str, ...] = tuple(paper.key for paper in ALL)
"""The papers' keys in the book's order."""


def title_of(key: str) -> str:
    """How the text calls the paper with this key; the key itself when no paper has it.

    >>> title_of("mch"), title_of("mine")
    ('MCH', 'mine')
    """
    return next((paper.title for paper in ALL if paper.key == key), key)
