"""What an installation brings and says of itself; `.ci/installed.py` tries one."""

import os
import re
import tomllib
from pathlib import Path

import pytest
import yaml

import schedlib
from fresh import python
from refusals import refuses
from schedlib import paths

ROOT = paths.checkout()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_versions_agree():
    cited = yaml.safe_load((ROOT / ".github/CITATION.cff").read_text())
    assert cited["version"] == schedlib.__version__
    assert cited["repository-code"] == PROJECT["urls"]["Repository"]
    (newest, *_) = re.findall(r"^## (.+)$", (ROOT / ".github/CHANGELOG.md").read_text(), re.M)
    assert newest in ("Unreleased", f"{schedlib.__version__} ({cited['date-released']})")
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    pythons = workflow["jobs"]["library"]["strategy"]["matrix"]["python"]
    assert pythons == re.findall(r":: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.M)


def test_an_error_names_the_command_for_a_missing_extra():
    code = "import sys; sys.modules['ipywidgets'] = None; import book.explorers"
    done = python("-c", code, fails=True)
    assert "pip install 'schedlib[book]'" in done.stderr.splitlines()[-1]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX")
@pytest.mark.parametrize(
    "put", [os.mkfifo, lambda path: path.symlink_to(path.parent / "other"), Path.mkdir]
)
def test_only_a_file_is_replaced(tmp_path, put):
    put(tmp_path / "x")
    refuses("path: .*give the name of a file", paths.write_whole, tmp_path / "x", "text")
    assert not (tmp_path / "x").is_file() and not (tmp_path / "other").exists()
