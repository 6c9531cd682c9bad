"""Checks for chapter 7, head-of-line blocking, and chapter 8, Eagle."""

import re
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

from book import exercises
from book.exercises.reading import (
    a,
    expect,
    expect_near,
    function,
    hinted,
    items,
    made,
    near,
    number,
    numbers,
    rows,
    unlike,
    wholes,
)
from schedlib import eagle, prototype, theory
from schedlib.workload import Workload

probing = partial(exercises.exercise, "probing")
BY_HAND = 0.01  # numbers that a pencil finds may be rounded, not guessed
CUTOFF = eagle.CUTOFF["google"]
PARTITION = eagle.PARTITION["google"]
# The setting of small models: a probe for each task, no long jobs, and messages that take no time.
ONE_PROBE: dict[str, Any] = {
    "short_partition": 0,
    "cutoff": np.inf,
    "probe_ratio": 1,
    "network_delay": 0,
    "detail": "as_written",
}


@probing(
    "the wait of one server is rate * second moment / (2 * (1 - load)); at random each clerk gets "
    "half of the rate",
    "at random: rate 0.4, mean 2, second moment 8. Apart: each clerk has customers of one "
    "length, so the second moment is its square. For the third write both waits with an "
    "unknown rate and set them equal",
)
def ticket_office(answer: object) -> str:
    """Give three numbers: mean waits at random and apart (minutes), and the rate that equals them."""
    at_random, apart, rate = numbers(answer, 3, unit="min minutes", names="random apart|quick rate")
    quick, slow = 8 / 9, 72  # the waits at the two clerks
    expect_near(
        at_random,
        8,
        "at random: half go to each clerk; which two moments has a service?",
        (10, "at random: that is wait plus service; give the wait alone"),
        within=BY_HAND,
    )
    hint = "apart: that is the wait at one of the clerks; weigh both by how many customers go there"
    expect_near(
        apart,
        0.8 * quick + 0.2 * slow,
        "apart: each clerk is an M/G/1 queue of equal customers",
        (slow, hint),
        (
            (quick + slow) / 2,
            "apart: not the mean of two waits: four of five customers go to the quick clerk",
        ),
        within=BY_HAND,
    )
    expect(0 < rate < 1 / 1.2, "give a rate above 0 at which both clerks can keep up")
    expect_near(
        rate,
        0.75,
        "at that rate one of the two ways is still better: set both waits equal",
        within=BY_HAND,
    )
    return "which of the two is better depends on the rate."


@probing(
    "`theory.sita_mean_waits(rate, shares, means, squares, [n, 100 - n])` for every n at which "
    "both sides keep up",
    "for each load compute both means for n = 1 to 99, leave out those where a side has a "
    "load of 1 or more, and take `np.argmin`. The slowdown weighs each class's wait by its "
    "share over its mean length",
)
def best_split(answer: object) -> str:
    """Give three pairs, for loads of 50, 80, 95 %: short jobs' workers for the least mean wait, slowdown."""
    values = wholes(rows(answer, 2, "pairs"), "workers")
    expect(values.shape == (3, 2), f"needs three pairs, and here are {len(values)}")
    expect(
        ((values > 0) & (values < 100)).all(), "of a hundred workers each side needs one at least"
    )
    right = np.array([[18, 39], [17, 26], [17, 19]])
    expect(
        (values != right[:, ::-1]).any(),
        "the two columns look swapped: first the least mean wait, then the least slowdown",
    )
    expect(
        (values != 100 - right).any(),
        "these are the workers for long jobs: give those for short ones",
    )
    for column, what in enumerate(("wait", "slowdown")):
        for load, n, least in zip((50, 80, 95), values[:, column], right[:, column], strict=True):
            expect(n == least, f"load {load} %: another number has a smaller {what}")
    return "the best split depends on what you measure: the mean wait, or the slowdown."


