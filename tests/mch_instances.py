"""Random small hierarchies for MCH's tests, and small differences from `mch.plain` that the tests need."""

from fractions import Fraction
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from schedlib import mch
from schedlib.core.running import to_the_end
from schedlib.mch import plain, plain_rivals
from schedlib.mch.choice import rounded
from schedlib.mch.rules import the_rule
from schedlib.mch.running import start
from schedlib.mch.state import Work
from schedlib.mch.workloads import fig4

PLAIN = ("drf", "weighted-drf", "c-ch", "m-ch", "mch", "h-drf", "naive-h-drf")
FIG4 = fig4()


@st.composite
def problems(draw, most_resources=5, wide=12, whole=False, full=False):
    """A tree, with groups of a handful and wide ones, and capacities in which some dozens of tasks fit."""
    resources = draw(st.integers(1, most_resources))
    least = 1 if full else 0
    number = st.integers(least, 4) if whole else st.integers(least, 4) | st.floats(0.1, 4)
    leaf = st.lists(number, min_size=resources, max_size=resources).filter(any).map(tuple)
    small = st.lists(leaf, min_size=1, max_size=3)
    group = st.recursive(
        small, lambda below: st.lists(leaf | below, min_size=1, max_size=3), max_leaves=10
    )
    nested = [draw(group), *draw(st.lists(leaf | group, min_size=0, max_size=3))]
    if draw(st.booleans()):
        nested.append(draw(st.lists(leaf, min_size=9, max_size=wide)))
    tree = mch.Tree(nested)
    if draw(st.booleans()):
        omega = st.sampled_from((1, 2, 3) if whole else (0.3, 1, 2.5))
        tree = mch.Tree(nested, {path: draw(omega) for path in tree.paths if path})
    capacity = np.array([draw(st.integers(8, 40)) for _ in range(resources)], float)
    return tree, capacity


@st.composite
def workloads(draw, most_resources=2):
    """A tree, capacities, and jobs that come, and of which some leave."""
    tree, capacity = draw(problems(most_resources=most_resources))
    job = st.tuples(
        st.integers(0, tree.n_leaves - 1),
        st.integers(0, 20),
        st.integers(0, 12),
        st.integers(1, 6),
        st.none() | st.integers(1, 15),
    )
    rows = draw(st.lists(job, min_size=1, max_size=25))
    jobs = pd.DataFrame(rows, columns=["leaf", "submit", "tasks", "duration", "depart"])
    return tree, capacity / 2 + 4, jobs.assign(depart=jobs["submit"] + jobs["depart"].astype(float))


def by_equations(demand, capacity, case):
    """t1, t2,1, t2,2 by the paper's (4), (5) and (10), or (7) and (8)."""
    need = np.array(demand) / capacity
    mu = need.max(axis=1)
    s = need / mu[:, None]
    group = s[1] + s[2]
    mu_2 = group.max()
    total = s[0] + group / mu_2
    first = total.argmax()
    share = 1 / total[first]  # of n1 and of n2 when k' saturates
    tasks = share / (mu * [1, mu_2, mu_2])
    if case == "other":
        other = 1 - first
        used = need[:2, other] @ tasks[:2]
        tasks[2] = (1 - used) / need[2, other]
    return tasks


def takes(tree, rule):
    """Whether a rule is defined for this tree: C-CH and M-CH want their resource from every leaf."""
    if rule not in ("c-ch", "m-ch"):
        return True
    resource = ("c-ch", "m-ch").index(rule)
    return resource < tree.n_resources and bool((tree.demand[:, resource] > 0).all())


class Exact(plain.Cluster):
    """The plain cluster with fractions in the place of floats, so that nothing is rounded."""

    def __init__(self, tree, capacity):
        super().__init__(tree, capacity)
        self.tree = SimpleNamespace(
            n_nodes=tree.n_nodes,
            leaf_of=tree.leaf_of,
            leaves=tree.leaves,
            children=tree.children,
            weight=[Fraction(w) for w in tree.weight.tolist()],
        )
        self.demand = [[Fraction(d) for d in row] for row in tree.demand.tolist()]
        self.capacity = [Fraction(c) for c in capacity.tolist()]
        self.used = [Fraction(0)] * tree.n_resources

    def fill(self, rescale):
        """The order of tasks under H-DRF, or under its naive form."""
        with mock.patch.object(plain_rivals, "rounded", lambda share: share):
            while (leaf := plain.hierarchical_leaf(self, rescale)) is not None:
                self.try_to_start(leaf)
        return self.order


@mch.rule(room=0)
def by_scan(tree):
    """The leaf with the least dominant share over weight, every leaf looked at."""
    best, least = -1, np.inf
    late = tree.first >= 0 and (tree.saturated >> tree.first) & 1 == 1
    for k in range(tree.leaves.size):
        leaf = tree.leaves[k]
        if leaf.waiting == 0 or leaf.bits & tree.saturated != 0:
            continue
        share = 0.0
        for l in range(tree.capacity.size):
            share = max(share, leaf.tasks * tree.need[k, l])
        key = rounded(share / (leaf.late if late else leaf.weight))
        if best < 0 or key < least:
            best, least = k, key
    return best


SCANS = {
    weights: mch.Rule(weights=weights, choose=by_scan.choose)
    for weights in ("drf", "weighted-drf", "mch", "mch-two-phase", "exact-ch")
}
"""The flat rules, without heaps."""


def started(tree, capacity, rule, waiting, method="fast"):
    """The leaves in the order in which their tasks start, where each has as many as `waiting (p,)` says."""
    many = int(waiting.sum())
    work = Work(waiting, order=many + 1)
    run = start(tree, np.array(capacity, float), the_rule(rule), method, work, many)
    run.state.tally.ready = True  # nothing has to happen before tasks start
    to_the_end(run.advance, "a filling")
    return run.state.order[: run.state.tally[0].ordered]
