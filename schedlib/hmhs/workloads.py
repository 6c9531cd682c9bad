"""The paper's synthetic workloads (Section 4.1), its six clusters (Table 1), and instances of traces."""

import numpy as np
import pandas as pd

from schedlib.core.checks import typed
from schedlib.core.streams import streams
from schedlib.hmhs.model import Instance
from schedlib.workload import Workload

NORMAL = {
    "map_time": (5, 45),
    "reduce_time": (15, 135),
    "map_tasks": (1, 300),
    "reduce_tasks": (1, 40),
}
LONG = NORMAL | {"map_time": (100, 2000), "reduce_time": (300, 6000)}
LARGE = NORMAL | {"map_tasks": (2000, 5000), "reduce_tasks": (100, 400)}
HYBRID = ((0.80, NORMAL), (0.15, LONG), (0.05, LARGE))
CLUSTERS = {f"cluster {k + 1}": k / 5 for k in range(6)}
"""Table 1: the share of slow machines in each of the six clusters."""
LEAST = 0.5  # seconds that a task of a trace takes
RANDOM_LEAST, SLOW_LEAST, SPEED_MOST = 0.1, 0.9, 1.0
MOST_MACHINES = 10**9
BLOCK = 64e6  # bytes of a map's input
SHUFFLE_PER_REDUCE = 1e9  # bytes
RATE = 10e6  # bytes a second
Pools = tuple[int, int]


def speeds(rng: np.random.Generator, n_jobs: int, machines: int, slow: float = 0.0) -> np.ndarray:
    """Speed factors V_ij, (n_jobs, machines), drawn for each job on each machine.

    A share `slow` of the machines, rounded to whole machines and the first ones by number, draws from U[0.9,
    1.0]; the others from U[0.1, 1.0]. A larger factor is slower. Source: HMHS, Section 4.1 and Section 4.2 B.
    """
    low = np.where(np.arange(machines) < round(slow * machines), SLOW_LEAST, RANDOM_LEAST)
    return rng.uniform(low, SPEED_MOST, (n_jobs, machines))


def _synthetic(n_jobs: int, seed: int, machines: Pools, slow: float, kinds) -> Instance:
    """Jobs of some kinds, each with its share and its ranges of times and tasks as in `NORMAL`."""
    if n_jobs < 1:
        raise ValueError(f"n_jobs: {n_jobs}, must be at least 1")
    jobs, mixing = streams(seed, "hmhs jobs", "hmhs order")
    shares = [0.0] + [share for share, _ in kinds]
    ends = np.round(np.cumsum(shares) * n_jobs).astype(int)
    kind = mixing.permutation(np.repeat(np.arange(len(kinds)), np.diff(ends)))
    columns = {}
    for name in NORMAL:
        low, high = np.array([ranges[name] for _, ranges in kinds])[kind].T
        if name.endswith("tasks"):
            columns[name] = jobs.integers(low, high, endpoint=True)
        else:
            columns[name] = jobs.uniform(low, high)
    return _on_machines(columns, seed, machines, slow)


def _on_machines(columns, seed: int, machines: Pools, slow: float) -> Instance:
    """The instance of these times and tasks on machines whose speed factors are drawn."""
    if len(machines) != 2 or min(machines) < 1 or max(machines) > MOST_MACHINES:
        pools = f"(map machines, reduce machines), each from 1 to {MOST_MACHINES:,}"
        raise ValueError(f"machines: {machines}, must be {pools}")
    if not 0 <= slow <= 1:
        raise ValueError(f"slow: {slow}, must be a share from 0 to 1")
    n_jobs = len(columns["map_time"])
    for stage, pool in zip(("map", "reduce"), machines, strict=True):
        (rng,) = streams(seed, f"hmhs {stage} speeds")
        columns[f"{stage}_speed"] = speeds(rng, n_jobs, pool, slow)
    return Instance(**columns)


@typed
def single(
    n_jobs: int, seed: int = 0, *, machines: Pools = (100, 100), slow: float = 0.0
) -> Instance:
    """The single workload: map times U[5, 45], tasks U{1..300}; reduce times U[15, 135], tasks U{1..40}.

    `n_jobs` are drawn by `seed`, with a speed factor for each on each machine. `machines` is (map, reduce);
    `slow` the share of slow machines (Table 1). Raises ValueError on a number out of range. Source: HMHS,
    Section 4.1.

    >>> single(3, seed=1, machines=(4, 2)).map_speed.shape
    (3, 4)
    """
    return _synthetic(n_jobs, seed, machines, slow, ((1.0, NORMAL),))


@typed
def hybrid(
    n_jobs: int, seed: int = 0, *, machines: Pools = (100, 100), slow: float = 0.0
) -> Instance:
    """The paper's hybrid workload: 80 % normal jobs, 15 % long and 5 % large ones.

    Long jobs have times U[100, 2000] and U[300, 6000], large ones U{2000..5000} map and U{100..400} reduce
    tasks. The shares are exact up to rounding, the kinds shuffled. Arguments as in `single`. Source: HMHS,
    Section 4.1.

    >>> int((hybrid(100, seed=1).map_tasks >= 2000).sum())
    5
    """
    return _synthetic(n_jobs, seed, machines, slow, HYBRID)


