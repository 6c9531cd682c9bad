"""A sweep gives the same rows however it is run, and what is finished survives whatever happens to the rest."""

import json
import os
import re
import signal
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import psutil
import pytest
from pandas.testing import assert_frame_equal

import reproduce
import toy_experiments as toy
from refusals import refuses
from reproduce import ledger, points, registry
from reproduce.sentences import Sentence
from schedlib import paths
from schedlib.sweeps import Experiment, scales, store, sweep
from schedlib.sweeps.experiment import Settings
from schedlib.sweeps.text import csv_text

pytestmark = pytest.mark.usefixtures("toys")


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "executions"
    place.mkdir()
    return place


def rows(experiment, workers=1, **how):
    return reproduce.run(experiment, workers=workers, progress=False, **how)


def text(experiment, **how):
    return csv_text(rows(experiment, **how))


def entries(experiment):
    return sorted(store.folder(experiment.id).rglob("*.parquet"))


def metas(experiment):
    return [store.read(file).meta for file in entries(experiment)]


def test_rows_are_in_listed_order_and_stored_points_are_not_run_again(folder):
    experiment = toy.experiment(toy.counted, folder)
    fresh = rows(experiment)
    assert list(fresh.columns) == ["folder", "jobs", "seed", "value", "odd"]
    assert fresh["jobs"].tolist() == [1, 1, 2, 2, 3, 3]
    assert fresh["seed"].tolist() == [0, 1] * 3
    assert_frame_equal(rows(experiment), fresh, check_exact=True)
    assert len(toy.executions(folder)) == 6
    rows(experiment, seeds=3)
    assert len(toy.executions(folder)) == 9
    rows(experiment, refresh=True)
    assert len(toy.executions(folder)) == 15


@pytest.mark.parametrize("shift, seeds", [(9.0, 3), (-9.0, 3), (2.0, 6), (0.0, 12)])
def test_seeds_are_added_until_every_verdict_is_decided_or_the_budget_is_spent(
    shift, seeds, monkeypatch
):
    """A sentence that is so by construction asks for none."""
    one_point, seeds_each = scales([{"jobs": 1}]), scales((3, 6, 12))
    experiment = Experiment("hmhs.doubt", "A toy", toy.doubtful, one_point, seeds_each)
    asked = ("S", "words", "order", "", "s", "hmhs.doubt")
    made = {"kind": "construction", "cause": "it is so"}
    claims = [
        Sentence("hmhs.c", *asked, lambda frame: frame["x"] + shift),
        Sentence("hmhs.made", *asked, lambda frame: frame["x"], **made),
    ]
    known = registry.Registry.of([experiment], [], claims)
    monkeypatch.setattr(registry, "load", lambda: known)
    how = Settings(workers=1, progress=False)
    done = points.finished(experiment, how)
    assert (done.seeds, done.analyses) == (seeds, 3)
    row = ledger.judged(how, "hmhs.c").iloc[0]
    assert (row["runs"], row["verdict"] == "undecided") == (seeds, seeds == 12)
    assert points.finished(experiment, replace(how, seeds=4)).analyses == 1


def test_failing_point_is_reported_and_the_others_are_kept(folder, capsys):
    experiment = toy.experiment(toy.fragile, folder)
    for workers in (2, 1):
        with pytest.raises(reproduce.SweepError, match="2 points failed; the finished ones are"):
            reproduce.run(experiment, workers=workers)
        assert capsys.readouterr().err.count("ArithmeticError: two jobs are one too many") == 2
        assert len(entries(experiment)) == len(toy.executions(folder)) == 4
    (folder / "mended").touch()
    assert len(rows(experiment)) == len(toy.executions(folder)) == 6


def test_result_that_cannot_be_stored_is_a_failure(folder):
    with pytest.raises(reproduce.SweepError) as caught:
        rows(toy.experiment(toy.untidy, folder, points=2, seeds=1))
    assert "must return a DataFrame, not dict" in str(caught.value)
    assert "cannot be stored" in str(caught.value)


def test_damaged_entry_is_recomputed_and_said_so(folder):
    experiment = toy.experiment(toy.counted, folder)
    before = text(experiment)
    victim = entries(experiment)[0]
    victim.write_bytes(victim.read_bytes()[:-100])
    with pytest.warns(store.DamagedEntry):
        assert text(experiment) == before
    assert len(toy.executions(folder)) == 7


def sweeping(folder, points, stored):
    """The experiment of a slow sweep, and the process that runs it, once this many points are stored."""
    (folder / "slow").touch()
    experiment = toy.experiment(toy.counted, folder, points=points)
    code = (
        f"import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        f"sys.path.insert(0, {str(toy.TESTS)!r}); import toy_experiments as toy; import reproduce;"
        f"reproduce.run(toy.experiment(toy.counted, {str(folder)!r}, points={points}), workers=2, progress=False)"
    )
    process = psutil.Popen([sys.executable, "-c", code], start_new_session=True)
    until = time.monotonic() + 60
    while len(entries(experiment)) < stored and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    return experiment, process


