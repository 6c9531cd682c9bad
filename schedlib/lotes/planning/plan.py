"""Stage 2: which bin each machine should emulate (Section 4.2).

Eq. (8) defines Delta_jkl as the bins' contents times r_kl, and (7) divided by r_kl says the same for every
resource: the program is in x_ij and lambda alone.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from schedlib.core.checks import typed
from schedlib.core.portable import dot
from schedlib.lotes.model import Allocation, JobClasses, MachineConfigs, Plan, check
from schedlib.lotes.planning.allocate import allocate, by_place, largest_rate
from schedlib.lotes.planning.bins import non_dominated_bins

MAX_PLANNED = 500_000  # bins of a configuration in the program, a column each
WHOLE = 1e-6  # a number of machines this close to a whole one is meant to be whole


class Assignment(NamedTuple):
    """An optimum of the program: M arrays of x_ij, and dual prices pi_k with sum alpha_k pi_k = 1."""

    fractions: list
    price: np.ndarray


def sustained(
    classes: JobClasses, bins: Sequence[np.ndarray], machines: Sequence[np.ndarray]
) -> float:
    """The arrival rate that machines holding these mixes sustain (Eqs. 7-8), jobs per unit of time.

    `bins`: M arrays (B_j, K); `machines`: M arrays (B_j,), whole or fractional numbers of machines.

    >>> sustained(JobClasses([1.0], [[3.0]], [[1.0]]), [np.array([[1]])], [np.array([2])])
    2.0
    """
    running = np.array([dot(x, mixes) for mixes, x in zip(bins, machines, strict=True)])
    served = (running * classes.rate).sum(axis=0)
    asked = classes.share > 0
    return float((served[asked] / classes.share[asked]).min())


def assign(
    configs: MachineConfigs,
    classes: JobClasses,
    bins: Sequence[np.ndarray],
    *,
    integer: bool = False,
) -> Assignment:
    """Solve the machine-assignment program (Eqs. 6-10) over these bins, or the integer program behind it.

    `bins`: M arrays (B_j, K). The linear program has many optima, of which two more objectives pick one:

    - the smallest sum over bins of x_ij times the sum over k of (N_ijk mu_jk / alpha_k)^2: a machine in bin i
      adds N_ijk mu_jk / alpha_k to what class k gets, so that rounding x_ij takes or gives little
    - then the smallest sum of x_ij sqrt(i), where i counts through all bins: it only makes the choice a stated
      one

    The first of them was chosen after the second alone had left a rounded rate of 0 on random instances with 4
    machines a configuration. Raises RuntimeError as `solve` does; the prices of an integer program mean nothing.
    """
    served = [mixes * classes.rate[j] for j, mixes in enumerate(bins)]
    most = sum(n * rates.max(axis=0) for n, rates in zip(configs.count, served, strict=True))
    asked = np.flatnonzero(classes.share > 0)
    share = classes.share[asked]
    sizes = [len(mixes) for mixes in bins]
    total = sum(sizes)
    # of one machine, so that the program's numbers are about one
    unit = float((most[asked] / share).min()) / configs.n_machines or 1.0
    weights = np.concatenate(served)[:, asked] / (share * unit)  # (B, K)
    harm = (weights**2).sum(axis=1)
    # the unknowns x (B,) are the machines in each bin
    owner = np.repeat(np.arange(len(sizes)), sizes)
    owned = owner == np.arange(len(sizes))[:, None]
    program = weights.T, owned, configs.count, configs.count
    what = "the integer assignment program" if integer else "the machine-assignment program"
    then = [] if integer else [harm, by_place(total)]
    _, x, paid = largest_rate(what, *program, whole=integer, then=then)
    price = np.zeros(classes.n_classes)
    price[asked] = np.abs(paid)
    if not integer:
        price[asked] /= price.sum() * share
    machines = np.rint(x).astype(np.int64) if integer else np.maximum(x, 0.0)
    ends = np.cumsum(sizes)[:-1]
    return Assignment(np.split(machines, ends), price)


def rounded(fractions: np.ndarray, count: int) -> np.ndarray:
    """Whole numbers of machines that sum to `count`: all down, then the largest fractions (of equal ones,
    which the paper leaves open, the earlier) up (Section 4.2).

    >>> rounded(np.array([1.25, 0.5, 2.25]), 4).tolist()
    [1, 1, 2]
    """
    near = np.rint(fractions)
    fractions = np.where(np.abs(fractions - near) < WHOLE, near, fractions)
    whole = np.floor(fractions).astype(np.int64)
    whole[np.argsort(whole - fractions, kind="stable")[: count - whole.sum()]] += 1
    return whole


def bins_of(configs: MachineConfigs, classes: JobClasses, allowed: np.ndarray) -> tuple:
    """The non-dominated bins of each configuration from the classes in `allowed (M, K)`: M arrays (B_j, K).

    Raises ValueError when one has more than 500,000.

    >>> classes = JobClasses([0.5, 0.5], [[2.0], [3.0]], [[1.0, 1.0]])
    >>> bins_of(MachineConfigs([[7.0]], [1]), classes, np.array([[True, False]]))
    (array([[3, 0]], dtype=int32),)
    """
    bins = []
    for capacity, these in zip(configs.capacity, allowed, strict=True):
        mixes = np.zeros((1, classes.n_classes), np.int32)  # the empty bin
        if these.any():
            some = non_dominated_bins(capacity, classes.demand[these], max_bins=MAX_PLANNED)
            mixes = np.zeros((len(some), classes.n_classes), np.int32)
            mixes[:, these] = some
        mixes.flags.writeable = False
        bins.append(mixes)
    return tuple(bins)


def make_plan(
    configs: MachineConfigs,
    classes: JobClasses,
    allocation: Allocation,
    bins: Sequence[np.ndarray],
    fractions: Sequence[np.ndarray],
    machines: Sequence[np.ndarray] | None = None,
) -> Plan:
    """A plan from an optimum of the assignment program; `machines` where they are not rounded from it."""
    if machines is None:
        machines = [rounded(x, n) for x, n in zip(fractions, configs.count.tolist(), strict=True)]
    for array in (*fractions, *machines):
        array.flags.writeable = False
    rates = sustained(classes, bins, fractions), sustained(classes, bins, machines)
    return Plan(
        configs, classes, allocation, tuple(bins), tuple(machines), tuple(fractions), *rates
    )


@typed
def plan(
    configs: MachineConfigs,
    classes: JobClasses,
    *,
    allocation: Allocation | None = None,
    integer: bool = False,
) -> Plan:
    """Stages 1 and 2 as in the paper: allocate, make the bins of each K^j, assign machines to bins, round.

    `allocation` is `allocate(configs, classes)` unless given. With `integer`, the machines are those of the
    exact integer program over the same bins, which the paper avoids; `rate` stays that of the linear one.
    Raises ValueError as `allocate` and `bins_of` do, and when K^j leaves a class only where none of its jobs
    fits; RuntimeError when a program of stage 2 is not proved optimal within 600 s. Source: LoTES, Section 4.2,
    Eqs. 6-10.

    See also: `lotes.generate_plan`, which lists no bins; `lotes.allocate`, the first stage alone.

    >>> plan(MachineConfigs([[5.0]], [2]), JobClasses([1.0], [[3.0]], [[1.0]])).rate
    2.0
    """
    check(configs, classes)
    allocation = allocate(configs, classes) if allocation is None else allocation
    if allocation.running.shape != classes.rate.shape:
        raise ValueError(
            f"allocation: made for {allocation.running.shape} configurations and classes, not "
            f"{classes.rate.shape}"
        )
    bins = bins_of(configs, classes, allocation.support)
    held = np.array([mixes.any(axis=0) for mixes in bins]).any(axis=0)
    for k in np.flatnonzero(~held & (classes.share > 0)):
        raise ValueError(
            f"allocation: class {k} is allocated only to configurations on which not even one of its jobs "
            "fits; set its rates there to 0, or use generate_plan"
        )
    fractions, _ = assign(configs, classes, bins)
    exact = None
    if integer:
        exact, _ = assign(configs, classes, bins, integer=True)
    return make_plan(configs, classes, allocation, bins, fractions, exact)
