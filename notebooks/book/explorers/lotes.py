"""The explorers of the LoTES chapters: a waiting line, two pools, bins, a cluster."""

import functools

from book.explorers import Explorer, Picture, Question, menu, slider
from book.pictures.bins import plot_allocation, plot_occupancy, plot_polytope
from schedlib import lotes, theory
from schedlib.plots import style

CORES, MEMORY = 10, 10


@functools.lru_cache(maxsize=64)
def _line(servers, load, seed):
    machine = lotes.MachineConfigs([[float(servers)]], [1])
    job_class = lotes.JobClasses([1.0], [[1.0]], [[1.0]])
    jobs = lotes.RandomWorkload(
        job_class, rate=servers * load / 100, hours=500.0, sizes="fixed", largest=servers, seed=seed
    )
    return lotes.simulate("greedy", machine, jobs, interval=1.0)


def _by_erlang(servers, load):
    """The mean number of waiting jobs."""
    rate = servers * load / 100
    return theory.little(rate, theory.mmc_mean_wait(rate, 1.0, servers))


@functools.lru_cache
def _highest(servers):
    """The end of the axis: room for the largest load, so that the axis stays when the load moves."""
    return 1.2 * max(_line(servers, 98, seed).intervals["queue"].max() for seed in range(10))


def draw_line(servers: int = 1, load: int = 80, seed: int = 0) -> Picture:
    """The queue at one machine of `servers` cores over 500 mean service times, its mean and Erlang's formula.
    Jobs need one core each; arrivals are Poisson, service exponential."""
    run = _line(servers, load, seed)
    expected = _by_erlang(servers, load)
    cores = _cores(servers)
    figure, ax = style.subplots(size=(4.4, 3.4))  # as wide as a phone
    end = run.intervals["end"]
    queue = run.intervals["queue"]
    mean = run.mean_queue
    ax.fill_between(end, queue, step="pre", color=style.BLUE, alpha=0.25, linewidth=0)
    ax.axhline(mean, color=style.BLUE, label=f"mean of this run: {mean:.3g}")
    ax.axhline(expected, color=style.VERMILLION, linestyle="--", label=f"Erlang C: {expected:.3g}")
    ax.set(
        title=f"{cores}, {load} % busy",
        xlabel="time (mean service times)",
        xlim=(0, 500),
        ylabel="jobs waiting",
        ylim=(0, _highest(servers)),
    )
    ax.legend(loc="upper left")
    means = f"{mean:.2f} jobs wait on average, {expected:.2f} by Erlang C"
    return figure, f"Queue over time with {cores} at {load} per cent load: {means}."


def _cores(number):
    return f"{number} core{'s' * (number > 1)}"


def line() -> Explorer:
    """Sliders for cores, load and seed, and the queue they give."""
    controls = {
        "servers": slider(1, 1, 32, text="cores"),
        "load": slider(80, 10, 98, text="load (%)"),
        "seed": slider(0, 0, 9, text="seed"),
    }
    loads = (30, 50, 60, 70, 80, 85, 90, 95, 98)
    page = {"servers": (1, 2, 4, 8, 16, 32), "load": loads, "seed": range(3)}
    question = Question(
        "One core is 80 % busy, and by the formula 3.2 jobs wait on average. How many will wait at 95 %?",
        {"servers": 1, "load": 95, "seed": 0},
        lambda servers, load, seed: _by_erlang(servers, load),
        (0, 40, 1),
        "jobs by the formula",
    )
    return Explorer(draw_line, controls, height=340, page=page, question=question)


def _pools(share, memory, cores, pool_cores, pool_memory):
    configs = lotes.MachineConfigs([[4, 16], [pool_cores, pool_memory]], [10, 10])
    shares = [share / 100, 1 - share / 100]
    classes = lotes.JobClasses(shares, [[1, memory], [cores, 1]], [[1, 1], [1, 1]])
    return configs, classes


def draw_pools(
    share: int = 50, memory: float = 4, cores: float = 2, pool_cores: int = 6, pool_memory: int = 4
) -> Picture:
    """Stage 1 on two pools of ten machines: lambda*, which pool holds which class, and what is scarce.

    `share` % of the jobs are of class 1 and need 1 core and `memory` GB, others `cores` cores and 1 GB, all
    for 1 h. Machines have 4 cores and 16 GB in the first pool, `pool_cores` and `pool_memory` in the second.
    """
    configs, classes = _pools(share, memory, cores, pool_cores, pool_memory)
    allocation = lotes.allocate(configs, classes)
    gain = lotes.scarcity(configs, classes)
    pools = ["4 cores, 16 GB", f"{_cores(pool_cores)}, {pool_memory} GB"]
    resources = ["cores", "memory"]
    scarce = []
    for pool, gains in zip(("first", "second"), gain, strict=True):
        for resource, more in zip(resources, gains, strict=True):
            if more > 1e-6:
                scarce.append(f"{resource} of the {pool} pool")
    words = " and ".join(scarce) or "no resource on its own, as several give out at once"
    alt = f"Two pools sustain {allocation.rate:.4g} jobs an hour. Scarce: {words}."
    figure = plot_allocation(allocation, gain, pools, resources)
    return figure, alt


