"""Least Work Left (Eagle, Sections 3.3 and 6.2; Harchol-Balter): a scheduler that places a job's tasks.

A worker's waiting time is the sum of the estimates of the tasks placed there, less the time that the running
one has had, by its slots. Of n tasks only the n workers with the least can get one: one pass in the order of their numbers
finds them, and tasks are then poured into these.

The pass skips blocks of workers that all wait too long. Until a running task outlasts its estimate the waiting
time is a constant less the time of day, and then a constant. So a block is known by two bounds: the least
constant of the first kind (`falling`) and of the second (`settled`; a worker that runs nothing is of this kind,
too). A start or an end may lower a bound, which takes no time. What is placed there only adds to the waiting
time and leaves the bounds true. They are raised when a pass looks at the block. That finds the same workers as
looking at each, with the same random numbers.
"""

import numpy as np

from schedlib.core.heap import pop, push, replace
from schedlib.core.uncounted import kernel
from schedlib.eagle.messages import MARKS, PLACED_TASK, SENT, post, write
from schedlib.eagle.probing import hold, set_bit
from schedlib.eagle.records import BLOCK

# what bounds go by: the work as it is, or as advertised
NOW = 0
OLD = 1
ROUNDING = 1e-12  # far more than the relative error of a sum of a few terms


@kernel
def change_work(state, worker, work):
    """The sum of the estimates of the tasks placed at a worker is now `work`."""
    loads = state.loads
    w = state.workers[worker]
    clock = state.clock[0]
    block = worker >> BLOCK
    if loads.work[worker] == 0:
        loads.idle[block] -= 1
    if work == 0:
        loads.idle[block] += 1
    loads.work[worker] = work
    if state.how.stale and w.unheard == 0:
        w.unheard = 1
        loads.unheard[clock.unheard] = worker
        clock.unheard += 1


@kernel
def fetch_time(how):
    """The two hops in which a placed task is fetched as published."""
    return 2 * how.delay if how.detail.fetched else 0.0


@kernel
def lower(state, worker, kind):
    """Let the bounds of a worker's block hold for what it now waits."""
    loads = state.loads
    block = worker >> BLOCK
    placed = loads.work[worker] if kind == NOW else loads.advertised[worker]
    if loads.picked[worker] >= 0:
        fetch = fetch_time(state.how)
        least = placed + fetch + loads.picked[worker]
        loads.falling[kind, block] = min(loads.falling[kind, block], least)
    else:
        loads.settled[kind, block] = min(loads.settled[kind, block], placed)


@kernel
def turn(state, slot, picked, picked_for):
    """A slot has picked a placed task, now and of this estimate, or ended one (-1)."""
    state.loads.picked[slot] = picked
    state.loads.picked_for[slot] = picked_for
    worker = state.slots[slot].worker
    lower(state, worker, NOW)
    if state.how.stale and state.how.detail.sums_as_news:
        lower(state, worker, OLD)


@kernel
def slots_of(state, worker):
    """How many slots a worker has."""
    return state.first[worker + 1] - state.first[worker]


@kernel
def waiting_time(state, worker, placed, now):
    """The waiting time of a worker: the work `placed` there less what is done of it, by its slots."""
    loads = state.loads
    fetch = fetch_time(state.how)
    left = placed
    for slot in range(state.first[worker], state.first[worker + 1]):
        if loads.picked[slot] >= 0:
            spent = now - loads.picked[slot]
            left = left + fetch - min(spent, loads.picked_for[slot])
    return left / slots_of(state, worker)


