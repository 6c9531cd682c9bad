"""Johnson's rule and Pri: the fast ones against the paper's steps, both against brute force, and against each other."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from book.run.trials import end_in_order
from hmhs_instances import instances
from schedlib import hmhs
from schedlib.hmhs import plain
from schedlib.hmhs.johnson import flow_shop_makespan

SHOPS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=6)


@given(SHOPS)
def test_johnsons_two_lists_and_the_papers_turn_of_ties_in_the_second(shop):
    first, second = zip(*shop, strict=True)
    jobs = range(len(shop))
    early = [i for i in jobs if first[i] <= second[i]]
    late = [i for i in jobs if first[i] > second[i]]
    first_list = sorted(early, key=first.__getitem__)
    ours = sorted(late, key=second.__getitem__, reverse=True)  # keeps the order of ties
    papers = sorted(late, key=second.__getitem__)[::-1]
    assert hmhs.johnson(first, second).tolist() == first_list + ours
    assert plain.johnson(first, second) == first_list + papers


@given(SHOPS)
def test_johnson_is_optimal_and_its_makespan_is_right(shop):
    first, second = zip(*shop, strict=True)
    every = itertools.permutations(range(len(shop)))
    best = min(end_in_order(line, first, second) for line in every)
    for order in (hmhs.johnson(first, second), plain.johnson(first, second)):
        assert end_in_order(order, first, second) == best
        assert flow_shop_makespan(first, second, order) == best


@given(instances())
def test_priority_is_equation_4_and_sorts_as_johnson(instance):
    found = hmhs.priority(instance)
    assert found.tolist() == plain.pri(instance)
    order = hmhs.johnson(*hmhs.total_times(instance))
    assert np.argsort(found, kind="stable").tolist() == order.tolist()
