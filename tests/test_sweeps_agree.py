"""The key of an exhibit, by names, covers all that is observed when its point runs."""

import json
import os

import pytest

from fresh import python
from reproduce import reach, registry

OBSERVED = """
import json, sys
from schedlib.sweeps import observe
reading = observe.reading()
from reproduce import registry
experiment = registry.load().experiments[sys.argv[1]]
before, called = set(reading.first), set()
def note(frame, event, argument):
    if event == "call":
        called.add((frame.f_code.co_filename, frame.f_code.co_qualname.partition(".")[0]))
sys.setprofile(note)
experiment.run(seed=0, **experiment.points["smoke"][0])
sys.setprofile(None)
files = [file for file in reading.observed().files if file not in before and not file.endswith(".py")]
print(json.dumps([sorted(called), files]))
"""


@pytest.mark.parametrize(
    "name", ["eagle.example", "hmhs.fig1", "hmhs.johnson", "mch.fig1", "mch.worked"]
)
def test_the_key_reaches_each_function_that_a_point_calls_and_names_each_file(name):
    plain = os.environ | {"NUMBA_DISABLE_JIT": "1"}  # kernels are seen too
    done = python("-c", OBSERVED, name, env=plain)
    called, files = json.loads(done.stdout.splitlines()[-1])
    run = registry.load().experiments[name].run
    reached: dict[str, set[str]] = {}
    for module, bound in reach.reached(run.__module__, run.__qualname__):
        if file := reach.file_of(module):
            reached.setdefault(str(file), set()).add(bound)
    ours = [(file, bound) for file, bound in called if reach.INSTALLED.isdisjoint(file.split("/"))]
    checked = [(file, bound) for file, bound in ours if file in reached and bound.isidentifier()]
    missed = [(file, bound) for file, bound in checked if not {bound, "*"} & reached[file]]
    assert len(checked) >= 2 and missed == [] and files == []
    folders = ("/schedlib/", "/notebooks/reproduce/")
    assert [file for file, _ in ours if file not in reached and any(map(file.count, folders))] == []
