"""A centre, or a scheduler with the news of the last heartbeat, places whole tasks (Sections 3.3 and 6.2)."""

from schedlib.core.uncounted import kernel
from schedlib.eagle.central.least_work import choose_workers
from schedlib.eagle.probing import sharing
from schedlib.eagle.simulating import messages
from schedlib.eagle.simulating.log import MARKS, SENT, write
from schedlib.eagle.simulating.messages import PLACED_TASK

post, hold, set_bit = messages.post, sharing.hold, sharing.set_bit


@kernel
def place(state, job, low, stale, rng, now):
    """Place all tasks of a job on workers from `low` on, by the state now or at the last heartbeat."""
    j = state.jobs[job]
    marks = state.how.shares and j.long == 1
    choose_workers(state, job, low, stale, rng, now)
    for task in range(j.tasks):
        worker = state.choices.line[task]
        state.loads.work[worker] += j.estimate
        state.workers[worker].placed += 1
        if marks:
            set_bit(state.board, worker)
            write(state.log, now, MARKS, worker, job)
        write(state.log, now, SENT, worker, job)
        post(state.near, now + state.how.delay, PLACED_TASK, worker, job, task)
    state.counts[0].placements += j.tasks
    if marks and not state.how.published:
        j.copy_row = hold(state.board, j.tasks)
