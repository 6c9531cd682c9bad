"""LoTES: its record."""

from schedlib.plots.papers import Paper

PAPER = Paper(
    key="lotes",
    title="LoTES",
    order=1,
    labels={
        "lotes": "LoTES",
        "greedy": "Greedy",
        "tetris": "Tetris",
        "lotes-first": "LoTES, first version",
    },
    first_result="""
from schedlib import lotes
configs, classes = lotes.google2011()
few = lotes.fewer_machines(configs, 60)
plan = lotes.plan(few, classes)
jobs = lotes.RandomWorkload(classes, rate=0.9 * plan.rate_rounded, hours=0.1)
print(lotes.simulate("lotes", few, jobs, plan=plan).mean_wait)
""",
)
