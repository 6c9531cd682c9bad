"""LoTES's experiments: a point and a seed in, a tidy frame out. Waits are in seconds, rates in jobs per hour."""

import itertools
import time
import warnings

import numpy as np
import pandas as pd

from schedlib.exhibits.lotes import hour_experiments, model_experiments, replan_experiments, trace_experiments
from schedlib.exhibits.lotes.trace_experiments import FIVE, ONE, THREE, always
from schedlib.experiment import Experiment
from schedlib.lotes.model import JobClasses, MachineConfigs
from schedlib.lotes.planning.algorithm1 import defects
from schedlib.lotes.planning.bins import count_bins, non_dominated_bins
from schedlib.lotes.planning.generation import generate_plan
from schedlib.lotes.planning.plan import plan
from schedlib.lotes.policies.shipped import SHIPPED
from schedlib.lotes.simulate import simulate
from schedlib.lotes.workloads.google import google2011
from schedlib.lotes.workloads.random_instances import random_instance

LAWS = ("common-matched", "common", "independent", "fixed")
"""How job sizes are drawn; `-matched`: the mean that the plan assumes is that of the truncated law, not of its parent."""
PRINTED_SUPPORTS = (4, 2, 1, 2, 2, 1, 1, 2, 2, 1)
"""Table 1's column abs(K^j)."""


def fragmentation(seed: int) -> pd.DataFrame:
    """The paper's two examples of fragmentation, jobs of size 3: rates `pooled` (stage 1) and `placed` (stage 2)."""
    classes, rows = JobClasses([1.0], [[3.0]], [[1.0]]), []
    for machines, size in ((30, 8.0), (2, 5.0)):
        found = plan(MachineConfigs([[size]], [machines]), classes)
        rows.append({"machines": machines, "size": size, "pooled": found.allocation.rate, "placed": found.rate})
    return pd.DataFrame(rows)


def table1(seed: int) -> pd.DataFrame:
    """Table 1 with the supports of our stage-1 optimum beside the printed ones, and the bins that follow from each."""
    configs, classes = google2011()
    found = plan(configs, classes)
    return pd.DataFrame(
        {
            "machines": configs.count,
            "cores": configs.capacity[:, 0],
            "memory": configs.capacity[:, 1],
            "supports_printed": PRINTED_SUPPORTS,
            "supports": found.allocation.supports,
            "bins": [len(bins) for bins in found.bins],
            "bins_all_classes": [count_bins(capacity, classes.demand) for capacity in configs.capacity],
        }
    )


def table2(seed: int) -> pd.DataFrame:
    """Table 2 as it enters the models: mean time (h), demands and share of each class."""
    _, classes = google2011()
    columns = {"job_class": np.arange(1, 5), "mean_time_h": 1 / classes.rate[0], "cores": classes.demand[:, 0]}
    return pd.DataFrame(columns | {"memory": classes.demand[:, 1], "share": classes.share})


def fig5(seed: int) -> pd.DataFrame:
    """The paper's machine of size 7 with classes of sizes 2 and 3: every feasible mix, and whether it is a non-dominated bin."""
    bins = {tuple(row) for row in non_dominated_bins([7.0], [[2.0], [3.0]]).tolist()}
    mixes = [(a, b) for a in range(4) for b in range(3) if 2 * a + 3 * b <= 7]
    return pd.DataFrame([(a, b, (a, b) in bins) for a, b in mixes], columns=["first", "second", "non_dominated"])


def algorithm1_defects(seed: int) -> pd.DataFrame:
    """What Algorithm 1 keeps, as printed and with its flag reset, against the exact set, on three machines."""
    configs, classes = google2011()
    cases = {"Fig. 5": ([7], [[2], [3]]), "class 2 too large": ([4], [[2], [5]]), "Google, 0.5 x 0.5": (configs.capacity[0], classes.demand)}
    frames = [defects(*case).assign(machine=name) for name, case in cases.items()]
    return pd.concat(frames, ignore_index=True)[["machine", *frames[0].columns.drop("machine")]]