@probing(
    "draw three workers with `rng.random()`, and give the one with the least `queued + busy`",
    "a draw is `int(rng.random() * len(cluster.queued))`; keep the better one of what you have and the next "
    "draw, and count the task that runs as well as those that wait",
)
def three_choices(answer: object) -> str:
    """Give an `eagle.System` whose `short_jobs` is your `send` for d = 3."""
    system = own_send(answer)
    workers = 200
    n = 200_000
    # at 50 % load few jobs are queued, and who does not count those that run chooses blindly
    for load in (0.5, 0.9):
        rng = np.random.default_rng(1)
        submit = np.cumsum(rng.exponential(1 / (load * workers), n))
        jobs = Workload.from_arrays(submit, rng.exponential(1.0, n))
        run = simulated(jobs, system, workers, **ONE_PROBE)
        expect(run.stats["probes"] == n, "send one probe for each job: leave `min_probes` out")
        mean = run.jobs["completion"].mean()
        times = {d: theory.choices_mean_time(load, d) for d in (1, 2, 3, 4)}
        jobs_then = f"at {load:.0%} load jobs"
        hint = "does it draw three workers, and do running jobs count?"
        expect(
            mean < (times[2] + times[3]) / 2,
            f"{jobs_then} take longer than with three choices: {hint}",
        )
        hint = "how many workers does it draw?"
        expect(
            mean > (times[3] + times[4]) / 2,
            f"{jobs_then} are quicker than with three choices: {hint}",
        )
    return f"the second choice takes {times[1] - times[2]:.1f} service times off the mean, the third {times[2] - times[3]:.1f}."


@probing(
    "draw workers until one has `cluster.long_tasks[worker] == 0`",
    "`worker = int(rng.random() * len(cluster.queued))` over all workers, of both partitions; "
    "`while cluster.long_tasks[worker] > 0` draw again; leave everything else of "
    "`eagle.System` as it is",
)
def never_behind_long(answer: object) -> str:
    """Give an `eagle.System` whose `short_jobs` is your `send`."""
    jobs = eagle.google(jobs=20_000, scale=0.04)
    setting: dict[str, Any] = {
        "short_partition": PARTITION,
        "cutoff": CUTOFF,
        "detail": "as_published",
    }
    run = simulated(jobs, own_send(answer), 600, **setting, record=True)
    hawk = eagle.simulate(jobs, "hawk", 600, **setting)
    stats = run.stats
    tasks = pd.DataFrame(run.tasks)
    double = abs(stats["probes"] - 2 * stats["short_tasks"]) <= 0.001 * stats["probes"]
    expect(double, "two probes a task, as Hawk has: leave `min_probes` at 0")
    behind = stats["behind_long"] / stats["probes"]
    expect(behind < 0.001, f"{behind:.1%} of the probes join a worker with a long task")
    away = (tasks.loc[~tasks["long"], "worker"] >= stats["short_only"]).mean()
    general = f"{away:.0%} of the short tasks run in the general partition"
    expect(away > 0.1, f"{general}: workers without a long task are there, too")
    ours, theirs = (
        result.jobs.loc[~result.jobs["long"], "completion"].quantile(0.99) for result in (run, hawk)
    )
    return f"short jobs' 99th percentile is {ours / theirs:.2f} times Hawk's, and no probe has to be stolen."


@probing(
    "a share 1 - s of all work is long; a part 1 - p of the short work goes to the general partition",
    "work in the general partition: load * ((1 - s) + (1 - p) * s); its workers: 1 - p. On "
    "the border the two are equal",
)
def border(answer: object) -> str:
    """Give three numbers: the load on the border for p = 0.17, 0.25 and 0.35, with s = 0.17."""
    values = numbers(answer, 3, names="17 25 35")
    part = np.array([0.17, 0.25, 0.35])
    borders = 1 / (0.83 / (1 - part) + 0.17)
    expect(
        (values > 0).all() and (values <= 1.2).all(), "loads are positive parts of 1, not per cent"
    )
    unlike(
        values,
        (
            1 - part,
            "that is the general partition's part of the workers: it gets less than all the work",
        ),
    )
    for p, load, right in zip(part, values, borders, strict=True):
        expect_near(
            load,
            right,
            f"p = {p:g}: at that load the general partition gets more work than it can do, or less",
            within=0.04,
        )
    return "setting workers aside for short jobs can make short jobs slower."


