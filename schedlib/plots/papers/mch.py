"""MCH: its record."""

from schedlib.plots.papers import Paper

PAPER = Paper(
    key="mch",
    title="MCH",
    order=3,
    labels={
        "mch": "MCH",
        "drf": "DRF",
        "h-drf": "H-DRF",
        "c-ch": "C-CH",
        "m-ch": "M-CH",
        "naive-h-drf": "Naive H-DRF",
        "weighted-drf": "Weighted DRF",
    },
    first_result="""
from schedlib import mch
print(mch.allocate(mch.Tree([[(1, 0), (0, 1)], [(1, 0)]]), [1, 1], "mch").shares)
""",
)
