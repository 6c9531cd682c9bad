"""Where probes go: to any worker (batch sampling), to one clear of long tasks, or where a reader says."""

from schedlib.core.uncounted import kernel
from schedlib.eagle.own import UNKNOWN_WORKER, refuse, seen
from schedlib.eagle.probing.sharing import draw_clear
from schedlib.eagle.simulating import messages
from schedlib.eagle.simulating.log import SENT, write
from schedlib.eagle.simulating.messages import PROBE

post = messages.post
FIRST, SECOND, FALLBACK = 1, 2, 3  # rounds of Section 3.3


@kernel
def probes_of(state, job):
    """max(K, 2t) probes for a job of t tasks (Section 3.3)."""
    return max(state.how.min_probes, int(state.how.ratio * state.jobs[job].tasks))


@kernel
def send_near(state, worker, job, stage, now):
    """Send a probe that arrives after one hop."""
    write(state.log, now, SENT, worker, job)
    post(state.near, now + state.how.delay, PROBE, worker, job, stage)


@kernel
def send_far(state, worker, job, stage, now):
    """Send a probe that arrives after two hops."""
    write(state.log, now, SENT, worker, job)
    post(state.far, now + 2 * state.how.delay, PROBE, worker, job, stage)


@kernel
def draw(low, high, rng):
    """A number drawn uniformly from low, ..., high - 1."""
    return low + int(rng.random() * (high - low))


@kernel
def draw_worker(state, probe, rng):
    """Any worker; as written another one for each probe of a job, while there are enough."""
    workers = state.workers
    if state.how.published:
        return draw(0, workers.size, rng)
    # Each job has its own mark; one with more probes than W workers takes a new mark after every W.
    mark = state.counts[0].probes - probe % workers.size
    worker = draw(0, workers.size, rng)
    while workers[worker].mark == mark:
        worker = draw(0, workers.size, rng)
    workers[worker].mark = mark
    return worker


@kernel
def probe_anywhere(state, job, rng, now):
    """Batch sampling (Sparrow), and the first round of Section 3.3."""
    for probe in range(probes_of(state, job)):
        send_near(state, draw_worker(state, probe, rng), job, FIRST, now)
        state.counts[0].probes += 1


@kernel
def probe_clear(state, job, rng, now):
    """The ideal Eagle: only workers whose bit is clear at the centre at this moment."""
    for _ in range(probes_of(state, job)):
        worker = draw_clear(state.board.bits, state.how.short_only, state.workers.size, rng)
        send_near(state, worker, job, FIRST, now)
        state.counts[0].probes += 1


@kernel
def probe_by_reader(send, state, job, rng, now):
    """A reader's function names each probe's worker; one that does not exist is recorded and ends the run."""
    for probe in range(probes_of(state, job)):
        worker = send(seen(state, now), job, probe, rng)
        if worker < 0 or worker >= state.workers.size:
            refuse(state, UNKNOWN_WORKER, worker, state.workers.size, now)
            state.refusal[0].job, state.refusal[0].probe = job, probe
            return
        send_near(state, worker, job, FIRST, now)
        state.counts[0].probes += 1