@kernel
def advertise(state, now):
    """A heartbeat: schedulers learn the sums of estimates (published) or the waiting times (written)."""
    loads = state.loads
    clock = state.clock[0]
    if state.how.detail.sums_as_news:
        for place in range(clock.unheard):
            worker = loads.unheard[place]
            loads.advertised[worker] = loads.work[worker]
            state.workers[worker].unheard = 0
            lower(state, worker, OLD)
        clock.unheard = 0
        return
    for block in range(loads.idle.size):
        loads.settled[OLD, block] = np.inf
    for worker in range(loads.work.size):
        wait = waiting_time(state, worker, loads.work[worker], now)
        loads.advertised[worker] = wait
        block = worker >> BLOCK
        loads.settled[OLD, block] = min(loads.settled[OLD, block], wait)


@kernel
def idle_first(state, low, tasks):
    """Give one task each to the first workers from `low` on that have no work; how many there were."""
    work = state.loads.work
    idle = state.loads.idle
    worker = low
    count = 0
    while worker < work.size and count < tasks:
        if work[worker] == 0:
            state.line[count] = worker
            count += 1
        worker += 1
        while worker < work.size and worker % (1 << BLOCK) == 0 and idle[worker >> BLOCK] == 0:
            worker += 1 << BLOCK
    return count


@kernel
def earliest(falling, settled, stale, now):
    """The least that workers with these bounds may wait."""
    still_falling = falling * (1 - ROUNDING) - now * (1 + ROUNDING)
    least = min(still_falling, settled)
    return max(least, 0.0) if stale else least


@kernel
def look(state, kind, begin, end, live, least, now):
    """Write what workers `begin` to `end` - 1 of a block wait, `least` at least, into `waits`; the block's
    least sum of a time and the time of day, and its least time that stands still."""
    # Each loop does one thing without branches, since the processor then takes several workers at a time.
    loads = state.loads
    fetch = fetch_time(state.how)
    runs_from = 0.0 if live else np.inf
    placed = loads.advertised if kind == OLD else loads.work
    if state.how.slots > 1:  # then the bounds of the block are not kept, and it is always looked at
        for place in range(end - begin):
            load = placed[begin + place]
            wait = waiting_time(state, begin + place, load, now) if live else load
            loads.waits[place] = max(wait, least)
        return -np.inf, -np.inf
    for place in range(end - begin):
        load = placed[begin + place]
        picked = loads.picked[begin + place]
        spent = now - picked
        most = loads.picked_for[begin + place]
        full = load + fetch
        late = spent >= most  # a task that outlasts its estimate has no work left
        wait = full - (most if late else spent)
        falls = np.inf if late else full + picked
        rests = wait if late else np.inf
        runs = picked >= runs_from
        loads.waits[place] = max(wait if runs else load, least)
        loads.falls[place] = falls if runs else np.inf
        loads.rests[place] = rests if runs else load
    falling = np.inf
    settled = np.inf
    for place in range(end - begin):
        falling = min(falling, loads.falls[place])
        settled = min(settled, loads.rests[place])
    return falling, settled


@kernel
def draw_addition(how, rng):
    """The addition to old news: whole seconds up to the heartbeat as published, any time as written."""
    drawn = rng.random()
    if how.detail.whole_additions:
        most = int(how.heartbeat / how.second + 1e-9)
        return int(drawn * (most + 1)) * how.second
    return drawn * how.heartbeat


