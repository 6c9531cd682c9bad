"""Eagle's experiments off the three traces: the example of four nodes, the prototype's sample, the Alibaba hour. Times in seconds."""

import pandas as pd

from schedlib.eagle.simulating.simulate import simulate
from schedlib.eagle.systems import DLWL, Eagle
from schedlib.eagle.workloads.alibaba import alibaba
from schedlib.eagle.workloads.examples import SAMPLE_JOBS, SAMPLE_NODES, four_nodes, google_sample
from schedlib.eagle.workloads.synthetic import LOAD, WORKERS, google
from schedlib.exhibits.eagle.running import each_system
from schedlib.exhibits.eagle.sizes import ALL
from schedlib.experiment import Experiment
from schedlib.workload import Workload

CASES = {
    "one task a probe": Eagle(sss=False, sbp=False, srpt=False, min_probes=4),
    "sbp": Eagle(sss=False, srpt=False, min_probes=4),
    "dlwl": DLWL(),
}


def example(case: str, seed: int) -> pd.DataFrame:
    """The example of Section 4.1: four nodes with 100, 100, 10 and 10 s to do, and a job of four tasks of 10 s.

    A row per task: `job, task, worker, submit, start, finish, last` (whether it is of that job). For DLWL what the nodes have to do is
    one long job of four tasks, with one estimate: all four look alike, as in Section 4.2.
    """
    workload = four_nodes()
    if case == "dlwl":
        workload = Workload.from_arrays([0.0, 1.0], workload.tasks["duration"], tasks=[4, 4])
    options = {"short_partition": 0, "cutoff": 50.0, "probe_ratio": 1, "heartbeat": 0, "detail": "as_written"}
    run = simulate(workload, CASES[case], 4, seed=seed, record=True, **options)
    tasks = run.tasks.merge(run.jobs[["job", "submit"]], on="job")
    tasks["last"] = tasks["job"] == tasks["job"].max()
    return tasks[["job", "task", "worker", "submit", "start", "finish", "last"]]


def fig9(sample: str, interarrival: float, seed: int) -> pd.DataFrame:
    """Eagle and Hawk on the prototype's 100 nodes: columns as of `running.each_system`.

    `interarrival` is the mean time between jobs over the time that all nodes together need for a mean job: one over the load. `sample`
    "cut": `google_sample`, the paper's cut word by word, jobs keeping their class; "made small": the generator at 1/150 of the cluster,
    so that jobs have at most 20 tasks of the usual durations. Both have Table 1's shares; times are in ms, a message takes 0.5.
    """
    if sample == "cut":
        workload = google_sample(interarrival, seed)
    else:
        made = google(SAMPLE_JOBS, seed, SAMPLE_NODES / WORKERS["google"][0])
        workload = Workload(made.jobs.assign(submit=LOAD * interarrival * made.jobs["submit"]), made.tasks)
    frame = each_system(("eagle", "hawk"), workload, "google", SAMPLE_NODES, seed, network_delay=0.5, cutoff=None)
    return frame.assign(completion=(frame["completion"] / 1000).round(9))


def hour(every: int, workers: int, seed: int) -> pd.DataFrame:
    """Every system on each `every`-th stage of Alibaba's hour; `workers` counts for every 16th, other samples get their share."""
    names = ("eagle", "hawk", "hawk-general", "sparrow", "dlwl", "omniscient", "ideal-eagle")
    return each_system(names, alibaba(every), "alibaba", round(workers * 16 / every), seed)


HOUR = {"smoke": (256, slice(None, None, 4)), "quick": (32, slice(None, None, 2)), "paper": (16, slice(None))}
SAMPLES = ("cut", "made small")
RATIOS = {"smoke": (1.2, 2.0), "quick": (1.2, 1.4, 1.6, 1.8, 2.0), "paper": (1.2, 1.4, 1.6, 1.8, 2.0)}

EXPERIMENTS = (
    Experiment("eagle.example", "Four nodes", example, dict.fromkeys(ALL, [{"case": case} for case in CASES]), dict.fromkeys(ALL, 1)),
    Experiment(
        "eagle.fig9", "The prototype's sample, simulated", fig9,
        {scale: [{"sample": sample, "interarrival": ratio} for sample in SAMPLES for ratio in RATIOS[scale]] for scale in ALL},
        {"smoke": 1, "quick": 5, "paper": 20},
    ),
    Experiment(
        "eagle.hour", "An hour of Alibaba's stages", hour,
        {scale: [{"every": every, "workers": workers} for workers in WORKERS["alibaba"][some]] for scale, (every, some) in HOUR.items()},
        {"smoke": 1, "quick": 3, "paper": 5},
    ),
)  # fmt: skip
