"""A 4-ary min-heap of (key, item) pairs in two arrays, ties by the smaller item.

Four children lie side by side, in one or two cache lines, so a pop touches fewer lines than with two children
(Knuth, TAOCP vol. 3, 5.2.3, exercise 28). Where items are small whole numbers a third array, `places`, can say
where each item is: then a pair in the middle can change (`move`).
"""

from schedlib.core.uncounted import kernel


@kernel
def before(key, item, other_key, other_item):
    """Whether (key, item) leaves the heap before (other_key, other_item)."""
    return key < other_key or (key == other_key and item < other_item)


@kernel
def put(keys, items, places, at, key, item):
    """Write a pair into place `at`; `places` may be None."""
    keys[at] = key
    items[at] = item
    if places is not None:
        places[item] = at


@kernel
def rise(keys, items, places, at, key, item):
    """Where (key, item) goes when place `at` is free: larger pairs above move down. And how many were looked at."""
    looked = 0
    while at > 0:
        parent = (at - 1) >> 2
        looked += 1
        if not before(key, item, keys[parent], items[parent]):
            break
        put(keys, items, places, at, keys[parent], items[parent])
        at = parent
    return at, looked


@kernel
def sink(keys, items, places, size, at, key, item):
    """Where (key, item) goes when place `at` is free: smaller pairs below move up. And how many were looked at."""
    looked = 0
    while True:
        first = 4 * at + 1
        if first >= size:
            break
        best = first
        for child in range(first + 1, min(first + 4, size)):
            if before(keys[child], items[child], keys[best], items[best]):
                best = child
        looked += min(4, size - first)
        if not before(keys[best], items[best], key, item):
            break
        put(keys, items, places, at, keys[best], items[best])
        at = best
    return at, looked


@kernel
def push(keys, items, size, key, item):
    """Add a pair to the heap in `keys[:size], items[:size]`, which must have room; return the new size."""
    at, _ = rise(keys, items, None, size, key, item)
    put(keys, items, None, at, key, item)
    return size + 1


@kernel
def replace(keys, items, size, key, item):
    """Put a pair in the place of the smallest, `keys[0], items[0]`, of a heap that is not empty."""
    at, _ = sink(keys, items, None, size, 0, key, item)
    put(keys, items, None, at, key, item)


@kernel
def pop(keys, items, size):
    """Remove the smallest pair, `keys[0], items[0]`, of a heap that is not empty; return the new size."""
    size -= 1
    replace(keys, items, size, keys[size], items[size])
    return size


@kernel
def move(keys, items, places, size, at, key, item):
    """Put a pair into place `at`, which is free, and on to where it belongs; return the places looked at."""
    at, above = rise(keys, items, places, at, key, item)
    at, below = sink(keys, items, places, size, at, key, item)
    put(keys, items, places, at, key, item)
    return 1 + above + below
