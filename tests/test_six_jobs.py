"""The explorer of our six jobs against the library's simulator, the chapter's toy and every order by brute force."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from book.explorers import six
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


def test_shortest_rest_first_ends_as_by_hand_in_chapter_1c():
    submit, minutes = [0, 1, 2, 4, 10, 13], [14, 6, 7, 5, 6, 7]
    rows = six.served(submit, minutes, 1, "shortest rest first")
    assert {job: end for job, _, end in rows} == dict(enumerate([45, 7, 25, 12, 18, 32]))


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


@given(TIMES)
def test_no_order_of_whole_jobs_beats_the_shortest_rest_on_one_server(times):
    submit, minutes = zip(*sorted(times), strict=True)
    ends = {job: end for job, _, end in six.served(submit, minutes, 1, "shortest rest first")}
    for order in itertools.permutations(range(len(times))):
        now = total = 0
        for job in order:
            now = max(now, submit[job]) + minutes[job]
            total += now
        assert sum(ends.values()) <= total


def test_no_server_is_refused():
    with pytest.raises(ValueError, match="servers: 0, must be at least 1"):
        six.served([0], [1], 0, "shortest first")
