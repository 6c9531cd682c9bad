"""The leaderboard: who is better is first, who breaks a rule is told so with row and time, intervals are what they say."""

import itertools
import multiprocessing
import os
import time
from dataclasses import replace
from functools import partial

import numba
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cases import CASES
from frames import runs_of
from fresh import python
from schedlib import boards, eagle, hmhs, lotes, mch, paths
from schedlib.boards import invariants, literature
from schedlib.boards.apart import Broke, apart
from schedlib.boards.lotes_board import METRICS
from schedlib.boards.race import LONGEST, PATIENCE
from schedlib.core.rules import FLOATS, RuleKind
from schedlib.workload import SECONDS, Workload

CLUSTER = lotes.MachineConfigs([[4.0]], [3])
jit_only = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="needs the compiler")


def crowd(seed):
    """Sixty jobs for three machines of four cores: enough to make some wait; some take no time."""
    rng = np.random.default_rng(seed)
    submit, duration = np.sort(rng.uniform(0, 60, 60)), rng.exponential(6.0, 60).round()
    return Workload.from_arrays(submit, duration, cores=rng.integers(1, 4, 60))


def first_fit(cluster, job):
    return lotes.first_fit(cluster, job)


def on_crowd(*mine, **options):
    return boards.lotes(
        *mine,
        **{"workload": crowd, "configs": CLUSTER, "seeds": 2, "against": ["greedy"]} | options,
    )


def row_of(board, policy):
    return board[board["policy"] == policy].iloc[0]


# --- who is first -------------------------------------------------------------------------------------------------------------


def test_a_planted_better_policy_is_first_and_a_worse_one_last():
    better = replace(hmhs.POLICIES["hmhs"], name="planted")
    worse = hmhs.Policy(order=lambda instance: -hmhs.priority(instance), name="worse", barrier=True)
    board = boards.hmhs(worse, better, seeds=3, against=["fifo-pri", "fifo"])
    first = board[board["metric"] == "makespan over its lower bound"]
    assert first["policy"].iloc[0] == "planted" and first["rank"].iloc[0] == 1
    assert (first["difference"].iloc[1:] > 0).all() and row_of(board, "worse")["rank"] > 1
    assert row_of(board, "planted")["mean"] >= 1  # a bound is a bound


def test_where_higher_is_better_the_highest_is_first():
    rule = mch.Rule(
        lambda leaf, usage, demand, weight, capacity: (usage / capacity).max() / weight,
        "exact-ch",
        "exact",
    )
    board = boards.mch(rule, seeds=2, against=["drf", "exact-ch"])
    first = board[board["metric"].str.startswith("poorest")].set_index("policy")
    assert first["rank"].to_dict() == {"exact": 1, "exact-ch": 1, "drf": 3}
    assert first.loc["exact", "mean"] == pytest.approx(first.loc["exact-ch", "mean"])


# --- same seeds, same workload ------------------------------------------------------------------------------------------------


def test_each_seed_is_drawn_once_and_all_policies_run_on_it():
    drawn = []

    def noted(seed):
        drawn.append(seed)
        return crowd(seed)

    mine = lotes.Policy(first_fit, name="first fit")
    runs = on_crowd(mine, workload=noted, seeds=[4, 9, 2], each=True)
    assert drawn == [4, 9, 2]
    assert set(map(tuple, runs.groupby(["policy", "metric"])["seed"].agg(tuple))) == {(4, 9, 2)}
    alone = on_crowd(mine, seeds=[9], each=True)
    pd.testing.assert_frame_equal(
        alone.reset_index(drop=True), runs[runs["seed"] == 9].reset_index(drop=True)
    )


# --- clusters with room to spare ------------------------------------------------------------------------------------------------


def by_metric(board, policy):
    return board[board["policy"] == policy].set_index("metric")["mean"]


