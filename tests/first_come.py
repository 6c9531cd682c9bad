"""Many servers, first come, first served."""

import numpy as np


def first_come(submit, size, servers):
    """When each job starts: Kiefer and Wolfowitz's recursion, with one server Lindley's."""
    free, start = [0.0] * servers, np.empty(len(submit))
    for job, (t, s) in enumerate(zip(submit, size, strict=True)):
        k = free.index(min(free))
        start[job] = max(t, free[k])
        free[k] = start[job] + s
    return start
