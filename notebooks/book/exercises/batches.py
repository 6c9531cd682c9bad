"""Checks for chapter 5, batches of MapReduce jobs, and chapter 6, sharing in a hierarchy."""

import math
from dataclasses import replace
from decimal import Decimal
from functools import partial
from numbers import Real

import numpy as np

from book import exercises
from book.exercises.reading import (
    a,
    expect,
    expect_near,
    function,
    hinted,
    items,
    made,
    near,
    number,
    numbers,
    one_of,
    unlike,
    wholes,
)
from schedlib import hmhs, mch
from schedlib.hmhs.johnson import flow_shop_makespan
from schedlib.mch.properties import node_shares
from schedlib.mch.search import random_tree

batches = partial(exercises.exercise, "hmhs")
MAPS = [3, 7, 4, 5]
REDUCES = [6, 2, 4, 1]


@batches(
    "jobs that are quicker in the map stage by growing map time, then the others by falling reduce time",
    "jobs 1 and 3 have maps no longer than their reduces, so they come first. Add up the "
    "maps; each reduce starts at the later of two ends: its own map's, and the reduce's "
    "before it",
)
def order_by_hand(answer: object) -> str:
    """Give a pair: the four jobs in Johnson's order, numbered from 1, and the makespan."""
    parts = items(answer, "a pair: a list of four jobs, and a makespan", 2)
    parts.sort(key=lambda part: isinstance(part, Real | str | Decimal))  # in either order
    order = wholes(numbers(parts[0], 4, "four jobs"), "jobs") - 1
    makespan = number(parts[1], "a makespan")
    expect(sorted(order) == [0, 1, 2, 3], "each of the jobs 1 to 4 once")
    took = flow_shop_makespan(MAPS, REDUCES, order)
    johnson = hmhs.johnson(MAPS, REDUCES)
    least = flow_shop_makespan(MAPS, REDUCES, johnson)
    expect_near(
        took, least, "this order takes too long: in which stage is each job quicker?", within=1e-6
    )
    expect(
        (order == johnson).all(),
        "no order is shorter, but it is not Johnson's: sort each of the two groups as the rule says",
    )
    expect_near(
        makespan,
        took,
        "the order is right; for the makespan, a reduce waits for its own map and for the reduce before it",
        within=1e-9,
    )
    return "and no order is shorter."


@batches(
    "two machines in the map stage: one job a little quicker on the first machine, the other very "
    "slow on the second",
    "submit the long job first. Give the short job almost the same time on both machines, a "
    "little less on machine 1, and the long job a time on machine 1 that is much shorter than "
    "on machine 2",
)
def where_hmhs_loses(answer: object) -> str:
    """Give an `hmhs.Instance` of two jobs, with at most two machines a stage."""
    case = a(hmhs.Instance, answer, "an `hmhs.Instance`")
    expect(case.n_jobs == 2, f"needs two jobs, and here are {case.n_jobs}")
    expect(max(case.map_machines, case.reduce_machines) <= 2, "at most two machines in a stage")
    ours, fifo = (hmhs.schedule(case, policy).makespan for policy in ("hmhs", "fifo"))
    how = "as good as" if near(ours, fifo, 1e-9) else "better than"
    hint = (
        "on which machine does Min-Min put the first task, and which job needed that machine more?"
    )
    expect(ours > fifo * (1 + 1e-9), f"HMHS is {how} FIFO here: {hint}")
    return (
        f"HMHS takes {ours:.3g}, FIFO {fifo:.3g}, and the best schedule {hmhs.optimum(case):.3g}."
    )


@batches(
    "`hmhs.schedule(case, policy).makespan` for five seeds and three policies, then means, then ratios",
    "`replace(hmhs.POLICIES['fifo-pri'], map_rule='min-min')` and the same with "
    "`reduce_rule`, on `hmhs.single(100, seed)` for seeds 0 to 4; divide the mean makespans",
)
def two_stages(answer: object) -> str:
    """Give two numbers: the mean makespan over FIFO-Pri's, with Min-Min on maps only, and on reduces only."""
    values = numbers(answer, 2, names="map reduce")
    right = np.array([0.5588, 0.9825])
    gains = "that is what Min-Min gains: give its makespan over FIFO-Pri's"
    unlike(
        values,
        (1 - right, gains),
        (100 * (1 - right), gains),
        (100 * right, "give parts of 1, not per cent"),
        (right[::-1], "the numbers look right, but the other way round"),
        (1 / right, "divide the other way round: the mixed policy's makespan over FIFO-Pri's"),
        (1655.2 * right, "divide by FIFO-Pri's mean makespan"),
    )
    for stage, mine, ratio in zip(("map", "reduce"), values, right, strict=True):
        policy = f'`replace(hmhs.POLICIES["fifo-pri"], {stage}_rule="min-min")`'
        expect_near(
            mine, ratio, f"{stage} stage only: take {policy} on the five instances", within=0.03
        )
    return "the stage with the most work decides."


