"""The exact optimum of tiny instances, by integer programming (beyond the paper).

Two facts keep the program small. On a map machine, tasks may as well run in the order in which their jobs end
their maps; on a reduce machine, in the order in which they become ready, which is the same one. So one order
of the jobs serves all machines, and the program chooses it together with how many tasks of each job every
machine runs.
"""

import pulp

from schedlib.hmhs.model import Instance

LARGEST = 8


def optimum(instance: Instance, *, seconds: float = 60.0) -> float:
    """The smallest makespan of any schedule of a tiny instance, in its unit of time.

    Position k of the order holds one job (z_ik = 1); x_ijk and y_ijk count its map and reduce tasks on
    machine j. All maps up to position k end by A_k, and every reduce machine has all from position k on still
    before it at A_k. Raises ValueError for more than 8 jobs, RuntimeError when the solver has not proved its
    answer within `seconds`.

    >>> one = [[1.0], [1.0]]
    >>> round(optimum(Instance([5, 1], [1, 1], one, [1, 5], [1, 1], one)), 6)
    7.0
    """
    n = instance.n_jobs
    if n > LARGEST:
        raise ValueError(f"instance: {n} jobs; the program is for at most {LARGEST}, see lower_bound")
    jobs = range(n)
    problem = pulp.LpProblem("optimum", pulp.LpMinimize)
    makespan = problem.add_variable("C", lowBound=0)
    ready = [problem.add_variable(f"A_{k}", lowBound=0) for k in jobs]
    place = [[problem.add_variable(f"z_{i}_{k}", cat=pulp.LpBinary) for k in jobs] for i in jobs]
    problem += makespan
    for i in jobs:
        problem += pulp.lpSum(place[i]) == 1
        problem += pulp.lpSum(place[l][i] for l in jobs) == 1

    def counts(letter, tasks, machines):
        def variable(i, j, k):
            return problem.add_variable(f"{letter}_{i}_{j}_{k}", 0, int(tasks[i]), pulp.LpInteger)

        count = [[[variable(i, j, k) for k in jobs] for j in range(machines)] for i in jobs]
        for i in jobs:
            for k in jobs:
                problem.addConstraint(pulp.lpSum(row[k] for row in count[i]) == int(tasks[i]) * place[i][k])
        return count

    def work(count, time, machine, positions):
        return pulp.lpSum(float(time[i, machine]) * count[i][machine][k] for i in jobs for k in positions)

    x = counts("x", instance.map_tasks, instance.map_machines)
    y = counts("y", instance.reduce_tasks, instance.reduce_machines)
    for k in jobs:
        for j in range(instance.map_machines):
            problem += work(x, instance.map_task_time, j, range(k + 1)) <= ready[k]
        for j in range(instance.reduce_machines):
            problem += ready[k] + work(y, instance.reduce_task_time, j, range(k, n)) <= makespan
    problem += ready[n - 1] <= makespan
    problem.solve(pulp.HiGHS(msg=False, timeLimit=seconds, gapRel=1e-9))
    if problem.sol_status != pulp.LpSolutionOptimal:
        raise RuntimeError(f"no proved optimum within {seconds} s for {n} jobs; give it more seconds")
    return float(makespan.value())