def test_where_nobody_waits_the_boards_say_so_and_how_full_the_cluster_is():
    jobs = Workload.from_arrays([0, 10, 20], [5.0, 5.0, 5.0], cores=[1, 1, 1])
    board = by_metric(on_crowd(workload=jobs, seeds=1), "greedy")
    assert (
        board[["mean wait (s)", "jobs that wait (%)"]].tolist() == [0, 0]
        and board["bounded slowdown"] == 1
    )
    assert board["utilisation (%)"] == pytest.approx(100 * 15 / (12 * 25))
    longer = Workload.from_arrays([0, 1000, 2000, 3000], [50.0, 50.0, 50.0, 200.0])
    board = by_metric(
        boards.eagle(workload=longer, workers=3, cutoff=100, seeds=1, against=["sparrow"]),
        "sparrow",
    )
    assert board["short jobs, bounded slowdown"] == pytest.approx(1, abs=1e-3)
    assert board["utilisation (%)"] == pytest.approx(100 * 350 / (3 * 3200), rel=1e-3)
    rows = [(0, 0.0, 4, 50.0), (1, 0.0, 1, 90.0), (1, 60.0, 3, 20.0)]
    few = pd.DataFrame(rows, columns=["leaf", "submit", "tasks", "duration"])
    case = mch.Tree([(1.0,), (1.0,)]), (20.0,), few, 100.0
    board = boards.mch(workload=case, seeds=1, against=["drf", "h-drf"])
    values = by_metric(board, "drf")
    assert values.iloc[0] == pytest.approx(1) and values["bounded slowdown"] == 1
    assert set(board["rank"]) == {1}


def test_waits_and_slowdowns_by_hand():
    # one after the other on one machine
    two = Workload.from_arrays([0, 0], [20.0, 40.0], cores=[4, 4])
    board = by_metric(
        on_crowd(workload=two, configs=lotes.MachineConfigs([[4.0]], [1]), seeds=1), "greedy"
    )
    by_hand = [10, 0.99 * 20, 20, 50, 1.25, 100]
    assert board[[*METRICS]].tolist() == pytest.approx(by_hand)


# --- rules that are broken ----------------------------------------------------------------------------------------------------


def policy_of(name, form, line, last="return 0"):
    """A rule that does one thing and then gives its last line."""
    names = globals().copy()
    exec(f"def {name}({form}):\n    {line}\n    {last}\n", names)
    return names[name]


@jit_only
@pytest.mark.parametrize(
    "write",
    [
        "{0}[0] = 1",
        "{0}[:1] *= 2",
        "{0}.sort()",
        "{0}.ravel()[0] = 1",
        "np.add({0}, {0}, {0})",
        "np.expand_dims({0}, 0)[0, 0] = 1",
        "{0}[0], {0}[1] = {0}[1], {0}[0]",
    ],
)
def test_no_way_of_writing_to_what_is_shown_compiles(write):
    kind = RuleKind({"array": FLOATS}, "number")
    with pytest.raises(ValueError, match="does not compile"):
        kind(policy_of("cheat", "shown", write.format("shown")))


@numba.njit
def zeroes_one_by_one(array):
    for place in range(array.size):
        array.flat[place] = 0.0


@numba.njit
def first_waiting(tree):
    for leaf in range(tree.leaves.size):
        if tree.leaves[leaf].waiting > 0:
            return leaf
    return -1


@numba.njit
def zeroes_by_nditer(array):
    for entry in np.nditer(array):
        entry[()] = 0


@numba.njit
def triples_by_nditer(array):
    for entry in np.nditer(array):
        entry[()] = 3 * entry.item()


@numba.njit
def zeroes_by_dot(array):
    column = array.reshape(-1, 1)
    np.dot(column.copy(), np.zeros((1, 1)), column)


@numba.njit
def ends_the_process(array):
    with numba.objmode():
        os._exit(3)


@numba.njit
def for_ever_deeper(level):
    return for_ever_deeper(level + 1) + 1 if level >= 0 else 0


ALIASES = (
    "np.asfortranarray(stage.ready)[:] = 0.0",
    "np.ascontiguousarray(stage.time)[:] = 1e-9",
    "np.fill_diagonal(stage.time, 1e-9)",
    "zeroes_one_by_one(stage.ready)",
    "zeroes_by_nditer(stage.ready)",
    "zeroes_by_dot(stage.ready)",
    "zeroes_by_dot(stage.time)",
    "stage.time.flat[machine] = 1e-9",
)
"""Ways in which numpy lets a compiled rule write to what is read-only."""
JOB, STAGE, PROBE, TREE = "cluster, job", "stage, machine, now", "cluster, job, probe, rng", "tree"
FIT = "return lotes.first_fit(cluster, job)"
FIRST = "return stage.queue[0]"
LATE = int(np.argmax(crowd(0).jobs["submit"] > 10))
FOUR = {
    "workload": Workload.from_arrays([0.0, 3, 6, 9], [5.0, 5, 5, 50]),
    "workers": 3,
    "cutoff": 20,
}
BATCH = hmhs.single(6, seed=0, machines=(3, 3))
REFUSED = (
    (boards.lotes, JOB, "cluster.free[0, 0] = 1.0", "read-only.*in cluster.notes"),
    (boards.lotes, JOB, "cluster.work[job] = 1e-9", "read-only"),
    (boards.hmhs, STAGE, "row = stage.time[0]; row /= 10", "read-only"),
    (boards.hmhs, STAGE, "return stage.queue[0] + 0.5", "returns float64"),
    (boards.eagle, PROBE, "cluster.busy[:] = 0", "in cluster.notes and cluster.worker_notes"),
    (boards.eagle, PROBE, "cluster.since[:] /= 2", "read-only"),
)
RELABEL = "for other in range(len(cluster.long)): cluster.long.flat[other] = 1"


