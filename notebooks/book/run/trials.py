"""Random small cases for the boxes of the pages: each gives the case in words, and what is right or wrong about a box's answer.

A trial gets the box's names and a source of random numbers. What it gives is compared between a changed box and the
printed one. Where several answers are as good (orders with the same makespan), it gives what makes them good.
"""


def numbers(rng, n, low, high):
    return [rng.randint(low, high) for _ in range(n)]


def line(rng):
    """Times of submission and durations of a few jobs."""
    n = rng.randint(1, 6)
    return sorted(numbers(rng, n, 0, 8)), numbers(rng, n, 1, 6)


def stage(rng):
    """Tasks of a few jobs, and the time of one on each machine; the times differ, so that no two ends are equal."""
    jobs, machines = rng.randint(1, 4), rng.randint(1, 3)
    times = [[rng.randint(1, 9) + rng.random() for _ in range(machines)] for _ in range(jobs)]
    return numbers(rng, jobs, 0, 3), times


def first_come_first_served(box, rng):
    submit, duration = line(rng)
    cores = rng.randint(1, 3)
    case = f"submit={submit}, duration={duration}, cores={cores}"
    return case, list(box["first_come_first_served"](submit, duration, cores))


def list_schedule(box, rng):
    durations, machines = numbers(rng, rng.randint(1, 7), 1, 9), rng.randint(1, 4)
    rows = box["list_schedule"](durations, machines)
    starts = [(job, start, end) for job, _, start, end in rows]
    return f"durations={durations}, machines={machines}", (starts, box["makespan"](rows))


def list_with_order(box, rng):
    durations = numbers(rng, 6, 1, 5)
    before = {late: [rng.randrange(late)] for late in range(2, 6) if rng.random() < 0.6}
    machines = rng.randint(1, 3)
    case = f"durations={durations}, before={before}, machines={machines}"
    return case, box["list_with_order"](durations, before, machines)


def johnson(box, rng):
    first, second = numbers(rng, 5, 1, 9), numbers(rng, 5, 1, 9)
    order = box["johnson"](first, second)
    case = f"the times {first} and {second}"
    if sorted(order) != list(range(5)):
        return case, "not an order of the five jobs"
    return case, end_in_order(order, first, second)


def end_in_order(order, first, second):
    """When the second machine has done all jobs."""
    one = two = 0
    for job in order:
        one += first[job]
        two = max(one, two) + second[job]
    return two


def johnson_and_end(box, rng):
    case, end = johnson(box, rng)
    first, second = [3, 1, 2], [1, 2, 3]
    return case, (end, box["end_of"]([2, 0, 1], first, second))


def pack(box, rng):
    sizes, capacity = numbers(rng, rng.randint(1, 8), 1, 6), rng.randint(6, 9)
    ways = [box["pack"](sizes, capacity, box[way]) for way in ("first_fit", "best_fit")]
    return f"sizes={sizes}, capacity={capacity}", ways


def one_server(box, rng):
    submit, work = line(rng)
    ends = [box["fcfs"](submit, work), sorted(box["srpt"](submit, work))]
    return f"submit={submit}, work={work}", ends


def shared_server(box, rng):
    submit, work = line(rng)
    return f"submit={submit}, work={work}", [round(end, 9) for end in box["ps"](submit, work)]


def algorithm1_of_lotes(box, rng):
    capacity = numbers(rng, 2, 3, 9)
    demand = [numbers(rng, 2, 1, 4) for _ in range(rng.randint(1, 3))]
    classes = list(range(len(demand)))
    case = f"capacity={capacity}, demand={demand}"
    return case, box["algorithm1"](capacity, demand, classes)


def round_to_machines(box, rng):
    halves = [rng.randint(0, 8) / 4 for _ in range(3)]
    whole = sum(halves)
    x = [*halves, -(-whole // 1) - whole]
    return f"x_j={x}", box["round_to_machines"](x)


def min_min(box, rng):
    tasks, times = stage(rng)
    return f"T={tasks}, E={times}", sorted(map(tuple, box["min_min"](tasks, times)))


def dynamic_min_min(box, rng):
    tasks, times = stage(rng)
    arrive = [rng.randint(0, 9) + rng.random() for _ in tasks]
    made = box["dynamic_min_min"](arrive, tasks, times)
    return f"A={arrive}, T={tasks}, E={times}", sorted(map(tuple, made))


def fifo(box, rng):
    tasks, times = stage(rng)
    arrive = numbers(rng, len(tasks), 0, 9)
    order = list(range(len(tasks)))
    made = box["fifo"](order, arrive, tasks, times)
    return f"order={order}, A={arrive}, T={tasks}, E={times}", sorted(map(tuple, made))


def normalised_demand(box, rng):
    demand, capacity = numbers(rng, 3, 1, 5), numbers(rng, 3, 5, 20)
    return f"demand={demand}, capacity={capacity}", box["normalised_demand"](demand, capacity)


def weights(box, rng):
    leaves = [(1, 0), (0, 1), (1, 1), (2, 1)]
    groups = [[rng.choice(leaves) for _ in range(rng.randint(1, 3))] for _ in range(2)]
    nested = [*groups, (1, 2)]
    return f"the tree {nested}", box["leaf_weights"](box["Tree"](nested), [10, 12])[:2]


def algorithm1_of_eagle(box, rng):
    queue = []
    for number in range(rng.randint(0, 5)):
        tasks = rng.randint(1, 9)
        estimate = float(rng.randint(1, 4))
        job = box["Job"](number, 0.0, [estimate] * tasks, estimate, rng.random() < 0.2, 20)
        queue.append(box["Probe"](job, bypass=float(rng.randint(0, 15))))
    chosen = box["algorithm1"](queue)
    seen = [(p.estJobLeftRuntime, p.bypass, p.isLong) for p in queue]
    case = f"a queue of (left, bypass, long) {seen}"
    return case, "no probe" if chosen is None else f"place {queue.index(chosen)}"


TRIALS = {
    "01.first_come_first_served": first_come_first_served,
    "01c.list_schedule": list_schedule,
    "01c.list_with_order": list_with_order,
    "01c.johnson": johnson_and_end,
    "01c.pack": pack,
    "01c.fcfs": one_server,
    "01c.ps": shared_server,
    "03.algorithm1": algorithm1_of_lotes,
    "03.round_to_machines": round_to_machines,
    "05.fifo": fifo,
    "05.johnson": johnson,
    "05.min_min": min_min,
    "05.dynamic_min_min": dynamic_min_min,
    "06.normalised_demand": normalised_demand,
    "06.leaf_weights": weights,
    "06.inverse_mu_product": weights,
    "08.algorithm1": algorithm1_of_eagle,
    "10.fifo": fifo,
}
