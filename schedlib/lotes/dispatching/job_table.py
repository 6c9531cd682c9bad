"""The jobs in the system, one slot each, so laid out that a start or an end touches one cache line (with two resources)."""

from typing import NamedTuple

import numpy as np

from schedlib.core.uncounted import kernel

SUBMIT, WORK, KEY, CLASS, MACHINE, SIZE = range(6)
ROW, LEFT, RIGHT, CODE, KIND = range(5)
LINE = 64


def aligned(rows: int, columns: int) -> np.ndarray:
    """Zeros (rows, columns) of float that begin at a cache line."""
    raw = np.zeros(rows * columns + LINE // 8)
    skip = -raw.ctypes.data % LINE // 8
    return raw[skip : skip + rows * columns].reshape(rows, columns)


class Jobs(NamedTuple):
    """Slots for S jobs.

    - `real (S, 5 + R or more)`: submit, work, the queue's key, class, machine (-1: waits), then the sizes, fractions of the largest
      capacity
    - `whole (S, 5)`, of jobs that wait: number in order of arrival, the links and code of the queue, and the class
    - `spare (S,)`, `taken (1,)`: slots in the order in which they are handed out, and how many are out
    """

    real: np.ndarray
    whole: np.ndarray
    spare: np.ndarray
    taken: np.ndarray


def job_table(slots: int, resources: int) -> Jobs:
    """An empty table."""
    columns = SIZE + resources
    columns = 8 if columns <= 8 else columns
    return Jobs(aligned(slots, columns), np.zeros((slots, 5), np.int64), np.arange(slots), np.zeros(1, np.int64))


def enlarged(jobs: Jobs) -> Jobs:
    """The same jobs in a table of half as many slots again."""
    slots = len(jobs.spare)
    more = slots // 2 + 1
    real = aligned(slots + more, jobs.real.shape[1])
    real[:slots] = jobs.real
    whole = np.concatenate((jobs.whole, np.zeros((more, jobs.whole.shape[1]), np.int64)))
    return Jobs(real, whole, np.concatenate((jobs.spare, np.arange(slots, slots + more))), jobs.taken)


@kernel
def enter(jobs, submit, job_class, work, size):
    """Give a job that arrives a slot; there must be one."""
    slot = jobs.spare[jobs.taken[0]]
    jobs.taken[0] += 1
    jobs.real[slot, SUBMIT] = submit
    jobs.real[slot, WORK] = work
    jobs.real[slot, CLASS] = job_class
    jobs.real[slot, MACHINE] = -1
    for l in range(size.size):
        jobs.real[slot, SIZE + l] = size[l]
    return slot


@kernel
def note_wait(jobs, slot, row, job_class):
    """Write down what is needed of a job that may have to wait; the others leave the lines of `whole` alone."""
    jobs.whole[slot, ROW] = row
    jobs.whole[slot, KIND] = job_class


@kernel
def leave(jobs, slot):
    """Take the slot of a job that is done back."""
    jobs.taken[0] -= 1
    jobs.spare[jobs.taken[0]] = slot
