"""Which machine has room: for each configuration a binary tree of bounds over blocks of sixteen machines.

A node bounds the `outline` of what is free on the machines below it, four numbers: a job that exceeds one of
them fits none of these machines. Searches skip what the bounds exclude, and decide as a scan of all would.
Sizes are fractions of the largest capacity, whole multiples of 2**-50 (`model.scaled`), so that adding and
subtracting floats is exact.
"""

from typing import NamedTuple

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.lotes.model import UNITS, whole_units

WIDTH = 16  # machines in a block
EMPTY = (-1.0,) * 4  # the outline of no machine


class Machines(NamedTuple):
    """N machines of M configurations and R resources, those of a configuration side by side.

    Configuration j's tree has `leaves[j]` leaves, and its node i (root 1) is row `root[j] + i`.
    """

    capacity: np.ndarray  # (M, R): fractions of the largest capacity of each resource
    free: np.ndarray  # (N, R): likewise
    config: np.ndarray  # (N,): a machine's configuration
    first: np.ndarray  # (M + 1,): each configuration's first machine
    pace: np.ndarray  # (M, K): time per unit of work; infinite where a class cannot run
    closed: np.ndarray  # (N,): 1 where no arrival may start, whatever is free
    leaves: np.ndarray  # (M,)
    root: np.ndarray  # (M,)
    # (nodes, 4): the largest of each part of `outline`; -1 where no open machine is below
    bound: np.ndarray


def unit_of(capacity: np.ndarray, own: bool) -> np.ndarray:
    """The amount of each resource that counts as 1, (R,): the largest capacity (M, R); where a reader's `own` rule
    decides, the least power of two above it, so that amounts come back in the reader's units without rounding."""
    largest = capacity.max(axis=0)
    _, exponent = np.frexp(largest)
    return np.ldexp(1.0, exponent) if own else largest


