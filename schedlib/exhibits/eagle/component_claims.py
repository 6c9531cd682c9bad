"""The claims of the Eagle paper on its components, the omniscient scheduler and mis-estimation, in our words, with their tolerances.

"Without SSS" means probes that stay where they fall, with the remaining times kept up to date and dead probes swept as in Eagle
(`updates=True`): READINGS' point 41 has the other reading, which the figure shows beside it.
"""

import numpy as np

from schedlib.exhibits.eagle.claiming import ALL, claim, short
from schedlib.exhibits.eagle.comparing import (
    compare,
    extreme_case,
    highest_load,
    only,
    per_seed,
    slope,
    slowdowns,
)
from schedlib.exhibits.eagle.printed import OVER, UNDER

BOTH = ("google", "yahoo")


def _random_first(frame):
    return 1 - per_seed(short(frame, "eagle", "exact-bits", trace="google"))


def _but_the_exception(frame):
    """As `margin`, without the 99th percentile at the highest load."""
    rows = short(frame, "eagle", "no-sss", trace="google")
    rows = rows[(rows["percentile"] < 99) | (rows["workers"] > rows["workers"].min())]
    return 1 - extreme_case(rows, largest=True)


def _exception(frame):
    """By how much Eagle's 99th percentile is worse with SSS at the highest load, per seed."""
    return per_seed(highest_load(short(frame, "eagle", "no-sss", trace="google", percentile=99))) - 1


def _mended(frame):
    """By how much it is better with SSS when 20 % of the workers are for short jobs, per seed."""
    return 1 - per_seed(short(frame, "eagle", "no-sss", partition=20, percentile=99))


def _more(system, trace, other_system, other_trace):
    """By how much more leaving the first out costs than the second: difference of mean log ratios over percentiles and loads, per seed."""

    def measure(frame):
        first, second = (
            np.log(per_seed(short(frame, "eagle", which, trace=where)))
            for which, where in ((system, trace), (other_system, other_trace))
        )
        return second - first

    return measure


def _most(frame):
    """By how much more the costliest part costs than the next: SBP+SRPT against SSS and the minimum number of probes, per seed."""
    rivals = [_more("no-sbp-srpt", "google", name, "google")(frame) for name in ("no-sss", "no-min")]
    return np.min(rivals, axis=0)


def _at_low_load(system, trace):
    """How the log ratio of Eagle to it without a part grows from one number of workers to the next, per seed."""
    return lambda frame: slope(short(frame, "eagle", system, trace=trace), "workers")


def _at_high_percentiles(trace):
    """How the log ratio of Eagle to it without SSS falls from one percentile to the next, per seed."""
    return lambda frame: -slope(short(frame, "eagle", "no-sss", trace=trace), "percentile")


def _helps(trace, least):
    """By how much the ratio of Eagle to it without SBP+SRPT is below `least` at the highest load, per seed."""
    return lambda frame: least - per_seed(highest_load(short(frame, "eagle", "no-sbp-srpt", trace=trace)))


def _min_google(frame):
    """The largest reduction (%) by minimum probes at the two highest loads, a mean over percentiles, per seed."""
    rows = short(frame, "eagle", "no-min", trace="google")
    rows = rows[rows["workers"].isin(sorted(rows["workers"].unique())[:2])]
    return 100 * (1 - np.mean([extreme_case(some, largest=False) for _, some in rows.groupby("percentile")], axis=0))


def _min_yahoo(frame):
    """The largest reduction (%) by minimum probes at the 90th and 99th percentile, per seed."""
    return 100 * (1 - extreme_case(short(frame, "eagle", "no-min", trace="yahoo", percentile=(90, 99)), largest=False))


def _nodes_probed(frame):
    """20 probes in per cent of the fewest workers."""
    return [100 * 20 / frame["workers"].min()]


def _near(percentile):
    return lambda frame: per_seed(highest_load(short(frame, "no-sbp-srpt", "omniscient", percentile=percentile)))


