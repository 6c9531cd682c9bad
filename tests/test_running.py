"""Long runs in slices: all of them are done, and Ctrl-C ends a run between two."""

import os
import signal
import subprocess
import sys
import time

import pytest

from schedlib.core import running

ENDLESS = """
import signal, time
from schedlib.core import running
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background ignore it

def advance():
    print("inside", flush=True)
    time.sleep(0.05)
    return 0.5

running.to_the_end(advance, "endless")
"""


def test_slices_run_until_all_is_done():
    shares = iter([0.0, 0.5, 1.0, 0.2])
    running.to_the_end(lambda: next(shares), "three slices")
    assert list(shares) == [0.2]


@pytest.mark.skipif(os.name == "nt", reason="a process cannot be sent Ctrl-C alone")
def test_ctrl_c_ends_a_run_between_two_slices():
    process = subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=-1, stderr=-1, text=True)
    assert process.stdout.readline() == "inside\n"
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=30)
    assert "KeyboardInterrupt" in error and time.monotonic() - begin < 10
