"""The event queue, and the heap in it, against a sorted list; the winner tree against a full scan."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from schedlib.core import events, trees

KEYS = st.integers(0, 5).map(float) | st.floats(0, 1e9)


@given(st.lists(st.none() | KEYS, min_size=40, max_size=80))
def test_event_queue_is_first_in_first_out_at_equal_times(operations):
    """None takes; of 40 operations and more tens of events are left, so that the heap has several levels."""
    queue, pending = events.event_queue(80), []
    for event, time in enumerate(operations):
        if time is None:
            pending.sort()  # by time, then by event, which counts upwards
            assert events.take(queue) == (pending.pop(0) if pending else (np.inf, -1))
        else:
            assert events.add(queue, time, event)
            pending.append((time, event))
    assert [events.take(queue) for _ in pending] == sorted(pending)
    assert events.take(queue) == (np.inf, -1)


def test_full_event_queue_refuses_and_loses_nothing():
    queue = events.event_queue(2)
    assert events.add(queue, 2.0, 1) and events.add(queue, 1.0, 2)
    assert not events.add(queue, 0.0, 3)
    assert events.take(queue) == (1.0, 2)
    assert events.add(queue, 0.5, 4)
    assert [events.take(queue) for _ in range(3)] == [(0.5, 4), (2.0, 1), (np.inf, -1)]


def by_scan(tree):
    return min(range(tree.key.size), key=lambda i: (tree.key[i], tree.tie[i], i))


@given(st.lists(KEYS, min_size=1, max_size=20), st.data())
def test_winner_tree_is_a_full_scan(keys, data):
    n = len(keys)
    tree = trees.WinnerTree(np.array(keys), np.zeros(n, np.int64), np.zeros(2 * n, np.int64))
    trees.play(tree)
    assert trees.smallest(tree) == by_scan(tree)
    change = st.tuples(st.integers(0, len(keys) - 1), KEYS | st.just(np.inf), st.integers(0, 2))
    for index, key, tie in data.draw(st.lists(change, max_size=30)):
        trees.update(tree, index, key, tie)
        assert trees.smallest(tree) == by_scan(tree)
    tree.key[:] = tree.key[::-1].copy()
    trees.play(tree)
    assert trees.smallest(tree) == by_scan(tree)