def fractions(
    capacity: np.ndarray, demand: np.ndarray, own: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Capacities (M, R) and demands (N, R) as fractions of `unit_of`, multiples of 2**-50.

    For a reader's `own` rule demands are rounded down, so that jobs that fill a machine leave no less than nothing.
    """
    rounded = np.floor if own else np.rint
    room, size = whole_units(capacity, demand, unit_of(capacity, own), rounded)
    return room / UNITS, size / UNITS


def machines(capacity: np.ndarray, count: np.ndarray, pace: np.ndarray) -> Machines:
    """All machines empty: `capacity (M, R)` in fractions, `count (M,)`, `pace (M, K)`."""
    config = np.repeat(np.arange(len(count)), count)
    blocks = -(-count // WIDTH)
    depth = np.ceil(np.log2(blocks)).astype(np.int64)
    leaves = 1 << depth
    nodes = 2 * leaves
    made = Machines(
        capacity=capacity,
        free=capacity[config],
        config=config,
        first=np.concatenate(([0], np.cumsum(count))),
        pace=np.array(pace, float, order="C"),
        closed=np.zeros(len(config), np.int8),
        leaves=leaves,
        root=np.cumsum(nodes) - nodes,
        bound=np.zeros((nodes.sum(), len(EMPTY))),
    )
    outlines = np.array([outline(row) for row in capacity])
    made.bound[:] = maxima(made, outlines[config], -1.0)
    return made


def maxima(m: Machines, values: np.ndarray, empty: float) -> np.ndarray:
    """The largest `values (N, C)` of the machines below each node, (nodes, C), or `empty`."""
    shape = len(m.bound), values.shape[1]
    most = np.full(shape, empty, values.dtype)
    for j in range(len(m.root)):
        nodes = m.leaves[j]
        root = m.root[j]
        end = m.first[j + 1]
        blocks = np.arange(m.first[j], end, WIDTH)
        tree = most[root : root + 2 * nodes]
        largest = np.maximum.reduceat(values[:end], blocks)
        tree[nodes : nodes + len(blocks)] = largest
        while nodes > 1:
            below = tree[nodes : 2 * nodes]
            nodes //= 2
            pairs = below.reshape(nodes, 2, -1)
            tree[nodes : 2 * nodes] = pairs.max(axis=1)
    return most


@kernel
def outline(amounts):
    """Of a job's sizes or of what is free (R,): the first x, the sum y of the others, the smallest, x + y."""
    first = least = total = amounts[0]
    for l in range(1, amounts.size):
        least = min(least, amounts[l])
        total += amounts[l]
    return first, total - first, least, total


@kernel
def _at(bound, row):
    """The outline in a row of the bounds."""
    return bound[row, 0], bound[row, 1], bound[row, 2], bound[row, 3]


@kernel
def _most(a, b):
    """The larger of each two numbers of an outline."""
    return max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


@kernel
def may_fit(bound, row, need):
    """Whether the bounds in `row` leave room for a job with this outline."""
    room = need[0] <= bound[row, 0]
    room &= need[1] <= bound[row, 1]  # no branch to mispredict
    room &= need[2] <= bound[row, 2]
    room &= need[3] <= bound[row, 3]
    return room


@kernel
def fits(free, size):
    """Whether a job of that size (R,) fits into what is free (R,)."""
    if size.size == 2:
        # the papers' case, without branches, which the processor would often mispredict
        first = size[0] <= free[0]
        second = size[1] <= free[1]
        return first & second
    for l in range(size.size):
        if size[l] > free[l]:
            return False
    return True


@kernel
def machines_of(m, j, node):
    """The first and the end of the machines below a leaf of configuration j's tree."""
    block = node - m.leaves[j]
    start = m.first[j] + block * WIDTH
    return start, min(start + WIDTH, m.first[j + 1])


@kernel
def block_of(m, machine):
    """The leaf above a machine, and the first and the end of the machines below that leaf."""
    j = m.config[machine]
    leaf = m.leaves[j] + (machine - m.first[j]) // WIDTH
    start, end = machines_of(m, j, leaf)
    return leaf, start, end


@kernel
def refresh(m, machine):
    """Bring the tree up to date with what is free on the machine, and with whether it is closed."""
    root = m.root[m.config[machine]]
    most = EMPTY
    node, start, end = block_of(m, machine)
    for other in range(start, end):
        if not m.closed[other]:
            most = _most(most, outline(m.free[other]))
    while _at(m.bound, root + node) != most:
        for l in range(len(most)):
            m.bound[root + node, l] = most[l]
        if node == 1:
            return
        most = _most(most, _at(m.bound, root + (node ^ 1)))
        node >>= 1


@kernel
def took(m, machine, before):
    """Bring the tree up to date after a job started; skip if no bound of the block was the machine's, whose
    outline was `before`.
    """
    node = block_of(m, machine)[0]
    row = m.root[m.config[machine]] + node
    below = True
    for l in range(len(before)):
        below &= before[l] < m.bound[row, l]
    if not below:
        refresh(m, machine)


@kernel
def gave(m, machine):
    """Bring the tree up to date after a job ended on an open machine and none started: bounds only rise."""
    root = m.root[m.config[machine]]
    node = block_of(m, machine)[0]
    after = outline(m.free[machine])
    while node >= 1:
        old = _at(m.bound, root + node)
        most = _most(old, after)
        if most == old:
            return
        for l in range(len(most)):
            m.bound[root + node, l] = most[l]
        node >>= 1


@kernel
def first_leaf(node, leaves):
    """The left-most leaf below a node."""
    while node < leaves:
        node <<= 1
    return node


@kernel
def first_fit(m, j, size, need):
    """The first open machine of configuration j with room for a job of that size and outline, or -1."""
    bound = m.bound
    root = m.root[j]
    leaves = m.leaves[j]
    if not may_fit(bound, root + 1, need):
        return -1
    node = 1
    while True:
        if node < leaves:
            child = 2 * node
            if may_fit(bound, root + child, need):
                node = child
                continue
            if may_fit(bound, root + child + 1, need):
                node = child + 1
                continue
        else:
            start, end = machines_of(m, j, node)
            for machine in range(start, end):
                if not m.closed[machine] and fits(m.free[machine], size):
                    return machine
        while node & 1 or not may_fit(bound, root + node + 1, need):
            node >>= 1
            if node <= 1:
                return -1
        node += 1


@kernel
def first_machine(m, pace, k, size):
    """The first open machine, in the order of the table, with room for a job of class k and size (R,), or -1."""
    need = outline(size)
    for j in range(pace.shape[0]):
        if pace[j, k] < np.inf:
            machine = first_fit(m, j, size, need)
            if machine >= 0:
                return machine
    return -1
