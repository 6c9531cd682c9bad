"""The jobs of Google, Cloudera and Yahoo: two sets of laws, and how jobs are drawn by them.

`"traces"` is calibrated on what went into the authors' runs, never on what came out: on three excerpts of
their trace files (two of Yahoo's, one of Google's; `make data ARGS=hawk`), on Table 1, and on the load that
Table 2 implies. `"text"` is what the text of Hawk says about durations within a job, with this library's own
assumptions where the text is silent; it was the only law before the excerpts were found.

| | `"traces"`, Google | `"traces"`, Yahoo (and Cloudera) | `"text"` |
|---|---|---|---|
| tasks of a job | one in 66 % of the short and 71 % of the long jobs, else a power law | as in the text | Google: one in 75 %, else a power law; others exponential, a long job's mean by its type |
| mean duration of a short job | a fraction of the cut-off, logit-normal, longer with more tasks | logit-normal, spread 1.37 | logit-normal, spread 1 |
| mean duration of a long job | a power law above the cut-off | exponential above the cut-off, by type | as Yahoo's |
| durations within a job | lognormal, with a coefficient of variation of the job's own | Gaussian, variance twice the mean | Gaussian, standard deviation twice the mean |
| submissions | in batches of the same second, which are a Poisson process | evenly apart | a Poisson process |
| offered load on the fewest workers | 0.81 | 0.86 | 0.95 |

- *Excerpts.* Each holds the jobs that end after a moment and begin before another. So its first jobs are
  those that still run at that moment. From there on it is complete, and only that part is used here.
- *Load.* A probe meets a long task with the probability that a worker has one. Table 2 gives that for Hawk:
  0.67 for Google, 0.84 for Yahoo. Long jobs have 0.83 and 0.98 of the work (Table 1), so the load is 0.81 and
  0.86. Cloudera's is not printed; Yahoo's is taken. Google's excerpt brings 0.82 of 15,000 workers.
- *Google's clock.* By these laws jobs come 3.7 s apart on 15,000 workers (2.8 s in the excerpt, 4.95 s in the
  month). The paper says 1 s. With jobs of the excerpt's size that would be a load of 2 or more.
- *Yahoo's share.* Jobs come 7.5 s apart in the excerpts. With the load and the short jobs' sizes it follows
  that long jobs have 98.4 % of the work, where Table 1 prints 98 and the excerpts have 98.2 and 98.7.
- *Tasks of a short job.* Table 2 prints the number of Hawk's probes behind a long task and their share of
  all; two probes a task make 28.3 tasks a job for Google (26.9 in the excerpt) and 23.6 for Yahoo (23.0, 23.8).
  For Cloudera 75 % is assumed.
- *Long jobs* of Cloudera and Yahoo are of the types found by k-means in the traces (Chen et al., PVLDB 5(12)
  2012 and MASCOTS 2011), which Hawk's and Eagle's authors expand as well: their numbers of jobs add up to
  Table 1's. A type's number of tasks is its task-seconds over its duration.
- *Cloudera.* No excerpt is public. The short jobs' mean is Chen et al.'s, all else Yahoo's law.
- *Not modelled*: jobs of one second resemble one another in Google's excerpt (the correlation of successive log means is
  0.33); its rate has a daily pattern.
"""

from typing import NamedTuple

import numpy as np

from schedlib.core.portable import exp, log

POWER, BY_TYPE = "power", "by type"


class Law(NamedTuple):
    """The law of one trace.

    - `load`: offered load on the paper's fewest workers
    - `long_work`: the long jobs' share of the task-seconds
    - `sizes`: numbers of tasks, `"power"` or `"by type"`; `one_task` and `exponent`, of a short and of a long
      job, belong to the first, `short_tasks` (a mean) to the second
    - `largest`: the most tasks of a short and of a long job, as a share of the fewest workers
    - `centre`, `spread`, `growth`: of the logit of a short job's mean duration over the cut-off; it grows by
      `growth` with the logarithm of the number of tasks
    - `long_means`: how long jobs' mean durations lie above the cut-off, `"power"` or `"by type"`
    - `within`: durations within a job, a key of `WITHIN`
    - `arrivals`: submissions, a key of `ARRIVALS`

    >>> LAWS["text"]["yahoo"].load
    0.95
    """

    load: float
    long_work: float
    sizes: str
    largest: tuple[float, float]
    centre: float
    spread: float
    growth: float
    long_means: str
    within: str
    arrivals: str
    one_task: tuple[float, float] = (0.0, 0.0)
    exponent: tuple[float, float] = (0.0, 0.0)
    short_tasks: float = 0.0


