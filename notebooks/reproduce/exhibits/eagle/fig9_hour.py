"""Fig. 9: the sample of the paper's Spark prototype, simulated; beyond the paper an hour of a real trace."""

from pandas import DataFrame, Series

from reproduce.exhibits import as_key
from reproduce.exhibits.eagle import drawing
from reproduce.exhibits.eagle.comparing import each_system, only, ratios
from reproduce.figure import Figure
from schedlib.eagle.workloads.samples import SAMPLE_JOBS, SAMPLE_NODES, alibaba, google_sample
from schedlib.eagle.workloads.synthetic import LOAD, WORKERS, google
from schedlib.plots import style
from schedlib.plots.alt import alt
from schedlib.sweeps import Experiment, grid, scales
from schedlib.workload import Workload

PLACE = 7
SYSTEMS = ("eagle", "hawk", "hawk-general", "sparrow", "dlwl", "omniscient", "ideal-eagle")


def run(sample: str, interarrival: float, seed: int) -> DataFrame:
    """Eagle and Hawk on the prototype's 100 nodes; times are in ms, a message takes 0.5.

    `interarrival` is one over the load. `sample` "cut": `google_sample`, the paper's cut word by word, jobs
    keeping their class; "made small": the generator at 1/150 of the cluster, so that jobs have at most 20
    tasks of the usual durations. Both have Table 1's shares.
    """
    if sample == "cut":
        workload = google_sample(interarrival, seed)
    else:
        made = google(SAMPLE_JOBS, seed, SAMPLE_NODES / WORKERS["google"][0])
        workload = Workload(
            made.jobs.assign(submit=LOAD["google"] * interarrival * made.jobs["submit"]), made.tasks
        )
    rows = each_system(
        ("eagle", "hawk"), workload, "google", SAMPLE_NODES, seed, network_delay=0.5, cutoff=None
    )
    return rows.assign(completion=(rows["completion"] / 1000).round(9))


def run_hour(every: int, workers: int, seed: int) -> DataFrame:
    """Every system on each `every`-th stage; `workers` is for every 16th, other samples get their share."""
    return each_system(SYSTEMS, alibaba(every), "alibaba", round(workers * 16 / every), seed)


def busy(frame: DataFrame) -> Series:
    """The share of the nodes (%) that are busy from the first to the last submission, by sample and ratio."""
    return (100 * frame.groupby(["sample", "interarrival"])["utilisation"].mean()).rename("busy")


def draw(frame: DataFrame):
    """Eagle over Hawk against the share of busy nodes, a column for each sample."""
    shares = busy(frame)
    rows = ratios(frame, "eagle", "hawk").join(shares, on=["sample", "interarrival"])
    samples = list(frame["sample"].unique())
    columns = {f"sample {sample}": only(rows, sample=sample) for sample in samples}
    figure = drawing.plot_cases(columns, "busy", "busy nodes (%)")
    for ax, sample in zip(figure.axes, 2 * samples, strict=True):
        for ratio in (min(PRINTED), max(PRINTED)):
            ax.axvline(shares[sample, ratio], color="#AAAAAA", linewidth=0.8)
    style.printed(figure.axes[0], shares["cut", min(PRINTED)], drawing.BEST)
    return figure


PRINTED, LOWER = (1.2, 1.4, 1.6, 1.8, 2.0), (0.4, 0.6, 0.8, 1.0)
POINTS = [
    [
        *grid(sample=["cut"], interarrival=(*lower, *times)),
        *grid(sample=["made small"], interarrival=times),
    ]
    for lower, times in (((0.6,), (1.2, 2.0)), (LOWER, PRINTED))
]
HOURS = [
    grid(every=[every], workers=WORKERS["alibaba"][::step])
    for every, step in ((256, 4), (32, 2), (16, 1))
]
EXPERIMENTS = (
    Experiment(
        "eagle.fig9",
        "The prototype's sample, simulated",
        run,
        scales(*POINTS),
        scales(1, (5, 10, 20)),
    ),
    Experiment("eagle.hour", "An hour of Alibaba's stages", run_hour, scales(*HOURS), scales(1, 3)),
)

FIGURES = (
    Figure(
        "eagle.fig9",
        "eagle.fig9",
        draw,
        lambda frame: (
            "Eagle's completion times over Hawk's against the share of busy nodes, 3,300 jobs on 100 "
            "simulated nodes (the paper's Fig. 9 has a prototype). Left: the paper's sample, of fewer and "
            "longer tasks. Right: the generator's jobs. Grey: inter-arrival ratios 1.2 (right) "
            "and 2.0. Bar: the paper's best, 80 % sooner. Program as submitted. "
            f"Seeds: {frame['seed'].nunique()}. Intervals: 95 %."
        ),
        alt(
            "Line charts of Eagle's times over Hawk's against the inter-arrival ratio. Short jobs, sample",
            "ratio",
            ["sample", "percentile"],
            "interarrival",
            of=lambda frame: ratios(frame, "eagle", "hawk", "short"),
            names=drawing.WORDS,
        ),
    ),
    Figure(
        "eagle.hour",
        "eagle.hour",
        None,
        lambda frame: (
            "Percentiles of completion times (s) by the number of workers. A job is one stage in "
            f"{frame['every'].iloc[0]} of Alibaba's hour, and its tasks are the stage's instances. A job is long "
            "when its mean task time is above 49 s. 24 % of the workers take short jobs only. Program as submitted. Beyond the paper. "
            "Data: Alibaba, cluster-trace-v2018."
        ),
        "Table of completion times by system, workers, class of jobs and percentile.",
        part=as_key("percentile"),
    ),
)
