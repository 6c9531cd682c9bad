"""MCH and its family: fair sharing of many resources in a hierarchy (You, Wang, Xu, Luo, Chen and Li, IEEE Communications Letters 2019)."""

from schedlib.mch.allocate import Allocation, allocate
from schedlib.mch.flatten import Flattened, flatten
from schedlib.mch.model import Tree

__all__ = ["Allocation", "Flattened", "Tree", "allocate", "flatten"]
