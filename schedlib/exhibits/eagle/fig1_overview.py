"""Fig. 1: Eagle's schedulers and partitions as a drawing. Nothing in it is measured."""

from schedlib.experiment import Figure
from schedlib.pictures.probing import plot_overview

PLACE = 3

FIGURES = (
    Figure("eagle.fig1", "eagle.example", lambda frame: plot_overview(),
           "Eagle as in the paper's Fig. 1: a centre places long jobs and sends its bit vector along; "
           "distributed schedulers probe for short jobs, and a worker with a long task rejects a probe and "
           "gives its copy of the bits.",
           "Diagram of three distributed schedulers and a central one above ten workers in two partitions, "
           "with a probe that is rejected and sent again."),)