CLOUDERA = Law(
    load=0.95,
    long_work=0.91,
    sizes=BY_TYPE,
    short_tasks=187.0,
    largest=(1 / 5, 1.0),
    centre=-0.764,  # 94.6 s
    spread=1.0,
    growth=0.0,
    long_means=BY_TYPE,
    within="deviation",
    arrivals="poisson",
)
TEXT = {
    "google": Law(
        load=0.95,
        long_work=0.83,
        sizes=POWER,
        one_task=(0.75, 0.75),
        exponent=(1.4018, 1.4018),
        largest=(1 / 5, 1 / 5),
        centre=-2.654,  # tasks of short jobs last 105 s on average
        spread=1.0,
        growth=0.0,
        long_means=BY_TYPE,
        within="deviation",
        arrivals="poisson",
    ),
    "cloudera": CLOUDERA,
    "yahoo": CLOUDERA._replace(
        long_work=0.98,
        short_tasks=23.6,
        centre=0.192,  # 48.9 s
    ),
}
TRACES = {
    "google": Law(
        load=0.807,
        long_work=0.83,
        sizes=POWER,
        one_task=(0.66, 0.71),
        exponent=(1.5174, 1.2948),  # 28.3 and 62 tasks on average
        largest=(1 / 3, 1 / 3),
        centre=-2.348,
        spread=1.213,
        growth=0.159,
        long_means=POWER,
        within="lognormal",
        arrivals="batches",
    ),
    "cloudera": TEXT["cloudera"]._replace(
        load=0.857,
        centre=-0.856,  # 94.6 s
        spread=1.37,
        within="variance",
        arrivals="even",
    ),
    "yahoo": TEXT["yahoo"]._replace(
        load=0.857,
        long_work=0.984,
        centre=-1.779,  # 18.9 s
        spread=1.37,
        within="variance",
        arrivals="even",
    ),
}
LAWS = {"traces": TRACES, "text": TEXT}
TYPES = {
    "google": [(1, 1, 1)],
    "cloudera": [
        (477, 847, 2820),
        (246, 48, 15240),
        (197, 875, 3180),
        (105, 1938, 7860),
        (23, 405, 61200),
        (7, 3577, 18900),
    ],
    "yahoo": [
        (838, 409, 2100),
        (91, 1004, 2400),
        (7, 133, 9300),
        (35, 455, 13500),
        (5, 2119, 30900),
        (1303, 8, 3600),
        (2, 954, 16800),
    ],
}
"""Types of long jobs: jobs, tasks of one, duration (s); Chen et al.'s clusters without that of small jobs."""
LONGEST = 5.67
"""The largest logarithm of a long job's mean over the cut-off by the power law: 326,131 s, as in the excerpt.

In a sample of few jobs they are longer where their share of the work needs it."""
VARIATION = ((-2.23, 1.24), (-3.50, 1.72))
"""Mean and standard deviation of the log coefficient of variation in a short, and in a long job of Google."""
MOST_VARIED = 1.5
BATCH = (0.55, 2.115, 55)
"""Jobs of one second: the share of single ones, the exponent of the others, the most (2.9 on average)."""


def power_law(
    rng: np.random.Generator, n: int, one: float, exponent: float, most: int
) -> np.ndarray:
    """`n` whole numbers: 1 with probability `one`, else 2 to `most` by a power law.

    >>> power_law(np.random.default_rng(0), 5, 0.5, 1.5, 10).tolist()
    [2, 1, 1, 1, 4]
    """
    weight = np.arange(1, most + 1) ** -exponent
    others = weight[1:].sum()
    weight[1:] *= (1 - one) / others
    weight[0] = one
    cumulated = np.cumsum(weight)
    drawn = rng.random(n) * cumulated[-1]
    return 1 + np.searchsorted(cumulated, drawn, side="right")


def numbers_of_tasks(
    rng: np.random.Generator, law: Law, long: np.ndarray, mean_of_long: np.ndarray, workers: float
) -> np.ndarray:
    """Each job's number of tasks, (N,); `long (N,)` is True for long jobs, `mean_of_long` their mean numbers.

    The laws are those of the full size. Only the largest number shrinks with the cluster.
    """
    most = [int(workers * share) for share in law.largest]
    tasks = np.empty(len(long), np.int64)
    if law.sizes == POWER:
        for of_class, chosen in enumerate((~long, long)):
            tasks[chosen] = power_law(
                rng, chosen.sum(), law.one_task[of_class], law.exponent[of_class], most[of_class]
            )
        return tasks
    mean = np.full(len(long), law.short_tasks)
    mean[long] = mean_of_long
    drawn = np.ceil(rng.standard_exponential(len(long)) * mean)
    limit = np.where(long, most[1], most[0])
    return np.clip(drawn, 1, limit).astype(np.int64)


