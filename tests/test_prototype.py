"""Eagle and Hawk on real processes: what holds in every run, deaths, malformed messages, and that no process is left."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pandas as pd
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from book import exercises
from book.replay import replay
from refusals import refuses
from schedlib import eagle, paths, prototype
from schedlib.boards.invariants import two_at_once
from schedlib.eagle.plain import algorithm1
from schedlib.eagle.plain_model import Job, Probe
from schedlib.prototype import experiment, host, measure, wire
from schedlib.prototype.centre import Centre
from schedlib.prototype.comparing import as_it_was, network_delay
from schedlib.prototype.driver import Driver
from schedlib.prototype.member import Member
from schedlib.prototype.node import CENTRE, Entry, Node, next_entry
from schedlib.workload import Workload

NODES, SHORT = 10, 2
HOW = {"short_partition": 0.2, "cutoff": 1.0, "schedulers": 2}


def some_jobs(jobs=30):
    """Short jobs of 1-4 tasks of about 0.05 s, and every sixth long, of 3 tasks of 2 s: in seconds of a run compressed tenfold, 0.2 s."""
    rng = np.random.default_rng(0)
    long = np.arange(jobs) % 6 == 0
    tasks = np.where(long, 3, rng.integers(1, 5, jobs))
    duration = np.where(np.repeat(long, tasks), 2.0, 0.5) * rng.uniform(0.8, 1.2, tasks.sum())
    return Workload.from_arrays(np.sort(rng.uniform(0, 5, jobs)), duration, tasks=tasks)


def run(system="eagle", workload=None, **options):
    return prototype.run(workload or some_jobs(), system, NODES, compress=10, **HOW | options)


def noted(run, words):
    """Whether a note of the run has these words (a regular expression)."""
    return run.notes["what"].str.contains(words).any()


@pytest.fixture(scope="module", params=["eagle", "hawk", "sparrow"])
def done(request):
    return run(request.param)


def test_every_task_runs_once_one_at_a_time_where_it_may(done):
    jobs, tasks = some_jobs(), done.tasks
    assert len(tasks) == len(jobs.tasks) and done.notes.empty
    assert not tasks.duplicated(["job", "task"]).any()
    ran = (tasks[name].to_numpy() for name in ("worker", "start", "finish"))
    assert not two_at_once("task", NODES, *ran)
    assert (tasks["queued"] <= tasks["asked"]).all() and (tasks["asked"] <= tasks["start"]).all()
    asked_for = jobs.tasks["duration"].to_numpy()
    assert (tasks["finish"] - tasks["start"] > asked_for - 1e-6).all()
    assert (done.jobs["finish"] == tasks.groupby("job")["finish"].max()).all()
    assert not done.jobs["failed"].any()
    if done.system.name != "sparrow":
        assert tasks.loc[tasks["long"], "worker"].min() >= SHORT


def test_counts_agree_with_the_log_and_with_the_systems_parts(done):
    counted, stats = done.log["event"].value_counts(), done.stats
    for name, event in {
        "rejections": "reject",
        "requests": "ask",
        "vain": "vain",
        "dropped": "drop",
        "stolen": "steal",
    }.items():
        assert stats[name] == counted.get(event, 0), name
    assert stats["requests"] - stats["vain"] == stats["tasks"] - stats["placements"]
    probes = counted["send"] - stats["placements"]
    if done.system.name == "eagle":
        assert stats["behind_long"] == stats["steal_attempts"] == 0
        assert stats["rejections"] > 0 and stats["updates"] > 0
        assert stats["probes"] <= probes <= stats["probes"] + stats["rejections"]
        assert counted["mark"] == stats["placements"]
    else:
        assert probes == stats["probes"] and stats["updates"] == stats["rejections"] == 0
    if done.system.name == "hawk":
        assert stats["steal_attempts"] > 0 and stats["stolen"] >= stats["steals"]


def test_logs_have_the_simulators_form_and_can_be_replayed(done):
    simulated = eagle.simulate(
        some_jobs(),
        done.system,
        NODES,
        short_partition=0.2,
        cutoff=1.0,
        detail="as_written",
        record=True,
    )
    for name in ("tasks", "log", "utilisation"):
        ours, theirs = getattr(done, name), getattr(simulated, name)
        assert list(ours.columns) == list(theirs.columns) and (ours.dtypes == theirs.dtypes).all()
    assert set(simulated.jobs) <= set(done.jobs) and set(simulated.stats) <= set(done.stats)
    last = replay(done)[-1]
    assert (
        last.done == tuple(done.jobs["tasks"]) and not any(last.bits) and set(last.running) == {-1}
    )


@pytest.mark.filterwarnings("ignore:detail. as published times are cut")
def test_comparison_simulates_the_jobs_as_they_were(done):
    table, jobs = prototype.compare(done), as_it_was(done)
    assert (
        table.notna().all(axis=None)
        and table.loc["probes"].nunique() == 1
        and network_delay(done) > 0
    )
    lasted = (done.tasks["finish"] - done.tasks["start"]).groupby(done.tasks["job"]).sum()
    assert np.allclose(lasted, pd.Series(jobs.work(), index=jobs.jobs["job"]).sort_index())
    assert sorted(jobs.jobs["submit"]) == sorted(done.jobs["submit"])


def test_comparison_keeps_the_unit_of_time():
    """As published, durations are cut to whole seconds: of 3.6 s remain 3, and not 0 hours."""
    hours = Workload.from_arrays([0, 0], [0.001, 0.0005], time_unit="h")
    table = prototype.compare(run("sparrow", hours, cutoff=0.0007))
    assert table.loc["long jobs, 50 %", "published"] > 3 / 3600


BUSY = Workload.from_arrays(
    np.r_[0, np.ones(20), 6],
    np.r_[np.full(8, 10.0), np.full(20, 0.9), 2.0],
    tasks=np.r_[8, np.ones(21, int)],
)
"""A long task of 1 s of this machine for each node that may have one, twenty short jobs, and a long one after 0.6 s."""


def test_a_killed_node_loses_nothing():
    dead = run(workload=BUSY, kill={("node", 5): 0.3, ("node", 6): 0.4})
    assert not dead.jobs["failed"].any() and len(dead.tasks) == len(BUSY.tasks)
    assert exercises.check("eagle.killed_node", dead).ok
    again = dead.tasks[dead.tasks["long"] & (dead.tasks["job"] == 0) & (dead.tasks["start"] > 3)]
    assert len(again) == 2 and not set(dead.tasks.loc[dead.tasks["finish"] > 5, "worker"]) & {5, 6}
    for number in (5, 6):
        assert noted(dead, f"^node {number} has died")
        lost = rf"^node {number} is lost: tasks of job 0 \(.*will run again elsewhere"
        assert noted(dead, lost)


def test_a_killed_scheduler_takes_its_own_jobs_with_it_and_no_other():
    many = Workload.from_arrays(np.r_[np.zeros(30), 5], np.full(31, 3.0))
    dead = run(workload=many, cutoff=float("inf"), kill={("scheduler", 0): 0.1})
    # the last job comes later, and goes to the other
    assert set(dead.jobs.index[dead.jobs["failed"]]) == {*range(0, 30, 2)}
    assert (
        dead.percentiles()["completion"].notna().all()
        and dead.jobs.loc[dead.jobs["failed"], "completion"].isna().all()
    )
    assert noted(dead, "jobs of scheduler 0 have failed: 0, 2, 4, ")


def test_a_killed_centre_takes_the_long_jobs_also_those_that_come_later():
    dead = run(workload=BUSY, kill={("centre", 0): 0.3})
    assert (dead.jobs["failed"] == dead.jobs["long"]).all() and dead.jobs["failed"].sum() == 2
    assert noted(dead, "no centre is left")
    all_failed = replace(dead, jobs=dead.jobs.assign(failed=True))
    refuses("done: all of its jobs have failed", prototype.compare, all_failed)


def test_without_nodes_it_ends_and_says_so():
    with pytest.raises(RuntimeError, match="no node is left"):
        prototype.run(
            some_jobs(),
            "hawk",
            2,
            compress=1,
            kill={("node", 0): 0.1, ("node", 1): 0.1},
            **HOW | {"short_partition": 0.0},
        )


def test_tasks_may_compute_and_need_not_be_slept_out():
    long_one = Workload.from_arrays([0, 0], [1e5, 0.2])
    before = time.monotonic()
    done = prototype.run(
        long_one,
        "eagle",
        2,
        compress=10,
        **HOW | {"short_partition": 0.5},
        burn=True,
        sleep_out=False,
    )
    assert time.monotonic() - before < 60 and done.jobs["completion"].iloc[0] >= 1e5
    assert done.stats["cpu"] > 0.02


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"system": "dlwl"}, "short_jobs, on real processes,: 'stale-lwl' is unknown"),
        ({"nodes": 0}, "nodes: 0, must be a whole number"),
        ({"short_partition": 0.0}, "short_partition: 0.0 of 10 workers is 0, but eagle"),
        ({"hosts": ["somewhere:1"]}, "hosts: put the secret"),
        ({"hosts": ["127.0.0.1:99999"]}, r"hosts: \['127\.0\.0\.1:99999'\]; give a list"),
        ({"nodes": 2**31}, "nodes: 2147483648, must be a whole number from 1 to 10,000"),
        ({"system": replace(eagle.Hawk(), cancel=True)}, "system.cancel: on real processes"),
        ({"kill": {("node", NODES): 1.0}}, rf"kill: the run has no process \('node', {NODES}\)"),
        ({"kill": {("node", 0): "soon"}}, r"kill: \('node', 0\) at 'soon'; give a time"),
        (
            {"workload": Workload.from_arrays([0], np.ones(10_001), tasks=[10_001]), "cutoff": 0.0},
            "workload: a job of 10,001 tasks",
        ),
    ],
)
def test_wrong_arguments_are_named(arguments, message, monkeypatch):
    monkeypatch.delenv(host.SECRET, raising=False)
    refuses(message, prototype.run, **{"workload": some_jobs(), "nodes": NODES, **HOW} | arguments)


# One process, and what strangers say to it


async def talk(frames):
    """What a node answers to a stranger's bytes, whether it hangs up, and what it then tells its driver."""
    node = Node(("node", 3), b"known")
    noted = []
    node.note = noted.append
    listens = wire.listening("127.0.0.1", 0, b"known")
    serving = asyncio.ensure_future(node.listen(listens))
    reader, writer = await asyncio.open_connection(*listens.getsockname()[:2])
    writer.write(frames)
    said = await asyncio.wait_for(reader.read(), 5)
    writer.close()
    while not noted:
        await asyncio.sleep(0.01)
    friend = Member(("scheduler", 4), b"known")
    await wire.dial(friend, *listens.getsockname()[:2])
    while ("node", 3) not in friend.peers:  # it still lets friends in
        await asyncio.sleep(0.01)
    node.end.set()
    await serving
    return said.decode(errors="replace"), " ".join(noted)


