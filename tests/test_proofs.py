"""The proofs of chapters 1 to 3, each step tried on all small cases, with the chapters' own programs; exercises solved by search as stated."""

import itertools

import numpy as np
import pytest

from book import exercises
from book.exercises.classics import first_fit
from book.explorers import six
from chapter_code import functions
from schedlib import lotes, theory
from schedlib.boards import literature
from schedlib.workload import Workload

(
    list_schedule, makespan, longest_first, best, list_with_order, johnson, end_of, pack, srpt, fcfs, by_turns
) = functions(
    "01c-classics", "list_schedule", "makespan", "longest_first", "best", "list_with_order", "johnson", "end_of", "pack", "srpt",
    "fcfs", "by_turns",
)  # fmt: skip
(first_come,) = functions("01-waiting", "first_come_first_served")
PAIRS = list(itertools.product(range(1, 5), repeat=2))  # a job's times on the two machines


def may_stand_before(i, j):
    return min(i[0], j[1]) <= min(j[0], i[1])


def ends_at(jobs):
    return end_of(range(len(jobs)), *zip(*jobs, strict=True))


def of_shapes(machines, most, largest):
    """All lists of at most `most` jobs, the longest first."""
    for number in range(1, most + 1):
        for jobs in itertools.combinations_with_replacement(range(largest, 0, -1), number):
            yield jobs, machines


# --- chapter 1: Little's law ---


@pytest.mark.parametrize("gaps", list(itertools.product(range(3), repeat=3)))
def test_the_grey_area_is_the_same_by_columns_and_by_strips(gaps):
    submit = np.cumsum([0, *gaps])
    for duration in itertools.product((1, 2, 3), repeat=4):
        start = np.array(first_come(submit.tolist(), duration))
        moments = np.arange(max(start) + 1)[:, None]
        waiting = ((submit <= moments) & (moments < start)).sum()  # unit columns
        assert waiting == (start - submit).sum()


# --- chapter 1b: what is left of a service ---


@pytest.mark.parametrize("services", list(itertools.combinations_with_replacement((1, 2, 5), 4)))
def test_a_new_job_meets_on_average_half_of_the_second_moment(services):
    met = [(length, length / sum(services)) for length in services]  # with which probability
    left = sum(length / 2 * probability for length, probability in met)
    lengths = np.array(services, float)
    assert left == pytest.approx((lengths**2).mean() / (2 * lengths.mean()))


# --- chapter 1c: lists ---


@pytest.mark.parametrize("machines", [2, 3])
def test_lists_keep_their_bounds_and_lpt_is_best_with_two_jobs_a_machine(machines):
    for jobs, m in of_shapes(machines, 2 * machines + 1, 9 - 2 * machines):
        least = best(jobs, m)
        lpt = makespan(list_schedule(jobs, m))
        worst = max(makespan(list_schedule(jobs[k:] + jobs[:k], m)) for k in range(len(jobs)))
        assert lpt <= (4 / 3 - 1 / (3 * m)) * least + 1e-9 and worst <= (2 - 1 / m) * least + 1e-9
        if len(jobs) <= 2 * m:
            filled = [*jobs, *[0] * (2 * m - len(jobs))]
            folded = max(filled[j] + filled[-1 - j] for j in range(m))
            two_each = [
                way
                for way in itertools.product(range(m), repeat=len(jobs))
                if max(np.bincount(way)) <= 2
            ]
            assert folded == min(max(np.bincount(way, jobs)) for way in two_each)
        if 3 * min(jobs) > least:
            assert len(jobs) <= 2 * m and lpt == least == folded
        late = max(row[3] for row in list_schedule(jobs, m))
        last = max(row[0] for row in list_schedule(jobs, m) if row[3] == late)
        kept = jobs[: last + 1]  # jobs after the one that ends last do not change its end
        assert makespan(list_schedule(kept, m)) == lpt and best(kept, m) <= least


EARLIER = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]  # task 0 may come before 1, and so on


