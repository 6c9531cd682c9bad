"""The how-to's recipes run as they stand, one after another."""

import re

from schedlib import paths, traces

TEXT = (paths.checkout() / "notebooks/book/how-to.md").read_text()


def test_the_recipes_run_as_they_stand():
    blocks = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    names: dict = {}
    for block in blocks:
        exec(compile(block, "how-to.md", "exec"), names)
    assert len(blocks) >= 4


def test_the_readers_named_are_there():
    named = set(re.findall(r"traces\.(\w+)\(", TEXT))
    assert len(named) > 10 and named <= set(traces.__all__)
