"""Right and wrong answers to the exercises of the lecture on classics, as `answers_lotes` has them for other chapters."""

import heapq

import numpy as np


def shortest_first(submit, work, interrupted=False, clairvoyant=False, order=None):
    """The mean response when a free server takes the shortest job, or the first by another order."""
    order = order or (lambda job: (left[job], job))
    left, now, total = dict(enumerate(map(float, work))), 0.0, 0.0
    while left:
        here = [job for job in left if clairvoyant or submit[job] <= now]
        if not here:
            now = min(submit[job] for job in left)
            continue
        job = min(here, key=order)
        later = [when for when in submit if when > now]
        until = min(later, default=np.inf) if interrupted else np.inf
        served = min(left[job], until - now)
        now, left[job] = now + served, left[job] - served
        if left[job] < 1e-12:
            total += now - submit[job]
            del left[job]
    return total / len(work)


def first_come(submit, work):
    return shortest_first(submit, work, order=lambda job: job)


def longest_first(submit, work):
    return shortest_first(submit, work, order=lambda job: (-work[job], job))


def wait_only(submit, work):
    return shortest_first(submit, work) - np.mean(work)


def looked_once(submit, work):
    """Sorts the jobs that have come only when its list is empty."""
    waiting, now, total = [], 0.0, 0.0
    coming = sorted(zip(submit, work, strict=True))
    while coming or waiting:
        if not waiting:
            now = max(now, coming[0][0])
            while coming and coming[0][0] <= now:
                when, size = coming.pop(0)
                heapq.heappush(waiting, (size, when))
        size, when = heapq.heappop(waiting)
        now += size
        total += now - when
    return total / len(work)


RIGHT = {
    "classics.three_machines": lambda: (18, 14, 13),
    "classics.against_johnson": lambda: [(10, 1), (1, 11)],
    "classics.sorting_hurts": lambda: [6, 2, 2, 5, 2, 3],
    "classics.shortest_first": lambda: shortest_first,
    "classics.longest_job": lambda: (0.9736, 0.9286),
}
WRONG = {
    "classics.three_machines": lambda: [
        (14, 18, 13),
        (18, 14, 38 / 3),
        (18, 14, 14),
        (38, 14, 13),
        (18, 13, 13),
        (18, 14, 12),
        (16, 14, 13),
    ],
    "classics.against_johnson": lambda: [
        [(1, 9), (9, 1)],  # equal totals
        [(5, 4), (4, 6)],
        [(3, 1)],
        [(-1, 2), (2, 3)],
        [1, 2],
        [(1, 2), (3, 4)],
    ],
    "classics.sorting_hurts": lambda: [
        [9, 5, 3, 2],
        [6, 2, 2, 5, 3],
        [2, 2, 2, 6, 5, 3, 9, 8],
        [11, 2],
        [1, 7, 1, 7, 3, 3, 4],
        [2.5, 7.5],
        [6, 2, 2, 5, 2, 3, 10, 10, 10, 10, 10],
    ],
    "classics.shortest_first": lambda: [
        first_come,
        longest_first,
        wait_only,
        looked_once,
        lambda *of: shortest_first(*of, interrupted=True),
        lambda *of: shortest_first(*of, clairvoyant=True),
        shortest_first([0], [1]),
    ],
    "classics.longest_job": lambda: [
        (1 / 0.9736, 0.9286),
        (0.4243, 0.9286),
        (5 * 0.9736, 0.9286),
        (335.1, 0.9286),
        (0.9736, 92.86),
        (0.9736, 0.8),
        (0.9736, 0.95),
        (1, 1),
    ],
}
