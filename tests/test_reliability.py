"""Equal jobs that come at once, of which an earlier version needed the square of their number."""

import numpy as np
import pytest

from schedlib import lotes
from schedlib.workload import Workload


@pytest.mark.parametrize("policy", ["tetris", "greedy"])
def test_equal_jobs_at_once_start_in_their_order(policy):
    """100 machines take 4 jobs each; with the square of the number this takes minutes."""
    number = np.arange(100_000)
    ones = np.ones(number.size)
    workload = Workload.from_arrays(np.zeros(number.size), ones, cpu=ones, memory=ones)
    configs = lotes.MachineConfigs([[4.0, 4.0]], [100])
    run = lotes.simulate(policy, configs, workload)
    assert (run.jobs["start"] == number // 400).all()
