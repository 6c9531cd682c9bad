"""The evaluation's figures and tables on the authors' own jobs: excerpts of their files, or whole files.

None of the files is shipped; `python -m schedlib data hawk` fetches the excerpts, and each whole file has a
source of its own. The settings are the paper's or follow from the jobs alone, not from completion times:

- Each excerpt has every job that ends after a moment T0, and is complete only from T0 on. The jobs submitted
  before were still running then. They stay in and warm the cluster up, and every job counts, as in the paper.
- Submissions and durations are as recorded, and the numbers of workers are the paper's. From T0 on Google's
  jobs bring the work of 12,255 workers, 0.82 of 15,000. Table 2 implies 0.67 / 0.83 = 0.81. With all times of
  submission divided by five, as the paper's gap of one second suggests for the whole month, it would be 4.1.
- Cut-offs, short partitions and heartbeats are the paper's for the trace (`eagle.CUTOFF` and its neighbours).
- A seed decides what schedulers draw. The jobs are the same for all seeds, so an interval says how far chance
  in the schedulers moves a result on these jobs, and nothing about other stretches of the trace.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pandas import DataFrame, concat

from reproduce import exhibits
from reproduce.exhibits.eagle import comparing, drawing, fig8_estimates
from reproduce.exhibits.eagle.comparing import PUBLISHED
from reproduce.exhibits.eagle.drawing import whose
from schedlib import traces
from schedlib.eagle.simulating.results import Simulation
from schedlib.eagle.workloads.synthetic import WORKERS
from schedlib.sweeps import Experiment, scales
from schedlib.workload import Workload

PLACE = 6.9
SYSTEMS = ("eagle", "hawk", "hawk-general", "dlwl", "no-sss", "no-min", "no-sbp-srpt")
"""The systems that run with each number of workers."""
WRITTEN = {f"{name}-written": name for name in ("eagle", "hawk-any", "hawk-general")}
"""Systems as the text says, and what they are otherwise called."""
AT_FEWEST = ("sparrow", "omniscient", "dlwl-5", "dlwl-7", *PUBLISHED, *WRITTEN)
"""The systems that run besides with the fewest workers."""
LATER = {"dlwl-5", "dlwl-7"}
"""Longer heartbeats than Google's, as in Fig. 4: for Google's trace alone."""


class Source(NamedTuple):
    """Files of the authors' jobs that are fetched together and drawn in the same figures."""

    name: str
    files: Mapping[str, str]
    fetch: str
    jobs: str
    places: Mapping[str, Iterable[int]]
    seeds: Mapping[str, int]


def whole(trace: str, file: str) -> Source:
    """A trace's whole file: below the paper's scale a single run with the fewest workers."""
    return Source(
        name=f"{trace}-full",
        files={trace: file},
        fetch=f"hawk-{trace}",
        jobs=f"the authors' {drawing.NAMES[trace]} trace, the whole file",
        places=scales((0,), (0,), range(5)),
        seeds=scales(1, 1, 5),
    )


EXCERPTS = Source(
    name="authors",
    files={"yahoo-1": "YH1_sub.tr", "yahoo-2": "YH2_sub.tr", "google": "GOOG_subtrace.tr"},
    fetch="hawk",
    jobs="excerpts of the authors' own traces",
    places=scales((0, 4), range(5)),
    seeds=scales(1, 5),
)
SOURCES = (
    EXCERPTS,
    whole("yahoo", "YH_full.tr"),
    whole("cloudera", "CCc.tr"),
    whole("google", "GOOG.tr"),
)


def path_of(file: str) -> Path | None:
    """Where a file of the authors' jobs is, or None when it is not here."""
    folder = traces.hawk_folder()
    return folder / file if folder and (folder / file).exists() else None


def missing(source: Source) -> str:
    """How to fetch the first of these files that is not here; "" when all are."""
    for file in source.files.values():
        what = f"{file} is not here; fetch it with"
        if lacking := exhibits.lacking(path_of(file), what, source.fetch):
            return lacking
    return ""


def data_files(point: Mapping[str, Any]) -> list[Path]:
    """The file that a point reads, if it is here."""
    file = path_of(point["file"])
    return [file] if file else []


