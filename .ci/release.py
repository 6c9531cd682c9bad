"""Build the wheel and the source distribution, and try both: what `make release` runs.

Both go to build/dist and through twine's check; the long description has no link that only a checkout could follow. Then, with each Python
that is found: a fresh environment with the wheel and what it needs, in which `.ci/installed.py` holds. Last, the tests in the unpacked
source, with this checkout's environment (arguments go to pytest).
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST, TOOLS = ROOT / "build" / "dist", ROOT / "build" / "tools"
LOCAL_LINK = re.compile(r"\]\((?!https?:|#)")
PLACEHOLDER = "schedlib.example"


def call(*words: str | Path, **options) -> str:
    """Run a command, showing what it prints; gives nothing back unless asked to capture."""
    print("$", *words, flush=True)
    done = subprocess.run([*map(str, words)], check=True, text=True, **options)
    return done.stdout or ""


def pythons() -> list[str]:
    """The interpreters from 3.11 on that this machine has, one of each version."""
    found = []
    for name in [f"python3.{minor}" for minor in range(11, 20)]:
        path = shutil.which(name)
        if (
            path
            and subprocess.run(
                [path, "-c", "import venv, ensurepip"], capture_output=True
            ).returncode
            == 0
        ):
            found.append(path)
    return found or [sys.executable]


def environment(folder: Path, python: str, *packages: str | Path) -> Path:
    """A fresh environment with these packages; gives its Python."""
    call(python, "-m", "venv", "--clear", folder)
    own = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    call(own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    return own


def build() -> tuple[Path, Path]:
    """The wheel, made from the source distribution, and that distribution; both checked."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    tools = environment(TOOLS, sys.executable, *project["dependency-groups"]["release"])
    shutil.rmtree(DIST, ignore_errors=True)
    call(tools, "-m", "build", "--outdir", DIST, ROOT)
    (wheel,), (source,) = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    call(tools, "-m", "twine", "check", "--strict", wheel, source)
    check = tools.with_name("check-jsonschema")
    schema = "--builtin-schema"
    github = ROOT / ".github"
    workflows = sorted((github / "workflows").glob("*.yml"))
    call(check, schema, "vendor.github-workflows", *workflows)
    call(check, schema, "vendor.citation-file-format", github / "CITATION.cff")
    return wheel, source


def main() -> None:
    """All of it; the first thing that fails ends it."""
    wheel, source = build()
    with tempfile.TemporaryDirectory() as place:
        with tarfile.open(source) as file:
            # Python before 3.11.4 has none
            file.extraction_filter = getattr(tarfile, "data_filter", None)
            file.extractall(place)
        (tree,) = Path(place).iterdir()
        lines = (tree / "PKG-INFO").read_text(encoding="utf-8").splitlines()
        assert not [line for line in lines if LOCAL_LINK.search(line)], (
            "the long description has links into a checkout"
        )
        for python in pythons():
            own = environment(Path(place) / "fresh", python, wheel)
            call(own, ROOT / ".ci" / "installed.py", cwd=place)
        tests = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            *(sys.argv[1:] or ["-n", "auto", "--dist", "loadgroup"]),
        ]
        call(*tests, cwd=tree, env=os.environ | {"PYTHONPATH": str(tree), "PYTHONSAFEPATH": "1"})
    print(
        f"built and tried: {wheel.name}, {source.name} in {DIST.relative_to(ROOT)}; upload: python -m twine upload build/dist/*"
    )
    if PLACEHOLDER in (ROOT / "pyproject.toml").read_text(encoding="utf-8"):
        print(
            f"before an upload: name the repository in place of {PLACEHOLDER}, in pyproject.toml and .github/CITATION.cff",
            file=sys.stderr,
        )


if __name__ == "__main__":
    main()
