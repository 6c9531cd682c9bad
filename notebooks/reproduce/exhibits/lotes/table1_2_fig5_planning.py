"""Tables 1 and 2 of LoTES, bins of one machine (fragmentation, Fig. 5), and the results
of stages 1 and 2 on Google's and on random instances. An instance with phi < 0 is Google's.
Beside them, what the two versions of the text say differently.
"""

import time
import tomllib
from pathlib import Path

import numpy as np
from pandas import DataFrame

from reproduce.exhibits import legend_below, only
from reproduce.exhibits.lotes.runs import ONCE
from reproduce.figure import Figure
from schedlib import lotes
from schedlib.lotes.workloads.instances import SUPPORTS
from schedlib.plots import style
from schedlib.sweeps import Experiment, grid, scales

PLACE = 4.1


def table1(seed: int) -> DataFrame:
    """Table 1 with the supports of our stage-1 optimum and the printed ones, and the bins that follow."""
    configs, classes = lotes.google2011()
    made = lotes.plan(configs, classes)
    cores, memory = configs.capacity.T
    bins_all = [lotes.count_bins(room, classes.demand) for room in configs.capacity]
    return DataFrame(
        {
            "machines": configs.count,
            "cores": cores,
            "memory": memory,
            "supports_printed": SUPPORTS,
            "supports": made.allocation.supports,
            "bins": [len(bins) for bins in made.bins],
            "bins_all_classes": bins_all,
        }
    )


def table2(seed: int) -> DataFrame:
    """Table 2 as it enters the models: mean time (h), demands and share of each class."""
    classes = lotes.google2011()[1]
    cores, memory = classes.demand.T
    return DataFrame(
        {
            "job_class": range(1, classes.n_classes + 1),
            "mean_time_h": 1 / classes.rate[0],
            "cores": cores,
            "memory": memory,
            "share": classes.share,
        }
    )


def fragmentation(seed: int) -> DataFrame:
    """Jobs of size 3 on two sets of machines: the rates `pooled` (stage 1) and `placed` (stage 2)."""
    classes, rows = lotes.JobClasses([1.0], [[3.0]], [[1.0]]), []  # type: ignore[arg-type]
    for machines, size in ((30, 8.0), (2, 5.0)):
        made = lotes.plan(lotes.MachineConfigs([[size]], [machines]), classes)  # type: ignore[arg-type]
        rows.append(
            {
                "machines": machines,
                "size": size,
                "pooled": made.allocation.rate,
                "placed": made.rate,
            }
        )
    return DataFrame(rows)


def fig5(seed: int) -> DataFrame:
    """Every mix of jobs of sizes 2 and 3 that fits a machine of size 7, and whether none dominates it."""
    bins = lotes.non_dominated_bins([7.0], [[2.0], [3.0]]).tolist()
    mixes = [(a, b, [a, b] in bins) for a in range(4) for b in range(3) if 2 * a + 3 * b <= 7]
    return DataFrame(mixes, columns=["first", "second", "non_dominated"])


VERSIONS = Path(__file__).with_name("versions.toml")


def versions(seed: int) -> DataFrame:
    """Every difference between the first version of the text and the extended one, as `versions.toml` has it."""
    return DataFrame(tomllib.loads(VERSIONS.read_text("utf-8"))["difference"])


def _instance(phi, seed, machines=1000):
    if phi < 0:
        return lotes.google2011()
    return lotes.random_instance(phi, machines=machines, hours=1.0, seed=seed)[:2]


def stages(phi: float, machines: int, seed: int) -> DataFrame:
    """The results of stages 1 and 2 on an instance: rates, bins and supports, and `seconds` for both.

    `allocation`: lambda of stage 1; `assignment`: lambda of stage 2; `rounded`: that in whole machines;
    `generated`: stage 2 over all bins, by column generation; `unassigned`: machines that rounding leaves
    without a bin; `bins_seconds`: for the bins alone. `rounding_error`: the largest difference that rounding makes
    to a number of machines; `hundreds`: of the bins that are used, those with at least a hundred machines (%).
    """
    configs, classes = _instance(phi, seed, machines)
    began = time.perf_counter()
    made = lotes.plan(configs, classes)
    seconds, stage1 = time.perf_counter() - began, made.allocation
    fractions = np.concatenate(made.fractions)
    error = np.abs(fractions - np.concatenate(made.machines)).max()
    used = fractions[fractions > 1e-9]
    row = {
        "allocation": stage1.rate,
        "assignment": made.rate,
        "rounded": made.rate_rounded,
        "generated": lotes.generate_plan(configs, classes).rate,
        "bins": sum(map(len, made.bins)),
        "most_supports": int(stage1.supports.max()),
        "above_two_supports": int((stage1.supports > 2).sum()),
        "rounding_error": error,
        "hundreds": 100 * (used >= 100).mean(),
        "unassigned": configs.n_machines - sum(int(in_use.sum()) for in_use in made.machines),
    }
    began = time.perf_counter()
    for capacity, served in zip(configs.capacity, stage1.support, strict=True):
        if served.any():
            lotes.non_dominated_bins(capacity, classes.demand[served])
    return DataFrame([row | {"seconds": seconds, "bins_seconds": time.perf_counter() - began}])


