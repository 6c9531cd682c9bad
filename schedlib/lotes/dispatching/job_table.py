"""The jobs in the system, one slot each: a start or an end reads one cache line (up to three resources)."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from schedlib.core.uncounted import kernel

LINE = 64  # bytes of a cache line
MOST = 3  # resources whose sizes lie in a job's own cache line
JOB = np.dtype([("submit", "f8"), ("work", "f8"), ("key", "f8"), ("row", "i8"), ("job_class", "i4"),
                ("machine", "i4"), ("size", "f8", (MOST,))], align=True)
WAITER = np.dtype([("code", "i8"), ("child", "i4", (2,))], align=True)


def aligned(shape: int | tuple[int, ...], dtype: npt.DTypeLike = "f8") -> Any:
    """Zeros of this shape that begin at a cache line; records are read by name, `array[i].field`."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    raw = np.zeros(size + LINE, np.uint8)
    skip = -raw.ctypes.data % LINE
    array = raw[skip : skip + size].view(dtype).reshape(shape)
    return array.view(np.recarray) if dtype.names else array


class JobTable(NamedTuple):
    """Slots for S jobs."""

    job: np.recarray  # (S,): of `JOB`; `row` numbers arrivals, `machine` -1 waits, `key` orders a queue
    size: np.ndarray  # (S, R): fractions of the largest capacity; up to three lie in the job's record
    waiter: np.recarray  # (S,): of a job that waits, its `code` and its `child` links in its queue's tree
    hall: np.ndarray  # (S,): the jobs that wait, in order of arrival, for a policy without queues of its own
    spare: np.ndarray  # (S,): slots in the order in which they are handed out
    taken: np.ndarray  # (1,): how many are handed out


def job_table(slots: int, resources: int) -> JobTable:
    """An empty table of two slots or more (of one row, numpy does not tell the layout of `size`)."""
    slots = max(slots, 2)
    job = aligned(slots, JOB)
    return JobTable(
        job=job, size=(job["size"] if resources <= MOST else np.zeros((slots, resources + 1)))[:, :resources],
        waiter=aligned(slots, WAITER), hall=np.zeros(slots, np.int64), spare=np.arange(slots),
        taken=np.zeros(1, np.int64))


def enlarged(table: JobTable) -> JobTable:
    """The same jobs in a table with half as many slots again."""
    slots = len(table.spare)
    larger = job_table(slots + slots // 2 + 1, table.size.shape[1])
    for name in ("job", "size", "waiter", "hall", "spare"):
        getattr(larger, name)[:slots] = getattr(table, name)
    return larger._replace(taken=table.taken)


def present(table: JobTable) -> np.ndarray:
    """The slots of the jobs in the system, in the order of the slots."""
    taken = np.ones(len(table.spare), bool)
    taken[table.spare[table.taken[0] :]] = False
    return np.flatnonzero(taken)


@kernel
def enter(table, row, submit, job_class, work, size):
    """Give an arriving job a slot, of which one must be free."""
    slot = table.spare[table.taken[0]]
    table.taken[0] += 1
    job = table.job[slot]
    job.row, job.submit, job.job_class = row, submit, job_class
    job.work, job.machine = work, -1
    for l in range(size.size):
        table.size[slot, l] = size[l]
    return slot


@kernel
def leave(table, slot):
    """Free the slot of a job that has ended."""
    table.taken[0] -= 1
    table.spare[table.taken[0]] = slot