def jobs_of(file: str) -> Workload:
    """The jobs of one of the files; ValueError when it is not here."""
    return traces.read_hawk(path_of(file) or file)


def complete_from(workload: Workload) -> float:
    """T0 (s): the first moment at which a job of the file can end.

    >>> complete_from(Workload.from_arrays([0, 5], [9, 2, 3], tasks=[2, 1]))
    8.0
    """
    longest = np.maximum.reduceat(workload.tasks["duration"].to_numpy(), workload.offsets[:-1])
    return float((workload.jobs["submit"] + longest).min())


def busy_since(done: Simulation, since: float) -> float:
    """The mean share of busy workers in the intervals from then to the last submission.

    The simulator's intervals last 66 or 131 s on Yahoo's excerpts and 1,049 s on Google's.
    """
    last = done.jobs["submit"].max()
    shares = done.utilisation
    begin = shares["time"]
    end = begin.shift(-1)
    return float(shares["all"][(begin >= since) & (end <= last)].mean())


def systems(trace: str, workers: int) -> tuple[str, ...]:
    """The systems that run on a trace with `workers` workers."""
    if workers > min(WORKERS[trace]):
        return SYSTEMS
    left_out = set() if trace == "google" else LATER
    return SYSTEMS + tuple(name for name in AT_FEWEST if name not in left_out)


def one_system(
    name: str, workload: Workload, trace: str, workers: int, seed: int, **options: Any
) -> Simulation:
    """A run of one of `WRITTEN`, or of a system that `comparing.one_run` knows."""
    if name in WRITTEN:
        options["detail"] = "as_written"
    return comparing.one_run(WRITTEN.get(name, name), workload, trace, workers, seed, **options)


def rows_of(name: str, done: Simulation, since: float) -> DataFrame:
    """`comparing.rows_of`, with the share of busy workers since then."""
    busy = busy_since(done, since)
    return comparing.rows_of(name, done).assign(utilisation=round(busy, 6))


def each_system(
    names: Iterable[str], trace: str, file: str, workers: int, seed: int, **options: Any
) -> DataFrame:
    """Each system on the jobs of a file with `workers` workers; the seed is the schedulers'."""
    workload = jobs_of(file)
    since = complete_from(workload)
    blocks = []
    for name in names:
        done = one_system(name, workload, trace, workers, seed, **options)
        blocks.append(rows_of(name, done, since))
    return concat(blocks, ignore_index=True)


def run(trace: str, file: str, workers: int, seed: int) -> DataFrame:
    """The systems that run on a file's jobs with `workers` workers."""
    paper_trace = whose(trace)
    return each_system(systems(paper_trace, workers), paper_trace, file, workers, seed)


def run_estimates(
    trace: str, file: str, workers: int, low: float, high: float, seed: int
) -> DataFrame:
    """Eagle and DLWL+SRPT with these `fig8_estimates.estimates`."""
    estimate = fig8_estimates.estimates(low, high)
    return each_system(fig8_estimates.SYSTEMS, trace, file, workers, seed, estimate=estimate)


def points(source: Source) -> dict[str, list[dict[str, Any]]]:
    """A point for each file and each number of workers that runs at a scale, the fewest first."""
    return {
        scale: [
            {"trace": trace, "file": file, "workers": WORKERS[whose(trace)][place]}
            for trace, file in source.files.items()
            for place in places
        ]
        for scale, places in source.places.items()
    }


def experiments(source: Source) -> list[Experiment]:
    """The systems by numbers of workers, and for Google wrong estimates."""
    title = source.jobs[0].upper() + source.jobs[1:]
    needs: dict[str, Any] = {"missing": partial(missing, source), "data_files": data_files}
    name = f"eagle.{source.name}"
    made = [Experiment(name, title, run, points(source), source.seeds, **needs)]
    if "google" in source.files:
        fewest = {
            "trace": "google",
            "file": source.files["google"],
            "workers": min(WORKERS["google"]),
        }
        wrong = [fewest | estimates for estimates in fig8_estimates.POINTS]
        made.append(
            Experiment(
                f"{name}-fig8",
                f"{title}: mis-estimated task times",
                run_estimates,
                scales(wrong),
                source.seeds,
                **needs,
            )
        )
    return made


EXPERIMENTS = tuple(made for source in SOURCES for made in experiments(source))
