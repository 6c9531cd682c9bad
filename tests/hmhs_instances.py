"""Instances of HMHS's problem for hypothesis, and searches of all schedules of the smallest; no algorithm of the library."""

import itertools

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from schedlib.hmhs import Instance


def brute_force(instance):
    """The optimum of a very tiny instance: every split of the tasks over the machines in every order, both stages."""
    at_once = (0.0,) * instance.n_jobs
    map_ends = set(_ends(instance.map_tasks, instance.map_task_time, at_once))
    undominated = [
        a
        for a in map_ends
        if not any(b != a and all(x <= y for x, y in zip(b, a, strict=True)) for b in map_ends)
    ]
    return min(
        max(ends)
        for a in undominated
        for ends in _ends(instance.reduce_tasks, instance.reduce_task_time, a)
    )


def _ends(tasks, times, ready):
    """For each schedule of a stage when each job ends, at the earliest when it is ready."""
    pool = np.repeat(np.arange(tasks.size), tasks).tolist()
    time = times.tolist()
    for line in set(itertools.permutations(pool)):
        for where in itertools.product(range(times.shape[1]), repeat=len(line)):
            clock, ends = [0.0] * times.shape[1], list(ready)
            for i, j in zip(line, where, strict=True):
                clock[j] = max(clock[j], ready[i]) + time[i][j]
                ends[i] = max(ends[i], clock[j])
            yield tuple(ends)


@st.composite
def instances(draw, jobs=7, machines=4, tasks=5, ties=None, paired=False):
    """Random instances: many ties and sums exact in floating point (`ties`), or generic real numbers, or either.

    `paired`: with as many map as reduce machines.
    """
    ties = draw(st.booleans()) if ties is None else ties
    n = draw(st.integers(1, jobs))
    columns = {}
    pool = st.integers(1, machines)
    if paired:
        pool = st.just(draw(pool))
    for stage in ("map", "reduce"):
        m = draw(pool)
        if ties:
            time = draw(arrays(int, n, elements=st.integers(1, 4)))
            speed = draw(arrays(float, (n, m), elements=st.sampled_from([0.25, 0.5, 1.0])))
        else:
            rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
            time, speed = rng.uniform(5, 45, n), rng.uniform(0.1, 1, (n, m))
        count = draw(arrays(int, n, elements=st.integers(0, tasks)))
        columns |= {f"{stage}_time": time, f"{stage}_tasks": count, f"{stage}_speed": speed}
    return Instance(**columns)
