"""A plain processor computes the same bytes: workloads and policies of each paper, in two processes."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import plain_processor

HERE = Path(__file__).parent


def small_results(settings):
    """Hashes by name, from a process with these settings."""
    known = {"PYTHONPATH": str(HERE.parent)}
    command = [sys.executable, str(HERE / "small_results.py")]
    made = subprocess.run(
        command, env=os.environ | known | settings, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    return json.loads(made.stdout)


def test_a_plain_processor_computes_the_same_bytes():
    with ThreadPoolExecutor(2) as side_by_side:
        here, plain = side_by_side.map(small_results, ({}, plain_processor.settings()))
    assert len(here) > 150
    assert {name for name in here if here[name] != plain[name]} == set()
