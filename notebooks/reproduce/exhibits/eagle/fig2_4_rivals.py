"""The run behind Figs. 2 to 7; Figs. 2 to 4, Table 2: Eagle against Hawk, its blocking, and DLWL+SRPT."""

from functools import partial

import numpy as np
import pandas as pd

from exhibits.eagle import comparing, drawing
from exhibits.eagle.comparing import (
    TRACES,
    Measure,
    claim,
    extreme_case,
    margin,
    of_ratios,
    only,
)
from schedlib.experiment import Experiment, Figure
from schedlib.pictures import style
from schedlib.pictures.alt import alt

PLACE = 6
ABLATED = ("eagle", "hawk", "dlwl", "no-sss", "no-sbp-srpt", "no-min")
SYSTEMS = {"google": (*ABLATED, "hawk-general"), "cloudera": ABLATED[:3], "yahoo": ABLATED}
"""What runs at each load of a trace."""
BESIDES = {
    ("google", 15_000): (
        "omniscient",
        "dlwl-5",
        "dlwl-7",
        "exact-bits",
        "old-bits",
        "halved",
        "hawk-none",
        "sparrow",
        *comparing.SUBMITTED,
        "none",
        "only-sss",
        "only-sbp-srpt",
        "only-min",
    ),
    ("google", 17_000): ("eagle-submitted", "dlwl-submitted", "no-min-submitted"),
    ("cloudera", 15_000): ("halved", "eagle-submitted", "dlwl-submitted"),
    ("yahoo", 4_000): ("halved", "eagle-submitted", "dlwl-submitted"),
}
"""What runs besides at a trace's highest load, and at Google's second."""
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
"""By how much (%) a percentile grows with a heartbeat of so many seconds instead of 3 (Section 6.2)."""


def run(trace: str, workers: int, jobs: int, scale: float, seed: int) -> pd.DataFrame:
    """The systems at one load of one trace, with the share `scale` of the paper's `workers`."""
    names = SYSTEMS[trace] + BESIDES.get((trace, workers), ())
    return comparing.on_trace(names, trace, workers, jobs, scale, seed)


def printed_shares(trace: str) -> dict[str, float]:
    """Table 2 in per cent of Hawk's probes, and of its short tasks (half as many); nothing for Cloudera.

    >>> printed_shares("google")
    {'behind': 67.0, 'ran': 4.9, 'stolen': 60.8, 'rescheduled': 65.8}
    """
    own = drawing.whose(trace)
    if own not in BEHIND:
        return {}
    behind, ran, stolen, again = TABLE2[own]
    of_probes = {"behind": behind, "ran": 2 * ran, "stolen": stolen, "rescheduled": again}
    return {name: round(BEHIND[own] * count / behind, 1) for name, count in of_probes.items()}


def shares(frame: pd.DataFrame) -> pd.DataFrame:
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
    return pd.DataFrame(columns)


PANELS = (
    ("probes queued behind a long task\n(% of all probes)", "behind", "eagle_behind"),
    ("short tasks run after a long one\n(% of all short tasks)", "ran", "eagle_ran"),
    ("probes stolen or sent again\n(% of Hawk's probes)", "stolen", "rescheduled"),
)


def draw_table2(frame: pd.DataFrame):
    rows = shares(frame)
    traces = drawing.traces_of(rows.reset_index())
    figure, axes = style.subplots(1, 3, size=(10.4, 3.7))
    for ax, (title, *columns) in zip(axes, PANELS, strict=True):
        for k, (column, system) in enumerate(zip(columns, ("hawk", "eagle"), strict=True)):
            places = np.arange(len(traces)) + 0.3 * (k - 0.5)
            drawing.dots(
                ax, places, [rows.loc[trace, column] for trace in traces], drawing.LOOKS[system]
            )
            for place, trace in zip(places, traces, strict=True):
                printed = 0.0 if column.startswith("eagle") else printed_shares(trace).get(column)
                if printed is not None:
                    style.printed(ax, place, printed)
        ax.set(xlabel="trace", ylabel=title)
        ax.set_xticks(range(len(traces)), [drawing.TITLES[trace] for trace in traces])
        ax.margins(x=0.2, y=0.12)
        ax.set_ylim(-0.03 * ax.get_ylim()[1], None)
    drawing.legend(figure, [drawing.LOOKS[name] for name in ("hawk", "eagle", "printed")])
    return figure


