"""What must hold of the finished pages: no dead link, no picture without alt text, nothing that is fetched from the web."""

from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {("img", "src"), ("script", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}
SILENT_LINKS = {"canonical", "preconnect", "dns-prefetch"}


class Page(HTMLParser):
    """The links, pictures and targets of one page."""

    def __init__(self, text: str):
        super().__init__()
        self.links: list[tuple[str, str, str]] = []
        self.targets: set[str] = set()
        self.bare: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.targets |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag == "link" and found.get("rel") in SILENT_LINKS:
            return
        for name in ("href", "src"):
            if found.get(name):
                self.links.append((tag, name, found[name]))
        alt = (found.get("alt") or "").strip()
        if tag == "img" and (not alt or alt == found.get("src")):  # docutils puts the path where there are no words
            self.bare.append(found.get("src", "?")[:80])


@cache
def parsed(file: Path, stamp: float) -> Page:
    return Page(file.read_text(encoding="utf-8"))


def page_of(file: Path) -> Page:
    return parsed(file, file.stat().st_mtime)


def pages(folder: Path) -> list[Path]:
    """The pages of a folder, without the theme's own templates."""
    return [file for file in sorted(folder.rglob("*.html")) if "_static" not in file.relative_to(folder).parts]


def problems(folder: Path) -> list[str]:
    """The defects of a folder of HTML pages, one line each: dead links, pictures without alt text, things loaded from the web.

    Links to other sites are only looked at for their form; nothing is fetched.
    """
    found = []
    for file in pages(folder):
        name, page = file.relative_to(folder).as_posix(), page_of(file)
        found += [f"{name}: no alt text: {source}" for source in page.bare]
        for tag, attribute, target in page.links:
            found += [f"{name}: {wrong}" for wrong in [defect(folder, file, tag, attribute, target)] if wrong]
    return found


def defect(folder: Path, file: Path, tag: str, attribute: str, target: str) -> str:
    """What is wrong with one link, or nothing."""
    try:
        parts = urlsplit(target)
    except ValueError:
        return f"malformed link {target}"
    if parts.scheme in ("data", "mailto", "javascript"):
        return ""
    if parts.scheme or parts.netloc:
        if (tag, attribute) in LOADED:
            return f"loads from the web: {target}"
        return "" if parts.scheme in ("http", "https") and "." in parts.netloc and " " not in target else f"malformed link {target}"
    goal = (file.parent / unquote(parts.path)).resolve() if parts.path else file.resolve()
    if goal.is_dir():
        goal /= "index.html"
    if not goal.is_file():
        return f"dead link {target}"
    if not goal.is_relative_to(folder.resolve()):
        return f"leads out of the book: {target}"
    anchor = unquote(parts.fragment)
    if anchor and goal.suffix == ".html" and anchor not in page_of(goal).targets:
        return f"no such place: {target}"
    return ""
