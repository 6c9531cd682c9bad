"""Sweeps: a reader's experiment run point by point and seed by seed, stored, and resumed.

from schedlib import sweeps
sweep = sweeps.Experiment("waits", "Mean waits by load", run, sweeps.scales(sweeps.grid(load=[0.5, 0.9])), sweeps.scales(2, 20))
frame = sweeps.run(sweep, scale="smoke")   # tidy, and stored: the next call is instant
"""

from schedlib.sweeps.experiment import Experiment, grid, scales
from schedlib.sweeps.sweep import SweepError, run

__all__ = ["Experiment", "SweepError", "grid", "run", "scales"]
