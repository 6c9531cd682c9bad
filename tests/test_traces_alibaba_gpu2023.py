"""Alibaba's GPU cluster of 2023: rows as published, with every defect."""

import pytest

from cases import CASES
from frames import are_rows
from refusals import refuses
from schedlib.traces import alibaba_gpu2023, alibaba_gpu2023_folder
from schedlib.traces.alibaba_gpu2023 import NODE_COLUMNS, NODES, TASK_COLUMNS, TASKS

NODE_ROWS = ["openb-node-0000,32000,262144,0,", "openb-node-0227,128000,786432,8,G3"]
TASK_ROWS = [
    "openb-pod-0000,12000,16384,1,1000,,LS,Running,0,900,0",
    "openb-pod-0001,6000,12288,1,460,V100M16|V100M32,LS,Failed,50,90,55",
    "openb-pod-0002,64000,262144,8,1000,,BE,Pending,60,700,",
    "openb-pod-0003,1000,0,0,0,,BE,Succeeded,70,900,70",
]


def published(folder, tasks=TASK_ROWS):
    (folder / NODES).write_text("\n".join([",".join(NODE_COLUMNS), *NODE_ROWS]) + "\n")
    (folder / TASKS).write_text("\n".join([",".join(TASK_COLUMNS), *tasks]) + "\n")
    return folder


def test_nodes_and_the_tasks_that_ran(tmp_path):
    nodes, w = alibaba_gpu2023(published(tmp_path))
    assert nodes.values.tolist() == [
        ["openb-node-0000", 32.0, 256.0, 0, ""],
        ["openb-node-0227", 128.0, 768.0, 8, "G3"],
    ]
    are_rows(
        w.jobs.merge(w.tasks),
        """
                   job  submit  scheduled  duration  cpu  mem   gpu
        openb-pod-0000       0          0       900   12   16  1
        openb-pod-0001      50         55        35    6   12  0.46
        openb-pod-0003      70         70       830    1    0  0
        """,
    )
    assert w.resources == ("cpu", "mem", "gpu")
    assert w.jobs["gpu_spec"].tolist() == ["", "V100M16|V100M32", ""]
    assert w.report == {
        "tasks never scheduled (left out)": 1,
        "tasks submitted before the trace (kept)": 3,
        "tasks that ran until the trace's end (kept)": 2,
    }


def test_tasks_out_of_order_are_sorted_and_counted(tmp_path):
    _, w = alibaba_gpu2023(published(tmp_path, tasks=[TASK_ROWS[1], TASK_ROWS[0]]))
    assert w.jobs["submit"].tolist() == [0.0, 50.0] and w.report["rows out of order (sorted)"] == 1


@pytest.mark.parametrize(
    ("row", "message"), CASES["traces_alibaba_gpu2023"]["bad_rows_are_refused"]
)
def test_bad_rows_are_refused(tmp_path, row, message):
    refuses(
        f"openb_pod_list_default.csv: {message}",
        alibaba_gpu2023,
        published(tmp_path, tasks=[TASK_ROWS[0], row]),
    )


def test_columns_are_read_by_the_header_and_files_by_name(tmp_path):
    _, expected = alibaba_gpu2023(published(tmp_path))
    turned = [",".join(row.split(",")[::-1]) for row in [",".join(TASK_COLUMNS), *TASK_ROWS]]
    (tmp_path / "other.csv").write_text("\n".join(turned))
    assert alibaba_gpu2023(tmp_path, tasks="other.csv")[1].tasks.equals(expected.tasks)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        (TASKS, "\n".join(TASK_ROWS), "no column name, .* a header that names it"),
        (TASKS, "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n", "no times and cannot be replayed"),
        (NODES, "", "openb_node_list_all_node.csv"),
    ],
)
def test_files_without_a_header_times_or_rows_are_refused(tmp_path, file, text, message):
    (published(tmp_path) / file).write_text(text)
    refuses(message, alibaba_gpu2023, tmp_path)


def test_a_missing_folder_is_refused(tmp_path):
    refuses("the file does not exist", alibaba_gpu2023, tmp_path / "elsewhere")


def test_the_published_trace_has_the_documented_totals():
    if (folder := alibaba_gpu2023_folder()) is None:
        pytest.skip(
            "Alibaba's GPU trace is not here: `make data ARGS=alibaba-gpu2023` fetches it, or set SCHEDLIB_ALIBABA_GPU2023 to its folder"
        )
    nodes, w = alibaba_gpu2023(folder)
    assert len(nodes) == 1523 and nodes["gpu"].sum() == 6212 and nodes["cpu"].sum() == 125514
    assert len(w) == 7255 and w.report["tasks never scheduled (left out)"] == 897
