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
    board = boards.mch(seeds=2, against=["drf", "exact-ch"])
    first = board[board["metric"].str.startswith("poorest")]
    assert first["policy"].tolist() == ["exact-ch", "drf"]
    assert first["mean"].is_monotonic_decreasing


# --- same seeds, same workload ------------------------------------------------------------------------------------------------


def test_each_seed_is_drawn_once_and_all_policies_run_on_it():
    drawn = []

    def noted(seed):
        drawn.append(seed)
        return crowd(seed)

    runs = on_crowd(first_fit, workload=noted, seeds=[4, 9, 2], each=True)
    assert drawn == [4, 9, 2]
    assert set(runs.groupby(["policy", "metric"])["seed"].agg(tuple)) == {(4, 9, 2)}
    alone = on_crowd(first_fit, seeds=[9], each=True)
    again = runs[runs["seed"] == 9].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, again)


# --- clusters with room to spare ------------------------------------------------------------------------------------------------


def means(board):
    """By metric, of the only policy."""
    return board.set_index("metric")["mean"]


def test_where_nobody_waits_the_boards_say_so_and_how_full_the_cluster_is():
    jobs = Workload.from_arrays([0, 10, 20], [5.0, 5.0, 5.0], cores=[1, 1, 1])
    found = means(on_crowd(workload=jobs, seeds=1))
    assert found[["mean wait (s)", "jobs that wait (%)"]].tolist() == [0, 0]
    assert found["bounded slowdown"] == 1
    assert found["utilisation (%)"] == pytest.approx(100 * 15 / (12 * 25))
    longer = Workload.from_arrays([0, 1000, 2000, 3000], [50.0, 50.0, 50.0, 200.0])
    found = means(
        boards.eagle(workload=longer, workers=3, cutoff=100, seeds=1, against=["sparrow"])
    )
    assert found["short jobs, bounded slowdown"] == pytest.approx(1, abs=1e-3)
    assert found["utilisation (%)"] == pytest.approx(100 * 350 / (3 * 3200), rel=1e-3)
    rows = [(0, 0.0, 4, 50.0), (1, 0.0, 1, 90.0), (1, 60.0, 3, 20.0)]
    few = pd.DataFrame(rows, columns=["leaf", "submit", "tasks", "duration"])
    case = mch.Tree([(1.0,), (1.0,)]), (20.0,), few, 100.0
    found = means(boards.mch(workload=case, seeds=1, against=["drf"]))
    assert found.iloc[0] == pytest.approx(1) and found["bounded slowdown"] == 1


def test_waits_and_slowdowns_by_hand():
    # one after the other on one machine
    two = Workload.from_arrays([0, 0], [20.0, 40.0], cores=[4, 4])
    found = means(on_crowd(workload=two, configs=lotes.MachineConfigs([[4.0]], [1]), seeds=1))
    by_hand = [10, 0.99 * 20, 20, 50, 1.25, 100]
    assert found[[*METRICS]].tolist() == pytest.approx(by_hand)


# --- rules that are broken ----------------------------------------------------------------------------------------------------


def policy_of(name, form, line, last="return 0"):
    """A rule that does one thing and then gives its last line."""
    names = globals().copy()
    exec(f"def {name}({form}):\n    {line}\n    {last}\n", names)
    return names[name]


@numba.njit
def first_waiting(tree, saturated):
    for leaf in range(tree.leaves.size):
        if tree.leaves[leaf].waiting > 0 and tree.leaves[leaf].bits & saturated == 0:
            return leaf
    return -1


@numba.njit
def zeroes_by_nditer(array):
    for entry in np.nditer(array):
        entry[()] = 0


@numba.njit
def ends_the_process(array):
    with numba.objmode():
        os._exit(3)


@numba.njit
def for_ever_deeper(level):
    return for_ever_deeper(level + 1) + 1 if level >= 0 else 0


JOB, STAGE, PROBE = "cluster, job", "stage, machine, now", "cluster, job, probe, rng"
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


def second_is_wrong(cluster, job):
    return 3 if cluster.now > 10 else lotes.first_fit(cluster, job)


def half(stage, machine, now):
    return stage.queue[0] if machine % 2 else -1


def leaves(instance):
    raise SystemExit


def raises_late(leaf, usage, demand, weight, capacity):
    if usage[0] > 3:
        raise KeyError("none")
    return usage[0]


def adds_what_is_free(tree):
    tree.free.flat[0] = 1e6
    return first_waiting(tree, 0)


def counts_more(tree):
    for leaf in range(tree.leaves.size):
        tree.leaves[leaf]["tasks"] += 1
    return first_waiting(tree, tree.saturated)


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
        (policy_of("forges", STAGE, "zeroes_by_nditer(stage.time)", FIRST), ""),
        (hmhs.Policy(order=leaves, name="leaves"), "raised SystemExit"),
    ]


