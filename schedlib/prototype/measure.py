"""A workload replayed on real processes: the prototype's counterpart of `eagle.simulate`."""

import asyncio
import math
import threading
import time
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from schedlib.core import streams
from schedlib.core.checks import typed, unknown
from schedlib.eagle.detail import Detail
from schedlib.eagle.simulating.simulate import prepare
from schedlib.eagle.systems import System, system_of
from schedlib.eagle.workloads.synthetic import PARTITION
from schedlib.prototype.driver import Driver, Order, Setting
from schedlib.prototype.node import MOST_QUEUED
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
    probe_ratio: float = 2,
    min_probes: int | None = None,
    schedulers: int = SCHEDULERS,
    hosts: Sequence[str] | None = None,
    burn: bool = False,
    sleep_out: bool = True,
    kill: Mapping[Name, float] | None = None,
    most_queued: int = MOST_QUEUED,
    seed: int = 0,
    progress: bool = False,
) -> Measurement:
    """Run a workload on that many real node monitors of one slot, distributed schedulers and a centre.

    - `system`: "eagle", "hawk", "sparrow" or an `eagle.System` of these parts: probes or SSS, least work left
      or probes for long jobs, first come first served or SRPT
    - `compress`: by how much time runs faster: a task of 10 s sleeps for 1 s of this machine's at 10
    - `short_partition`, `cutoff`, `probe_ratio`, `min_probes`, `seed`: as in `eagle.simulate`. The paper's
      text is followed (`detail="as_written"` there), except for this: a node drops probes of jobs of which, by
      a message, nothing is left; a scheduler sends a rejected probe on only while its job has tasks left, by
      the freshest bit vector that it has seen for any job.
    - `hosts`: `address:port` of machines that wait for a driver (see `prototype.host`); None: this one
    - `burn`: tasks compute instead of sleeping; `sleep_out=False`: end as soon as every task has begun; one
      that still runs then has the end that is planned
    - `kill`: which processes to kill and when (s of this machine), as in `{("node", 3): 1.5}`
    - `most_queued`: entries of a node's queue; what comes then is sent elsewhere
    - `progress`: show a bar of jobs

    Needs a system that can fork. Raises ValueError, naming the argument, on what `eagle.simulate` refuses, an
    unknown part or unit of time; RuntimeError when processes cannot be started, a host is lost, no node is
    left, or nothing happens any more. No process is left, whatever happens. Source: Eagle, Section 7.

    See also: `prototype.compare`, `eagle.simulate`.

    >>> jobs = Workload.from_arrays([0, 0], [1.0, 1.0, 0.1], tasks=[2, 1])
    >>> done = run(jobs, "eagle", 3, short_partition=0.34, cutoff=0.5, compress=10, schedulers=1)
    >>> bool((done.jobs["completion"] > [1.0, 0.1]).all()), done.stats["placements"], len(done.notes)
    (True, 2, 0)
    """
    streams(seed)  # refuses what is no seed, before a process starts
    hosts = () if hosts is None else hosts
    system = system_of(system, min_probes)
    _check_system(system)
    if workload.time_unit not in SECONDS:
        raise unknown("workload.time_unit", workload.time_unit, SECONDS)
    for name, value in {"compress": compress, "probe_ratio": probe_ratio}.items():
        if not 0 < value < math.inf:
            raise ValueError(f"{name}: {value!r}, must be positive")
    if cutoff is not None and not cutoff >= 0:
        raise ValueError(
            f"cutoff: {cutoff!r}, must be 0 or more; None: long are jobs of a class > 0"
        )
    whole = {
        "nodes": (nodes, MOST_PROCESSES),
        "schedulers": (schedulers, MOST_PROCESSES),
        "most_queued": (most_queued, 10**9),
    }
    for name, (count, most) in whole.items():
        if not (1 <= count <= most and count == int(count)):
            raise ValueError(f"{name}: {count!r}, must be a whole number from 1 to {most:,}")
    _check_hosts(hosts)
    rows, jobs, duration = prepare(workload, cutoff, "mean", Detail(), np.random.default_rng(0))
    _check_jobs(system, jobs, probe_ratio)
    _check_kill(kill or {}, int(nodes), int(schedulers))
    how = {
        "queue": system.queue,
        "sticky": system.sticky,
        "cap": min(system.cap, 1e300),
        "rejects": system.resolved().short.shares,
        "shares": system.resolved().short.shares,
        "steal": system.steal,
        "thieves": system.thieves or "general",
        "centre": system.long_jobs == "lwl",
        "updates": bool(system.updates and system.queue == "srpt"),
        "min_probes": int(system.min_probes),
        "ratio": float(probe_ratio),
        "short_only": _short_only(system, short_partition, int(nodes)),
        "burn": burn,
        "seed": int(seed),
        "most_queued": int(most_queued),
    }
    setting = Setting(
        nodes=int(nodes),
        schedulers=int(schedulers),
        how=how,
        hosts=tuple(hosts),
        kill=dict(kill or {}),
        sleep_out=sleep_out,
    )
    second = SECONDS[workload.time_unit] / compress  # of this machine, for a unit of the workload
    driver = replayed(_orders(jobs, duration, second), setting, progress)
    names = workload.jobs["job"].to_numpy()[rows]
    return result(system, names, driver, workload.time_unit, 1 / second)


