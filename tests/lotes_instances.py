"""Random small LoTES problems for the tests of stages 1 and 2."""

import numpy as np
from hypothesis import strategies as st

from schedlib import lotes
from schedlib.lotes.model import fits


@st.composite
def problems(draw, configs=3, classes=3, resources=2, machines=4, zero=True):
    """(configs, classes) with sizes in tenths, every class fitting somewhere; `zero` allows demands and rates
    of zero.
    """
    m, k, r = (draw(st.integers(1, most)) for most in (configs, classes, resources))
    least = 0 if zero else 1

    def table(rows, columns, low, high):
        size = rows * columns
        return np.array(
            draw(st.lists(st.integers(low, high), min_size=size, max_size=size))
        ).reshape(rows, columns)

    capacity, demand = table(m, r, 2, 12) / 10, table(k, r, least, 6) / 10
    demand[~demand.any(axis=1), 0] = 0.1
    rate = table(m, k, least, 4) / 2
    share = table(1, k, 1, 5)[0].astype(float)
    machine = lotes.MachineConfigs(
        capacity, draw(st.lists(st.integers(1, machines), min_size=m, max_size=m))
    )
    whole = fits(machine, lotes.JobClasses(share / share.sum(), demand, np.ones((m, k))))
    for c in range(k):
        if not (whole[:, c] & (rate[:, c] > 0)).any():
            rate[0, c] = 1.0
            demand[c] = np.minimum(demand[c], capacity[0])
    return machine, lotes.JobClasses(share / share.sum(), demand, rate)
