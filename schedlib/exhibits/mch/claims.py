"""The claims of the MCH paper on its own examples and on cost, in our words, with their tolerances.

Cost is judged by operations, nodes and heap places looked at: they repeat, seconds do not (fig5.timing.csv has them). Two claims on
seconds remain, whose answer is the same on any machine. Five claims were worded after first runs had been seen: delay, faster,
complexity-square and the two fig5-no-better.
"""

import numpy as np

from schedlib.exhibits.mch import property_claims
from schedlib.exhibits.mch.cost_figures import exponents
from schedlib.exhibits.mch.figures import EXACT
from schedlib.experiment import claim_maker

PRINTED = {"n1,1": 0.33, "n1,2": 0.5, "n2,1": 0.165, "n2,2": 0.165, "n2,3": 0.5, "n3,1": 0.33}
ACTIVE = (200, 580)
"""Seconds in which all six leaves have tasks waiting: the last tasks of n3,1 start 16 s before it leaves at 600 s."""
BEFORE, AFTER = (640, 780), (800, 880)
"""Seconds before and after n1,2 leaves at 790 s, in which the same other leaves have tasks waiting."""
FACTOR, EXPONENT = 0.25, 0.25


def _mean_share(frame, rule, name, window):
    some = frame[(frame["rule"] == rule) & (frame["name"] == name) & frame["time"].between(*window)]
    return some.groupby("seed")["share"].mean().to_numpy()


def _share(name, window=ACTIVE):
    return lambda frame: _mean_share(frame, "mch", name, window)


def _ratio_gap(frame):
    """How far the shares of n1,1, n2,2 and n3,1 over n2,1's are from 2, 1 and 2, at most."""
    base = _mean_share(frame, "mch", "n2,1", ACTIVE)
    wanted = {"n1,1": 2, "n2,2": 1, "n3,1": 2}
    return np.max([np.abs(_mean_share(frame, "mch", name, ACTIVE) / base - ratio) for name, ratio in wanted.items()], axis=0)


def _others_move(frame):
    """By how much the mean share of any leaf of CPU changes when n1,2 leaves."""
    pairs = [[_mean_share(frame, "mch", name, window) for window in (BEFORE, AFTER)] for name in ("n1,1", "n2,1", "n2,2")]
    return np.max([np.abs(after - before) for before, after in pairs], axis=0)


def _weights_gap(frame):
    found = frame[(frame["tree"] == "paper") & (frame["rule"] == "mch")].sort_values("leaf")["weight"]
    return [np.abs(found - [1, 1, 0.5, 0.5, 1, 1]).max()]


def _normalised(frame):
    row = frame[(frame["case"] == "full") & (frame["node"] == "n2,2")]
    return [np.abs(row[["s_cpu", "s_memory"]].to_numpy() - [0.8, 1.0]).max()]


def _inverse_mu(frame):
    """How far w_{2,1} and w_{2,2} times mu_2 are from 1 (Case 1)."""
    rows = frame[frame["case"] == "full"].set_index("node")
    return [np.abs(rows.loc[["n2,1", "n2,2"], "weight"] * rows.loc["n2", "mu"] - 1).max()]


def _equal(case):
    """Share of trees with t = t* for all leaves, per seed."""
    return lambda frame: (frame[frame["case"] == case]["gap"] <= EXACT).groupby(frame["seed"]).mean().to_numpy()


def _fig1_gap(rule):
    def measure(frame):
        some = frame[(frame["demands"] == "alike") & (frame["rule"] == rule)]
        return [np.abs(some["share"] - some["guarantee"]).max()]

    return measure


def _pairs(frame, measure, reading, levels, rival="h-drf"):
    """Seed, jobs and the measure of a rival as printed and of MCH, on the same jobs."""
    some = frame[(frame["reading"] == reading) & frame["levels"].isin(levels)]
    method = "literal" if rival == "h-drf" else "fast"
    keys = ["seed", "levels", "jobs"]
    columns = [some[(some["rule"] == r) & (some["method"] == m)].set_index(keys)[measure] for r, m in ((rival, method), ("mch", "fast"))]
    return columns[0].to_frame("rival").assign(mch=columns[1]).reset_index()


def _times(measure, reading, level, rival="h-drf"):
    """How many times MCH's cost the rival's is, geometric mean over numbers of jobs, per seed."""

    def ratios(frame):
        pairs = _pairs(frame, measure, reading, [level], rival)
        return np.exp(np.log(pairs["rival"] / pairs["mch"]).groupby(pairs["seed"]).mean()).to_numpy()

    return ratios


