"""Ctrl-C ends a run inside its kernels: with KeyboardInterrupt, never with a result, and the next run is as any other."""

import os
import signal
import subprocess
import sys
import threading
import time

import numba
import pytest
from numba.core import event

from schedlib import paths
from schedlib.core.stopping import FLAG, interruptible, stoppable

SCRIPT = """
import signal, sys
import pandas as pd
from schedlib import hmhs, lotes, mch
from schedlib.workload import Workload

signal.signal(signal.SIGINT, signal.default_int_handler)  # tests that a shell runs in the background ignore it

def endless(arguments):
    names = {}
    exec(f"def rule({arguments}):\\n    print('inside')\\n    steps = 1\\n    while steps > 0:\\n        steps += 1\\n    return steps",
         names)
    return names["rule"]

jobs, tree = Workload.from_arrays([0.0, 1, 2], [1.0, 1, 1], cores=[1, 1, 1]), mch.Tree([(1.0,), (1.0,)])
tasks = pd.DataFrame({"leaf": [0, 1], "submit": [0.0, 0.0], "tasks": [5, 5], "duration": [2.0, 2.0]})
batch, machines = hmhs.single(3, machines=(2, 2)), lotes.MachineConfigs([[4.0]], [3])
policies = {
    "lotes": lambda: lotes.Policy(endless("cluster, job")),
    "hmhs": lambda: hmhs.Policy(map_rule=endless("stage, machine, now")),
    "mch": lambda: mch.rule(room=0)(endless("tree")),
    "filling": lambda: mch.rule(room=0)(endless("tree"))}
shipped = {"lotes": "greedy", "hmhs": "fifo", "mch": "drf", "filling": "h-drf"}
run = {
    "lotes": lambda policy: lotes.simulate(policy, machines, jobs),
    "hmhs": lambda policy: hmhs.schedule(batch, policy),
    "mch": lambda policy: mch.simulate(tree, (2.0,), policy, tasks),
    "filling": lambda policy: mch.allocate(tree, (2.0,), policy, divisible=False)}[sys.argv[1]]
try:
    print("a result", run(policies[sys.argv[1]]()))
except KeyboardInterrupt:
    run(shipped[sys.argv[1]])
    print("runs again")
    raise
"""


@pytest.mark.skipif(os.name == "nt", reason="a process cannot be sent Ctrl-C alone")
@pytest.mark.parametrize("which", ["lotes", "hmhs", "mch", "filling"])
def test_ctrl_c_ends_a_policy_that_never_ends(which):
    there = os.environ | {"PYTHONPATH": str(paths.checkout())}
    command = [sys.executable, "-u", "-c", SCRIPT, which]
    with subprocess.Popen(
        command, env=there, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout.readline() == "inside\n"
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=300)
        finally:
            process.kill()
    assert out.endswith("runs again\n") and "a result" not in out
    assert err.rstrip().endswith("KeyboardInterrupt") and process.returncode == -signal.SIGINT


@pytest.fixture
def pythons_own_handler():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def wakeup() -> int:
    """Who is told of signals now, -1 for nobody."""
    told = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(told)
    return told


def test_what_was_stopped_gives_neither_a_result_nor_another_error(pythons_own_handler):
    def stopped(error):
        FLAG.value = 1  # what Ctrl-C does
        if error:
            raise error
        return 3

    for error in (None, ValueError("the answer of a rule that was stopped")):
        with pytest.raises(KeyboardInterrupt):
            interruptible(stopped)(error)
        assert FLAG.value == 0 and wakeup() == -1
    with pytest.raises(ZeroDivisionError):
        interruptible(divmod)(1, 0)
    assert (
        interruptible(wakeup)() >= 0
        and interruptible(interruptible(wakeup))() >= 0
        and wakeup() == -1
    )


def test_where_others_handle_signals_nothing_changes(pythons_own_handler):
    given = []
    thread = threading.Thread(target=lambda: given.append(interruptible(sum)([1, 2])))
    thread.start()
    thread.join()
    assert given == [3]  # the main thread alone may ask to be told of signals
    signal.signal(signal.SIGINT, lambda *_: None)
    assert interruptible(wakeup)() == -1


def test_time_in_which_kernels_compile_does_not_count():
    def compiles_then_sleeps(seconds):
        data = {"dispatcher": numba.njit(lambda: 0)}
        with event.trigger_event("numba:compile", data), event.trigger_event("numba:compile", data):
            time.sleep(1.0)
        time.sleep(seconds)
        return seconds

    assert stoppable(compiles_then_sleeps, 0.5)(0.0) == 0.0
    with pytest.raises(TimeoutError, match=r"not done within 0\.5 s"):
        stoppable(compiles_then_sleeps, 0.5)(5.0)
