"""A workload replayed on real processes: the prototype's counterpart of `eagle.simulate`."""

import asyncio
import math
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from numbers import Real

import numpy as np

from schedlib.core import streams
from schedlib.core.checks import positive, typed, unknown
from schedlib.eagle.detail import Detail
from schedlib.eagle.simulating.simulate import check_numbers, prepare, short_workers
from schedlib.eagle.systems import System, system_of
from schedlib.eagle.workloads.synthetic import PARTITION
from schedlib.prototype.driver import Driver, Order, Setting
from schedlib.prototype.results import Measurement, result
from schedlib.prototype.wire import Name
from schedlib.workload import SECONDS, Workload

PARTS = {"short_jobs": ("probes", "sss"), "long_jobs": ("lwl", "probes"), "queue": ("fifo", "srpt")}
SCHEDULERS = 10
"""Distributed schedulers in the paper's experiment (Section 7)."""
MOST_PROCESSES = 10_000
"""Nodes, and schedulers, that a run may ask for: each is a process."""
MOST_TASKS = 10_000
"""Tasks of a job whose rows fit into one message (`wire.LONGEST`)."""


@typed
def run(
    workload: Workload,
    system: str | System = "eagle",
    nodes: int = 100,
    *,
    compress: float = 1,
    short_partition: float = PARTITION["google"],
    cutoff: float | None = None,
    schedulers: int = SCHEDULERS,
    hosts: Sequence[str] | None = None,
    burn: bool = False,
    sleep_out: bool = True,
    kill: Mapping[Name, float] | None = None,
    seed: int = 0,
    progress: bool = False,
) -> Measurement:
    """Run a workload on real processes: `nodes` node monitors of one slot, distributed schedulers and a centre.

    - `system`: "eagle", "hawk", "sparrow" or an `eagle.System` of these parts: probes or SSS, least work left
      or probes for long jobs, first come first served or SRPT
    - `compress`: by how much time runs faster: a task of 10 s sleeps for 1 s of this machine's at 10
    - `short_partition`, `cutoff`, `seed`: as in `eagle.simulate`. A job sends two probes a task, and at least
      the system's `min_probes`. The paper's text is followed (`detail="as_written"` there) with two exceptions:
      a node drops the probes of a job once a message says that no task of it is left; a scheduler sends a
      rejected probe on only while its job has tasks left, by the freshest bit vector that it has seen for any
      job.
    - `hosts`: `address:port` of machines that wait for a driver (see `prototype.host`); None: this one
    - `burn`: tasks compute instead of sleeping; `sleep_out=False`: end as soon as every task has begun; one
      that still runs then has the end that is planned
    - `kill`: which processes to kill and when (s of this machine), as in `{("node", 3): 1.5}`
    - `progress`: show a bar of jobs

    Needs a system that can fork. Raises ValueError, naming the argument, on what `eagle.simulate` refuses, an
    unknown part; RuntimeError when processes cannot be started, a host is lost, no node is
    left, or nothing happens any more. No process is left, whatever happens. Source: Eagle, Section 7.

    See also: `prototype.compare`, `eagle.simulate`.

    >>> jobs = Workload.from_arrays([0, 0], [1.0, 1.0, 0.1], tasks=[2, 1])
    >>> done = run(jobs, "eagle", 3, short_partition=0.34, cutoff=0.5, compress=10, schedulers=1)
    >>> bool((done.jobs["completion"] > [1.0, 0.1]).all()), done.stats["placements"], len(done.notes)
    (True, 2, 0)
    """
    streams(seed)  # refuses a wrong seed before a process starts
    hosts = () if hosts is None else hosts
    system = system_of(system)
    _check_system(system)
    positive("compress", compress)
    second = SECONDS[workload.time_unit] / compress  # of this machine, for a unit of the workload
    check_numbers(short_partition=short_partition, cutoff=cutoff)
    for name, count in {"nodes": nodes, "schedulers": schedulers}.items():
        if not 1 <= count <= MOST_PROCESSES:
            rule = f"must be a whole number from 1 to {MOST_PROCESSES:,}"
            raise ValueError(f"{name}: {count!r}, {rule}")
    _check_hosts(hosts)
    rows, jobs, duration = prepare(workload, cutoff, "mean", Detail(), np.random.default_rng(0))
    largest = jobs.tasks.max()
    if largest > MOST_TASKS:
        raise ValueError(f"workload: a job of {largest:,} tasks; a message holds {MOST_TASKS:,}")
    kill = kill or {}
    _check_kill(kill, nodes, schedulers)
    parts = system.resolved()
    how = {
        "queue": system.queue,
        "sticky": system.sticky,
        "cap": min(system.cap, 1e300),
        "shares": parts.short.shares,
        "steal": system.steal,
        "thieves": system.thieves or "general",
        "centre": system.long_jobs == "lwl",
        "updates": bool(system.updates and system.queue == "srpt"),
        "min_probes": int(system.min_probes),
        "short_only": short_workers(
            system.name, parts, short_partition, nodes, bool(jobs.long.any())
        ),
        "burn": burn,
        "seed": int(seed),
    }
    setting = Setting(
        nodes=int(nodes),
        schedulers=int(schedulers),
        how=how,
        hosts=tuple(hosts),
        kill=kill,
        sleep_out=sleep_out,
    )
    driver = replayed(_orders(jobs, duration, second), setting, progress)
    own = workload.jobs.iloc[rows].reset_index(drop=True)
    return result(system, own, driver, workload.time_unit, 1 / second)


