"""What an installation brings, says of itself, and is built from: read from pyproject.toml, the README and the recipes."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml

import schedlib
from schedlib import paths

ROOT = paths.checkout()
TOLD = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = TOLD["project"]
README = TOLD["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
DISTRIBUTIONS = metadata.packages_distributions()


def names(requirements):
    return {re.match(r"[\w-]+", each)[0].lower() for each in requirements}


def outside(file):
    """The distributions that a file imports when it is imported itself, its functions not called."""
    body = ast.parse(file.read_bytes()).body
    modules = {alias.name for node in body if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module for node in body if isinstance(node, ast.ImportFrom) and node.module}
    tops = {module.partition(".")[0] for module in modules} - {*sys.stdlib_module_names, "schedlib"}
    return {DISTRIBUTIONS[top][0].lower() for top in tops}


def test_what_is_imported_is_required_and_the_book_is_an_extra():
    # its package asks for the extra
    files = [file for file in (ROOT / "schedlib").rglob("*.py") if file.parent.name != "explorers"]
    needed = set().union(*map(outside, files))
    base, extras = names(PROJECT["dependencies"]), PROJECT["optional-dependencies"]
    brought = base | {"pillow", "cycler"}  # by matplotlib
    assert needed <= brought
    assert not brought & names(extras["book"] + extras["dask"] + extras["dev"])
    assert "schedlib[book,dask]" in extras["dev"]


def test_everything_that_is_required_is_pinned():
    pinned = names(re.findall(r"^[\w-]+(?===)", (ROOT / "requirements.txt").read_text(), re.M))
    extras = PROJECT["optional-dependencies"]
    assert (
        names(PROJECT["dependencies"] + extras["book"] + extras["dask"] + extras["dev"])
        - {"schedlib"}
        <= pinned
    )


def test_long_description_links_to_the_repository():
    text = (ROOT / "README.md").read_text()
    for change in README["substitutions"]:
        text = re.sub(change["pattern"], change["replacement"], text)
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 20 and all(link.startswith(("https://", "#")) for link in links)


def test_versions_are_told_alike():
    cited = yaml.safe_load((ROOT / ".github" / "CITATION.cff").read_text())
    assert cited["version"] == schedlib.__version__
    assert cited["repository-code"] == PROJECT["urls"]["Repository"]
    (newest, *_) = re.findall(r"^## (.+)$", (ROOT / ".github" / "CHANGELOG.md").read_text(), re.M)
    assert newest in ("Unreleased", f"{schedlib.__version__} ({cited['date-released']})")
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    pythons = workflow["jobs"]["library"]["strategy"]["matrix"]["python"]
    assert pythons == re.findall(r":: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.M)


def test_experiment_is_at_top_level_and_the_types_are_marked():
    assert (
        schedlib.Experiment.__module__ == "schedlib.experiment"
        and (ROOT / "schedlib" / "py.typed").is_file()
    )


@pytest.mark.parametrize("module, extra", [("schedlib.teaching.explorers", "book")])
def test_a_missing_extra_is_told_with_the_command(module, extra):
    code = f"import sys; sys.modules['ipywidgets'] = None; import {module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert f"pip install 'schedlib[{extra}]'" in done.stderr.splitlines()[-1]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX")
@pytest.mark.parametrize(
    "put", [os.mkfifo, lambda path: path.symlink_to(path.parent / "other"), Path.mkdir]
)
def test_what_is_no_file_is_not_replaced(tmp_path, put):
    put(tmp_path / "x")
    with pytest.raises(ValueError, match="path: .*give the name of a file"):
        paths.write_whole(tmp_path / "x", "text")
    assert not (tmp_path / "x").is_file() and not (tmp_path / "other").exists()
