"""Lower bound <= optimum <= every policy; prices against scipy's linear program; the optimum against brute force."""

import heapq
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from hmhs_instances import brute_force, instances
from refusals import refuses
from schedlib import hmhs
from schedlib.hmhs import plain
from schedlib.hmhs.bound import stage_prices
from schedlib.hmhs.johnson import flow_shop_makespan
from schedlib.hmhs.priced import FACTORS, plans, priced, relative_prices

TINY = instances(jobs=3, machines=2, tasks=2)
SMALL = instances(jobs=4, machines=3, tasks=3)
ALL = [*hmhs.POLICIES, "priced"]
CLOSE = 1 + 1e-6  # the solvers' own tolerance


def fluid(tasks, time):
    """The stage alone with tasks divisible: minimise C over x (jobs, machines) >= 0."""
    jobs, machines = time.shape
    cost = np.r_[np.zeros(jobs * machines), 1]
    load = np.concatenate([np.diag(row) for row in time], axis=1)
    whole = np.c_[np.kron(np.eye(jobs), np.ones(machines)), np.zeros(jobs)]
    limits = {"A_ub": np.c_[load, -np.ones(machines)], "b_ub": np.zeros(machines)}
    return linprog(cost, **limits, A_eq=whole, b_eq=tasks).fun


@given(instances())
def test_prices_solve_the_fluid_problem(instance):
    prices = stage_prices(instance.map_tasks, instance.map_task_time)
    assert prices.makespan == pytest.approx(
        fluid(instance.map_tasks, instance.map_task_time), rel=1e-6, abs=1e-9
    )
    assert prices.makespan == pytest.approx(prices.job.sum())
    assert (prices.machine >= 0).all() and prices.machine.sum() == pytest.approx(1)


@given(TINY)
def test_optimum_is_brute_force(instance):
    assert hmhs.optimum(instance) == pytest.approx(brute_force(instance), rel=1e-6, abs=1e-9)


@given(SMALL)
def test_lower_bound_optimum_policies(instance):
    found, optimum = hmhs.bounds(instance), hmhs.optimum(instance)
    for bound in found[:4]:
        assert bound <= optimum * CLOSE + 1e-9
    assert hmhs.lower_bound(instance) == found.best == max(found[:4])
    for policy in ALL:
        assert optimum <= hmhs.schedule(instance, policy).makespan * CLOSE + 1e-9


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=6))
def test_on_one_machine_a_stage_johnson_is_the_bound_and_the_optimum(shop):
    first, second = zip(*shop, strict=True)
    one, tasks = [[1.0]] * len(shop), [1] * len(shop)
    instance = hmhs.Instance(first, tasks, one, second, tasks, one)
    best = flow_shop_makespan(first, second, hmhs.johnson(first, second))
    assert hmhs.lower_bound(instance) == pytest.approx(best)
    assert hmhs.schedule(instance, "hmhs").makespan == best


def test_each_bound_by_hand():
    # Job 0: two maps of 4 and one reduce of 1; job 1: one map of 2 and two reduces of 4; two equal machines a stage. Fluid maps:
    # 10 / 2 = 5; fluid reduces: 9 / 2 = 4.5. Alone: maps 4 and 2, reduces 1 and 4. So map_first = 5 + 1, reduce_last = 2 + 4.5,
    # longest_job = max(5, 6), and Johnson on a = (4, 1), b = (0.5, 4) runs 1, 0: 1, 5 and 5, 5.5.
    two = [[1.0, 1.0]] * 2
    found = hmhs.bounds(hmhs.Instance([4, 2], [2, 1], two, [1, 4], [1, 2], two))
    np.testing.assert_allclose(found[:4], [5.5, 6, 6.5, 6], rtol=1e-9)
    assert found.best == found.reduce_last


@pytest.mark.parametrize("unit", [1e-15, 1e-8, 1e-3, 7.0, 1e9, 1e15])
def test_bounds_and_optimum_are_the_same_in_any_unit_of_time(unit):
    small = hmhs.single(4, seed=3, machines=(2, 2))
    times = {name: getattr(small, name) * unit for name in ("map_time", "reduce_time")}
    scaled = replace(small, **times)
    for measure in (hmhs.optimum, hmhs.lower_bound):
        assert measure(scaled) / unit == pytest.approx(measure(small), rel=1e-6)


def test_more_tasks_than_can_be_counted_are_refused():
    refuses("^map_tasks: 1.84e.19 tasks", replace, hmhs.single(4), map_tasks=[2**62] * 4)


def test_optimum_is_for_tiny_instances():
    refuses("9 jobs.*at most 8.*lower_bound", hmhs.optimum, hmhs.single(9, machines=(2, 2)))


def test_optimum_does_not_return_what_it_has_not_proved(monkeypatch):
    monkeypatch.setattr("schedlib.hmhs.bound.SECONDS", 0.01)
    with pytest.raises(RuntimeError, match="no proved optimum within"):
        hmhs.optimum(hmhs.single(8, seed=1, machines=(6, 6)))


@given(SMALL)
def test_priced_is_the_best_of_its_plans_and_never_loses_to_hmhs(instance):
    found = hmhs.bounds(instance)
    makespans = [plan.makespan for plan in plans(instance, found)]
    makespans.append(hmhs.schedule(instance, "hmhs").makespan)
    plan = priced(instance, found)
    assert plan.makespan == hmhs.schedule(instance, "priced").makespan == min(makespans)
    assert plan.policy == "priced"


def maps_by_price(instance, order, price, most):
    """Priced dispatch as it is described: the first job whose price is at most `most`, else the cheapest."""
    left = instance.map_tasks.tolist()
    free = [(0.0, machine) for machine in range(instance.map_machines)]
    tasks = []
    while any(left):
        now, machine = heapq.heappop(free)
        waiting = [job for job in order if left[job]]
        cheapest = min(waiting, key=lambda job: price[job, machine])
        cheap = (job for job in waiting if price[job, machine] <= most)
        job = next(cheap, cheapest)
        left[job] -= 1
        end = now + instance.map_task_time[job, machine]
        tasks.append((job, machine, now, end))
        heapq.heappush(free, (end, machine))
    return tasks


@given(instances(jobs=8, machines=4, tasks=6, ties=False))
def test_priced_dispatch_is_as_it_is_described(instance):
    found = hmhs.bounds(instance)
    order = hmhs.johnson(found.map_prices.job, found.reduce_prices.job)
    price = relative_prices(found.map_prices.machine, instance.map_task_time)
    for factor, plan in zip(FACTORS, plans(instance, found), strict=True):
        tasks = maps_by_price(instance, order, price, factor * (1 + 1e-9))
        assert list(zip(*plan.map, strict=True)) == tasks
        ready, reduces = plan.map_end.tolist(), instance.reduce_tasks.tolist()
        times = instance.reduce_task_time.tolist()
        tasks = plain.dynamic_min_min(ready, reduces, times)
        assert list(zip(*plan.reduce, strict=True)) == tasks