def second_is_wrong(cluster, job):
    return 3 if cluster.now > 10 else lotes.first_fit(cluster, job)


def deep(stage, machine, now):
    return deep(stage, machine, now) if now >= 0 else 0


def past_the_end(stage, machine, now):
    return stage.left.size if now > 50 else stage.queue[0]


def half(stage, machine, now):
    return stage.queue[0] if machine % 2 else -1


def dies(instance):
    os._exit(3)


def leaves(instance):
    raise SystemExit


def interrupts(instance):
    raise KeyboardInterrupt


def no_worker(cluster, job, probe, rng):
    return -1 if job == 2 else 0


def raises_late(leaf, usage, demand, weight, capacity):
    if usage[0] > 3:
        raise KeyError("none")
    return usage[0]


def enlarges(leaf, usage, demand, weight, capacity):
    np.asfortranarray(capacity)[:] = 1200.0
    return usage[0] / weight


def adds_what_is_free(tree):
    tree.free.flat[0] = 1e6
    return first_waiting(tree)


def counts_more(tree):
    for leaf in range(tree.leaves.size):
        tree.leaves[leaf]["tasks"] += 1
    for leaf in range(tree.leaves.size):
        if tree.leaves[leaf].waiting > 0 and tree.leaves[leaf].bits & tree.saturated == 0:
            return leaf
    return -1


def of_machines():
    return [
        (lotes.Policy(second_is_wrong, name="wrong"), f"job {LATE} |machine|-1"),
        *(
            (policy_of(f"cheat{n}", JOB, line, FIT), words)
            for n, (line, words) in enumerate(CASES["boards"]["cheats"].items())
        ),
    ]


def of_batches():
    return [
        *((policy_of(f"alias{n}", STAGE, line, FIRST), "") for n, line in enumerate(ALIASES)),
        (
            policy_of("beyond", STAGE, "return int(stage.time[0, machine + 40_000_000])"),
            "IndexError",
        ),
        (past_the_end, "map|job|-1"),
        (deep, "a rule: its function"),
        (hmhs.Policy(order=dies, name="dies"), "ended the process (exit code 3)"),
        (hmhs.Policy(order=leaves, name="leaves"), "raised SystemExit"),
        (hmhs.Policy(order=interrupts, name="interrupts"), "raised KeyboardInterrupt"),
    ]


def of_probes():
    return [
        (policy_of("fails", PROBE, "return cluster.tasks[40_000_000 + job]"), "IndexError"),
        (
            policy_of("relabels", PROBE, RELABEL, "return int(rng.random() * 3)"),
            "was treated as long but is short",
        ),
        (policy_of("shortens", PROBE, "zeroes_by_nditer(cluster.long)"), "relabelling"),
        (policy_of("without_tasks", PROBE, "zeroes_by_nditer(cluster.tasks)"), "a rule: "),
        (eagle.System("no worker", short_jobs=no_worker), "job 2|worker"),
    ]


def name_of(policy):
    return getattr(policy, "name", None) or policy.__name__


def who_cheats(board, cheats, honest):
    """Each cheat has a sentence that begins with a rule, and no rank; the honest have both."""
    for cheat, words in cheats:
        row = row_of(board, name_of(cheat))
        assert row["broke"].endswith("(seed 0)") and pd.isna(row["rank"]), row
        assert all(word in row["broke"] for word in words.split("|")), row["broke"]
        if row["broke"].startswith("a rule: "):
            assert row[["mean", "difference"]].isna().all()
    for name in honest:
        assert not row_of(board, name)["broke"] and row_of(board, name)["rank"] > 0


