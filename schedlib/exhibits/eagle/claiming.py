"""What the makers of Eagle's claims share."""

from schedlib.exhibits.eagle.comparing import extreme_case, only, ratios
from schedlib.experiment import claim_maker

TRACES = ("google", "cloudera", "yahoo")
ALL = "judged at the case that is worst on average over the seeds"
BETTER = {"metric": "1 less the ratio to Hawk", "unit": "1"}


MAKE = claim_maker("eagle", check="order", tolerance=0.02)
"""Unless told an order, with a margin of 2 % for the interval."""


def claim(name, where, text, measure, paper_value=None, *, experiment="eagle.loads", **fields):
    """A claim, unless told on the experiment that most are judged on."""
    return MAKE(name, where, text, experiment, measure, paper_value, **fields)


def short(frame, system, base, **where):
    """Ratios of the short jobs' completion times, in these settings."""
    return only(ratios(frame, system, base), **{"class": "short"}, **where)


def long(frame, system, base, **where):
    """Likewise of the long jobs."""
    return only(ratios(frame, system, base), **{"class": "long"}, **where)


def margin(system, base, **where):
    """By how much `system` is better than `base` for short jobs where it is worst on average, one number per seed."""
    return lambda frame: 1 - extreme_case(short(frame, system, base, **where), largest=True)
