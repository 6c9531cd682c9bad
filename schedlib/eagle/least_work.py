"""Least Work Left (Eagle, Sections 3.3 and 6.2; Harchol-Balter): a scheduler that places a job's tasks.

A worker's waiting time is the sum of the estimates of the tasks placed there, less the time that the running
one has had. Of n tasks only the n workers with the least can get one: one pass in the order of their numbers
finds them, and tasks are then poured into these.

The pass skips blocks of workers that all wait too long, and blocks of blocks. Until a running task outlasts
its estimate the waiting time is a constant less the time of day, and then a constant. So a block is known by
two bounds: the least constant of the first kind (`falling`) and of the second (`settled`; a worker that runs
nothing is of this kind, too). A start or an end may lower a bound, which takes no time; what is placed there
only adds to the waiting time and leaves the bounds true; they are raised when a pass looks at the block. That
finds the same workers as looking at each, with the same random numbers.
"""

import numpy as np

from schedlib.core.heap import before
from schedlib.core.uncounted import kernel
from schedlib.eagle.probing import hold, set_bit
from schedlib.eagle.simulating.messages import MARKS, PLACED_TASK, SENT, post, write
from schedlib.eagle.simulating.state import BLOCK

NOW, OLD = 0, 1  # what bounds go by: the work as it is, or as advertised
SHORT_RUN = 8  # so many are sorted by insertion
ROUNDING = 1e-12  # far more than the relative error of a sum of a few terms


@kernel
def change_work(state, worker, work):
    """The sum of the estimates of the tasks placed at a worker is now `work`."""
    loads, w, clock = state.loads, state.workers[worker], state.clock[0]
    loads.idle[worker >> BLOCK] += int(work == 0) - int(loads.work[worker] == 0)
    loads.work[worker] = work
    if state.how.stale and w.unheard == 0:
        w.unheard = 1
        loads.unheard[clock.unheard] = worker
        clock.unheard += 1


@kernel
def fetch_time(how):
    """The two hops in which a placed task is fetched as published."""
    return 2 * how.delay if how.published else 0.0


@kernel
def lower(state, worker, kind):
    """Let the bounds of a worker's block hold for what it now waits."""
    loads, block = state.loads, worker >> BLOCK
    placed = loads.work[worker] if kind == NOW else loads.advertised[worker]
    wide = block >> BLOCK
    if loads.picked[worker] >= 0:
        least = placed + fetch_time(state.how) + loads.picked[worker]
        loads.falling[kind, block] = min(loads.falling[kind, block], least)
        loads.wide_falling[kind, wide] = min(loads.wide_falling[kind, wide], least)
    else:
        loads.settled[kind, block] = min(loads.settled[kind, block], placed)
        loads.wide_settled[kind, wide] = min(loads.wide_settled[kind, wide], placed)


@kernel
def turn(state, worker, picked, picked_for):
    """A worker has picked a placed task, now and of this estimate, or ended one (-1)."""
    state.loads.picked[worker], state.loads.picked_for[worker] = picked, picked_for
    lower(state, worker, NOW)
    if state.how.stale and state.how.published:
        lower(state, worker, OLD)


@kernel
def advertise(state, now):
    """A heartbeat: schedulers learn the sums of estimates (published) or the waiting times (written)."""
    loads, clock, fetch = state.loads, state.clock[0], fetch_time(state.how)
    if state.how.published:
        for place in range(clock.unheard):
            worker = loads.unheard[place]
            loads.advertised[worker] = loads.work[worker]
            state.workers[worker].unheard = 0
            lower(state, worker, OLD)
        clock.unheard = 0
        return
    for block in range(loads.idle.size):
        loads.settled[OLD, block], loads.wide_settled[OLD, block >> BLOCK] = np.inf, 0.0
    for worker in range(loads.work.size):
        wait = loads.work[worker]
        if loads.picked[worker] >= 0:
            wait = wait + fetch - min(now - loads.picked[worker], loads.picked_for[worker])
        loads.advertised[worker] = wait
        block = worker >> BLOCK
        loads.settled[OLD, block] = min(loads.settled[OLD, block], wait)


@kernel
def idle_first(state, low, tasks):
    """Give one task each to the first workers from `low` on that have no work; how many there were."""
    work, idle, worker, count = state.loads.work, state.loads.idle, low, 0
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
    least = min(falling * (1 - ROUNDING) - now * (1 + ROUNDING), settled)
    return max(least, 0.0) if stale else least