@kernel
def least_loaded(state, low, tasks, idle, estimate, stale, rng, now):
    """Put the `tasks` workers of least (time, number) into the heap `low`; how many.

    When `idle` workers have got a task before, and none is left, these wait for `estimate`. With `stale` news
    a negative waiting time becomes 0, and a random number up to the heartbeat is added.
    """
    # As published the sums are the last heartbeat's, but how long the running task has run is known at once.
    loads = state.loads
    how = state.how
    # a heap (W + 1,) of minus the waiting times, so that its first is the longest of the chosen
    key = loads.high_key
    item = loads.high_worker
    old = stale and how.heartbeat > 0
    workers = loads.work.size
    kind = OLD if old else NOW
    live = how.detail.sums_as_news or not old
    shortest_wait = 0.0 if stale else -np.inf
    waits = loads.waits  # (2 ** BLOCK,), of the block looked at
    size = 0
    bound = np.inf  # the longest of the chosen, once there are enough: others must wait less
    most = min(tasks, workers - low)
    for block in range(low >> BLOCK, loads.idle.size):
        begin = max(low, block << BLOCK)
        end = min((block + 1) << BLOCK, workers)
        falling = loads.falling[kind, block]
        settled = loads.settled[kind, block]
        if earliest(falling, settled, stale, now) >= bound:
            continue  # all of the block wait too long
        falling, settled = look(state, kind, begin, end, live, shortest_wait, now)
        for place in range(end - begin):
            load = waits[place]
            if load >= bound:
                continue
            if idle > 0 and loads.work[begin + place] == 0:
                load = estimate / slots_of(state, begin + place)
                if load >= bound:
                    continue
            if old:
                load += draw_addition(how, rng)
                if load >= bound:
                    continue
            worker = begin + place
            if size < most:
                size = push(key, item, size, -load, -worker)
            else:
                replace(key, item, size, -load, -worker)
            if size == most:
                bound = -key[0]
        if begin == block << BLOCK:  # all of the block were looked at: its bounds are exact now
            loads.falling[kind, block] = falling
            loads.settled[kind, block] = settled
    for place in range(size):
        push(loads.low_key, loads.low_worker, place, -key[place], -item[place])
    return size


@kernel
def pour(state, size, placed, tasks, estimate):
    """Give tasks to the `size` workers in the heap `low`: to the least loaded until it exceeds the next."""
    key = state.loads.low_key
    item = state.loads.low_worker
    while placed < tasks:
        wait = key[0]
        worker = item[0]
        size = pop(key, item, size)
        following = key[0] if size > 0 else np.inf
        while True:
            state.line[placed] = worker
            placed += 1
            wait += estimate / slots_of(state, worker)
            if placed == tasks or wait > following:
                break
            # At equality with the next pouring goes on as published, not as written.
            if wait == following and not state.how.detail.fills_ties:
                break
        size = push(key, item, size, wait, worker)


@kernel
def choose_workers(state, job, low, stale, rng, now):
    """Write the worker of each of a job's tasks into `line`; workers below `low` get none."""
    # As published, unless news is stale, workers without work come first and are poured on with one task.
    tasks = state.jobs[job].tasks
    estimate = state.jobs[job].estimate
    idle = 0
    if state.how.detail.idle_first and not stale:
        idle = idle_first(state, low, tasks)
    if idle < tasks:
        size = least_loaded(state, low, tasks - idle, idle, estimate, stale, rng, now)
        pour(state, size, idle, tasks, estimate)


@kernel
def send_task(state, job, task, worker, now):
    """A task is on its way to a worker, whose work counts it from now on."""
    j = state.jobs[job]
    before = state.loads.work[worker]
    change_work(state, worker, before + j.estimate)
    state.workers[worker].placed += 1
    if state.how.shares and j.long == 1:
        set_bit(state.board, worker)
        write(state.log, now, MARKS, worker, job)
    write(state.log, now, SENT, worker, job)
    arrives = now + state.how.delay
    post(state.near, arrives, PLACED_TASK, worker, job, task)


@kernel
def all_sent(state, job):
    """All tasks of a job have been placed; as written the long ones bring a copy of the bit vector."""
    j = state.jobs[job]
    state.counts[0].placements += j.tasks
    if state.how.shares and j.long == 1 and not state.how.detail.copied_on_arrival:
        j.copy_row = hold(state.board, j.tasks)


@kernel
def place(state, job, low, stale, rng, now):
    """Place all tasks of a job on workers from `low` on, by what is known now or at the last heartbeat."""
    choose_workers(state, job, low, stale, rng, now)
    for task in range(state.jobs[job].tasks):
        send_task(state, job, task, state.line[task], now)
    all_sent(state, job)
