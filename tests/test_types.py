"""A reader's script passes the strict type checkers."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from schedlib import paths

USER = Path(__file__).with_name("typed_user.py")
CHECKERS = {
    "mypy": [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports"],
    "pyright": ["pyright", "--pythonpath", sys.executable],
}


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_readers_script_has_types(checker, tmp_path):
    command = list(CHECKERS[checker])
    if not shutil.which(command[0]):
        pytest.skip(f"{checker} is not installed")
    if checker == "mypy":
        command += ["--cache-dir", str(paths.cache_folder("mypy"))]
    shutil.copy(USER, tmp_path)
    done = subprocess.run([*command, USER.name], cwd=tmp_path, stdout=-1, text=True, check=False)
    wrong = [line for line in done.stdout.splitlines() if USER.name in line and "error" in line]
    assert done.stdout and wrong == []