@kernel
def widen(loads, kind, wide):
    """The bounds of a block of blocks, from theirs."""
    falling, settled = np.inf, np.inf
    for block in range(wide << BLOCK, min((wide + 1) << BLOCK, loads.idle.size)):
        falling, settled = (
            min(falling, loads.falling[kind, block]),
            min(settled, loads.settled[kind, block]),
        )
    loads.wide_falling[kind, wide], loads.wide_settled[kind, wide] = falling, settled


@kernel
def look(state, kind, begin, end, live, least, now):
    """Write what workers `begin` to `end` - 1 of a block wait, `least` at least, into `waits`; the block's
    least sum of a time and the time of day, and its least time that stands still."""
    # Each loop does one thing without branches, since the processor then takes several workers at a time.
    loads, fetch, runs_from = state.loads, fetch_time(state.how), 0.0 if live else np.inf
    placed = loads.advertised if kind == OLD else loads.work
    for place in range(end - begin):
        load, picked = placed[begin + place], loads.picked[begin + place]
        spent, most, there = now - picked, loads.picked_for[begin + place], load + fetch
        late = spent >= most  # one that outlasts its estimate has nothing left
        wait = there - (most if late else spent)
        falls, rests = (np.inf if late else there + picked), (wait if late else np.inf)
        runs = picked >= runs_from
        loads.waits[place] = max(wait if runs else load, least)
        loads.falls[place] = falls if runs else np.inf
        loads.rests[place] = rests if runs else load
    falling, settled = np.inf, np.inf
    for place in range(end - begin):
        falling, settled = min(falling, loads.falls[place]), min(settled, loads.rests[place])
    return falling, settled


@kernel
def climb(key, item, leaves, leaf, load, worker):
    """A worker plays its way up from a leaf of a tree of losers, of so many leaves, whose greatest (load,
    number) is at 0; at a node where nobody has played (-1) it waits."""
    # Unlike in a heap the way is known beforehand, and no branch depends on who wins.
    mine, node = worker << 32 | leaf, (leaves + leaf) >> 1
    while node > 0:
        other, its = key[node], item[node]
        if its < 0:
            key[node], item[node] = load, mine
            return
        loses = (other > load) | ((other == load) & (its > mine))
        key[node], item[node] = load if loses else other, mine if loses else its
        load, mine = other if loses else load, its if loses else mine
        node >>= 1
    key[0], item[0] = load, mine


@kernel
def least_loaded(state, low, tasks, idle, estimate, stale, rng, now):
    """Put the `tasks` workers of least (time, number) into `low`, in this order; how many.

    When `idle` workers have got a task before, and none is left, these wait for `estimate`. With `stale` news
    a negative waiting time becomes 0, and a random number up to the heartbeat is added.
    """
    # As published the sums are the last heartbeat's, but how long the running task has run is known at once.
    loads, how, key, item = state.loads, state.how, state.loads.high_key, state.loads.high_worker
    old, workers = stale and how.heartbeat > 0, state.loads.work.size
    kind = OLD if old else NOW
    live, spread = how.published or not old, how.heartbeat if stale else 0.0
    waits = loads.waits
    size, bound, end, leaves, begun = 0, np.inf, low, min(tasks, workers - low), -1
    item[:leaves] = -1
    while end < workers:
        begin, block, wide = end, end >> BLOCK, end >> 2 * BLOCK
        if wide > begun:
            if begun >= 0:
                widen(loads, kind, begun)
            begun = -1
            if (
                earliest(loads.wide_falling[kind, wide], loads.wide_settled[kind, wide], stale, now)
                >= bound
            ):
                end = min((wide + 1) << 2 * BLOCK, workers)
                continue
            begun = wide
        end = min((block + 1) << BLOCK, workers)
        if earliest(loads.falling[kind, block], loads.settled[kind, block], stale, now) >= bound:
            continue
        falling, settled = look(state, kind, begin, end, live, 0.0 if stale else -np.inf, now)
        for place in range(end - begin):
            load = waits[place]
            if load >= bound:
                continue
            if idle > 0 and loads.work[begin + place] == 0:
                load = estimate
                if load >= bound:
                    continue
            if spread > 0:
                load += (
                    int(rng.random() * (int(spread) + 1))
                    if how.published
                    else rng.random() * spread
                )
                if load >= bound:
                    continue
            leaf = size if size < leaves else item[0] & 0xFFFFFFFF
            size = min(size + 1, leaves)
            climb(key, item, leaves, leaf, load, begin + place)
            if size == leaves:
                bound = key[0]
        if begin == block << BLOCK:
            loads.falling[kind, block], loads.settled[kind, block] = falling, settled
    if begun >= 0:
        widen(loads, kind, begun)
    count = 0
    for node in range(leaves):
        if item[node] >= 0:
            loads.low_key[count], loads.low_worker[count] = key[node], item[node] >> 32
            count += 1
    sort(loads.low_key, loads.low_worker, count, key, item)
    return count


