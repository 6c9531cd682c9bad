"""Compiled kernels: kept for the next process, never stale, and working where nothing can be written."""

import json
import os
import runpy
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import numpy as np
import pytest

import schedlib
from fresh import python
from refusals import refuses
from schedlib import paths
from schedlib.core import RuleKind, compiling, heap
from schedlib.core.rules import INTS

PACKAGE = Path(schedlib.__file__).parent
PLACES = ("NUMBA_CACHE_DIR", "SCHEDLIB_CACHE", "XDG_CACHE_HOME", "NUMBA_DISABLE_JIT")
ONE_ARGUMENT = RuleKind({"a": 0}, "number")
jit_only = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="needs the compiler")

USE_THE_QUEUE = """
import json
from schedlib.core import compiling, events
from numba.core import event
queue = events.event_queue(4)
recorder = event.RecordingListener()
with event.install_listener("numba:compile", recorder):
    for time in (2.0, 1.0, 3.0):
        events.add(queue, time, 0)
    first = events.take(queue)[0]
folder = str(compiling.kernel_folder("core"))
print(json.dumps({"first": first, "compiled": len(recorder.buffer) > 0, "folder": folder}))
"""


def run(code, **environment):
    kept = {name: value for name, value in os.environ.items() if name not in PLACES}
    there = kept | {"PYTHONSAFEPATH": "1"} | environment
    return json.loads(python("-c", code, env=there).stdout)


@pytest.fixture
def copy(tmp_path):
    """A folder with a copy of the core alone, as if installed: there is no data/ beside it."""
    shutil.copytree(
        PACKAGE / "core", tmp_path / "schedlib/core", ignore=shutil.ignore_patterns("__pycache__")
    )
    for name in ("__init__.py", "former.py", "paths.py"):
        shutil.copy(PACKAGE / name, tmp_path / "schedlib")
    return tmp_path


