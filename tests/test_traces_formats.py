"""Readers of formats and of tables, on small files as published, whole and damaged."""

import gzip
import io
import sqlite3
import tarfile

import numpy as np
import pandas as pd
import pytest

from cases import CASES
from frames import are_rows, as_frame
from refusals import refuses
from schedlib import traces
from schedlib.workload import Workload

SWF = ["1 0 5 60 4 -1 -1 4 90 -1 1 7 1 -1 1 -1 -1 -1", "2 9 -1 30 -1 -1 -1 2 -1 -1 0 8 1 -1 1 -1 -1 -1"]  # fmt: skip
SACCT = [
    "JobID|Submit|Start|End|AllocCPUS|ReqMem|Timelimit|User|State",
    "7|2024-05-01T12:00:00|2024-05-01T12:00:30|2024-05-01T12:02:00|4|512Mc|1-00:00:00|ada|COMPLETED",
    "8_1|2024-05-01T12:01:00|2024-05-01T12:03:00|2024-05-01T12:03:10|2|3G|UNLIMITED|bob|CANCELLED by 1",
]
BATCH = [
    "M1,2,j_1,1,Terminated,100,130,100,0.5",
    "R2_1,1,j_1,1,Terminated,130,140,50,1",
    "task_x,3,j_2,1,Terminated,90,95,100,2",
]
PAI = [
    "4f,ps,1.0,Terminated,1739162.0,1739200.0,600.0,29.5,,",
    "4f,worker,2.0,Terminated,1739170.0,1739200.0,400.0,8.0,50.0,T4",
]
GOOGLE = [
    "time,type,collection_id,instance_index,cpus,memory",
    "600000000,0,5,0,0.1,0.2",
    "601000000,1,5,0,0.1,0.2",
    "602000000,3,5,0,0.1,0.2",
    "612500000,6,5,0,0.1,0.2",
]
SWIM = [
    "job0\t49\t49\t740773\t2339561\t627471",
    "job1\t101\t52\t736346\t1700537\t432269",
    "job2\t101\t0\t10274791099\t0\t549",
]
HAWK = ["3 1 5 5", "9 2 8 7 9"]
TABLE = ["when,ms,who,cores,id", "3,500,b,2,17", "1,1500,a,1,18"]
COLUMNS = {"submit": "when", "duration": "ms", "user": "who", "cpu": "cores", "job": "id"}


def table(path):
    return traces.read_csv(path, COLUMNS, scale={"duration": 0.001})


READERS = {
    "swf": (traces.read_swf, SWF),
    "sacct": (traces.read_sacct, SACCT),
    "alibaba2018": (traces.alibaba2018_tasks, BATCH),
    "pai2020": (traces.alibaba_pai2020, PAI),
    "google2019": (traces.google2019_tasks, GOOGLE),
    "swim": (traces.read_swim, SWIM),
    "hawk": (traces.read_hawk, HAWK),
    "table": (table, TABLE),
}
MARKS = {
    traces.read_swf: " ",
    traces.read_hawk: " ",
    traces.read_sacct: "|",
    traces.read_swim: "\t",
}
READ = CASES["traces_formats"]["what_is_read"]
every_reader = pytest.mark.parametrize(("read", "rows"), READERS.values(), ids=READERS)


@pytest.fixture
def written(tmp_path):
    """Write rows into a file of that name, packed where it ends in `.gz`, and give its path."""

    def write(rows, name="trace.csv"):
        text = ("\n".join(rows) + "\n").encode()
        path = tmp_path / name
        path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
        return path

    return write


def holds(work, text):
    """That a workload's tasks are these, each beside what is known of its job."""
    are_rows(work.jobs.merge(work.tasks, how="left"), text)


def same(one, other):
    return one.jobs.equals(other.jobs) and one.tasks.equals(other.tasks)


@pytest.mark.parametrize("case", READ.values(), ids=READ)
def test_what_is_read(case, written):
    read, _ = READERS[case["reader"]]
    work = read(written(case["rows"].splitlines()))
    holds(work, case["table"])
    assert work.report == case["report"]


# --- damaged files ---


@every_reader
def test_a_packed_file_is_read_as_a_plain_one(read, rows, written):
    plain = read(written(rows))
    assert len(plain) and same(read(written(rows, "trace.csv.gz")), plain)


