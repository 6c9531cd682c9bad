"""Hawk's format: exact round trips, and every defect refused or counted as the reader's table says."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import CASES
from refusals import refuses
from schedlib.traces import hawk, read_hawk, write_hawk
from schedlib.workload import Workload

NUMBER = st.one_of(st.integers(0, 10**12).map(float), st.floats(0, 1e300, allow_subnormal=True))
JOBS = st.lists(
    st.tuples(NUMBER, NUMBER, st.lists(NUMBER, min_size=1, max_size=5)), min_size=1, max_size=8
)


@given(JOBS, st.sampled_from([".tr", ".tr.gz"]))
def test_round_trip_is_exact(tmp_path_factory, jobs, ending):
    submit, mean, durations = zip(*sorted(jobs), strict=True)
    counts = list(map(len, durations))
    w = Workload.from_arrays(submit, np.concatenate(durations), tasks=counts)
    w = Workload(w.jobs.assign(mean=mean), w.tasks)
    path = tmp_path_factory.getbasetemp() / f"round{ending}"
    again = read_hawk(write_hawk(w, path))
    assert again.jobs.equals(w.jobs) and again.tasks.equals(w.tasks) and again.report == {}
    before = path.read_bytes()[10:]  # without gzip's header, which holds the time
    assert write_hawk(again, path).read_bytes()[10:] == before


@pytest.mark.parametrize(("line", "message"), CASES["traces_hawk"]["bad_lines_are_refused"])
@pytest.mark.parametrize("block", [1, hawk.BLOCK])  # one row at a time, all at once
def test_bad_lines_are_refused(tmp_path, monkeypatch, line, message, block):
    monkeypatch.setattr(hawk, "BLOCK", block)
    path = tmp_path / "a.tr"
    path.write_text(f"0 1 1 1\n{line}\n")
    refuses(f"a.tr: {message}", read_hawk, path)


@pytest.mark.parametrize("ending", [".tr", ".tr.gz"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", " \t \n"])
def test_a_file_read_in_many_blocks_is_the_same(tmp_path, monkeypatch, ending, line_end):
    lines = [f"{i} 2 {i}.5  {i} {i + 1}" if i % 3 else "" for i in range(1, 60)]
    text = line_end.join([*lines, ""]).encode()
    path = tmp_path / f"a{ending}"
    path.write_bytes(gzip.compress(text) if ending == ".tr.gz" else text)
    whole = read_hawk(path)
    monkeypatch.setattr(hawk, "BLOCK", 50)
    w = read_hawk(path)
    assert w.jobs.equals(whole.jobs) and w.tasks.equals(whole.tasks) and len(w.tasks) == 80
    assert w.report == whole.report == {"blank lines between jobs (skipped)": 19}


def test_a_binary_file_is_refused(tmp_path):
    (tmp_path / "binary.tr").write_bytes(b"0 1 4 4\n\xff\xfe\n")
    refuses("missing, cut short or damaged", read_hawk, tmp_path / "binary.tr")


def test_a_job_without_tasks_cannot_be_written(tmp_path):
    work = Workload.from_arrays([0, 1], [2.0], tasks=[1, 0])
    refuses("row 1 has no task", write_hawk, work, tmp_path / "a.tr")
    assert not list(tmp_path.iterdir())