def _partition_helps(system, rival):
    """By how much `rival` does better with 17 % of the workers for short jobs than `system` with none, geometric mean, per seed."""

    def measure(frame):
        with_it, without = {"system": rival, "partition": 17}, {"system": system, "partition": 0}
        return 1 - per_seed(only(compare(frame, with_it, without), **{"class": "short"}))

    return measure


def _slowdown(frame, system, ranges, percentile):
    """Slowdowns by range (row) and seed (column)."""
    rows = only(slowdowns(frame, system), percentile=percentile)
    return np.array([per_seed(only(rows, low=low, high=high)) for low, high in ranges])


def _minimal(system):
    """The largest change (%) of the 50th and 90th percentile over all ranges, per seed."""
    return lambda frame: 100 * np.max([abs(_slowdown(frame, system, UNDER + OVER, p) - 1) for p in (50, 90)], axis=(0, 1))


def _alike(frame):
    """The largest distance (points) of the two systems' slowdowns at the 99th percentile when estimates are too long, per seed."""
    return 100 * abs(_slowdown(frame, "eagle", OVER, 99) - _slowdown(frame, "dlwl", OVER, 99)).max(axis=0)


def _more_robust(frame):
    """By how much DLWL's slowdown at the 99th percentile exceeds Eagle's when estimates are too short, mean of the ranges, per seed."""
    return (_slowdown(frame, "dlwl", UNDER, 99) - _slowdown(frame, "eagle", UNDER, 99)).mean(axis=0)


WITHOUT = {"metric": "1 less the ratio to Eagle without it", "unit": "1"}
MORE = {"metric": "difference of mean log ratios to Eagle without it", "unit": "1", "tolerance": 0.0}
TREND = {
    "check": "trend",
    "tolerance": 0.0,
    "metric": "growth of the mean log ratio from one number of workers to the next",
    "unit": "1",
}