def stages(phi: float, machines: int, seed: int) -> pd.DataFrame:
    """What stages 1 and 2 find on a random instance (phi < 0: Google's): rates, bins and supports, and `seconds` for both.

    `allocation`: lambda of stage 1; `assignment`: lambda of stage 2; `rounded`; `integer`: the exact program over the same bins;
    `generated`: stage 2 over all bins, by column generation; `unassigned`: machines that rounding leaves without a bin;
    `bins_seconds`: for the bins alone.
    """
    if phi < 0:
        configs, classes = google2011()
    else:
        instance = random_instance(phi, machines=machines, hours=1.0, seed=seed)
        configs, classes = instance.configs, instance.classes
    began = time.perf_counter()
    found = plan(configs, classes)
    seconds = time.perf_counter() - began
    row = {"allocation": found.allocation.rate, "assignment": found.rate, "rounded": found.rate_rounded}
    row["integer"] = plan(configs, classes, integer=True, seconds=120).rate_rounded if phi < 0 else np.nan
    row["generated"] = generate_plan(configs, classes).rate
    row |= {"bins": sum(map(len, found.bins)), "most_supports": int(found.allocation.supports.max())}
    row["above_two_supports"] = int((found.allocation.supports > 2).sum())
    row["unassigned"] = configs.n_machines - sum(int(machines.sum()) for machines in found.machines)
    began = time.perf_counter()
    for capacity, served in zip(configs.capacity, found.allocation.support, strict=True):
        if served.any():
            non_dominated_bins(capacity, classes.demand[served])
    return pd.DataFrame([row | {"seconds": seconds, "bins_seconds": time.perf_counter() - began}])


MATCHED = {"sizes": "common", "matched": True, "rounded": True}
"""Sizes by one factor with the mean as planned, and loads of the rate in whole machines."""


def dispatching(phi: float, omega: float, load: float, sizes: str, machines: int, hours: float, seed: int) -> pd.DataFrame:
    """Every policy on one random instance of Section 5.4: `wait` (mean over started jobs), `p99`, and what shows instability.

    `load` is that of stage 2's rate once rounded to whole machines: with the paper's 10,000 machines rounding changes nothing,
    with few it would overload LoTES alone.

    `waiting`: jobs queued at the end; `slope`: growth of the queue, in jobs per hour and per job that arrives in an hour;
    `stable`: the test of `Simulation.stable`; `rate`: jobs per hour; `limit`: lambda of stage 2 over lambda of stage 1.
    """
    law = {"sizes": sizes.removesuffix("-matched"), "matched": sizes.endswith("-matched")}
    instance = random_instance(phi, omega=omega, load=load, machines=machines, hours=hours, seed=seed, rounded=True, **law)
    rows = []
    for policy in SHIPPED:
        follows = {"plan": instance.plan} if policy.startswith("lotes") else {"classes": instance.classes}
        run = simulate(policy, instance.configs, instance.workload, seed=seed, record=False, **follows)
        row = {"policy": policy, "wait": 3600 * run.mean_response, "p99": 3600 * run.quantile(0.99), "arrived": run.arrived}
        row |= {"waiting": run.waiting, "slope": run.slope / instance.workload.rate, "stable": run.stable}
        rows.append(row | {"rate": instance.workload.rate, "limit": instance.plan.rate / instance.plan.allocation.rate})
    return pd.DataFrame(rows)


def steering(phi: float, load: float, machines: int, hours: float, seed: int) -> pd.DataFrame:
    """LoTES following the paper's plan and the generated one (stage 2 over all bins), and Tetris, on the same jobs (beyond the paper).

    `load` is that of the paper's stage 2 once rounded, so that above 1 only the generated plan may sustain it. Columns as in
    `dispatching`; `limit`: what the plan that is followed sustains over what stage 1 allows (Tetris follows none).
    """
    instance = random_instance(phi, load=load, machines=machines, hours=hours, seed=seed, **MATCHED)
    configs, jobs, found, rows = instance.configs, instance.workload, instance.plan, []
    plans = {"paper's plan": found, "generated plan": generate_plan(configs, instance.classes), "tetris": None}
    for name, follows in plans.items():
        how = ("tetris", {"classes": instance.classes}) if follows is None else ("lotes", {"plan": follows})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # more arrives than the paper's plan sustains: that is the question
            run = simulate(how[0], configs, jobs, seed=seed, record=False, **how[1])
        row = {"followed": name, "wait": 3600 * run.mean_response, "p99": 3600 * run.quantile(0.99), "waiting": run.waiting}
        limit = follows.rate_rounded / found.allocation.rate if follows else np.nan
        rows.append(row | {"slope": run.slope / jobs.rate, "stable": run.stable, "limit": limit})
    return pd.DataFrame(rows)