def framed(body):
    return len(body).to_bytes(4, "big") + body


HELLO = ["hello", wire.VERSION, ["node", 9], "0"]


@pytest.mark.parametrize(
    "frames, message",
    [
        (
            b"GET / HTTP/1.1\r\n\r\n",
            "a frame of 1,195,725,856 bytes is announced; the limit is 1,048,576",
        ),
        (b"\x00\x00\x00\x05hello", "bytes that do not form a frame: b'hello'"),
        (
            [["hello", wire.VERSION + 1, ["node", 9], "0"]],
            f"speaks version {wire.VERSION + 1}, this one {wire.VERSION}",
        ),
        ([["probe", 1]], "'probe' does not belong to the handshake"),
        ([["hello"]], "a malformed 'hello'"),
        ([HELLO, ["proof", "guessed"]], "does not know the secret"),
        ([HELLO, ["proof", "\u00e9\ud800"]], "does not know the secret"),
        ([HELLO, ["proof", 5]], "a malformed 'proof'"),
        ([["hello", wire.VERSION, ["node", float("inf")], "0"]], "a malformed 'hello'"),
        ([["hello", wire.VERSION, ["node", 9], [[]]]], "a malformed 'hello'"),
        (framed(b"[" * 100_000), "bytes that do not form a frame"),
        (framed(b'["refused",' + b"[" * 900 + b"]" * 901), "refuses"),
        ([HELLO], "no handshake within"),
    ],
)
def test_strangers_are_refused_with_the_reason_and_friends_still_come(frames, message, monkeypatch):
    monkeypatch.setattr(wire, "PATIENCE", 0.3)
    if isinstance(frames, list):
        frames = b"".join(map(wire.encode, frames))
    said, noted = asyncio.run(talk(frames))
    assert message in said and message in noted


