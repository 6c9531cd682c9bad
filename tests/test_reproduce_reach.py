"""The code that a function reaches: each edit below changes the hash, or does not, for a stated reason."""

import importlib
import sys

import pytest

from cases import CASES
from reproduce import reach

FILES, EDITS = CASES["reproduce_reach"]["files"], CASES["reproduce_reach"]["edits"]
"""A small package; of each edit the file, old and new words, and whether the hash stays."""


def write(folder, files):
    """Write modules by name."""
    for name, text in files.items():
        file = folder / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def forget():
    """Read every file again the next time, as a new process does."""
    for cached in (reach.home, reach.parsed, reach.uses, reach.of):
        cached.cache_clear()


@pytest.fixture
def toys(tmp_path, monkeypatch):
    """A small package in which one exhibit's `run` reaches some of the code."""
    write(tmp_path / "toys", FILES)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("toys")
    forget()
    yield tmp_path / "toys"
    for name in [name for name in sys.modules if name.partition(".")[0] == "toys"]:
        del sys.modules[name]
    forget()


def digest():
    forget()
    return reach.of("toys.exhibit", "run")[0]


@pytest.mark.parametrize("file, old, new, same", EDITS.values(), ids=EDITS)
def test_the_hash_follows_what_run_reaches_and_nothing_else(toys, file, old, new, same):
    before = digest()
    path = toys / f"{file}.py"
    text = path.read_text()
    assert text.count(old) >= 1
    path.write_text(text.replace(old, new))
    assert (digest() == before) is same


@pytest.mark.parametrize(
    "files, edited",
    CASES["reproduce_reach"]["whole"].values(),
    ids=CASES["reproduce_reach"]["whole"],
)
def test_what_may_be_used_counts_whole(toys, files, edited):
    write(toys, files)
    before = digest()
    write(toys, edited)
    assert digest() != before


def test_packages_are_those_that_run_reaches(toys):
    (toys / "helper.py").write_text(
        "import numpy as np\nimport pandas\ndef double(x):\n    return np.float64(x)\n"
    )
    forget()
    assert reach.of("toys.exhibit", "run")[1] == {"numpy"}
    text = "from importlib.metadata import distribution\ndef read_one():\n    return distribution('spar')\n"
    (toys / "readers/one.py").write_text(text)
    forget()
    assert reach.of("toys.exhibit", "run")[1] == {"importlib", "numpy", "spar"}


@pytest.mark.parametrize("module", ["mates", "mates.rules"])
def test_modules_beside_it_count_like_its_own(toys, module):
    mates = toys.parent / f"{module.replace('.', '/')}.py"
    mates.parent.mkdir(exist_ok=True)
    mates.write_text("def best(): return 1\ndef other(): return 2\n")
    (toys / "exhibit.py").write_text(
        f"from {module} import best\ndef run(seed):\n    return best()\n"
    )
    before = digest()
    mates.write_text("def best(): return 1\ndef other(): return 3\n")
    assert digest() == before
    mates.write_text("def best(): return 3\ndef other(): return 2\n")
    assert digest() != before