SMALL = {
    "smoke": {"machines": 4, "hours": 10.0},
    "quick": {"machines": 50, "hours": 50.0},
    "paper": {"machines": 1000, "hours": 100.0},
}
"""Machines of each configuration and hours simulated: the paper's is the last; quick has a twentieth of the machines for half the time."""


def _sweep(phis, omegas, loads, laws=LAWS):
    axes = list(itertools.product(laws, phis, omegas, loads))
    full = {
        scale: [{"phi": p, "omega": o, "load": l, "sizes": s, **size} for s, p, o, l in axes] for scale, size in SMALL.items()
    }
    ends = [point for point in full["smoke"] if (point["phi"], point["omega"]) in ((phis[0], omegas[0]), (phis[-1], omegas[-1]))]
    return full | {"smoke": ends}


VARIANTS = {
    "lotes": {
        "as printed": {}, "classes with Delta = 0 on exit too": {"exit": "all"}, "no fall-back": {"fallback": False},
        "wheel by served rate": {"wheel": "rate"}, "1 machine sampled": {"sampled": 1}, "10 machines sampled": {"sampled": 10},
        "100 machines sampled": {"sampled": 100},
    },
    "lotes-first": {"as printed": {}},
    "greedy": {"as printed": {}, "past those who wait": {"bypass": True}},
    "tetris": {
        "as printed": {}, "gamma in seconds": {"gamma_unit": "s"}, "work weighs 1/10": {"work": 0.1}, "work weighs 10": {"work": 10.0},
        "packing alone": {"work": 0.0}, "work alone": {"packing": 0.0},
    },
}  # fmt: skip
"""What the text leaves open of each policy: our reading of it first, then others, as options of `simulate`."""


def variants(phi: float, load: float, machines: int, hours: float, seed: int) -> pd.DataFrame:
    """Every reading of every policy on the same jobs, sizes by one factor with the mean as planned; columns as in `dispatching`."""
    instance, rows = random_instance(phi, load=load, machines=machines, hours=hours, seed=seed, **MATCHED), []
    for policy, readings in VARIANTS.items():
        follows = {"plan": instance.plan} if policy.startswith("lotes") else {"classes": instance.classes}
        for reading, options in readings.items():
            run = simulate(policy, instance.configs, instance.workload, seed=seed, record=False, **follows, **options)
            row = {"policy": policy, "reading": reading, "wait": 3600 * run.mean_response, "p99": 3600 * run.quantile(0.99)}
            rows.append(row | {"waiting": run.waiting, "slope": run.slope / instance.workload.rate, "stable": run.stable})
    return pd.DataFrame(rows)


def overhead(load: float, phi: float, machines: int, hours: float, seed: int) -> pd.DataFrame:
    """What share of all machines (%) an arriving job asks for their state, by policy: `looked` (Section 5.2)."""
    instance, rows = random_instance(phi, load=load, machines=machines, hours=hours, seed=seed, **MATCHED), []
    for policy, options in (*((policy, {}) for policy in SHIPPED), ("lotes", {"sampled": 10})):
        follows = {"plan": instance.plan} if policy.startswith("lotes") else {"classes": instance.classes}
        run = simulate(policy, instance.configs, instance.workload, seed=seed, record=False, **follows, **options)
        rows.append({"policy": policy, "sampled": options.get("sampled", 0), "looked": 100 * run.looked / instance.configs.n_machines})
    return pd.DataFrame(rows)


def integer(phi: float, limit: float, seed: int) -> pd.DataFrame:
    """How long stage 2 takes as a linear and as an integer program over the same bins (phi < 0: Google's instance).

    `lp_seconds`, `integer_seconds`: infinite when no proved optimum was found within `limit` seconds.
    """
    if phi < 0:
        configs, classes = google2011()
    else:
        instance = random_instance(phi, hours=1.0, seed=seed)
        configs, classes = instance.configs, instance.classes
    row = {"bins": sum(map(len, plan(configs, classes).bins))}
    for name, options in (("lp_seconds", {}), ("integer_seconds", {"integer": True, "seconds": limit})):
        began = time.perf_counter()
        try:
            plan(configs, classes, **options)
            row[name] = time.perf_counter() - began
        except RuntimeError:
            row[name] = np.inf
    return pd.DataFrame([row])