@jit_only
def test_kernels_are_loaded_unless_a_helper_changed(copy):
    environment = {"PYTHONPATH": str(copy), "SCHEDLIB_CACHE": str(copy / "cache")}
    first, second = run(USE_THE_QUEUE, **environment), run(USE_THE_QUEUE, **environment)
    assert first == second | {"compiled": True} and not second["compiled"]
    assert first["first"] == 1.0

    # in another file than the kernel, where numba does not look
    helper = copy / "schedlib/core/heap.py"
    text = helper.read_text()
    assert "key < other_key or" in text
    helper.write_text(text.replace("key < other_key or", "key > other_key or"))
    third = run(USE_THE_QUEUE, **environment)
    assert (third["first"], third["compiled"]) == (3.0, True)
    assert third["folder"] != first["folder"]


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A package without data/, no cache folder named in the environment, everything in tmp_path."""
    for name in PLACES[:3]:
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home").mkdir()
    (tmp_path / "site/schedlib").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(paths, "PACKAGE", tmp_path / "site/schedlib")
    return tmp_path


def folder():
    found = compiling.kernel_folder.__wrapped__("core")
    return found and found.parent.parent


def test_places_in_order(places, monkeypatch):
    assert folder() == places / "home/.cache/schedlib"
    monkeypatch.setenv("XDG_CACHE_HOME", str(places / "xdg"))
    assert folder() == places / "xdg/schedlib"
    (places / "site/data").mkdir()
    assert folder() == paths.cache_folder("kernels").parent == places / "site/data/cache"
    monkeypatch.setenv("SCHEDLIB_CACHE", str(places / "asked"))
    assert folder() == paths.cache_folder("results").parent == places / "asked"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(places / "numba"))
    assert folder() == places / "numba"


def test_a_place_that_was_asked_for_and_cannot_be_written_is_not_replaced(places, monkeypatch):
    (places / "file").write_text("")
    monkeypatch.setenv("SCHEDLIB_CACHE", str(places / "file/cache"))
    with pytest.raises(OSError, match="set SCHEDLIB_CACHE to one"):
        paths.cache_folder("results")
    assert folder() is None


def test_a_cache_folder_that_everybody_can_write_is_refused_by_a_link_too(places, monkeypatch):
    monkeypatch.setenv("SCHEDLIB_CACHE", str(places))
    other = paths.cache_folder("other")
    (places / "results").symlink_to(other)
    assert paths.cache_folder("results").resolve() == other
    other.chmod(0o777)
    for name in ("other", "results"):
        with pytest.raises(OSError, match=f"{name} can be written by everybody: chmod o-w"):
            paths.cache_folder(name)


def test_damaged_kernels_of_all_rooms_are_deleted_and_compile_once_more(tmp_path):
    (tmp_path / "hmhs").mkdir()
    damaged = tmp_path / "hmhs/kernel.nbi"
    damaged.write_bytes(b"")
    tries = []

    def compile_all():
        tries.append(damaged.exists())
        if damaged.exists():
            raise EOFError

    compiling.healing(compile_all, tmp_path / "core")
    assert tries == [True, False]


def test_an_error_of_the_source_deletes_no_kernels(tmp_path):
    kept = tmp_path / "kernel.nbi"
    kept.write_bytes(b"")

    def refused():
        raise numba.TypingError("of another type")

    with pytest.raises(numba.TypingError):
        compiling.healing(refused, tmp_path / "core")
    assert kept.exists()


def test_kernels_are_not_kept_on_a_disk_that_is_nearly_full(places, monkeypatch):
    assert folder() is not None
    monkeypatch.setattr(compiling, "LEAST_SPACE", 10**30)
    assert folder() is None


@jit_only
def test_kernels_compile_in_each_process_where_nothing_can_be_written(places, monkeypatch):
    (places / "file").write_text("")
    monkeypatch.setenv("HOME", str(places / "file/home"))
    assert folder() is None
    monkeypatch.setattr(compiling, "kernel_folder", lambda room: None)
    assert compiling.compiled(heap.before.__wrapped__)(1.0, 0, 2.0, 0)


@jit_only
def test_a_readers_rule_sees_a_number_that_changed_elsewhere(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("@rule\ndef plus(a):\n    return a + STEP\n")
    answers = [
        runpy.run_path(str(file), {"rule": ONE_ARGUMENT, "STEP": step})["plus"](1)
        for step in (1, 10)
    ]
    assert answers == [2, 11]


@numba.njit
def drawn(a):
    return np.random.randint(a)  # noqa: NPY002


@jit_only
@pytest.mark.parametrize(
    "function, says",
    [
        (lambda a, b: a, "takes 2|2 arguments"),
        (3, "not a function"),
        (lambda a: int(np.random.random() * a), "draws from"),  # noqa: NPY002
        (lambda a: drawn(a), "draws from"),
        (lambda a: [np.random.randint(a) for _ in (1, 2)][0], "draws from"),  # noqa: NPY002
    ],
)
def test_a_rule_that_cannot_compile_says_why(function, says):
    refuses(f"does not compile.*({says})", ONE_ARGUMENT, function)


def size(number):
    return np.random.randint(number)  # noqa: NPY002


@jit_only
def test_a_field_with_the_name_of_a_function_is_not_that_function():
    assert RuleKind({"array": INTS}, "number")(lambda array: array.size)(INTS) == 8


IMPORT_ALL = """
import json
from numba.core import event
recorder = event.RecordingListener()
event.register("numba:compile", recorder)
from reproduce import registry
registry.load()
print(json.dumps([str(told.data["dispatcher"]) for _, told in recorder.buffer]))
"""


@jit_only
def test_importing_everything_compiles_nothing():
    assert run(IMPORT_ALL, PYTHONPATH=str(PACKAGE.parent)) == []


# A module of the package, with a kernel that takes a function, one that calls it, and the library's own rule.
TRY = """
import numpy as np
from numba import types
from schedlib.core.compiling import compiled
from schedlib.core.rules import RuleKind
from schedlib.core.uncounted import kernel

ONE = RuleKind({"number": 0}, "number")

@compiled(signature=types.int64(types.FunctionType(ONE.signature), types.int64[::1]))
def total(choose, numbers):
    found = 0
    for number in numbers:
        found += choose(number)
    return found

@compiled
def within(choose, numbers):
    return 10 * total(choose, numbers)

@ONE
def double(number):
    return 2 * number

@kernel
def inner(numbers):
    return numbers[0]

@kernel(signature=types.int64(types.int64[::1]))
def outer(numbers):
    return inner(numbers) + 1