@pytest.mark.parametrize(
    ("secret", "address", "said"),
    [
        (None, "0.0.0.0:0", "'0.0.0.0' could start processes; give a secret"),
        ("", "127.0.0.1:0", "'127.0.0.1' could start processes; give a secret"),
        ("shared", "127.0.0.1:99999", "--listen 127.0.0.1:99999: "),
        ("shared", "127.0.0.1:seven", "--listen 127.0.0.1:seven: "),
    ],
)
def test_a_host_needs_a_secret_and_a_port(secret, address, said, monkeypatch, capsys):
    """Without a secret any process of this machine could have others started in this user's name."""
    monkeypatch.delenv(host.SECRET, raising=False)
    if secret is not None:
        monkeypatch.setenv(host.SECRET, secret)
    with pytest.raises(SystemExit):
        host.main(["--listen", address])
    assert said in capsys.readouterr().err


def test_frames_come_out_as_they_went_in_though_they_come_byte_by_byte():
    messages = [["kind", "\u00e9", 7, -0.1], ["kind"], ["kind", [1, None]]]
    buffer, came = bytearray(), []
    for byte in b"".join(map(wire.encode, messages)):
        buffer.append(byte)
        if (message := wire.decode(buffer)) is not None:
            came.append(message)
    assert came == messages and not buffer


