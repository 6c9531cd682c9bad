"""Classes of the library in plain Python, as far as a box in a page of the site asks for them."""


class Tree:
    """A hierarchy as `schedlib.mch.Tree` has it: a leaf is a tuple, a group a list; nodes count from the root, 0."""

    def __init__(self, nested, weights=None):
        self.demand, self.leaves, self.leaf_of = [], [], []
        self.parent, self.depth, self.below = [], [], []
        self.add(nested, parent=-1, depth=0)
        self.weight = weights or [1.0] * len(self.parent)
        self.n_nodes, self.n_leaves = len(self.parent), len(self.leaves)
        self.n_resources = len(self.demand[0])

    def add(self, part, parent, depth):
        node = len(self.parent)
        self.parent.append(parent)
        self.depth.append(depth)
        self.below.append([])
        self.leaf_of.append(-1)
        if parent >= 0:
            self.below[parent].append(node)
        if isinstance(part, tuple):
            self.leaf_of[node] = len(self.leaves)
            self.leaves.append(node)
            self.demand.append(list(map(float, part)))
            return
        for child in part:
            self.add(child, node, depth + 1)

    def children(self, node):
        return self.below[node]
