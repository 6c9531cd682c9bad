"""Links that open the published book elsewhere: none without an address; files of Binder and Codespaces say what make does."""

import json
import re

import pytest

from book import launch
from refusals import refuses
from schedlib import paths

ROOT = paths.checkout()
URL = "https://github.com/someone/schedlib"


def page(name):
    """A page's text as the site has it."""
    source = ["Its text."]
    launch.read(None, name, source)
    return source[0]


def test_without_an_address_the_site_names_no_host(monkeypatch):
    monkeypatch.delenv("SCHEDLIB_REPOSITORY", raising=False)
    assert launch.options() == {} and page(launch.FIRST_PAGE) == "Its text."


def test_the_links_stand_on_the_first_page_alone(monkeypatch):
    monkeypatch.setenv("SCHEDLIB_REPOSITORY", URL)
    assert launch.words(URL) in page(launch.FIRST_PAGE)
    assert page("notebooks/05-hmhs") == "Its text."
    assert (ROOT / f"{launch.FIRST_PAGE}.md").is_file()


@pytest.mark.parametrize("given", [URL, f"{URL}/", f"{URL}.git"])
def test_every_link_leads_to_the_given_repository(monkeypatch, given):
    monkeypatch.setenv("SCHEDLIB_REPOSITORY", given)
    options = launch.options()
    assert options["repository_url"] == URL and options["use_edit_page_button"]
    for link in re.findall(r"\((https://[^)]+)\)", launch.words(URL)):
        assert "someone/schedlib" in link
        opened = re.search(r"notebooks/.*ipynb", link)
        assert opened is None or (ROOT / opened[0]).is_file()


@pytest.mark.parametrize("given", ["http://github.com/a/b", "https://github.com/a"])
def test_another_address_is_refused(monkeypatch, given):
    monkeypatch.setenv("SCHEDLIB_REPOSITORY", given)
    refuses("OWNER/NAME", launch.options)


def test_binder_and_codespaces_build_what_make_builds():
    needs = (ROOT / ".binder/requirements.txt").read_text(encoding="utf-8")
    (named,) = re.findall(r"^-r (.+)$", needs, re.M)
    assert (ROOT / ".binder" / named).resolve() == ROOT / "requirements.txt"
    version = (ROOT / ".binder/runtime.txt").read_text(encoding="utf-8").strip()
    least = re.search(
        r'requires-python = ">=(.+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    )
    assert version == f"python-{least[1]}"
    container = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text(encoding="utf-8"))
    assert container["image"].endswith(f":{least[1]}")
    target = container["postCreateCommand"].removeprefix("make ")
    assert f"\n{target}:" in (ROOT / "Makefile").read_text(encoding="utf-8")