def of_shares():
    trees = map(mch.rule(room=0), (adds_what_is_free, counts_more))
    form = "leaf, usage, demand, weight, capacity"
    triples = policy_of("triples", form, "triples_by_nditer(capacity)", "return usage[0] / weight")
    return [*((rule, "") for rule in (enlarges, triples, *trees)), (raises_late, "KeyError")]


@jit_only
@pytest.mark.parametrize(
    "board, cheats, honest",
    [
        (on_crowd, of_machines, [first_fit]),
        (partial(boards.hmhs, workload=BATCH, against=["fifo"]), of_batches, [half]),
        (partial(boards.eagle, **FOUR, against=["hawk"]), of_probes, []),
        (partial(boards.mch, against=["drf"]), of_shares, []),
    ],
)
def test_a_policy_that_cheats_or_fails_costs_itself_its_row(board, cheats, honest):
    mine = cheats()
    ran = board(*(policy for policy, _ in mine), *honest, seeds=1)
    others = set(ran["policy"]) - {name_of(policy) for policy, _ in mine}
    assert len(others) == len(honest) + 1
    who_cheats(ran, mine, others)


@jit_only
@pytest.mark.parametrize("board, form, line, words", REFUSED)
def test_a_function_that_does_not_compile_is_refused_before_anything_runs(board, form, line, words):
    with pytest.raises(ValueError, match=f"cheat: does not compile.*{words}"):
        board(policy_of("cheat", form, line))


def test_idle_machines_are_a_warning_for_the_readers_policy_alone():
    board = boards.hmhs(half, workload=BATCH, seeds=1, against=["hmhs", "fifo"])
    warned = row_of(board, "half")["warned"]
    assert "machines idle for" in warned and "set stage.wake[0] to the time" in warned
    assert not row_of(board, "fifo")["warned"]


def test_what_a_function_prints_is_seen(capsys):
    prints = policy_of("prints", STAGE, "print('machine', machine)", FIRST)
    board = boards.hmhs(prints, workload=BATCH, seeds=1, against=["fifo"])
    assert "machine 1" in capsys.readouterr().out and not row_of(board, "prints")["broke"]


ENDLESS = "steps = 1", "while steps > 0: steps += 1\n    return steps"


@pytest.mark.parametrize(
    "board, form",
    [
        (partial(boards.hmhs, workload=BATCH, against=["fifo"]), STAGE),
        (partial(boards.eagle, **FOUR, against=["hawk"]), PROBE),
        (partial(boards.mch, against=["drf"]), "leaf, usage, demand, weight, capacity"),
    ],
)
def test_a_function_that_never_ends_costs_its_row_and_no_more(board, form):
    endless = [policy_of("endless", form, *ENDLESS)]
    if form == PROBE:
        line = policy_of("endless", "cluster, worker, line, rng", *ENDLESS)
        endless.append(eagle.System("line", queue=line))
    elif form != STAGE:
        endless.append(mch.rule(room=0)(policy_of("chooses", TREE, *ENDLESS)))
    ran = board(*endless, seeds=1, limit=0.5)
    broke = ran[ran["policy"].isin(["endless", "line", "chooses"])]["broke"]
    assert broke.str.contains("not done within 0.5 s").all() and ran["rank"].notna().any()


def test_what_waits_for_a_busy_machine_is_not_late():
    """The time of others is no policy's fault; its own, and a wait without end, are."""
    assert apart(partial(time.sleep, 1.5), limit=1.0) is None
    assert apart(int, LONGEST) == 0
    for work, limit in ((lambda: sum(range(10**12)), 0.3), (partial(time.sleep, 60), 0.02)):
        with pytest.raises(Broke, match="not done within .* of processor time"):
            apart(work, limit)


