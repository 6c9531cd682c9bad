"""`make pdf`: the book, each chapter and the cheat sheet on paper, as Chromium prints the built pages (`style/print.css`).

Each page is printed once: a chapter alone has the page numbers of the book, so that a number names one page.
"""

import logging
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

from schedlib import paths

ROOT = paths.checkout() or Path()
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MATHJAX_MS = 20_000  # of the page's own clock, in which formulas are set and pictures load
APPENDIX = ("glossary", "what-papers-leave-open", "further-reading", "references")
"""Pages that the book has behind its chapters."""


def chromium() -> str | None:
    """This machine's Chromium, if there is one."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def printed(page: Path, first: int, folder: Path) -> Path:
    """A built page as PDF, whose pages count from `first`. Raises RuntimeError if Chromium does not print it."""
    browser = chromium()
    if browser is None:
        raise RuntimeError("make pdf needs Chromium: apt-get install chromium fonts-dejavu-core")
    out = folder / f"{page.stem}.pdf"
    command = [
        *(browser, "--headless", "--disable-gpu", "--no-pdf-header-footer"),
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
        f"--user-data-dir={folder / 'profile'}",
        f"--virtual-time-budget={MATHJAX_MS}",
        f"--print-to-pdf={out}",
        f"{page.resolve().as_uri()}?page={first}",
    ]
    said = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if not out.is_file():
        raise RuntimeError(f"Chromium did not print {page.name}: {said.stderr[-500:]}")
    return out


def write(built: Path, out: Path) -> None:
    """Write `chapters/*.pdf`, `cheat-sheet.pdf` and `schedlib.pdf`, all of them one after another, into a folder."""
    from pypdf import PdfReader, PdfWriter

    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it remarks on each file of Chromium's
    pages = sorted(built.glob("notebooks/[0-9]*.html"))
    own = built / "notebooks/book"
    behind = [own / f"{name}.html" for name in APPENDIX]
    shutil.rmtree(out, ignore_errors=True)
    (out / "chapters").mkdir(parents=True)
    book = PdfWriter()
    starts: dict[Path, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for page in [*pages, *behind]:
            first = len(book.pages)
            starts[page.resolve()] = first
            file = printed(page, first, Path(folder))
            part = PdfReader(file)
            book.append(part, outline_item=str(part.metadata.title).partition(" — ")[0])
            print(f"{page.stem}: pages {first + 1} to {len(book.pages)}", file=sys.stderr)
            if page in pages:
                save(PdfWriter(file), {page.resolve(): 0}, out / "chapters" / file.name)
        sheet = PdfWriter(printed(own / "cheat-sheet.html", 0, Path(folder)))
        save(sheet, {}, out / "cheat-sheet.pdf")
    save(book, starts, out / "schedlib.pdf")


def save(writer, starts: dict[Path, int], file: Path) -> None:
    """Write a PDF; links to pages in it lead there, and those to other files of this machine go."""
    from pypdf.generic import ArrayObject, NameObject

    for page in writer.pages:
        kept = ArrayObject()
        for reference in page.get("/Annots", []):
            link = reference.get_object()
            address = str(link.get("/A", {}).get("/URI", ""))
            if address.startswith("file:"):
                place = Path(unquote(urlsplit(address).path))
                if place not in starts:
                    continue
                target = writer.pages[starts[place]].indirect_reference
                del link["/A"]
                link[NameObject("/Dest")] = ArrayObject([target, NameObject("/Fit")])
            kept.append(reference)
        page[NameObject("/Annots")] = kept
    writer.compress_identical_objects()
    writer.write(file)


if __name__ == "__main__":
    try:
        write(ROOT / "build/book", ROOT / "build/pdf")
    except RuntimeError as error:
        sys.exit(str(error))
    size = (ROOT / "build/pdf/schedlib.pdf").stat().st_size / 1e6
    print(f"build/pdf/schedlib.pdf ({size:.0f} MB), cheat-sheet.pdf, chapters/")
