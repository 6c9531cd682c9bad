"""The model: machine configurations, job classes, decisions of stages 1 and 2, when jobs fit (Section 2)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from schedlib.core.checks import amounts, frozen, numbers, refuse, require_kind, whole

# jobs fit a machine when they need at most (1 + FIT) times what it has, of each resource
FIT = 1e-9
# the largest capacity as an integer; rounding is off by at most half a unit
UNITS = 2**50
# machines of one configuration, at most
MOST_MACHINES = 10**9


def scaled(capacity: npt.ArrayLike, demand: npt.ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Capacities (..., R) and demands (..., R) as whole numbers (int64) of one small unit per resource.

    The unit of resource l is its largest capacity over 2**50, a float's precision. Demands are rounded to the
    nearest unit (a positive one to at least 1; at most four times the largest capacity), capacities made
    FIT = 1e-9 larger and rounded down. So free space never drifts, sizes that fill a machine exactly fit
    (20 x 0.025 in 0.5), and what overflows by more than a billionth never does.

    >>> c, r = scaled([0.5], [[0.025], [0.0250001]])
    >>> (c // r).tolist()
    [[20], [19]]
    """
    capacity = np.asarray(capacity, np.float64)
    demand = np.asarray(demand, np.float64)
    largest = capacity.reshape(-1, capacity.shape[-1]).max(axis=0)
    return whole_units(capacity, demand, np.where(largest > 0, largest, 1.0), np.rint)


def whole_units(
    capacity: np.ndarray, demand: np.ndarray, most: np.ndarray, rounded: Callable
) -> tuple[np.ndarray, np.ndarray]:
    """As `scaled`, in units of which `most (R,)` are 2**50; `rounded`: how demands become whole numbers."""
    unit = most / UNITS
    size = np.maximum(rounded(np.minimum(demand, 4 * most) / unit), demand > 0)
    return np.floor(capacity / unit * (1 + FIT)).astype(np.int64), size.astype(np.int64)


def holds(capacity: npt.ArrayLike, demand: npt.ArrayLike) -> np.ndarray:
    """How many jobs of each class alone fit one machine, (..., K), with (..., R) and (K, R) as in `scaled`.

    >>> holds([5.0, 8.0], [[1.0, 3.0], [2.0, 0.0]]).tolist()
    [2, 2]
    """
    room, size = scaled(capacity, demand)
    each = room[..., None, :] // np.maximum(size, 1)
    return each.min(axis=-1, where=size > 0, initial=np.iinfo(np.int64).max)


@dataclass(frozen=True, eq=False)
class MachineConfigs:
    """M machine configurations of R resources each, in the reader's units, one per resource.

    - `capacity (M, R)`: c_jl, how much of resource l one machine of configuration j has; 0 is allowed
    - `count (M,)`: n_j, how many such machines there are
    - `names`: of the R resources, if given: `simulate` then finds a workload's demands by them

    Arrays are copied and made read-only. Raises ValueError, with argument and row, on shapes that disagree,
    amounts negative or not finite, and counts that are not whole, from 1 to a billion. Source: LoTES, Section 2.

    See also: `lotes.JobClasses`, `lotes.fewer_machines`.

    >>> MachineConfigs([[1.0, 1.0], [0.5, 0.25]], [10, 30]).n_machines
    40
    """

    capacity: np.ndarray
    count: np.ndarray
    names: tuple[str, ...] | None = None

    def __post_init__(self):
        capacity = numbers(
            "capacity", self.capacity, 2, "a row per configuration and a column per resource"
        )
        count = numbers("count", self.count, 1, "one number of machines per configuration")
        if len(count) != len(capacity):
            raise ValueError(
                f"count: {len(count)} values for {len(capacity)} rows of capacity; give one per "
                "configuration"
            )
        amounts("capacity", capacity)
        refuse(
            "capacity",
            ~capacity.any(axis=1),
            capacity.max(axis=1),
            "the whole row is zero; leave that configuration out",
        )
        refuse(
            "capacity[any row]",
            ~capacity.any(axis=0),
            capacity.max(axis=0),
            "no machine has that resource; leave it out",
        )
        whole("count", count, 1)
        refuse("count", count > MOST_MACHINES, count, f"must be at most {MOST_MACHINES:,}")
        object.__setattr__(self, "capacity", capacity)
        object.__setattr__(self, "count", frozen(count.astype(np.int64)))
        if self.names is not None:
            require_kind("names", self.names, Sequence, "help(MachineConfigs)")
            names = tuple(self.names)
            texts = all(isinstance(name, str) for name in names)
            if not (texts and len(set(names)) == len(names) == capacity.shape[1]):
                raise ValueError(
                    f"names: {names}; needs a different name for each of {capacity.shape[1]} resources"
                )
            object.__setattr__(self, "names", names)

    if TYPE_CHECKING:  # lists are taken, arrays are kept

        def __init__(
            self, capacity: npt.ArrayLike, count: npt.ArrayLike, names: Sequence[str] | None = None
        ) -> None: ...

    @property
    def n_configs(self) -> int:
        return len(self.count)

    @property
    def n_resources(self) -> int:
        return self.capacity.shape[1]

    @property
    def n_machines(self) -> int:
        return int(self.count.sum())