def of_probes():
    return [
        (policy_of("shortens", PROBE, "zeroes_by_nditer(cluster.long)"), "relabelling"),
        (policy_of("without_tasks", PROBE, "zeroes_by_nditer(cluster.tasks)"), "a rule: "),
    ]


def of_shares():
    trees = map(mch.rule(room=0), (adds_what_is_free, counts_more))
    return [*((rule, "") for rule in trees), (raises_late, "KeyError")]


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
    """It has a sentence that begins with a rule, and no rank; the others have a rank and no sentence."""
    policies, words = zip(*cheats(), strict=True)
    ran = board(*policies, *honest, seeds=1).drop_duplicates("policy")
    ranked = ran["rank"].notna()
    assert sum(ranked) == len(honest) + 1 and (ran["broke"][ranked] == "").all()
    broke = ran[~ranked]  # in their order
    for said, mean, expected in zip(broke["broke"], broke["mean"], words, strict=True):
        assert said.endswith("(seed 0)") and all(word in said for word in expected.split("|")), said
        assert not said.startswith("a rule: ") or np.isnan(mean)


@jit_only
@pytest.mark.parametrize("board, form, line, words", REFUSED)
def test_a_function_that_does_not_compile_is_refused_before_anything_runs(board, form, line, words):
    with pytest.raises(ValueError, match=f"cheat: does not compile.*{words}"):
        board(policy_of("cheat", form, line))


def test_who_idles_is_warned_what_is_printed_is_seen_and_who_never_ends_has_no_rank(capsys):
    prints = policy_of("prints", STAGE, "print('machine', machine)", FIRST)
    endless = policy_of("endless", STAGE, "while now >= 0: now += 1", FIRST)
    mine = half, prints, endless
    board = boards.hmhs(*mine, workload=BATCH, seeds=1, limit=2.0, against=["hmhs", "fifo"])
    warned = row_of(board, "half")["warned"]
    assert "machines idle for" in warned and "set stage.wake[0] to the time" in warned
    assert not row_of(board, "fifo")["warned"]
    assert "machine 1" in capsys.readouterr().out and not row_of(board, "prints")["broke"]
    assert "not done within 2 s" in row_of(board, "endless")["broke"]
    assert board["rank"].isna().sum() == board["metric"].nunique()


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


def test_jobs_that_never_start_are_reported_by_the_board_alone(capfd):
    """The simulator warns of the same jobs: a notebook would show both, the second in red."""
    jobs = Workload.from_arrays([0, 0, 1], [4.0, 2.0, 1.0], cpu=[1, 1, 1])
    never = lotes.Policy(lambda cluster, job: -1, lambda cluster, machine: -1, name="never")
    one = lotes.MachineConfigs([[2.0]], [1])
    boards.lotes(never, workload=jobs, configs=one, seeds=1, against=["greedy"])
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
    """Policies that read a column were once disqualified."""
    frame = pd.DataFrame({"job": range(4), "submit": [0.0, 1, 1, 1], "due": [9, 30, 20, 10]})
    work = Workload(frame, pd.DataFrame({"job": range(4), "duration": 5.0, "cpu": 1.0}))

    by_due = literature.easy_by("due")
    machine = lotes.MachineConfigs([[1.0]], [1])
    board = boards.lotes(by_due, workload=work, configs=machine, seeds=1, against=["greedy"])
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
    values = {"cheat": [0.0, 0.0], "a": [2.0, 3.0], "gone": [np.nan, 1.0], "as good": [3.0, 2.0]}
    runs = runs_of(values)
    runs.loc[runs["policy"].eq("cheat") & runs["seed"].eq(1), "broke"] = "capacity: job 0 at 1 s"
    board = boards.standings(runs)
    assert board["policy"].tolist()[:2] == ["a", "as good"]
    assert board["rank"].tolist() == [1, 1, pd.NA, pd.NA]
    assert "cheat broke capacity: job 0 at 1 s" in boards.told(board)
    assert "capacity" in boards.alt_text(board)


@pytest.mark.parametrize(
    "wrong, words",
    [
        (lambda: on_crowd(seeds=[1, 1]), "seeds"),
        (lambda: on_crowd(3), "mine: 3; give a lotes.Policy"),
        (lambda: boards.hmhs(against=[]), "mine: no policy"),
        (lambda: boards.hmhs(hmhs.POLICIES["fifo"], seeds=1), "two policies are called 'fifo'"),
        (lambda: boards.lotes(workload=crowd(0)), "configs"),
        (lambda: boards.mch(workload=crowd(0)), "workload: needs a tuple"),
        (lambda: boards.eagle(workers=3), "workers"),
        (lambda: boards.standings(runs_of({"a": [1.0, 2.0], "b": [1.0]})), "b ran on 1 of 2 seeds"),
        (
            lambda: boards.standings(pd.concat([runs_of({"a": [1.0]})] * 2)),
            "runs.policy.1.: 'a'; has a second row of one metric and seed",
        ),
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