def test_the_board_of_probes_says_who_looks_at_sizes_and_where_times_are_cut():
    def anywhere(cluster, job, probe, rng):
        return int(rng.random() * len(cluster.queued))

    def least(cluster, job, probe, rng):
        return int(cluster.estimate[job] > 5)

    jobs = Workload.from_arrays(np.arange(12.0), np.where(np.arange(12) % 4, 0.4, 9.0))
    mine = [
        eagle.System(name, short_jobs=send, long_jobs="probes")
        for name, send in (("blind", anywhere), ("looks", least))
    ]
    case = {"workload": jobs, "workers": 4, "cutoff": 5, "seeds": 1, "against": ["hawk", "sparrow"]}
    with pytest.warns(UserWarning, match="takes 11.8% of the work away; leave detail out"):
        boards.eagle(*mine, **case, detail="as_published")
    board = boards.eagle(*mine, **case)
    looked = board.drop_duplicates("policy").set_index("policy")["looked"]
    assert looked.to_dict() == {"hawk": True, "sparrow": False, "blind": False, "looks": True}
    exact, wrong = (
        boards.eagle(*mine, **case, detail="as_written", clairvoyant=knows)
        for knows in (True, False)
    )
    assert not exact["broke"].any() and row_of(exact, "sparrow")["mean"] > 0.4
    for name in ("sparrow", "blind"):  # what nobody looks at may be wrong
        assert row_of(exact, name)["mean"] == row_of(wrong, name)["mean"]


def test_a_leaf_that_gets_nothing_for_long_starves():
    tree = mch.Tree([(1.0,), (1.0,)])
    columns = {"leaf": [0, 1], "submit": [0.0, 0.0], "duration": [2.0, 2.0]}
    last = mch.Rule(lambda leaf, usage, demand, weight, capacity: -float(leaf), name="last leaf")

    def board(second):
        jobs = pd.DataFrame(columns | {"tasks": [500, second]})
        return boards.mch(last, workload=(tree, (2.0,), jobs, 100.0), seeds=1, against=["drf"])

    starves = board(500)
    text = row_of(starves, "last leaf")["warned"]
    assert text.startswith("starvation: leaf 0, submitted at 0 s, never starts")
    assert row_of(starves, "drf")["mean"] == pytest.approx(1.0)
    assert not row_of(board(PATIENCE - 2), "last leaf")["warned"]
    assert row_of(starves, "last leaf")["rank"] == 2  # a warning costs no rank


def test_jobs_that_never_start_are_reported_once_by_the_board(capfd):
    """The simulator warns of the same jobs: a notebook would show both, the second in red."""
    jobs = Workload.from_arrays([0, 0, 1], [4.0, 2.0, 1.0], cpu=[1, 1, 1])
    never = lotes.Policy(lambda cluster, job: -1, lambda cluster, machine: -1, name="never")
    one = lotes.MachineConfigs([[2.0]], [1])
    board = boards.lotes(never, workload=jobs, configs=one, seeds=1, against=["greedy"])
    assert "never starts (3 of 3 do not)" in row_of(board, "never")["warned"]
    assert "never start" not in capfd.readouterr().err


def test_refusals_are_the_same_without_the_compiler(tmp_path, capsys):
    script = """
from schedlib import boards, eagle, hmhs, lotes
from schedlib.workload import Workload
jobs = Workload.from_arrays([0.0, 3, 6, 9], [5.0, 5, 5, 50], cores=[1.0, 1, 1, 1])
wrong = lotes.Policy(lambda cluster, job: 3 if cluster.now > 5 else 0, name="wrong")
print(boards.told(boards.lotes(wrong, workload=jobs, configs=lotes.MachineConfigs([[4.0]], [3]), seeds=1, against=["greedy"])))
wrong = eagle.System("wrong", short_jobs=lambda cluster, job, probe, rng: -1)
print(boards.told(boards.eagle(wrong, workload=jobs, workers=3, cutoff=20, seeds=1, against=["hawk"])))
wrong = hmhs.Policy(map_rule=lambda stage, machine, now: 9, name="wrong")
print(boards.told(boards.hmhs(wrong, workload=hmhs.single(2, machines=(2, 2)), seeds=1, against=["fifo"])))
"""
    (tmp_path / "script.py").write_text(script)
    there = {"PYTHONPATH": str(paths.checkout()), "NUMBA_DISABLE_JIT": "1"}
    plain = python("script.py", cwd=tmp_path, env=os.environ | there).stdout
    exec(script, {})
    assert capsys.readouterr().out == plain and plain.count("wrong broke a rule: ") == 3


# --- what is read off a record ------------------------------------------------------------------------------------------------

# some take no time, and so no room
TASKS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 6), st.integers(0, 4), st.integers(1, 3)),
    min_size=1,
    max_size=7,
)


