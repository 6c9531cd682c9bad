"""Stage 3 in plain Python where it can be wrong alone: the paper's examples and cases by hand."""

from fractions import Fraction

import numpy as np
import pytest

from refusals import refuses
from schedlib.lotes import JobClasses, MachineConfigs, plain, plan
from schedlib.workload import Workload

CLASSES = JobClasses([0.5, 0.5], [[3.0], [2.0]], [[1.0, 1.0]])
TWO = MachineConfigs([[5.0]], [2])


class Given:
    """A generator of random numbers that returns a list of numbers, one by one."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def random(self):
        return self.numbers.pop(0)


def lotes_of(configs, classes, *numbers):
    centre = plain.DataCentre(configs, np.ones(classes.rate.shape).tolist())
    return plain.Lotes(centre, plan(configs, classes), Given(*numbers))


def job(row, k, size):
    return plain.Job(row, k, submit=0.0, w=1.0, r=[size])


def test_the_wheel_obeys_the_papers_inequality():
    """Configuration j where the sum of rho before it is at most u, and u is less than the sum with it."""
    deltas = [3, 1, 4, 2]
    for number in range(40):
        policy = lotes_of(TWO, CLASSES, number / 40)
        policy.Delta = [[delta, 0] for delta in deltas]
        j = policy.spin([0, 1, 2, 3], 0)
        rho = [Fraction(delta, 10) for delta in deltas]
        assert sum(rho[:j]) <= Fraction(number, 40) < sum(rho[: j + 1])


def test_a_full_configuration_leaves_the_wheel_and_at_last_any_machine_is_taken():
    configs = MachineConfigs([[4.0], [4.0], [4.0]], [1, 1, 1])
    classes = JobClasses([1.0], [[2.0]], [[1.0]] * 3)
    policy = lotes_of(configs, classes, 0.9, 0.0, 0.0)
    policy.Delta = [[0], [1], [1]]
    policy.centre.start(job(0, 0, 1.0), machine=2)
    assert policy.arrive(job(1, 0, 0.5)) == 1  # u = 0.9 is configuration 2, which is full
    policy.centre.start(job(1, 0, 1.0), machine=1)
    policy.rng = Given(0.9, 0.0)
    assert policy.arrive(job(2, 0, 0.5)) == 0  # Delta = 0, but it has room
    assert policy.rng.numbers == []


def test_the_priority_list_is_followed_until_a_class_is_demoted():
    """Scores 2 and 1: two of the first class (a tie does not alter the order), then two of the other, then back."""
    policy = lotes_of(TWO, CLASSES)
    policy.N[0] = [2, 1]
    waiting = [job(row, row % 2, 0.2) for row in range(6)]
    for queued in waiting:
        policy.wait(queued)
    policy.exit(0)
    started = [event[3] for event in sorted(policy.centre.events, key=lambda event: event[2])]
    assert [begun.k for begun in started] == [0, 0, 1, 1, 0]
    assert [begun.row for begun in started] == [0, 2, 1, 3, 4]
    assert policy.queues == [[], [waiting[5]]]


def test_a_job_that_does_not_fit_lets_a_later_one_pass_and_the_class_leaves_the_list():
    policy = lotes_of(TWO, CLASSES)
    policy.N[0] = [9, 0]
    large, small, other = job(0, 0, 0.9), job(1, 0, 0.3), job(2, 1, 0.4)
    for queued in (large, small, other):
        policy.wait(queued)
    policy.centre.start(job(3, 1, 0.2), machine=0)
    policy.exit(0)
    assert small.machine == other.machine == 0 and policy.queues == [[large], []]


def test_a_machine_idles_while_a_class_waits_that_it_should_not_serve():
    """Section 4.3.2: classes with Delta = 0 are not scheduled on an exit, although they fit."""
    configs = MachineConfigs([[1.0, 4.0], [4.0, 1.0]], [1, 1])
    classes = JobClasses([0.5, 0.5], [[0.5, 1.0], [1.0, 0.5]], [[1.0, 1.0]] * 2)
    jobs = Workload.from_arrays(
        [0, 0, 0], [1.0, 9.0, 1.0], job_class=[0, 1, 1], time_unit="h", a=[1, 4, 1], b=[1, 1, 1]
    )
    run = plain.simulate("lotes", configs, jobs, plan=plan(configs, classes))
    assert run.jobs["start"].tolist() == [0, 0, 9]
    policy = lotes_of(configs, classes)
    policy.Delta = [[1, 0], [0, 0]]
    assert [policy.served(j) for j in (0, 1)] == [[0, 1], [1]]  # class 1 is in no bin at all


@pytest.mark.parametrize("policy", ["lotes", "greedy", "tetris"])
def test_twenty_jobs_of_a_twentieth_fill_a_machine(policy):
    configs, classes = MachineConfigs([[0.5]], [1]), JobClasses([1.0], [[0.025]], [[1.0]])
    jobs = Workload.from_arrays([0] * 21, [1.0] * 21, cores=[0.025] * 21)
    run = plain.simulate(policy, configs, jobs, plan=plan(configs, classes))
    assert run.wait.tolist() == [0.0] * 20 + [1.0]


def test_tetris_scores_by_hand():
    """r = (1/2, 1/4), C = (1, 1/2), p = 2 h: omega = 5/8, gamma = 3/2."""
    centre = plain.DataCentre(MachineConfigs([[4.0, 4.0], [4.0, 2.0]], [1, 1]), [[1.0]] * 2)
    tetris = plain.Tetris(centre, hours=1.0)
    asks = plain.Job(0, 0, submit=0.0, w=2.0, r=[0.5, 0.25])
    assert tetris.omega(asks, 1) == pytest.approx(5 / 8) and tetris.gamma(asks, 1) == 3 / 2
    assert tetris.score(asks, 1) == pytest.approx(5 / 8 - 3 / 2)
    assert tetris.arrive(asks) == 0  # 3/4 - 3/2 is more


def test_greedys_ties_are_drawn_evenly_among_machines_that_are_large_enough():
    configs = MachineConfigs([[1.0], [0.5], [1.0]], [2, 5, 1])
    chosen = []
    for number in range(30):
        centre = plain.DataCentre(configs, [[1.0]] * 3)
        greedy = plain.Greedy(centre, Given(number / 30, 0.0))
        greedy.wait(job(0, 0, 0.75))
        (machine,) = (m for m, queue in enumerate(greedy.queues) if queue)
        chosen.append(machine)
    assert chosen == [0] * 10 + [1] * 10 + [7] * 10


def test_no_job_overtakes_at_a_machine_under_greedy():
    jobs = Workload.from_arrays([0, 1, 2], [5.0, 5.0, 1.0], a=[3, 3, 1])
    run = plain.simulate("greedy", MachineConfigs([[4.0]], [1]), jobs)
    assert run.wait.tolist() == [0, 4, 3]  # the third fits at once, but the second waits there


def test_an_unknown_policy_is_refused():
    words = "'lotes' with a plan, 'greedy' or 'tetris'"
    refuses(words, plain.simulate, "fifo", TWO, Workload.from_arrays([0], [1.0], a=[1.0]))
