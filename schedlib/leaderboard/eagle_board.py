"""The board of Eagle's simulator: short jobs beside long ones, and when they are done."""

from typing import NamedTuple

import numpy as np

from schedlib.eagle import CUTOFF, PARTITION, System, cutoff_for, google, short_share, simulate
from schedlib.eagle.own import PICK, SEND
from schedlib.leaderboard.invariants import idle_while_waiting, two_at_once
from schedlib.leaderboard.race import Game, Outcome, Waiting, race
from schedlib.leaderboard.telling import telling
from schedlib.workload import Workload

PAPERS = ("eagle", "hawk", "sparrow", "dlwl")
METRICS = {"short jobs, 90 % done in (s)": "low", "short jobs, 50 % done in (s)": "low", "long jobs, 90 % done in (s)": "low"}
LOAD, SCALE, JOBS = 0.95, 1 / 60, 2000


class Case(NamedTuple):
    """Jobs and a cluster, as `eagle.simulate` takes them."""

    workload: Workload
    workers: int
    short_partition: float
    cutoff: float | None


def eagle(*mine, workload=None, workers=None, short_partition=None, cutoff=None, seeds=5, against=PAPERS, each=False):
    """The leaderboard of schedulers of short and long jobs, by the time in which 90 % of the short ones are done.

    - `mine`: `eagle.System`, or a function `send(cluster, job, probe, rng)`: where a short job's probes go, queues first come first served
    - `workload`: left out, 2,000 Google-like jobs on 250 workers, others with each seed; or a `Workload` (of a `.tr` file, say), or a
      function from a seed to one. For these `workers` are as many as give a load of 95 %, `cutoff` (s) makes a tenth of the jobs
      long and `short_partition` is the short jobs' share of the work, unless told.
    - `against`, `seeds`, `each`: as for `leaderboard.lotes`

    Gives a frame as `standings` does; times are completion times. With one given `Workload` a seed decides the systems' own choices alone.

    >>> nowhere = System("nowhere", short_jobs=lambda cluster, job, probe, rng: len(cluster.queued), long_jobs="lwl")
    >>> jobs = Workload.from_arrays([0, 1, 2], [1.0, 1.0, 9.0])
    >>> board = eagle(nowhere, workload=jobs, workers=3, cutoff=5, seeds=1, against=["hawk"])
    >>> print(board["broke"].iloc[1])
    unknown worker: job 0 at 0 s sends probe 0 to worker 3; there are 3, 0 to 2 (seed 0)
    """
    game = Game(METRICS, _cases(workload, workers, short_partition, cutoff), _run, _waiting, _reason)
    return race(game, tuple(map(_system, mine)), against, seeds, each)


def google_jobs(seed: int) -> Case:
    """The default case: Google-like jobs for a sixtieth of Google's smallest cluster."""
    return Case(google(JOBS, seed, SCALE), 250, PARTITION["google"], CUTOFF["google"])


def _cases(workload, workers, short_partition, cutoff):
    if workload is None:
        if (workers, short_partition, cutoff) != (None, None, None):
            raise ValueError("workers, short_partition, cutoff: are those of a workload of your own; give workload= too")
        return google_jobs
    make = workload if callable(workload) else lambda seed: workload

    def checked(seed):
        if not isinstance(jobs := make(seed), Workload):
            raise ValueError(f"workload: a {type(jobs).__name__}; give a Workload, or a function from a seed to one")
        limit = cutoff_for(jobs) if cutoff is None else cutoff
        submit = jobs.jobs["submit"].to_numpy()
        if workers is None and submit[-1] == submit[0]:
            raise ValueError("workers: all jobs come at once, so that no number of workers gives a load; say how many")
        enough = workers or int(np.ceil(jobs.tasks["duration"].sum() / (LOAD * (submit[-1] - submit[0]))))
        return Case(jobs, enough, short_share(jobs, limit) if short_partition is None else short_partition, limit)

    return checked


def _system(given) -> System:
    if isinstance(given, System):
        return given
    if not callable(given):
        raise ValueError(f"mine: {given!r}; give an eagle.System, or a function send(cluster, job, probe, rng)")
    return System(getattr(given, "__name__", "own"), short_jobs=given, long_jobs="lwl", queue="fifo")


def _simulated(system, case: Case, seed: int, record: bool = False):
    how = {"short_partition": case.short_partition, "cutoff": case.cutoff}
    return simulate(case.workload, system, case.workers, seed=seed, record=record, **how)


def _run(system, case: Case, seed: int) -> Outcome:
    run = _simulated(system, case, seed, record=True)
    jobs, tasks = run.jobs, run.tasks
    short, long = (jobs["completion"][jobs["long"] == which].to_numpy() for which in (False, True))
    values = [np.percentile(times, q) if len(times) else np.nan for times, q in ((short, 90), (short, 50), (long, 90))]
    longest = np.maximum.reduceat(case.workload.tasks["duration"].to_numpy(), case.workload.offsets[:-1])
    twice = two_at_once(case.workers, *(tasks[name].to_numpy() for name in ("worker", "start", "finish")))
    where = "" if twice is None else f"worker {tasks['worker'][twice]} runs a second task at {tasks['start'][twice]:.4g} s"
    broke = where and f"capacity: {where}; the arrays of `cluster` are the simulator's own: read them, and change none"
    return Outcome(tuple(values), np.maximum(jobs["completion"].to_numpy() - longest, 0.0), broke, *_idle(run, case))


def _idle(run, case: Case) -> tuple[float, str]:
    jobs = run.jobs.set_index("job")
    ready = jobs["submit"].reindex(run.tasks["job"]).to_numpy()
    share = idle_while_waiting(case.workers, ready, run.tasks["start"].to_numpy(), run.tasks["finish"].to_numpy())
    return share, f"workers idle for {share:.0%} of their time while a task waits elsewhere; more probes, or stealing, find them"


def _waiting(case: Case) -> Waiting:
    jobs = case.workload
    way_out = "let `queue` come to it, or send its probes elsewhere"
    return Waiting("job", jobs.jobs["submit"].to_numpy(), float(jobs.tasks["duration"].max()), jobs.time_unit, way_out)


def _reason(system: System, case: Case, seed: int, error: str) -> str:
    unit, said = case.workload.time_unit, []

    def sent(cluster, job, probe, worker):
        n = len(cluster.queued)
        if not 0 <= worker < n:
            return f"unknown worker: job {job} at {cluster.now:.4g} {unit} sends probe {probe} to worker {worker}; there are {n}, 0 to {n - 1}"
        return None

    def picked(cluster, line, place):
        if not 0 <= place < len(line):
            return (
                f"unknown place: at {cluster.now:.4g} {unit} the queue (jobs {', '.join(map(str, line[:5]))}{' ...' if len(line) > 5 else ''}) "
                f"is asked for place {place}; it has {len(line)}, 0 to {len(line) - 1}"
            )
        return None

    parts = {"short_jobs": (SEND, sent), "queue": (PICK, picked)}
    heard = {}
    for part, (signature, reason) in parts.items():
        if callable(getattr(system, part)):
            heard[part], texts = telling(getattr(system, part), signature, reason)
            said.append(texts)
    try:
        _simulated(System(**{**vars(system), **heard}), case, seed)
    except ValueError:
        return next((text for texts in said for text in texts), "")
    return ""