@every_reader
def test_missing_empty_and_cut_files_are_refused_by_name(read, rows, tmp_path, written):
    written([], "empty.csv")
    cut = written(rows, "cut.csv.gz")
    cut.write_bytes(cut.read_bytes()[:-12])
    for name in ("missing.csv", "empty.csv", "cut.csv.gz"):
        refuses(name, read, tmp_path / name)


@every_reader
def test_a_row_cut_short_or_with_an_entry_more_is_refused_by_its_line(read, rows, written):
    mark = MARKS.get(read, ",")
    cut = mark.join(rows[-1].split(mark)[:3])
    for row in (cut, rows[-1] + mark + "1"):
        refuses(rf"trace.csv.*(Row #|row ){len(rows)}", read, written([*rows[:-1], row]))


@pytest.mark.parametrize(
    ("name", "row", "message"), CASES["traces_formats"]["a_wrong_entry_is_refused_by_its_line"]
)
def test_a_wrong_entry_is_refused_by_its_line(name, row, message, written):
    read, rows = READERS[name]
    with pytest.raises(ValueError, match=message) as refusal:
        read(written([*rows[:-1], row]))
    assert str(len(rows)) in str(refusal.value) and "trace.csv" in str(refusal.value)


# --- the Standard Workload Format ---


@pytest.mark.parametrize(
    ("number", "other"), [("1", "1"), ("9007199254740993", "9007199254740992")]
)
def test_swf_numbers_the_jobs_where_numbers_come_twice(number, other, written):
    rows = [number + SWF[0][1:], other + SWF[1][1:]]
    work = traces.read_swf(written(rows))
    assert work.jobs["job"].tolist() == [1, 2] and sum(work.report.values()) == 1


def test_swf_header_keeps_repeated_fields(written):
    header = traces.swf_header(written(["; MaxProcs: 8", ";Note: a", "; Note: b", *SWF]))
    assert header == {"MaxProcs": "8", "Note": "a\nb"}


def test_a_wrong_line_is_counted_with_the_header_and_blanks(tmp_path, written):
    refuses(
        "row 5: could not convert a word: .* 'x'",
        traces.read_swf,
        written(["; a", SWF[0], "", "; b", SWF[1].replace(" 8 ", " x ")]),
    )
    comment = "; a\x85 b"  # a line's end for `str.splitlines`, not for a log
    path = tmp_path / "note.swf"
    path.write_bytes("\n".join([comment, SWF[1].replace(" 8 ", " x ")]).encode("latin-1"))
    refuses("row 2: could not convert a word: .* 'x'", traces.read_swf, path)


def test_the_nasa_log_has_its_published_jobs_and_keeps_their_work():
    if (folder := traces.swf_folder()) is None:
        pytest.skip("the NASA log is not here: make data ARGS=swf fetches it")
    path = folder / "NASA-iPSC-1993-3.1-cln.swf.gz"
    rows = np.loadtxt(path, comments=";")
    work = traces.read_swf(path)
    assert len(work) == 18_239 and traces.swf_header(path)["MaxProcs"] == "128"
    kept = (work.tasks["duration"] * work.tasks["cpu"]).sum()
    assert kept == (rows[:, 3] * rows[:, 4]).sum() and work.tasks["cpu"].max() == 128
    assert work.jobs["wait"].isna().all() and work.report == {}


# --- Slurm ---


@pytest.mark.parametrize("wrong", ["1,-500,a,1,18", "1,500,a,1,18,2"])
def test_rows_are_counted_with_blank_lines(wrong, written):
    refuses("(in row |Row #)5\\b", table, written([TABLE[0], "", TABLE[1], "", wrong]))


def test_sacct_reads_the_same_columns_of_a_parquet_file(written, tmp_path):
    plain = written(SACCT)
    rows = pd.read_csv(plain, sep="|", dtype=str)
    rows.to_parquet(tmp_path / "jobs.parquet")
    assert same(traces.read_sacct(tmp_path / "jobs.parquet"), traces.read_sacct(plain))


def sacct(written, *rows, header=SACCT[0], delimiter="|"):
    lines = [header, *rows]
    return traces.read_sacct(
        written([line.replace("|", delimiter) for line in lines]), delimiter=delimiter
    )


def test_sacct_keeps_the_last_row_of_a_job_that_was_put_back_into_the_queue(written):
    first = SACCT[1].replace("COMPLETED", "NODE_FAIL")
    again = SACCT[1].replace("|2024-05-01T12:00:", "|2024-05-01T12:01:")
    for rows in ([first, again], [again, first], [first, SACCT[1]], [SACCT[1], first]):
        work = sacct(written, *rows)
        assert work.jobs[["job", "state"]].values.tolist() == [["7", "COMPLETED"]]
        assert work.report["earlier rows of a job (left out)"] == 1


