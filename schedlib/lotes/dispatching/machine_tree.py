"""Which machine has room: for each configuration a binary tree of bounds over blocks of sixteen machines.

A node holds, over the machines below it, the largest free amount of each resource, the largest smallest one,
and the largest sum: a job that exceeds one of them fits none of these machines. Searches skip what the bounds
exclude, and decide as a scan of all would. Sizes are fractions of the largest capacity, whole multiples of
2**-50 (`model.scaled`), so that adding and subtracting floats is exact.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from schedlib.core.uncounted import kernel
from schedlib.lotes.model import UNITS, scaled

WIDTH = 16  # machines in a block
CACHE_LINE = 64  # bytes


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
    bound: np.ndarray  # (nodes, R + 2): what each node bounds; -1 where no open machine is below it
    pieces: np.ndarray  # (N, G): what is left of each piece of the resource that comes in pieces; else (N, 0)
    piece: int  # which resource that is
    unit: float  # one piece, in the same fractions; 0 where nothing comes in pieces
    wanted: np.ndarray  # (1,): in which piece the policy wants the next share, -1: in the fullest with room


def fractions(capacity: npt.ArrayLike, demand: npt.ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Capacities (M, R) and demands (N, R) as fractions of the largest capacity, multiples of 2**-50."""
    room, size = scaled(capacity, demand)
    return room / UNITS, size / UNITS


def aligned(shape: int | tuple[int, ...], dtype: npt.DTypeLike = "f8") -> Any:
    """Zeros of this shape that begin at a cache line; records are read by name, `array[i].field`."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    raw = np.zeros(size + CACHE_LINE, np.uint8)
    skip = -raw.ctypes.data % CACHE_LINE
    array = raw[skip : skip + size].view(dtype).reshape(shape)
    return array.view(np.recarray) if dtype.names else array


def machines(capacity: np.ndarray, count: np.ndarray, pace: np.ndarray, piece: int | None = None,
             unit: float = 0.0) -> Machines:
    """All machines empty: `capacity (M, R)` in fractions, `count (M,)`, `pace (M, K)`; resource `piece` comes
    in pieces of `unit`.
    """
    left, piece = np.zeros((len(capacity), 0)), piece or 0
    if unit:
        number = np.rint(capacity[:, piece] / unit)
        left = np.where(np.arange(number.max()) < number[:, None], unit, 0.0)
        capacity = np.c_[capacity, left.max(axis=1)]
        capacity[:, piece] = number * unit
    config, first = np.repeat(np.arange(len(count)), count), np.concatenate(([0], np.cumsum(count)))
    leaves = 1 << np.ceil(np.log2(-(-np.asarray(count) // WIDTH))).astype(np.int64)
    root = np.concatenate(([0], np.cumsum(2 * leaves)[:-1]))
    free, bound = capacity[config], aligned((int(2 * leaves.sum()), capacity.shape[1] + 2))
    made = Machines(capacity=capacity.copy(), free=free, config=config, first=first, pace=pace.copy(),
                    closed=np.zeros(len(config), np.int8), leaves=leaves, root=root, bound=bound,
                    pieces=left[config], piece=piece, unit=unit, wanted=np.full(1, -1))
    bound[:] = maxima(made, np.c_[free, free.min(axis=1), free.sum(axis=1)], -1.0)
    return made


def maxima(m: Machines, values: np.ndarray, empty: float) -> np.ndarray:
    """The largest `values (N, C)` of the machines below each node, (nodes, C), or `empty`."""
    most = np.full((len(m.bound), values.shape[1]), empty, values.dtype)
    for j, (root, nodes) in enumerate(zip(m.root.tolist(), m.leaves.tolist(), strict=True)):
        blocks = np.arange(m.first[j], m.first[j + 1], WIDTH)
        tree = most[root : root + 2 * nodes]
        tree[nodes : nodes + len(blocks)] = np.maximum.reduceat(values[: m.first[j + 1]], blocks)
        while nodes > 1:
            nodes //= 2
            tree[nodes : 2 * nodes] = tree[2 * nodes : 4 * nodes].reshape(nodes, 2, -1).max(axis=1)
    return most


@kernel
def may_fit(bound, row, size, least, total):
    """Whether the bounds in `row` leave room for a job of that size (R,), its smallest and its sum."""
    r = size.size
    if r == 2:  # the papers' case, without branches, which the processor would often mispredict
        room = (size[0] <= bound[row, 0]) & (size[1] <= bound[row, 1])
        return room & (least <= bound[row, 2]) & (total <= bound[row, 3])
    for l in range(r):
        if size[l] > bound[row, l]:
            return False
    return least <= bound[row, r] and total <= bound[row, r + 1]


@kernel
def least_and_total(size):
    """The smallest of the sizes and their sum, in the order of the resources."""
    least, total = size[0], size[0]
    for l in range(1, size.size):
        least = min(least, size[l])
        total += size[l]
    return least, total


@kernel
def fits(free, size):
    """Whether a job of that size (R,) fits into what is free (R,)."""
    if size.size == 2:
        return (size[0] <= free[0]) & (size[1] <= free[1])
    for l in range(size.size):
        if size[l] > free[l]:
            return False
    return True


@kernel
def block_of(m, machine):
    """The leaf above a machine, and the first and the end of the machines below that leaf."""
    j = m.config[machine]
    block = (machine - m.first[j]) // WIDTH
    start = m.first[j] + block * WIDTH
    return m.leaves[j] + block, start, min(start + WIDTH, m.first[j + 1])


@kernel
def machines_of(m, j, node):
    """The first and the end of the machines below a leaf of configuration j's tree."""
    start = m.first[j] + (node - m.leaves[j]) * WIDTH
    return start, min(start + WIDTH, m.first[j + 1])


