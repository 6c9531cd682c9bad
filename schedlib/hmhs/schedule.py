"""Schedule an instance by any policy: one of the paper's, one of ours beyond it, or a reader's own."""

import numpy as np

from schedlib.core.checks import unknown
from schedlib.hmhs.model import Instance, Schedule
from schedlib.hmhs.policies import POLICIES, Policy, run
from schedlib.hmhs.priced import priced


def schedule(
    instance: Instance,
    policy: str | Policy = "hmhs",
    *,
    seed: int = 0,
    believed: Instance | None = None,
) -> Schedule:
    """Schedule an instance by a named policy, or by a reader's own `Policy`.

    Names: `"hmhs"`, `"r-hmhs"`, `"fifo"`, `"fifo-pri"` (the paper's four); beyond it `"priced"`
    (ours); and the other readings of FIFO, `"fifo-strict"` (a reduce machine waits
    for the first unfinished job), `"fifo-ready"` (reduces in the order in which they become ready),
    `"fifo-barrier"` (no reduce before the last map).

    For policies that dispatch by rules: `seed` is for what they draw; `believed`, an instance of the same
    jobs and machines, has the times that they see in place of the true ones. Raises ValueError on an unknown
    name and on a policy that breaks the rules, with the time, the machine and the job. Source: HMHS, Sections
    3.3 and 4.

    See also: `hmhs.serve`, for jobs that arrive over time; `hmhs.Policy`; `leaderboard.hmhs`.

    >>> one = [[1.0], [1.0]]
    >>> two = Instance([5, 1], [1, 1], one, [1, 5], [1, 1], one)
    >>> schedule(two, "fifo").makespan, schedule(two, "hmhs").makespan
    (11.0, 7.0)
    """
    if isinstance(policy, Policy):
        return run(instance, policy, seed=seed, believed=believed)
    if not isinstance(policy, str):
        raise ValueError(
            f"policy: {policy!r}; give a name or hmhs.Policy(order=..., map_rule=..., "
            "reduce_rule=...)"
        )
    if policy == "priced":
        if believed:
            raise ValueError("policy: 'priced' plans with the true times; give a policy of rules")
        return priced(instance)
    if policy not in POLICIES:
        raise unknown("policy", policy, [*POLICIES, "priced"], "or pass a hmhs.Policy")
    return run(instance, POLICIES[policy], seed=seed, believed=believed)


def warm() -> None:
    """Compile or load the kernels of `POLICIES`, so that what is timed next is not charged for it.

    >>> warm()
    """
    tiny = Instance(*(np.ones(2), np.ones(2), np.ones((2, 2))) * 2)
    for policy in POLICIES.values():
        run(tiny, policy)
