"""Every notebook with explorers in a real JupyterLab: it runs, nothing complains, and each control answers to the keyboard."""

import uuid

import pytest

import explorers
import lab
from reproduce import notebooks

pytestmark = lab.IN_CHROMIUM
SERVERS = 2
"""How many JupyterLabs may run at a time, however many cores there are."""
RUNS = 600_000
"""Milliseconds that a notebook may run: only to end what hangs."""
NOTICE = "compiling kernels, once per machine"
"""What a first simulation may say."""
RAN = f"""count => {{
  const cells = [...document.querySelectorAll('.jp-CodeCell')];
  const ran = cell => cell.querySelector('.jp-InputPlaceholder') || /\\d/.test(cell.querySelector('.jp-InputPrompt').innerText);
  const stopped = document.querySelector('[data-mime-type="application/vnd.jupyter.error"]');
  return {explorers.IDLE} && (stopped || (cells.length === count && cells.every(ran)));
}}"""
COMPLAINTS = """() => [...document.querySelectorAll('.jp-OutputArea-output')]
  .filter(output => /stderr|error/.test(output.dataset.mimeType)).map(output => output.innerText.trim())"""


BOOK = {name: file for name, file in notebooks.book().items() if lab.explorers_in(file)}


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
        found.set_default_timeout(explorers.SETTLES)
        yield found


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.xdist_group(f"browser-{k % SERVERS}"))
        for k, name in enumerate(BOOK)
    ],
)
def test_runs_without_complaint_and_every_control_answers(name, server, browser):
    page, path, wrong = browser.new_page(), f"notebooks/{name}.ipynb", []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: wrong.append(request.url))
    with server.kernel(path):
        workspace = f"{server.url}/lab/workspaces/{uuid.uuid4().hex}"
        with page.expect_websocket(lambda one: "/kernels/" in one.url, timeout=RUNS) as kernel:
            page.goto(f"{workspace}/tree/{path}?token={server.token}")
        kernel.value.wait_for_event("framereceived")
        page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        page.wait_for_function(explorers.IDLE)
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        page.wait_for_function(RAN, arg=len(lab.code_of(BOOK[name])), timeout=RUNS)
        found = page.locator(explorers.ROOTS).count()
        assert found == lab.explorers_in(BOOK[name]), "explorers in the page, and as committed"
        for index in range(found):
            explorer = explorers.Explorer(page, index)
            assert explorer.unreached() == [], "Tab does not reach these"
            assert explorer.root.evaluate(explorers.CLIPPED) == [], "no room for these labels"
            for number in range(len(explorer.controls)):
                explorer.move(number)
        said = [text for text in page.evaluate(COMPLAINTS) if not text.startswith(NOTICE)]
        assert not said
        assert not [one for one in wrong if not one.startswith((server.url, "data:", "blob:"))]
    page.close()
