"""Fig. 1: Eagle's schedulers and partitions as a drawing. Nothing in it is measured."""

import pandas as pd

from schedlib.experiment import Figure
from schedlib.pictures.probing import plot_overview

PLACE = 3


def draw(frame: pd.DataFrame):
    """The drawing; nothing of the frame is in it."""
    return plot_overview()


FIGURES = (
    Figure(
        "eagle.fig1", "eagle.example", draw,
        "Eagle as in the paper's Fig. 1: a centre places long jobs and sends its bit vector along; distributed schedulers "
        "probe for short jobs, and a worker with a long task rejects a probe and gives its copy of the bits.",
        "Diagram of three distributed schedulers and a central one above ten workers in two partitions, with a probe that "
        "is rejected and sent again.",
    ),
)
