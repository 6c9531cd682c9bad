"""The README's table of times says what was measured last."""

import json

import times
from schedlib import paths


def test_the_readme_has_what_was_measured_last():
    root = paths.checkout()
    readme = (root / "README.md").read_text()
    assert readme == times.renewed(readme, json.loads((root / "figures/times.json").read_text())), (
        "make times"
    )
