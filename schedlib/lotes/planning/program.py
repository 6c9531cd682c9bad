"""Linear programs in PuLP, solved to proved optimality by HiGHS or, on request, by CBC."""

import pulp

TOLERANCE = 1e-9  # on rows that are scaled to about one
SLACK = {"HiGHS": 1e-9, "CBC": 1e-7}  # relative error of a reported value: CBC's file has eight digits


def solve(problem: pulp.LpProblem, what: str, solver: str = "HiGHS", seconds: float = 600.0) -> None:
    """Solve in place; `what` names the program in errors.

    Raises ValueError for an unknown solver, RuntimeError unless the optimum is proved within `seconds`
    (integer programs: to a relative gap of a billionth).

    >>> problem = pulp.LpProblem("example", pulp.LpMinimize)
    >>> x = problem.add_variable("x", lowBound=2)
    >>> problem += 3 * x
    >>> solve(problem, "the example")
    >>> x.value()
    2.0
    """
    if solver == "HiGHS":
        tolerances = {f"{side}_feasibility_tolerance": TOLERANCE for side in ("primal", "dual")}
        engine = pulp.HiGHS(msg=False, timeLimit=seconds, gapRel=TOLERANCE,
                            mip_feasibility_tolerance=TOLERANCE, **tolerances)
    elif solver == "CBC":
        bundled = pulp.apis.PULP_CBC_CMD.pulp_cbc_path
        engine = pulp.COIN_CMD(path=bundled, msg=False, timeLimit=seconds, gapRel=TOLERANCE)
    else:
        raise ValueError(f"solver: {solver!r} is not one of {', '.join(SLACK)}")
    problem.solve(engine)
    if problem.sol_status != pulp.LpSolutionOptimal:
        status = pulp.LpStatus[problem.status]
        raise RuntimeError(
            f"{what}: {solver} ended as {status!r} without a proof within {seconds:g} s; allow more seconds")
