"""HMHS transcribed slowly from the paper's text, and instances for hypothesis. Nothing here uses the library's algorithms."""

import itertools

import numpy as np
from hypothesis import strategies as st

from schedlib.hmhs import Instance


def johnson_steps(first, second):
    """Section 3.1, steps 1-4."""
    l1, l2 = [], []  # step 1
    ordered = sorted(range(len(first)), key=lambda i: min(first[i], second[i]))  # step 2
    for i in ordered:  # step 3
        if first[i] <= second[i]:
            l1.append(i)
        else:
            l2.insert(0, i)
    return l1 + l2  # step 4


def two_machine_makespan(first, second, order):
    """Two machines in a row, job after job."""
    one = two = 0
    for i in order:
        one += first[i]
        two = max(one, two) + second[i]
    return two


def average_totals(instance):
    """Eq. 1, both stages."""
    totals = []
    for time, speed, tasks in (
        (instance.map_time, instance.map_speed, instance.map_tasks),
        (instance.reduce_time, instance.reduce_speed, instance.reduce_tasks),
    ):
        machines = speed.shape[1]
        totals.append(
            [float(time[i] * (sum(speed[i]) / machines) * tasks[i]) for i in range(len(time))]
        )
    return totals


def pri(instance):
    """Eq. 4, with its limits where a stage is empty."""
    result = []
    for first, second in zip(*average_totals(instance), strict=True):
        sgn = 1 if first > second else -1
        least = min(first, second)
        result.append(sgn / least if least > 0 else sgn * float("inf"))
    return result


def task_times(instance, stage):
    """E_ij = P_i V_ij as a list of lists."""
    time, speed = getattr(instance, f"{stage}_time"), getattr(instance, f"{stage}_speed")
    return [[float(time[i] * v) for v in speed[i]] for i in range(len(time))]


def min_min(tasks, e, looks=None):
    """Section 3.2, "Dispatching Heuristic of Map Stage": a list of (job, machine, start, end) in the order of dispatch.

    `looks`, a list, receives the number of candidates looked at for each task.
    """
    machines = range(len(e[0]))
    left, ava, plan = list(tasks), [0.0 for _ in machines], []
    while any(left):
        best = None
        for i in range(len(left)):
            if left[i]:
                for j in machines:
                    if best is None or ava[j] + e[i][j] < best[0]:
                        best = (ava[j] + e[i][j], i, j)
        end, i, j = best
        if looks is not None:
            looks.append(sum(count > 0 for count in left) * len(machines))
        plan.append((i, j, ava[j], end))
        ava[j] = end
        left[i] -= 1
    return plan


def dynamic_min_min(a, tasks, e, looks=None):
    """Algorithm 1, line by line; a job without tasks is never in U."""
    machines = range(len(e[0]))
    u, jw = [i for i in range(len(tasks)) if tasks[i] > 0], []
    left, ava, plan = list(tasks), [0.0 for _ in machines], []
    while u or jw:  # 1
        eat = min(ava)  # 2
        for i in list(u):  # 3
            if a[i] <= eat:  # 4
                jw.append(i)  # 5
                u.remove(i)
        if not jw:  # 8
            i = min(u, key=lambda i: a[i])  # 9
            jw.append(i)
            u.remove(i)
        c = {}
        for i in sorted(jw):  # 11
            for j in machines:  # 12
                c[i, j] = e[i][j] + max(ava[j], a[i])  # 13
        if looks is not None:
            looks.append(len(c))
        p, q = min(c, key=c.get)  # 16: the first minimum met
        plan.append((p, q, max(ava[q], a[p]), c[p, q]))  # 17
        ava[q] = c[p, q]  # 18
        left[p] -= 1
        if left[p] == 0:  # 19
            jw.remove(p)  # 20
    return plan


def in_order(plan, order, e):
    """Section 3.3, step 2: the tasks of each machine one after another in `order`; the plan's own order kept in the list."""
    rank = {i: k for k, i in enumerate(order)}
    again = list(plan)
    for j in range(len(e[0])):
        clock = 0.0
        for t in sorted(
            (t for t in range(len(plan)) if plan[t][1] == j), key=lambda t: rank[plan[t][0]]
        ):
            i = plan[t][0]
            again[t] = (i, j, clock, clock + e[i][j])
            clock += e[i][j]
    return again


def ends(plan, jobs):
    """Eq. 2: when the last task of each job ends, 0 for a job without any."""
    return [max((end for i, _, _, end in plan if i == job), default=0.0) for job in range(jobs)]


