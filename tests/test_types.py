"""A reader's script passes the strict type checker."""

import shutil
from pathlib import Path

from fresh import python
from schedlib import paths

USER = Path(__file__).with_name("typed_user.py")


def test_a_readers_script_has_types(tmp_path):
    shutil.copy(USER, tmp_path)
    cache = str(paths.cache_folder("mypy"))
    strict = ["--strict", "--ignore-missing-imports", "--cache-dir", cache]
    done = python("-m", "mypy", *strict, USER.name, cwd=tmp_path, fails=True)
    wrong = [line for line in done.stdout.splitlines() if USER.name in line and "error" in line]
    assert done.stdout and wrong == []
