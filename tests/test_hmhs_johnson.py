"""Johnson's rule and Pri: the fast ones against the paper's steps, both against brute force, and against each other."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hmhs_instances import instances, two_machine_makespan
from schedlib import hmhs
from schedlib.hmhs import plain
from schedlib.hmhs.johnson import flow_shop_makespan

SHOPS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=6)


def keys(first, second, order):
    """What Johnson's order sorts by; jobs with equal keys may change places."""
    return [(first[i] > second[i], min(first[i], second[i])) for i in order]


@given(SHOPS)
def test_the_papers_steps_turn_ties_round_in_the_second_list_and_nowhere_else(shop):
    first, second = zip(*shop, strict=True)
    last = len(shop) - 1
    kept = hmhs.johnson(first, second).tolist()
    turned = [last - i for i in hmhs.johnson(first[::-1], second[::-1]).tolist()]
    in_first_list = [i for i in kept if first[i] <= second[i]]
    in_second_list = [i for i in turned if first[i] > second[i]]
    assert plain.johnson(first, second) == in_first_list + in_second_list


@given(SHOPS)
def test_johnson_is_optimal_and_its_makespan_is_right(shop):
    first, second = zip(*shop, strict=True)
    every = [
        two_machine_makespan(first, second, line)
        for line in itertools.permutations(range(len(shop)))
    ]
    for order in (hmhs.johnson(first, second), plain.johnson(first, second)):
        assert (
            flow_shop_makespan(first, second, order)
            == two_machine_makespan(first, second, order)
            == min(every)
        )


@given(instances())
def test_priority_is_equation_4_and_sorts_as_johnson(instance):
    found = hmhs.priority(instance)
    assert found.tolist() == plain.pri(instance)
    first, second = hmhs.total_times(instance)
    assert keys(first, second, np.argsort(found, kind="stable")) == keys(
        first, second, hmhs.johnson(first, second)
    )


def test_equal_work_counts_as_more_reduce_work():
    one = [[1.0]]
    equal = hmhs.Instance([2], [1], one, [2], [1], one)
    assert hmhs.priority(equal).tolist() == plain.pri(equal) == [-0.5]
