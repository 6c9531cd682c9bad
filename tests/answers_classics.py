"""What makes right and wrong answers to the exercises of the lecture on classics, which answers_made.toml lists."""

import numpy as np

from chapter_code import functions

fcfs, srpt = functions("01c-classics", "fcfs", "srpt")


def shortest_first(submit, work, clairvoyant=False, key=None):
    """The mean response when a free server takes the shortest job, or the first by another key."""
    key = key or (lambda job: work[job])
    left, now, total = list(range(len(work))), 0.0, 0.0
    while left:
        here = [job for job in left if clairvoyant or submit[job] <= now]
        if here:
            job = min(here, key=key)
            now += work[job]
            total += now - submit[job]
            left.remove(job)
        else:
            now = submit[left[0]]
    return total / len(work)


def longest_first(submit, work):
    return shortest_first(submit, work, key=lambda job: -work[job])


def first_come(submit, work):
    return np.mean(np.subtract(fcfs(submit, work), submit))


def interrupted(submit, work):
    return np.mean(np.subtract(srpt(submit, work), submit))


def wait_only(submit, work):
    return shortest_first(submit, work) - np.mean(work)


def looked_once(submit, work):
    """Sorts the jobs that have come only when its list is empty."""
    left, now, total = list(range(len(work))), 0.0, 0.0
    while left:
        now = max(now, submit[left[0]])
        here = [job for job in left if submit[job] <= now]
        for job in sorted(here, key=lambda job: work[job]):
            now += work[job]
            total += now - submit[job]
            left.remove(job)
    return total / len(work)
