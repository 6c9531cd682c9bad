"""Schedule an instance by any policy: one of the paper's, one of ours beyond it, or a reader's own."""

import numpy as np

from schedlib.core.checks import unknown
from schedlib.hmhs.model import Instance, Schedule
from schedlib.hmhs.policies import POLICIES, Policy, run
from schedlib.hmhs.priced import priced


def schedule(instance: Instance, policy: str | Policy = "hmhs", *, seed: int = 0) -> Schedule:
    """Schedule an instance by a named policy, or by a reader's own `Policy`.

    Names: `"hmhs"`, `"r-hmhs"`, `"fifo"`, `"fifo-pri"` (the paper's four); `"priced"` (ours, beyond the paper);
    and other readings of FIFO: `"fifo-strict"` (a reduce machine waits for the first unfinished job),
    `"fifo-ready"` (reduces in the order in which they become ready), `"fifo-barrier"` (no reduce before the
    last map).

    `seed` is for what rules draw. Raises ValueError on an unknown name and on a policy that breaks the rules,
    with the time, the machine and the job. Source: HMHS, Sections 3.3 and 4.

    See also: `hmhs.serve`, for jobs that arrive over time; `hmhs.Policy`; `boards.hmhs`.

    >>> one = [[1.0], [1.0]]
    >>> two = Instance([5, 1], [1, 1], one, [1, 5], [1, 1], one)
    >>> schedule(two, "fifo").makespan, schedule(two, "hmhs").makespan
    (11.0, 7.0)
    """
    if isinstance(policy, Policy):
        return run(instance, policy, seed=seed)
    if not isinstance(policy, str):
        raise ValueError(
            f"policy: {policy!r:.60}; give a name or hmhs.Policy(order=..., map_rule=...)"
        )
    if policy == "priced":
        return priced(instance)
    if policy not in POLICIES:
        raise unknown("policy", policy, [*POLICIES, "priced"], "or pass an hmhs.Policy")
    return run(instance, POLICIES[policy], seed=seed)


def warm() -> None:
    """Compile or load the kernels of `POLICIES`, so that what is timed next is not charged for it.

    >>> warm()
    """
    tiny = Instance(*(np.ones(2), np.ones(2), np.ones((2, 2))) * 2)
    for policy in POLICIES.values():
        run(tiny, policy)