@pytest.mark.parametrize("delimiter", ["|", ";", "^|^", ";|;", "|||"])
def test_sacct_takes_any_delimiter_and_quotes_nothing(delimiter, written):
    plain = traces.read_sacct(written(SACCT, "plain.csv"))
    rows = [f'{SACCT[1]}|"a', f'{SACCT[2]}|5" disk']
    work = sacct(written, *rows, header=SACCT[0] + "|JobName", delimiter=delimiter)
    assert same(work, plain)


@pytest.mark.parametrize("name", ["a|b", "a\nb"])
def test_sacct_names_free_text_where_a_row_has_another_number_of_entries(name, written):
    with pytest.raises(ValueError, match="JobName, .*another delimiter") as refusal:
        sacct(written, f"{SACCT[1]}|{name}", header=SACCT[0] + "|JobName")
    assert "damaged" not in str(refusal.value)


def test_sacct_needs_four_columns_and_processors_or_nodes(written):
    times = "2024-05-01T12:00|2024-05-01T12:01|2024-05-01T12:03"
    work = sacct(written, f"7|{times}|3", header="JobID|Submit|Start|End|ReqNodes")
    assert work.tasks.values.tolist() == [["7", 120, 3]] and work.jobs["wait"].tolist() == [60]
    assert list(work.jobs) == ["job", "submit", "class", "wait"]
    cancelled = "8|2024-05-01T12:00|2024-05-03T12:01|2024-05-03T12:01|3"
    work = sacct(written, f"7|{times}|3", cancelled, header="JobID|Submit|Start|End|NNodes")
    assert work.report == {"runs of 0 s without a state (kept)": 1}


def test_sacct_reads_epochs_latin_1_elapsed_eligible_and_gpus(tmp_path):
    header = "JobID|Submit|Eligible|Start|End|Elapsed|NCPUS|Timelimit|User|AllocTRES"
    rows = [
        "7|1652870039|1652870099|1652870109|1652871109|00:10:00|4|1-02:00|m\xfcller|cpu=4,gres/gpu:v100=4,gres/gpu=4",
        "8|1652870040|1652870040|1652870109|1652871109|00:10:00|4|2-03|ada|gres/gpu:a=1,gres/gpu:b=2",
        "9|1652870041|1652870041|1652870109|1652871109|00:10:00|4|30:00|ada|cpu=4",
    ]
    path = tmp_path / "latin.txt"
    path.write_bytes("\n".join([header, *rows, ""]).encode("latin-1"))
    work = traces.read_sacct(path)
    holds(
        work,
        """
        submit  wait  requested_time  user       duration  gpu
             0    10           93600  m\xfcller       600    4
             1    69          183600  ada             600    3
             2    68            1800  ada             600    0
        """,
    )


# --- Alibaba ---


def test_rows_of_batch_task_that_do_not_count_are_counted(written):
    odd = [
        "M1,1,j_3,1,Failed,100,130,100,0.5",
        "M1,1,j_4,1,Terminated,100,0,100,0.5",
        "M1,1,j_5,1,Terminated,100,90,100,0.5",
        "M1,1,j_6,1,Terminated,100,130,,",
        "M1,1,j_7,1,Terminated,500,530,100,0.5",
    ]
    work = traces.alibaba2018_tasks(written([*BATCH, *odd]), t1=400)
    assert list(work.report.values()) == [1, 1, 1, 1, 1, 1] and len(work) == 2  # one: out of order
    refuses("no row makes a job: 1 'Failed' tasks", traces.alibaba2018_tasks, written(odd[:1]))
    refuses(
        "100,000,000 tasks, more than .* shorter stretch",
        traces.alibaba2018_tasks,
        written(["M1,1e8" + BATCH[0][4:]]),
    )


@pytest.mark.parametrize("header", [[], [",".join(traces.alibaba_tables.PAI_2020)]])
def test_pai_is_read_from_its_archive_with_or_without_a_header(header, tmp_path):
    text = "\n".join([*header, *PAI]).encode()
    part = tarfile.TarInfo("pai_task_table.csv")
    part.size = len(text)
    path = tmp_path / "pai.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.addfile(part, io.BytesIO(text))
    work = traces.alibaba_pai2020(path)
    are_rows(
        work.tasks,
        """
        cpu   mem  gpu
          6  29.5    0
          4     8  0.5
          4     8  0.5
        """,
    )
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    refuses("pai.tar.gz", traces.alibaba_pai2020, path)


