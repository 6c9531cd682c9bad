"""The runs behind Figs. 2 to 7; Figs. 2 to 4, Table 2: Eagle against Hawk, its blocking, and DLWL+SRPT."""

from functools import partial

from pandas import DataFrame

from reproduce.exhibits.eagle import comparing, drawing
from reproduce.exhibits.eagle.comparing import only
from reproduce.figure import Figure
from schedlib.plots import style
from schedlib.plots.alt import alt
from schedlib.sweeps import Experiment, scales

PLACE = 6
ABLATED = ("eagle", "hawk", "dlwl", "no-sss", "no-sbp-srpt", "no-min")
SYSTEMS = {"google": (*ABLATED, "hawk-general"), "cloudera": ABLATED[:3], "yahoo": ABLATED}
"""The systems that run at each load of a trace."""
BESIDES = {
    ("google", 15_000): ("omniscient", "old-bits", "hawk-none", "sparrow", *comparing.PUBLISHED),
    ("google", 17_000): ("eagle-published", "dlwl-published", "no-min-published"),
    ("cloudera", 15_000): ("eagle-published", "dlwl-published"),
    ("yahoo", 4_000): ("eagle-published", "dlwl-published"),
}
"""The systems that run besides at a trace's highest load, and at Google's second."""
TABLE2 = {
    "google": (17.30, 0.63, 15.70, 16.98),
    "yahoo": (0.87, 0.018, 0.80, 0.86),
    "cloudera": (5.60, 0.055, 5.50, 5.65),
}
"""In millions: Hawk's probes behind a long task, short tasks run there, probes stolen; Eagle's sent again."""
BEHIND = {"yahoo": 84.0, "google": 67.0}
"""Of Hawk's probes, those behind a long task (%, Section 6.1; not printed for Cloudera)."""
HAWKS = ("eagle", "hawk", "hawk-general", "hawk-none", "sparrow")
HEARTBEATS = ("eagle", "dlwl", "dlwl-5", "dlwl-7")
GROWTHS = ((5, 90, 4.8), (5, 99, 2.2), (7, 90, 6.8), (7, 99, 4.2))
"""By how much (%) a percentile grows with longer heartbeats (s) instead of 3 s (Section 6.2)."""


def run(trace: str, workers: int, jobs: int, scale: float, seed: int) -> DataFrame:
    """The systems at one load of one trace, with the share `scale` of the paper's `workers`."""
    names = SYSTEMS[trace] + BESIDES.get((trace, workers), ())
    return comparing.on_trace(names, trace, workers, jobs, scale, seed)


def run_heartbeats(trace: str, workers: int, jobs: int, scale: float, seed: int) -> DataFrame:
    """Eagle, and DLWL+SRPT with each heartbeat, as `run`."""
    return comparing.on_trace(HEARTBEATS, trace, workers, jobs, scale, seed)


def printed_shares(trace: str) -> dict[str, float]:
    """Table 2 in per cent of Hawk's probes, and of its short tasks (half as many); nothing for Cloudera.

    >>> printed_shares("google")
    {'behind': 67.0, 'ran': 4.9, 'stolen': 60.8, 'rescheduled': 65.8}
    """
    of_paper = drawing.whose(trace)
    if of_paper not in BEHIND:
        return {}
    behind, ran, stolen, again = TABLE2[of_paper]
    of_probes = {"behind": behind, "ran": 2 * ran, "stolen": stolen, "rescheduled": again}
    return {name: round(BEHIND[of_paper] * count / behind, 1) for name, count in of_probes.items()}


