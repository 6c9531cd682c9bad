"""Links of a staged page: what is a page of the book leads there, other files of the checkout lead to a page that shows them."""

import posixpath
import re
from pathlib import Path

LINK = re.compile(r"(!?)(\[(?:[^\[\]]|\[[^\[\]]*\])*\])\(([^)\s]+)\)")
SHOWN = {".py": "python", ".toml": "toml", ".bib": "bibtex", ".json": "json", ".txt": "text", "": "text"}
COPIED = {".csv", ".json", ".svg", ".png"}
LARGEST = 400  # lines of a file shown in the book


class Links:
    """Where links go. `root` is the checkout, `pages` the book's pages by path without suffix, both as seen from the root.

    Source files that are linked to are collected in `code`, files to be downloaded in `files`.
    """

    def __init__(self, root: Path, pages: set[str]):
        self.root, self.pages = root, pages
        self.code: set[str] = set()
        self.files: set[str] = set()

    def rewritten(self, text: str, page: str) -> str:
        """The Markdown of `page` (its path below the root) with every local link leading to a page or a file of the book."""
        return LINK.sub(lambda match: self.link(match, page), text)

    def link(self, match, page: str) -> str:
        image, label, target = match.groups()
        path, _, anchor = target.partition("#")
        if not path or re.match(r"[a-z]+:", target):
            return match.group()
        here = posixpath.dirname(page)
        goal = posixpath.normpath(posixpath.join(here, path))
        if image:
            self.files.add(goal)
            return match.group()
        goal = self.place(goal)
        if goal is None:
            return label[1:-1]
        return f"{label}({posixpath.relpath(goal, here or '.')}{'#' + anchor if anchor else ''})"

    def place(self, goal: str) -> str | None:
        """The book's page or file for a path of the checkout; None when the book has nothing to show for it."""
        full = self.root / goal
        stem, suffix = posixpath.splitext(goal)
        for name in (stem, f"{goal}/index", f"{goal}/README"):
            if name in self.pages:
                return f"{name}{'.ipynb' if (self.root / f'{name}.ipynb').exists() else '.md'}"
        if goal in ("notebooks", "README.md", "."):
            return "index.md"
        if goal.startswith("notebooks/"):
            return "figures/README.md"
        if full.is_dir():
            return "code/index.md" if goal.startswith("schedlib") else None
        if goal.startswith("figures/") and suffix in COPIED:
            self.files.add(goal)
            return goal
        if full.is_file() and suffix in SHOWN and len(full.read_text(encoding="utf-8").splitlines()) <= LARGEST:
            self.code.add(goal)
            return f"code/{goal}.md"
        return None
