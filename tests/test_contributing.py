"""The recipes of CONTRIBUTING, each followed to the letter on a copy of the tree."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from schedlib import paths

ROOT = paths.checkout()
TEXT = (ROOT / ".github/CONTRIBUTING.md").read_text()
RECIPES = dict(re.findall(r"^## ((?:A|An) .*?)\n(.*?)(?=^## )", TEXT, re.M | re.S))
BLOCK = re.compile(r"^```(python|toml|sh)\n(.*?)^```$", re.M | re.S)


@pytest.fixture
def tree(tmp_path):
    """The library, its pipelines' notebooks and an empty folder of figures."""
    shutil.copytree(
        ROOT / "schedlib", tmp_path / "schedlib", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copytree(ROOT / "notebooks/reproduce", tmp_path / "notebooks/reproduce")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for name in ("figures", "data"):
        (tmp_path / name).mkdir()
    return tmp_path


def follow(tree, words):
    """Run a command in the tree as one types it there; gives what it prints."""
    environment = os.environ | {
        "PYTHONPATH": f"{tree}{os.pathsep}{tree / 'notebooks'}",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "SCHEDLIB_CACHE": str(tree / "data/cache"),
        # small cases, which a fresh tree would compile for longer than it runs
        "NUMBA_DISABLE_JIT": "1",
    }
    done = subprocess.run(words, cwd=tree, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_there_are_four_recipes():
    assert len(RECIPES) == 4


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_works_as_it_stands(tree, name):
    printed = ""
    for kind, block in BLOCK.findall(RECIPES[name]):
        if kind == "sh":
            printed += follow(tree, ["bash", "-euc", block])
            continue
        head, _, text = block.partition("\n")
        what, _, file = head.removeprefix("# ").partition(": ")
        place = tree / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text((place.read_text() if what == "add to" else "") + text)
    assert printed
    if name == "A sixth paper":
        assert (
            (tree / "trial/random/fig1.csv").read_text().startswith("seed,policy,heads\n0,random,")
        )
