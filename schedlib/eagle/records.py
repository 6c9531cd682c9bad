"""The records of which the state of a run consists: of a worker, a job, a queue entry, a message and more.

Times are in the unit of the workload, mostly seconds. The number -1 means "none". Counts that a reader's
function sees have 64 bits.
"""

import numpy as np

# 64 bytes, the size of a cache line
WORKER = np.dtype(
    [
        ("queued", "i8"),  # entries in its queue
        ("busy", "i8"),  # slots that ask for a task or run one
        ("placed", "i8"),  # tasks that a centre placed here and that have not finished
        ("stamp", "f8"),  # the time of its copy of the bit vector (-1: it has none)
        ("mark", "i8"),  # the round of probes for which it was drawn last
        ("head", "i4"),  # the first entry of its queue
        ("tail", "i4"),  # the last one
        ("long_tasks", "i4"),  # long tasks queued, asked for or running here
        ("copy_row", "i4"),  # the row of the board that holds its copy of the bit vector
        ("free", "i4"),  # the first of its slots that do nothing
        ("serves_long", "i2"),  # slots that serve long jobs
        ("unheard", "i1"),  # 1 when what is placed here has changed since the last heartbeat
    ],
    align=True,
)
SLOT = np.dtype(
    [
        ("worker", "i4"),  # whose slot it is
        ("next", "i4"),  # the next of its slots that do nothing
        ("job", "i4"),  # the job that it serves
        ("serves_long", "i1"),  # 1 when that job is long
        ("serves_placed", "i1"),  # 1 when the task that it serves was placed by a centre
    ],
    align=True,
)
JOB = np.dtype(
    [
        ("submit", "f8"),  # when it is submitted
        ("estimate", "f8"),  # the estimated duration of one of its tasks
        ("long", "i8"),  # 1 for a long job
        # tasks not handed out as far as workers know (-1: they know that none is left)
        ("known", "i4"),
        ("probes", "i4"),  # that it sends (-1: a reader's function has not said yet)
        ("tasks", "i8"),  # the number of its tasks
        ("unstarted", "i8"),  # and of those not handed out
        ("start", "f8"),  # the start of its first task
        ("finish", "f8"),  # the end of the last task that has been started
        ("first", "i8"),  # where its tasks begin in `State.duration`
        ("stamp", "f8"),  # the time of its scheduler's copy of the bit vector
        # the row of the board that holds this copy, or the one that its long tasks bring
        ("copy_row", "i4"),
        ("rejected", "i4"),  # rejections on their way to its scheduler
    ],
    align=True,
)
ENTRY = np.dtype(
    [
        ("bypassed", "f8"),  # the bypass counter (Section 4.3)
        ("since", "f8"),  # when it joined a queue
        ("next", "i4"),  # the entry behind it in the queue, or the next spare entry
        ("job", "i4"),
        ("task", "i4"),  # the number of the task that was placed (-1: a probe)
        ("behind", "i4"),  # 1 when it was queued behind a long task
        ("count", "i4"),  # the probes or tasks that this entry holds (see `reorder`)
    ],
    align=True,
)
# the first spare entry below `used`; entries ever used
POOL = np.dtype([("spare", "i8"), ("used", "i8")])
MESSAGE = np.dtype(
    [
        ("time", "f8"),  # when it arrives
        ("kind", "i4"),  # see `messages`
        ("worker", "i4"),
        ("job", "i4"),
        # the round of a probe, the number of a placed task, or how many are not handed out
        ("detail", "i4"),
    ],
    align=True,
)
# where the next message is; messages on their way
RING = np.dtype([("front", "i8"), ("pending", "i8")])
BOARD = np.dtype(
    [
        ("changed", "i8"),  # 1 when the bit vector differs from its newest copy
        ("newest", "i8"),  # the row of that copy
        ("spare_rows", "i8"),  # free rows
        ("kept", "i8"),  # the row of the newest copy that schedulers have seen
        ("stamp", "f8"),  # the time of that copy
    ]
)
COUNTERS = (
    "probes",
    "rejections",
    "behind_long",
    "ran_behind_long",
    "steal_attempts",
    "steals",
    "stolen",
    "requests",
    "vain",
    "dropped",
    "placements",
    "updates",
    "heartbeats",
    "events",
    "longest_queue",
)
"""Counters, under the names of `Simulation.stats`."""
COUNTS = np.dtype([(name, "i8") for name in COUNTERS])
# `unheard`: how many workers `Loads.unheard` holds
CLOCK = np.dtype([("now", "f8"), ("next_heartbeat", "f8"), ("next_job", "i8"), ("unheard", "i8")])
REFUSAL = np.dtype(
    [
        ("what", "i8"),  # a `systems.Refusal`
        ("time", "f8"),
        ("job", "i8"),
        ("probe", "i8"),  # the job whose probe was to be sent, and the number of that probe
        ("worker", "i8"),  # the worker that was to pick from its queue
        ("choice", "i8"),  # what the reader's function returned
        ("choices", "i8"),  # of how many
    ]
)
SUMS = np.dtype(
    [
        ("origin", "f8"),  # the first submission, where the first interval begins
        ("width", "f8"),  # the length of an interval
        ("since", "f8"),  # up to when busy time has been added
        # busy workers of the two partitions
        ("busy_short", "f8"),
        ("busy_general", "f8"),
        # their busy worker-seconds so far
        ("sum_short", "f8"),
        ("sum_general", "f8"),
        # these sums at the last submission
        ("last_short", "f8"),
        ("last_general", "f8"),
    ]
)
EVENT = np.dtype([("time", "f8"), ("event", "i8"), ("worker", "i8"), ("job", "i8")])
RUN = np.dtype(
    [("worker", "i8"), ("queued", "f8"), ("asked", "f8"), ("start", "f8"), ("finish", "f8")]
)
MOST_PROBES = 2**31 - 1
"""Of a job."""
ROOM = 1024
"""Rows that an array which may grow has at first."""
COPIES = 64
"""Copies of the bit vector for which there is room at first."""
BINS = 2048
"""Intervals of the log."""
BLOCK = 6
"""A block of workers is 2 ** BLOCK of them."""