def pools() -> Explorer:
    """Sliders for the mix, the jobs and the second pool's machines, and the allocation that stage 1 finds."""
    controls = {
        "share": slider(50, 0, 100, 5, text="class 1 (% of jobs)"),
        "memory": slider(4.0, 0.5, 8, 0.5, text="class 1: GB"),
        "cores": slider(2.0, 0.5, 4, 0.5, text="class 2: cores"),
        "pool_cores": slider(6, 1, 16, text="second pool: cores"),
        "pool_memory": slider(4, 1, 16, text="second pool: GB"),
    }
    page = {
        "share": (0, 25, 50, 75, 100),
        "memory": (1, 2, 4, 8),
        "cores": (2, 4),
        "pool_cores": (2, 4, 6, 8, 12),
        "pool_memory": (4, 16),
    }
    question = Question(
        "Let each job of class 1 need 8 GB, not 4. How many jobs an hour can the pools take then?",
        {"share": 50, "memory": 8.0, "cores": 2.0, "pool_cores": 6, "pool_memory": 4},
        lambda **values: lotes.allocate(*_pools(**values)).rate,
        (0, 100, 1),
        "jobs an hour",
    )
    return Explorer(draw_pools, controls, height=510, page=page, question=question)


def draw_bins(
    cores_1: float = 2, cores_2: float = 3, memory_1: float = 3, memory_2: float = 1
) -> Picture:
    """The mixes of two classes that fit a machine of 10 cores and 10 GB, and its non-dominated bins."""
    capacity = [CORES, MEMORY]
    demand = [[cores_1, memory_1], [cores_2, memory_2]]
    bins = len(lotes.non_dominated_bins(capacity, demand))
    first, second = (f"{cores:g} cores and {memory:g} GB" for cores, memory in demand)
    machine = f"a machine of {CORES} cores and {MEMORY} GB"
    alt = f"Jobs of {first}, and of {second}, on {machine}: {bins} non-dominated bins."
    figure = plot_polytope(capacity, demand, resources=("cores", "memory"), size=(4.4, 4.4))
    return figure, alt


def bins() -> Explorer:
    """Sliders for the sizes of two classes, and the bins they give."""
    sizes = (
        ("cores_1", 2, "class 1: cores"),
        ("cores_2", 3, "class 2: cores"),
        ("memory_1", 3, "class 1: GB"),
        ("memory_2", 1, "class 2: GB"),
    )
    cores = (1, 1.5, 2, 2.5, 3, 4)
    question = Question(
        "Halve the jobs of class 1, to 1 core and 1 GB. How many non-dominated bins are there then?",
        {"cores_1": 1.0, "cores_2": 3.0, "memory_1": 1.0, "memory_2": 1.0},
        lambda cores_1, cores_2, memory_1, memory_2: len(
            lotes.non_dominated_bins([CORES, MEMORY], [[cores_1, memory_1], [cores_2, memory_2]])
        ),
        (0, 20, 1),
        "bins",
    )
    controls = {name: slider(size, 0.5, 6, 0.5, text=text) for name, size, text in sizes}
    return Explorer(
        draw_bins,
        controls,
        height=440,
        page={"cores_1": cores, "cores_2": cores, "memory_1": (1, 2, 3, 4), "memory_2": (1, 2)},
        question=question,
    )


@functools.lru_cache(maxsize=64)
def _cluster(phi, load, sizes, seed):
    """Six machines of each of Table 1's configurations, for six hours."""
    return lotes.random_instance(
        phi / 1000, machines=6, hours=6.0, sizes=sizes, load=load / 100, seed=seed, rounded=True
    )


def _ran(policy, load, phi, sizes, seed):
    case = _cluster(phi, load, sizes, seed)
    plan = case.plan if policy == "lotes" else None
    return lotes.simulate(policy, case.configs, case.workload, plan=plan)


def draw_dispatch(load: int = 97, phi: int = 6, sizes: str = "common", seed: int = 0) -> Picture:
    """A cluster of 60 machines for six hours under three policies: how full each machine is, and the queues.
    `load` in % of the rate that stage 2 sustains after rounding, `phi` in thousandths of the largest machine.
    Raises ValueError where rounding leaves nothing of the rate (phi 3, seed 7)."""
    case = _cluster(phi, load, sizes, seed)
    runs = []
    waits = []
    for policy in ("lotes", "greedy", "tetris"):
        run = _ran(policy, load, phi, sizes, seed)
        runs.append(run)
        waits.append(f"{style.look(policy).label} {3600 * run.mean_wait_started:.3g} s")
    alt = f"Occupancy of 60 machines and queues at {load} per cent load with {sizes} sizes"
    figure = plot_occupancy(runs, case.configs, case.workload)
    return figure, f"{alt}; mean waits: {', '.join(waits)}."


def dispatch() -> Explorer:
    """Sliders for load and for how much classes differ, a menu of laws of sizes, and the cluster."""
    laws = {
        "each resource alone": "independent",
        "one factor a job": "common",
        "as the class says": "fixed",
    }
    controls = {
        "load": slider(97, 50, 98, text="load (%)"),
        "phi": slider(6, 0, 15, 3, text="Phi (thousandths)"),
        "sizes": menu(list(laws.items()), "common", text="law of sizes"),
        "seed": slider(0, 0, 9, text="seed"),
    }
    question = Question(
        "Phi says how much classes differ. Let it be 0. How long do jobs wait under Greedy then?",
        {"load": 97, "phi": 0, "sizes": "common", "seed": 0},
        lambda load, phi, sizes, seed: (
            3600 * _ran("greedy", load, phi, sizes, seed).mean_wait_started
        ),
        (0, 100, 1),
        "s",
    )
    page = {"load": (60, 80, 90, 97), "phi": (0, 6, 15), "seed": ()}
    return Explorer(draw_dispatch, controls, height=680, page=page, question=question)
