"""HMHS: its record."""

from schedlib.plots.papers import Paper

PAPER = Paper(
    key="hmhs",
    title="HMHS",
    order=2,
    labels={
        "hmhs": "HMHS",
        "fifo": "FIFO",
        "r-hmhs": "R-HMHS",
        "fifo-pri": "FIFO-Pri",
        "priced": "Priced",
        "bound": "Lower bound",
    },
    first_result="""
from schedlib import hmhs
print(hmhs.schedule(hmhs.single(100, seed=0), "hmhs").makespan)
""",
)