@dataclass(frozen=True, eq=False)
class JobClasses:
    """K job classes, each an expectation of what its jobs need, in the units of the capacities.

    - `share (K,)`: alpha_k, the probability that an arriving job is of class k; they sum to 1
    - `demand (K, R)`: r_kl, the mean amount of resource l that a job holds while it runs
    - `rate (M, K)`: mu_jk, one over the mean processing time of class k on configuration j; 0: cannot run

    Arrays are copied and made read-only. Raises ValueError, with argument and row, on shapes that disagree,
    values negative or not finite, shares that do not sum to 1, and a class that needs nothing or whose rate
    is 0 everywhere. Source: LoTES, Sections 2 and 5.3.

    See also: `lotes.MachineConfigs`, `lotes.cluster_jobs`, `lotes.class_counts`.

    >>> JobClasses([0.7, 0.3], [[2.0], [3.0]], [[1.0, 0.5]]).n_classes
    2
    """

    share: np.ndarray
    demand: np.ndarray
    rate: np.ndarray

    def __post_init__(self):
        share = numbers("share", self.share, 1, "one probability per class")
        demand = numbers("demand", self.demand, 2, "a row per class and a column per resource")
        rate = numbers("rate", self.rate, 2, "a row per configuration and a column per class")
        if len(demand) != len(share):
            raise ValueError(
                f"demand: {len(demand)} rows for {len(share)} shares; give one row per class"
            )
        if rate.shape[1] != len(share):
            raise ValueError(
                f"rate: {rate.shape[1]} columns for {len(share)} classes; needs "
                "(configurations, classes)"
            )
        for name, array in (("share", share), ("demand", demand), ("rate", rate)):
            amounts(name, array)
            object.__setattr__(self, name, array)
        if abs(share.sum() - 1) > 1e-9 * len(share):
            raise ValueError(f"share: sums to {share.sum():.12g}, not to 1; divide it by its sum")
        refuse(
            "demand",
            ~demand.any(axis=1),
            demand.max(axis=1),
            "the class needs nothing of any resource; leave it out",
        )
        refuse(
            "rate[any row]",
            ~rate.any(axis=0),
            rate.max(axis=0),
            "no configuration can run that class; give one a rate > 0",
        )

    if TYPE_CHECKING:

        def __init__(
            self, share: npt.ArrayLike, demand: npt.ArrayLike, rate: npt.ArrayLike
        ) -> None: ...

    @property
    def slowdown(self) -> np.ndarray:
        """How many times as long as where its rate is largest a class runs on each configuration, (M, K);
        infinite where it cannot run.

        >>> JobClasses([0.5, 0.5], [[1.0], [2.0]], [[1.0, 2.0], [0.5, 0.0]]).slowdown.tolist()
        [[1.0, 1.0], [2.0, inf]]
        """
        with np.errstate(divide="ignore"):
            return self.rate.max(axis=0) / self.rate

    @property
    def n_classes(self) -> int:
        return len(self.share)

    @property
    def n_resources(self) -> int:
        return self.demand.shape[1]


