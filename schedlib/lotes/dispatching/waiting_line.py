"""Jobs that wait: which of them that fit comes first, or scores best, without looking at all of them.

A radix priority search tree (McCreight 1985, here over R sizes): every node is a job. Of the jobs below it
none has a smaller key, and bit d of a job's code says whether it lies left or right at depth d. The code
interleaves the leading bits of its sizes, so a subtree is a box of sizes: it is skipped when the box is too
large for the machine, or when its smallest key cannot win. LoTES keeps a tree per class by order of arrival,
Tetris by work. Jobs with the same key and the same sizes have one node: the first of them, behind which the
others queue.
"""

import math
from typing import NamedTuple

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching.machine_tree import fits

SIZE_BITS = 40
ORDER_BITS = 20
# 2**64 times the golden ratio's fraction, as a signed number: Fibonacci hashing
MIX = -7046029254386353131
EARLIEST = (0.0, 1.0, 1.0)


class Line(NamedTuple):
    """Groups of waiting jobs, each a tree."""

    root: np.ndarray  # (G,): the job with the smallest key in each group, -1 in an empty one
    count: np.ndarray  # type: ignore[assignment]  # (G,): how many wait
    top: np.ndarray  # (R,): powers of two; sizes above share the last cell
    node: np.ndarray  # (128,): the stack of a search, as are the next two
    depth: np.ndarray  # (128,)
    low: np.ndarray  # (128, R): the lower corner of each box


def line(groups: int, typical: np.ndarray) -> Line:
    """Empty queues for jobs of about the `typical (R,)` size."""
    typical = np.maximum(np.asarray(typical, float), 2.0**-30)
    top = 2.0 ** np.ceil(np.log2(4 * typical))
    return Line(
        root=np.full(groups, -1),
        count=np.zeros(groups, np.int64),
        top=top,
        node=np.zeros(128, np.int64),
        depth=np.zeros(128, np.int64),
        low=np.zeros((128, len(top))),
    )


@kernel
def code_of(top, sizes, key):
    """The bits that place a job: first bits of its sizes, second bits, ..., then a hash of its key."""
    r = top.size
    bits = SIZE_BITS // r
    code = 0
    for l in range(r):
        cell = min(int(sizes[l] / top[l] * (1 << bits)), (1 << bits) - 1)
        for b in range(bits):
            code |= ((cell >> b) & 1) << (b * r + r - 1 - l)
    mantissa = int(math.frexp(key)[0] * 2.0**53)
    mixed = (mantissa * MIX) >> (64 - ORDER_BITS)
    return (code << ORDER_BITS) | (mixed & ((1 << ORDER_BITS) - 1))