def _check_system(system: System) -> None:
    """ValueError on a part that processes cannot play."""
    for part, possible in PARTS.items():
        value = getattr(system, part)
        if value not in possible:
            raise unknown(f"system.{part}, on real processes,", value, possible)
    for part in ("cancel", "probes"):
        if getattr(system, part):
            raise ValueError(f"system.{part}: on real processes this part cannot run; leave it out")


def _check_hosts(hosts: Sequence[str]) -> None:
    """ValueError unless these are places where hosts can listen."""
    for place in hosts:
        match = isinstance(place, str) and re.fullmatch(".+:([0-9]{1,5})", place)
        if not match or not 0 < int(match[1]) < 2**16:
            rule = "give a list of 'address:port', ports from 1 to 65535"
            raise ValueError(f"hosts: {hosts!r}; {rule}")


def _check_kill(kill: Mapping[Name, float], nodes: int, schedulers: int) -> None:
    """ValueError on a process that the run will not have, and on a wrong time."""
    names = {("centre", 0)}
    names |= {("node", number) for number in range(nodes)}
    names |= {("scheduler", number) for number in range(schedulers)}
    for name, at in kill.items():
        if name not in names:
            raise ValueError(f"kill: the run has no process {name}")
        if not (isinstance(at, Real) and 0 <= at < math.inf):
            raise ValueError(f"kill: {name} at {at!r}; give a time in seconds, 0 or more")


def _orders(jobs: np.recarray, duration: np.ndarray, second: float) -> list[Order]:
    """The jobs to submit, and when; a unit of the workload's time takes `second` of this machine."""
    orders = []
    for job in jobs:
        lasts = duration[job.first : job.first + job.tasks]
        order = Order(
            at=float(job.submit) * second,
            durations=(lasts * second).tolist(),
            estimate=float(job.estimate) * second,
            long=bool(job.long),
        )
        orders.append(order)
    return orders


def replayed(orders: Sequence[Order], setting: Setting, progress: bool = False) -> Driver:
    """A driver that has run to the end, in a thread of its own, as a notebook's event loop runs already."""
    from tqdm import tqdm

    with (
        tqdm(total=len(orders), unit="job", disable=not progress, leave=False) as bar,
        ThreadPoolExecutor(max_workers=1) as pool,
    ):
        driver = Driver(orders, setting, bar.update)
        running = pool.submit(asyncio.run, driver.replay())
        try:
            running.result()
        except KeyboardInterrupt:
            driver.interrupt()
            raise
    return driver
