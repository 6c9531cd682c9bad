"""Eagle: its record."""

from schedlib.plots.papers import Paper

PAPER = Paper(
    key="eagle",
    title="Eagle",
    order=4,
    labels={
        "eagle": "Eagle",
        "hawk": "Hawk",
        "sparrow": "Sparrow",
        "dlwl": "DLWL",
        "omniscient": "Omniscient LWL",
        "ideal-eagle": "Ideal Eagle",
    },
    first_result="""
from schedlib import eagle
jobs = eagle.google(100)
print(eagle.simulate(jobs, "eagle", 150, short_partition=0.17, cutoff=1129.532).stats["events"])
""",
)