def _sizes(sizes, phis, hours):
    one = {"omega": 0.0, "load": 0.97, "sizes": "common-matched", "hours": hours}
    return [{"phi": phi, "machines": machines, **one} for phi in phis for machines in sizes]


PHIS, OMEGAS = (0.0, 0.003, 0.006, 0.009, 0.012, 0.015), (0.0, 0.05, 0.1, 0.15, 0.2)
LOADS = (0.94, 0.97, 1.0, 1.02)
ASKED = (0.3, 0.6, 0.8, 0.9, 0.95, 0.97)

EXPERIMENTS = (
    *model_experiments.EXPERIMENTS,
    Experiment("lotes.fragmentation", "Eighty jobs fit the pool, sixty the machines", fragmentation, always(), ONE),
    Experiment("lotes.table1", "Google's machine configurations", table1, always(), ONE),
    Experiment("lotes.table2", "Google's job classes", table2, always(), ONE),
    Experiment("lotes.fig5", "Feasible mixes and non-dominated bins of two classes", fig5, always(), ONE),
    Experiment("lotes.algorithm1", "What Algorithm 1 keeps", algorithm1_defects, always(), ONE),
    Experiment(
        "lotes.stages", "Rates and bins of stages 1 and 2", stages,
        {
            "smoke": [{"phi": -1.0, "machines": 1000}, *({"phi": phi, "machines": 20} for phi in (0.0, 0.015))],
            **dict.fromkeys(("quick", "paper"), [{"phi": phi, "machines": 1000} for phi in (-1.0, *PHIS)]),
        },
        FIVE, timing=("seconds", "bins_seconds"),
    ),
    *trace_experiments.EXPERIMENTS,
    *hour_experiments.EXPERIMENTS,
    *replan_experiments.EXPERIMENTS,
    Experiment("lotes.fig11", "Waits as classes differ more, load 0.97", dispatching, _sweep(PHIS, (0.0,), (0.97,)), FIVE),
    Experiment(
        "lotes.fig12", "Waits as machines differ more, load 0.90", dispatching,
        _sweep((0.006,), OMEGAS, (0.90,)), FIVE,
    ),
    Experiment(
        "lotes.fig13", "Waits as machines differ more, load 0.95", dispatching,
        _sweep((0.006,), OMEGAS, (0.95,)), FIVE,
    ),
    Experiment(
        "lotes.fig13-heavier", "Waits as machines differ more, load 0.97", dispatching,
        _sweep((0.006,), (0.0, 0.1, 0.2), (0.97,), ("common-matched", "independent")), FIVE,
    ),
    Experiment(
        "lotes.variants", "Every reading of every policy", variants,
        {scale: [{"phi": 0.006, "load": load, **size} for load in (0.90, 0.97)] for scale, size in SMALL.items()}, FIVE,
    ),
    Experiment(
        "lotes.overhead", "How many machines an arrival asks", overhead,
        {
            scale: [{"load": load, "phi": 0.006, "machines": size["machines"], "hours": min(size["hours"], 20.0)} for load in ASKED]
            for scale, size in SMALL.items()
        },
        THREE,
    ),
    Experiment(
        "lotes.integer", "Stage 2 as an integer program", integer,
        {
            "smoke": [{"phi": phi, "limit": 20.0} for phi in (-1.0, 0.006)],
            "quick": [{"phi": phi, "limit": 20.0} for phi in (-1.0, 0.0, 0.006, 0.015)],
            "paper": [{"phi": phi, "limit": 600.0} for phi in (-1.0, *PHIS)],
        },
        ONE, timing=("lp_seconds", "integer_seconds"),
    ),
    Experiment(
        "lotes.scale", "Waits as the cluster grows", dispatching,
        {
            "smoke": _sizes((4,), (0.006,), 10.0),
            "quick": _sizes((10, 20, 50, 100, 200), (0.006, 0.015), 50.0),
            "paper": _sizes((10, 20, 50, 100, 200, 500, 1000), (0.006, 0.015), 100.0),
        },
        THREE,
    ),
    Experiment(
        "lotes.generated", "What a plan over all bins does to waits", steering,
        {
            "smoke": [{"phi": 0.006, "load": 1.0, **SMALL["smoke"]}],
            **{scale: [{"phi": phi, "load": load, **SMALL[scale]} for phi in (0.006, 0.015) for load in LOADS] for scale in ("quick", "paper")},
        },
        THREE,
    ),
)  # fmt: skip
