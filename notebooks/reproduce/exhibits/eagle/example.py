"""The example of Sections 4.1 and 4.2: four nodes and a job of four tasks."""

from pandas import DataFrame

from reproduce.exhibits.eagle.comparing import only
from reproduce.figure import Figure
from schedlib.eagle.simulating.simulate import simulate
from schedlib.eagle.systems import DLWL, Eagle
from schedlib.eagle.workloads.samples import four_nodes
from schedlib.plots import style
from schedlib.sweeps import Experiment, grid, scales
from schedlib.workload import Workload

PLACE = 6.95
CASES = {
    "one task a probe": Eagle(sss=False, sbp=False, srpt=False, min_probes=4),
    "sbp": Eagle(sss=False, srpt=False, min_probes=4),
    "dlwl": DLWL(),
}
TITLES = {
    "one task a probe": "one task a probe",
    "sbp": "Sticky Batch Probing",
    "dlwl": "bound at once (DLWL)",
}


def run(case: str, seed: int) -> DataFrame:
    """Four nodes with 100, 100, 10 and 10 s to do, and a job of four tasks of 10 s.

    A row per task: `job, task, worker, submit, start, finish, last` (whether it is of that job). For DLWL
    what the nodes have to do is one long job of four tasks: all four look alike, as in Section 4.2.
    """
    workload = four_nodes()
    if case == "dlwl":
        workload = Workload.from_arrays([0.0, 1.0], workload.tasks["duration"], tasks=[4, 4])
    simulation = simulate(
        workload,
        CASES[case],
        4,
        seed=seed,
        record=True,
        short_partition=0,
        cutoff=50.0,
        probe_ratio=1,
        heartbeat=0,
        detail="as_written",
    )
    tasks = DataFrame(simulation.tasks).merge(simulation.jobs[["job", "submit"]], on="job")
    tasks["last"] = tasks["job"] == tasks["job"].max()
    return tasks[["job", "task", "worker", "submit", "start", "finish", "last"]]


def draw(frame: DataFrame):
    figure, axes = style.subplots(1, len(TITLES), size=(11.4, 2.9), sharey=True)
    for ax, (case, title) in zip(axes, TITLES.items(), strict=True):
        rows = only(frame, case=case)
        ours = only(rows, last=True)
        zero = ours["submit"].iloc[0]
        for task in rows.itertuples():
            begin, color = max(task.start, zero), style.BLUE if task.last else "#CCCCCC"
            look = {"color": color, "edgecolor": "white", "height": 0.7}
            ax.barh(task.worker, task.finish - begin, left=begin - zero, **look)
        end = ours["finish"].max() - zero
        ax.axvline(end, color=style.BLUE, linewidth=1, linestyle="--")
        ax.set(
            title=f"{title}: {end:.0f} s",
            xlabel="time since the job came (s)",
            xlim=(0, 122),
            yticks=range(4),
            yticklabels=["n1", "n2", "n3", "n4"],
        )
    axes[0].invert_yaxis()
    axes[0].set_ylabel("node")
    return figure


EXPERIMENTS = (Experiment("eagle.example", "Four nodes", run, scales(grid(case=CASES)), scales(1)),)

FIGURES = (
    Figure(
        "eagle.example",
        "eagle.example",
        draw,
        "The paper's worked example: four nodes have 100, 100, 10 and 10 s of work before them (grey). A "
        "job of four tasks of 10 s each arrives (blue). Left: one probe a task. Middle: Sticky Batch "
        "Probing. Right: the scheduler places all four tasks at once and does not know which nodes are "
        "slow.",
        "Gantt charts of four nodes with a job of four tasks: placed by one probe a task, by Sticky Batch "
        "Probing, and all at once.",
    ),
)
