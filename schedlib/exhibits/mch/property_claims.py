"""Claims of the MCH paper on guarantees and on equality with H-DRF, with the tolerance each was given before it was measured.

Judged on random trees with divisible tasks, leaves being partial-type with a chance from 0 to 1. A theorem has no exceptions, so
shares of trees are to be 0 % within one point, which leaves room for ties alone.
"""

from schedlib.experiment import Claim


def _mean(column, kind):
    """Mean over the points with this kind of leaves of a share of trees (%), per seed."""

    def measure(frame):
        some = frame[(frame["partial"] > 0) == (kind == "partial")] if kind else frame
        return 100 * some.groupby("seed")[column].mean().to_numpy()

    return measure


def _violated(*rules):
    """Share of trees (%) with full-type leaves and more than one level on which the guarantee is violated, per seed."""

    def measure(frame):
        some = frame[
            (frame["property"] == "share guarantee") & frame["rule"].isin(rules) & (frame["partial"] == 0) & (frame["depth"] > 1)
        ]
        return 100 * some.groupby("seed")["violated"].mean().to_numpy()

    return measure


def _nested_share(rule):
    """The nested memory leaf's mean share over the second half, in % of its guarantee of 1/4, per seed."""

    def measure(frame):
        some = frame[(frame["rule"] == rule) & (frame["leaf"] == "n2,2") & (frame["time"] >= frame["time"].max() / 2)]
        return 100 * some.groupby("seed")["share"].mean().to_numpy() / 0.25

    return measure


def _starves(rule, most):
    """By how much that share is below `most` per cent of the guarantee, per seed."""
    return lambda frame: most - _nested_share(rule)(frame)


def _kept(rule):
    """By how much that share is above the guarantee, in % of it, per seed."""
    return lambda frame: _nested_share(rule)(frame) - 100


def _over_time(name, where, claim, metric, measure):
    return Claim(f"mch.{name}", where, claim, metric, "% of the guarantee", None, "text", "order", 5.0, "mch.starvation", measure)


def _none(name, where, claim, measure):
    return Claim(
        f"mch.{name}", where, claim, "share of random trees on which it fails", "%", 0.0, "text", "value", 1.0, "mch.equality", measure
    )  # fmt: skip


def _often(name, claim, *rules):
    return Claim(
        f"mch.{name}", "Section I.C", claim, "share of random trees on which it is violated", "%", None, "text", "order", 0.0,
        "mch.properties", _violated(*rules),
    )  # fmt: skip


GUARANTEE = "abstract; Sections III and V"

CLAIMS = (
    _none("guarantee-full", GUARANTEE, "MCH keeps the hierarchical share guarantee of leaves and groups when all leaves are full-type",
          _mean("below", "full")),
    _none("guarantee-partial", GUARANTEE, "MCH keeps the hierarchical share guarantee of leaves and groups when some leaves are "
          "partial-type", _mean("below", "partial")),
    _none("guarantee-partial-leaf", GUARANTEE, "MCH keeps the hierarchical share guarantee of leaves (groups not asked) when some leaves "
          "are partial-type", _mean("below_leaf", "partial")),
    _none("same-full", "Section III.A.3, Case 1", "MCH's allocation is exactly the same as the hierarchical one (H-DRF's) when all leaves "
          "are full-type", _mean("differ", "full")),
    _none("same-partial", "Section III.A.3, Case 2", "MCH's allocation is exactly the same as the hierarchical one (H-DRF's) when some "
          "leaves are partial-type", _mean("differ", "partial")),
    _none("h-drf-guarantee", "Section I.C", "H-DRF keeps the hierarchical share guarantee of leaves and groups", _mean("h_drf_below", None)),
    _over_time("naive-starves", "Section I.C", "The natural adaptation of DRF to hierarchies starves some jobs (read as: on "
               "[memory, [CPU, memory]] the nested memory leaf holds less than half its guarantee in the long run)",
               "half the guarantee less what it holds", _starves("naive-h-drf", 50.0)),
    _over_time("h-drf-no-starvation", "Section I.C", "H-DRF avoids the starvation", "what the same leaf holds above its guarantee",
               _kept("h-drf")),
    _over_time("mch-no-starvation", GUARANTEE, "MCH, too, keeps the guarantee there", "what the same leaf holds above its guarantee",
               _kept("mch")),
    _often("collapsed-one", "Collapsed hierarchies by the share of one resource (C-CH, M-CH) may violate the guarantee", "c-ch", "m-ch"),
    _often("collapsed-dominant", "Collapsed hierarchies extended to dominant shares may violate the guarantee", "collapsed"),
)  # fmt: skip