@typed
def tiny(n_jobs: int, seed: int = 0) -> Instance:
    """A single workload small enough for `optimum`: U{1..4} map and U{1..2} reduce tasks a job.

    >>> int(tiny(4, seed=1).map_tasks.max()) <= 4
    True
    """
    few = NORMAL | {"map_tasks": (1, 4), "reduce_tasks": (1, 2)}
    return _synthetic(n_jobs, seed, (2, 2), 0.0, ((1.0, few),))


@typed
def from_trace(
    jobs: pd.DataFrame, seed: int = 0, *, n_jobs: int | None = None, machines: Pools = (100, 100)
) -> Instance:
    """An instance of real MapReduce jobs on the paper's random machines.

    `jobs` has one row per job with `map_tasks, map_time, reduce_tasks, reduce_time`, as
    `traces.alibaba2018("mapreduce")` gives; `n_jobs` draws that many of them at random (all, in the trace's
    order, unless given), and the seed also draws the speed factors, which no trace records. `machines` is as in
    `single`. Mean times are half a second at least. Raises ValueError on a missing column or more jobs than
    there are.

    See also: `hmhs.swim_jobs`, `hmhs.arriving`.

    >>> columns = {"map_tasks": [3, 1], "map_time": [9, 4], "reduce_tasks": [1, 0], "reduce_time": [5, 1]}
    >>> jobs = pd.DataFrame(columns)
    >>> from_trace(jobs, machines=(2, 2)).n_jobs
    2
    """
    chosen = drawn(jobs, seed, n_jobs)
    columns = {name: chosen[name].to_numpy() for name in NORMAL}
    for name in ("map_time", "reduce_time"):
        columns[name] = np.maximum(columns[name], LEAST)
    return _on_machines(columns, seed, machines, 0.0)


def drawn(jobs: pd.DataFrame, seed: int, n_jobs: int | None = None) -> pd.DataFrame:
    """The rows that `from_trace` draws, in the trace's order, with its errors.

    >>> len(drawn(pd.DataFrame([[9.0, 5.0, 3, 1]] * 4, columns=list(NORMAL)), seed=0, n_jobs=2))
    2
    """
    missing = [name for name in NORMAL if name not in jobs]
    if missing:
        raise ValueError(
            f"jobs: no column {', '.join(missing)}; traces.alibaba2018('mapreduce') has them"
        )
    n_jobs = len(jobs) if n_jobs is None else n_jobs
    if not 1 <= n_jobs <= len(jobs):
        raise ValueError(f"n_jobs: {n_jobs}, must be from 1 to {len(jobs)}, the jobs of the trace")
    (choice,) = streams(seed, "hmhs jobs")
    return jobs.iloc[np.sort(choice.permutation(len(jobs))[:n_jobs])]


def swim_jobs(workload: Workload) -> pd.DataFrame:
    """MapReduce jobs for `from_trace` from a SWIM trace, which records bytes and no durations.

    `workload` comes from `traces.read_swim`. Our assumptions: one map task for each 64 MB of input (a block by
    Hadoop's default of those years), one reduce task for each GB shuffled (none without shuffle), and tasks
    that move 10 MB a second through input, or through shuffle plus output. Raises ValueError on a workload
    without the byte columns.

    See also: `traces.read_swim`, `hmhs.from_trace`, `hmhs.arriving`.

    >>> import tempfile
    >>> from schedlib import traces
    >>> with tempfile.NamedTemporaryFile("w+") as file:
    ...     print("job0", 0, 0, 128_000_000, 0, 0, sep="\\t", file=file, flush=True)
    ...     swim_jobs(traces.read_swim(file.name))[["map_tasks", "map_time"]]
       map_tasks  map_time
    0          2       6.4
    """
    jobs = workload.jobs
    missing = [name for name in ("map_input", "shuffle", "reduce_output") if name not in jobs]
    if missing:
        raise ValueError(f"workload: no column {', '.join(missing)}; traces.read_swim gives them")
    maps = np.maximum(np.ceil(jobs["map_input"] / BLOCK), 1)
    reduces = np.ceil(jobs["shuffle"] / SHUFFLE_PER_REDUCE)
    map_time = jobs["map_input"] / maps / RATE
    reduce_time = (jobs["shuffle"] + jobs["reduce_output"]) / np.maximum(reduces, 1) / RATE
    least = 1.0  # a task that moves next to nothing still starts a process, which takes a second
    return jobs[["job", "submit"]].assign(
        map_tasks=maps.astype(int),
        map_time=np.maximum(map_time, least),
        reduce_tasks=reduces.astype(int),
        reduce_time=np.maximum(reduce_time, least),
    )
