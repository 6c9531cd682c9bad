"""The paper's Google cluster: Table 1's machines and Table 2's job classes, as printed."""

import numpy as np

from schedlib.lotes.model import JobClasses, MachineConfigs

MACHINES = (6732, 3863, 1001, 795, 126, 52, 5, 5, 3, 1)
CORES = (0.50, 0.50, 0.50, 1.00, 0.25, 0.50, 0.50, 0.50, 1.00, 1.00)
MEMORY = (0.50, 0.25, 0.75, 1.00, 0.25, 0.12, 0.03, 0.97, 0.50, 0.06)
SUPPORTS = (4, 2, 1, 2, 2, 1, 1, 2, 2, 1)  # abs(K^j) as printed: one optimum of stage 1 among very many

HOURS = (0.03, 0.04, 0.04, 0.03)
CLASS_CORES = (0.02, 0.02, 0.07, 0.20)
CLASS_MEMORY = (0.01, 0.03, 0.03, 0.06)
PROPORTIONS = (0.23, 0.46, 0.30, 0.01)


def google2011() -> tuple[MachineConfigs, JobClasses]:
    """The 10 machine configurations of Table 1 and the 4 job classes of Table 2.

    Cores and memory are fractions of the largest machine's; rates are one over the printed mean hours (of two
    digits), the same on every configuration, as the paper assumes (Section 5.3).

    >>> configs, classes = google2011()
    >>> configs.n_machines, configs.capacity[3].tolist(), classes.share.tolist()
    (12583, [1.0, 1.0], [0.23, 0.46, 0.3, 0.01])
    """
    configs = MachineConfigs(np.c_[CORES, MEMORY], MACHINES)  # type: ignore[arg-type]
    rate = np.tile(1 / np.array(HOURS), (len(MACHINES), 1))
    return configs, JobClasses(PROPORTIONS, np.c_[CLASS_CORES, CLASS_MEMORY], rate)  # type: ignore[arg-type]


def fewer_machines(configs: MachineConfigs, shrink: float) -> MachineConfigs:
    """The numbers of machines over `shrink`, rounded, at least one of each configuration.

    >>> fewer_machines(MachineConfigs([[1.0], [0.5]], [900, 4]), 10).count.tolist()
    [90, 1]
    """
    return MachineConfigs(configs.capacity, np.maximum(np.round(configs.count / shrink), 1).astype(int))
