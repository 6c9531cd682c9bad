"""The simulator against theory, against itself, and against bad input."""

import signal
import threading
import warnings

import numpy as np
import pytest

from cases import CASES
from lotes_systems import in_small_steps
from refusals import refuses
from schedlib.lotes import (
    JobClasses,
    MachineConfigs,
    Policy,
    RandomWorkload,
    plan,
    random_instance,
    simulate,
)
from schedlib.lotes.workloads.instances import parent_mean, truncated
from schedlib.workload import Workload

ONE_CORE = JobClasses([1.0], [[1.0]], [[1.0]])


def test_same_jobs_for_all_same_run_for_a_seed_and_other_choices_else():
    options = {"machines": 20, "hours": 5.0, "load": 1.02, "sizes": "common", "matched": True}
    made = random_instance(0.006, seed=5, **options)

    def run(policy, seed=0):
        with pytest.warns(UserWarning, match="stage 2 sustains"):
            found = made.plan if policy == "lotes" else None
            return simulate(policy, made.configs, made.workload, plan=found, seed=seed).jobs

    first, other = (run("lotes", seed) for seed in (1, 2))
    with in_small_steps():
        assert first.equals(run("lotes", 1))
    for jobs in (other, run("greedy"), run("tetris")):
        assert jobs[["submit", "class"]].equals(first[["submit", "class"]])
        assert not jobs["machine"].equals(first["machine"])


def test_an_overloaded_run_is_warned_of_and_not_stable():
    configs = MachineConfigs([[5.0]], [4])
    hectic = RandomWorkload(ONE_CORE, 22.0, 400.0, sizes="fixed")
    with pytest.warns(UserWarning, match="the queue may grow to about 800 jobs"):
        run = simulate("lotes", configs, hectic, plan=plan(configs, ONE_CORE), record=False)
    assert not run.stable and run.slope == pytest.approx(2.0, rel=0.3) and run.waiting > 400


def test_machines_asked_per_arrival_by_hand():
    """Three machines of one core, two configurations; two jobs of a core that never end, the third must wait."""
    configs = MachineConfigs([[1.0], [1.5]], [1, 2])
    # the plan uses the second configuration alone
    found = plan(configs, JobClasses([1.0], [[1.0]], [[0.0], [1.0]]))
    able = JobClasses([1.0], [[1.0]], [[1e-9], [1.0]])
    found = plan(configs, able, allocation=found.allocation)
    jobs = Workload.from_arrays([0, 1, 2, 3], [100.0] * 4, cpu=[1.0] * 4)
    assert simulate("tetris", configs, jobs).looked == 3
    assert simulate("greedy", configs, jobs).looked == (1 + 2 + 3 + 3) / 4
    assert simulate("lotes", configs, jobs, plan=found).looked == (2 + 2 + (2 + 1) + (2 + 1)) / 4
    assert simulate("lotes", configs, jobs, plan=found, sampled=1).looked <= 2


@pytest.mark.parametrize("matched, mean", [(False, 0.025 * 1.0276), (True, 0.025)])
def test_laws_of_sizes(matched, mean):
    classes = JobClasses([0.5, 0.5], [[0.025, 0.025], [0.025, 0.0125]], np.ones((1, 2)))
    for sizes in ("independent", "common"):
        workload = RandomWorkload(classes, 1e5, 1.0, sizes=sizes, matched=matched)
        blocks = list(workload.blocks())
        submit, work, demand, job_class = (
            np.concatenate([getattr(block, name) for block in blocks])
            for name in ("submit", "work", "demand", "job_class")
        )
        for times, average in ((np.diff(submit), 1e-5), (work, 1.0)):  # exponential
            assert [times.mean(), times.std()] == pytest.approx([average] * 2, rel=0.02)
        assert demand[:, 0].mean() == pytest.approx(mean, rel=0.01)
        assert demand[job_class == 1, 1].mean() == pytest.approx(mean / 2, rel=0.01)
        together = np.corrcoef(demand[job_class == 0].T)[0, 1]
        assert together == pytest.approx(1.0 if sizes == "common" else 0.0, abs=0.02)


def test_truncated_stays_inside():
    drawn = truncated(np.random.default_rng(0), np.full((1000, 2), 0.5), 0.5, 0.6)
    assert drawn.min() >= 0 and drawn.max() <= 0.6
    refuses("too near the largest", parent_mean, 0.6, 0.5, 0.6)


SMALL = MachineConfigs([[1.0, 1.0], [0.5, 0.25]], [1, 2])


def jobs_of(cpu, mem, job_class=0):
    return Workload.from_arrays([0.0], [1.0], job_class=[job_class], cpu=[cpu], mem=[mem])


FITS = jobs_of(0.1, 0.1)
ON_SMALL = {"classes": JobClasses([1.0], [[0.1, 0.1]], [[0.0], [1.0]])}


