"""A new process: what a test wants to see before anything is loaded, or in another environment."""

import subprocess
import sys


def python(*words, fails=False, **how):
    """What a new Python with these words has said when it ends; it must end well unless it may fail."""
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, **how)
    assert fails or done.returncode == 0, done.stdout + done.stderr
    return done
