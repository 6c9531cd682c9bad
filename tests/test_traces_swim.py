"""SWIM's format, on rows as published, with every defect."""

import gzip

import pytest

from schedlib.traces import read_swim

ROWS = [
    "job0\t49\t49\t740773\t2339561\t627471",
    "job1\t101\t52\t736346\t1700537\t432269",
    "job2\t101\t0\t10274791099\t0\t549",
]


def swim(tmp_path, *rows, name="fb.tsv"):
    path = tmp_path / name
    text = "\n".join(rows) + "\n"
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    return path


@pytest.mark.parametrize("name", ["fb.tsv", "fb.tsv.gz"])
def test_jobs_with_their_bytes_and_no_tasks(tmp_path, name):
    w = read_swim(swim(tmp_path, *ROWS, name=name))
    assert list(w.jobs) == ["job", "submit", "class", "map_input", "shuffle", "reduce_output"]
    assert w.jobs["map_input"].tolist() == [740773, 736346, 10274791099]
    assert (
        w.jobs["submit"].tolist() == [49.0, 101.0, 101.0] and len(w.tasks) == 0 and w.report == {}
    )


def test_oddities_are_counted(tmp_path):
    w = read_swim(swim(tmp_path, ROWS[0], "job7\t20\t0\t1\t2\t3", ROWS[0], "job8\t60\t11\t1\t2\t3"))
    assert w.jobs["job"].tolist() == ["job7", "job0", "job8"]
    assert w.report == {
        "gaps that disagree with submit (submit holds)": 2,
        "jobs that are there twice (first kept)": 1,
        "jobs out of order (sorted)": 1,
    }


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("job3\t1\t2\t3", "Row #2: Expected 6 columns, got 4"),
        ("job3\t1\t2\t3\t4\t5\t/in", "Row #2: Expected 6 columns, got 7"),
        ("job3\tnan\t2\t3\t4\t5", "Row #2.*invalid value 'nan'"),
        ("job3\t\t2\t3\t4\t5", "submit is blank in row 2"),
        ("job3\t200\t2\t-3\t4\t5", "map_input is negative in row 2"),
    ],
)
def test_bad_rows_are_refused(tmp_path, row, message):
    with pytest.raises(ValueError, match=message):
        read_swim(swim(tmp_path, ROWS[0], row))


def test_columns_with_paths_are_not_read(tmp_path):
    w = read_swim(swim(tmp_path, *(f"{row}\t/in/{i}\t/out\t7" for i, row in enumerate(ROWS))))
    assert w.jobs.equals(read_swim(swim(tmp_path, *ROWS, name="plain.tsv")).jobs)


def test_empty_and_cut_files_are_refused(tmp_path):
    path = swim(tmp_path, *ROWS * 99, name="fb.tsv.gz")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ValueError, match="fb.tsv.gz: Truncated"):
        read_swim(path)
    (tmp_path / "empty.tsv").write_text("")
    for name in ("empty.tsv", "missing.tsv"):
        with pytest.raises(ValueError, match=name):
            read_swim(tmp_path / name)
