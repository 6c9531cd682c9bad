"""The explorer of our six jobs against the library's simulator, and what no order may break; test_proofs.py compares shortest rest first."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from book.explorers import six
from refusals import refuses
from schedlib import lotes
from schedlib.workload import Workload

TIMES = st.lists(st.tuples(st.integers(0, 6), st.integers(1, 6)), min_size=1, max_size=5)


@pytest.mark.parametrize("servers", (1, 2, 3, 4))
@pytest.mark.parametrize("equal", (False, True))
def test_first_come_first_served_is_the_librarys(servers, equal):
    jobs = lotes.six_jobs()
    minutes = jobs.tasks["duration"] if not equal else np.full(6, 7.5)
    configs = lotes.MachineConfigs([[float(servers)]], [1])
    flow = Workload.from_arrays(jobs.jobs["submit"], minutes, cores=np.ones(6))
    waits = lotes.simulate("greedy", configs, flow).wait
    assert six.waits(servers, "first come, first served", equal) == waits.tolist()


@given(TIMES, st.integers(1, 3), st.sampled_from(sorted(six.ORDERS)))
def test_every_job_is_served_whole_by_at_most_these_servers_none_idle(times, servers, order):
    submit, minutes = zip(*sorted(times), strict=True)
    rows = six.served(submit, minutes, servers, order)
    for job, length in enumerate(minutes):
        assert sum(end - start for row, start, end in rows if row == job) == length
    for moment in {start for _, start, _ in rows}:
        ends = {job: end for job, _, end in rows}
        busy = {job for job, start, end in rows if start <= moment < end}
        here = [job for job, came in enumerate(submit) if came <= moment < ends[job]]
        assert len(busy) == min(servers, len(here))


def test_no_server_is_refused():
    refuses("servers: 0, must be at least 1", six.served, [0], [1], 0, "shortest first")
