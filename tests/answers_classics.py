"""What makes right and wrong answers to the exercises of the lecture on classics, which answers_made.toml lists."""

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