@kernel
def _refresh_two(m, root, node, start, end):
    """`refresh` for two resources, in registers."""
    bound = m.bound
    one = other = least = total = -1.0
    for machine in range(start, end):
        if not m.closed[machine]:
            a, b = m.free[machine, 0], m.free[machine, 1]
            one, other = max(one, a), max(other, b)
            least, total = max(least, min(a, b)), max(total, a + b)
    row = root + node
    while True:
        same = (bound[row, 0] == one) & (bound[row, 1] == other)
        if same & (bound[row, 2] == least) & (bound[row, 3] == total):
            return
        bound[row, 0], bound[row, 1], bound[row, 2], bound[row, 3] = one, other, least, total
        if node == 1:
            return
        near = row - node + (node ^ 1)
        one, other = max(one, bound[near, 0]), max(other, bound[near, 1])
        least, total = max(least, bound[near, 2]), max(total, bound[near, 3])
        node >>= 1
        row = root + node


@kernel
def refresh(m, machine):
    """Bring the tree up to date with what is free on the machine, and with whether it is closed."""
    root, bound, r = m.root[m.config[machine]], m.bound, m.free.shape[1]
    node, start, end = block_of(m, machine)
    if r == 2:
        _refresh_two(m, root, node, start, end)
        return
    new = root  # node 0 is no node: working space
    for l in range(r + 2):
        bound[new, l] = -1.0
    for other in range(start, end):
        if m.closed[other]:
            continue
        least = total = m.free[other, 0]
        bound[new, 0] = max(bound[new, 0], total)
        for l in range(1, r):
            free = m.free[other, l]
            bound[new, l] = max(bound[new, l], free)
            least = min(least, free)
            total += free
        bound[new, r] = max(bound[new, r], least)
        bound[new, r + 1] = max(bound[new, r + 1], total)
    row = root + node
    while True:
        changed = False
        for l in range(r + 2):
            changed |= bound[row, l] != bound[new, l]
            bound[row, l] = bound[new, l]
        if not changed or node == 1:
            return
        node >>= 1
        row, left = root + node, root + 2 * node
        for l in range(r + 2):
            bound[new, l] = max(bound[left, l], bound[left + 1, l])


@kernel
def took(m, machine, size):
    """Bring the tree up to date after a job of that size started; skip if no maximum was the machine's."""
    if size.size == 2:
        j = m.config[machine]
        row = m.root[j] + m.leaves[j] + (machine - m.first[j]) // WIDTH
        bound = m.bound
        a, b = m.free[machine, 0] + size[0], m.free[machine, 1] + size[1]
        led = (a >= bound[row, 0]) | (b >= bound[row, 1]) | (a + b >= bound[row, 3])
        if not led and (a if a < b else b) < bound[row, 2]:
            return
    refresh(m, machine)


@kernel
def gave(m, machine):
    """Bring the tree up to date after a job ended on an open machine and none started: bounds only rise."""
    if m.free.shape[1] != 2:
        refresh(m, machine)
        return
    j = m.config[machine]
    root, bound = m.root[j], m.bound
    node = m.leaves[j] + (machine - m.first[j]) // WIDTH
    a, b = m.free[machine, 0], m.free[machine, 1]
    least, total = a if a < b else b, a + b
    while node >= 1:
        row = root + node
        if (a <= bound[row, 0]) & (b <= bound[row, 1]) & (least <= bound[row, 2]) & (total <= bound[row, 3]):
            return
        bound[row, 0], bound[row, 1] = max(a, bound[row, 0]), max(b, bound[row, 1])
        bound[row, 2], bound[row, 3] = max(least, bound[row, 2]), max(total, bound[row, 3])
        node >>= 1


@kernel
def first_leaf(node, leaves):
    """The left-most leaf below a node."""
    while node < leaves:
        node <<= 1
    return node


@kernel
def first_fit(m, j, size, least, total):
    """The first open machine of configuration j with room for the job, or -1."""
    bound, root, leaves = m.bound, m.root[j], m.leaves[j]
    if not may_fit(bound, root + 1, size, least, total):
        return -1
    node = 1
    while True:
        if node < leaves:
            if may_fit(bound, root + 2 * node, size, least, total):
                node = 2 * node
                continue
            if may_fit(bound, root + 2 * node + 1, size, least, total):
                node = 2 * node + 1
                continue
        else:
            start, end = machines_of(m, j, node)
            for machine in range(start, end):
                if not m.closed[machine] and fits(m.free[machine], size):
                    return machine
        while node & 1 or not may_fit(bound, root + node + 1, size, least, total):
            node >>= 1
            if node <= 1:
                return -1
        node += 1