def shares(frame: DataFrame) -> DataFrame:
    """Table 2 in per cent at each trace's highest load, a row per trace and seed.

    Of Hawk's probes `behind` a long task, `stolen`, and `rescheduled` by Eagle; of its short tasks `ran`; of
    its probes behind a long task `run_there` and `rescued`; Eagle's own `eagle_behind` and `eagle_ran`;
    `again`, Eagle's re-scheduled probes over Hawk's stolen ones, as a factor.
    """
    rows = only(comparing.highest_load(frame), "short", percentile=50).set_index(["trace", "seed"])
    both = {name: only(rows, system=name) for name in ("hawk", "eagle")}
    columns = {
        name: 100 * both[counted][count] / both[whose][of].clip(lower=1)
        for name, counted, count, whose, of in (
            ("behind", "hawk", "behind_long", "hawk", "probes"),
            ("ran", "hawk", "ran_behind_long", "hawk", "short_tasks"),
            ("stolen", "hawk", "rescheduled", "hawk", "probes"),
            ("rescheduled", "eagle", "rescheduled", "hawk", "probes"),
            ("run_there", "hawk", "ran_behind_long", "hawk", "behind_long"),
            ("rescued", "hawk", "rescheduled", "hawk", "behind_long"),
            ("eagle_behind", "eagle", "behind_long", "eagle", "probes"),
            ("eagle_ran", "eagle", "ran_behind_long", "eagle", "short_tasks"),
            ("again", "eagle", "rescheduled", "hawk", "rescheduled"),
        )
    }
    columns["again"] /= 100
    return DataFrame(columns)


PANELS = (
    ("probes queued behind a long task\n(% of all probes)", "behind", "eagle_behind"),
    ("short tasks run after a long one\n(% of all short tasks)", "ran", "eagle_ran"),
    ("probes stolen or sent again\n(% of Hawk's probes)", "stolen", "rescheduled"),
)


def draw_table2(frame: DataFrame):
    """Table 2 as shares: a panel for each quantity, Hawk beside Eagle on each trace."""
    rows = shares(frame).reset_index()
    traces = {trace: drawing.TITLES[trace] for trace in drawing.traces_of(rows)}
    figure, axes = style.subplots(1, 3, size=(10.4, 3.7))
    for ax, (title, *columns) in zip(axes, PANELS, strict=True):
        looks = dict(zip(columns, drawing.looks_of(("hawk", "eagle")).values(), strict=True))
        panel = rows.melt("trace", columns)
        drawing.dots(ax, panel, "value", "trace", traces, "variable", looks, gap=0.3)
        for k, column in enumerate(columns):
            for place, trace in enumerate(traces):
                printed = 0.0 if column.startswith("eagle") else printed_shares(trace).get(column)
                if printed is not None:
                    style.printed(ax, place + drawing.shift(k, 2, 0.3), printed)
        ax.set(xlabel="trace", ylabel=title)
        ax.margins(x=0.2, y=0.12)
        ax.set_ylim(-0.03 * ax.get_ylim()[1], None)
    drawing.legend(figure, drawing.looks_of(("hawk", "eagle", "printed")))
    return figure


HEAD_OF_LINE = {
    "behind": "Hawk's probes behind a long task",
    "ran": "Hawk's short tasks run there",
    "stolen": "Hawk's probes stolen",
    "eagle_behind": "Eagle's probes behind a long task",
    "rescheduled": "Eagle's probes sent again",
}


def table2_drawn(frame: DataFrame) -> DataFrame:
    """The shares (%) of Table 2, one a row: `trace, what, share`."""
    return shares(frame).reset_index().melt(["trace"], list(HEAD_OF_LINE), "what", "share")


ALT_TABLE2 = alt(
    "Dot charts of head-of-line blocking at the highest load (%)",
    "share",
    ["what", "trace"],
    of=table2_drawn,
    names=drawing.TITLES | HEAD_OF_LINE,
)
ALT_FIG4 = drawing.alt_times(
    "Dot chart of Eagle and of DLWL+SRPT with heartbeats of 3, 5 and 7 s", HEARTBEATS
)


def draw_fig4(frame: DataFrame):
    """Short jobs' times under DLWL+SRPT by its heartbeat, beside Eagle's (the paper's Fig. 4)."""
    figure, ax = style.subplots(size=(6.8, 4.0))
    rows = drawing.google_short(frame)
    drawing.plot_systems(ax, rows, HEARTBEATS)
    base = only(rows, system="dlwl").groupby("percentile")["completion"].mean()
    for seconds, p, growth in GROWTHS:
        beside = drawing.shift(HEARTBEATS.index(f"dlwl-{seconds}"), len(HEARTBEATS))
        place = comparing.PERCENTILES.index(p) + beside
        style.printed(ax, place, base[p] * (1 + growth / 100))
    looks = drawing.looks_of((*HEARTBEATS, "printed"))
    looks["dlwl"] = looks["dlwl"]._replace(label="DLWL+SRPT, 3 s")
    drawing.legend(figure, looks, 3)
    return figure