# --- Google 2019 ---


def test_google2019_parquet_with_its_record_is_the_same(tmp_path, written):
    rows = pd.read_csv(written(GOOGLE))
    requests = rows[["cpus", "memory"]].to_dict("records")
    nested = rows.drop(columns=["cpus", "memory"]).assign(resource_request=requests)
    nested.to_parquet(tmp_path / "events.parquet")
    found = traces.google2019_tasks(tmp_path / "events.parquet")
    assert same(found, traces.google2019_tasks(tmp_path / "trace.csv"))
    (tmp_path / "events.parquet").write_bytes(b"PAR1 and no more")
    refuses("events.parquet", traces.google2019_tasks, tmp_path / "events.parquet")


def test_google2019_collections_give_jobs_their_own_columns(tmp_path, written):
    own = ["time,type,collection_id,scheduling_class,priority,user", "500000000,0,5,2,200,u"]
    jobs = written(own, "jobs.csv")
    work = traces.google2019_tasks(written(GOOGLE), jobs)
    assert work.jobs.values.tolist() == [[5, 500, 2, 200, "u"]]
    written([own[0], own[1].replace(",5,", ",6,")], "jobs.csv")
    refuses("no task finishes", traces.google2019_tasks, tmp_path / "trace.csv", jobs)


# --- Azure 2020 ---

VMS = as_frame("""
    vmId  tenantId  vmTypeId  priority  starttime  endtime
       1         9         1         0        0.5      1.5
       2         9         1         1         -1     0.25
       3         8         2         0          1        -
       4         8         3         0          2        3
""")
KINDS = as_frame("""
    id  vmTypeId  machineId  core  memory
     1         1         16   0.5    0.25
     2         2         16     1       1
     3         1         17   0.1     0.1
     4         3         17   0.1     0.1
""")


def azure(tmp_path, vms=VMS):
    path = tmp_path / "packing.sqlite"
    with sqlite3.connect(path) as base:
        vms.to_sql("vm", base)
        KINDS.to_sql("vmType", base)
    base.close()
    return path


def test_azure_goes_by_the_machine_that_runs_most(tmp_path):
    work = traces.azure_packing2020(azure(tmp_path))
    holds(
        work,
        """
        job  submit  duration  cpu   mem
          2       0     21600  0.5  0.25
          1   43200     86400  0.5  0.25
          3   86400   7689600    1     1
        """,
    )
    assert sorted(work.report.values())[:3] == [1, 1, 1]
    assert len(traces.azure_packing2020(tmp_path / "packing.sqlite", machine=17)) == 3


@pytest.mark.parametrize(("vm", "message"), CASES["traces_formats"]["azure_refuses_wrong_rows"])
def test_azure_refuses_wrong_rows(vm, message, tmp_path):
    rows = pd.concat([VMS, pd.DataFrame([vm], columns=VMS.columns)])
    refuses(message, traces.azure_packing2020, azure(tmp_path, rows))


def test_azure_refuses_files_that_are_not_such_a_database(tmp_path, written):
    for path in (written(["no database"] * 99), written([]), tmp_path / "none"):
        refuses(path.name, traces.azure_packing2020, path)
    refuses(
        "machine: 3 is unknown; choose from 16, 17",
        traces.azure_packing2020,
        azure(tmp_path),
        machine=3,
    )


# --- SWIM ---


def test_swim_gives_no_tasks_and_paths_may_follow(written):
    w = traces.read_swim(written(SWIM))
    assert list(w.jobs) == ["job", "submit", "class", "map_input", "shuffle", "reduce_output"]
    assert len(w.tasks) == 0
    with_paths = [f"{row}\t/in/{i}\t/out\t7" for i, row in enumerate(SWIM)]
    assert same(traces.read_swim(written(with_paths)), w)


# --- any table ---


def test_any_table_is_read_from_a_file_a_frame_and_parquet(tmp_path, written):
    work = table(written(TABLE))
    holds(
        work,
        """
        job  submit  class  user  duration  cpu
         18       1      0  a          1.5    1
         17       3      0  b          0.5    2
        """,
    )
    assert work.report == {"rows out of order (sorted)": 1}
    frame = pd.read_csv(tmp_path / "trace.csv")
    frame.to_parquet(tmp_path / "t.parquet")
    assert same(table(frame), work) and same(table(tmp_path / "t.parquet"), work)
    bare = written(TABLE[1:], "bare.csv")
    names = TABLE[0].split(",")
    assert same(traces.read_csv(bare, COLUMNS, scale={"duration": 0.001}, names=names), work)


