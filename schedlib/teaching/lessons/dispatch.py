"""Chapter 4's small clusters, with the plans that LoTES makes for them: stored, as one of 870,831 bins takes half a minute to make."""

from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd

from schedlib import lotes
from schedlib.lotes.planning.plan import make_plan
from schedlib.lotes.workloads.random_instances import RandomInstance

MACHINES, HOURS, MOST_BINS = 6, 6.0, 1_000_000
PHIS, SEEDS = tuple(range(0, 16, 3)), tuple(range(10))
"""Phi in thousandths of the largest machine."""
PLANS = Path(__file__).with_name("dispatch.csv")
MIXES = [f"n{k}" for k in range(1, 10)]
PLANNED = {}
"""Plans that have been read: they depend on Phi and the seed alone."""


def instance(phi: int, load: int, sizes: str, seed: int, planner=None) -> RandomInstance:
    """Six machines of each of Table 1's configurations for six hours: `phi` in thousandths, `load` in % of what the plan sustains.

    `planner` makes the plan; without one it is the stored one. Raises ValueError where none is stored, and
    where nothing is left of the stored one's rate in whole machines (phi 12, seed 7).

    >>> instance(6, 97, "common", 0).configs.n_machines
    60
    """
    setting = {"machines": MACHINES, "hours": HOURS, "sizes": sizes, "seed": seed, "rounded": True}
    return lotes.random_instance(phi / 1000, load=load / 100, planner=planner or partial(_planned, phi, seed), **setting)


@cache
def _stored():
    return dict(list(pd.read_csv(PLANS).groupby(["phi", "seed"])))


def _planned(phi, seed, configs, classes):
    if (phi, seed) not in PLANNED:
        PLANNED[phi, seed] = _read(phi, seed, configs, classes)
    return PLANNED[phi, seed]


def _read(phi, seed, configs, classes):
    if (phi, seed) not in _stored():
        raise ValueError(f"phi, seed: {phi}, {seed}; plans are stored for phi of {PHIS} and seeds of {SEEDS}")
    rows = _stored()[phi, seed]
    parts = [rows[rows["configuration"] == j] for j in range(configs.n_configs)]
    bins, fractions, machines = ([part[name].to_numpy() for part in parts] for name in (MIXES, "fraction", "machines"))
    plan = make_plan(configs, classes, lotes.allocate(configs, classes), bins, fractions, machines)
    if not plan.rate_rounded > 0:
        few = f"with {MACHINES} machines of a configuration, a class is left without a place in the bins of whole ones"
        raise ValueError(f"Phi = {phi} thousandths, seed {seed}: rounding leaves nothing of the rate. It happens to small clusters: {few}. "
                         "Move Phi or the seed")
    return plan


def rows(phi: int, seed: int) -> pd.DataFrame:
    """A plan made anew: the bins in use, a row each, with the share of machines that the program gives it and whole machines."""
    planner = partial(lotes.plan, max_bins=MOST_BINS)
    made = lotes.random_instance(phi / 1000, machines=MACHINES, hours=HOURS, seed=seed, planner=planner).plan
    parts = []
    for j, (bins, fraction, machines) in enumerate(zip(made.bins, made.fractions, made.machines, strict=True)):
        used = np.flatnonzero((fraction > 0) | (machines > 0))
        some = pd.DataFrame(bins[used], columns=MIXES)
        parts.append(some.assign(configuration=j, machines=machines[used], fraction=fraction[used]))
    found = pd.concat(parts, ignore_index=True).assign(phi=phi, seed=seed)
    return found[["phi", "seed", "configuration", "machines", "fraction", *MIXES]]


def main():
    """Make all plans anew, a minute or two; `python -m schedlib.teaching.lessons.dispatch` writes them to their place."""
    found = []
    for phi in PHIS:
        for seed in SEEDS:
            found.append(rows(phi, seed))
            print(f"phi {phi}, seed {seed}: {len(found[-1])} bins in use", flush=True)
    pd.concat(found).to_csv(PLANS, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