PHIS = (-1.0, 0.0, 0.003, 0.006, 0.009, 0.012, 0.015)
EXPERIMENTS = (
    *(
        Experiment(f"lotes.{name}", title, run, **ONCE)
        for name, title, run in (
            ("table1", "Google's machine configurations", table1),
            ("table2", "Google's job classes", table2),
            ("fragmentation", "Eighty jobs fit the pool, sixty the machines", fragmentation),
            ("fig5", "Feasible mixes and non-dominated bins of two classes", fig5),
        )
    ),
    Experiment(
        "lotes.versions",
        "What the two versions say differently",
        versions,
        **ONCE,
        data_files=lambda point: [VERSIONS],
    ),
    Experiment(
        "lotes.stages",
        "Rates and bins of stages 1 and 2",
        stages,
        scales(
            grid(phi=[-1.0], machines=[1000]) + grid(phi=[0.0, 0.015], machines=[20]),
            grid(phi=PHIS, machines=[1000]),
        ),
        scales(2, 5, (5, 10)),
        timing=("seconds", "bins_seconds"),
    ),
)


def plot_fig5(frame: DataFrame):
    """The mixes of two classes that fit a machine, the non-dominated bins among them, and the limit."""
    figure, ax = style.subplots(size=(4.6, 3.8))
    ax.plot([0, 3.5], [7 / 3, 0], color="black", linewidth=1.2, label="the machine is full")
    kinds = (
        (False, "o", 6, style.BLUE, "feasible"),
        (True, "s", 9, style.VERMILLION, "non-dominated bin"),
    )
    for non_dominated, marker, size, colour, label in kinds:
        rows = only(frame, non_dominated=non_dominated)
        ax.plot(rows["first"], rows["second"], marker, color=colour, markersize=size, label=label)
    ax.set(
        xlabel="jobs of class 1 (size 2)",
        ylabel="jobs of class 2 (size 3)",
        xlim=(-0.2, 4),
        ylim=(-0.2, 2.8),
        yticks=[0, 1, 2],
    )
    ax.legend()
    return figure


WAYS = {
    "assignment": ("stage 2 as in the paper", style.BLACK, "o"),
    "generated": ("stage 2 over all bins", style.PURPLE, "s"),
    "rounded": ("the paper's, rounded", "#999999", "^"),
}


def lost(frame, column):
    """The rate lost against the fluid bound (%)."""
    return 100 * (1 - frame[column] / frame["allocation"])


def plot_stages(frame: DataFrame):
    """The rate that each way of making the plan loses against the fluid bound, on every instance."""
    figure, ax = style.subplots(size=(7.0, 3.8))
    phis = sorted(set(frame["phi"]))
    place = frame["phi"].map(phis.index)
    for shift, (column, (label, colour, marker)) in zip((-0.2, 0, 0.2), WAYS.items(), strict=True):
        ax.plot(place + shift, lost(frame, column), marker, color=colour, alpha=0.8, label=label)
    ax.set(
        xticks=range(len(phis)),
        xticklabels=["Google" if phi < 0 else f"{phi:g}" for phi in phis],
        xlabel="instance: Google's, and random ones by Phi",
        ylim=(0, None),
        ylabel="rate lost against the fluid bound (%)",
    )
    legend_below(ax, 3)
    return figure


HEADS = {
    "supports_printed": "supports, printed",
    "bins_all_classes": "bins of all classes",
    "mean_time_h": "mean time (h)",
    "job_class": "class",
    "size": "size of a machine",
    "pooled": "jobs, pooled",
    "placed": "jobs, placed",
}
FIGURES = tuple(
    Figure(f"lotes.{name}", f"lotes.{name}", plot, caption, alt, heads=HEADS)
    for name, plot, caption, alt in (
        (
            "table1",
            None,
            "Google's machines (the paper's Table 1). A configuration's support is the number of classes that stage "
            "1 gives it. Stage 1 has many optima. The paper prints the supports of one; ours is another, chosen to "
            "waste least. Bins: with our supports, and with all four classes everywhere.",
            "Table of ten machine configurations with the number of machines, cores, memory, supports and bins.",
        ),
        (
            "table2",
            None,
            "Google's four job classes (the paper's Table 2) as they enter the models.",
            "Table of four job classes with mean time, cores, memory and share.",
        ),
        (
            "fragmentation",
            None,
            "The paper's two examples of fragmentation, with jobs of size 3 and service rate 1: how many jobs the "
            "machines run when their capacity is pooled, and how many when each job must fit one machine.",
            "Table: 30 machines of size 8 run 80 jobs pooled and 60 placed; 2 machines of size 5 run 10/3 pooled "
            "and 2 placed.",
        ),
        (
            "versions",
            None,
            "What the first version of the text and the extended one say differently, and what the library does.",
            "Table of the differences between the two versions, by place in the text.",
        ),
        (
            "fig5",
            plot_fig5,
            "All mixes of two classes that one machine of size 7 can hold, and the non-dominated bins among them. "
            "The paper's Fig. 5.",
            lambda frame: (
                f"Scatter of {len(frame)} feasible mixes below the machine's limit, "
                f"{frame['non_dominated'].sum()} of them non-dominated bins: (0, 2), (2, 1) and (3, 0)."
            ),
        ),
        (
            "stages",
            plot_stages,
            "The rate that a plan loses against stage 1, which ignores that a job must fit one machine: with the "
            "paper's stage 2, with its machines rounded to whole numbers, and with a stage 2 over all bins by "
            "column generation (beyond the paper). 10,000 machines.",
            lambda frame: (
                f"Strip chart of the rate lost against the fluid bound on {len(frame)} instances. Means: "
                f"{', '.join(f'{name} {lost(frame, name).mean():.2f} %' for name in WAYS)}."
            ),
        ),
    )
)
