"""Tables 1 and 2 of LoTES: Google's machines, with what stages 1 and 2 make of them, and its job classes."""

import numpy as np
import pandas as pd

from schedlib.exhibits.lotes.runs import ONCE
from schedlib.experiment import Experiment, Figure
from schedlib.lotes.planning.bins import count_bins
from schedlib.lotes.planning.plan import plan
from schedlib.lotes.workloads.google import SUPPORTS, google2011

PLACE = 4.1


def table1(seed: int) -> pd.DataFrame:
    """Table 1 with the supports of our stage-1 optimum and the printed ones, and the bins that follow."""
    configs, classes = google2011()
    made = plan(configs, classes)
    return pd.DataFrame({
                            "machines": configs.count,
                            "cores": configs.capacity[:, 0],
                            "memory": configs.capacity[:, 1],
                            "supports_printed": SUPPORTS,
                            "supports": made.allocation.supports,
                            "bins": [len(bins) for bins in made.bins],
                            "bins_all_classes": [count_bins(capacity, classes.demand)
                                                 for capacity in configs.capacity],
                        })


def table2(seed: int) -> pd.DataFrame:
    """Table 2 as it enters the models: mean time (h), demands and share of each class."""
    _, classes = google2011()
    columns = {"job_class": np.arange(1, 5), "mean_time_h": 1 / classes.rate[0]}
    columns |= {"cores": classes.demand[:, 0], "memory": classes.demand[:, 1], "share": classes.share}
    return pd.DataFrame(columns)


EXPERIMENTS = (
    Experiment("lotes.table1", "Google's machine configurations", table1, **ONCE),
    Experiment("lotes.table2", "Google's job classes", table2, **ONCE),
)
FIGURES = (
    Figure(
        "lotes.table1", "lotes.table1", None,
        "Google's machines (the paper's Table 1). The printed supports are those of one optimum of stage 1 "
        "among many; ours is another, chosen to waste least. Bins: under our supports, and with all four "
        "classes everywhere.",
        "Table of ten machine configurations with the number of machines, cores, memory, supports and bins."),
    Figure("lotes.table2", "lotes.table2", None,
           "Google's four job classes (the paper's Table 2) as they enter the models.",
           "Table of four job classes with mean time, cores, memory and share."),
)
