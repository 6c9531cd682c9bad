"""Instances of HMHS's problem for hypothesis, and searches of all schedules of the smallest; no algorithm of the library."""

import itertools

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from schedlib.hmhs import Instance


def two_machine_makespan(first, second, order):
    """Two machines in a row, job after job."""
    one = two = 0
    for i in order:
        one += first[i]
        two = max(one, two) + second[i]
    return two


def last_ends(plan, jobs):
    """When the last task of each job ends, 0 for a job without any."""
    return [max((end for i, _, _, end in plan if i == job), default=0.0) for job in range(jobs)]


def brute_force(instance):
    """The optimum of a very tiny instance: every split of the tasks over the machines in every order, both stages."""
    a_vectors = {
        tuple(last_ends(plan, instance.n_jobs))
        for plan in _plans(instance, "map", [0.0] * instance.n_jobs)
    }
    undominated = [
        a
        for a in a_vectors
        if not any(b != a and all(x <= y for x, y in zip(b, a, strict=True)) for b in a_vectors)
    ]
    return min(
        max([*a, *(end for _, _, _, end in plan)])
        for a in undominated
        for plan in _plans(instance, "reduce", list(a))
    )


def _plans(instance, stage, ready):
    tasks = getattr(instance, f"{stage}_tasks")
    e = getattr(instance, f"{stage}_task_time").tolist()
    pool = [i for i in range(len(tasks)) for _ in range(tasks[i])]
    for line in set(itertools.permutations(pool)):
        for where in itertools.product(range(len(e[0])), repeat=len(line)):
            clock, plan = [0.0] * len(e[0]), []
            for i, j in zip(line, where, strict=True):
                start = max(clock[j], ready[i])
                clock[j] = start + e[i][j]
                plan.append((i, j, start, clock[j]))
            yield plan


@st.composite
def instances(draw, jobs=7, machines=4, tasks=5, ties=None):
    """Random instances: many ties and sums exact in floating point (`ties`), or generic real numbers, or either."""
    ties = draw(st.booleans()) if ties is None else ties
    n = draw(st.integers(1, jobs))
    columns = {}
    for stage in ("map", "reduce"):
        m = draw(st.integers(1, machines))
        if ties:
            time = draw(arrays(int, n, elements=st.integers(1, 4)))
            speed = draw(arrays(float, (n, m), elements=st.sampled_from([0.25, 0.5, 1.0])))
        else:
            rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
            time, speed = rng.uniform(5, 45, n), rng.uniform(0.1, 1, (n, m))
        count = draw(arrays(int, n, elements=st.integers(0, tasks)))
        columns |= {f"{stage}_time": time, f"{stage}_tasks": count, f"{stage}_speed": speed}
    return Instance(**columns)
