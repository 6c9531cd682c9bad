"""The drawn figures of LoTES's model and algorithm (the extended version's Figs. 1-4): a frame in, a picture out."""

import numpy as np
import pandas as pd

from schedlib.experiment import Figure
from schedlib.pictures import style
from schedlib.pictures.bins import draw_blocks
from schedlib.pictures.diagrams import Arrow, Box, plot_diagram

GB = "memory (GB)"


def _profile(frame: pd.DataFrame, resource: str, label: str):
    """What each job holds of one resource, as blocks over time; above the capacity, who waits."""
    capacity, frame = frame[f"total_{resource}"].iloc[0], frame.sort_values("start")
    figure, ax = style.subplots(size=(7.0, 3.2))
    names, colours = frame["job"].map("job {}".format), np.array(style.PALETTE)[frame["job"] - 1]
    draw_blocks(ax, frame["start"], frame["finish"], frame[resource].astype(int), int(capacity), colours, names)
    ax.axhline(capacity, color="black", linewidth=1.6)
    ax.text(frame["finish"].max(), 1.015 * capacity, f"capacity {capacity:g}", ha="right", va="bottom", fontsize=9)
    for _, job in frame[frame["start"] > frame["submit"]].iterrows():
        ax.hlines(1.05 * capacity, job["submit"], job["start"], color=style.PALETTE[int(job["job"]) - 1], linewidth=4)
        where = (job["submit"] + job["start"]) / 2, 1.08 * capacity
        ax.text(*where, f"job {job['job']:.0f} waits", ha="center", va="bottom", fontsize=9)
    ax.set(xlabel="time (min)", ylabel=label, ylim=(0, 1.22 * capacity), xlim=(0, frame["finish"].max()))
    ax.grid(visible=False)
    ax.set_yticks(np.arange(0, capacity + 1))
    ax.set_xticks(range(0, int(frame["finish"].max()) + 1, 2))
    return figure


def plot_fig1(frame: pd.DataFrame):
    """The cores that six jobs hold over time (Fig. 1)."""
    return _profile(frame, "cores", "cores")


def plot_fig2(frame: pd.DataFrame):
    """The memory that the same jobs hold over the same times (Fig. 2)."""
    return _profile(frame, "memory", GB)


def plot_fig3(frame: pd.DataFrame):
    """The life of a job, with how many jobs went which way (Fig. 3)."""
    jobs = frame.set_index(["source", "target"])["jobs"]
    boxes = {
        "outside": Box(0, 1, "outside", "not yet submitted", style.BLACK),
        "queue": Box(1, 0, "queue", "waits for room", style.VERMILLION),
        "machine": Box(1, 1, "machine", "runs, holds cores\nand memory", style.BLUE),
        "left": Box(2, 1, "outside again", "done", style.BLACK),
    }
    words = {
        ("outside", "machine"): "starts at once",
        ("outside", "queue"): "finds no room",
        ("queue", "machine"): "some machine\nhas room again",
        ("machine", "left"): "ends",
    }
    arrows = [Arrow(*way, f"{text}\n{jobs[way]:,} jobs") for way, text in words.items()]
    return plot_diagram(boxes, arrows, {"data centre": ("queue", "machine")}, cell=(2.55, 1.5), box=(1.4, 0.75))


