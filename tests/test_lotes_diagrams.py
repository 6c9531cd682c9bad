"""The drawn figures of LoTES: blocks do not overlap, and are as large as what they stand for."""

import itertools

import numpy as np
import pytest

from reproduce.exhibits.lotes import fig1_4_model

SIX = fig1_4_model.fig1(total_cores=4.0, total_memory=8.0, seed=0).assign(
    total_cores=4.0, total_memory=8.0
)


@pytest.mark.parametrize(
    "resource, plot", [("cores", fig1_4_model.plot_fig1), ("memory", fig1_4_model.plot_fig2)]
)
def test_blocks_are_as_large_as_what_the_jobs_hold(resource, plot):
    blocks = [
        path
        for collection in plot(SIX).axes[0].collections
        for path in collection.get_paths()
        if len(path.vertices) > 3
    ]
    boxes = np.array([[*path.vertices.min(axis=0), *path.vertices.max(axis=0)] for path in blocks])
    assert sorted(map(tuple, boxes[:, [0, 2]])) == sorted(
        zip(SIX["start"], SIX["finish"], strict=True)
    )
    assert np.ptp(boxes[:, [1, 3]], axis=1).tolist() == SIX[resource].tolist()
    for a, b in itertools.combinations(boxes, 2):
        assert (a[2:] <= b[:2]).any() or (b[2:] <= a[:2]).any()
