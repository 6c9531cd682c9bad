"""Seeded streams of random numbers that stay the same whatever else is drawn."""

import zlib

import numpy as np

from schedlib.core.checks import typed


@typed
def streams(seed: int, *names: str) -> tuple[np.random.Generator, ...]:
    """One independent generator for each name, a function of the seed and the name alone.

    Drawing more sizes, or adding a stream, leaves the arrivals as they were, so that policies meet the same
    workload. Raises ValueError on a negative seed or a name given twice.

    >>> arrivals, sizes = streams(7, "arrivals", "sizes")
    >>> (again,) = streams(7, "arrivals")
    >>> bool(arrivals.random() == again.random())
    True
    """
    if seed < 0:
        raise ValueError(f"seed: {seed}, must not be negative")
    if len(set(names)) != len(names):
        raise ValueError(f"names: {names}, a name is given twice")
    generators = []
    for name in names:
        key = zlib.crc32(name.encode())
        sequence = np.random.SeedSequence(entropy=int(seed), spawn_key=(key,))
        generators.append(np.random.default_rng(sequence))
    return tuple(generators)