@pytest.mark.parametrize("waits", list(itertools.product((False, True), repeat=len(EARLIER))))
def test_with_tasks_that_wait_all_machines_work_or_the_chain_does(waits):
    before = {task: [] for task in range(4)}
    for (first, then), there in zip(EARLIER, waits, strict=True):
        if there:
            before[then].append(first)
    for times in itertools.product((1, 2, 4), repeat=4):
        rows = list_with_order(times, before, 2)
        ends = {task: (start, end) for task, _, start, end in rows}
        assert all(ends[task][0] >= ends[other][1] for task in before for other in before[task])
        chain = [max(ends, key=lambda task: ends[task][1])]
        while before[chain[-1]]:
            chain.append(max(before[chain[-1]], key=lambda task: ends[task][1]))
        for moment in range(makespan(rows)):
            busy = {task for task, (start, end) in ends.items() if start <= moment < end}
            assert len(busy) == 2 or busy & set(chain)
        length = sum(times[task] for task in chain)
        least = max(length, sum(times) / 2)  # no plan ends before
        assert makespan(rows) <= sum(times) / 2 + length / 2 <= 1.5 * least


# --- chapter 1c: Johnson ---


def test_an_exchange_of_two_neighbours_is_what_the_proof_says():
    for (i, j), t, s in itertools.product(itertools.product(PAIRS, repeat=2), (0, 2), (0, 3, 9)):
        whole = t + sum(i) + sum(j)

        def after(first, then, t=t, s=s):
            middle = max(s, t + first[0]) + first[1]
            return max(middle, t + first[0] + then[0]) + then[1]

        assert after(i, j) == max(s + i[1] + j[1], whole - j[0], whole - i[1])
        if may_stand_before(i, j):
            assert after(i, j) <= after(j, i)


def test_in_johnsons_order_the_condition_holds_for_all_pairs_and_it_is_best():
    for jobs in itertools.combinations_with_replacement(PAIRS, 3):
        order = [jobs[k] for k in johnson(*zip(*jobs, strict=True))]
        assert all(itertools.starmap(may_stand_before, itertools.combinations(order, 2)))
        assert ends_at(order) == min(map(ends_at, itertools.permutations(jobs)))


def test_neighbours_alone_are_not_enough():
    jobs = [(5, 2), (1, 1), (1, 4)]
    assert all(itertools.starmap(may_stand_before, itertools.pairwise(jobs)))
    assert ends_at(jobs) == 12 and min(map(ends_at, itertools.permutations(jobs))) == 9


# --- chapter 1c: bins, and one server ---


@pytest.mark.parametrize("first", range(1, 7))
def test_first_fit_leaves_at_most_one_bin_half_full_or_less(first):
    for sizes in itertools.product(range(1, 7), repeat=5):
        full = pack([first, *sizes], 6, lambda room, full: room[0])
        assert sum(2 * level <= 6 for level in full) <= 1


def least_total(submit, work):
    """The least sum of ends of any plan in units of time that is never idle, by trying all."""
    states = {(0, tuple(work)): 0}  # (now, work left) and the sum of ends so far
    answer = np.inf
    while states:
        later = {}
        for (now, left), total in states.items():
            if not any(left):
                answer = min(answer, total)
                continue
            there = [job for job, rest in enumerate(left) if rest and submit[job] <= now]
            for job in there or [None]:
                rest = tuple(value - (k == job) for k, value in enumerate(left))
                done = job is not None and rest[job] == 0
                key, value = (now + 1, rest), total + done * (now + 1)
                later[key] = min(later.get(key, np.inf), value)
        states = later
    return answer


@pytest.mark.parametrize("gaps", list(itertools.product(range(4), repeat=2)))
def test_no_plan_has_a_smaller_mean_response_than_srpt(gaps):
    submit = np.cumsum([0, *gaps]).tolist()
    for work in itertools.product(range(1, 5), repeat=3):
        assert sum(srpt(submit, work)) == least_total(submit, work)


