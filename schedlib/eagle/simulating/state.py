"""All that a run changes: records and arrays by name (their fields are explained in `records`)."""

from typing import NamedTuple

import numpy as np

from schedlib.core import events
from schedlib.eagle import parts
from schedlib.eagle.probing.sharing import Board, empty_board
from schedlib.eagle.simulating import records
from schedlib.eagle.simulating.log import Log, Meter, empty_log, new_meter
from schedlib.eagle.simulating.messages import Lane, empty_lane
from schedlib.eagle.simulating.records import table

ROOM = 1024  # rows of an array that may grow


class Settings(NamedTuple):
    """What the system's parts need of the engine, and the numbers given to `simulate`."""

    short_way: int = parts.ANYWHERE  # the branches of `engine.bring` for short and for long jobs
    long_way: int = parts.ANYWHERE
    order: int = parts.FIRST_COME  # the branch of `reorder.choose`
    charges: int = parts.NOBODY  # whose bypass counters grow when a task overtakes them
    published: bool = True  # as published, else as written
    sticky: bool = False
    steal: bool = False
    any_thief: bool = False
    news: bool = False  # workers learn that tasks were started
    shares: bool = False  # the centre keeps the bit vector
    rejects: bool = False  # workers reject probes when these arrive
    min_probes: int = 0
    short_only: int = 0  # workers 0 to short_only - 1 are the short partition
    ratio: float = 2.0  # probes a task
    delay: float = 0.0005
    heartbeat: float = 3.0
    cap: float = 5.0


class Loads(NamedTuple):
    """What a centre goes by: plain arrays (W,), since every placement of a job reads all of them."""

    work: np.ndarray  # the sum of the estimates of the tasks placed there and not finished
    picked: np.ndarray  # when the running one of them was picked (-1: none runs)
    picked_for: np.ndarray  # its estimate
    advertised: np.ndarray  # the news of the last heartbeat
    wait: np.ndarray  # room for waiting times


class Choices(NamedTuple):
    """Room for two heaps of up to W + 1 (key, worker), and for a `line` of chosen workers or queued jobs."""

    low_key: np.ndarray
    low_worker: np.ndarray
    high_key: np.ndarray
    high_worker: np.ndarray
    line: np.ndarray


class State(NamedTuple):
    """All that a run changes, and its settings; `pool`, `counts`, `clock`, `refusal` are one record each."""

    how: Settings
    workers: np.recarray
    loads: Loads
    jobs: np.recarray
    duration: np.ndarray  # of all tasks, those of a job begin at its `first`
    entries: np.recarray  # of all queues
    pool: np.recarray
    choices: Choices
    near: Lane  # messages of one hop
    far: Lane  # messages of two hops
    ends: events.EventQueue  # of tasks
    board: Board
    meter: Meter
    log: Log
    counts: np.recarray
    clock: np.recarray
    refusal: np.recarray


def initial(how: Settings, jobs: np.recarray, duration: np.ndarray, workers: int,
            record: bool = False) -> State:
    """The state at time 0, when nothing has been submitted; arrays that may grow begin with `ROOM` rows."""
    cluster, pool = table(workers, records.WORKER), table(1, records.POOL)
    cluster.head = cluster.tail = cluster.job = cluster.copy_row = cluster.stamp = cluster.mark = -1
    pool.spare = -1
    loads = Loads(**{name: np.zeros(workers) for name in Loads._fields})
    loads.picked[:] = -1
    keys = {name: np.zeros(workers + 1) for name in ("low_key", "high_key")}
    items = {name: np.zeros(workers + 1, np.int64) for name in ("low_worker", "high_worker")}
    return State(how=how, workers=cluster, loads=loads, jobs=jobs, duration=duration,
                 entries=table(ROOM, records.ENTRY), pool=pool,
                 choices=Choices(**keys, **items, line=np.zeros(ROOM, np.int64)), near=empty_lane(ROOM),
                 far=empty_lane(ROOM), ends=events.event_queue(workers),
                 board=empty_board(workers if how.shares else 1, 64), meter=new_meter(),
                 log=empty_log(len(duration) if record else 0, ROOM if record else 0),
                 counts=table(1, records.COUNTS), clock=table(1, records.CLOCK),
                 refusal=table(1, records.REFUSAL))
