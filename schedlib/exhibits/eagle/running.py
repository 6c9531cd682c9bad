"""The systems that experiments compare, by name, and how a point is run: every system on the same workload."""

import pandas as pd

from schedlib.eagle.simulating.simulate import simulate
from schedlib.eagle.systems import DLWL, Eagle, Hawk, IdealEagle, Omniscient, Sparrow, System
from schedlib.eagle.workloads.synthetic import CUTOFF, HEARTBEAT, PARTITION, cloudera, google, yahoo
from schedlib.exhibits.eagle.comparing import COUNTERS

SYSTEMS = {
    "eagle": Eagle(),
    "hawk": Hawk(),
    "sparrow": Sparrow(),
    "dlwl": DLWL(),
    "dlwl-5": DLWL(),
    "dlwl-7": DLWL(),
    "omniscient": Omniscient(),
    "ideal-eagle": IdealEagle(),
    "no-sss": Eagle(sss=False),
    "no-sss-stale": Eagle(sss=False, updates=False),
    "no-sbp-srpt": Eagle(sbp=False, srpt=False),
    "no-min": Eagle(min_probes=0),
    "exact-bits": System("eagle by exact bits", short_jobs="clear", long_jobs="lwl", queue="srpt", sticky=True, min_probes=20),
    "hawk-any": Hawk(thieves="any"),
    "hawk-general": Hawk(thieves="general"),
    "hawk-none": Hawk(steal=False),
}
"""Systems by the name that frames have in their column `system`."""
OPTIONS = {"dlwl-5": {"heartbeat": 5.0}, "dlwl-7": {"heartbeat": 7.0}}
"""What a system has of its own among the options of `simulate`."""
MAKERS = {"google": google, "cloudera": cloudera, "yahoo": yahoo}


def each_system(names, workload, trace: str, workers: int, seed: int, **options) -> pd.DataFrame:
    """Each system on the same workload: `system, class, percentile, completion` (s), `utilisation` (of 1) and `COUNTERS`.

    A trace's cut-off, short partition and heartbeat are the paper's unless `options` has others. Times are rounded to microseconds.
    """
    usual = {"short_partition": PARTITION[trace], "cutoff": CUTOFF[trace], "heartbeat": HEARTBEAT[trace]} | options
    blocks = []
    for name in names:
        run = simulate(workload, SYSTEMS[name], workers, seed=seed, **usual | OPTIONS.get(name, {}))
        found = run.percentiles()
        columns = {"system": name, "class": found["long"].map({True: "long", False: "short"}), "percentile": found["percentile"]}
        columns |= {"completion": found["completion"].round(6), "utilisation": round(run.stats["utilisation"], 6)}
        blocks.append(pd.DataFrame(columns | {counter: run.stats[counter] for counter in COUNTERS}))
    return pd.concat(blocks, ignore_index=True)


def on_google(names, workers: int, jobs: int, scale: float, seed: int, **options) -> pd.DataFrame:
    """Each system on the Google-like trace with `scale` times `workers`."""
    return each_system(names, google(jobs, seed, scale), "google", round(scale * workers), seed, **options)
