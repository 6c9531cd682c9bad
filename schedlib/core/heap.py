"""A 4-ary min-heap of (key, item) pairs in two arrays, ties by the smaller item.

Four children lie side by side, in one or two cache lines, so a pop touches fewer lines than with two children
(Knuth, TAOCP vol. 3, 5.2.3, exercise 28).
"""

from schedlib.core.compiling import compiled


@compiled
def before(key, item, other_key, other_item):
    """Whether (key, item) leaves the heap before (other_key, other_item)."""
    return key < other_key or (key == other_key and item < other_item)


@compiled
def push(keys, items, size, key, item):
    """Add a pair to the heap in `keys[:size], items[:size]`, which must have room; return the new size."""
    child = size
    while child > 0:
        parent = (child - 1) >> 2
        if not before(key, item, keys[parent], items[parent]):
            break
        keys[child] = keys[parent]
        items[child] = items[parent]
        child = parent
    keys[child] = key
    items[child] = item
    return size + 1


@compiled
def replace(keys, items, size, key, item):
    """Put a pair in the place of the smallest, `keys[0], items[0]`, of a heap that is not empty."""
    parent = 0
    while True:
        first = 4 * parent + 1
        if first >= size:
            break
        best = first
        for child in range(first + 1, min(first + 4, size)):
            if before(keys[child], items[child], keys[best], items[best]):
                best = child
        if not before(keys[best], items[best], key, item):
            break
        keys[parent] = keys[best]
        items[parent] = items[best]
        parent = best
    keys[parent] = key
    items[parent] = item


@compiled
def pop(keys, items, size):
    """Remove the smallest pair, `keys[0], items[0]`, of a heap that is not empty; return the new size."""
    size -= 1
    replace(keys, items, size, keys[size], items[size])
    return size
