"""A JupyterLab of its own on a copy of the book, and a Chromium to read it in."""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
import uuid

import pytest
import requests
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from book import pdf
from reproduce import notebooks
from schedlib import paths

CHROMIUM = pdf.chromium()
MISSING = "no Chromium here: apt-get install chromium fonts-dejavu-core"
BOOK = paths.checkout() / "build/book"
IN_CHROMIUM = [pytest.mark.browser, pytest.mark.skipif(not CHROMIUM, reason=MISSING)]
"""The marks of tests in a browser."""
FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-sandbox",
]
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    # every cell is in the page, not only those in sight
    "notebook-extension/tracker": {"windowingMode": "none"},
}
REMARKS = re.compile(
    r"Got invalid theme mode|/search\.html.*(Failed to fetch|blocked by CORS policy|net::ERR_FAILED)"
)
"""What the website's theme says at a first visit, and its search where pages are files: it lists them, but cannot quote them."""
STARTS = 60
"""Seconds that a server may take to answer."""


def on_the_site(built, command="make book"):
    """The marks of tests on pages that the command builds."""
    missing = pytest.mark.skipif(not built, reason=f"nothing has been built here: {command}")
    return [*IN_CHROMIUM, missing, pytest.mark.xdist_group("browser-0")]


def barriers(page, **where):
    """The violations that axe-core finds on a page: each rule with the first place that breaks it."""
    found = Axe().run(page, **where, options={"preload": False}).response["violations"]
    return [(rule["id"], rule["nodes"][0]["html"][:150]) for rule in found]


def from_the_web(urls):
    """Those of the addresses that are not in files or in the page itself."""
    return [url for url in urls if not url.startswith(("file:", "data:", "blob:"))]


def code_of(file):
    """A notebook's code cells."""
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def explorers_in(file):
    """How many outputs of a committed notebook are explorers."""
    outputs = [output.get("data", {}) for cell in code_of(file) for output in cell["outputs"]]
    return sum("application/vnd.jupyter.widget-view+json" in data for data in outputs)


@contextlib.contextmanager
def browser(**settings):
    """A window of this machine's Chromium, whose pages share a cache; Playwright's own browsers are not needed."""
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found.new_context(**settings)
        found.close()


@contextlib.contextmanager
def page(width=1280, height=900):
    """A page of this size, without the web."""
    with browser(viewport={"width": width, "height": height}, offline=True) as window:
        yield window.new_page()


def copy_of_the_book(folder):
    """The notebooks as a server may write into them: as committed, without the marks of cells that were run."""
    root = paths.checkout()
    for name, file in notebooks.book().items():
        book = json.loads(file.read_text(encoding="utf-8"))
        for cell in book["cells"]:
            if cell["cell_type"] == "code":
                cell["execution_count"] = None
        copy = folder / "notebooks" / f"{name}.ipynb"
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(json.dumps(book), encoding="utf-8")
    for name in ("figures", "schedlib", "README.md"):  # what notebooks link to
        (folder / name).symlink_to(root / name)


class Lab:
    """A JupyterLab server on a folder, with settings of its own: those of the user neither count nor change."""

    def __init__(self, folder, state):
        self.token = uuid.uuid4().hex
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url, self.log = f"http://127.0.0.1:{port}", state / "jupyterlab.log"
        for name, values in SETTINGS.items():
            file = state / "settings/@jupyterlab" / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(values))
        own = {"JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTERLAB_WORKSPACES_DIR": "workspaces", "JUPYTER_CONFIG_DIR": "config",
               "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "runtime", "IPYTHONDIR": "ipython"}  # fmt: skip
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
        command += [f"--port={port}", "--ServerApp.port_retries=0"]
        command += [f"--IdentityProvider.token={self.token}", f"--ServerApp.root_dir={folder}"]
        # kernels run in the copy, and use the checkout's schedlib
        library = {"PYTHONPATH": str(paths.checkout())}
        environment = (
            os.environ | {name: str(state / place) for name, place in own.items()} | library
        )
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
            )
        self.wait()

    def api(self, method, path, content=None):
        """Call Jupyter's REST interface and give its answer."""
        headers = {"Authorization": f"token {self.token}"}
        url = f"{self.url}/api/{path}"
        answer = requests.request(method, url, json=content, headers=headers, timeout=STARTS)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def wait(self):
        """Wait until the server answers. Raises AssertionError with the end of its log."""
        end = time.monotonic() + STARTS
        while time.monotonic() < end and self.process.poll() is None:
            with contextlib.suppress(requests.RequestException):
                self.api("GET", "status")
                return
            time.sleep(0.1)
        said = self.log.read_text()[-2000:]
        raise AssertionError(f"no answer within {STARTS} s. JupyterLab said:\n{said}")

    @contextlib.contextmanager
    def kernel(self, path):
        """A notebook's kernel, started before its page is opened and stopped in the end."""
        wanted = {"path": path, "type": "notebook", "name": path, "kernel": {"name": "python3"}}
        session = self.api("POST", "sessions", wanted)
        try:
            yield
        finally:
            self.api("DELETE", f"sessions/{session['id']}")

    def stop(self):
        self.process.terminate()
        self.process.wait(STARTS)
