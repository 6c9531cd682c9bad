"""The example of Sections 4.1 and 4.2: four nodes and a job of four tasks."""

from pandas import DataFrame

from reproduce.figure import Figure
from schedlib.eagle.simulating.simulate import simulate
from schedlib.eagle.systems import DLWL, Eagle
from schedlib.eagle.workloads.samples import four_nodes
from schedlib.sweeps import Experiment, grid, scales
from schedlib.workload import Workload

PLACE = 6.95
CASES = {
    "one task a probe": Eagle(sss=False, sbp=False, srpt=False, min_probes=4),
    "sbp": Eagle(sss=False, srpt=False, min_probes=4),
    "dlwl": DLWL(),
}


def run(case: str, seed: int) -> DataFrame:
    """Four nodes with 100, 100, 10 and 10 s to do, and a job of four tasks of 10 s.

    A row per task: `job, task, worker, submit, start, finish, last` (whether it is of that job). For DLWL
    what the nodes have to do is one long job of four tasks: all four look the same, as in Section 4.2.
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


EXPERIMENTS = (Experiment("eagle.example", "Four nodes", run, scales(grid(case=CASES)), scales(1)),)

FIGURES = (
    Figure(
        "eagle.example",
        "eagle.example",
        None,
        "The paper's worked example: four nodes have 100, 100, 10 and 10 s of work before them, and a job of four "
        "tasks of 10 s each (last) arrives. It takes 110 s with one probe a task, 30 s with Sticky Batch Probing, "
        "and 110 s when the scheduler places all four tasks at once (dlwl) and does not know which nodes are slow.",
        "Table of the tasks on four nodes, with when each starts and finishes, by who places them.",
    ),
)
