"""A row is found again only if all that it was made from is as it was: code, data and packages, wherever they are."""

import json
import os
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest

from cases import CASES
from fresh import python
from schedlib import paths, sweeps
from schedlib.sweeps import observe, store

STUDY = """import pandas as pd
from schedlib.sweeps import Experiment, scales
{above}
def run(seed):
    return pd.DataFrame({{"x": [{value}]}})
SWEEP = Experiment("{name}", "Of my own", run, scales([{{}}]), scales(1))
"""
METADATA = "Metadata-Version: 2.1\nName: {0}\nVersion: {1}\n"
CODE = "def power(): return {}\n"
RULES, SAME, PATTERNS = CASES["sweeps_observed"].values()
RUN = """
import json, sys
from importlib import import_module
from schedlib import sweeps
rows = {}
for name in json.loads(sys.argv[1]):
    frame = sweeps.run(import_module(name).SWEEP, "smoke", workers=1, progress=False)
    rows[name] = frame["x"].tolist()
print(json.dumps(rows))
"""


def session(folder, code, *words):
    """The last line that a new process prints in the folder, as JSON."""
    places = [folder, folder / "site-packages"]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(str, places)),
        "SCHEDLIB_CACHE": str(folder / "cache"),
    }
    done = python("-c", code, *words, cwd=folder, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def write(folder, files):
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def rules(folder, power):
    """All policies, each of which gives this power, and their packages as installed."""
    files = {
        name if "." in name else f"{name}.py": text.format(power) for name, text in RULES.items()
    }
    for name, version in (("versioned", power), ("patched", 1)):
        info = f"site-packages/{name}.dist-info"
        files[f"{info}/METADATA"] = METADATA.format(name, version)
        recorded = f"sha256={power}" if name == "patched" else ""
        files[f"{info}/RECORD"] = f"{name}.py,{recorded},20\n"
    write(folder, files)


def test_rows_follow_an_edit_of_whatever_a_point_read(tmp_path):
    studies = {name.replace(" ", "_"): how for name, how in PATTERNS.items()}
    write(tmp_path, SAME)
    for name, (above, value) in studies.items():
        write(tmp_path, {f"{name}.py": STUDY.format(name=name, above=above, value=value)})
    for power in (1, 20, 1):
        rules(tmp_path, power)
        rows = session(tmp_path, RUN, json.dumps(list(studies)))
        assert rows == dict.fromkeys(studies, [power])


RELOADED = """
import importlib, json, pathlib
import policies, study
from schedlib import sweeps
rows = []
def more(seeds, workers):
    frame = sweeps.run(study.SWEEP, "smoke", seeds, workers, progress=False)
    rows.append(frame["x"].tolist())
more(1, workers=1)
pathlib.Path("policies.py").write_text("def power(): return 100\\n")
importlib.reload(policies)
study.ALPHA = 50
more(2, workers=1)
more(3, workers=2)
pathlib.Path("policies.py").write_text("# a comment\\ndef power(): return  1\\n")
more(3, workers=1)
print(json.dumps(rows))
"""


def test_rows_come_from_the_files_and_not_from_what_is_in_memory(tmp_path):
    value = "seed + policies.power() + ALPHA"
    study = STUDY.format(name="study", above="import policies\nALPHA = 1", value=value)
    write(tmp_path, {"study.py": study, "policies.py": CODE.format(1)})
    rows = session(tmp_path, RELOADED)
    assert rows == [[2], [101, 102], [101, 102, 103], [2, 3, 4]]
    assert session(tmp_path, RUN, '["study"]') == {"study": [2]}


@pytest.fixture
def own(tmp_path, own_cache, monkeypatch):
    """A folder to work in, with a cache of its own, where schedlib is installed without its checkout."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(paths, "checkout", lambda: None)
    return tmp_path


def once(run, points=({},), **how):
    many, seeds = sweeps.scales(list(points)), sweeps.scales(1)
    mine = sweeps.Experiment("once", "Of my own", run, many, seeds)
    return sweeps.run(mine, "smoke", progress=False, **how)


def test_what_a_point_writes_itself_is_not_what_it_depends_on(own):
    def run(seed):
        from pathlib import Path

        Path("new").write_text(str(seed))
        Path("new").replace("own.txt")
        text = Path("own.txt").read_text()
        try:
            Path("optional.txt").read_text()
        except FileNotFoundError:
            text += "9"
        return pd.DataFrame({"x": [int(text)]})

    assert once(run)["x"].tolist() == [9]
    (own / "own.txt").write_text("5")
    (own / "new").write_text("6")
    assert once(run)["x"].tolist() == [9]
    assert len(list(store.folder("once").rglob("*.parquet"))) == 1
    (own / "optional.txt").touch()
    assert once(run)["x"].tolist() == [0]


def test_a_file_that_changes_while_points_run_is_said(own):
    (own / "data.txt").write_text("1")

    def run(seed, place):
        import os
        from pathlib import Path

        data = Path("data.txt")
        value = len(data.read_text())
        if value == 1:
            other = os.open(data, os.O_RDWR)  # as another process would
            os.write(other, b"22222")
            os.close(other)
        return pd.DataFrame({"x": [value]})

    with pytest.raises(RuntimeError, match="its files changed while it ran"):
        once(run, [{"place": 1}])
    assert once(run, [{"place": 1}])["x"].tolist() == [5]


def test_a_column_of_the_frame_never_hides_a_parameter(own):
    def run(load, seed):
        return pd.DataFrame({"load": [0.5, 0.5], "wait": [1.0, 2.0]})

    assert list(once(run, [{"load": 0.5}]).columns) == ["seed", "load", "wait"]
    with pytest.raises(sweeps.SweepError, match="'load' is a column .* rename one of them"):
        once(run, [{"load": 0.9}])


@pytest.mark.filterwarnings("ignore")
def test_data_that_differ_on_a_dask_worker_are_refused(own):
    """By the file's name, where the worker fails for that reason."""
    from distributed import Client, LocalCluster

    def run(seed, column):
        return pd.read_csv("data.csv")[[column]]

    (own / "there").mkdir()
    (own / "data.csv").write_text("x\n1\n")
    (own / "there/data.csv").write_text("y\n100\n")
    quiet = {"dashboard_address": ":0", "silence_logs": 50}
    with LocalCluster(n_workers=1, threads_per_worker=1, **quiet) as made:
        how = {"dask": made.scheduler_address}
        with Client(made, set_as_default=False) as client:
            client.run(os.chdir, own / "there")
        with pytest.raises(
            RuntimeError, match=r"data or packages than this process \(.*data.csv\)"
        ):
            once(run, [{"column": "x"}], **how)
        (own / "data.csv").write_text("y\n100\n")
        assert once(run, [{"column": "y"}], **how)["y"].tolist() == [100]
    assert once(run, [{"column": "y"}])["y"].tolist() == [100]
    assert len(list(store.folder("once").rglob("*.parquet"))) == 1


def test_the_script_that_starts_a_dask_worker_is_no_data():
    assert not observe.counts(str(Path(sysconfig.get_path("scripts"), "dask")))


def test_a_module_counts_by_its_statements_and_data_by_their_bytes(tmp_path):
    module, data = tmp_path / "module.py", tmp_path / "data.csv"

    def digests(text):
        write(tmp_path, {"module.py": text, "data.csv": text})
        return [observe.digest(str(it), observe.signature(str(it))) for it in (module, data)]

    plain, worded = digests("x = 1\n"), digests("x  = 1  # a comment\n")
    assert plain[0] == worded[0] and plain[1] != worded[1]
    assert digests("x = 2  # a comment\n")[0] != plain[0]
    assert digests("x = = 2\n")[0] != plain[0]


def test_threads_of_a_worker_parse_one_after_the_other(tmp_path):
    """In Python 3.11 two at once may fail: AST constructor recursion depth mismatch."""
    write(tmp_path, {"module.py": "x = 1\n"})
    with ThreadPoolExecutor() as pool:
        with observe.PARSING:
            digest = pool.submit(observe.present, str(tmp_path / "module.py"))
            with pytest.raises(TimeoutError):
                digest.result(0.2)
        assert digest.result(30)
