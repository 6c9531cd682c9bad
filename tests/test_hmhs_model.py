"""Instances are checked when they are made, and every error names the argument and the row."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from cases import CASES
from refusals import refuses
from schedlib import hmhs

GOOD = {
    "map_time": [1, 2],
    "map_tasks": [1, 0],
    "map_speed": [[1.0, 0.5], [0.3, 0.4]],
    "reduce_time": [3, 4],
    "reduce_tasks": [2, 1],
    "reduce_speed": [[1.0], [0.5]],
}


@pytest.mark.parametrize("stage", ["map", "reduce"])
@pytest.mark.parametrize("part, value, says", CASES["hmhs_model"]["wrong_arguments_are_named"])
def test_wrong_arguments_are_named(stage, part, value, says):
    refuses(f"^{stage}_{says}", hmhs.Instance, **GOOD | {f"{stage}_{part}": value})


def test_arrays_are_copies_and_read_only():
    time = np.array([1.0, 2.0])
    instance = hmhs.Instance(**GOOD | {"map_time": time})
    time[0] = 9
    assert instance.map_time.tolist() == [1, 2]
    for name in GOOD:
        with pytest.raises(ValueError, match="read-only"):
            getattr(instance, name)[0] = 1


def test_sizes_times_and_head():
    instance = hmhs.Instance(**GOOD)
    assert_allclose(instance.map_task_time, [[1, 0.5], [0.6, 0.8]])
    assert_allclose(instance.reduce_task_time, [[3], [2]])
    head = instance.head(1)
    assert (head.n_jobs, head.map_machines) == (1, 2)
    assert head.reduce_time.tolist() == [3]
    for n in (0, 3):
        refuses(f"n: {n}", instance.head, n)
