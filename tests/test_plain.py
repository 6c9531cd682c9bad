"""The plain files stay what a student can read: short, with few imports; their results are the library's objects."""

import ast
from pathlib import Path

import numpy as np
import pytest

import house
import schedlib
from schedlib import eagle, hmhs, lotes, mch, papers
from schedlib.leaderboard.invariants import over_capacity, two_at_once
from schedlib.pictures import bins, gantt
from schedlib.workload import Workload

PACKAGE = Path(schedlib.__file__).parent
FILES = sorted(PACKAGE.glob("*/plain*.py"))
LONGEST_FILE, LONGEST_FUNCTION = 300, 40
LIBRARIES = {
    "collections",
    "dataclasses",
    "heapq",
    "itertools",
    "math",
    "typing",
    "numpy",
    "pandas",
    "pulp",
}


def module_of(file):
    return f"schedlib.{file.parent.name}.{file.stem}"


def lines_of(function):
    """How many lines a function has, its docstring not counted."""
    lines = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function) is None:
        return lines
    docstring = function.body[0]
    return lines - (docstring.end_lineno - docstring.lineno + 1)


def test_each_paper_has_its_plain_file():
    assert {file.parent.name for file in FILES if file.stem == "plain"} >= {
        key for key in papers.KEYS if (PACKAGE / key).is_dir()
    }


@pytest.mark.parametrize("file", FILES, ids=module_of)
def test_a_file_is_at_most_300_lines_and_a_function_40(file):
    text = file.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST_FILE
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    assert [node.name for node in functions if lines_of(node) > LONGEST_FUNCTION] == []


@pytest.mark.parametrize("file", FILES, ids=module_of)
def test_a_file_imports_its_papers_nouns_and_little_else(file):
    imported = house.imports(module_of(file))
    own = {name for name in imported if name.startswith(f"schedlib.{file.parent.name}.")}
    others = {name for name in imported if name.startswith("schedlib.")} - own
    assert others <= {"schedlib.core", "schedlib.core.streams", "schedlib.workload"}
    assert {name.partition(".")[0] for name in imported} - {"schedlib"} <= LIBRARIES
    assert "njit" not in file.read_text(encoding="utf-8")


# ---- what pictures and referees take from the library, they take from plain


def test_hmhs_schedules_are_drawn_and_run_one_task_a_machine():
    instance = hmhs.single(8, seed=1, machines=(4, 4))
    for policy in ("hmhs", "r-hmhs", "fifo", "fifo-pri"):
        done = hmhs.plain.schedule(instance, policy)
        for stage in (done.map, done.reduce):
            assert two_at_once(4, stage.machine, stage.start, stage.finish) is None
        drawn, library = (gantt.plot_gantt(run) for run in (done, hmhs.schedule(instance, policy)))
        assert drawn.alt == library.alt


def test_lotes_runs_are_drawn_and_fit_their_machines():
    configs = lotes.MachineConfigs([[5.0]], [2])
    classes = lotes.JobClasses([0.5, 0.5], [[3.0], [2.0]], [[1.0, 1.0]])
    which = [0, 1, 1, 0, 1, 0]
    cores = np.array([3.0, 2, 2, 3, 2, 3])
    times = [0, 1, 2, 3, 5, 6], [4.0, 8, 2, 7, 4, 4]
    jobs = Workload.from_arrays(*times, job_class=which, cores=cores)
    for policy in ("lotes", "greedy", "tetris"):
        given = (
            {"plan": lotes.plan(configs, classes)} if policy == "lotes" else {"classes": classes}
        )
        run = lotes.plain.simulate(policy, configs, jobs, **given)
        ran = (run.jobs[name].to_numpy() for name in ("machine", "start", "finish"))
        assert over_capacity(*ran, cores[:, None], np.full((2, 1), 5.0)) is None
        library = lotes.simulate(policy, configs, jobs, **given)
        drawn = [bins.plot_timetable(each, configs, jobs) for each in (run, library)]
        assert drawn[0].alt == drawn[1].alt


def test_mch_fillings_fit_the_cluster():
    tree = mch.Tree([[(1, 0), (0, 1)], [(1, 2), (3, 1)]])
    for rule in ("drf", "weighted-drf", "mch", "h-drf", "naive-h-drf"):
        filled = mch.plain.allocate(tree, (20, 20), rule)
        assert (filled.usage.sum(axis=0) <= 20).all() and filled.saturated.any()


def test_eagle_runs_have_one_task_a_worker():
    jobs = eagle.google(40, seed=0, scale=1 / 300)
    for system in ("eagle", "hawk", "sparrow", "dlwl", "omniscient"):
        given = {"short_partition": 0.2, "cutoff": 1129.5, "record": True}
        tasks = eagle.plain.simulate(jobs, system, 20, **given).tasks
        ran = (tasks[name].to_numpy() for name in ("worker", "start", "finish"))
        assert two_at_once(20, *ran) is None
