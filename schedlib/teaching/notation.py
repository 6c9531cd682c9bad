"""One table for the whole book: a paper's symbol, our name for it, what it means, its unit."""

from typing import NamedTuple

import pandas as pd

COLUMNS = {"symbol": "symbol", "ours": "in schedlib", "meaning": "meaning", "unit": "unit"}


class Row(NamedTuple):
    """A symbol of a paper, or of queueing theory; `ours` is its name below schedlib, `chapters` where it is used."""

    paper: str
    symbol: str
    ours: str
    meaning: str
    unit: str
    chapters: tuple[int, ...]


def _rows(paper, *rows):
    return [Row(paper, *row) for row in rows]


LOTES, TWO_THREE, ALL = (2, 3, 4), (2, 3), (3, 4)
TABLE = [
    *_rows(
        "theory",
        (r"$\lambda$", "theory.little(arrival_rate=)", "rate of arrivals", "jobs per time", (1, 7)),
        (r"$\mu$", "theory.mmc_mean_wait(service_rate=)", "one over a server's mean service time", "jobs per time", (1, 7)),
        ("$c$", "theory.mmc_mean_wait(servers=)", "servers", "servers", (1,)),
        (r"$a = \lambda/\mu$", "theory.erlang_c(offered_load=)", "offered load, the mean number of busy servers", "Erlang", (1,)),
        (r"$\rho = a/c$", "theory.choices_tail(load=)", "load, the fraction of time a server is busy", "1", (1, 7)),
        ("$C(c, a)$", "theory.erlang_c", "probability to wait (Erlang C)", "1", (1,)),
        ("$W$", "theory.mmc_mean_wait", "mean wait, from submission to start", "time", (1, 7)),
        ("$L$", "theory.little", "mean number waiting, $\\lambda W$", "jobs", (1,)),
        ("$E[S]$", "theory.pollaczek_khinchine(mean_service=)", "mean service time", "time", (1, 7)),
        ("$E[S^2]$", "theory.pollaczek_khinchine(second_moment=)", "mean of its square; $c_S^2 = E[S^2]/E[S]^2 - 1$", "time²", (1, 7)),
        ("$d$", "theory.choices_tail(choices=)", "workers that an arrival looks at", "workers", (7,)),
        ("$s_k$", "theory.choices_tail", "fraction of workers with at least $k$ jobs, waiting or in service", "1", (7,)),
    ),
    *_rows(
        "lotes",
        ("$c_{jl}$", "lotes.MachineConfigs.capacity", "what a machine of configuration $j$ has of resource $l$", "the resource's", LOTES),
        ("$n_j$", "lotes.MachineConfigs.count", "machines of configuration $j$", "machines", LOTES),
        (r"$\alpha_k$", "lotes.JobClasses.share", "fraction of arriving jobs that are of class $k$", "1", LOTES),
        ("$r_{kl}$", "lotes.JobClasses.demand", "what a job of class $k$ holds of resource $l$, on average", "the resource's", LOTES),
        (r"$\mu_{jk}$", "lotes.JobClasses.rate", "one over the mean time of class $k$ on configuration $j$", "jobs per time", LOTES),
        (r"$\delta_{jkl}$", "lotes.Allocation.delta", "fraction of resource $l$ of pool $j$ given to class $k$", "1", (2,)),
        ("$y_{jk}$ (ours)", "lotes.Allocation.running", "jobs of class $k$ that run in pool $j$ at a time", "jobs", (2,)),
        (r"$\lambda^*$", "lotes.Allocation.rate", "largest rate of arrivals that stage 1 sustains", "jobs per time", (2, 3)),
        ("$K^j$", "lotes.Allocation.support", "classes with $\\delta_{jkl} > 0$ in pool $j$; how many: `supports`", "classes", (2, 3)),
        ("$N_{ijk}$", "lotes.Plan.bins", "jobs of class $k$ in bin $i$ of configuration $j$", "jobs", ALL),
        ("$x_{ij}$", "lotes.Plan.fractions", "machines of configuration $j$ that emulate bin $i$; rounded: `machines`", "machines", (3,)),
        (r"$\Delta_{jk}$", "lotes.Plan.running", "jobs of class $k$ in the bins of configuration $j$", "jobs", (4,)),
        (r"$\lambda$", "lotes.Plan.rate", "rate that stage 2 sustains; after rounding: `rate_rounded`", "jobs per time", ALL),
        (r"$\kappa_{jk}$", "lotes.Cluster.running", "jobs of class $k$ that run on machine $j$", "jobs", (4,)),
        (r"$\upsilon_{jk} = N_{jk} - \kappa_{jk}$", "lotes.Cluster.target", "LoTES's score: its bin's jobs less those that run", "jobs", (4,)),
        (r"$\omega$", "lotes.simulate(packing=)", "Tetris's packing score $r \\cdot C$, with this weight", "the resources', squared", (4,)),
        (r"$\gamma$", "lotes.simulate(work=)", "Tetris's work score $p\\, r \\cdot 1$, with this weight", "time × the resources'", (4,)),
        (r"$\Phi$", "lotes.random_instance(phi=)", "how much classes differ in the random workloads", "1", (4,)),
        (r"$\Omega$", "lotes.random_instance(omega=)", "how much machines differ in speed", "1", (4,)),
        ("response time", "lotes.Simulation.response", "a job's wait, from submission to start", "time", (4,)),
    ),
    *_rows(
        "hmhs",
        ("$N$", "hmhs.Instance.n_jobs", "jobs", "jobs", (5,)),
        ("$M^m$, $M^r$", "hmhs.Instance.map_machines", "machines of the map stage; of the other: `reduce_machines`", "machines", (5,)),
        ("$T_i^m$, $T_i^r$", "hmhs.Instance.map_tasks", "map tasks of job $i$; `reduce_tasks`", "tasks", (5,)),
        ("$P_i^m$, $P_i^r$", "hmhs.Instance.map_time", "normal time of one task; `reduce_time`", "time", (5,)),
        ("$V_{ij}^m$, $V_{ij}^r$", "hmhs.Instance.map_speed", "by how much machine $j$ stretches a task of job $i$; `reduce_speed`", "1", (5,)),
        ("$E_{ij}$", "hmhs.Instance.map_task_time", "$P_i V_{ij}$, time of a task of job $i$ on machine $j$; `reduce_task_time`", "time", (5,)),
        (r"$\bar P_i^m$, $\bar P_i^r$", "hmhs.total_times", "time of all its tasks, one after the other, on average machines", "time", (5,)),
        ("$Pri$", "hmhs.priority", "the order of the jobs, by Johnson's rule", "rank", (5,)),
        ("$A_i$", "hmhs.Schedule.map_end", "when the last map task of job $i$ ends", "time", (5,)),
        ("$C$", "hmhs.Schedule.makespan", "when the last task of all ends", "time", (5,)),
    ),
    *_rows(
        "mch",
        ("$n_i$, $n_{2,1}$", "mch.Tree.paths", "a node, and the way to it from the root", "none", (6,)),
        (r"$\omega_i$", "mch.Tree.weight", "its weight among its siblings", "1", (6,)),
        ("share guarantee", "mch.Tree.guarantee", "its part of its siblings' weights, times its parent's guarantee", "1", (6,)),
        ("$d_i^j$", "mch.Tree.demand", "what a task of leaf $i$ needs of resource $j$", "the resource's", (6,)),
        ("$c_j$", "mch.allocate(capacity=)", "what there is of resource $j$", "the resource's", (6,)),
        ("$t_i$", "mch.Allocation.tasks", "tasks given to leaf $i$, $\\sum_i d_i^j t_i \\le c_j$", "tasks", (6,)),
        (r"$\mu_i = \max_j d_i^j / c_j$", "mch.Flattened.mu", "dominant share of one task", "1", (6,)),
        (r"$\mu_i t_i$", "mch.Allocation.shares", "dominant share", "1", (6,)),
        ("$w_i$", "mch.Flattened.weights", "MCH's weight of leaf $i$", "1", (6,)),
        ("full-type", "mch.Flattened.full_type", "whether a leaf needs every resource; if not, it is partial-type", "none", (6,)),
        ("$k'$", "mch.Flattened.first_saturated", "the resource that fills first", "none", (6,)),
    ),
    *_rows(
        "eagle",
        ("short partition", "eagle.simulate(short_partition=)", "share of the workers that long jobs may not use", "1", (7, 8)),
        ("cutoff", "eagle.simulate(cutoff=)", "a job is long when the mean of its tasks' durations is above", "s", (7, 8)),
        ("$K$", "eagle.System.min_probes", "least number of probes of a job", "probes", (7, 8)),
        ("probe ratio", "eagle.simulate(probe_ratio=)", "probes per task: $\\max\\{K, 2t\\}$ for $t$ tasks", "1", (7, 8)),
        ("LWL", "eagle.System.long_jobs", "least work left: how the centre places long tasks (`\"lwl\"`)", "none", (7, 8)),
        ("SSS", "eagle.System.short_jobs", "Succinct State Sharing: reject, and send again (`\"sss\"`)", "none", (8,)),
        ("SBP", "eagle.System.sticky", "Sticky Batch Probing: a probe stays until its job has no task left", "none", (8,)),
        ("SRPT", "eagle.System.queue", "shortest remaining time first (`\"srpt\"`)", "none", (8,)),
        ("threshold", "eagle.System.cap", "a task lets at most so many times its own estimate go first", "1", (8,)),
        ("stealing", "eagle.System.steal", "Hawk's: an idle worker takes short probes from behind a long task", "none", (7, 8)),
        ("heartbeat", "eagle.simulate(heartbeat=)", "time between the centre's messages", "s", (8,)),
    ),
]  # fmt: skip
PAPERS = tuple(dict.fromkeys(row.paper for row in TABLE))