@kernel
def side(code, depth, r):
    """Left (0) or right (1) at this depth; jobs that agree in every bit form a chain to the left."""
    shift = (SIZE_BITS // r) * r + ORDER_BITS - 1 - depth
    return (code >> shift) & 1 if shift >= 0 else 0


@kernel
def before(table, a, b):
    """Whether job a has the smaller key, or the same and came first."""
    first = table.job[a]
    second = table.job[b]
    if first.key != second.key:
        return first.key < second.key
    return first.row < second.row


@kernel
def are_twins(table, a, b):
    """Whether two jobs have the same key and the same sizes."""
    if table.code[a] != table.code[b] or table.job[a].key != table.job[b].key:
        return False
    for l in range(table.size.shape[1]):
        if table.size[a, l] != table.size[b, l]:
            return False
    return True


@kernel
def _link(line, table, group, parent, turn, slot):
    if parent < 0:
        line.root[group] = slot
    else:
        table.job[parent].child[turn] = slot


@kernel
def join(line, table, group, slot, key):
    """Let a job wait in a group with this key."""
    job = table.job[slot]
    job.key = key
    job.twin = -1
    job.last_twin = slot
    table.code[slot] = code_of(line.top, table.size[slot], key)
    line.count[group] += 1
    _insert(line, table, group, slot)


@kernel
def _insert(line, table, group, slot):
    """Give a job a node, or a place behind the one like it."""
    jobs = table.job
    r = line.top.size
    parent = -1
    turn = 0
    depth = 0
    node = line.root[group]
    while node >= 0:
        if are_twins(table, slot, node):
            first = jobs[node]
            jobs[first.last_twin].twin = slot
            first.last_twin = slot
            return
        if before(table, slot, node):
            # the job takes over the node, and the job that had it goes further down
            jobs[slot].child[0] = jobs[node].child[0]
            jobs[slot].child[1] = jobs[node].child[1]
            _link(line, table, group, parent, turn, slot)
            slot, node = node, slot
        parent = node
        turn = side(table.code[slot], depth, r)
        node = jobs[parent].child[turn]
        depth += 1
    jobs[slot].child[0] = -1
    jobs[slot].child[1] = -1
    _link(line, table, group, parent, turn, slot)


@kernel
def quit_line(line, table, group, slot):
    """Take a job that has a node out of its group; the node of the next one like it may lie elsewhere."""
    line.count[group] -= 1
    _take_out(line, table, group, slot)
    job = table.job[slot]
    twin = job.twin
    if twin >= 0:
        table.job[twin].last_twin = job.last_twin
        _insert(line, table, group, twin)


@kernel
def _take_out(line, table, group, slot):
    """Take a job's node out of the tree: below it, children with the smaller keys move up."""
    jobs = table.job
    parent = -1
    turn = 0
    depth = 0
    node = line.root[group]
    while node != slot:
        parent = node
        turn = side(table.code[slot], depth, line.top.size)
        node = jobs[parent].child[turn]
        depth += 1
    left = jobs[slot].child[0]
    right = jobs[slot].child[1]
    while True:
        to_left = right < 0 or (left >= 0 and before(table, left, right))
        child = left if to_left else right
        _link(line, table, group, parent, turn, child)
        if child < 0:
            return
        children = jobs[child].child
        below = children[0], children[1]
        children[0] = left
        children[1] = right
        parent = child
        turn = 0 if to_left else 1
        left, right = below


@kernel
def _push_children(line, table, node, depth, at, free):
    """Put the children whose boxes leave room on the stack, the smaller key on top; gives its height."""
    low = line.low  # (128, R)
    r = line.top.size
    split = depth % r  # the size by which the children differ
    level = depth // r
    left = table.job[node].child[0]
    right = table.job[node].child[1]
    middle = low[at, split]
    if level < SIZE_BITS // r:
        middle += line.top[split] / (2 << level)
    if right >= 0 and middle > free[split]:
        right = -1
    if left < 0 and right < 0:
        return at
    turn_left = right < 0 or (left >= 0 and before(table, left, right))
    near, far = (left, right) if turn_left else (right, left)
    if far >= 0:
        for l in range(r):
            low[at + 1, l] = low[at, l]
        line.node[at] = far
        line.depth[at] = depth + 1
        low[at + (0 if turn_left else 1), split] = middle
        at += 1
    elif not turn_left:
        low[at, split] = middle
    line.node[at] = near
    line.depth[at] = depth + 1
    return at + 1


@kernel
def best_that_fits(line, table, group, free, weights, best, best_score):
    """The job that fits with the largest packing * (sizes . free) - cost * factor * key, and that score.

    `free (R,)`: of the machine; `weights`: packing, cost and factor, with `EARLIEST` the smallest key wins;
    `best, best_score`: the best of other groups. Ties: the first.
    """
    packing, cost, factor = weights
    top = line.top  # (R,)
    r = top.size
    root = line.root[group]
    stack = 1 if root >= 0 else 0
    line.node[0] = root
    line.depth[0] = 0
    line.low[0, :] = 0.0
    while stack > 0:
        stack -= 1
        node = line.node[stack]
        depth = line.depth[stack]
        loss = cost * (factor * table.job[node].key)
        # the most that packing may bring below the node: its box's upper corner, cut to what is free
        most = 0.0
        for l in range(r):
            splits = min((depth + r - 1 - l) // r, SIZE_BITS // r)
            high = line.low[stack, l] + top[l] / (1 << splits)
            most += (free[l] if high >= top[l] else min(high, free[l])) * free[l]
        if best >= 0 and packing * most - loss < best_score:
            continue
        size = table.size[node]
        if fits(free, size):
            dot = 0.0
            for l in range(r):
                dot += size[l] * free[l]
            score = packing * dot - loss
            if (
                best < 0
                or score > best_score
                or (score == best_score and table.job[node].row < table.job[best].row)
            ):
                best = node
                best_score = score
        stack = _push_children(line, table, node, depth, stack, free)
    return best, best_score