def test_rows_of_one_job_belong_together_and_counts_repeat_tasks():
    rows = pd.DataFrame({"id": ["a", "b", "a"], "s": [3, 2, 1], "e": [3, 9, 4], "n": [1, 0, 2]})
    columns = {"job": "id", "submit": "s", "start": "s", "end": "e", "tasks": "n"}
    work = traces.read_csv(rows, columns)
    assert work.jobs["job"].tolist() == ["a", "b"] and work.jobs["submit"].tolist() == [1, 2]
    assert work.tasks.values.tolist() == [["a", 3], ["a", 3], ["a", 0]]


def test_dates_among_the_jobs_own_columns_stay_dates():
    rows = FRAME.assign(due=pd.to_datetime(["2024-05-01", "2024-05-02"]))
    work = traces.read_csv(rows, PLAIN | {"due": "due"})
    assert work.jobs["due"].tolist() == rows["due"].tolist()


@pytest.mark.parametrize(
    ("texts", "expected"), CASES["traces_formats"]["names_that_look_like_numbers"]
)
def test_names_that_look_like_numbers_stay_apart(texts, expected, written):
    rows = ["t,d,u", *(f"{i},1,{text}" for i, text in enumerate(texts))]
    frame = pd.DataFrame({"t": range(len(texts)), "d": 1, "u": texts})
    for name in ["user"] if "" in texts else ["user", "job"]:
        columns = {"submit": "t", "duration": "d", name: "u"}
        read = traces.read_csv(written(rows), columns).jobs[name]
        assert read.astype(object).where(read.notna(), "").tolist() == expected
        assert traces.read_csv(frame, columns).jobs[name].tolist() == texts


@pytest.mark.parametrize("count", [10, 200_000])
def test_a_quoted_line_end_is_read_at_any_size(count, written):
    path = written(["t,d,c,u", *(f'{i},5,1,"a\nb"' for i in range(count))])
    columns = {"submit": "t", "duration": "d", "cpu": "c", "user": "u"}
    assert (traces.read_csv(path, columns).jobs["user"] == "a\nb").sum() == count


@pytest.mark.parametrize("in_a_file", [True, False])
@pytest.mark.parametrize(
    ("header", "row", "message"),
    [
        ("s,d", "2024-11-15 16:57:50,5", "s holds dates, which have no unit"),
        ("s,d,d", "1,2,3", "column d is there twice"),
    ],
)
def test_dates_as_text_and_a_name_twice_are_refused(header, row, message, in_a_file, written):
    frame = pd.DataFrame([row.split(",")], columns=header.split(","))
    table = written([header, row]) if in_a_file else frame
    refuses(message, traces.read_csv, table, PLAIN)


FRAME = pd.DataFrame({"s": [1.0, 2.0], "d": [1.0, 2.0]})
PLAIN = {"submit": "s", "duration": "d"}


@pytest.mark.parametrize(
    ("columns", "named", "options", "message"), CASES["traces_formats"]["wrong_tables_are_refused"]
)
def test_wrong_tables_are_refused(columns, named, options, message):
    rows = pd.DataFrame({"s": [1, 2], "d": [1, 2]} | columns)
    refuses(message, traces.read_csv, rows, named, **options)


def test_a_file_without_the_named_columns_is_refused(written):
    refuses(
        "trace.csv: no column when, .* among 3, 500, b, 2, 17; .* a header that names it",
        table,
        written(TABLE[1:]),
    )


# --- the workload ---


def test_classes_of_jobs_go_into_the_workload():
    work = Workload.from_arrays([0, 1], [1, 2, 3], tasks=[1, 2], cpu=[1, 1, 2])
    assert work.with_classes(np.array([1, 0])).jobs["class"].tolist() == [1, 0]
    assert work.jobs["class"].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("tasks", "classes", "message"),
    [
        ([1, 2], [0], "classes: 1 entries for 2 jobs and 3 tasks"),
        ([0, 2], [0, 1], "classes: 2 entries for 2 jobs and 2 tasks"),
    ],
)
def test_wrong_classes_are_refused(tasks, classes, message):
    work = Workload.from_arrays([0, 1], [1] * sum(tasks), tasks=tasks)
    refuses(message, work.with_classes, classes)
