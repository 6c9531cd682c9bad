"""A notebook as its reader sees it in JupyterLab, and what goes to and fro between page and kernel meanwhile."""

import contextlib
import json
import re
import struct
import time
import uuid

OPENS, RUNS = 60, 600
"""Seconds that a page may take to open, and a notebook to run: only to end what hangs."""
LONG = 1000
"""How much of a complaint is told."""
OPENING = "No such comm"
"""What every kernel says unseen when JupyterLab asks it, at first, for widgets of before: it has none yet."""
NOTICE = "compiling kernels, once per machine"
"""What a first simulation may say."""
COMPLAINTS = ("application/vnd.jupyter.stderr", "application/vnd.jupyter.error")
CELLS = """() => [...document.querySelectorAll('.jp-CodeCell')].map((cell, index) => ({
  cell: index + 1,
  prompt: cell.querySelector('.jp-InputPrompt').innerText,
  folded: cell.querySelector('.jp-InputPlaceholder') !== null,
  complaints: [...cell.querySelectorAll('.jp-OutputArea-output')].map(e => [e.dataset.mimeType, e.innerText])
}))"""


class Traffic:
    """What passes between a page and its kernel: which messages are not yet dealt with, and what it said on standard error."""

    def __init__(self, page, home: str):
        self.waiting, self.replies, self.stopped = set(), 0, False
        self.complaints, self.broken, self.abroad = [], [], []
        page.on("websocket", self.listen)
        page.on("pageerror", lambda error: self.broken.append(str(error)))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((home, "data:", "blob:"))
                else self.abroad.append(request.url)
            ),
        )

    def listen(self, socket):
        socket.on("framesent", self.sent)
        socket.on("framereceived", self.received)

    def sent(self, frame):
        if message := read(frame):
            self.waiting.add(message["header"]["msg_id"])

    def received(self, frame):
        message = read(frame)
        if message is None:
            return
        kind, content = message["header"]["msg_type"], message["content"]
        self.replies += kind.endswith("_reply")
        if kind == "status" and content["execution_state"] == "idle":
            self.waiting.discard(message["parent_header"].get("msg_id"))
        elif kind == "error":
            self.stopped = True
            self.complaints.append(f"{content['ename']}: {content['evalue']}")
        elif (
            kind == "stream"
            and content["name"] == "stderr"
            and not content["text"].startswith(OPENING)
        ):
            self.complaints.append(content["text"])


def read(frame) -> dict | None:
    """The parts of a kernel's message (the protocol v1.kernel.websocket.jupyter.org), None for anything else."""
    if not isinstance(frame, bytes):
        return None
    (count,) = struct.unpack_from("<Q", frame)
    offsets = struct.unpack_from(f"<{count}Q", frame, 8)
    parts = [frame[start:end] for start, end in zip(offsets[1:5], offsets[2:6], strict=True)]
    return dict(
        zip(("header", "parent_header", "metadata", "content"), map(json.loads, parts), strict=True)
    )


class Notebook:
    """A notebook in a page of its own. `progress` is what its cells may write to standard error."""

    def __init__(self, lab, browser, name: str, progress: str | None = None):
        self.lab, self.name, self.path, self.progress = (
            lab,
            name,
            f"notebooks/{name}.ipynb",
            progress,
        )
        self.page = browser.new_page()
        self.traffic = Traffic(self.page, lab.url)

    def __enter__(self):
        self.session = contextlib.ExitStack()
        self.session.enter_context(self.lab.kernel(self.path))
        return self

    def __exit__(self, *problem):
        self.page.close()
        self.session.close()

    def open(self) -> None:
        """Until the page shows every cell and its kernel has answered."""
        self.page.goto(
            f"{self.lab.url}/lab/workspaces/{uuid.uuid4().hex}/tree/{self.path}?token={self.lab.token}"
        )
        self.page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=1000 * OPENS)
        self.until(
            lambda: self.traffic.replies and not self.traffic.waiting,
            OPENS,
            "the kernel answers the page",
        )
        count = sum(
            cell["cell_type"] == "code"
            for cell in self.lab.api("GET", f"contents/{self.path}")["content"]["cells"]
        )
        self.until(lambda: len(self.cells()) == count, OPENS, f"the page shows {count} code cells")

    def run_all(self) -> None:
        """Run > Run All Cells, until every cell has run or one has stopped with an error, and its outputs are there."""
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        self.until(self.all_ran, RUNS, "all cells have run")
        self.until(lambda: not self.traffic.waiting, OPENS, "the kernel is idle")

    def cells(self) -> list[dict]:
        """Each code cell's number, prompt (empty where it is folded) and outputs."""
        return self.page.evaluate(CELLS)

    def verdicts(self) -> list[str]:
        """How each exercise's verdict begins: "Right:", "Not yet:" or "Your turn:"."""
        return self.page.locator(".jp-OutputArea-output p[role=status] strong").all_inner_texts()

    def all_ran(self) -> bool:
        ran = self.traffic.stopped or all(
            cell["folded"] or re.search(r"\d", cell["prompt"]) for cell in self.cells()
        )
        return ran and not self.traffic.waiting

    def until(self, condition, seconds: float, what: str) -> None:
        """Wait while the page goes on. Raises AssertionError saying what did not happen."""
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"{self.name}: not within {seconds} s: {what}"
            self.page.wait_for_timeout(50)

    def problems(self) -> list[str]:
        """Cells that did not run, that show an error or standard error, and what went wrong unseen."""
        found = []
        for cell in self.cells():
            if not cell["folded"] and not re.fullmatch(r"\[\d+\]:", cell["prompt"].strip()):
                found.append(f"cell {cell['cell']} was not run: {cell['prompt']}")
            for kind, text in cell["complaints"]:
                if kind in COMPLAINTS and self.serious(text):
                    found.append(f"cell {cell['cell']} complains: {text[:LONG]}")
        found += [
            f"the kernel said: {text[:LONG]}"
            for text in self.traffic.complaints
            if self.serious(text) and not found
        ]
        found += [f"the page's own error: {text}" for text in self.traffic.broken]
        return found + [f"fetched from the web: {url}" for url in self.traffic.abroad]

    def serious(self, text: str) -> bool:
        """Whether a text on standard error is more than progress, or the word that kernels compile."""
        lines = filter(None, re.split(r"[\r\n]+", text.strip()))
        usual = f"{NOTICE}|{self.progress}" if self.progress else NOTICE
        return not all(re.match(usual, line) for line in lines)