@given(TASKS)
def test_over_capacity_agrees_with_looking_at_every_moment(tasks):
    machine, start, length, demand = np.array(tasks).T
    found = invariants.over_capacity(
        "task",
        machine,
        start * 1.0,
        (start + length) * 1.0,
        demand[:, None] * 1.0,
        np.full((2, 1), 4.0),
    )
    used = {
        (m, t): demand[(machine == m) & (start <= t) & (t < start + length)].sum()
        for m in (0, 1)
        for t in range(12)
    }
    over = sorted(t for (m, t), amount in used.items() if amount > 4)
    assert found.startswith("capacity: task") == bool(over)
    assert not over or f" at {over[0]} takes machine" in found


def test_lotes_board_hands_on_the_jobs_own_columns():
    """Earliest due date first, and EASY by users' requests, were disqualified for reading a column."""
    frame = pd.DataFrame({"job": range(4), "submit": [0.0, 1, 1, 1], "due": [9, 30, 20, 10]})
    work = Workload(frame, pd.DataFrame({"job": range(4), "duration": 5.0, "cpu": 1.0}))

    def first_due(cluster, machine):
        due = cluster.jobs.due[cluster.waiting]
        job = cluster.waiting[np.argmin(due)]
        return job if lotes.can_start(cluster, job, machine) else -1

    policy = lotes.Policy(lotes.first_fit, first_due, name="due")
    by_due = literature.easy_by("due")
    machine = lotes.MachineConfigs([[1.0]], [1])
    board = boards.lotes(
        policy, by_due, workload=work, configs=machine, seeds=1, against=["greedy"]
    )
    assert (board["broke"] == "").all() and board["mean"].notna().all()


def board_in_a_daemon(pipe):
    board = boards.hmhs(
        hmhs.Policy(name="mine"), workload=hmhs.single(3), seeds=1, against=["fifo"]
    )
    pipe.send(board["broke"].tolist())


def test_a_board_runs_in_a_process_that_may_have_no_children():
    """Dask's workers are such processes."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    context.Process(target=board_in_a_daemon, args=(theirs,), daemon=True).start()
    assert ours.poll(60) and set(ours.recv()) == {""}


def test_a_waiting_job_for_which_an_exit_leaves_room_is_passed_over():
    # Job 1 comes at 1, job 0 ends at 2, and job 1 starts at 3.
    times = np.array([[0.0, 1.0], [0.0, 3.0], [2.0, 4.0]])
    one = np.ones((2, 1))
    share, told = invariants.passed_over(*times, np.zeros(2, int), one, one[:1], "s")
    assert share == 0.5 and "first job 1 at 2 s (machine 0)" in told


@pytest.mark.filterwarnings("ignore:detail. as published durations are cut")
@pytest.mark.parametrize(
    "unit, detail",
    [("ms", "as_written"), *itertools.product(("min", "h", "d"), ("as_published", "as_written"))],
)
def test_eagles_referee_counts_in_the_simulators_seconds(unit, detail):
    """It went by minutes, hours and days, and disqualified the papers' own systems, too."""
    rng = np.random.default_rng(0)
    submit = np.sort(rng.uniform(0, 400, 40))
    length = np.where(rng.random(40) < 0.1, 300.0, 6.0) + rng.uniform(0, 1, 40)

    def board(time_unit):
        second = SECONDS[time_unit]
        jobs = Workload.from_arrays(submit / second, length / second, time_unit=time_unit)
        return boards.eagle(
            eagle.System("own"), workload=jobs, workers=8, seeds=1, against=["hawk"], detail=detail
        )

    made = board(unit)
    assert (made["broke"] == "").all()
    np.testing.assert_allclose(made["mean"], board("s")["mean"], rtol=1e-5)


def test_eagles_board_cuts_off_at_what_the_simulator_compares():
    """Half-way between means that become one whole second all jobs were short, and the board stopped."""
    length = np.random.default_rng(1).uniform(1, 5, 60)
    board = boards.eagle(
        workload=Workload.from_arrays(np.arange(60.0), length), seeds=1, against=["hawk"]
    )
    assert (board["broke"] == "").all()


# --- intervals and ranks ------------------------------------------------------------------------------------------------------


