"""What the simulator keeps: workers, jobs, queue entries and counters, as arrays whose columns have the names below."""

from typing import NamedTuple

import numpy as np

from schedlib.core import events
from schedlib.eagle.probing.sharing import Board, board
from schedlib.eagle.simulating import columns as at
from schedlib.eagle.simulating.log import Log, Meter, log, meter
from schedlib.eagle.simulating.messages import Lane, lane


class Workers(NamedTuple):
    """W workers: `whole (W, 10)`, and arrays (W,) of their own since every placement of a job reads them all.

    - `work`: estimates of the tasks placed there and not finished; `picked`: when the running one of them was picked (-1: none runs);
      `picked_for`: its estimate; `advertised`: the news of the last heartbeat; `wait`: room for waiting times
    - `stamp`: the time of the copy of the bit vector (-1: none); `marks`: for whom the worker was drawn last
    """

    whole: np.ndarray
    work: np.ndarray
    picked: np.ndarray
    picked_for: np.ndarray
    advertised: np.ndarray
    wait: np.ndarray
    stamp: np.ndarray
    marks: np.ndarray


class Jobs(NamedTuple):
    """`whole (N, 7)`, `real (N, 4)`, and `duration (T,)`, the tasks of the first job first."""

    whole: np.ndarray
    real: np.ndarray
    duration: np.ndarray


class Entries(NamedTuple):
    """The entries of all queues, `whole (P, 4)` and `real (P, 2)`, each queue linked by `NEXT`."""

    whole: np.ndarray
    real: np.ndarray
    state: np.ndarray


class Choices(NamedTuple):
    """Room for the choice of workers: two heaps of up to W + 1 (key, worker), and the line shown to a reader's rule."""

    low_key: np.ndarray
    low_worker: np.ndarray
    high_key: np.ndarray
    high_worker: np.ndarray
    line: np.ndarray


class Settings(NamedTuple):
    """The system's parts and parameters, as numbers."""

    short_part: int
    long_part: int
    queue: int
    sticky: bool
    steal: bool
    any_thief: bool
    published: bool
    news: bool
    shares: bool
    min_probes: int
    short_only: int
    ratio: float
    delay: float
    heartbeat: float
    cap: float


class System(NamedTuple):
    """All that a run changes, and its settings."""

    how: Settings
    workers: Workers
    jobs: Jobs
    entries: Entries
    choices: Choices
    near: Lane
    far: Lane
    ends: events.EventQueue
    board: Board
    meter: Meter
    log: Log
    counts: np.ndarray
    clock: np.ndarray  # now, next heartbeat, next job


def system(how: Settings, jobs: Jobs, workers: int, *, record: bool = False, room: int = 1024) -> System:
    """A system at time 0 in which nothing has been submitted."""
    whole = np.zeros((workers, 10), np.int64)
    whole[:, [at.HEAD, at.TAIL, at.JOB, at.COPY]] = -1
    zero, nothing = np.zeros(workers), np.full(workers, -1.0)
    places = Choices(*(np.zeros(workers + 1, kind) for kind in (float, np.int64, float, np.int64)), np.zeros(room, np.int64))
    entries = Entries(np.zeros((room, 4), np.int32), np.zeros((room, 2)), np.array([-1, 0]))
    tasks = len(jobs.duration) if record else 0
    return System(
        how=how,
        workers=Workers(whole, zero, nothing, zero.copy(), zero.copy(), zero.copy(), nothing.copy(), np.full(workers, -1)),
        jobs=jobs,
        entries=entries,
        choices=places,
        near=lane(room),
        far=lane(room),
        ends=events.event_queue(workers),
        board=board(workers if how.shares else 1, 64),
        meter=meter(),
        log=log(tasks, room if record else 0),
        counts=np.zeros(at.REFUSED + 1, np.int64),
        clock=np.zeros(3),
    )