def own_send(answer: object) -> eagle.System:
    """The answer as an `eagle.System` whose `short_jobs` is a function; Hint otherwise."""
    what = "an `eagle.System`, or its function `send`"
    system = made(answer, eagle.System, what, lambda send: eagle.System("own", short_jobs=send))
    expect(
        callable(system.short_jobs),
        "its `short_jobs` needs your function (cluster, job, probe, rng)",
    )
    return system


def simulated(jobs: Workload, system: eagle.System, workers: int, **setting) -> eagle.Simulation:
    """The run of a reader's system; Hint when the simulator refuses it."""
    with hinted("it does not run"):
        return eagle.simulate(jobs, system, workers, **setting)


eagle_ = partial(exercises.exercise, "eagle")
SEEDS = (0, 1, 2)


@eagle_(
    "write down when each of the four nodes is free, with d = 50, and who asks for the next task",
    "sticky: the quick nodes ask again at 10 + d, and the slow ones are free at 100. Who is "
    "first decides who runs the other two tasks; at which d do both ask at once?",
)
def toy(answer: object) -> str:
    """Give three numbers: completion times for d = 50, sticky and not, and the d from which both agree."""
    with_it, without, d = numbers(
        answer, 3, unit="s seconds", names=r"^with\b|^sticky without|not ^d|from"
    )
    clock = "these are times of the clock: the job comes at 1, so it is there for 1 s less"
    unlike(
        (with_it, without),
        ([150, 110], "the two times look swapped", 1e-3),
        ([111, 151], clock, 1e-3),
    )
    expect_near(
        without, 150, "without: when does the slowest node begin with its task?", within=1e-3
    )
    expect_near(
        with_it,
        110,
        "with sticky probes: when are the quick nodes free again, and is that before the slow ones are?",
        within=1e-3,
    )
    expect(1 <= d <= 1000, "the last number is a d in seconds: between 1 and 1,000")
    expect_near(
        d,
        90,
        "the two ways do not become equal at that d: simulate both just below it and just above it",
        within=1e-3,
    )
    return "from there on the slow nodes are free before the quick ones ask again."


@eagle_(
    "a node, `kill={('node', 3): 0.5}`, and long tasks, so that it is busy when it dies",
    "submit eight long tasks at once and a few short ones to ten nodes, with "
    "`kill={('node', 3): 0.5}`: a long task runs there then. Kill no scheduler",
)
def killed_node(answer: object) -> str:
    """Give what `prototype.run` returned: a node died while it had a task, and every job was completed."""
    done = a(prototype.Measurement, answer, "what `prototype.run` returns")
    log = "\n".join(done.notes["what"])
    died = set(re.findall(r"^node (\d+) has died", log, re.M))
    expect(died, "no node died in this run: `kill` names a process and the second at which it dies")
    expect(
        not done.jobs["failed"].any(),
        "jobs failed in this run: of which processes is there only one?",
    )
    again = set(re.findall(r"^node (\d+) is lost: tasks? .+ will run again elsewhere", log, re.M))
    expect(
        died & again, "the node had no task when it died: `tasks` of a run says when a node has one"
    )
    return "the process that hands out tasks knows which were lost. If it dies itself, that knowledge is lost."


@eagle_(
    "for each number of busy workers, the chance that k different ones are all busy; take the mean last",
    "when the first worker that is drawn is busy, how many of the others are? Multiply such parts for one number "
    "of busy workers, and do it for the whole array at once",
)
def near_the_limit(answer: Any) -> str:
    """Give a function of (busy, workers, k): the share of jobs that wait, if they arrive while `busy` (an
    array) of the workers are busy."""
    solution = function(answer, "busy, workers, k")
    rng = np.random.default_rng(0)
    for spread in (0, 5, 12):
        busy = np.clip(np.rint(rng.normal(85, spread, 5000)), 0, 100).astype(int)
        for k in (2, 5, 10):
            all_busy = np.prod([(busy - i).clip(0) / (100 - i) for i in range(k)], axis=0)
            with hinted(f"it does not run on an array of 5,000 whole numbers, 100 and {k}"):
                mine = number(np.mean(solution(busy.copy(), 100, k)))
            right = all_busy.mean()
            idle = "that is the share of jobs that find an idle worker: the others are asked for"
            is_right = near(mine, right, 0.1)  # k draws may meet the same worker twice
            expect(is_right or not near(mine, 1 - right), idle)
            when = (
                "changes: what comes first, the mean or the power?" if spread else "never changes"
            )
            expect(is_right, f"it is wrong when the number of busy workers {when}")
    return "when the system is fuller than usual, all probes find busy workers together."


