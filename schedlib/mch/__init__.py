"""MCH and its family: fair sharing of many resources in a hierarchy.

Read `plain.py` first: the paper's algorithms in plain Python, which decide as the fast ones beside it do.
Source: You, Wang, Xu, Luo, Chen and Li, IEEE Communications Letters 2019.
"""

from schedlib.mch import plain as plain
from schedlib.mch.allocate import Filling, allocate, fill
from schedlib.mch.flatten import Flattened, flatten
from schedlib.mch.hierarchy import Hierarchy as Hierarchy  # `help` of it is long: not in `__all__`
from schedlib.mch.model import Allocation, Tree
from schedlib.mch.properties import property_table
from schedlib.mch.rules import Rule, rule
from schedlib.mch.search import counter_example, random_tree
from schedlib.mch.simulate import Churn, simulate

__all__ = [
    "Allocation",
    "Churn",
    "Filling",
    "Flattened",
    "Rule",
    "Tree",
    "allocate",
    "counter_example",
    "fill",
    "flatten",
    "plain",
    "property_table",
    "random_tree",
    "rule",
    "simulate",
]
