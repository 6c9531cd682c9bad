"""The README's table of times: measured on this machine by `make times`, kept in figures/times.json, and put into the README.

Wall-clock times never repeat, so nothing asserts them; a test compares the README's table with what was measured last.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection
from pathlib import Path

from schedlib import paths
from schedlib.core.checks import unknown
from schedlib.paths import write_whole
from schedlib.plots import papers

BEGIN, END = "<!-- times: make times -->", "<!-- /times -->"
PYTEST = [sys.executable, "-m", "pytest", "-q", "--dist", "loadgroup"]


def measure(steps: Collection[str] = ()) -> Path:
    """Measure these steps (else all, some 50 minutes), keep them, and renew the README's table; gives the README.

    Each begins from nothing in folders of its own: what the checkout holds is neither used nor changed. Raises
    ValueError for an unknown step or without a checkout, RuntimeError when a command fails.
    """
    root = paths.checkout()
    if root is None:
        raise ValueError("times are measured in a checkout, which this is not")
    measures = {
        "start": start,
        "venv": venv,
        "test": suite,
        "browser": browser,
        "smoke": smoke,
        "figures": figures,
    }
    for step in steps:
        if step not in measures:
            raise unknown("step", step, measures)
    file = root / "figures" / "times.json"
    readme = root / "README.md"
    for step in steps or measures:
        print(f"measuring: {step}", file=sys.stderr)
        seconds = measures[step](root)
        kept = json.loads(file.read_text()) if file.exists() else {}
        kept |= {"cores": os.cpu_count(), step: seconds}
        write_whole(file, json.dumps(kept, indent=1, sort_keys=True) + "\n")
        # after each step: a test compares the two
        write_whole(readme, renewed(readme.read_text(), kept))
    return readme


def seconds_of(command: list, root: Path, **environment: str) -> float:
    """Wall-clock seconds of a command; RuntimeError with its last lines when it fails."""
    begin = time.perf_counter()
    done = subprocess.run(
        list(map(str, command)),
        cwd=root,
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(
            f"{' '.join(map(str, command))} failed:\n{(done.stdout + done.stderr)[-800:]}"
        )
    return round(time.perf_counter() - begin, 1)


def start(root: Path) -> dict:
    """Seconds to the first line that a fresh process prints, by what it is asked."""
    from speed import cold_starts

    return {row["name"].partition(",")[0]: round(row["seconds"], 2) for row in cold_starts()}


def venv(root: Path) -> float:
    """Seconds to build the environment from `requirements.txt`, as make does where no package is kept."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("Makefile", "requirements.txt"):
            shutil.copy(root / name, folder)
        make = ["make", "--silent", "-C", folder, f"PYTHON={sys.executable}", ".venv/.ready"]
        return seconds_of(make, root, UV_NO_CACHE="1")


def suite(root: Path) -> float:
    """Seconds of lint and tests, as make runs them where there is no Chromium."""
    lint = seconds_of(["make", "--silent", "lint"], root)
    return lint + seconds_of([*PYTEST, "-n", "auto", "-m", "not browser"], root)


def browser(root: Path) -> float:
    """Seconds of the tests in the browser, as make runs them, on what `make book slides` has built."""
    return seconds_of([*PYTEST, "-n", "2", "tests/browser", "--need-chromium"], root)


def smoke(root: Path) -> float:
    """Seconds of every figure at smoke scale, nothing stored or compiled before."""
    return _figures(root, "--scale", "smoke")


def figures(root: Path) -> float:
    """Seconds of every figure at quick scale, nothing stored or compiled before."""
    return _figures(root)


def _figures(root, *options) -> float:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "figures"
        return seconds_of(
            [sys.executable, "-m", "reproduce", "figures", *options, "--out", out],
            root,
            SCHEDLIB_CACHE=folder,
        )


def renewed(readme: str, times: dict) -> str:
    """The README with the table of these times between its two marks; ValueError when it lacks them."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"README.md: the table of times belongs between {BEGIN} and {END}")
    return f"{before}{begin}\n{table(times)}{end}{after}"


def table(times: dict) -> str:
    """What was measured as a Markdown table; what was not is left out.

    >>> print(table({"cores": 2, "venv": 41.2, "start": {"import schedlib": 0.021, "mch": 0.83}}))
    | on 2 cores | time |
    |---|---|
    | building `.venv`, once | 41 s |
    | `import schedlib` in a fresh process | 0.021 s |
    | first result of a paper's policy in a fresh process, kernels compiled before (MCH 0.83 s) | 0.83 s |
    """
    rows = []
    if "venv" in times:
        rows.append(("building `.venv`, once", times["venv"]))
    if "figures" in times:
        rows.append(("`make figures`, from nothing", times["figures"]))
    if "smoke" in times:
        rows.append(("`make figures SCALE=smoke`, from nothing", times["smoke"]))
    if "test" in times:
        rows.append(("`make test`, without Chromium", times["test"]))
    if "browser" in times:
        rows.append(
            (
                "`make test-browser`, book and slides built; `make test` includes it where there is Chromium",
                times["browser"],
            )
        )
    if "start" in times:
        first = {name: seconds for name, seconds in times["start"].items() if name in papers.KEYS}
        rows.append(("`import schedlib` in a fresh process", times["start"]["import schedlib"]))
        rows.append(
            (
                f"first result of a paper's policy in a fresh process, kernels compiled before ({_each(first)})",
                max(first.values()),
            )
        )
    lines = [
        f"| on {times['cores']} cores | time |",
        "|---|---|",
        *(f"| {what} | {words(seconds)} |" for what, seconds in rows),
    ]
    return "\n".join(lines) + "\n"


def _each(seconds: dict) -> str:
    return ", ".join(
        f"{paper.title} {words(seconds[paper.key])}" for paper in papers.ALL if paper.key in seconds
    )


def words(seconds: float) -> str:
    """Seconds with two digits, in minutes from two on.

    >>> words(0.834), words(41.23), words(126), words(957)
    ('0.83 s', '41 s', '2 min', '16 min')
    """
    return (
        f"{seconds:.2g} s"
        if seconds < 99.5
        else f"{seconds:.0f} s"
        if seconds < 120
        else f"{seconds / 60:.0f} min"
    )


if __name__ == "__main__":
    print(f"renewed: {measure(sys.argv[1:])}")