def plot_fig4(frame: pd.DataFrame):
    """The three stages of LoTES and what flows between them, with Google's numbers (Fig. 4)."""
    value = frame.set_index("quantity")["value"].map("{:,.0f}".format)
    boxes = {
        "data": Box(0, 0, "Google's cluster", f"{value['machines']} machines of\n{value['configurations']} configurations,\n"
                    f"{value['classes']} classes of jobs", style.BLACK),
        "allocate": Box(1, 0, "Stage 1: pool", f"allocation LP\n$\\lambda^*$ = {value['rate of stage 1']} jobs/h\n"
                        f"{value['pairs with delta > 0']} pairs with $\\delta > 0$"),
        "bins": Box(2, 0, "Stage 2: bins", f"{value['bins']} mixes that fit\na machine, of the\nclasses in $K^j$", style.GREEN),
        "assign": Box(2, 1, "Stage 2: assign", f"LP: machines to bins\n$\\lambda$ = {value['rate of stage 2']} jobs/h", style.GREEN),
        "round": Box(1, 1, "Stage 2: round", f"{value['bins in use']} bins in use\n$\\lambda$ = {value['rate after rounding']} jobs/h",
                     style.GREEN),
        "jobs": Box(0, 2, "jobs", "arrive at random", style.BLACK),
        "dispatch": Box(1, 2, "Stage 3: dispatch", "keeps each machine\nnear its bin;\na queue per class", style.VERMILLION),
        "machines": Box(2, 2, "machines", f"{value['machines']}, each\nwith a bin to emulate", style.BLACK),
    }  # fmt: skip
    arrows = (
        Arrow("data", "allocate", "$c, n, \\alpha, r, \\mu$"), Arrow("allocate", "bins", "$K^j$"), Arrow("bins", "assign", "$N_{ijk}$"),
        Arrow("assign", "round", "$x_{ij}$"), Arrow("round", "dispatch", "$\\Delta_{jkl}$, a bin for\neach machine"),
        Arrow("jobs", "dispatch", "arrival"), Arrow("dispatch", "machines", "start"), Arrow("machines", "dispatch", "exit"),
    )  # fmt: skip
    stages = {
        "offline, once": ("data", "allocate", "bins", "assign", "round"),
        "online, at each event": ("jobs", "dispatch", "machines"),
    }
    return plot_diagram(boxes, arrows, stages, cell=(2.7, 1.62), box=(1.85, 0.95))


def _six(frame):
    late = frame[frame["start"] > frame["submit"]]
    return "; ".join(f"job {row.job} waits from {row.submit:g} to {row.start:g} min" for row in late.itertuples())


def _alt_profile(resource, unit):
    def alt(frame):
        jobs = ", ".join(
            f"job {row.job} {getattr(row, resource):g} {unit} from {row.start:g} to {row.finish:g}" for row in frame.itertuples()
        )
        return (
            f"Blocks over time on a machine of {frame[f'total_{resource}'].iloc[0]:g} {unit}: {jobs}. {_six(frame).capitalize()}."
        )

    return alt


def _ways(frame):
    return "; ".join(f"{row.source} to {row.target}: {row.jobs:,} jobs" for row in frame.itertuples())


def _caption_fig3(frame):
    at = frame.iloc[0]
    return (
        f"The life of a job (the paper's Fig. 3), with the counts of a run: LoTES, {10 * at['machines']:.0f} machines of ten "
        f"configurations, arrivals for {at['hours']:g} hours at {100 * at['load']:g} % of stage 2's rate after rounding. The run ends when "
        "the last job has left."
    )


def _alt_fig4(frame):
    words = ", ".join(f"{row.quantity} {row.value:,.0f}" for row in frame.itertuples())
    return (
        "Diagram: offline, stage 1 (allocation) gives the classes of each configuration to stage 2, which makes bins, assigns machines to "
        f"them and rounds; online, stage 3 starts jobs on arrivals and exits so that machines resemble their bins. {words}."
    )


FIGURES = (
    Figure(
        "lotes.fig1", "lotes.fig1", plot_fig1,
        lambda frame: "Six jobs on a machine with four cores and 8 GB: cores in use (the paper's Fig. 1, with jobs of our own). "
        f"First come, first served: {_six(frame)}.",
        _alt_profile("cores", "cores"),
    ),
    Figure(
        "lotes.fig2", "lotes.fig1", plot_fig2,
        lambda frame: "Memory in use by the same six jobs over the same times (the paper's Fig. 2): a job needs both at once. "
        f"{_six(frame).capitalize()}.",
        _alt_profile("memory", "GB"),
    ),
    Figure(
        "lotes.fig3", "lotes.fig3", plot_fig3, _caption_fig3,
        lambda frame: f"Diagram of a job's states: outside, queue, machine, outside again. {_ways(frame).capitalize()}.",
    ),
    Figure(
        "lotes.fig4", "lotes.fig4", plot_fig4,
        "LoTES (the paper's Fig. 4) with our numbers for Google's cluster. The arrows' symbols are the paper's; rates are in jobs per hour.",
        _alt_fig4,
    ),
)  # fmt: skip