@batches(
    "for each waiting job take `stage.time[job].min()`, and choose the job for which that is largest",
    "write `@hmhs.rule` above `def rule(stage, machine, now)`; the jobs to choose from are in `stage.queue`, and "
    "the machine that asks plays no part in the choice",
)
def max_min(answer: object) -> str:
    """Give an `hmhs.Policy` with your rule as its `map_rule`."""
    what = "an `hmhs.Policy`, or a function made by `hmhs.rule`"
    policy = made(answer, hmhs.Policy, what, lambda rule: hmhs.Policy(map_rule=rule))
    expect(
        callable(policy.map_rule), "its `map_rule` is a name; needs a function made by `hmhs.rule`"
    )
    rng = np.random.default_rng(0)
    for _ in range(5):
        time = rng.uniform(1, 9, 6)
        tasks = rng.integers(1, 4, 6)
        same = np.ones((6, 3))
        length = np.diff(
            time[_map_order(policy, hmhs.Instance(time, tasks, same, time, tasks, same))]
        )
        expect((length <= 0).all(), "on equal machines the job with the longest tasks goes first")
        speed = rng.uniform(0.1, 3, (6, 3))
        first = _map_order(policy, hmhs.Instance(time, tasks, speed, time, tasks, same))[0]
        expect(
            first == (time[:, None] * speed).min(axis=1).argmax(),
            "on an idle cluster the first job is the one whose *best* time, over all machines, is longest",
        )
    mine, ours, fifo = (
        hmhs.schedule(hmhs.single(100, 0), contender).makespan
        for contender in (policy, "hmhs", "fifo")
    )
    times = f"it takes {mine / ours:.1f} times as long as HMHS, FIFO {fifo / ours:.1f} times"
    return f"{times}: choosing the right machine matters most."


def _map_order(policy, case):
    with hinted("the policy does not run"):
        return hmhs.schedule(case, replace(policy, reduce_rule="min-min")).map.job


sharing = partial(exercises.exercise, "mch")
RESOURCES = {"CPU": "cpus core cores processor", "memory": "ram mem"}


@sharing(
    "divide each demand by its largest entry; add these up in group 2, divide by the largest entry "
    "of the sum",
    "normalised, group 2 has a job that needs CPUs alone and one that needs half as many CPUs "
    "as memory. Divide 1 by the largest entry of their sum. At the level f all shares are f "
    "times their weights: at which f is the first resource full?",
)
def shares_by_hand(answer: object) -> str:
    """Give a triple: three weights, the first full resource ("CPU" or "memory"), three dominant shares."""
    parts = items(answer, "a triple: three weights, a resource, three shares", 3)
    weights = numbers(parts[0], 3)
    first = one_of(parts[1], RESOURCES)
    shares = numbers(parts[2], 3)
    expect(
        first == "CPU",
        "which resource fills first? Add the normalised demands up to the root, and take the largest",
    )
    expect(weights[0] > 0, "weights are positive")
    expect_near(
        weights / weights[0],
        [1, 2 / 3, 2 / 3],
        "weights: 1 over the largest entry of the sum over group 2, for those inside",
        within=0.01,
    )
    expect_near(
        shares,
        [1 / 2, 1 / 3, 1 / 3],
        "shares are the weights times the level at which a resource is full",
        (weights, "these are the weights again: at which level is a resource full?", 0.01),
        within=0.01,
    )
    return "and part of the other resource stays idle."


@sharing(
    "let one job need memory alone, and the other three more CPUs than memory",
    "with the three others at twice as many CPUs as memory, CPUs fill first. Which job does "
    "not need what fills first?",
)
def where_they_differ(answer: object) -> str:
    """Give a `mch.Tree`, two groups of two jobs, one partial-type; MCH and H-DRF differ at 10 CPUs, 10 GB."""
    tree = _two_resources(answer)
    jobs = [path for path in tree.paths if len(path) > 1]
    expect(
        jobs == [(1, 1), (1, 2), (2, 1), (2, 2)],
        "needs two groups of two jobs: [[.., ..], [.., ..]]",
    )
    partial = (tree.demand == 0).any(axis=1)
    expect(
        partial.sum() == 1,
        f"needs one job that does without a resource, and here are {partial.sum()}",
    )
    needed = tree.demand[partial, mch.flatten(tree, [10, 10]).first_saturated][0] > 0
    fills_first = "its partial-type job needs what `mch.flatten` says fills first"
    ours, theirs = (mch.allocate(tree, [10, 10], rule).shares for rule in ("mch", "h-drf"))
    same = f"they give the same on this tree: {fills_first if needed else 'change what the other three need'}"
    expect(np.abs(ours - theirs).max() > 1e-6, same)
    return "its weight ignores its group, as it does not need the resource that fills first."


