"""Tables 1 and 2 of LoTES, and bins of one machine: fragmentation, Fig. 5, and what Algorithm 1 keeps."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from schedlib.exhibits import measure
from schedlib.exhibits.lotes.judging import claim
from schedlib.exhibits.lotes.runs import ONCE, class_table
from schedlib.experiment import Experiment, Figure
from schedlib.lotes.model import JobClasses, MachineConfigs
from schedlib.lotes.planning.algorithm1 import defects
from schedlib.lotes.planning.bins import count_bins, non_dominated_bins
from schedlib.lotes.planning.plan import plan
from schedlib.lotes.workloads.google import SUPPORTS, google2011
from schedlib.pictures import style

PLACE = 4.1


def table1(seed: int) -> pd.DataFrame:
    """Table 1 with the supports of our stage-1 optimum and the printed ones, and the bins that follow."""
    configs, classes = google2011()
    made = plan(configs, classes)
    cores, memory = configs.capacity.T
    frame = pd.DataFrame({"machines": configs.count, "cores": cores, "memory": memory})
    return frame.assign(supports_printed=SUPPORTS, supports=made.allocation.supports,
                        bins=[len(bins) for bins in made.bins],
                        bins_all_classes=[count_bins(room, classes.demand) for room in configs.capacity])


def table2(seed: int) -> pd.DataFrame:
    """Table 2 as it enters the models: mean time (h), demands and share of each class."""
    classes = google2011()[1]
    return class_table(classes, mean_time_h=1 / classes.rate[0])


def fragmentation(seed: int) -> pd.DataFrame:
    """Jobs of size 3 on two sets of machines: the rates `pooled` (stage 1) and `placed` (stage 2)."""
    classes, rows = JobClasses([1.0], [[3.0]], [[1.0]]), []  # type: ignore[arg-type]
    for machines, size in ((30, 8.0), (2, 5.0)):
        made = plan(MachineConfigs([[size]], [machines]), classes)  # type: ignore[arg-type]
        rows.append({"machines": machines, "size": size, "pooled": made.allocation.rate, "placed": made.rate})
    return pd.DataFrame(rows)


def fig5(seed: int) -> pd.DataFrame:
    """Every mix of jobs of sizes 2 and 3 that fits a machine of size 7, and whether none dominates it."""
    bins = {tuple(row) for row in non_dominated_bins([7.0], [[2.0], [3.0]]).tolist()}
    mixes = [(a, b) for a in range(4) for b in range(3) if 2 * a + 3 * b <= 7]
    columns = ["first", "second", "non_dominated"]
    return pd.DataFrame([(*mix, mix in bins) for mix in mixes], columns=columns)


def algorithm1_defects(seed: int) -> pd.DataFrame:
    """What Algorithm 1 keeps on three machines, as printed and with its flag reset, and the exact set."""
    configs, classes = google2011()
    cases = {
        "Fig. 5": ([7], [[2], [3]]),
        "class 2 too large": ([4], [[2], [5]]),
        "Google, 0.5 x 0.5": (configs.capacity[0], classes.demand),
    }
    frames = [defects(*case).assign(machine=name) for name, case in cases.items()]  # type: ignore[arg-type]
    return pd.concat(frames, ignore_index=True)[["machine", *frames[0].columns.drop("machine")]]


EXPERIMENTS = tuple(Experiment(f"lotes.{name}", title, run, **ONCE) for name, title, run in (
    ("table1", "Google's machine configurations", table1),
    ("table2", "Google's job classes", table2),
    ("fragmentation", "Eighty jobs fit the pool, sixty the machines", fragmentation),
    ("fig5", "Feasible mixes and non-dominated bins of two classes", fig5),
    ("algorithm1", "What Algorithm 1 keeps", algorithm1_defects),
))


def plot_fig5(frame: pd.DataFrame, ax: Axes | None = None) -> Picture:
    """The mixes of two classes that fit a machine, the non-dominated bins among them, and the limit."""
    figure, ax = style.into(ax, (4.6, 3.8))
    ax.plot([0, 3.5], [7 / 3, 0], color="black", linewidth=1.2, label="the machine is full")
    kinds = ((False, "o", 6, style.BLUE, "feasible"), (True, "s", 9, style.VERMILLION, "non-dominated bin"))
    for non_dominated, marker, size, colour, label in kinds:
        rows = frame[frame["non_dominated"] == non_dominated]
        ax.plot(rows["first"], rows["second"], marker, color=colour, markersize=size, label=label)
    ax.set(xlabel="jobs of class 1 (size 2)", ylabel="jobs of class 2 (size 3)")
    ax.set(xlim=(-0.2, 4), ylim=(-0.2, 2.8), yticks=[0, 1, 2])
    ax.legend()
    return figure


FIGURES = tuple(Figure(f"lotes.{name}", f"lotes.{name}", plot, caption, alt) for name, plot, caption, alt in (
    ("table1", None,
     "Google's machines (the paper's Table 1). The printed supports are those of one optimum of stage 1 "
     "among many; ours is another, chosen to waste least. Bins: under our supports, and with all four "
     "classes everywhere.",
     "Table of ten machine configurations with the number of machines, cores, memory, supports and bins."),
    ("table2", None, "Google's four job classes (the paper's Table 2) as they enter the models.",
     "Table of four job classes with mean time, cores, memory and share."),
    ("fragmentation", None,
     "The paper's two examples of fragmentation: jobs of size 3 and rate 1. What pooled machines could run, "
     "and what real ones can.",
     "Table: 30 machines of size 8 run 80 jobs pooled and 60 placed; 2 machines of size 5 run 10/3 pooled "
     "and 2 placed."),
    ("fig5", plot_fig5,
     "All mixes of two classes that one machine of size 7 can hold, and the non-dominated bins among them. "
     "The paper's Fig. 5.",
     lambda frame: f"Scatter of {len(frame)} feasible mixes below the machine's limit, "
     f"{frame['non_dominated'].sum()} of them non-dominated bins: (0, 2), (2, 1) and (3, 0)."),
    ("algorithm1", None,
     "What the paper's Algorithm 1 keeps: as printed every feasible bin, with its flag reset still dominated "
     "ones; where a class fits no empty machine it comes to an undefined step.",
     "Table of the bins that Algorithm 1 keeps, repeats and misses on three machines, as printed, mended and "
     "exact."),
))


@measure
def _rate(frame, column, row):
    return frame[column][row : row + 1]


CLAIMS = tuple(
    claim(name, f"Section {section}", text, "lotes.fragmentation", judged, value, check="value",
          tolerance=1e-6, metric=f"lambda of stage {stage}", unit=unit)
    for name, section, text, judged, value, stage, unit in (
        ("pooled", "2", "Thirty machines of 8 cores, pooled, run 80 jobs of 3 cores", _rate("pooled", 0),
         80.0, 1, "jobs"),
        ("placed", "2", "On real machines only 60 of them run at once", _rate("placed", 0), 60.0, 2, "jobs"),
        ("pooled-rate", "4.1", "Two machines of capacity five, pooled, sustain 10/3 jobs of three units a "
         "minute", _rate("pooled", 1), 10 / 3, 1, "jobs/min"),
        ("placed-rate", "4.1", "The real machines sustain two", _rate("placed", 1), 2.0, 2, "jobs/min"),
    ))
