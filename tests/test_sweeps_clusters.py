"""Sweeps on many machines: Dask, parts of an array of jobs, and the how-to's page on clusters as it stands."""

import importlib
import os
import re
import shutil
import subprocess
import sys
import threading

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import toy_experiments as toy
from refusals import refuses
from schedlib import paths, sweeps
from schedlib.sweeps import store, sweep, worker
from schedlib.sweeps.experiment import Settings

PAGE = (paths.checkout() / "notebooks/book/how-to-clusters.md").read_text()
QUIET = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0", "silence_logs": 50}
pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own


@pytest.fixture(scope="module")
def cluster():
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, **QUIET) as made:
        yield made


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where executions leave a file; rows have a cache of their own, and kernels stay where they are."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(paths.cache_folder("kernels").parent))
    monkeypatch.setenv("SCHEDLIB_CACHE", str(tmp_path / "cache"))
    place = tmp_path / "executions"
    place.mkdir()
    return place


def rows(experiment, **how):
    return sweeps.run(experiment, "smoke", progress=False, **how)


def test_a_client_and_a_cluster_object_give_the_rows_that_processes_give(cluster, folder):
    from distributed import Client

    experiment = toy.experiment(toy.counted, folder)
    here = rows(experiment, workers=1)
    with Client(cluster, set_as_default=False) as client:
        assert_frame_equal(rows(experiment, dask=client, refresh=True), here)
        assert client.status == "running" and not client.futures  # it stays the reader's
    assert_frame_equal(rows(experiment, dask=cluster, refresh=True), here)
    refuses("asynchronous or closed; pass Client", rows, experiment, dask=client, refresh=True)  # fmt: skip
    with pytest.raises(TypeError, match="dask: needs a scheduler's address.* not int"):
        rows(experiment, dask=8786)
    assert len(toy.executions(folder)) == 18


def test_a_killed_dask_worker_loses_nothing(cluster, folder):
    experiment = toy.experiment(toy.deadly, folder)
    clustered = rows(experiment, dask=cluster)
    assert (folder / "died").exists()
    assert_frame_equal(clustered, rows(experiment, workers=1, refresh=True), check_exact=True)


MINE = """import pandas as pd
from schedlib.sweeps import Experiment, scales
def run(seed):
    return pd.DataFrame({{"x": [seed + {number}]}})
MINE = Experiment("mine", "Of my own", run, scales([{{}}]), scales(2))
"""


def test_a_worker_that_lacks_a_module_or_has_another_is_refused(
    cluster, folder, tmp_path, monkeypatch
):
    from distributed import Client

    module = tmp_path / "sweep_of_mine.py"

    def numbers(number):
        module.write_text(MINE.format(number=number))
        monkeypatch.syspath_prepend(tmp_path)  # later than the workers started
        monkeypatch.delitem(sys.modules, module.stem, raising=False)
        mine = importlib.import_module(module.stem).MINE
        return rows(mine, dask=cluster, refresh=True)["x"].tolist()

    with pytest.raises(RuntimeError, match=r"sweep_of_mine.*PYTHONPATH.*upload_file"):
        numbers(1)
    with Client(cluster, set_as_default=False) as client:
        client.upload_file(str(module))
    assert numbers(1) == [1, 2]
    with pytest.raises(
        RuntimeError, match=r"other code, .* than this process \(.*sweep_of_mine.py"
    ):
        numbers(20)


def test_without_a_worker_a_line_says_so_and_the_sweep_waits_up_to_a_limit(
    folder, monkeypatch, capsys
):
    from distributed import LocalCluster

    monkeypatch.setattr(worker, "QUIET_SECONDS", 0.25)
    monkeypatch.setattr(worker, "WORKER_SECONDS", 1.0)
    experiment = toy.experiment(toy.counted, folder)
    with LocalCluster(n_workers=0, **QUIET) as made:
        how = {"dask": made.scheduler_address}
        with pytest.raises(TimeoutError, match="no worker is at .* start one as PYTHONPATH"):
            rows(experiment, **how)
        assert capsys.readouterr().err.count("no worker has come yet") == 1
        monkeypatch.setattr(worker, "WORKER_SECONDS", 60.0)
        later = threading.Timer(1.0, made.scale, (1,))
        later.start()
        waited = rows(experiment, **how)
        later.join()
    assert "no worker has come yet to" in capsys.readouterr().err
    assert_frame_equal(waited, rows(experiment, workers=1, refresh=True))


