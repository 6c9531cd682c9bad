"""What must hold of any run, read off its record afterwards, whatever the simulator believed."""

import numpy as np

SLACK = 1e-9  # of a capacity or a time: rounding


def in_use(submit: np.ndarray, start: np.ndarray, finish: np.ndarray, part: np.ndarray) -> float:
    """The percentage of all machines in use, from the first submission to the last end, the mean over the R
    resources. `start, finish (T,)`; `part (T, R)` of all the machines that a task takes.

    >>> float(in_use(np.array([1.0]), np.array([1.0, 2.0]), np.array([3.0, 5.0]), np.full((2, 1), 0.5)))
    62.5
    """
    return 100 * ((finish - start) @ part).mean() / (finish.max() - submit.min())


def over_capacity(
    machine: np.ndarray,
    start: np.ndarray,
    finish: np.ndarray,
    demand: np.ndarray,
    capacity: np.ndarray,
) -> tuple[int, int, float] | None:
    """The first task whose start takes a machine above its capacity: (task, resource, used), or None.

    `machine, start, finish (T,)`, `demand (T, R)`, `capacity (N, R)`; tasks with machine -1 did not run. Of
    what happens at one time, tasks end before others start.

    >>> times = np.array([0.0, 1.0]), np.array([2.0, 3.0])
    >>> over_capacity(np.array([0, 0]), *times, np.array([[2.0], [1.0]]), np.array([[2.5]]))
    (1, 0, 3.0)
    """
    ran = np.flatnonzero(machine >= 0)
    if not len(ran):
        return None
    task, kind = np.concatenate((ran, ran)), np.repeat((0, 1), len(ran))  # an end, a start
    time = np.concatenate((finish[ran], start[ran]))
    kind[: len(ran)][finish[ran] <= start[ran]] = (
        2  # a task that takes no time starts before it ends
    )
    order = np.lexsort((kind, time, machine[task]))
    task, kind, time = task[order], kind[order], time[order]
    used = np.cumsum(np.where(kind == 1, 1.0, -1.0)[:, None] * demand[task], axis=0)
    first = np.flatnonzero(np.diff(machine[task], prepend=-1) > 0)
    before = np.vstack((np.zeros(demand.shape[1]), used))[first]
    used -= np.repeat(before, np.diff(np.append(first, len(task))), axis=0)
    room = capacity[machine[task]]
    over = (used > room * (1 + SLACK) + SLACK * demand.max(axis=0) * len(ran) ** 0.5) & (kind == 1)[
        :, None
    ]
    if not over.any():
        return None
    rows = np.flatnonzero(over.any(axis=1))
    row = rows[np.argmin(time[rows])]
    resource = int(over[row].argmax())
    return int(task[row]), resource, float(used[row, resource])


def two_at_once(
    machines: int, machine: np.ndarray, start: np.ndarray, finish: np.ndarray
) -> int | None:
    """The first task (T,) that starts on a machine which still runs another, or None.

    >>> two_at_once(1, np.array([0, 0]), np.array([0.0, 1.0]), np.array([2.0, 3.0]))
    1
    """
    second = over_capacity(
        machine, start, finish, np.ones((len(machine), 1)), np.ones((machines, 1))
    )
    return second and second[0]


def idle_while_waiting(
    machines: int, ready: np.ndarray, start: np.ndarray, finish: np.ndarray
) -> float:
    """The share of the machines' time that passes idle while a task is ready and not started.

    `ready, start, finish (T,)` of tasks that take a whole machine each. Time ends with the last start.

    >>> idle_while_waiting(2, np.array([0.0, 0.0]), np.array([0.0, 4.0]), np.array([4.0, 6.0]))
    0.5
    """
    n = len(start)
    time = np.concatenate((ready, start, start, finish))
    order = np.argsort(time, kind="stable")
    span = np.diff(time[order])
    waiting, busy = (
        np.cumsum(np.repeat(step, n)[order])[:-1] for step in ((1, -1, 0, 0), (0, 0, 1, -1))
    )
    whole = machines * (start.max(initial=0.0) - ready.min(initial=np.inf)) if n else 0.0
    return float((span * (machines - busy))[waiting > 0].sum() / whole) if whole > 0 else 0.0


def passed_over(
    submit: np.ndarray,
    start: np.ndarray,
    finish: np.ndarray,
    machine: np.ndarray,
    demand: np.ndarray,
    capacity: np.ndarray,
) -> tuple[int, int, float, int] | None:
    """Jobs that wait at a decision although a machine has room: (how many, the first, when, where), or None.
    An arriving job may go to any machine; a machine that a job leaves may start any waiting one. `submit,
    start, finish, machine (N,)`, `demand (N, R)`, `capacity (M, R)`."""
    free = capacity + SLACK * capacity.max(axis=0)
    when = np.concatenate((finish, submit))
    who, arrival = np.tile(np.arange(len(submit)), 2), np.repeat((False, True), len(submit))
    known = ~np.isnan(when)
    order = np.lexsort((who, arrival, np.where(known, when, np.inf)))[: known.sum()]
    started: dict[tuple[float, int], list[int]] = {}
    for job in np.flatnonzero(start > submit).tolist():
        started.setdefault((start[job], machine[job]), []).append(job)

    # Once through the events: who waits from which exit to which, and the room that each exit leaves.
    waited: dict[int, int] = {}  # in order of arrival: the number of exits before
    served: dict[int, int] = {}  # the exit at which a waiting job starts
    refused: list[tuple[int, int, int]] = []  # at an arrival with room: the event, who, where
    exits: list[int] = []
    room: list[np.ndarray] = []
    for event, (job, arrives) in enumerate(
        zip(who[order].tolist(), arrival[order].tolist(), strict=True)
    ):
        where = machine[job]
        if arrives and start[job] == submit[job]:
            free[where] -= demand[job]
        elif arrives:
            waited[job] = len(exits)
            fits = (demand[job] <= free).all(axis=1)
            if fits.any():
                refused.append((event, job, int(fits.argmax())))
        else:
            free[where] += demand[job]
            for other in started.pop((finish[job], where), ()):
                free[where] -= demand[other]
                served[other] = len(exits)
            exits.append(event)
            room.append(free[where].copy())

    # Then each waiting job by itself: the first exit that leaves room for it, before the one that starts it.
    left = np.reshape(room, (-1, capacity.shape[1]))
    passed = {job for _, job, _ in refused}
    first = min(refused, default=None)
    for job, begin in waited.items():
        if job in passed:
            continue
        fits = (demand[job] <= left[begin : served.get(job)]).all(axis=1)
        if fits.any():
            passed.add(job)
            event = exits[begin + int(fits.argmax())]
            if first is None or event < first[0]:
                first = event, job, int(machine[who[order[event]]])
    if first is None:
        return None
    event, job, where = first
    return len(passed), job, float(when[order[event]]), where
