"""The code that a function reaches: each edit below changes the hash, or does not, for a stated reason."""

import importlib
import sys

import pytest

from reproduce import reach

RUN = """
'''Doc.'''
from toys import helper, tools
from toys.readers import read_one
import toys.deep.er as deeper
LIMIT = 3
CAPTION = "not read by run"
def run(seed):
    from toys.late import used
    helper_table = {}
    return helper.double(tools.count(LIMIT)) + read_one() + deeper.depth() + used
def plot(frame):
    return CAPTION
"""
FILES = {
    "__init__": "",
    "exhibit": RUN,
    "helper": "FACTOR = 2\ndef double(x):\n    return FACTOR * x\ndef half(x):\n    return x / 2\n",
    "tools": "class Count:\n    step = 1\ndef count(x, kind=Count):\n    return kind.step + x\n",
    "readers/__init__": "from toys.readers.one import read_one\nfrom toys.readers.two import read_two\n",
    "readers/one": "def read_one():\n    return [x for x in range(LENGTH)][0]\nLENGTH = 4\n",
    "readers/two": "def read_two():\n    return 2\n",
    "deep/__init__": "",
    "deep/er": "from toys.deep import est\ndef depth(): return est.DEPTH\n",
    "deep/est": "DEPTH = 1\nOTHER = 2\nNAMES = []\nNAMES.append('x')\n",
    "late": "used = 1\nunused = 2\n",
}
SAME, OTHER = True, False


def forget():
    """Read every file again the next time, as a new process does."""
    for cached in (reach.home, reach.parsed, reach.uses, reach.of):
        cached.cache_clear()


EDITS = {
    "a caption": ("exhibit", '"not read by run"', '"other"', SAME),
    "a docstring, layout and a comment": ("exhibit", "def run(seed):", "def run( seed ):  # why\n    'Doc.'", SAME),
    "an annotation": ("exhibit", "def run(seed):", "def run(seed: int) -> float:", SAME),
    "the plot": ("exhibit", "return CAPTION", "return CAPTION + '.'", SAME),
    "a new function beside it": ("exhibit", "def plot", "def new(): return run(1)\ndef plot", SAME),
    "run itself": ("exhibit", "+ used", "- used", OTHER),
    "a constant that run uses": ("exhibit", "LIMIT = 3", "LIMIT = 4", OTHER),
    "a local name like a module's": ("exhibit", "helper_table", "readers", OTHER),
    "a helper's helper": ("helper", "FACTOR = 2", "FACTOR = 3", OTHER),
    "a helper that run does not use": ("helper", "x / 2", "x / 3", SAME),
    "a class in a default value": ("tools", "step = 1", "step = 2", OTHER),
    "another reader": ("readers/two", "return 2", "return 3", SAME),
    "a line in the package of readers": ("readers/__init__", "from toys.readers.two", "from toys.late import unused\nfrom toys.readers.two", SAME),
    "a name bound after its use": ("readers/one", "LENGTH = 4", "LENGTH = 5", OTHER),
    "a module's module": ("deep/est", "DEPTH = 1", "DEPTH = 2", OTHER),
    "a name beside it there": ("deep/est", "OTHER = 2", "OTHER = 3", SAME),
    "what a module does when it is imported": ("deep/est", "append('x')", "append('y')", OTHER),
    "what is imported inside the function": ("late", "used = 1", "used = 9", OTHER),
    "what is not": ("late", "unused = 2", "unused = 9", SAME),
}  # fmt: skip


@pytest.fixture
def toys(tmp_path, monkeypatch):
    """A small package in which one exhibit's `run` reaches some of the code."""
    for name, text in FILES.items():
        file = tmp_path / "toys" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
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


WHOLE = {
    "a module used as a value": (
        {
            "exhibit": "from toys import helper\ndef run(seed):\n    return getattr(helper, 'dou' + 'ble')(1)\n"
        },
        {"helper": FILES["helper"].replace("x / 2", "x / 3")},
    ),
    "a package that imports its own modules": (
        {
            "readers/__init__": "from toys.readers import one\n",
            "exhibit": "from toys import readers\ndef run(seed):\n    return readers.one.read_one()\n",
        },
        {"readers/one": "def read_one():\n    return 'another'\n"},
    ),
    "an import of everything": (
        {"exhibit": "from toys.late import *\ndef run(seed):\n    return used\n"},
        {"late": "used = 2\nunused = 2\n"},
    ),
}


@pytest.mark.parametrize("files, edited", WHOLE.values(), ids=WHOLE)
def test_what_may_be_used_counts_whole(toys, files, edited):
    for name, text in files.items():
        (toys / f"{name}.py").write_text(text)
    before = digest()
    for name, text in edited.items():
        (toys / f"{name}.py").write_text(text)
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


@pytest.mark.parametrize("file", ["mates.py", "mates/__init__.py", "mates/rules.py"])
def test_modules_beside_it_count_like_its_own(toys, file):
    module = "mates.rules" if file == "mates/rules.py" else "mates"
    mates = toys.parent / file
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