CLAIMS = (
    claim("random-first", "Section 3.3", "Sampling all nodes at random in the first attempt is better than using an old bit vector",
          _random_first, metric="1 less the ratio to probing by the exact bit vector", unit="1",
          how_read="judged against the best an old vector could be, the exact one; Google, highest load, mean over percentiles",
          reason="an old vector, which no published program uses, would do worse than the exact one"),
    claim("sss-google", "Section 6.3.1; Fig. 5a", "Google: SSS helps in all cases but the 99th percentile at the highest load",
          _but_the_exception, **WITHOUT, how_read=ALL),
    claim("sss-exception", "Section 6.3.1; Fig. 5a", "Google: at the highest load the 99th percentile is worse with SSS", _exception,
          metric="ratio to Eagle without it, less 1", unit="1"),
    claim("sss-mended", "Section 6.3.1", "With 20 % of the workers for short jobs that percentile becomes better with SSS", _mended,
          experiment="eagle.partition", **WITHOUT),
    claim("sss-yahoo-more", "Section 6.3.1", "SSS helps more for Yahoo than for Google", _more("no-sss", "yahoo", "no-sss", "google"), **MORE,
          how_read="mean over percentiles and loads"),
    claim("sss-yahoo-load", "Section 6.3.1; Fig. 6a", "Yahoo: SSS helps most at high load", _at_low_load("no-sss", "yahoo"), **TREND),
    *(
        claim(f"sss-percentiles-{trace}", "Section 6.3.1; Figs. 5a, 6a", f"{trace.title()}: SSS helps more at higher percentiles",
              _at_high_percentiles(trace), check="trend", tolerance=0.0, unit="1",
              metric="fall of the mean log ratio from one percentile to the next", how_read="mean over loads")
        for trace in BOTH
    ),
    claim("sbp-google", "Section 6.3.2; Fig. 5c", "Google: SBP+SRPT helps significantly", _helps("google", 0.9), tolerance=0.0,
          metric="0.9 less the ratio to Eagle without it", unit="1", how_read="by more than 10 % at the highest load, mean over percentiles"),
    claim("sbp-most", "Section 6.3.2; Fig. 5", "Google: of the three parts SBP+SRPT contributes the most", _most, **MORE,
          how_read="mean over percentiles and loads, against the next best part"),
    claim("sbp-yahoo", "Section 6.3.2; Fig. 6c", "Yahoo: SBP+SRPT is effective too", _helps("yahoo", 1.0), **WITHOUT,
          how_read="at the highest load, mean over percentiles"),
    *(
        claim(f"sbp-less-at-low-load-{trace}", "Section 6.3.2", f"{trace.title()}: SBP+SRPT helps less at lower loads",
              _at_low_load("no-sbp-srpt", trace), **TREND)
        for trace in BOTH
    ),
    claim("min-google", "Section 6.3.3; Fig. 5b", "Google: with 15,000 and 17,000 workers a minimum of probes gains up to 30-40 % at all "
          "percentiles", _min_google, 35.0, check="value", tolerance=10.0, metric="reduction of the completion time", unit="%",
          how_read="for each percentile the larger of the two, mean over percentiles"),
    claim("min-yahoo", "Section 6.3.3; Fig. 6b", "Yahoo: a minimum of probes gains up to 10 % at the higher percentiles", _min_yahoo, 10.0,
          check="value", tolerance=5.0, metric="reduction of the completion time", unit="%", how_read="the best of all loads, p90 and p99"),
    claim("min-google-more", "Section 6.3.3", "A minimum of probes helps more for Google than for Yahoo",
          _more("no-min", "google", "no-min", "yahoo"), **MORE, how_read="mean over percentiles and loads"),
    claim("min-nodes", "Section 6.3.3", "20 probes contact only 0.05 % of the nodes in the worst case (4000 nodes)", _nodes_probed, 0.05,
          check="value", tolerance=0.005, metric="20 probes over the fewest workers", unit="%", reason="20 of 4000 are 0.5 %"),
    claim("dlwl-partition", "Section 6.2", "Reserving the short partition improves DLWL+SRPT", _partition_helps("dlwl", "dlwl"),
          experiment="eagle.partition", metric="1 less the ratio to DLWL+SRPT without partition", unit="1",
          how_read="short jobs, Google, highest load, mean over percentiles"),
    *(
        claim(f"omniscient-p{percentile}", "Section 6.4; Fig. 7", f"Eagle without SBP+SRPT is very close to the omniscient LWL (p{percentile})",
              _near(percentile), 1.0, check="ratio", tolerance=0.25, metric="ratio to the omniscient LWL", unit="1",
              how_read="within a factor of 1.25; Google, 15,000 workers, short jobs")
        for percentile in (50, 90, 99)
    ),
    claim("omniscient-beaten", "Section 6.4", "In some cases Eagle is better than LWL",
          lambda frame: 1 - extreme_case(highest_load(short(frame, "no-sbp-srpt", "omniscient")), largest=False), unit="1",
          metric="1 less the ratio to the omniscient LWL", how_read="at the percentile that is best on average over the seeds"),
    claim("omniscient-partition", "Section 6.4", "Without the partition LWL cannot match Eagle", _partition_helps("omniscient", "no-sbp-srpt"),
          experiment="eagle.partition", metric="1 less Eagle's ratio to LWL without partition", unit="1",
          how_read="Eagle without SBP+SRPT as in Fig. 7, short jobs, Google, highest load, mean over percentiles"),
    *(
        claim(f"misestimated-{system}", "Section 6.5", f"{label}: mis-estimation hardly changes the 50th and the 90th percentile",
              _minimal(system), 0.0, experiment="eagle.fig8", check="value", tolerance=10.0, metric="largest change over all ranges", unit="%",
              how_read="minimal: at most 10 %")
        for system, label in (("eagle", "Eagle"), ("dlwl", "DLWL+SRPT"))
    ),
    claim("overestimated", "Section 6.5; Fig. 8", "Eagle and DLWL+SRPT are similarly robust to over-estimation", _alike, 0.0,
          experiment="eagle.fig8", check="value", tolerance=10.0, metric="largest distance of their slowdowns at p99", unit="points",
          how_read="similarly: within 10 points"),
    claim("underestimated", "Section 6.5; Fig. 8", "Eagle is more robust to under-estimation than DLWL+SRPT", _more_robust,
          experiment="eagle.fig8", metric="DLWL's slowdown at p99 less Eagle's", unit="1", how_read="mean over the three ranges"),
)  # fmt: skip