@pytest.mark.parametrize(
    "policy, demand, options, why", CASES["lotes_simulate"]["bad_options_and_workloads_are_refused"]
)
def test_bad_options_and_workloads_are_refused(policy, demand, options, why):
    columns = {name: [value] for name, value in demand.items()}
    jobs = Workload.from_arrays([0.0], [1.0], **columns)
    refuses(why, simulate, policy, SMALL, jobs, **options)


def test_jobs_that_do_not_suit_the_classes_are_refused():
    words = "more than any machine that may run it"
    refuses(words, simulate, "tetris", SMALL, jobs_of(0.6, 0.1), **ON_SMALL)
    words = "job 0 is of class 3; there are 1"
    refuses(words, simulate, "tetris", SMALL, jobs_of(0.1, 0.1, 3), **ON_SMALL)


def test_a_plan_for_other_machines_is_refused():
    made = plan(SMALL, ON_SMALL["classes"])
    other = MachineConfigs(SMALL.capacity, [1, 3])
    words = "plan: was made for other machine configurations"
    refuses(words, simulate, "lotes", other, FITS, plan=made)


def hasty(cluster, job):
    return -1 if cluster.now > 0 else 0


@pytest.mark.parametrize(
    "arrive, leave, cpu, why",
    [
        (
            lambda cluster, job: 99,
            None,
            0.1,
            "unknown machine: job 0 at 0 s is sent to machine 99; there are 3, 0 to 2",
        ),
        (
            lambda cluster, job: 1,
            None,
            0.6,
            "capacity: job 0 at 0 s needs 0.6 of cpu, and machine 1 has 0.5 free; return -1 to let it wait, or ask lotes.can_start first",
        ),
        (
            hasty,
            lambda cluster, machine: 7,
            0.1,
            "unknown job: machine 0 at 1 s is given number 7, which does not wait",
        ),
        (
            lambda cluster, job: 1 if cluster.now == 0 else -1,
            lambda cluster, machine: cluster.waiting[0],
            0.1,
            "capacity: job 1 at 1 s needs 0.9 of cpu, and machine 1 has 0.5 free; return -1 when none fits",
        ),
    ],
)
def test_policies_that_break_the_rules_are_refused(arrive, leave, cpu, why):
    jobs = Workload.from_arrays([0.0, 0.5], [1.0, 1.0], cpu=[cpu, 0.9], mem=[0.1, 0.1])
    refuses(f"policy 'odd': {why}", simulate, Policy(arrive, leave, "odd"), SMALL, jobs)


def test_a_job_sent_where_its_class_cannot_run_is_refused():
    classes = JobClasses([1.0], [[0.1, 0.1]], [[1.0], [0.0]])
    words = "policy 'own': class: job 0 at 0 s is of class 0, which machine 1 cannot run; return -1 to let it wait, or ask lotes.can_start first"
    refuses(words, simulate, Policy(lambda cluster, job: 1), SMALL, FITS, classes=classes)


def test_a_quantile_that_is_not_a_number_is_refused():
    jobs = Workload.from_arrays([0.0], [1.0], cpu=[0.1], mem=[0.1])
    refuses("q: nan, must lie in", simulate("greedy", SMALL, jobs).quantile, np.nan)


@pytest.mark.parametrize("policy", ["lotes", "lotes-first", "greedy", "tetris"])
def test_jobs_that_still_wait_count_with_what_they_have_waited(policy):
    instance = random_instance(0.015, load=1.2, machines=5, hours=20.0, seed=2)
    found = instance.plan if policy.startswith("lotes") else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # more arrives than can be served
        kept, sketched = (
            simulate(policy, instance.configs, instance.workload, plan=found, record=record)
            for record in (True, False)
        )
    assert sketched.jobs is None and sketched.queue_length.equals(kept.queue_length)
    assert sketched.mean_wait_started == kept.mean_wait_started
    start, submit = kept.jobs["start"], kept.jobs["submit"]
    wait = (start.fillna(kept.time) - submit).to_numpy()
    assert kept.waiting == len(kept.ages) > 100 and (np.diff(kept.ages) <= 0).all()
    for run in (kept, sketched):
        assert run.mean_wait == pytest.approx(wait.mean()) and run.mean_wait > run.mean_wait_started
        assert run.ages.sum() == pytest.approx(wait[start.isna()].sum())
        for q in (0.0, 0.3, 0.9, 0.999, 1.0):
            assert run.quantile(q) == pytest.approx(
                np.quantile(wait, q, method="inverted_cdf"), rel=0.006
            )
    for longer in (-1.0, 0.0, 0.5, wait.max()):
        assert kept.share_above(longer) == pytest.approx((wait > longer).mean())
        assert sketched.share_above(longer) == pytest.approx((wait > longer).mean(), abs=0.01)


def test_ctrl_c_ends_a_long_run(request):
    # a shell starts what runs in the background without it
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    configs = MachineConfigs([[1.0]], [4])
    jobs = RandomWorkload(ONE_CORE, rate=3.0, hours=1e8, sizes="fixed")
    simulate("greedy", configs, jobs, until=1.0, record=False)  # compiles
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        simulate("greedy", configs, jobs, record=False)
    timer.join()
