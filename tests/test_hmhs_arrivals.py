"""Jobs that arrive over time: rules that every policy obeys, and what each policy decides, by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_equal

from frames import as_frame
from hmhs_instances import instances
from refusals import refuses
from schedlib import hmhs
from schedlib.boards import hmhs_board as referee
from schedlib.boards import literature
from schedlib.boards.invariants import idle_while_waiting, two_at_once


@st.composite
def arrivals(draw):
    instance = draw(instances(jobs=6, ties=False, paired=True))
    times = arrays(float, instance.n_jobs, elements=st.integers(0, 12).map(float))
    return hmhs.Arrivals(instance, sorted(draw(times)), draw(times))


OPTIONS = st.fixed_dictionaries(
    {"delay": st.sampled_from([0.0, 1.5, 6.0]), "remote": st.sampled_from([1.0, 1.5])}
)


@pytest.mark.parametrize("policy", hmhs.SHARING)
@given(jobs=arrivals(), options=OPTIONS)
def test_every_task_runs_once_after_what_it_needs_one_at_a_time(policy, jobs, options):
    instance, done = jobs.instance, hmhs.serve(jobs, policy, **options)
    for stage, tasks in ((done.map, instance.map_tasks), (done.reduce, instance.reduce_tasks)):
        assert np.bincount(stage.job, minlength=instance.n_jobs).tolist() == tasks.tolist()
        assert (np.diff(stage.start) >= 0).all() and (stage.start >= jobs.submit[stage.job]).all()
        busy = stage.machine, stage.start, stage.finish
        assert not two_at_once("task", instance.map_machines, *busy)
    nominal = instance.map_task_time[done.map.job, done.map.machine]
    took = done.map.finish - done.map.start
    assert (np.isclose(took, nominal) | np.isclose(took, options["remote"] * nominal)).all()
    owner = done.reduce.job
    work = instance.reduce_task_time[owner, done.reduce.machine]
    assert_allclose(done.reduce.finish, done.reduce.start + jobs.copy[owner] + work)
    assert (done.reduce.start >= done.map_end[owner]).all()
    assert_equal(done.map_end, referee._latest(jobs.submit, done.map))


@pytest.mark.parametrize("policy", [name for name in hmhs.SHARING if name not in ("delay", "hmhs")])
@given(jobs=arrivals())
def test_no_slot_idles_while_a_task_waits(policy, jobs):
    done = hmhs.serve(jobs, policy)
    for stage, ready in ((done.map, jobs.submit), (done.reduce, done.map_end)):
        busy = stage.start, stage.finish
        assert idle_while_waiting(jobs.instance.map_machines, ready[stage.job], *busy) < 1e-9


@given(
    instances(jobs=5, machines=3, tasks=4, ties=False, paired=True),
    instances(jobs=5, machines=1, tasks=4, ties=False),
)
def test_a_batch_under_hmhs_has_the_paper_s_map_stage_and_under_fifo_its_makespan(several, one):
    """FIFO on one machine: of several that idle the paper takes the one that was free first, `serve` the first by number."""
    for policy, instance in (("hmhs", several), ("fifo", one)):
        served = hmhs.serve(hmhs.Arrivals(instance, np.zeros(instance.n_jobs)), policy)
        plan = hmhs.schedule(instance, policy)
        assert_allclose(served.map_end, plan.map_end)
        assert policy == "hmhs" or served.job_end.max() == pytest.approx(plan.makespan)


@given(arrivals(), st.sampled_from([1.0, 2.0]))
def test_delay_scheduling_without_delay_is_fair_sharing_and_with_an_endless_one_local(jobs, remote):
    fair, none = (
        hmhs.serve(jobs, policy, delay=0.0, remote=remote) for policy in ("fair", "delay")
    )
    assert_equal((*fair.map, *fair.reduce), (*none.map, *none.reduce))
    assert hmhs.serve(jobs, "delay", delay=1e9, remote=2.0).local == 1.0


def batch(map_time, map_tasks, reduce_time=None, submit=None, machines=1):
    n = len(map_time)
    same = np.ones((n, machines))
    reduces = [0] * n if reduce_time is None else [1] * n
    instance = hmhs.Instance(map_time, map_tasks, same, reduce_time or [1] * n, reduces, same)
    return hmhs.Arrivals(instance, submit or [0.0] * n)


def test_with_every_job_in_one_queue_capacity_is_fifo(monkeypatch):
    """Two machines, two jobs with two maps of 2: fair sharing gives each a slot."""
    monkeypatch.setattr("schedlib.hmhs.serving.QUEUES", 1)
    jobs = batch([2, 2], [2, 2], machines=2)
    assert hmhs.serve(jobs, "capacity").flow.tolist() == [2, 4]
    assert hmhs.serve(jobs, "fair").flow.tolist() == [4, 4]


def test_ends_then_arrivals_then_starts_of_one_moment():
    """At 4 the first map ends and a shorter job arrives: it starts before the map that waits."""
    done = hmhs.serve(batch([4, 1], [2, 1], submit=[0.0, 4.0]), "shortest")
    assert done.map.start.tolist() == [0, 4, 5]
    assert done.map.job.tolist() == [0, 1, 0]


def test_arrivals_have_the_load_that_is_stated():
    given = as_frame("""
        submit  map_tasks  map_time  reduce_tasks  reduce_time
             5         40         3             1            6
            15          1         9             2            3
            45          9         1             0            1
    """)
    jobs = hmhs.arriving(given, seed=3, load=0.5, machines=4, copy=0.25)
    work = (jobs.instance.map_task_time.mean(axis=1) * jobs.instance.map_tasks).sum()
    assert work / 4 / jobs.submit[-1] == pytest.approx(0.5)
    assert jobs.submit[0] == 0 and jobs.submit[1] / jobs.submit[2] == pytest.approx(0.25)
    assert (jobs.copy + jobs.instance.reduce_time).tolist() == [6.0, 3.0, 1.0]
    assert jobs.copy[0] == 1.5


def test_bad_arguments_are_named():
    one = batch([1], [1])
    refuses("remote: 0.5, must be from 1", hmhs.serve, one, remote=0.5)
    refuses("submit: not ascending", batch, [1, 1], [1, 1], submit=[2.0, 1.0])
    refuses("submit: 1 values for 2 jobs", batch, [1, 1], [1, 1], submit=[2.0])
    refuses(
        "2 map and 3 reduce machines", hmhs.Arrivals, hmhs.single(2, machines=(2, 3)), [0.0, 0.0]
    )


FEWEST = literature.fewest_running(0)
OWN = {"fifo": hmhs.POLICIES["fifo"], "fair": hmhs.Policy(map_rule=FEWEST, reduce_rule=FEWEST)}


@pytest.mark.parametrize("name", OWN)
@given(jobs=arrivals())
def test_a_policy_of_rules_decides_as_the_shipped_one(name, jobs):
    """Without copying, after which alone a slot is free later than believed."""
    jobs = hmhs.Arrivals(jobs.instance, jobs.submit)
    mine, theirs = hmhs.serve(jobs, OWN[name]), hmhs.serve(jobs, name)
    assert_equal((*mine.map, *mine.reduce), (*theirs.map, *theirs.reduce))


def late(stage, machine, now):
    """Nobody starts before 7."""
    stage.wake[0] = 7.0
    return stage.queue[-1] if now >= 7 else -1


def test_a_rule_may_wait_until_a_time_of_its_own_and_sees_its_order():
    jobs = batch([2, 2], [1, 1], submit=[0, 1])
    done = hmhs.serve(jobs, hmhs.Policy(map_rule=late))
    assert done.map.start.tolist() == [7, 9] and done.map.job.tolist() == [1, 0]
    turned = hmhs.serve(jobs, hmhs.Policy(order=lambda instance: [1, 0], map_rule=late))
    assert turned.map.job.tolist() == [0, 1]


def after_the_first(stage, machine, now):
    """Machine 0 waits while job 0 has tasks left."""
    return -1 if machine == 0 and stage.left[0] > 0 else stage.queue[0]


def test_a_slot_that_waits_is_asked_again_when_a_job_has_its_last_task_started():
    """In a batch and over time: machine 1 takes job 0, and machine 0 job 1 at the same moment."""
    jobs = batch([10, 1], [1, 1], machines=2)
    policy = hmhs.Policy(map_rule=after_the_first)
    for done in (hmhs.schedule(jobs.instance, policy), hmhs.serve(jobs, policy)):
        assert done.map.start.tolist() == [0, 0] and done.map.job.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        (hmhs.POLICIES["hmhs"], "policy: its map_rule is 'min-min'"),
        (hmhs.POLICIES["fifo-barrier"], "policy: a barrier"),
        (hmhs.Policy(map_rule=lambda stage, machine, now: 5), "at 0 its map rule gave machine 0 the job 5"),
        (hmhs.Policy(reduce_rule=lambda stage, machine, now: 5), "at 2 its reduce rule gave machine 0 the job 5"),
        (hmhs.Policy(reduce_rule=lambda stage, machine, now: -1), "its reduce rule left every machine waiting with 1 tasks"),
    ],
)  # fmt: skip
def test_a_policy_that_cannot_serve_is_named(policy, says):
    refuses(says, hmhs.serve, batch([2], [1], [1]), policy)
