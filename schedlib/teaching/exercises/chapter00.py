"""The check of the tour: a first try of how exercises work."""

from schedlib import hmhs, traces
from schedlib.teaching.exercises.checking import exercise
from schedlib.teaching.exercises.reading import expect, near, number

CHAPTER = "00-start-here"


@exercise(CHAPTER, 1, "a number: by how many per cent HMHS ends sooner than FIFO on the batch drawn with `seed=1`")
def another_batch(answer):
    given = number(answer)
    gains = []
    for seed in (0, 1):
        batch = hmhs.from_trace(traces.alibaba2018("mapreduce"), seed=seed, n_jobs=30, machines=(6, 6))
        gains.append(100 * (1 - hmhs.schedule(batch, "hmhs").makespan / hmhs.schedule(batch, "fifo").makespan))
    old, right = gains
    expect(not near(given, old, 0.05), "that is the batch above: draw another one with `seed=1`")
    expect(not near(given, right / 100, 0.05), "in per cent: 100 times that")
    expect(not near(100 - given, right, 0.05), "that is HMHS's makespan in per cent of FIFO's: what is left to 100?")
    expect(near(given, right, 0.05), "copy the three lines of *One policy* with `seed=1`, and divide the makespans as above")
    return "every exercise of the book is checked like this; the chapters have three to five each."