def _square(reading, level):
    """H-DRF's operations grow as MCH's to which power, over the numbers of jobs, per seed."""
    return lambda frame: exponents(_pairs(frame, "operations", reading, [level]), "mch", "rival").to_numpy()


def _faster(frame):
    """Whether H-DRF takes more than twice MCH's seconds with five levels and the most jobs, in both readings, per seed."""
    found = []
    for reading in READING:
        pairs = _pairs(frame, "seconds", reading, [frame["levels"].max()])
        pairs = pairs[pairs["jobs"] == pairs["jobs"].max()]
        found.append((pairs["rival"] > 2 * pairs["mch"]).to_numpy())
    return np.all(found, axis=0).astype(float)


def _no_better(rival):
    """How far MCH's operations exceed 0.95 of the rival's, geometric mean over all points, per seed."""

    def measure(frame):
        ratio = [
            np.log(1 / _times("operations", reading, level, rival)(frame))
            for reading in ("queues", "nodes") for level in (2, 3, 4, 5)
        ]  # fmt: skip
        return np.exp(np.mean(ratio, axis=0)) - 0.95

    return measure


def _growth(rule, method, each=False):
    """Exponent of the operations, in all or per decision, in q; per seed."""

    def measure(frame):
        some = frame[(frame["rule"] == rule) & (frame["method"] == method)]
        return exponents(some.assign(each=some["operations"] / some["decisions"]), "q", "each" if each else "operations").to_numpy()

    return measure


def _square_in_q(frame):
    """H-DRF's operations grow as MCH's to which power, over numbers of nodes, per seed."""
    table = frame.pivot_table(index=["seed", "q"], columns=["rule", "method"], values="operations")
    pairs = table["h-drf", "literal"].to_frame("rival").assign(mch=table["mch", "fast"]).reset_index()
    return exponents(pairs, "mch", "rival").to_numpy()


def _delay(frame):
    """Whether H-DRF as printed takes more than a millisecond for a decision at the most nodes, per seed."""
    some = frame[(frame["rule"] == "h-drf") & (frame["method"] == "literal") & (frame["q"] == frame["q"].max())]
    return (some["seconds"] / some["decisions"] > 1e-3).astype(float).to_numpy()


_claim = claim_maker("mch", metric="dominant share", unit="of the cluster")
COST = {"metric": "operations", "unit": "H-DRF's over MCH's"}
POWER = {"metric": "exponent of H-DRF's operations in MCH's", "unit": "1", "tolerance": EXPONENT}
NODES = "jobs as leaves below the lowest groups, so that q grows with them, as Theorem 1 has it"
QUEUES = "queues at the leaves, as 'q = 6' for two levels says"
READING = {"queues": QUEUES, "nodes": NODES}
WHY_POWER = {
    "queues": "with a fixed tree both costs grow as the number of tasks: a power of 1; whether one *is* the square of the other depends "
    "on the unit of time",
    "nodes": "H-DRF looks at q nodes per task where MCH looks at log p places, and both have the same number of tasks",
}

