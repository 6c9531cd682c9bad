"""The how-to's recipes run as they stand, one after another."""

import re

from schedlib import lotes, paths, traces
from schedlib.workload import Workload

TEXT = (paths.checkout() / "notebooks/book/how-to.md").read_text()


def test_the_recipes_run_as_they_stand():
    blocks = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    names: dict = {}
    for block in blocks:
        exec(compile(block, "how-to.md", "exec"), names)
        if "literature.easy," in block:
            easy, first, shortest, log = (f"{wait:.0f}" for wait in names["waits"].values())
            assert first == shortest
            assert f"{easy} s under EASY, {first} s under the other two, and {log} s in the" in TEXT
            of_the_archives_log(names["policies"])
    assert len(blocks) >= 4


def of_the_archives_log(policies):
    """The waits that the page tells of NASA's log, where it is here."""
    if (folder := traces.swf_folder()) is None:
        return
    work = traces.read_swf(folder / "NASA-iPSC-1993-3.1-cln.swf.gz")
    machine = lotes.MachineConfigs([[128.0]], [1])
    busier = Workload(work.jobs.assign(submit=0.6 * work.jobs["submit"]), work.tasks)
    easy, first, shortest = (
        f"{lotes.simulate(policy, machine, busier).mean_wait:,.0f}" for policy in policies
    )
    assert f"{easy} s, {first} s and\n{shortest} s." in TEXT
    assert f"load of {100 * lotes.offered_load(work, machine):.0f} %" in TEXT


def test_the_readers_named_are_there():
    named = set(re.findall(r"traces\.(\w+)\(", TEXT))
    assert len(named) > 10 and named <= set(traces.__all__)