"""


USE_TRY = """
import io, json, os, pickle, sys, time
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from numba.core import event
from schedlib.core import compiling, trial

sys.stderr, compiling.MOMENT = io.StringIO(), float(os.environ["MOMENT"])
numbers, recorder = np.arange(4), event.RecordingListener()
event.register("numba:compile", recorder)
before = pickle.loads(pickle.dumps(trial.total))
with ThreadPoolExecutor(8) as pool:
    found = list(pool.map(lambda _: int(trial.total(trial.double, numbers)), range(8)))
names = [told.data["dispatcher"].py_func.__name__ for _, told in recorder.buffer if told.is_start]
after, plain = pickle.loads(pickle.dumps(trial.total)), getattr(trial.total, "__wrapped__", trial.total)
found += [int(kernel(pickle.loads(pickle.dumps(trial.double)), numbers)) for kernel in (before, after, plain)]
found += [int(trial.within(trial.double, numbers)), int(trial.outer(numbers + 5)), int(trial.inner(numbers + 7))]
refused = 0
for wrong in (numbers.astype(np.int32), numbers[::2], 3):
    try:
        trial.total(trial.double, wrong)
    except TypeError as error:
        refused += "No matching definition" in str(error)
time.sleep(0.2)
print(json.dumps([found, refused, names.count("total"), sys.stderr.getvalue().splitlines()]))
"""
FOUND = [12] * 11 + [120, 6, 7]


@pytest.fixture
def trial(copy):
    """Runs the code with that module, in a process of its own with a cache of its own."""
    (copy / "schedlib/core/trial.py").write_text(TRY)
    places = {"PYTHONPATH": str(copy), "SCHEDLIB_CACHE": str(copy / "cache")}
    return lambda **environment: run(USE_TRY, **places | environment)


@jit_only
def test_threads_and_processes_that_call_at_once_compile_once_to_one_signature(trial):
    """Kernels that take kernels and call them, pickled too; they take what their signature says alone."""
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(lambda _: trial(MOMENT="1e9"), range(3)))
    assert sum(compiled for _, _, compiled, _ in answers) == 1
    assert all(answer == [FOUND, 3, answer[2], []] for answer in answers)


@jit_only
def test_compiling_is_said_once_when_it_takes_a_moment(trial):
    (said,) = trial(MOMENT="0")[3]
    assert said.startswith("compiling kernels, once per machine")


@pytest.mark.parametrize(
    ("place", "cut"), [(0.2, False), (0.5, False), (0.8, False), (0, True), (0.5, True)]
)
def test_machine_code_with_a_changed_byte_or_cut_off_is_not_loaded(tmp_path, place, cut):
    """It would end Python in some of these runs."""
    kept = {"SCHEDLIB_CACHE": str(tmp_path)}
    assert run(USE_THE_QUEUE, **kept)["compiled"] and not run(USE_THE_QUEUE, **kept)["compiled"]
    for file in tmp_path.rglob("*.nb[ci]"):
        data = bytearray(file.read_bytes())
        at = int(place * len(data))
        data[at] ^= 0x55
        file.write_bytes(data[:at] if cut else data)
    again = run(USE_THE_QUEUE, **kept)
    assert again["first"] == 1.0 and again["compiled"]


NO_LOCKS = "import sys; sys.modules['fcntl'] = None\n"


@jit_only
def test_kernels_of_processes_without_locks_are_all_whole_and_outlive_a_touched_source(copy):
    places = {"PYTHONPATH": str(copy), "SCHEDLIB_CACHE": str(copy / "cache")}

    def kernels():
        return {file: file.stat().st_mtime_ns for file in copy.rglob("*.nb[ci]")}

    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(lambda _: run(NO_LOCKS + USE_THE_QUEUE, **places), range(3)))
    assert all(answer["first"] == 1.0 for answer in answers)
    kept = kernels()
    for file in (copy / "schedlib/core").glob("*.py"):
        os.utime(file, (1, 1))
    assert not run(USE_THE_QUEUE, **places)["compiled"]
    assert kernels() == kept

    # one that is gone is written again, perhaps with other bytes
    for file in copy.rglob("events.add-*.nbc"):
        file.unlink()
    assert run(USE_THE_QUEUE, **places)["compiled"]
    assert not run(USE_THE_QUEUE, **places)["compiled"]