# The rules, without a network


ENTRIES = st.lists(
    st.tuples(st.integers(0, 6), st.integers(1, 8), st.integers(0, 40), st.booleans()),
    min_size=1,
    max_size=8,
)


@given(ENTRIES, st.integers(0, 6))
def test_next_is_the_one_that_the_papers_algorithm_takes(entries, cap):
    queue, probes = [], []
    for k, (left, estimate, bypassed, long) in enumerate(entries):
        queue.append(Entry(k, CENTRE, left, estimate, long, 0.0, bypassed=bypassed))
        job = Job(k, 0.0, [1.0] * left, estimate, long, 1)
        probes.append(Probe(job, bypass=bypassed))
    assert next_entry(queue, cap).job == algorithm1(probes, cap).job.number


# No process is left


HERE = {"PYTHONPATH": str(Path(prototype.__file__).parents[2])}
SCRIPT = """
from schedlib import prototype
from schedlib.workload import Workload
print("go", flush=True)
prototype.run(Workload.from_arrays([0] * 8, [0.5] + [1000.0] * 7), "hawk", 4, cutoff=1.0, schedulers=2)
"""


@pytest.mark.parametrize(
    "whom, how", [("driver", signal.SIGINT), ("driver", signal.SIGKILL), ("host", signal.SIGKILL)]
)
def test_no_process_outlives_the_driver_or_the_host(whom, how):
    started = psutil.Popen(
        [sys.executable, "-c", SCRIPT],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | HERE,
    )
    assert started.stdout.readline() == b"go\n"
    deadline = time.monotonic() + 60
    others = []
    # four nodes, two schedulers, the centre, the host
    while len(others) < 8 and time.monotonic() < deadline:
        time.sleep(0.05)
        others = started.children(recursive=True)
    assert len(others) >= 8
    (started if whom == "driver" else others[0]).send_signal(how)
    said = started.communicate(timeout=60)[1]
    assert psutil.wait_procs(others, timeout=60)[1] == []
    if how == signal.SIGINT:
        assert b"KeyboardInterrupt" in said
    if whom == "host":
        assert b"RuntimeError: host 0" in said


def started_from(package):
    """What the host of a package says."""

    async def say():
        driver = Driver([], SimpleNamespace(hosts=()), print)
        driver.loop = asyncio.get_running_loop()
        try:
            return await driver.start_host()
        finally:
            driver.stop()

    with mock.patch.object(paths, "PACKAGE", package):
        return asyncio.run(say())


