"""Google's tables: hand-made shards with every defect, and the public facts of the whole job table where it is at hand."""

import gzip

import pytest

from cases import CASES
from frames import are_rows
from refusals import refuses
from schedlib.traces import google2011_folder, google2011_jobs, google2011_tasks

EVENTS = ("submit", "schedule", "evict", "fail", "finish", "kill", "lost", "update")
AFTER = 2**63 - 1  # the published time of what happened after the trace


def shards(folder, *texts, of=None):
    for i, rows in enumerate(texts):
        text = "".join(row + "\n" for row in rows)
        (folder / f"part-{i:05}-of-{of or len(texts):05}.csv.gz").write_bytes(
            gzip.compress(text.encode())
        )
    return folder


def microseconds(seconds):
    return AFTER if seconds == "after" else round(float(seconds) * 1e6)


def published(text, names, usual, line):
    """Rows from "seconds job event, ...", words with these names; the last is `usual` where it is not given, or "-"."""
    rows = []
    for words in text.split(","):
        entry = dict(zip(names.split(), [*words.split(), usual], strict=False))
        entry["time"] = microseconds(entry["time"])
        entry["event"] = EVENTS.index(entry["event"])
        rows.append(line.format(**entry).replace("-", ""))
    return rows


def jobs(text):
    line = "{time},,{number},{event},user,{class},name,logical"
    return published(text, "time number event class", "1", line)


def tasks(text):
    line = "{time},,{number},{index},77,{event},user,2,9,{cpu},0.25,0.0,0"
    return published(text, "time number index event cpu", "0.5", line)


SHARDS = CASES["traces_google2011"]["what_is_read"]


@pytest.mark.parametrize("case", SHARDS.values(), ids=SHARDS)
def test_what_is_read(case, tmp_path):
    read, rows = {"jobs": (google2011_jobs, jobs), "tasks": (google2011_tasks, tasks)}[case["read"]]
    work = read(shards(tmp_path, *map(rows, case["shards"]), of=case["of"]))
    are_rows(work.jobs.merge(work.tasks, how="left"), case["table"])
    assert work.report == case["report"]
    if read is google2011_tasks:
        assert work.resources == ("cpu", "mem", "disk")
    else:
        assert len(work.tasks) == 0


@pytest.mark.parametrize(
    ("row", "message"), CASES["traces_google2011"]["bad_job_rows_are_refused_with_file_and_row"]
)
def test_bad_job_rows_are_refused_with_file_and_row(tmp_path, row, message):
    folder = shards(tmp_path, jobs("1 7 submit"), [*jobs("2 8 submit"), row])
    refuses(f"part-00001-of-00002.*{message}", google2011_jobs, folder)


def test_shards_of_two_splits_are_refused(tmp_path):
    shards(tmp_path, jobs("1 7 submit"))
    refuses(
        r"folder: .* 00001 and 00003 shards",
        google2011_jobs,
        shards(tmp_path, jobs("1 7 submit"), of=3),
    )


@pytest.mark.parametrize("read", [google2011_jobs, google2011_tasks])
def test_cut_and_empty_shards_are_refused(tmp_path, read):
    rows = jobs("1 7 submit") if read is google2011_jobs else tasks("1 7 0 submit")
    path = shards(tmp_path, rows * 999) / "part-00000-of-00001.csv.gz"
    path.write_bytes(path.read_bytes()[:-20])
    refuses("part-00000-of-00001.csv.gz: Truncated.*fetch it again", read, tmp_path)
    path.write_bytes(gzip.compress(b""))
    refuses("part-00000-of-00001.csv.gz: Empty", read, tmp_path)


@pytest.mark.parametrize(
    ("row", "message"), CASES["traces_google2011"]["bad_task_rows_are_refused"]
)
def test_bad_task_rows_are_refused(tmp_path, row, message):
    refuses(message, google2011_tasks, shards(tmp_path, [*tasks("1 7 0 submit"), row]))


def test_public_facts_of_the_whole_job_table():
    folder = google2011_folder()
    if folder is None:
        pytest.skip(
            "Google's job_events table is not here: `make data ARGS=google2011` fetches it, or set SCHEDLIB_GOOGLE2011 to its folder"
        )
    w = google2011_jobs(folder)
    if "missing shards" in w.report:
        pytest.skip(
            f"only a part of Google's job_events table is in {folder.name}: {w.report['shards not there']} shards missing"
        )
    jobs = w.jobs
    assert len(jobs) == 672_074 and (jobs["submit"] == 0).sum() == 3_986
    assert jobs["class"].between(0, 3).all() and jobs["submit"].max() < 29.1 * 86_400
    assert (jobs["end"] >= jobs["submit"])[jobs["end"].notna()].all()
    assert jobs["end_event"].value_counts().to_dict() == {
        "finish": 385_582, "kill": 272_341, "fail": 10_124, "none": 3_989, "evict": 22, "lost": 16,
    }  # fmt: skip