def test_killed_sweep_goes_on_where_it_was(folder, tmp_path):
    experiment, process = sweeping(folder, points=6, stored=3)
    workers = process.children(recursive=True)
    process.kill()
    process.wait()
    assert len(workers) >= 2 and psutil.wait_procs(workers, timeout=20)[1] == []
    kept = {(meta["point"]["jobs"], meta["seed"]) for meta in metas(experiment)}
    assert 3 <= len(kept) < 12
    (folder / "slow").unlink()
    after = rows(experiment)
    counts = Counter(toy.executions(folder))
    assert len(after) == len(counts) == 12
    assert all(counts[f"{jobs}-{seed}"] == 1 for jobs, seed in kept)
    assert csv_text(after) == text(experiment, refresh=True)


def test_ctrl_c_ends_a_run_at_once_and_what_is_done_is_stored(folder, capfd):
    experiment, process = sweeping(folder, points=40, stored=4)  # the fourth may not be counted yet
    children = process.children(recursive=True)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the workers get it too
    assert process.wait(30) == -signal.SIGINT
    assert len(children) >= 2 and psutil.wait_procs(children, timeout=20)[1] == []
    assert not (folder / "interrupted").exists()  # they leave it to the parent
    # joblib may warn behind it of what it could not tidy up
    said, goes_on, _ = capfd.readouterr().err.partition("the same command goes on from there\n")
    lines = [
        line for line in said.splitlines() if line.strip(" ^~")
    ]  # without Python's marks below a line
    assert goes_on and said.count("Traceback") == 1 and len(lines) < 14
    told = int(re.search(r"(\d+) of 80 points stored", said)[1])
    assert 3 <= told <= len(entries(experiment)) <= told + 1 < 80


def test_killed_worker_loses_nothing(folder, capsys):
    experiment = toy.experiment(toy.deadly, folder, points=4)
    survived = text(experiment, workers=2)
    assert (folder / "died").exists()
    assert "a worker process was killed" in capsys.readouterr().err
    assert survived == text(experiment, refresh=True)


@pytest.mark.parametrize(
    "wrong, error",
    [
        ({"id": "../x"}, ValueError),
        ({"run": 3}, TypeError),
        ({"seeds": 5}, ValueError),
        ({"seeds": scales(-3)}, ValueError),
        ({"seeds": scales((20, 5))}, ValueError),
    ],
)
def test_experiment_of_ones_own_is_checked(wrong, error):
    with pytest.raises(error, match="experiment"):
        replace(toy.TOY, **wrong)


def test_a_run_says_how_many_points_are_left_and_shows_them_in_one_bar(folder, capsys):
    experiment = toy.experiment(toy.counted, folder)
    reproduce.run(experiment, workers=1, seeds=1)
    first = capsys.readouterr().err
    assert "hmhs.toy-counted (quick): 3 points to run\n" in first and "3/3" in first
    reproduce.run(experiment, workers=1, seeds=1)
    assert capsys.readouterr().err == ""


def test_times_come_from_the_published_figures_of_the_same_scale(folder, monkeypatch, capsys):
    experiment = toy.experiment(toy.counted, folder)
    monkeypatch.setattr(paths, "checkout", lambda: folder)
    entry = {"experiment": experiment.id, "seeds": 1, "points": [{"jobs": 3}]}
    (folder / "figures").mkdir()
    entries = {"toy.fig": entry | {"scale": "quick", "seconds": 4.0}}
    (folder / "figures/provenance.json").write_text(json.dumps(entries))
    reproduce.run(experiment, workers=1)
    assert "6 points to run, about 24 s of computing\n" in capsys.readouterr().err
    reproduce.run(experiment, "smoke", workers=1, refresh=True)
    assert "6 points to run\n" in capsys.readouterr().err


def test_two_at_one_experiment_run_each_point_once(folder):
    experiment = toy.experiment(toy.counted, folder, points=2, seeds=1)
    (folder / "slow").touch()
    with ThreadPoolExecutor(2) as pool:
        frames = list(pool.map(lambda _: rows(experiment), range(2)))
    assert_frame_equal(*frames)
    assert len(toy.executions(folder)) == 2


def test_an_experiment_that_fails_or_lacks_its_data_does_not_lose_the_others(folder, capsys):
    whole = toy.experiment(toy.counted, folder)
    broken = toy.experiment(toy.fragile, folder)
    absent = replace(toy.experiment(toy.deadly, folder), missing=lambda: "no trace")
    done = points.complete([broken, absent, whole], Settings(workers=2))
    assert list(done) == [broken.id, whole.id] and len(done[whole.id].frame) == 6
    (point, seed, _), _ = done[broken.id].failures
    assert f"{broken.id} {point} seed {seed} failed" in capsys.readouterr().err


@pytest.mark.parametrize(
    "how, message",
    [
        ({"seeds": 0}, "seeds: must be a whole number from 1 to 100,000"),
        ({"seeds": 2.5}, "seeds: must be a whole number"),
        ({"workers": 0}, "workers: must be 1, 2, 3"),
        ({"dask": "tcp://127.0.0.1:1"}, "no scheduler answers"),
    ],
)
def test_bad_settings_say_what_is_right(how, message, monkeypatch):
    monkeypatch.setattr(sweep.worker, "CONNECT_SECONDS", 0.5)
    refuses(message, reproduce.run, "hmhs.toy", progress=False, **how)
