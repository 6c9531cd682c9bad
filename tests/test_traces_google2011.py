"""Google's tables: hand-made shards with every defect, and the public facts of the whole job table where it is at hand."""

import gzip

import numpy as np
import pytest

from schedlib.traces import google2011_folder, google2011_jobs, google2011_tasks

SUBMIT, SCHEDULE, EVICT, FAIL, FINISH, KILL, LOST, UPDATE = range(8)
S = 1_000_000  # microseconds


def shards(folder, *texts, of=None):
    for i, rows in enumerate(texts):
        text = "".join(row + "\n" for row in rows)
        (folder / f"part-{i:05}-of-{of or len(texts):05}.csv.gz").write_bytes(
            gzip.compress(text.encode())
        )
    return folder


def job(time, number, event, class_=1):
    return f"{time},,{number},{event},user,{class_},name,logical"


def task(time, number, index, event, cpu=0.5, mem=0.25, disk=0.0):
    return f"{time},,{number},{index},77,{event},user,2,9,{cpu},{mem},{disk},0"


def test_jobs_submit_class_end(tmp_path):
    w = google2011_jobs(
        shards(
            tmp_path,
            [
                job(0, 7, SUBMIT, 3),
                job(0, 7, SCHEDULE, 3),
                job(700 * S, 8, SUBMIT),
                job(700 * S + 5, 8, SCHEDULE),
            ],
            [
                job(900 * S, 9, SUBMIT, 0),
                job(901 * S, 8, KILL),
                job(902 * S, 9, SCHEDULE, 0),
                job(999 * S, 9, FINISH, 0),
            ],
        )
    )
    assert w.jobs["job"].tolist() == [7, 8, 9] and w.jobs["class"].tolist() == [3, 1, 0]
    assert w.jobs["submit"].tolist() == [0.0, 700.0, 900.0]
    np.testing.assert_array_equal(w.jobs["end"], [np.nan, 901.0, 999.0])
    assert w.jobs["end_event"].tolist() == ["none", "kill", "finish"] and len(w.tasks) == 0
    assert w.report == {
        "jobs submitted before the trace (submit 0)": 1,
        "jobs without an end (end NaN)": 1,
    }


def test_jobs_count_what_is_odd(tmp_path):
    after = 2**63 - 1
    w = google2011_jobs(
        shards(
            tmp_path,
            [
                job(700 * S, 8, SUBMIT),
                job(710 * S, 8, FAIL),
                job(710 * S, 8, FAIL),
                job(705 * S, 9, SUBMIT),
            ],
            [
                job(701 * S, 10, SUBMIT),
                job(720 * S, 8, SUBMIT),
                job(730 * S, 8, EVICT),
                job(731 * S, 8, UPDATE),
            ],
            [
                job(740 * S, 11, FINISH),
                job(741 * S, 9, SCHEDULE),
                job(after, 9, FINISH),
                job(742 * S, 10, LOST),
            ],
            of=5,
        )
    )
    assert w.jobs["job"].tolist() == [8, 10, 9] and w.jobs["end_event"].tolist() == [
        "evict",
        "lost",
        "none",
    ]
    assert w.jobs["end"].tolist()[:2] == [730.0, 742.0]
    assert w.report == {
        "shards not there": 2,
        "events after the trace (left out)": 1,
        "events out of order (sorted)": 2,
        "events that are there twice (counted once)": 1,
        "jobs submitted again (first submission kept)": 1,
        "jobs never submitted (left out)": 1,
        "jobs without an end (end NaN)": 1,
    }


def test_a_job_that_runs_again_has_not_ended(tmp_path):
    rows = [
        job(700 * S, 8, SUBMIT),
        job(710 * S, 8, FAIL),
        job(720 * S, 8, SUBMIT),
        job(730 * S, 8, SCHEDULE),
    ]
    assert google2011_jobs(shards(tmp_path, rows)).jobs["end_event"].tolist() == ["none"]


BAD_JOB_ROWS = [
    ("700,,8,0,user,1,name", "Row #2: Expected 8 columns, got 7"),
    ("nan,,8,0,user,1,name,logical", "Row #2.*invalid value 'nan'"),
    (",,8,0,user,1,name,logical", "time is blank in row 2"),
    ("-700,,8,0,user,1,name,logical", "time is negative in row 2"),
    ("700,,8,9,user,1,name,logical", "event is more than 8 in row 2"),
    ("700,,8,0,user,,name,logical", "class is blank in row 2"),
]


@pytest.mark.parametrize(("row", "message"), BAD_JOB_ROWS)
def test_bad_job_rows_are_refused_with_file_and_row(tmp_path, row, message):
    folder = shards(tmp_path, [job(1, 7, SUBMIT)], [job(2, 8, SUBMIT), row])
    with pytest.raises(ValueError, match=f"part-00001-of-00002.*{message}"):
        google2011_jobs(folder)


def test_shards_of_two_splits_are_refused(tmp_path):
    shards(tmp_path, [job(1, 7, SUBMIT)])
    with pytest.raises(ValueError, match=r"folder: .* \[1, 3\] shards"):
        google2011_jobs(shards(tmp_path, [job(1, 7, SUBMIT)], of=3))


@pytest.mark.parametrize("read", [google2011_jobs, google2011_tasks])
def test_cut_empty_and_absent_shards_are_refused(tmp_path, read):
    with pytest.raises(ValueError, match="folder: no part-.*download"):
        read(tmp_path)
    rows = (
        [job(i, i, SUBMIT) for i in range(999)]
        if read is google2011_jobs
        else [task(i, i, 0, 0) for i in range(999)]
    )
    path = shards(tmp_path, rows) / "part-00000-of-00001.csv.gz"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ValueError, match="part-00000-of-00001.csv.gz: Truncated.*fetch it again"):
        read(tmp_path)
    path.write_bytes(gzip.compress(b""))
    with pytest.raises(ValueError, match="part-00000-of-00001.csv.gz: Empty"):
        read(tmp_path)


