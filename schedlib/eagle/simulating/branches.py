"""Which kernel a part is: the two tables of branches, the only places where the engine asks what kind of part
it has.

Every branch has the same arguments and is the same kind of thing, a reader's function behind one of them.
They are branches and not functions handed over, because such calls are not put in line (a queue's scan and a
probe take some ten nanoseconds each), and not one engine compiled for each system, because compiling takes a
minute.
"""

from schedlib.core.uncounted import kernel
from schedlib.eagle import parts
from schedlib.eagle.central.placing import place
from schedlib.eagle.probing.probes import probe_anywhere, probe_by_reader, probe_clear
from schedlib.eagle.probing.rejections import probe_in_three_rounds
from schedlib.eagle.queueing.reorder import (
    pick_by_reader,
    shortest_job,
    shortest_job_as_written,
    shortest_task,
)


@kernel
def bring(send, state, job, rng, now):
    """A submitted job's tasks or probes are sent to workers, in the way of its class."""
    how, is_long = state.how, state.jobs[job].long == 1
    way = how.long_way if is_long else how.short_way
    if way in (parts.LEAST_WORK, parts.OLD_NEWS):
        place(state, job, how.short_only if is_long else 0, way == parts.OLD_NEWS, rng, now)
    elif way == parts.THREE_ROUNDS:
        probe_in_three_rounds(state, job, rng, now)
    elif way == parts.CLEAR:
        probe_clear(state, job, rng, now)
    elif way == parts.READERS_WAY:
        probe_by_reader(send, state, job, rng, now)
    else:
        probe_anywhere(state, job, rng, now)


@kernel
def choose(pick, state, worker, now):
    """The entry that the worker serves next and the one in front of it, (-1, -1) when there is none."""
    order, head = state.how.order, state.workers[worker].head
    if head < 0:
        return -1, -1
    if order == parts.FIRST_COME:
        return head, -1
    if order == parts.SHORTEST_JOB:
        return shortest_job(state, worker, now)
    if order == parts.SHORTEST_JOB_AS_WRITTEN:
        return shortest_job_as_written(state, worker)
    if order == parts.SHORTEST_TASK:
        return shortest_task(state, worker)
    return pick_by_reader(pick, state, worker, now)
