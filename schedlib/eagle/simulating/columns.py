"""The columns of the simulator's arrays, by name."""

HEAD, TAIL, QUEUED, BUSY, RUNS_LONG, LONGS, PLACED, JOB, COPY, IS_PLACED = range(10)
"""Columns of `Workers.whole`: first and last entry of the queue, entries in it, 1 when asking or running, 1 when that is for a long
job, long tasks queued, asked for or running, tasks placed here by a centre and not finished, the job served, the worker's copy of the
bit vector (-1: none), 1 when the task served was placed by a centre."""
TASKS, UNSTARTED, KNOWN, FIRST, LONG, ANSWERS, JOB_COPY = range(7)
"""Columns of `Jobs.whole`: tasks, those not handed out, those not handed out as far as workers know (-1: they know that none is left),
where its durations begin, 1 when long, rejections on their way to its scheduler, the freshest copy among them (-1: none)."""
SUBMIT, ESTIMATE, FINISH, JOB_STAMP = range(4)
"""Columns of `Jobs.real`: submission, estimate of one task, end of the last task so far, the time of the copy."""
NEXT, OWNER, BEHIND, TASK = range(4)
"""Columns of `Entries.whole`: the entry behind (-1: none), the job, 1 when queued behind a long task, the number of the task placed
(-1: a probe)."""
BYPASSED, SINCE = range(2)
"""Columns of `Entries.real`: the bypass counter, when the entry joined the queue."""
COUNTS = (
    *(
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
    ),
    *("placements", "heartbeats", "events", "longest_queue"),
)
PROBES, REJECTIONS, BEHIND_LONG, RAN_BEHIND_LONG, STEAL_ATTEMPTS, STEALS, STOLEN, REQUESTS, VAIN, DROPPED = range(10)
PLACEMENTS, HEARTBEATS, EVENTS, LONGEST, REFUSED = range(10, 15)
"""Places of `System.counts`; `REFUSED` is 1 + the worker or job for which a reader's part said something impossible, else 0."""
SPARE, USED = range(2)
"""Places of `Entries.state`: the first spare entry (-1: none below `used`), and how many were ever used."""