def test_tasks_run_from_the_last_schedule_to_the_finish_across_shards(tmp_path):
    w = google2011_tasks(
        shards(
            tmp_path,
            [
                task(600 * S, 5, 0, SUBMIT),
                task(601 * S, 5, 0, SCHEDULE, 0.1),
                task(600 * S, 5, 1, SUBMIT),
            ],
            [
                task(605 * S, 5, 0, EVICT),
                task(606 * S, 5, 0, SUBMIT),
                task(607 * S, 5, 0, SCHEDULE, 0.2),
                task(608 * S, 5, 1, SCHEDULE),
            ],
            [task(609 * S, 5, 0, UPDATE, 0.9), task(610 * S, 5, 1, FINISH)],
            [task(617 * S + S // 2, 5, 0, FINISH, 0.9)],
        )
    )
    assert w.jobs[["job", "submit", "class"]].to_numpy().tolist() == [[5, 600, 2]]
    assert w.resources == ("cpu", "mem", "disk")
    assert sorted(w.tasks[["duration", "cpu"]].itertuples(index=False, name=None)) == [
        (2.0, 0.5),
        (10.5, 0.2),
    ]
    assert w.report == {
        "'evict' events (such runs are left out)": 1,
        "events out of order (sorted within a shard)": 1,
    }


def test_tasks_that_did_not_finish_are_left_out_and_counted(tmp_path):
    before = [task(0, 1, 0, SUBMIT), task(0, 1, 0, SCHEDULE), task(700 * S, 1, 0, FINISH)]
    failed = [
        task(700 * S, 2, 0, SUBMIT),
        task(701 * S, 2, 0, SCHEDULE),
        task(702 * S, 2, 0, FAIL),
        task(703 * S, 2, 0, FINISH),
    ]
    killed = [task(703 * S, 2, 1, SUBMIT), task(704 * S, 2, 1, KILL), task(705 * S, 2, 2, LOST)]
    running = [task(706 * S, 3, 0, SUBMIT), task(707 * S, 3, 0, SCHEDULE)]
    blank = [task(708 * S, 4, 0, SCHEDULE, cpu=""), task(709 * S, 4, 0, FINISH, cpu="")]
    twice = [
        task(t * S, 5, 0, e)
        for t, e in ((710, SCHEDULE), (711, FINISH), (712, SCHEDULE), (715, FINISH), (715, FINISH))
    ]
    w = google2011_tasks(shards(tmp_path, before + failed + killed + running, blank + twice, of=3))
    assert w.tasks.to_numpy().tolist() == [[5, 3.0, 0.5, 0.25, 0.0]] and w.jobs["job"].tolist() == [
        5
    ]
    assert w.report == {
        "shards not there": 1,
        "events that are there twice (counted once)": 1,
        "'fail' events (such runs are left out)": 1,
        "'kill' events (such runs are left out)": 1,
        "'lost' events (such runs are left out)": 1,
        "finish events without a schedule event (left out)": 1,
        "runs begun before the trace (left out)": 1,
        "finished tasks without a request (left out)": 1,
        "tasks that finished again (last run kept)": 1,
        "runs not ended when the trace ends (left out)": 1,
        "jobs without a finished task (left out)": 4,
    }


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("700,,8,0,77,0,user,2,9,0.5,0.5,0", "Row #2: Expected 13 columns, got 12"),
        ("700,,8,0,77,0,user,2,9,-0.5,0.5,0,0", "cpu is negative in row 2"),
        ("700,,8,,77,0,user,2,9,0.5,0.5,0,0", "index is blank in row 2"),
    ],
)
def test_bad_task_rows_are_refused(tmp_path, row, message):
    with pytest.raises(ValueError, match=message):
        google2011_tasks(shards(tmp_path, [task(1, 7, 0, SUBMIT), row]))


def test_random_events_agree_with_a_plain_loop(tmp_path):
    rng = np.random.default_rng(3)
    events = [(int(t) * S, int(j), int(i), int(e)) for t, j, i, e in zip(
        np.cumsum(rng.integers(1, 5, 400)) + 600, rng.integers(1, 4, 400), rng.integers(0, 3, 400),
        rng.choice([0, 1, 1, 2, 3, 4, 4, 5, 7], 400), strict=True)]  # fmt: skip
    begun, expected = {}, {}
    for t, j, i, e in events:
        if e == SCHEDULE:
            begun[j, i] = t
        elif e == FINISH and (j, i) in begun:
            expected[j, i] = (t - begun.pop((j, i))) / S
        elif e in (EVICT, FAIL, KILL, LOST):
            begun.pop((j, i), None)
    cuts = [events[:7], events[7:150], events[150:151], events[151:]]
    w = google2011_tasks(shards(tmp_path, *[[task(*event) for event in cut] for cut in cuts]))
    found = sorted(w.tasks[["job", "duration"]].itertuples(index=False, name=None))
    assert found == sorted((j, d) for (j, _), d in expected.items()) and len(found) > 5
    assert w.report["runs not ended when the trace ends (left out)"] == len(begun)


def test_public_facts_of_the_whole_job_table():
    folder = google2011_folder()
    if folder is None:
        pytest.skip(
            "Google's job_events table is not here: `make data` fetches it, or set SCHEDLIB_GOOGLE2011 to its folder"
        )
    w = google2011_jobs(folder)
    if "shards not there" in w.report:
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