HEAD_OF_LINE = {
    "behind": "Hawk's probes behind a long task",
    "ran": "Hawk's short tasks run there",
    "stolen": "Hawk's probes stolen",
    "eagle_behind": "Eagle's probes behind a long task",
    "rescheduled": "Eagle's probes sent again",
}


def table2_drawn(frame: pd.DataFrame) -> pd.DataFrame:
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


def draw_fig4(frame: pd.DataFrame):
    figure, ax = style.subplots(size=(6.8, 4.0))
    rows = drawing.google_short(frame)
    drawing.plot_systems(ax, rows, HEARTBEATS)
    base = only(rows, system="dlwl").groupby("percentile")["completion"].mean()
    for seconds, p, growth in GROWTHS:
        beside = drawing.shift(HEARTBEATS.index(f"dlwl-{seconds}"), HEARTBEATS)
        place = comparing.PERCENTILES.index(p) + beside
        style.printed(ax, place, base[p] * (1 + growth / 100))
    looks = [drawing.LOOKS[name] for name in (*HEARTBEATS, "printed")]
    drawing.legend(figure, [looks[0], looks[1]._replace(label="DLWL+SRPT, 3 s"), *looks[2:]], 3)
    return figure


def draw_thieves(frame: pd.DataFrame):
    figure, ax = style.subplots(size=(7.6, 4.2))
    drawing.plot_systems(ax, drawing.google_short(frame), HAWKS, gap=0.13)
    drawing.legend(figure, [drawing.LOOKS[name] for name in HAWKS])
    return figure


def updates(frame: pd.DataFrame) -> pd.DataFrame:
    """What SRPT's updates cost at each trace's highest load (Section 4.3), means over the seeds.

    A row per trace and system: probes and updates in thousands, and short jobs' times over those with every update.
    """
    rows = only(comparing.highest_load(frame), "short", system=("eagle", "halved"))
    table = (
        only(rows, percentile=50)
        .groupby(["trace", "system"], sort=False)[["probes", "updates"]]
        .mean()
    )
    table = (table / 1000).assign(per_probe=table["updates"] / table["probes"]).round(1)
    means = comparing.ratios(rows, "halved", "eagle").groupby(["trace", "percentile"])["ratio"]
    own = means.mean().unstack()
    for percentile in comparing.PERCENTILES:
        table[f"p{percentile}"] = [
            1.0 if name == "eagle" else round(own.loc[trace, percentile], 3)
            for trace, name in table.index
        ]
    words = {
        "system": "updates are sent",
        "probes": "probes (thousands)",
        "updates": "updates (thousands)",
        "per_probe": "per probe",
    }
    told = {"eagle": "at every start", "halved": "when half are started"}
    table = table.reset_index().rename(columns=words)
    return table.replace({"updates are sent": told, "trace": drawing.NAMES})


EXPERIMENTS = (
    Experiment(
        "eagle.loads",
        "Eagle, its parts and its rivals at the loads of three traces",
        run,
        comparing.loads(),
        comparing.SEEDS,
    ),
)

