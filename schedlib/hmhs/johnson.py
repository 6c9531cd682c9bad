"""Johnson's rule for two machines in a row, and Pri, its form for jobs of many tasks (HMHS, Section 3.1)."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from schedlib.core.checks import amounts, numbers, typed
from schedlib.hmhs.model import Instance


@typed
def johnson(first: npt.ArrayLike, second: npt.ArrayLike) -> np.ndarray:
    """The order (N,) of jobs that ends soonest when each visits machine one, then machine two.

    `first (N,)` and `second (N,)`: times on the two machines. Jobs that take no longer on the first than on the
    second come first, by their first time; the others follow, by falling second time. Ties keep the jobs'
    order, where the paper's step 3 reverses equal jobs of L2; both orders are optimal. Raises ValueError when
    the lengths differ, and on a time that is negative, infinite or NaN. Source: Johnson (1954); HMHS, Section 3.1, steps 1-4.

    >>> johnson([4, 1, 5, 2, 5], [5, 2, 3, 6, 1]).tolist()
    [1, 3, 0, 2, 4]
    """
    first = job_times("first", first)
    second = job_times("second", second, first.size)
    late = first > second
    key = np.where(late, -second, first)
    return np.lexsort((key, late))


def job_times(name: str, values: npt.ArrayLike, jobs: int | None = None) -> np.ndarray:
    """One time for each of `jobs` jobs, (N,), read-only; ValueError unless each is finite and at least 0.

    >>> job_times("submit", [0, 2], jobs=2)
    array([0., 2.])
    """
    times = numbers(name, values, 1, "one time per job")
    amounts(name, times)
    if jobs not in (None, times.size):
        raise ValueError(f"{name}: {times.size} values for {jobs} jobs; give one per job")
    return times


def flow_shop_makespan(
    first: npt.ArrayLike, second: npt.ArrayLike, order: Sequence[int] | np.ndarray
) -> float:
    """When the last job leaves machine two, if both machines take the jobs in `order`.

    >>> flow_shop_makespan([4, 1, 5, 2, 5], [5, 2, 3, 6, 1], [1, 3, 0, 2, 4])
    18.0
    """
    first = np.asarray(first, float)[order]
    second = np.asarray(second, float)[order]
    first_end = np.cumsum(first)
    backwards = second[::-1]
    second_left = np.cumsum(backwards)[::-1]
    ends = first_end + second_left
    return float(ends.max())


@typed
def total_times(instance: Instance) -> tuple[np.ndarray, np.ndarray]:
    """Average total processing time of each job's maps and of its reduces, each (N,) (the P-bar of Eq. 1).

    Totals, not divided by the number of machines: with pools of different size that would change the order.

    See also: `hmhs.priority`.

    >>> one = [[1.0, 3.0]]
    >>> total_times(Instance([2], [5], one, [8], [1], one))
    (array([20.]), array([16.]))
    """
    return (
        instance.map_time * instance.map_speed.mean(axis=1) * instance.map_tasks,
        instance.reduce_time * instance.reduce_speed.mean(axis=1) * instance.reduce_tasks,
    )


@typed
def priority(instance: Instance) -> np.ndarray:
    """Pri of each job, (N,): the smaller, the earlier it runs (Eq. 4).

    A job with more reduce than map work gets -1 / map work, any other 1 / reduce work, which sorts as
    Johnson's rule does. Equal work counts as more reduce work. The limits are taken where a stage is empty:
    -inf without maps, +inf without reduces.

    See also: `hmhs.johnson`, `hmhs.total_times`.

    >>> one = [[1.0], [1.0], [1.0]]
    >>> priority(Instance([2, 4, 3], [1, 1, 1], one, [8, 2, 1], [1, 1, 0], one)).tolist()
    [-0.5, 0.5, inf]
    """
    first, second = total_times(instance)
    with np.errstate(divide="ignore"):
        return np.where(first > second, 1.0, -1.0) / np.minimum(first, second)