CLAIMS = (
    _claim("fig1", "Section I.A; Fig. 1", "MCH gives ads 60 % and dev 40 %, and 90 % of it to production (equal demands)", "mch.fig1",
           _fig1_gap("mch"), 0.0, tolerance=EXACT, metric="largest distance from 0.54, 0.06, 0.36, 0.04"),
    _claim("normalised-demand", "Section III.A", "<2 CPUs, 3 GB> of <10 CPUs, 12 GB> is normalised to <4/5, 1>", "mch.worked",
           _normalised, 0.0, tolerance=EXACT, metric="largest distance", unit="1"),
    _claim("inverse-mu", "Section III.A, Case 1", "Both leaves below n2 have the weight 1/mu_2", "mch.worked", _inverse_mu, 0.0,
           tolerance=EXACT, metric="largest distance of weight times mu_2 from 1", unit="1"),
    *(
        _claim(f"equal-{case}", f"Section III.A, {place}", f"The flat tree gives exactly the hierarchy's allocation: n2,2 {what}",
               "mch.weights", _equal(case), 1.0, metric="share of trees with t = t*", unit="1",
               how_read="minimal general case with random demands, divisible tasks, hierarchy by H-DRF", reason=reason)
        for case, place, what, reason in (
            ("full", "Case 1", "is full-type", ""),
            ("other", "Sub-case 1", "needs only a resource that is not first saturated",
             "(9) says what holds at the end, but with weight 1 n2,2 grows faster from the beginning, and then its own resource may be "
             "the first to saturate; it holds where that does not happen"),
            ("first", "Sub-case 2", "needs only the resource that is first saturated", ""),
        )
    ),
    _claim("fig4-weights", "Section IV.A", "The six leaves' weights are 1, 1, 0.5, 0.5, 1, 1", "mch.fig4", _weights_gap, 0.0,
           tolerance=EXACT, metric="largest distance", unit="1"),
    *(
        _claim(f"fig4-share-{name.replace(',', '-')}", "Section IV.A; Fig. 4b",
               f"While all six leaves are active, {name} has the dominant share {share}", "mch.fig4b", _share(name), share, tolerance=0.01)
        for name, share in PRINTED.items()
    ),
    _claim("fig4-ratio", "Section IV.A", "The shares of n1,1, n2,1, n2,2, n3,1 are as 2 : 1 : 1 : 2", "mch.fig4b", _ratio_gap, 0.0,
           tolerance=0.1, metric="largest distance of a ratio to n2,1's share", unit="1"),
    _claim("fig4-takes-over", "Section IV.A", "When n1,2 leaves, the share of n2,3 rises to 1", "mch.fig4b", _share("n2,3", AFTER), 1.0,
           tolerance=0.01),
    _claim("fig4-others-stay", "Section IV.A", "When n1,2 leaves, the shares of the others stay as they are", "mch.fig4b", _others_move, 0.0,
           tolerance=0.01, metric="largest change of a mean share"),
    _claim("complexity-h-drf", "Abstract; Section I.C", "H-DRF takes O(q^2)", "mch.complexity", _growth("h-drf", "literal"), 2.0,
           tolerance=0.1, metric="exponent of the operations in q", unit="1",
           how_read="all decisions that fill a cluster with six tasks a job: O(q) each, of a number that grows as q"),
    _claim("complexity-mch", "Abstract; Theorem 1", "MCH takes O(q)", "mch.complexity", _growth("mch", "fast"), 1.0, tolerance=0.2,
           metric="exponent of the operations in q", unit="1", how_read="as for H-DRF; the logarithm is within the tolerance"),
    _claim("complexity-decision", "Theorem 1", "A decision of weighted DRF takes O(log p)", "mch.complexity",
           _growth("mch", "fast", each=True), 0.0, tolerance=0.25, metric="exponent of the operations per decision in q", unit="1",
           how_read="no power of q"),
    _claim("delay", "Section I.C", "H-DRF's delay is unbearable in a large datacenter", "mch.complexity", _delay, 1.0, tolerance=0.1,
           metric="share of seeds with more than 1 ms a decision at the most nodes", unit="1",
           how_read="'thousands of scheduling decisions per second' need 1 ms each",
           reason="compiled, a decision among thousands of nodes takes tens of microseconds"),
    _claim("fig5-half", "Section IV.B; Fig. 5a", "With two levels MCH saves only half of H-DRF's run time", "mch.fig5",
           _times("operations", "queues", 2), 2.0, check="ratio", tolerance=FACTOR, **COST, how_read=QUEUES),
    *(
        _claim(f"fig5-square-{reading}-{level}", "Abstract; Section IV.B; Fig. 5",
               f"H-DRF's run time is almost the square of MCH's ({level} levels)", "mch.fig5",
               _square(reading, level), 2.0, **POWER, how_read=READING[reading], reason=WHY_POWER[reading])
        for reading in READING for level in (3, 4, 5)
    ),
    _claim("complexity-square", "Abstract; Section IV.B", "H-DRF's run time is almost the square of MCH's (against the number of nodes)",
           "mch.complexity", _square_in_q, 2.0, **POWER, how_read="each leaf a job, six tasks each, q from 63 on",
           reason="it would be, were it not for MCH's logarithm"),
    _claim("faster", "Abstract", "MCH improves significantly in saving the computation time", "mch.fig5", _faster, 1.0, tolerance=0.1,
           metric="share of seeds in which H-DRF as printed takes over twice the seconds", unit="1",
           how_read="wall-clock, five levels, the most jobs, queues and nodes"),
    *(
        _claim(f"fig5-no-better-{rival}", "Section IV.B", f"MCH behaves no better than {rival.upper()} in run time", "mch.fig5",
               _no_better(rival), check="order", metric="MCH's operations over the rival's, less 0.95", unit="1",
               how_read="at most 5 % fewer operations")
        for rival in ("c-ch", "m-ch")
    ),
    *property_claims.CLAIMS,
)  # fmt: skip
