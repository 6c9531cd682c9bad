"""Which kernel a part is: two tables of branches, the only places where the engine asks which part it has.

All branches of a table do the same for the engine, and behind one of them is a reader's function. They are
branches, because a function handed over is not put in line and needs a copy of all that it sees each time.
The engine is not compiled once for each system, because that takes a minute each time.
"""

from schedlib.core.uncounted import kernel
from schedlib.eagle import parts
from schedlib.eagle.central.placing import place
from schedlib.eagle.probing import probes
from schedlib.eagle.probing.rejections import probe_in_three_rounds
from schedlib.eagle.queueing import reorder


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
        probes.probe_clear(state, job, rng, now)
    elif way == parts.READERS_WAY:
        probes.probe_by_reader(send, state, job, rng, now)
    else:
        probes.probe_anywhere(state, job, rng, now)


@kernel
def choose(pick, state, worker, now):
    """The entry that the worker serves next and the one in front of it, (-1, -1) when there is none."""
    order, head = state.how.order, state.workers[worker].head
    if head < 0:
        return -1, -1
    if order == parts.FIRST_COME:
        return head, -1
    if order == parts.SHORTEST_JOB:
        return reorder.shortest_job(state, worker, now)
    if order == parts.SHORTEST_JOB_AS_WRITTEN:
        return reorder.shortest_job_as_written(state, worker)
    if order == parts.SHORTEST_TASK:
        return reorder.shortest_task(state, worker)
    return reorder.pick_by_reader(pick, state, worker, now)