FIGURES = (
    Figure(
        "eagle.fig2",
        "eagle.loads",
        partial(drawing.plot_against, base="hawk"),
        drawing.caption(
            "Percentiles of completion times under Eagle over those under Hawk: short jobs, long jobs, and the "
            "share of busy workers (the paper's Fig. 2). In Hawk any idle worker steals, as in the authors' "
            "program. Bars: 3 and 10 times as fast, the paper's smallest and largest gain at the highest "
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
            "the paper's numbers, where its text gives the total that they are a share of."
        ),
        ALT_TABLE2,
    ),
    Figure(
        "eagle.fig3",
        "eagle.loads",
        partial(drawing.plot_against, base="dlwl"),
        drawing.caption(
            "Percentiles of completion times under Eagle over those under DLWL+SRPT (the paper's Fig. 3). The "
            "heartbeats are 3, 12 and 7 s. In a smaller cluster jobs arrive less often, so the heartbeat is "
            "longer in proportion."
        ),
        drawing.alt_against("dlwl"),
    ),
    Figure(
        "eagle.fig4",
        "eagle.loads",
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
        "Messages on the tasks that a job has left: they tell each node with a probe of the job. The paper "
        "sends them whenever a task starts. The other way sends them only when the number has halved "
        "since the last message. The last columns: percentiles of short jobs' completion times over those of "
        "the paper's way. Highest loads, means over the seeds. Beyond the paper.",
        "Table of probes, updates and completion times for two ways to send updates, by trace.",
        updates,
    ),
    Figure(
        "eagle.thieves",
        "eagle.loads",
        draw_thieves,
        drawing.caption(
            "Completion times of short jobs by who steals in Hawk: any idle worker (the authors' program), only "
            "workers of the general partition (the paper's text), or nobody. Sparrow and Eagle are beside them. "
            "Google's trace, highest load. Beyond the paper.",
            "google",
        ),
        drawing.alt_times("Dot chart of times by who steals in Hawk", HAWKS),
        lambda frame: only(comparing.highest_load(frame), trace="google", system=HAWKS),
    ),
)


def _share(column: str, trace: str) -> Measure:
    return lambda frame: shares(frame).loc[trace, column].to_numpy()


def _behind_long(frame):
    """Eagle's probes queued behind a long task, over all traces and loads."""
    return (
        only(frame, "short", system="eagle", percentile=50)
        .groupby("seed")["behind_long"]
        .sum()
        .to_numpy()
    )


def _attempts(frame):
    """How the log of the number of Hawk's attempts to steal grows from one number of workers to the next."""
    rows = only(frame, "short", system="hawk", trace="google", percentile=50)
    return comparing.slope(rows.assign(ratio=rows["steal_attempts"].clip(lower=1)), "workers")


def _busy(frame):
    """The share of busy workers under Eagle over that under the omniscient scheduler, at the highest load."""
    rows = drawing.google_short(frame, percentile=50).set_index("seed")
    eagle, omniscient = (only(rows, system=name)["utilisation"] for name in ("eagle", "omniscient"))
    return (eagle / omniscient).to_numpy()


FACTOR = {"metric": "Hawk's completion time over Eagle's", "check": "value", "tolerance": 1.0}
SHARE = {"check": "value", "unit": "%", "how_read": "printed number: whole per cent"}