def test_intervals_are_students_t_and_differences_hold_for_all_comparisons_at_once():
    rng = np.random.default_rng(2)
    runs = runs_of({name: rng.normal(100, 5, 8) for name in "abc"})
    board = boards.standings(runs, baseline="b")
    values = runs.pivot(index="seed", columns="policy", values="value")
    row, level = row_of(board, "c"), 1 - 0.05 / 2  # two comparisons
    alone = stats.ttest_1samp(values["c"], 0).confidence_interval()
    assert (row["low"], row["high"]) == pytest.approx(alone)
    wanted = stats.ttest_1samp(values["c"] - values["b"], 0).confidence_interval(level)
    assert (row["difference_low"], row["difference_high"]) == pytest.approx(wanted)
    assert (row["comparisons"], row["baseline"]) == (2, "b")
    assert row_of(board, "b")["difference"] == 0


def test_one_trace_and_no_draws_give_no_interval():
    fixed = on_crowd(first_fit, workload=crowd(0), seeds=3, against=["tetris"])
    drawn = on_crowd(first_fit, seeds=3)
    row = row_of(fixed, "first_fit")
    assert row["over"] == "one trace" and row[["low", "high"]].isna().all()
    assert row_of(drawn, "first_fit")[["low", "high"]].notna().all()
    texts = [text.get_text() for text in boards.plot(fixed).axes[0].texts]
    assert any(text.endswith("(one trace)") for text in texts)
    assert "over one trace" in boards.alt_text(fixed)


def test_who_broke_a_rule_has_no_rank_and_stands_last():
    runs = runs_of({"cheat": [0.0, 0.0], "a": [2.0, 3.0], "gone": [np.nan, 1.0]})
    runs.loc[runs["policy"].eq("cheat") & runs["seed"].eq(1), "broke"] = "capacity: job 0 at 1 s"
    board = boards.standings(runs)
    assert board["policy"][0] == "a" and board["rank"].notna().tolist() == [True, False, False]
    assert "cheat broke capacity: job 0 at 1 s" in boards.told(board)
    assert "capacity" in boards.alt_text(board)


@pytest.mark.parametrize(
    "wrong, words",
    [
        (lambda: on_crowd(seeds=[1, 1]), "seeds"),
        (lambda: on_crowd(3), "mine: 3; give a lotes.Policy"),
        (lambda: boards.hmhs(against=[]), "mine: no policy"),
        (lambda: boards.hmhs(hmhs.POLICIES["fifo"], seeds=1), "two policies are called 'fifo'"),
        (lambda: boards.hmhs(seeds=1, against=["fife"]), "did you mean 'fifo'"),
        (lambda: boards.lotes(workload=crowd(0)), "configs"),
        (lambda: boards.mch(workload=crowd(0)), "workload: needs a tuple"),
        (lambda: boards.eagle(workers=3), "workers"),
        (
            lambda: boards.standings(runs_of({"a": [1.0, 2.0]}).drop(columns="seed")),
            "no column seed",
        ),
        (lambda: boards.standings(runs_of({"a": [1.0, 2.0], "b": [1.0]})), "b ran on 1 of 2 seeds"),
        (
            lambda: boards.standings(pd.concat([runs_of({"a": [1.0]})] * 2)),
            "runs.policy.1.: 'a'; has a second row of one metric and seed",
        ),
        (lambda: boards.standings(runs_of({"a": [1.0]})[:0]), "runs: no row"),
    ],
)
def test_wrong_arguments_are_named(wrong, words):
    with pytest.raises((ValueError, TypeError), match=words):
        wrong()


def test_a_policy_that_cannot_plan_is_named():
    """LoTES plans for no class without a demand, nor without a job."""
    machine = lotes.MachineConfigs([[2.0]], [1])
    for numbers, cpu, named in (([0, 1], [1, 0], "demand"), ([0, 2], [1, 1], "classes")):
        jobs = Workload.from_arrays([0, 1], [1.0, 2.0], cpu=cpu, job_class=numbers)
        with pytest.raises(ValueError, match=f"against: leave out lotes, no plan; {named}"):
            boards.lotes(workload=jobs, configs=machine, seeds=1)


# --- pictures ------------------------------------------------------------------------------------


def test_boards_are_drawn_whatever_happened_on_them():
    for values in (
        {"a": [1.0]},
        {"a": [1.0, 2.0], "b": [500.0, 700.0]},
        {"a": [np.nan, 1.0]},
        {"a": [-1.0, 1.0], "b": [0.0, 0.0]},
    ):
        board = boards.standings(runs_of(values))
        figure = boards.plot(board)
        assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == board[
            "policy"
        ].tolist()
        assert "wait (s)" in figure.axes[0].get_xlabel() and boards.alt_text(board)