@kernel
def sort(key, item, size, other_key, other_item):
    """Sort pairs: short runs by insertion, then merged; there is room for as many in the other arrays."""
    for begin in range(0, size, SHORT_RUN):
        for i in range(begin + 1, min(begin + SHORT_RUN, size)):
            own, its, place = key[i], item[i], i
            while place > begin and before(own, its, key[place - 1], item[place - 1]):
                key[place], item[place] = key[place - 1], item[place - 1]
                place -= 1
            key[place], item[place] = own, its
    width = SHORT_RUN
    while width < size:
        for begin in range(0, size, 2 * width):
            middle, end = min(begin + width, size), min(begin + 2 * width, size)
            a, b = begin, middle
            for place in range(begin, end):
                if b < end and (a == middle or before(key[b], item[b], key[a], item[a])):
                    other_key[place], other_item[place] = key[b], item[b]
                    b += 1
                else:
                    other_key[place], other_item[place] = key[a], item[a]
                    a += 1
        for place in range(size):
            key[place], item[place] = other_key[place], other_item[place]
        width *= 2


@kernel
def pour(state, size, placed, tasks, estimate):
    """Give tasks to the `size` workers in `low`: to the least loaded until it exceeds the next.

    Who has got some goes to the end of a second line, `high`, which is in order by itself.
    """
    loads, room = state.loads, state.loads.high_key.size
    key, item, later, whose = loads.low_key, loads.low_worker, loads.high_key, loads.high_worker
    ahead, first, waiting = 0, 0, 0
    while placed < tasks:
        if waiting == 0 or (
            ahead < size and before(key[ahead], item[ahead], later[first], whose[first])
        ):
            wait, worker = key[ahead], item[ahead]
            ahead += 1
        else:
            wait, worker = later[first], whose[first]
            first = first + 1 if first + 1 < room else 0
            waiting -= 1
        following = min(
            key[ahead] if ahead < size else np.inf, later[first] if waiting > 0 else np.inf
        )
        while True:
            state.line[placed] = worker
            placed += 1
            wait += estimate
            # At equality with the next pouring goes on as published, not as written.
            if (
                placed == tasks
                or wait > following
                or (wait == following and not state.how.published)
            ):
                break
        place = first + waiting - (room if first + waiting >= room else 0)
        waiting += 1
        while place != first:  # equal sums, which rounding may make, stand by number
            front = place - 1 if place > 0 else room - 1
            if later[front] != wait or whose[front] < worker:
                break
            later[place], whose[place] = later[front], whose[front]
            place = front
        later[place], whose[place] = wait, worker


@kernel
def choose_workers(state, job, low, stale, rng, now):
    """Write the worker of each of a job's tasks into `line`; workers below `low` get none."""
    # As published, unless news is stale, workers without work come first and are poured on with one task.
    tasks, estimate = state.jobs[job].tasks, state.jobs[job].estimate
    idle = idle_first(state, low, tasks) if state.how.published and not stale else 0
    if idle < tasks:
        size = least_loaded(state, low, tasks - idle, idle, estimate, stale, rng, now)
        pour(state, size, idle, tasks, estimate)


@kernel
def place(state, job, low, stale, rng, now):
    """Place all tasks of a job on workers from `low` on, by what is known now or at the last heartbeat."""
    j = state.jobs[job]
    marks = state.how.shares and j.long == 1
    choose_workers(state, job, low, stale, rng, now)
    for task in range(j.tasks):
        worker = state.line[task]
        change_work(state, worker, state.loads.work[worker] + j.estimate)
        state.workers[worker].placed += 1
        if marks:
            set_bit(state.board, worker)
            write(state.log, now, MARKS, worker, job)
        write(state.log, now, SENT, worker, job)
        post(state.near, now + state.how.delay, PLACED_TASK, worker, job, task)
    state.counts[0].placements += j.tasks
    if marks and not state.how.published:
        j.copy_row = hold(state.board, j.tasks)