def list_schedule(order, ready, tasks, e, choose):
    """A clock that visits every moment at which something changes; then the machine free longest that gets a job takes it.

    `choose(waiting, left, now)` gets the ready jobs with tasks left, in order, and returns one of them or None.
    """
    free, left, plan = [0.0 for _ in e[0]], list(tasks), []
    moments = sorted({0.0, *ready})
    while any(left):
        now = moments.pop(0)
        again = True
        while again:
            again = False
            for j in sorted(range(len(free)), key=lambda j: (free[j], j)):
                waiting = [i for i in order if left[i] and ready[i] <= now]
                if free[j] <= now and waiting:
                    i = choose(waiting, left, now)
                    if i is not None:
                        plan.append((i, j, now, now + e[i][j]))
                        free[j] = now + e[i][j]
                        left[i] -= 1
                        again = True
                        moments = sorted({*moments, free[j]})
                        break
    return plan


def literal(instance, policy):
    """Map plan, reduce plan, map ends and job ends of one of the paper's schedulers, or of another reading of FIFO."""
    jobs = range(instance.n_jobs)
    map_e, reduce_e = task_times(instance, "map"), task_times(instance, "reduce")
    by_pri = sorted(jobs, key=pri(instance).__getitem__)
    if policy in ("hmhs", "r-hmhs"):
        maps = in_order(
            min_min(instance.map_tasks, map_e), by_pri if policy == "hmhs" else by_pri[::-1], map_e
        )
        a = ends(maps, len(jobs))
        reduces = dynamic_min_min(a, instance.reduce_tasks, reduce_e)
    else:
        order = by_pri if policy == "fifo-pri" else list(jobs)

        def first(waiting, left, now):
            return waiting[0]

        maps = list_schedule(order, [0.0 for _ in jobs], instance.map_tasks, map_e, first)
        a = ends(maps, len(jobs))
        ready = [max(a) for _ in jobs] if policy == "fifo-barrier" else a

        def strict(waiting, left, now):
            head = next(i for i in order if left[i])
            return head if head in waiting else None

        def soonest_ready(waiting, left, now):
            return min(waiting, key=lambda i: ready[i])

        choose = {"fifo-strict": strict, "fifo-ready": soonest_ready}.get(policy, first)
        reduces = list_schedule(order, ready, instance.reduce_tasks, reduce_e, choose)
    return maps, reduces, a, [max(pair) for pair in zip(a, ends(reduces, len(jobs)), strict=True)]


def brute_force(instance):
    """The optimum of a very tiny instance: every split of the tasks over the machines in every order, both stages."""
    a_vectors = {
        tuple(ends(plan, instance.n_jobs))
        for plan in _plans(instance, "map", [0.0] * instance.n_jobs)
    }
    undominated = [
        a
        for a in a_vectors
        if not any(b != a and all(x <= y for x, y in zip(b, a, strict=True)) for b in a_vectors)
    ]
    return min(
        max([*a, *(end for _, _, _, end in plan)])
        for a in undominated
        for plan in _plans(instance, "reduce", list(a))
    )


def _plans(instance, stage, ready):
    tasks, e = getattr(instance, f"{stage}_tasks"), task_times(instance, stage)
    pool = [i for i in range(len(tasks)) for _ in range(tasks[i])]
    for line in set(itertools.permutations(pool)):
        for where in itertools.product(range(len(e[0])), repeat=len(line)):
            clock, plan = [0.0] * len(e[0]), []
            for i, j in zip(line, where, strict=True):
                start = max(clock[j], ready[i])
                clock[j] = start + e[i][j]
                plan.append((i, j, start, clock[j]))
            yield plan


@st.composite
def instances(draw, jobs=7, machines=4, tasks=5, ties=True):
    """Random instances: many ties and sums exact in floating point (`ties`), or generic real numbers."""
    n = draw(st.integers(1, jobs))
    columns = {}
    for stage in ("map", "reduce"):
        m = draw(st.integers(1, machines))
        if ties:
            time = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
            speed = draw(
                st.lists(
                    st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=m, max_size=m),
                    min_size=n,
                    max_size=n,
                )
            )
        else:
            rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
            time, speed = rng.uniform(5, 45, n), rng.uniform(0.1, 1, (n, m))
        count = draw(st.lists(st.integers(0, tasks), min_size=n, max_size=n))
        columns |= {f"{stage}_time": time, f"{stage}_tasks": count, f"{stage}_speed": speed}
    return Instance(**columns)
