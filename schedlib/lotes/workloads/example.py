"""Six jobs on one machine, the example of Figs. 1 and 2 of LoTES. They go through the book from chapter 1 on."""

from schedlib.workload import Workload

SUBMIT = [0, 1, 2, 4, 10, 13]
DURATION = [14, 6, 7, 5, 6, 7]
CORES = [1, 2, 1, 2, 1, 2]
MEMORY = [3, 2, 1, 2, 4, 1]


def six_jobs() -> Workload:
    """The six jobs, as they run on one machine of 4 cores and 8 GB: times in minutes, `cores`, `memory` (GB).

    On that machine, first come, first served, the fourth job waits for cores alone and the fifth for memory
    alone. Source: LoTES, Figs. 1 and 2.

    >>> from schedlib import lotes
    >>> machine = lotes.MachineConfigs([[4.0, 8.0]], [1])
    >>> lotes.simulate("greedy", machine, six_jobs()).wait.tolist()
    [0.0, 0.0, 0.0, 3.0, 2.0, 0.0]
    """
    return Workload.from_arrays(SUBMIT, DURATION, cores=CORES, memory=MEMORY)
