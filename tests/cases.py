"""Long tables of what goes into tests and what has to come out, by the name of the test."""

import tomllib
from pathlib import Path

CASES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
