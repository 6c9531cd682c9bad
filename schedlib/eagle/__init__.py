"""Eagle and its rivals: hybrid scheduling of short and long jobs (Delgado, Didona, Dinu and Zwaenepoel, SoCC 2016)."""

from schedlib.eagle.model import DLWL, SYSTEMS, Eagle, Hawk, IdealEagle, Omniscient, Sparrow, System
from schedlib.eagle.own import Cluster
from schedlib.eagle.simulate import Simulation, simulate

__all__ = [
    "DLWL", "SYSTEMS", "Cluster", "Eagle", "Hawk", "IdealEagle", "Omniscient", "Simulation", "Sparrow", "System", "simulate",
]  # fmt: skip
