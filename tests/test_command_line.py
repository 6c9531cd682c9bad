"""The command line teaches: help with examples, errors in one line that say what to type, exit codes that scripts can use."""

import subprocess
import sys

import pandas as pd
import pytest

import toy_experiments as toy
from schedlib import __main__ as command_line
from schedlib import paths, reproduce
from schedlib.reproduce import notebooks, registry

main = command_line.main
LOAD = registry.load.__wrapped__  # as in a process that has not loaded any


pytestmark = pytest.mark.usefixtures("toys")


def test_alone_it_gives_an_overview(capsys):
    assert main([]) == 0
    said = capsys.readouterr().out
    assert all(f"python -m schedlib {command}" in said for command in command_line.COMMANDS)
    assert main(["data"]) == 0 and "python -m schedlib data NAME" in capsys.readouterr().out


@pytest.mark.parametrize("command", command_line.COMMANDS)
def test_every_command_explains_itself_with_an_example_that_can_be_parsed(command, capsys):
    assert main([command, "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"usage: python -m schedlib {command}" in said
    assert f"Example: python -m schedlib {command}" in said
    words = [command, *command_line.COMMANDS[command].example.split()]
    assert command_line.parser().parse_args(words).command == command


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["lst"], "did you mean 'list'"),
        (["zzz"], "choose from list, stale, run,"),
        (["run"], "the following arguments are required: ID; see: python -m schedlib run --help"),
        (["run", "hmhs.toyy"], "did you mean 'hmhs.toy' or 'hmhs.toy-bad'"),
        (["run", "hmhs.toy", "--scale", "big"], "choose from smoke, quick, paper"),
        (["stale", "--scale", "big"], "choose from smoke, quick, paper"),
        (["run", "hmhs.toy", "--seeds", "many"], "invalid int value: 'many'"),
        (["run", "hmhs.toy", "--seeds", "0"], "seeds: must be a whole number from 1"),
        (["figures", "--only", "lotes"], "paper 'lotes' lists nothing here yet; there is: hmhs"),
        (
            ["claims", "--only", "hmhs.nothing"],
            "paper, figure, experiment or claim: 'hmhs.nothing' is unknown",
        ),
        (["notebooks", "no-such-chapter"], "notebook: 'no-such-chapter' is unknown"),
        (["data", "gogle2011"], "did you mean 'google2011'"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(arguments, message, capsys):
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert message in said.err and said.err.count("\n") == 1 and said.out == ""
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    "words", [["list"], ["stale"], ["claims"], ["figures"], ["run", "hmhs.fig1"]], ids=" ".join
)
def test_installed_without_the_checkout_it_says_where_the_experiments_are(
    words, monkeypatch, capsys
):
    monkeypatch.setattr(registry, "load", LOAD)
    monkeypatch.setattr(paths, "checkout", lambda: None)
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said == f"python -m schedlib {words[0]}: {registry.NO_EXHIBITS}\n"


def test_list_shows_what_there_is(capsys):
    assert main(["list", "hmhs.toy"]) == 0
    assert (
        capsys.readouterr().out.splitlines()[1]
        == "hmhs.toy  hmhs.toy    Time against jobs  figure  3       3      -"
    )


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
    assert "2 sentences: 1 holds, 1 not testable here." in said and "CLAIMS.md" in said
    assert (tmp_path / "out" / "claims.csv").exists()


def test_failing_points_and_notebooks_give_exit_code_1(capsys, tmp_path, monkeypatch):
    broken = toy.experiment(toy.fragile, tmp_path)
    monkeypatch.setattr(registry, "load", lambda: registry.Registry.of([broken]))
    assert main(["run", broken.id, "--workers", "1"]) == 1
    assert "the finished ones are kept" in capsys.readouterr().err

    def stop(*_):
        raise notebooks.NotebookError("notebook x stopped")

    monkeypatch.setattr(notebooks, "notebooks", stop)
    assert main(["notebooks"]) == 1
    assert capsys.readouterr().err == "python -m schedlib notebooks: notebook x stopped\n"


def test_interruption_says_how_to_go_on(monkeypatch, capsys):
    def interrupt(*_, **__):
        raise KeyboardInterrupt("20 of 90 points stored")

    monkeypatch.setattr(reproduce, "run", interrupt)
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
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-2:] == ["0 []", "2 "]
    assert "command: 'nonsense' is unknown" in done.stderr
