"""The run behind Figs. 2 to 7 and Table 2: Eagle, Eagle without a component, and its rivals, at all loads."""

import pandas as pd

from schedlib.eagle.systems import DLWL, Eagle, System
from schedlib.eagle.workloads.synthetic import WORKERS
from schedlib.exhibits.eagle.running import SEEDS, TRACES, WITHOUT, loads, on_trace
from schedlib.experiment import Experiment, scales

PLACE = 6
EXACT = System("eagle by exact bits", short_jobs="clear", long_jobs="lwl", queue="srpt", sticky=True,
               min_probes=20)
"""Eagle whose schedulers know at every moment which workers have a long task."""
VARIANTS = WITHOUT | {
    "no-sss-stale": {"system": Eagle(sss=False, updates=False)},
    "dlwl-5": {"system": DLWL(), "heartbeat": 5.0},
    "dlwl-7": {"system": DLWL(), "heartbeat": 7.0},
    "exact-bits": {"system": EXACT},
}
ABLATED = ("eagle", "hawk", "dlwl", "no-sss", "no-sbp-srpt", "no-min")
SYSTEMS = {"google": ABLATED, "cloudera": ("eagle", "hawk", "dlwl"), "yahoo": ABLATED}
"""What runs at each load of a trace."""
BESIDES = {"google": ("no-sss-stale", "omniscient", "dlwl-5", "dlwl-7", "exact-bits"),
           "yahoo": ("no-sss-stale",)}  # what runs besides at the highest load


def run(trace: str, workers: int, jobs: int, scale: float, seed: int) -> pd.DataFrame:
    """The systems at one load of one trace, with the share `scale` of the paper's `workers`."""
    names = SYSTEMS[trace] + (BESIDES.get(trace, ()) if workers == min(WORKERS[trace]) else ())
    return on_trace(names, trace, workers, jobs, scale, seed, variants=VARIANTS)


EXPERIMENTS = (Experiment("eagle.loads", "Eagle, its parts and its rivals at the loads of three traces", run,
                          loads(scales(4, 1), TRACES), SEEDS),)