def test_a_board_runs_within_a_point_on_dask(cluster, folder):
    def run(seed):
        from schedlib import boards, hmhs

        mine = hmhs.Policy(name="mine")
        return boards.hmhs(mine, workload=hmhs.single(3), seeds=2, against=["fifo"])

    experiment = sweeps.Experiment("boards", "Boards", run, sweeps.scales([{}]), sweeps.scales(1))
    there = rows(experiment, dask=cluster)
    assert_frame_equal(there.drop(columns="seed"), run(0))


@pytest.mark.parametrize("parts", range(1, 6))
def test_the_parts_are_disjoint_and_together_all(parts):
    for count in range(13):
        shares = [Settings(part=f"{i + 1}/{parts}").share(range(count)) for i in range(parts)]
        assert sorted(task for share in shares for task in share) == list(range(count))
        assert max(map(len, shares)) - min(map(len, shares)) <= 1


@pytest.mark.parametrize("part", ["0/3", "4/3", "a/b", "1/0"])
def test_a_part_that_there_is_not_is_refused(part):
    refuses("part: must be like 3/20", Settings, part=part)


def test_parts_in_separate_stores_are_one_sweep_once_they_are_copied_together(
    folder, tmp_path, monkeypatch
):
    experiment = toy.experiment(toy.counted, folder)
    for part in ("1/2", "2/2"):
        monkeypatch.setenv("SCHEDLIB_CACHE", str(tmp_path / part))
        sweep.finished(experiment, Settings("smoke", workers=1, progress=False, part=part))
        shutil.copytree(tmp_path / part, tmp_path / "cache", dirs_exist_ok=True)
    monkeypatch.setenv("SCHEDLIB_CACHE", str(tmp_path / "cache"))
    assert rows(experiment)["jobs"].tolist() == [1, 1, 2, 2, 3, 3]
    assert toy.executions(folder) == ["1-0", "1-1", "2-0", "2-1", "3-0", "3-1"]


def test_parts_hold_a_folder_together_and_a_run_of_the_whole_waits_for_them(tmp_path, capsys):
    began = threading.Event()

    def whole():
        with paths.alone(tmp_path, word="it waits"):
            began.set()

    with paths.alone(tmp_path, shared=True), paths.alone(tmp_path, shared=True):
        waiting = threading.Thread(target=whole)
        waiting.start()
        assert not began.wait(0.3)
    waiting.join(30)
    assert began.is_set() and capsys.readouterr().err == "it waits"


def test_a_network_disc_without_locks_is_used_without_them(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError("no locks on this disc")

    monkeypatch.setattr("fcntl.flock", refuse)
    with paths.alone(tmp_path):
        (tmp_path / "row").touch()


SBATCH = """#!/usr/bin/env python3
import os, re, subprocess, sys

*options, script = sys.argv[1:]
directives = re.findall(r"^#SBATCH (--.+)", open(script).read(), re.MULTILINE)
asked = dict(option[2:].split("=") for option in [*directives, *options])
first, _, last = asked["array"].partition("-")
jobs = []
for number in range(int(first), int(last or first) + 1):
    given = {"SLURM_ARRAY_TASK_ID": str(number), "SLURM_CPUS_PER_TASK": asked["cpus-per-task"]}
    log = open(asked["output"].replace("%a", str(number)), "w")
    jobs.append(subprocess.Popen(["bash", script], env=os.environ | given, stdout=log, stderr=log))
sys.exit(max(job.wait() for job in jobs))
"""


def test_the_page_runs_as_it_stands_with_all_parts_at_once(folder, tmp_path, monkeypatch):
    blocks = re.findall(r"^```(?:sh|python)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    study, try_it, script, whole = blocks[:4]
    (tmp_path / "waits.py").write_text(study)
    (tmp_path / "waits.sh").write_text(script)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/sbatch").write_text(SBATCH)
    (tmp_path / "bin/sbatch").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(paths.checkout()))

    def shell(command):
        done = subprocess.run(
            ["bash", "-ec", command], cwd=tmp_path, capture_output=True, text=True
        )
        logs = "".join(log.read_text() for log in tmp_path.glob("*.log"))
        assert done.returncode == 0, done.stderr + logs
        return done.stderr, len(list(store.folder("waits").rglob("*.parquet")))

    assert shell(try_it)[1] == 4
    assert shell("sbatch waits.sh")[1] == 8
    assert shell("sbatch --array=3 waits.sh && ! grep 'to run' waits-3.log")[1] == 8
    said, stored = shell(whole)
    assert "to run" not in said and stored == 8
    waits = pd.read_csv(tmp_path / "waits.csv").groupby(["load", "machines"])["wait"].mean()
    assert waits[0.5, 1] == pytest.approx(1.0, rel=0.2)  # M/M/1: load / (1 - load)