@sharing(
    "group 1 leaves the memory job a part 1 - 1 / weight of the memory; set that equal to the job's "
    "guarantee",
    "the guarantee is half of weight / (weight + 1). Solve 1 - 1 / weight = half of weight / "
    "(weight + 1)",
)
def heavier_group(answer: object) -> str:
    """Give a number: the least weight of group 2 that gives its memory job's guarantee by the naive rule."""
    weight = number(answer)
    expect(weight >= 1, "at weight 1 the memory job has nothing: try larger weights")
    expect_near(
        weight,
        math.sqrt(2),
        "what does the memory job get at this weight, and what is its guarantee? Both depend on the weight",
        (1, "with the weights 1 and 1 its memory job has nothing once tasks end: try larger ones"),
        (10, "that is enough, but it is not the least weight: try a fifth of it"),
        (2, "that weight gives it half of the memory: is its guarantee that large?"),
    )
    return "with a smaller weight the guarantee is broken."


@sharing(
    "jobs that need different resources add up to little of each one",
    "one job that needs both resources alike beside a group: one of the group's jobs needs "
    "the first resource alone, the other the second",
)
def by_guarantee(answer: object) -> str:
    """Give a `mch.Tree` on which these weights leave a group below its guarantee, with 1 of each resource."""
    tree = _two_resources(answer)
    groups = np.flatnonzero(tree.leaf_of < 0)[1:]
    expect(len(groups), "needs a group: a list within the list")
    weights = {(i,): share for i, share in enumerate(tree.guarantee[tree.leaves], 1)}
    flat = mch.Tree(list(map(tuple, tree.demand)), weights)
    shares = node_shares(tree, [1, 1], mch.allocate(flat, [1, 1], "weighted-drf").shares)
    poorest = (shares / tree.guarantee)[groups].min()
    hint = "A group's share is that of what it uses most: which jobs add up to little?"
    expect(poorest < 0.99, f"all groups have their guarantee here, too. {hint}")
    return f"the poorest group has {100 * poorest:.0f} % of its guarantee; H-DRF would give it all."


@sharing(
    "go down the tree: a child's number is its parent's, over the largest entry of the parent's sum",
    "normalise each leaf's demand, and add up from the leaves to the root: `sum of the "
    "children / largest entry`. Then walk down; leave out MCH's exception for jobs that do "
    "not need the first full resource",
)
def near_h_drf(answer: object) -> str:
    """Give a function of (tree): a weight for each leaf, with one unit of each resource, so that weighted DRF
    keeps every leaf's guarantee and comes nearer to H-DRF than MCH does."""
    weigh = function(answer, "tree")
    rng = np.random.default_rng(2020)
    far = np.zeros(2)
    for i in range(60):
        tree = random_tree(rng, depth=3, partial=0.5)
        with hinted(f"it stopped at tree {i + 1} of 60"):
            weights = numbers(weigh(tree), tree.n_leaves, "a weight for each leaf")
        expect((weights > 0).all(), "weights are positive")
        flat = mch.Tree(
            list(map(tuple, tree.demand)), {(k,): w for k, w in enumerate(weights.tolist(), 1)}
        )
        mine = mch.allocate(flat, [1, 1], "weighted-drf").shares
        least = (mine / tree.guarantee[tree.leaves]).min()
        expect(least > 1 - 1e-6, f"on tree {i + 1} a leaf has {least:.2f} of its guarantee")
        goal = mch.allocate(tree, [1, 1], "h-drf").shares
        far += [
            np.abs(shares - goal).max() > 0.01
            for shares in (mine, mch.allocate(tree, [1, 1], "mch").shares)
        ]
    ours, theirs = (far / 60).round(2)
    expect(
        ours < theirs,
        f"guarantees are kept, but it differs from H-DRF on {ours:.0%} of the trees, "
        f"MCH on {theirs:.0%}",
    )
    return f"it differs from H-DRF on {ours:.0%} of 60 trees, MCH on {theirs:.0%}."


def _two_resources(answer):
    """The answer as a tree of two resources; a nested list is read as one."""
    if isinstance(answer, list):
        with hinted("this list is not a hierarchy"):
            answer = mch.Tree(answer)
    tree = a(mch.Tree, answer, "a `mch.Tree`")
    expect(tree.n_resources == 2, f"needs jobs of two resources, and these have {tree.n_resources}")
    return tree