FEW_TASKS = {
    "google": "a job of few tasks has 20 probes under Eagle, and 2 a task under Hawk; Table 2's "
    "counts must be of an Eagle without that minimum"
}
HAWK, IN_TABLE2 = "Section 6.1; Fig. 2", "Section 6.1; Table 2"
BY_THIEVES = (
    "better-google",
    "less-at-low-load-google",
    "long-not-worse-google",
    "behind-long-google",
    "ran-behind-long",
    "not-rescued-google",
    "stolen-google",
    "rescheduled-google",
    "fewer-attempts",
)
CONSISTENT = {
    "a workload of its own for each run": ("eagle.loads", comparing.off_the_mean),
    "the same jobs, other random choices (Alibaba's hour)": ("eagle.hour", comparing.off_the_mean),
}
WITHOUT_MINIMUM = "any idle worker steals, Eagle without a minimum of probes"
CLAIMS = (
    *comparing.by_detail(
        ("speedup-least", "dlwl-long"),
        comparing.also_judged(
            ("rescheduled-google",),
            comparing.by_thieves(
                BY_THIEVES,
                (
                    *(
                        claim(
                            f"better-{trace}",
                            HAWK,
                            f"{trace.title()}: short jobs complete sooner than under Hawk at all "
                            "percentiles and loads",
                            of_ratios(margin, "eagle", "hawk", trace=trace),
                            metric="1 less the ratio to Hawk",
                            how_read=comparing.WORST,
                        )
                        for trace in TRACES
                    ),
                    claim(
                        "speedup-least",
                        "Section 6.1",
                        "At the highest load Eagle is at least 3 times as fast as Hawk",
                        of_ratios(
                            lambda rows: 1 / extreme_case(rows, largest=True),
                            "eagle",
                            "hawk",
                            at_highest=True,
                        ),
                        3.0,
                        **FACTOR,
                        how_read="printed number: least over traces and percentiles; the text refers to Fig. 3c and speaks "
                        "of Hawk",
                    ),
                    claim(
                        "speedup-most",
                        "Section 6.1",
                        "At the highest load Eagle is up to 10 times as fast as Hawk",
                        of_ratios(
                            lambda rows: 1 / extreme_case(rows, largest=False),
                            "eagle",
                            "hawk",
                            at_highest=True,
                        ),
                        10.0,
                        **FACTOR,
                        how_read="printed number: most over traces and percentiles",
                    ),
                    *(
                        claim(
                            f"less-at-low-load-{trace}",
                            "Section 6.1",
                            f"{trace.title()}: the benefit decreases as the load goes down",
                            of_ratios(comparing.growth, "eagle", "hawk", trace=trace),
                            **comparing.LOAD_TREND,
                            how_read="text: short jobs, mean over the percentiles",
                        )
                        for trace in TRACES
                    ),
                    *(
                        claim(
                            f"long-not-worse-{trace}",
                            HAWK,
                            f"{trace.title()}: long jobs are not negatively affected by Eagle",
                            of_ratios(
                                lambda rows: 1.05 - extreme_case(rows, largest=True),
                                "eagle",
                                "hawk",
                                "long",
                                trace=trace,
                            ),
                            metric="1.05 less the ratio to Hawk",
                            how_read=f"{comparing.WORST}, no more than 5 % slower",
                        )
                        for trace in TRACES
                    ),
                    claim(
                        "long-better-somewhere",
                        HAWK,
                        "In some cases long jobs complete sooner under Eagle than under Hawk",
                        of_ratios(
                            lambda rows: 0.99 - extreme_case(rows, largest=False),
                            "eagle",
                            "hawk",
                            "long",
                        ),
                        metric="0.99 less the ratio to Hawk",
                        how_read="text: by 1 % in the best case on average",
                    ),
                    claim(
                        "none-behind-long",
                        "Section 3.1; Table 2",
                        "Eagle never queues a probe behind a long task",
                        _behind_long,
                        0.0,
                        check="value",
                        metric="probes behind a long task, all traces and loads",
                        unit="probes",
                        how_read="table: when it is queued",
                        by_construction=True,
                        reason="a worker with a long task rejects the probe",
                    ),
                    *(
                        claim(
                            f"behind-long-{trace}",
                            IN_TABLE2,
                            f"{trace.title()}: of Hawk's probes {value} % are queued "
                            "behind a long task",
                            _share("behind", trace),
                            value,
                            **SHARE,
                            tolerance=1.0,
                            metric="share of all probes sent",
                        )
                        for trace, value in BEHIND.items()
                    ),
                    claim(
                        "ran-behind-long",
                        IN_TABLE2,
                        "Google: roughly 5 % of Hawk's short tasks run after a long one (0.63 million)",
                        _share("ran", "google"),
                        5.0,
                        **SHARE,
                        tolerance=1.0,
                        metric="share of all short tasks",
                    ),
                    *(
                        claim(
                            f"not-rescued-{trace}",
                            "Table 2",
                            f"{trace.title()}: under Hawk, {1e6 * ran:,.0f} of {behind} "
                            "million probes behind a long task run a task there",
                            _share("run_there", trace),
                            round(100 * ran / behind, 2),
                            check="ratio",
                            tolerance=0.1,
                            metric="share of the probes behind a long task",
                            unit="%",
                            how_read="table: a quotient of two counts of two digits",
                        )
                        for trace, (behind, ran, _, _) in TABLE2.items()
                    ),
                    *(
                        claim(
                            f"stolen-{trace}",
                            IN_TABLE2,
                            f"{trace.title()}: Hawk steals {stolen:.2f} of {behind:.2f} "
                            "million probes behind a long task",
                            _share("rescued", trace),
                            round(100 * stolen / behind, 1),
                            **SHARE | {"how_read": "table: a quotient of two counts"},
                            tolerance=1.0,
                            metric="stolen probes over probes behind a long task",
                        )
                        for trace, (behind, _, stolen, _) in TABLE2.items()
                    ),
                    *(
                        claim(
                            f"rescheduled-{trace}",
                            IN_TABLE2,
                            f"{trace.title()}: Eagle re-schedules only marginally more "
                            "probes than Hawk steals (up to 8 % more)",
                            _share("again", trace),
                            round(again / stolen, 3),
                            check="ratio",
                            tolerance=0.025,
                            metric="Eagle's re-scheduled probes over Hawk's stolen ones",
                            how_read="table: a quotient of two counts; Eagle counts a probe once per rejection",
                            reason=FEW_TASKS.get(trace, ""),
                        )
                        for trace, (_, _, stolen, again) in TABLE2.items()
                    ),
                    claim(
                        "fewer-attempts",
                        "Section 6.1",
                        "Under high load stealing is triggered less often",
                        _attempts,
                        check="trend",
                        how_read="text: Google trace",
                        metric="growth of the log number of attempts from one number of workers to the next",
                    ),
                    *(
                        claim(
                            f"dlwl-{trace}",
                            "Section 6.2; Fig. 3",
                            f"{trace.title()}: short jobs complete sooner than under DLWL+SRPT",
                            of_ratios(margin, "eagle", "dlwl", trace=trace),
                            metric="1 less the ratio to DLWL+SRPT",
                            how_read=comparing.WORST,
                        )
                        for trace in TRACES
                    ),
                    claim(
                        "dlwl-long",
                        "Section 6.2; Fig. 3",
                        "Long jobs complete sooner than under DLWL+SRPT in the vast "
                        "majority of the cases",
                        of_ratios(
                            lambda rows: (
                                (rows["ratio"] < 1).groupby(rows["seed"]).mean().to_numpy() - 0.75
                            ),
                            "eagle",
                            "dlwl",
                            "long",
                        ),
                        metric="share of cases less 3/4",
                        how_read="text: three quarters of the cases (trace, workers, percentile)",
                    ),
                    *(
                        claim(
                            f"heartbeat-{seconds}-p{p}",
                            "Section 6.2; Fig. 4",
                            f"With a heartbeat of {seconds} s instead of "
                            f"3 s, short jobs' {p}th percentile under DLWL+SRPT grows by {value} %",
                            of_ratios(
                                lambda rows: 100 * (rows["ratio"].to_numpy() - 1),
                                f"dlwl-{seconds}",
                                "dlwl",
                                trace="google",
                                percentile=p,
                            ),
                            value,
                            check="value",
                            unit="%",
                            tolerance=1.0,
                            metric="growth of the percentile",
                            how_read="printed number: Google trace, highest load",
                        )
                        for seconds, p, value in GROWTHS
                    ),
                ),
            ),
            "",
            WITHOUT_MINIMUM,
            {"no-min": "eagle"},
        ),
    ),
    claim(
        "utilisation",
        "Section 3.1",
        "SSS achieves high utilisation, since short jobs may run in the general partition",
        _busy,
        1.0,
        check="ratio",
        tolerance=0.02,
        metric="share of busy workers over that under the omniscient LWL",
        how_read="text: within 2 % of a scheduler that may place short jobs anywhere; Google, highest load",
        reason="the share is a mean from the first submission to the last",
    ),
    claim(
        "consistent",
        "Section 5",
        "The results of different simulations are consistent across runs",
        None,
        0.0,
        experiment=None,
        readings=CONSISTENT,
        check="value",
        unit="%",
        tolerance=10.0,
        metric="largest distance of a run's ratio of Eagle to Hawk from the mean of all runs",
        how_read="text: no case (trace, load, percentile) is off by more than 10 %, short jobs",
        reason="the paper's runs have one workload; its mean of five hides how far apart they are",
    ),
)
