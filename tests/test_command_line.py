"""The command line teaches: help with examples, errors in one line that say what to type, exit codes that scripts can use."""

import sys

import pandas as pd
import pytest

import toy_experiments as toy
from cases import CASES
from fresh import python
from reproduce import __main__ as evidence
from reproduce import notebooks, points, registry
from schedlib import __main__ as library
from schedlib import former

main = evidence.commands.main
PROGRAMS = {"python -m reproduce": evidence.commands, "python -m schedlib": library.commands}
EVERY = [(program, name) for program, commands in PROGRAMS.items() for name in commands.known]


pytestmark = pytest.mark.usefixtures("toys")


@pytest.mark.parametrize("program", PROGRAMS)
def test_alone_it_gives_an_overview(program, capsys):
    commands = PROGRAMS[program]
    assert commands.main([]) == 0
    said = capsys.readouterr().out
    assert all(f"{program} {command}" in said for command in commands.known)


def test_data_lists_the_traces(capsys):
    assert library.main(["data"]) == 0
    assert "python -m schedlib data NAME" in capsys.readouterr().out


@pytest.mark.parametrize("program, command", EVERY)
def test_every_command_explains_itself_with_an_example_that_can_be_parsed(program, command, capsys):
    commands = PROGRAMS[program]
    assert commands.main([command, "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"usage: {program} {command}" in said
    assert f"Example: {program} {command}" in said
    words = [command, *commands.known[command].example.split()]
    assert commands.parser().parse_args(words).command == command


@pytest.mark.parametrize("words, message", CASES["command_line"]["wrong_use"].items())
def test_wrong_use_is_one_line_and_exit_code_2(words, message, capsys):
    program, _, arguments = words.partition(": ")
    assert PROGRAMS[program].main(arguments.split()) == 2
    said = capsys.readouterr()
    assert message in said.err and said.err.count("\n") == 1 and said.out == ""
    assert "Traceback" not in said.err


SWEEP = """
import pandas as pd
from schedlib import Experiment
from schedlib.sweeps import grid, scales

def run(jobs, seed):
    return pd.DataFrame({"time": [jobs + seed]})

SWEEP = Experiment("mine", "Mine", run, scales(grid(jobs=[1, 2])), scales(2))
"""


def test_a_readers_own_experiment_runs_from_its_file(tmp_path, capsys):
    (tmp_path / "readers_sweep.py").write_text(SWEEP)
    place = f"{tmp_path / 'readers_sweep.py'}:SWEEP"
    assert library.main(["run", place, "--scale", "smoke", "--workers", "1"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [" ".join(line.split()) for line in printed] == [
        "jobs seed time",
        "1 0 1",
        "1 1 2",
        "2 0 2",
        "2 1 3",
    ]
    assert library.main(["run", place.replace(":SWEEP", ":run")]) == 2
    assert "'run' in" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["list"], ["run", "hmhs.toy", "--scale", "smoke"]], ids=" ".join)
def test_commands_that_have_moved_still_work_and_say_where_they_are(words, capsys):
    assert library.main(words) == 0
    said = capsys.readouterr()
    assert f"python -m schedlib {words[0]} is python -m reproduce {words[0]} now" in said.err
    assert said.out


@pytest.mark.parametrize("words", [["list"], ["run", "hmhs.fig1"]], ids=" ".join)
def test_installed_without_the_checkout_it_says_where_the_evidence_is(words, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "reproduce.__main__", None)  # as where it cannot be found
    assert library.main(words) == 2
    assert "it is in the checkout: clone it and run there" in capsys.readouterr().err


@pytest.mark.parametrize("old", former.MOVED)
def test_old_names_give_the_new_modules_with_a_warning(old):
    code = f"import warnings; warnings.simplefilter('error'); import {old}"
    done = python("-c", code, fails=True)
    new = former.MOVED[old]
    assert "FutureWarning: schedlib." in done.stderr and " now; the old name goes" in done.stderr
    code = f"import {old}, {new} as new; assert {old}.__getattr__('__doc__') == new.__doc__"
    python("-W", "ignore", "-c", code)


def test_an_old_name_within_a_package_is_found():
    code = """
from schedlib.leaderboard import literature
from schedlib.boards import literature as same
from schedlib.teaching import exercises
import schedlib
assert literature.easy is same.easy and schedlib.leaderboard.plot and exercises.check
"""
    python("-W", "ignore", "-c", code)


def test_without_the_checkout_old_names_of_what_is_in_the_package_work():
    code = """
import sys
sys.modules["book"] = sys.modules["reproduce"] = None  # as where they are not installed
import schedlib.pictures.style
from schedlib.pictures import alt, gantt, trees
import schedlib.plots.bars
assert gantt.__getattr__("__doc__") == schedlib.plots.bars.__doc__
for name in ("schedlib.pictures.bins", "schedlib.teaching", "schedlib.reproduce"):
    try:
        __import__(name)
    except ImportError as error:
        assert name in str(error) and "is in the checkout, not in the package" in str(error)
    else:
        raise AssertionError(name)
try:
    schedlib.pictures.bins
except AttributeError as error:
    assert "is in the checkout, not in the package" in str(error)
else:
    raise AssertionError("bins")
"""
    python("-W", "ignore", "-c", code)


def test_list_shows_what_there_is(capsys):
    assert main(["list", "hmhs.toy"]) == 0
    (_, row) = capsys.readouterr().out.splitlines()
    assert " ".join(row.split()) == "hmhs.toy hmhs.toy Time against jobs figure 3 3 -"


def test_run_prints_or_writes_the_frame(capsys, tmp_path):
    file = tmp_path / "toy.csv"
    assert main(["run", "hmhs.toy", "--workers", "1", "--seeds", "2", "--csv", str(file)]) == 0
    assert capsys.readouterr().out == f"12 rows in {file}\n"
    assert len(pd.read_csv(file)) == 12
    assert main(["run", "hmhs.toy", "--scale", "smoke"]) == 0
    head, *_ = capsys.readouterr().out.splitlines()
    assert head.split() == ["jobs", "seed", "policy", "time", "ran"]


def test_claims_prints_verdicts_and_says_where_they_are(capsys, tmp_path):
    assert main(["claims", "--out", str(tmp_path / "out"), "--workers", "1"]) == 0
    said = capsys.readouterr().out
    assert "By the text: holds 1, not testable 1." in said and "CLAIMS.md" in said
    assert (tmp_path / "out/claims.csv").exists()


def test_failing_points_and_notebooks_give_exit_code_1(capsys, tmp_path, monkeypatch):
    broken = toy.experiment(toy.fragile, tmp_path)
    monkeypatch.setattr(registry, "load", lambda: registry.Registry.of([broken]))
    assert main(["run", broken.id, "--workers", "1"]) == 1
    assert "the finished ones are kept" in capsys.readouterr().err

    def stop(*_):
        raise notebooks.NotebookError("notebook x stopped")

    monkeypatch.setattr(notebooks, "notebooks", stop)
    assert main(["notebooks"]) == 1
    assert capsys.readouterr().err == "python -m reproduce notebooks: notebook x stopped\n"


def test_interruption_says_how_to_go_on(monkeypatch, capsys):
    def interrupt(*_, **__):
        raise KeyboardInterrupt("20 of 90 points stored")

    monkeypatch.setattr(points, "finished", interrupt)
    assert main(["run", "hmhs.toy"]) == 130
    assert capsys.readouterr().err == "\ninterrupted: 20 of 90 points stored\n"


def test_help_loads_nothing_heavy():
    code = """
import runpy, sys
for words in ["run", "--help"], ["nonsense"]:
    sys.argv[1:] = words
    try:
        runpy.run_module("schedlib", run_name="__main__")
    except SystemExit as end:
        heavy = {"numpy", "pandas", "scipy", "numba", "matplotlib", "joblib"} & set(sys.modules)
        print(end.code, "" if words == ["nonsense"] else sorted(heavy))
"""
    done = python("-c", code)
    assert done.stdout.splitlines()[-2:] == ["0 []", "2 "]
    assert "command: 'nonsense' is unknown" in done.stderr