def test_a_host_is_of_the_drivers_package_wherever_that_lies(tmp_path):
    package = tmp_path / f"a{os.pathsep}b{{0}}" / "schedlib"
    (package / "prototype").mkdir(parents=True)
    for folder in (package, package / "prototype"):
        (folder / "__init__.py").write_text("")
    (package / "prototype/host.py").write_text("def main():\n    print(__file__)\n")
    assert started_from(package) == str(package / "prototype/host.py")


@pytest.mark.parametrize("who", [("node", 2), ("scheduler", 0), ("centre", 0)])
@pytest.mark.parametrize("question", ["join", "clock"])
def test_a_process_may_die_before_the_replay_begins(question, who, monkeypatch):
    class Early(Driver):
        async def spawn(self, wanted, addresses):
            self.where = await super().spawn(wanted, addresses)
            return self.where

        async def ask(self, questions):
            if question in next(iter(questions.values())):
                os.kill(self.where[who].process, signal.SIGKILL)
            return await super().ask(questions)

    monkeypatch.setattr(measure, "Driver", Early)
    done = run(workload=some_jobs(6))
    assert noted(done, f"^{wire.in_words(who)} has died")
    owned = {"node": 0, "scheduler": 0, "centre": 1}[who[0]]
    assert done.jobs["failed"].sum() == owned


def waiting_host():
    command = [sys.executable, "-m", "schedlib.prototype.host", "--listen", "127.0.0.1:0"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | HERE)


def test_hosts_that_wait_serve_two_drivers_at_once_and_go_on_waiting(monkeypatch):
    monkeypatch.setenv(host.SECRET, "shared")
    slow = Workload.from_arrays([0, 0, 0], [30.0, 30.0, 30.0])  # 3 s of this machine
    hosts = [waiting_host() for _ in range(2)]
    try:
        places = [one.stdout.readline().strip() for one in hosts]
        with ThreadPoolExecutor() as threads:
            longer = threads.submit(run, "hawk", slow, cutoff=float("inf"), hosts=places)
            time.sleep(1)
            shorter = run("eagle", some_jobs(3), hosts=places)
            assert not longer.done()
        for done in (shorter, longer.result()):
            assert done.notes.empty and not done.jobs["failed"].any()
        assert all(one.poll() is None for one in hosts)
        monkeypatch.setenv(host.SECRET, "guessed")
        with pytest.raises(RuntimeError, match="does not know the secret"):
            prototype.run(some_jobs(6), "hawk", 4, hosts=places, **HOW)
    finally:
        for one in hosts:
            one.terminate()
            one.communicate(timeout=10)


def test_the_experiment_goes_on_where_it_was(tmp_path, monkeypatch):
    file = tmp_path / "measured.csv"
    monkeypatch.setattr(experiment, "NODES", 10)
    monkeypatch.setattr(experiment, "JOBS", 12)
    monkeypatch.setattr(experiment, "COMPRESS", 2000.0)
    one = experiment.measure(file, ratios=[2.0])
    assert set(one["system"]) == {"eagle", "hawk"} and (one["hop"] > 0).all()
    text = file.read_text()
    monkeypatch.setattr(experiment, "run", lambda *_, **__: pytest.fail("measured again"))
    again = experiment.measure(file, ratios=[2.0])
    assert file.read_text() == text and len(again) == len(pd.read_csv(file))


@given(st.lists(st.integers(0, 5), min_size=4, max_size=4), st.integers(1, 9), st.integers(1, 3))
def test_centre_places_each_task_where_least_work_is_left(work, tasks, estimate):
    centre = Centre(("centre", 0), b"")
    sent = []
    centre.how = {"seed": 0, "short_only": 1, "shares": True}
    centre.addresses, centre.jobs = [], {}
    centre.peers = {
        ("node", k): SimpleNamespace(
            send=lambda kind, job, task, *rest, k=k: sent.append((task, k, int(rest[2], 16)))
        )
        for k in range(4)
    }
    centre.work, centre.placed, centre.began = [float(w) for w in work], [1] * 4, [None] * 4
    centre.bits = 0
    centre.on_job(None, 7, [1.0] * tasks, float(estimate), True)
    left = [float("inf"), *map(float, work[1:])]
    for _task, where, bits in sorted(sent):
        assert left[where] == min(left) and bits == sum({1 << k for _, k, _ in sent})
        left[where] += estimate
    assert len(sent) == tasks and centre.work[1:] == left[1:]