def short_means(
    law: Law, cutoff: float, tasks: np.ndarray, normal: np.ndarray, shift: float
) -> np.ndarray:
    """Mean durations (s) of short jobs, below `cutoff` (s); `shift` is added to all logits."""
    logit = law.centre + shift + law.spread * normal
    if law.growth:
        logit = logit + law.growth * log(tasks)
    return cutoff / (1 + exp(-logit))


def long_means(
    law: Law, least: float, duration: np.ndarray, drawn: np.ndarray, scale: float
) -> np.ndarray:
    """Mean durations (s) of long jobs, from `least` (s) on; `duration (n,)` (s) is that of each job's type.

    `drawn (n,)` are exponential variates. The means grow with `scale`, which makes the long jobs' work.
    """
    if law.long_means == POWER:
        return least * exp(np.minimum(scale * drawn, LONGEST))
    return least + scale * drawn * duration


def _positive(rng: np.random.Generator, mean: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Gaussian variates; negative ones are drawn again."""
    value = mean + deviation * rng.standard_normal(len(mean))
    wrong = np.flatnonzero(value <= 0)
    while len(wrong):
        value[wrong] = mean[wrong] + deviation[wrong] * rng.standard_normal(len(wrong))
        wrong = wrong[value[wrong] <= 0]
    return value


def _deviation(rng, tasks, mean, long):
    """Hawk's text, Section 4.1: a standard deviation of twice the mean (0.7 of it after the draws)."""
    of_task = np.ones(tasks.sum())
    return _positive(rng, of_task, 2 * of_task)


def _variance(rng, tasks, mean, long):
    """The authors' Yahoo file: a variance of twice the mean."""
    of_task = np.repeat(mean, tasks)
    return _positive(rng, of_task, np.sqrt(2 * of_task))


def _lognormal(rng, tasks, mean, long):
    """Each job has a coefficient of variation of its own, itself lognormal."""
    centre, spread = np.array(VARIATION)[long.astype(int)].T
    variation = exp(centre + spread * rng.standard_normal(len(tasks)))
    variation = np.minimum(variation, MOST_VARIED)
    sigma = np.sqrt(log(1 + variation**2))
    return exp(np.repeat(sigma, tasks) * rng.standard_normal(tasks.sum()))


WITHIN = {"deviation": _deviation, "variance": _variance, "lognormal": _lognormal}


def durations(
    rng: np.random.Generator, law: Law, tasks: np.ndarray, mean: np.ndarray, long: np.ndarray
) -> np.ndarray:
    """Durations (s) of the tasks of all jobs, scaled so that each job has its mean.

    `tasks (N,)` is each job's number of tasks, `mean (N,)` its mean duration (s), `long (N,)` its class.

    >>> some = np.array([2, 1]), np.array([3.0, 5.0]), np.array([False, False])
    >>> durations(np.random.default_rng(0), LAWS["text"]["yahoo"], *some).round(2).tolist()
    [3.78, 2.22, 5.0]
    """
    duration = WITHIN[law.within](rng, tasks, mean, long)
    first = np.cumsum(tasks) - tasks
    total = np.add.reduceat(duration, first)
    return duration * np.repeat(mean * tasks / total, tasks)


def _poisson(rng, jobs, span):
    return np.sort(rng.random(jobs)) * span


def _even(rng, jobs, span):
    """Gaps differ by the random place of each job in its own interval of a tenth of a gap."""
    gap = span / jobs
    place = 0.1 * rng.random(jobs)
    return (np.arange(jobs) + place) * gap


def _batches(rng, jobs, span):
    """Batches of jobs of one moment; the last batch is cut off."""
    one, exponent, most = BATCH
    sizes = power_law(rng, jobs, one, exponent, most)
    batches = 1 + np.searchsorted(np.cumsum(sizes), jobs)
    moment = np.sort(rng.random(batches)) * span
    return np.repeat(moment, sizes[:batches])[:jobs]


ARRIVALS = {"poisson": _poisson, "even": _even, "batches": _batches}