@pytest.mark.parametrize("quanta", [(2,), (1, 2), (3, 1, 2), (1, 2, 4, 8)])
def test_turns_are_the_librarys_feedback_queues_and_the_explorer_has_srpt(quanta):
    one = lotes.MachineConfigs([[1.0]], [1])
    rng = np.random.default_rng(0)
    cases = [([0, 1, 2, 4, 10, 13], [14, 6, 7, 5, 6, 7])]
    policy = literature.feedback(*quanta)
    sizes = rng.integers(1, 12, 100)
    cases += [(np.sort(rng.integers(0, 15, n)), rng.integers(1, 9, n)) for n in sizes]
    for submit, work in cases:
        jobs = Workload.from_arrays(submit, work, cpu=np.ones(len(work)))
        found = lotes.simulate(policy, one, jobs)
        assert (found.jobs["finish"] == by_turns(list(submit), list(work), quanta)).all()
        assert found.pieces["job"].diff().all()  # nobody is stopped for nobody
        assert by_turns(list(submit), list(work), [99]) == fcfs(submit, work)
        explorers = {job: end for job, _, end in six.served(submit, work, 1, "shortest rest first")}
        assert explorers == dict(enumerate(srpt(submit, work)))


# --- chapters 2 and 3: prices ---


@pytest.mark.parametrize("core", np.linspace(0, 2 / 3, 9))
def test_every_list_of_prices_at_which_a_mean_job_costs_one_bounds_the_rate(core):
    memory = (2 - 3 * core) / 5
    assert ((core + 4 * memory) + (2 * core + memory)) / 2 == pytest.approx(1)
    classes = lotes.JobClasses([0.5, 0.5], [[1.0, 4.0], [2.0, 1.0]], [[1.0, 1.0]])
    rate = lotes.allocate(lotes.MachineConfigs([[4.0, 8.0]], [10]), classes).rate
    assert rate <= 40 * core + 80 * memory + 1e-9
    assert core < 2 / 3 or rate == pytest.approx(40 * core + 80 * memory)


# --- exercises, as they are stated ---


def found_by_search(name, answers):
    """Whether one of the answers is accepted."""
    return any("Right" in repr(exercises.check(name, answer)) for answer in answers)


def test_an_order_against_johnson_and_sizes_against_sorting_are_found_by_search():
    pairs = itertools.product(itertools.product((1, 2, 9), repeat=2), repeat=2)
    assert found_by_search("classics.against_johnson", map(list, pairs))
    worse = (
        list(order)
        for sizes in itertools.combinations_with_replacement(range(2, 7), 6)
        if sum(sizes) == 20
        for order in set(itertools.permutations(sizes))
        if len(first_fit(order, 10)) < len(first_fit(sorted(order, reverse=True), 10))
    )
    assert found_by_search("classics.sorting_hurts", itertools.islice(worse, 1))


def test_warm_ups_have_the_answers_of_a_search():
    durations = [2, 8, 4, 7, 5, 3, 9]
    lists = [makespan(list_schedule(order, 3)) for order in (durations, longest_first(durations))]
    assert found_by_search("classics.three_machines", [[*lists, best(durations, 3)]])
    bins = [
        (y1, y2)
        for y1, y2 in itertools.product(range(10), repeat=2)
        if 3 * y1 + y2 <= 9
        and y1 + 3 * y2 <= 9
        and not any(3 * a + c <= 9 and a + 3 * c <= 9 for a, c in ((y1 + 1, y2), (y1, y2 + 1)))
    ]
    fullest = sorted(bins, key=lambda mix: -sum(mix))
    assert found_by_search("bins.bins_by_hand", [fullest])
    classes = lotes.JobClasses([0.25, 0.75], [[2.0, 1.0], [1.0, 4.0]], [[2.0, 2.0]])
    rate = lotes.allocate(lotes.MachineConfigs([[6.0, 12.0]], [20]), classes).rate
    assert found_by_search("fluid.limit_by_hand", [(rate, "cores"), (rate, "memory")])
    one, two = (60 * theory.mmc_mean_wait(5, 6, servers) for servers in (1, 2))
    assert found_by_search("waiting.help_desk", [(one, one * 5 / 60, two)])