class Notation(pd.DataFrame):
    """A frame of symbols that is shown as Markdown, so that a notebook and a static page both set the mathematics."""

    @property
    def _constructor(self):
        return Notation

    def _repr_html_(self):
        return None

    def _repr_markdown_(self):
        lines = [self.columns, ["---"] * self.shape[1], *self.itertuples(index=False)]
        return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def table(paper: str | None = None, chapter: int | None = None) -> Notation:
    """The symbols of a paper ("theory", "lotes", "hmhs", "mch", "eagle"), or those that a chapter uses, or all.

    A row each: `symbol` (LaTeX), `in schedlib` (the name below the package; `f(x=)` is argument x of f), `meaning`, `unit` ("1" for
    pure numbers); without a paper also `paper`. Raises ValueError on an unknown paper, and when nothing is left.

    >>> table("lotes", chapter=2).iloc[0].tolist()[:2]
    ['$c_{jl}$', '`lotes.MachineConfigs.capacity`']
    """
    if paper is not None and paper not in PAPERS:
        raise ValueError(f"paper: {paper!r}; use one of {', '.join(PAPERS)}")
    rows = [row for row in TABLE if paper in (None, row.paper) and (chapter is None or chapter in row.chapters)]
    if not rows:
        raise ValueError(f"chapter: {chapter!r} uses none of the symbols of {paper or 'any paper'}")
    frame = Notation([row._asdict() for row in rows])
    frame["ours"] = [f"`{name}`" for name in frame["ours"]]
    return frame[[*(["paper"] if paper is None else []), *COLUMNS]].rename(columns=COLUMNS)