@eagle_(
    "`eagle.System(..., queue='srpt', sticky=True, min_probes=...)` with your `send`",
    "let each probe draw two workers without a long task and take the one with fewer tasks; "
    "then lower `min_probes` from Eagle's until the percentiles suffer",
)
def few_messages(answer: object) -> str:
    """Give an `eagle.System` with your `send`: as good as Eagle (to 5 %), and at most half its messages (SRPT's
    updates left out)."""
    (ours, sent), (theirs, usual) = _percentiles(own_send(answer)), _percentiles(eagle.Eagle())
    for percentile, times in zip((50, 90, 99), ours / theirs, strict=True):
        hint = "Are its probes sticky, is its queue SRPT's, and are there enough of them?"
        behind = f"the percentile {percentile} of short jobs is {times:.2f} times Eagle's"
        expect(times <= 1.05, f"{behind}. {hint}")
    part = sent / usual
    expect(
        part <= 0.5,
        f"it sends {part:.2f} times as many messages as Eagle: do fewer probes suffice?",
    )
    return f"{part:.2f} of Eagle's: knowing all queues adds little when one knows where long tasks are."


@eagle_(
    "try 5 to 14 % of the workers; let some of the probes go anywhere, also behind long tasks",
    "`if probe % 3 == 0` any worker, otherwise draw until one has no long task; "
    "`queue='srpt'`, `sticky=True` and Eagle's number of probes; compare at two thirds of the "
    "paper's partition",
)
def where_sss_harms(answer: object) -> str:
    """Give a pair: a short partition at which SSS harms, and an `eagle.System` that loses nothing there or at
    17 %."""
    parts = items(answer, "a pair: a fraction, and an `eagle.System`", 2)
    partition = number(parts[0], "a fraction of the workers")
    system = a(eagle.System, parts[1], "a fraction, and an `eagle.System`")
    expect(
        0.01 <= partition <= 0.5,
        "the short partition is a fraction of the workers, 0.01 to 0.5 here",
    )
    systems = eagle.Eagle(), eagle.Eagle(sss=False), system
    with_it, without, mine = (_percentiles(variant, partition)[0] for variant in systems)
    hint = "where do rejected probes end up when the short partition is smaller?"
    expect(with_it[2] > without[2], f"there SSS does no harm at the 99th percentile: {hint}")
    expect(
        (mine[1:] <= 1.05 * np.minimum(with_it, without)[1:]).all(),
        "there your system loses to Eagle, or to Eagle without SSS, at the 90th or the 99th percentile",
    )
    as_good = (_percentiles(system)[0] <= 1.05 * _percentiles(eagle.Eagle())[0]).all()
    expect(as_good, "with the paper's 17 % your system loses to Eagle by more than 5 %")
    return "for tasks 'never behind a long task' is right; for sticky probes it is too strict."


@cache
def _google(seed):
    return eagle.google(20_000, seed=seed, scale=1 / 15)


def _percentiles(system, partition=PARTITION):
    """Percentiles (50, 90, 99) of short jobs' completion times, means over seeds; messages per short task."""
    setting = {"short_partition": partition, "cutoff": CUTOFF, "detail": "as_published"}
    runs = [simulated(_google(seed), system, 1000, seed=seed, **setting) for seed in SEEDS]
    sent = sum(run.stats["messages"] - run.stats["updates"] for run in runs)
    messages = sent / sum(run.stats["short_tasks"] for run in runs)
    return np.mean([run.percentiles()["completion"][:3] for run in runs], axis=0), messages