def draw_thieves(frame: DataFrame):
    """Short jobs' times by which workers steal in Hawk."""
    figure, ax = style.subplots(size=(7.6, 4.2))
    drawing.plot_systems(ax, drawing.google_short(frame), HAWKS, gap=0.13)
    drawing.legend(figure, drawing.looks_of(HAWKS))
    return figure


def updates(frame: DataFrame) -> DataFrame:
    """Messages that SRPT's updates take at each trace's highest load (Section 4.3), means over the seeds."""
    rows = only(comparing.highest_load(frame), "short", system="eagle", percentile=50)
    counts = rows.groupby("trace", sort=False)[["probes", "updates"]].mean()
    per_probe = counts["updates"] / counts["probes"]
    table = (counts / 1e6).add_suffix(" (millions)").assign(**{"per probe": per_probe}).round(2)
    return table.reset_index().replace({"trace": drawing.NAMES})


EXPERIMENTS = (
    Experiment(
        "eagle.loads",
        "Eagle, its parts and its rivals at the loads of three traces",
        run,
        comparing.loads(),
        scales(2, (5, 10), 1),
    ),
    Experiment(
        "eagle.heartbeats",
        "DLWL+SRPT by its heartbeat",
        run_heartbeats,
        comparing.highest(scales([{"trace": "google"}])),
        scales(2, (10, 20), 1),
    ),
)

FIGURES = (
    Figure(
        "eagle.fig2",
        "eagle.loads",
        partial(drawing.plot_against, base="hawk"),
        drawing.caption(
            "Eagle's completion times over Hawk's, in which any idle worker steals, and the share of busy "
            "workers (the paper's Fig. 2). Bars: 3 and 10 times as fast, the paper's gains at the highest "
            "load."
        ),
        drawing.alt_against("hawk"),
    ),
    Figure(
        "eagle.table2",
        "eagle.loads",
        draw_table2,
        drawing.caption(
            "Head-of-line blocking at each trace's highest load: the paper's Table 2, as shares. Black bars: "
            "the paper's numbers, where its text gives their total (not for Cloudera)."
        ),
        ALT_TABLE2,
    ),
    Figure(
        "eagle.fig3",
        "eagle.loads",
        partial(drawing.plot_against, base="dlwl"),
        drawing.caption(
            "Percentiles of completion times under Eagle over those under DLWL+SRPT (the paper's Fig. 3). The "
            "heartbeats are 3, 12 and 7 s. In a smaller cluster the heartbeat is longer in "
            "proportion."
        ),
        drawing.alt_against("dlwl"),
    ),
    Figure(
        "eagle.fig4",
        "eagle.heartbeats",
        draw_fig4,
        drawing.caption(
            "Completion times of short jobs under DLWL+SRPT with longer heartbeats: Google's trace, highest load "
            "(the paper's Fig. 4). Bars: our time at 3 s, increased by the percentage that the paper prints.",
            "google",
        ),
        ALT_FIG4,
    ),
    Figure(
        "eagle.updates",
        "eagle.loads",
        None,
        "Messages that tell each node with a probe of a job how many of its tasks are left, sent whenever a task "
        "starts (Section 4.3). Highest loads, means over the seeds. Beyond the paper.",
        "Table of probes, updates, and updates per probe, by trace.",
        updates,
    ),
    Figure(
        "eagle.thieves",
        "eagle.loads",
        draw_thieves,
        drawing.caption(
            "Completion times of short jobs by who steals in Hawk: any idle worker (the authors' program), only "
            "workers of the general partition (the paper's text), or no worker. Sparrow and Eagle are beside them. "
            "Google's trace, highest load. Beyond the paper.",
            "google",
        ),
        drawing.alt_times("Dot chart of times by who steals in Hawk", HAWKS),
        lambda frame: only(comparing.highest_load(frame), trace="google", system=HAWKS),
    ),
)