def check(configs: MachineConfigs, classes: JobClasses) -> None:
    """Raise ValueError unless shapes agree and every class fits a configuration on which its rate is above 0.

    >>> check(MachineConfigs([[1.0]], [5]), JobClasses([1.0], [[1.5]], [[1.0]]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: demand[0]: [1.5] is larger than every machine that can run class 0; ...
    """
    if configs.n_resources != classes.n_resources:
        raise ValueError(
            f"demand: {classes.n_resources} columns, but capacity has {configs.n_resources}; "
            "needs one per resource"
        )
    if configs.n_configs != len(classes.rate):
        raise ValueError(
            f"rate: {len(classes.rate)} rows for {configs.n_configs} configurations; give one "
            "row for each"
        )
    for k in np.flatnonzero(~(fits(configs, classes) & (classes.rate > 0)).any(axis=0)):
        raise ValueError(
            f"demand[{k}]: {classes.demand[k].tolist()} is larger than every machine that "
            f"can run class {k}; split the job, or add such machines"
        )


def fits(configs: MachineConfigs, classes: JobClasses) -> np.ndarray:
    """Whether a job of class k fits an empty machine of configuration j, (M, K) bool, whatever its rate.

    >>> fits(MachineConfigs([[1.0], [4.0]], [1, 1]), JobClasses([0.5, 0.5], [[1.0], [2.0]], [[1, 1], [1, 1]]))
    array([[ True, False],
           [ True,  True]])
    """
    return holds(configs.capacity, classes.demand) > 0  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class Allocation:
    """The decisions of stage 1 (Eqs. 1-5).

    - `rate`: lambda*, the largest arrival rate that pooled, divisible resources sustain, per unit of time
    - `delta (M, K, R)`: delta_jkl, the fraction of resource l of configuration j that class k gets
    - `running (M, K)`: how many jobs of class k configuration j then holds at a time, on average

    See also: `lotes.allocate`.

    >>> from schedlib import lotes
    >>> made = lotes.allocate(MachineConfigs([[4.0]], [2]), JobClasses([1.0], [[1.0]], [[3.0]]))
    >>> round(made.rate, 6), made.running.round(6).tolist(), made.supports.tolist()
    (24.0, [[8.0]], [1])
    """

    rate: float
    delta: np.ndarray
    running: np.ndarray

    @cached_property
    def support(self) -> np.ndarray:
        """Which classes are in K^j, (M, K) bool."""
        return self.running > 0

    @property
    def supports(self) -> np.ndarray:
        """abs(K^j), the last column of Table 1, (M,)."""
        return self.support.sum(axis=1)


@dataclass(frozen=True, eq=False)
class Plan:
    """The decisions of stages 1 and 2: which mix of jobs each machine should hold (Eqs. 6-10).

    - `bins`: M arrays (B_j, K) of int, N_ijk, the mixes considered on configuration j
    - `machines`: M arrays (B_j,) of int, how many machines emulate each mix; they sum to n_j
    - `fractions`: M arrays (B_j,) of float, x_ij, the same before rounding
    - `rate`: lambda of the linear program; `rate_rounded`: what rounding leaves of it; jobs per unit of time

    See also: `lotes.plan`, `lotes.generate_plan`.

    >>> from schedlib import lotes
    >>> made = lotes.plan(MachineConfigs([[4.0]], [2]), JobClasses([1.0], [[1.0]], [[3.0]]))
    >>> made.bins[0].tolist(), made.machines[0].tolist(), made.running.tolist(), round(made.rate, 9)
    ([[4]], [2], [[8]], 24.0)
    """

    configs: MachineConfigs
    classes: JobClasses
    allocation: Allocation
    bins: tuple
    machines: tuple
    fractions: tuple
    rate: float
    rate_rounded: float

    @cached_property
    def running(self) -> np.ndarray:
        """How many jobs of each class the machines of each configuration hold in their bins, (M, K)."""
        return np.array(
            [machines @ bins for bins, machines in zip(self.bins, self.machines, strict=True)]
        )

    def targets(self, j: int) -> np.ndarray:
        """The bin that each machine of configuration j emulates, (n_j, K) int, equal bins side by side."""
        return np.repeat(self.bins[j], self.machines[j], axis=0)

    def require(self, configs: MachineConfigs, classes: JobClasses | None = None) -> None:
        """Raise ValueError unless the plan was made for these configurations (and classes)."""
        for what, mine, given in (
            ("machine configurations", self.configs, configs),
            ("job classes", self.classes, classes),
        ):
            same = given is None or all(
                np.array_equal(values, getattr(given, name))
                for name, values in vars(mine).items()
                if name != "names"
            )
            if not same:
                raise ValueError(
                    f"plan: was made for other {what}; make one with lotes.plan(configs, classes)"
                )
