"""Weighted DRF with tasks as fine as sand: progressive filling, solved exactly (MCH, Section II.B)."""

import numpy as np

USED_UP = 1e-10  # a resource with less than this share left counts as used up: it absorbs rounding only


def fluid_flat(need, speed) -> tuple[np.ndarray, np.ndarray, int]:
    """Tasks (p,), saturated resources (R,) and the number of phases when every leaf's tasks grow at a constant speed.

    - `need (p, R)`: share of each resource that one task takes; `speed (p,)`: tasks per unit of the common level, weight/share

    A resource that is used up freezes the leaves that demand it; there are at most R phases. Source: DRF (Ghodsi et al., NSDI
    2011); MCH, Section II.B.3.

    >>> tasks, saturated, phases = fluid_flat(np.array([[1 / 9, 4 / 18], [3 / 9, 1 / 18]]), np.array([18 / 4, 9 / 3]))
    >>> tasks.round(9).tolist(), saturated.tolist(), phases
    ([3.0, 2.0], [True, False], 1)
    """
    need, speed = np.asarray(need, float), np.asarray(speed, float)
    tasks, saturated, phases = np.zeros(len(need)), np.zeros(need.shape[1], bool), 0
    while (growing := ~(need[:, saturated] > 0).any(axis=1)).any():
        rate = np.where(growing, speed, 0) @ need
        left = 1 - tasks @ need
        asked = (rate > 0) & ~saturated
        span = np.full(len(left), np.inf)
        span[asked] = np.maximum(left[asked], 0) / rate[asked]
        first = int(span.argmin())
        tasks[growing] += speed[growing] * span[first]
        saturated |= asked & (1 - tasks @ need <= USED_UP)
        saturated[first] = True
        phases += 1
    return tasks, saturated, phases
