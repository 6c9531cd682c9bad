"""The README's table of times says what was measured last, and measuring replaces nothing else."""

import json

import pytest

import speed as bench
import times
from schedlib import papers, paths

README = f"# Title\n\nbefore\n\n{times.BEGIN}\nold\n{times.END}\n\nafter\n"


def test_the_readme_has_what_was_measured_last():
    root = paths.checkout()
    readme = (root / "README.md").read_text()
    assert readme == times.renewed(
        readme, json.loads((root / "figures" / "times.json").read_text())
    ), "make times"


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    (tmp_path / "figures").mkdir()
    (tmp_path / "README.md").write_text(README)
    monkeypatch.setattr(paths, "checkout", lambda: tmp_path)
    return tmp_path


def test_only_what_was_asked_for_is_measured_and_the_rest_is_kept(checkout, monkeypatch):
    monkeypatch.setattr(times, "venv", lambda root: 41.0)
    monkeypatch.setattr(times, "figures", lambda root: 240.0)
    times.measure(["venv", "figures"])
    monkeypatch.setattr(times, "venv", lambda root: 30.0)
    readme = times.measure(["venv"]).read_text()
    assert (
        readme.startswith("# Title\n\nbefore\n\n")
        and readme.endswith("\n\nafter\n")
        and "old" not in readme
    )
    assert (
        "| building `.venv`, once | 30 s |" in readme
        and "| `make figures`, from nothing | 4 min |" in readme
    )
    assert (
        times.renewed(readme, json.loads((checkout / "figures" / "times.json").read_text()))
        == readme
    )


def test_bad_parts_and_a_readme_without_its_marks_are_refused(checkout):
    with pytest.raises(ValueError, match="step: 'lunch' is unknown; choose from start, venv"):
        times.measure(["lunch"])
    with pytest.raises(ValueError, match="belongs between"):
        times.renewed("# Title", {"cores": 2})
    with pytest.raises(RuntimeError, match="no such paper"):
        times.seconds_of(["python3", "-c", "raise SystemExit('no such paper')"], checkout)


def test_a_fresh_process_is_asked_for_a_result_of_every_paper(monkeypatch):
    assert set(bench.first_results()) == {"import schedlib", *papers.KEYS}
    monkeypatch.setattr(
        bench,
        "first_results",
        lambda: {"import schedlib": "print(1)", "mch": "print(2)", "hmhs": "print(3)"},
    )
    assert [row["name"] for row in bench.cold_starts(["mch"], repeats=1)] == [
        "import schedlib",
        "mch, first result",
    ]
    with pytest.raises(RuntimeError, match="printed nothing"):
        bench.soonest("pass", repeats=1)
