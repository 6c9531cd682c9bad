"""The check of the tour: a first try of how exercises work."""

from schedlib import hmhs, traces
from schedlib.teaching.exercises.checking import exercise
from schedlib.teaching.exercises.reading import expect, near, number

CHAPTER = "00-start-here"


@exercise(1)
def another_batch(answer: object) -> str:
    """Give a number: by how many per cent HMHS ends sooner than FIFO on the batch drawn with `seed=1`."""
    given, old, right = number(answer), _gain(0), _gain(1)
    expect(not near(given, old, 0.05), "that is the batch above: draw another one with `seed=1`")
    expect(not near(given, right / 100, 0.05), "in per cent: 100 times that")
    expect(not near(100 - given, right, 0.05), "that is HMHS's makespan in per cent of FIFO's: subtract it")
    expect(near(given, right, 0.05), "copy *One policy* with `seed=1`, and divide the makespans as above")
    return "every exercise of the book is checked like this; the chapters have three to five each."


def _gain(seed):
    batch = hmhs.from_trace(traces.alibaba2018("mapreduce"), seed=seed, n_jobs=30, machines=(6, 6))
    return 100 * (1 - hmhs.schedule(batch, "hmhs").makespan / hmhs.schedule(batch, "fifo").makespan)
