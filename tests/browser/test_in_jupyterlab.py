"""Every notebook in a real JupyterLab: it runs, nothing complains, and each control of each explorer answers to the keyboard."""

import json
import time

import pytest

import explorers
import lab
import reading
from schedlib.reproduce import notebooks

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not lab.CHROMIUM, reason=lab.MISSING)]
BOOK = notebooks.book()
SERVERS = 2
"""How many JupyterLabs may run at a time, however many cores there are."""
CHECK = 'exercises.check(\\"'
"""How a cell that checks an answer stands in a notebook's file."""
PROGRESS = r"[a-z0-9]+\.[a-z0-9-]+( \(smoke\))?:"
"""How the lines begin in which the notebooks behind `make figures` say what they compute."""


def by_servers(names):
    return [
        pytest.param(name, marks=pytest.mark.xdist_group(f"browser-{k % SERVERS}"))
        for k, name in enumerate(names)
    ]


def with_explorers(file):
    """How many outputs of a committed notebook are explorers."""
    cells = [
        cell
        for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
    ]
    return sum(
        "application/vnd.jupyter.widget-view+json" in output.get("data", {})
        for cell in cells
        for output in cell["outputs"]
    )


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    book, state = tmp_path_factory.mktemp("book"), tmp_path_factory.mktemp("jupyter")
    lab.copy_of_the_book(book)
    made = lab.Lab(book, state)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def browser():
    with lab.browser(viewport={"width": 1300, "height": 1600}) as found:
        yield found


@pytest.fixture
def opened(server, browser, request, tmp_path):
    """The notebook of a test's parameter, open in a page."""
    name = request.node.callspec.params["name"]
    with reading.Notebook(
        server, browser, name, PROGRESS if name.startswith("reproduce/") else None
    ) as notebook:
        with lab.screenshot_on_failure(notebook.page, tmp_path / "page.png"):
            notebook.open()
        yield notebook


@pytest.mark.parametrize("name", by_servers(BOOK))
def test_runs_without_complaint_and_every_control_answers(name, opened, tmp_path, record_property):
    with lab.screenshot_on_failure(opened.page, tmp_path / "page.png"):
        start = time.monotonic()
        opened.run_all()
        problems = opened.problems()
        assert not problems, f"{name}:\n" + "\n".join(problems)
        record_property("took", f"{name}: run in {time.monotonic() - start:.1f} s")
        said = "Right:" if name.startswith("solutions/") else "Your turn:"
        assert opened.verdicts() == [said] * BOOK[name].read_text().count(CHECK), name
        found = opened.page.locator(explorers.ROOTS).count()
        assert found == with_explorers(BOOK[name]), (
            f"{name}: explorers in the page, and in the notebook as committed"
        )
        for index in range(found):
            explorer = explorers.Explorer(opened, index)
            for what, names in (
                ("Tab does not reach", explorer.unreached()),
                ("no room for", explorer.clipped()),
            ):
                assert not names, f"{explorer.title}: {what} {', '.join(names)}"
            for number, control in enumerate(explorer.controls):
                move = explorer.move(number)
                record_property(
                    "took", f"{name}: explorer {index + 1}: {control['name']}: {move.seconds:.2f} s"
                )
        problems = opened.problems()
        assert not problems, f"{name}, after the moves:\n" + "\n".join(problems)
