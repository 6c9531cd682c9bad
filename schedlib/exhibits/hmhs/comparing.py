"""What the comparisons run: the policies of the paper, priced dispatch, and the lower bound."""

import pandas as pd

from schedlib.hmhs.bound import bounds
from schedlib.hmhs.model import Instance
from schedlib.hmhs.priced import priced
from schedlib.hmhs.schedule import schedule
from schedlib.hmhs.workloads import hybrid, single

WORKLOADS = {"single": single, "hybrid": hybrid}
JOBS = (25, 50, 100, 200, 400, 800)


def makespans(instance: Instance) -> pd.DataFrame:
    """Makespan of each policy, and the lower bound under the name "bound": `policy, makespan`."""
    rows = [(name, schedule(instance, name).makespan) for name in ("hmhs", "r-hmhs", "fifo-pri", "fifo")]
    known = bounds(instance)
    rows += [("priced", priced(instance, known).makespan), ("bound", known.best)]
    return pd.DataFrame(rows, columns=["policy", "makespan"])
