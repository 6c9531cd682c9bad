"""Chapter 4's small clusters with stored plans: to make one, of up to 870,831 bins, takes half a minute."""

from functools import cache, lru_cache, partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from schedlib import lotes
from schedlib.lotes.planning.plan import make_plan
from schedlib.lotes.workloads.instances import RandomInstance

MACHINES, HOURS, MOST_BINS = 6, 6.0, 1_000_000
# phi in thousandths of the largest machine
PHIS = tuple(range(0, 16, 3))
SEEDS = tuple(range(10))
PLANS = Path(__file__).with_name("dispatch.csv")
MIXES = [f"n{k}" for k in range(1, 10)]


@lru_cache(maxsize=64)
def instance(phi: int, load: int, sizes: str, seed: int) -> RandomInstance:
    """Six machines of each of Table 1's configurations for six hours, with the stored plan.

    `phi` is in thousandths, `load` in % of what the plan sustains. Raises ValueError where no plan is stored,
    and where rounding leaves nothing of its rate (phi 12, seed 7).

    >>> instance(6, 97, "common", 0).configs.n_machines
    60
    """
    return lotes.random_instance(
        phi / 1000,
        machines=MACHINES,
        hours=HOURS,
        sizes=sizes,
        load=load / 100,
        seed=seed,
        rounded=True,
        planner=partial(_stored_plan, phi, seed),
    )


@cache
def stored() -> dict[tuple[int, int], pd.DataFrame]:
    """The stored plans' rows, as `rows` makes them, by phi and seed."""
    return dict(list(pd.read_csv(PLANS).groupby(["phi", "seed"])))


PLANNED: dict[
    tuple[int, int], lotes.Plan
] = {}  # made of rows: they depend on phi and the seed alone


def _stored_plan(phi, seed, configs, classes):
    if (phi, seed) not in stored():
        raise ValueError(
            f"phi, seed: {phi}, {seed}; plans are stored for phi of {PHIS} and seeds of {SEEDS}"
        )
    if (phi, seed) not in PLANNED:
        plan = stored()[phi, seed]
        by_config = [plan[plan["configuration"] == j] for j in range(configs.n_configs)]
        columns = (
            [part[name].to_numpy() for part in by_config]
            for name in (MIXES, "fraction", "machines")
        )
        PLANNED[phi, seed] = make_plan(configs, classes, lotes.allocate(configs, classes), *columns)
    if not PLANNED[phi, seed].rate_rounded > 0:
        rounding = f"Phi = {phi} thousandths, seed {seed}: rounding leaves nothing of the rate"
        why = "in small clusters a class may be left without a place in the bins of whole machines"
        raise ValueError(f"{rounding}: {why}. Move Phi or the seed")
    return PLANNED[phi, seed]


def rows(phi: int, seed: int) -> pd.DataFrame:
    """A plan made anew: a row for each bin in use, with its machines by the program and in whole ones."""
    planner = partial(lotes.plan, max_bins=MOST_BINS)
    plan = lotes.random_instance(
        phi / 1000, machines=MACHINES, hours=HOURS, seed=seed, planner=planner
    ).plan
    frames = []
    per_config = zip(plan.bins, plan.fractions, plan.machines, strict=True)
    for j, (bins, fraction, machines) in enumerate(per_config):
        used = np.flatnonzero((fraction > 0) | (machines > 0))
        mixes = pd.DataFrame(bins[used], columns=MIXES)
        frames.append(
            mixes.assign(configuration=j, machines=machines[used], fraction=fraction[used])
        )
    frame = pd.concat(frames, ignore_index=True).assign(phi=phi, seed=seed)
    return frame[["phi", "seed", "configuration", "machines", "fraction", *MIXES]]


def main() -> None:
    """Make all plans anew, a minute or two; `python -m schedlib.teaching.lessons.dispatch` writes them."""
    plans = []
    for phi, seed in product(PHIS, SEEDS):
        plans.append(rows(phi, seed))
        print(f"phi {phi}, seed {seed}: {len(plans[-1])} bins in use", flush=True)
    pd.concat(plans).to_csv(PLANS, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
