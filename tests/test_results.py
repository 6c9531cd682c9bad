"""Every simulator's result begins alike and has the reader's own columns; its repr is a line."""

import numpy as np
import pandas as pd
import pytest

import schedlib
from frames import as_frame
from fresh import python
from refusals import refuses
from schedlib import eagle, hmhs, lotes, mch
from schedlib.workload import RESULT, Workload

JOBS = as_frame("""
    job  submit  class  user  long
      a     0.0      1  u        7
      b     0.0      0  v        7
      c     1.0      0  u        7
      d     5.0      1  v        7
""")
TASKS = as_frame("""
    job  duration  cpu
      a       4.0  1.0
      a       1.0  1.0
      b       2.0  1.0
      c       1.0  1.0
      d       3.0  2.0
      d       6.0  1.0
""")
CORES = lotes.MachineConfigs([[2.0]], [1])
WHERE = {"short_partition": 0.34, "cutoff": 2.2}


def eagles(unit="s", simulate=eagle.simulate, **options):
    return simulate(Workload(JOBS, TASKS, unit), "eagle", 3, **WHERE, **options)


OF_A_WORKLOAD = {
    "LoTES": lambda: lotes.simulate("greedy", CORES, Workload(JOBS, TASKS)),
    "LoTES, plain": lambda: lotes.plain.simulate("greedy", CORES, Workload(JOBS, TASKS)),
    "Eagle": lambda: eagles(detail="as_written", record=True),
    "Eagle, plain": lambda: eagles(simulate=eagle.plain.simulate),
}


@pytest.mark.parametrize("which", OF_A_WORKLOAD)
def test_jobs_begin_alike_and_have_the_columns_of_the_workload(which):
    result = OF_A_WORKLOAD[which]()
    jobs = result.jobs
    assert tuple(jobs)[:6] == (*RESULT, "user") and jobs.columns.is_unique
    given = JOBS.set_index("job")
    for name in ("class", "user", "submit"):
        assert (jobs[name] == jobs["job"].map(given[name])).all()
    assert (jobs["start"] >= jobs["submit"]).all() and (jobs["finish"] > jobs["start"]).all()
    if which.startswith("Eagle"):
        first = result.tasks.groupby("job")["start"].min()
        assert (jobs["start"] == jobs["job"].map(first)).all()
        assert (jobs["long"] == jobs["job"].isin(["a", "d"])).all()  # measured, not the reader's 7
    else:
        assert len(jobs) == len(TASKS) and (jobs["long"] == 7).all()
    wait = (jobs["start"] - jobs["submit"]).mean()
    assert repr(result).endswith(f", {len(jobs)} jobs, mean wait {wait:.4g})")


def test_the_start_is_in_the_workloads_unit():
    options = {"detail": "as_written", "network_delay": 0.0005}
    seconds, minutes = eagles(**options), eagles("min", **options)
    assert np.allclose(seconds.jobs["start"], minutes.jobs["start"], rtol=0, atol=1e-6)


def test_a_run_that_ends_early_has_the_rows_that_came():
    run = lotes.simulate("greedy", CORES, Workload(JOBS, TASKS), until=2.0)
    assert run.jobs["user"].tolist() == ["u", "u", "v", "u"]


def test_mch_keeps_names_and_classes_and_numbers_what_has_none():
    tree = mch.Tree([(1,), (1,)])
    table = pd.DataFrame({"leaf": [1, 0], "submit": [2.0, 0.0], "tasks": 1, "duration": [3.0, 1.0]})
    bare = mch.simulate(tree, [2], "drf", table).jobs
    assert tuple(bare) == (*RESULT, "leaf", "tasks", "duration")
    assert bare["job"].tolist() == [0, 1] and bare["class"].tolist() == [0, 0]
    assert bare[["start", "finish"]].values.tolist() == [[2.0, 5.0], [0.0, 1.0]]
    named = table.assign(job=["x", "y"], user=["u", "v"], **{"class": [4, 2]})
    jobs = mch.simulate(tree, [2], "drf", named).jobs
    assert tuple(jobs)[:6] == (*RESULT, "leaf") and jobs["user"].tolist() == ["u", "v"]
    assert jobs["job"].tolist() == ["x", "y"] and jobs["class"].tolist() == [4, 2]


def test_hmhs_in_a_batch_and_served():
    same = np.ones((3, 2))
    batch = hmhs.Instance([4, 1, 2], [3, 0, 2], same, [1, 1, 2], [1, 0, 2], same)
    for result in (
        hmhs.schedule(batch, "hmhs"),
        hmhs.plain.schedule(batch, "fifo"),
        hmhs.serve(hmhs.Arrivals(batch, [1.0, 2.0, 3.0])),
    ):
        jobs, tasks = result.jobs, result.tasks.groupby("job")
        assert tuple(jobs)[:5] == RESULT and (jobs["finish"] == result.job_end).all()
        busy = [0, 2]  # job 1 has no task
        assert (jobs["start"][busy] == tasks["start"].min()).all()
        assert jobs["start"][1] == jobs["finish"][1] == jobs["submit"][1]
        assert (jobs["submit"] == result.submit).all()
    assert repr(result).startswith("Served(fair, 3 jobs, mean wait ")


def test_a_run_that_kept_no_rows_is_told_in_a_line():
    run = lotes.simulate("greedy", CORES, Workload(JOBS, TASKS), record=False)
    assert repr(run) == f"Simulation(greedy, 6 jobs, mean wait {run.mean_wait:.4g})"


def test_offered_load_takes_the_workload_first_and_the_old_order_with_a_warning():
    work = Workload(JOBS, TASKS)
    load = lotes.offered_load(work, CORES)
    # work times demand over the span and the cores of the one machine
    assert load == pytest.approx((TASKS["duration"] * TASKS["cpu"]).sum() / (5.0 * 2.0))
    for given, named in (((CORES, work), {}), ((), {"configs": CORES, "jobs": work})):
        with pytest.warns(FutureWarning, match="workload, configs"):
            assert lotes.offered_load(*given, **named) == load
    with pytest.warns(FutureWarning):
        refuses("workload: .* give these two", lotes.offered_load, CORES)


def test_dir_is_what_the_package_offers():
    shown = [name for name in dir(schedlib) if not name.startswith("_")]
    assert {"Experiment", "lotes", "plots", "theory"} <= set(shown)
    assert not {"Any", "TYPE_CHECKING", "importlib", "former"} & set(shown)
    # in a new process: nothing has been imported before
    code = f"import schedlib; print([getattr(schedlib, name).__name__ for name in {shown}])"
    assert "schedlib.plots" in python("-c", code).stdout
