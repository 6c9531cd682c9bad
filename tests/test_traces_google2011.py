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


def jobs(text):
    """Rows as published from "seconds job event, ...", with a class behind where it is not 1."""
    rows = []
    for words in text.split(","):
        time, number, event, *given = words.split()
        class_ = given[0] if given else 1
        rows.append(
            f"{microseconds(time)},,{number},{EVENTS.index(event)},user,{class_},name,logical"
        )
    return rows


def tasks(text):
    """Rows as published from "seconds job index event, ...", with cores behind where they are not 0.5."""
    rows = []
    for words in text.split(","):
        time, number, index, event, *given = words.split()
        cpu = given[0].strip("-") if given else 0.5
        what = f"77,{EVENTS.index(event)},user,2,9,{cpu},0.25,0.0,0"
        rows.append(f"{microseconds(time)},,{number},{index},{what}")
    return rows


def test_jobs_submit_class_end(tmp_path):
    first = "0 7 submit 3, 0 7 schedule 3, 700 8 submit, 700.000005 8 schedule"
    second = "900 9 submit 0, 901 8 kill, 902 9 schedule 0, 999 9 finish 0"
    w = google2011_jobs(shards(tmp_path, jobs(first), jobs(second)))
    are_rows(
        w.jobs,
        """
        job  class  submit  end  end_event
          7      3       0    -  none
          8      1     700  901  kill
          9      0     900  999  finish
        """,
    )
    assert len(w.tasks) == 0
    assert w.report == {
        "jobs submitted before the trace (submit 0)": 1,
        "jobs without an end (end NaN)": 1,
    }


def test_jobs_count_what_is_odd(tmp_path):
    texts = (
        "700 8 submit, 710 8 fail, 710 8 fail, 705 9 submit",
        "701 10 submit, 720 8 submit, 730 8 evict, 731 8 update",
        "740 11 finish, 741 9 schedule, after 9 finish, 742 10 lost",
    )
    w = google2011_jobs(shards(tmp_path, *map(jobs, texts), of=5))
    are_rows(
        w.jobs,
        """
        job  end  end_event
          8  730  evict
         10  742  lost
          9    -  none
        """,
    )
    assert w.report == {
        "missing shards": 2,
        "events after the trace (left out)": 1,
        "events out of order (sorted)": 2,
        "repeated events (left out)": 1,
        "further submissions of a job (left out)": 1,
        "jobs never submitted (left out)": 1,
        "jobs without an end (end NaN)": 1,
    }


def test_a_job_that_runs_again_has_not_ended(tmp_path):
    rows = jobs("700 8 submit, 710 8 fail, 720 8 submit, 730 8 schedule")
    assert google2011_jobs(shards(tmp_path, rows)).jobs["end_event"].tolist() == ["none"]


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


def test_tasks_run_from_the_last_schedule_to_the_finish_across_shards(tmp_path):
    texts = (
        "600 5 0 submit, 601 5 0 schedule 0.1, 600 5 1 submit",
        "605 5 0 evict, 606 5 0 submit, 607 5 0 schedule 0.2, 608 5 1 schedule",
        "609 5 0 update 0.9, 610 5 1 finish",
        "617.5 5 0 finish 0.9",
    )
    w = google2011_tasks(shards(tmp_path, *map(tasks, texts)))
    assert w.jobs[["job", "submit", "class"]].to_numpy().tolist() == [[5, 600, 2]]
    assert w.resources == ("cpu", "mem", "disk")
    found = w.tasks[["duration", "cpu"]].sort_values("duration")
    assert found.to_numpy().tolist() == [[2.0, 0.5], [10.5, 0.2]]
    assert w.report == {
        "'evict' events (such runs are left out)": 1,
        "events out of order (sorted within a shard)": 1,
    }


def test_tasks_that_did_not_finish_are_left_out_and_counted(tmp_path):
    before = "0 1 0 submit, 0 1 0 schedule, 700 1 0 finish"
    failed = "700 2 0 submit, 701 2 0 schedule, 702 2 0 fail, 703 2 0 finish"
    killed = "703 2 1 submit, 704 2 1 kill, 705 2 2 lost"
    running = "706 3 0 submit, 707 3 0 schedule"
    blank = "708 4 0 schedule -, 709 4 0 finish -"
    again = "710 5 0 schedule, 711 5 0 finish, 712 5 0 schedule, 715 5 0 finish, 715 5 0 finish"
    first, second = (
        ",".join(texts) for texts in ((before, failed, killed, running), (blank, again))
    )
    w = google2011_tasks(shards(tmp_path, tasks(first), tasks(second), of=3))
    assert w.tasks.to_numpy().tolist() == [[5, 3.0, 0.5, 0.25, 0.0]]
    assert w.jobs["job"].tolist() == [5]
    assert w.report == {
        "missing shards": 1,
        "repeated events (left out)": 1,
        "'fail' events (such runs are left out)": 1,
        "'kill' events (such runs are left out)": 1,
        "'lost' events (such runs are left out)": 1,
        "finish events without a schedule event (left out)": 1,
        "runs begun before the trace (left out)": 1,
        "finished tasks without a request (left out)": 1,
        "earlier runs of a task that finished again (left out)": 1,
        "runs not ended when the trace ends (left out)": 1,
        "jobs without a finished task (left out)": 4,
    }


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