def _check_system(system: System) -> None:
    """ValueError on a part that no process knows."""
    for part, possible in PARTS.items():
        if (given := getattr(system, part)) not in possible:
            raise unknown(f"system.{part}, on real processes,", given, possible)
    if system.cancel:
        raise ValueError(
            "system.cancel: on real processes nothing cancels probes (under SRPT nodes drop those of jobs "
            "that have nothing left); leave it out"
        )
    if system.probes is not None:
        raise ValueError("system.probes: on real processes no function counts probes; leave it out")


def _check_hosts(hosts: Sequence[str]) -> None:
    """ValueError on what is no list of places where hosts listen."""
    for place in [hosts] if isinstance(hosts, str) else hosts:
        address, _, port = str(place).rpartition(":")
        right = isinstance(place, str) and address and port.isascii() and port.isdecimal()
        if place is hosts or not right or not 0 < int(port) < 2**16:
            raise ValueError(
                f"hosts: {place!r}; give a list of 'address:port', ports from 1 to 65535"
            )


def _check_jobs(system: System, jobs: np.recarray, probe_ratio: float) -> None:
    """ValueError on a job that sends too few probes, or is too large for a message."""
    probes = np.maximum(system.min_probes, (probe_ratio * jobs.tasks).astype(int))
    probed = (jobs.long == 0) | (system.long_jobs == "probes")
    needed = 1 if system.sticky else jobs.tasks
    if (probed & (probes < needed)).any():
        rule = "a job needs one probe for each task, or one if sticky"
        raise ValueError(f"probe_ratio: {probe_ratio}; {rule}")
    largest = jobs.tasks.max()
    if largest > MOST_TASKS:
        raise ValueError(f"workload: a job of {largest:,} tasks; a message holds {MOST_TASKS:,}")


def _check_kill(kill: Mapping[Name, float], nodes: int, schedulers: int) -> None:
    """ValueError on a process that will not be there, and on what is no time."""
    names = {("centre", 0)}
    names |= {("node", number) for number in range(nodes)}
    names |= {("scheduler", number) for number in range(schedulers)}
    for name, at in kill.items():
        if name not in names:
            raise ValueError(f"kill: there is no process {name}")
        if not (isinstance(at, Real) and 0 <= at < math.inf):
            raise ValueError(f"kill: {name} at {at!r}; give a time in seconds, 0 or more")


def _short_only(system: System, short_partition: float, nodes: int) -> int:
    """How many nodes take short jobs alone; ValueError when SSS needs one, or none is left for others."""
    if not 0 <= short_partition < 1:
        raise ValueError(f"short_partition: {short_partition}, must be from 0 to less than 1")
    short_only = math.floor(short_partition * nodes + 1e-9)
    needed = int(system.resolved().short.shares)
    if not needed <= short_only < nodes:
        raise ValueError(
            f"short_partition: {short_partition} of {nodes} nodes gives {short_only}; "
            f"{system.name} needs at least {needed}, and one for other jobs"
        )
    return short_only


def _orders(jobs: np.recarray, duration: np.ndarray, second: float) -> list[Order]:
    """What is submitted and when; a unit of the workload's time takes `second` of this machine."""
    orders = []
    for job in jobs:
        own = duration[job.first : job.first + job.tasks]
        order = Order(
            at=float(job.submit) * second,
            durations=(own * second).tolist(),
            estimate=float(job.estimate) * second,
            long=bool(job.long),
        )
        orders.append(order)
    return orders


def replayed(orders: Sequence[Order], setting: Setting, progress: bool = False) -> Driver:
    """A driver that has run to the end, in a thread of its own, as a notebook's event loop runs already."""
    from tqdm import tqdm

    box: dict[str, Any] = {}

    async def main() -> None:
        box["loop"] = asyncio.get_running_loop()
        box["task"] = asyncio.current_task()
        box["driver"] = Driver(orders, setting, bar.update)
        await box["driver"].replay()

    def work() -> None:
        try:
            asyncio.run(main())
        except BaseException as error:  # raised again in the caller's thread
            box["error"] = error

    with tqdm(total=len(orders), unit="job", disable=not progress, leave=False) as bar:
        thread = threading.Thread(target=work)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(0.1)
        except KeyboardInterrupt:
            while "task" not in box and thread.is_alive():
                time.sleep(0.01)
            if thread.is_alive():
                box["loop"].call_soon_threadsafe(box["task"].cancel)
                thread.join()
            raise
    if "error" in box:
        raise box["error"]
    return box["driver"]
