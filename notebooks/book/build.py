"""`make book`: from the executed notebooks to build/book, offline."""

import html
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

import api
import citations
import links
from chapters import Chapter, figures_in, gallery, text_of
from schedlib import paths
from schedlib.reproduce.notebooks import NotebookError

THEBE = re.compile(r"<script[^>]*>\s*const THEBE_JS_URL.*?</script>|<(?:script|link)[^>]*sphinx-thebe[^>]*>(?:</script>)?"
                   r"|<script type=\"text/x-thebe-config\">.*?</script>", re.DOTALL)  # fmt: skip
MADE = ("genindex", "search")  # pages that have no source
PICTURE = re.compile(r'<img [^>]*?src="([^":]+\.png)"(?![^>]*--inches)')
PROSE = ("figures/CLAIMS", "figures/README", "data/README")


def make(pages) -> int:
    """Write these pages, say where they are, and give the exit code."""
    try:
        print(f"begin with {pages().relative_to(root_folder()) / 'index.html'}")
    except (ValueError, NotebookError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def root_folder() -> Path:
    root = paths.checkout()
    if root is None:
        raise ValueError("the book is made in the checkout: clone it and run there")
    return root


def tools(root: Path) -> Path:
    """The environment that holds Jupyter Book: `.venv-book`, or the one that a jupyter-book on the path belongs to."""
    command = root / ".venv-book" / "bin" / "jupyter-book"
    found = command if command.exists() else shutil.which("jupyter-book")
    if not found:
        raise ValueError("Jupyter Book is not here: `make book` installs it into .venv-book")
    return Path(found).parent.parent


def toc_files(toc: dict) -> list[str]:
    """The files that a table of contents lists, in order, its root first."""
    found = [toc["root"]]

    def walk(items):
        for item in items:
            found.append(item["file"])
            walk(item.get("sections", []))

    for part in toc["parts"]:
        walk(part["chapters"])
    return found


def present(toc: dict, there) -> tuple[dict, list[str]]:
    """The table of contents with only the files for which `there(name)` holds, and the names of the others."""
    missing = [name for name in toc_files(toc) if not there(name)]

    def kept(items):
        out = [item | ({"sections": kept(item["sections"])} if "sections" in item else {}) for item in items if item["file"] not in missing]
        return [item for item in out if item.get("sections", True)]

    parts = [part | {"chapters": kept(part["chapters"])} for part in toc["parts"]]
    return toc | {"parts": [part for part in parts if part["chapters"]]}, missing


def title_of(root: Path, name: str) -> str:
    """The title of a chapter: its first heading."""
    cells = json.loads((root / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return text_of(cells[0]["source"]).splitlines()[0].removeprefix("# ").strip()


class Stage:
    """The folder of pages that Jupyter Book is given; a file is written only when it differs, so that rebuilding is quick."""

    def __init__(self, folder: Path):
        self.folder, self.written = folder, set()

    def write(self, name: str, content: str | bytes) -> None:
        file, data = self.folder / name, content.encode() if isinstance(content, str) else content
        self.written.add(file)
        if not file.is_file() or file.read_bytes() != data:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)

    def copy(self, source: Path, name: str) -> None:
        self.write(name, source.read_bytes())

    def sweep(self) -> None:
        """Removes what this run did not write."""
        for file in self.folder.rglob("*"):
            if file.is_file() and file not in self.written:
                file.unlink()


def stage(root: Path, folder: Path) -> tuple[dict[str, str], list[str], int]:
    """Write all pages into `folder`.

    Gives the alt text of the notebooks' pictures by hash, the toc entries that are missing, and how many pictures lack words of their own.
    """
    own = root / "notebooks" / "book"
    out = Stage(folder)
    toc = yaml.safe_load((own / "_toc.yml").read_text(encoding="utf-8"))
    made = {"index", "references", "code/index", "api/index", *PROSE, *(f"api/{name}" for name in api.packages())}
    solutions = [name for name in toc_files(toc) if name.startswith("notebooks/solutions/") and (root / f"{name}.ipynb").exists()]
    made |= {"notebooks/solutions/index"} if solutions else set()
    toc, missing = present(toc, lambda name: name in made or (root / f"{name}.ipynb").exists())
    out.write("_toc.yml", yaml.safe_dump(toc, sort_keys=False))
    for file in own.iterdir():
        if file.suffix in (".md", ".bib", ".yml") and file.name != "_toc.yml":
            out.copy(file, file.name)
    for file in (own / "style").iterdir():
        out.copy(file, f"style/{file.name}")

    pages = set(toc_files(toc))
    where, titles, alts, bare = {}, {}, {}, 0
    goals = links.Links(root, pages)
    entries = citations.read(own / "references.bib")
    shown = figures_in((root / "figures" / "README.md").read_text(encoding="utf-8"))
    for name in [name for name in toc_files(toc) if (root / f"{name}.ipynb").exists()]:
        chapter = Chapter(root, name, goals, entries, shown, out)
        out.write(f"{name}.ipynb", chapter.staged())
        alts |= chapter.alts
        bare += chapter.without_alt
        titles[name] = title_of(root, name)
        for figure in dict.fromkeys(chapter.figures):
            where.setdefault(figure, []).append(name)
    if solutions:
        items = "\n".join(f"- [{titles[name].removeprefix('Solutions: ')}]({name.rpartition('/')[2]}.ipynb)" for name in solutions)
        out.write("notebooks/solutions/index.md", f"# Solutions\n\nTry first: each chapter ends with its exercises.\n\n{items}\n")
    for name in PROSE:
        text = goals.rewritten((root / f"{name}.md").read_text(encoding="utf-8"), f"{name}.md")
        out.write(f"{name}.md", gallery(text, where, titles) if name == "figures/README" else text)
    out.write("api/index.md", api.index())
    for name in api.packages():
        out.write(f"api/{name}.md", api.page(name))
    out.write("code/index.md", api.code_index(root))
    modules = {file.relative_to(root).as_posix() for file in (root / "schedlib").rglob("*.py")}
    for path in sorted(modules | goals.code):
        out.write(f"code/{path}.md", api.code_page(root, path, links.SHOWN[Path(path).suffix]))
    for path in sorted(goals.files):
        if (root / path).is_file():
            out.copy(root / path, path)
    mathjax(root, out, "extra/mathjax")
    out.sweep()
    return alts, missing, bare


def mathjax(root: Path, out: Stage, folder: str) -> None:
    """MathJax with its fonts, as a package of the registry carries it: formulas then need no web."""
    found = next((tools(root) / "lib").glob("python*/site-packages/sphinx-mathjax-offline/static/mathjax"), None)
    if found is None:
        raise ValueError("MathJax is not here: `make book` installs it into .venv-book")
    for file in [found / "tex-chtml.js", *(found / "output/chtml/fonts/woff-v2").iterdir()]:
        out.copy(file, f"{folder}/{file.relative_to(found).as_posix()}")


def finish(source: Path, site: Path, final: Path, alts: dict[str, str]) -> None:
    """Copy the pages to where they stay, without those whose source is gone and without Thebe, which would ask the web.

    Pictures of notebooks get their alt text here, as MyST-NB takes it for a whole cell only, and all pictures their width in inches.
    """

    def pictured(match):
        tag, path = match.group(), match.group(1)
        alt = alts.get(path.rpartition("/")[2].removesuffix(".png"))
        tag = re.sub(r'alt="[^"]*"', lambda _: f'alt="{html.escape(alt)}"', tag) if alt else tag
        return f'{tag} style="--inches: {inches(file.parent / path):.2f}"'

    if final.exists():
        shutil.rmtree(final)
    shutil.copytree(site, final, ignore=shutil.ignore_patterns("sphinx-thebe*"))
    shutil.copytree(source / "style", final / "_static", dirs_exist_ok=True)  # Sphinx does not when no page has changed
    for file in final.rglob("*.html"):
        name = file.relative_to(final).with_suffix("").as_posix()
        if name.startswith("_static/"):
            continue
        if name not in MADE and not any((source / f"{name}{suffix}").exists() for suffix in (".md", ".ipynb")):
            file.unlink()
            continue
        file.write_text(PICTURE.sub(pictured, THEBE.sub("", file.read_text(encoding="utf-8"))), encoding="utf-8")


def inches(png: Path) -> float:
    """The width at which a picture was drawn, from its own record of dots per metre; without one, 100 dots an inch."""
    head = png.read_bytes()[:4096]
    at = head.find(b"pHYs")
    dots = int.from_bytes(head[at + 4 : at + 8], "big") * 0.0254 if at > 0 else 100
    return int.from_bytes(head[16:20], "big") / dots


def book() -> Path:
    """Build the book into build/book and check it; gives the folder. Raises NotebookError with the warnings when it is not sound."""
    from check import problems

    root = root_folder()
    source, work, final = (root / "build" / name for name in ("book-source", "book-work", "book"))
    alts, missing, bare = stage(root, source)
    for name in missing:
        print(f"not in the book yet: {name}", file=sys.stderr)
    if bare:
        print(f"{bare} pictures of notebooks bring no alt text; the book says where they stand", file=sys.stderr)
    command = [tools(root) / "bin" / "jupyter-book", "build", source, "--path-output", work, "-W", "--keep-going", "-q"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        shutil.rmtree(work, ignore_errors=True)  # what is cached would not be warned of again
        lines = [line.replace(f"{source}/", "") for line in (done.stdout + done.stderr).splitlines()]
        told = [line for line in lines if "WARNING" in line or "ERROR" in line] or lines[-20:]
        raise NotebookError("Jupyter Book warned:\n" + "\n".join(told))
    finish(source, work / "_build" / "html", final, alts)
    if found := problems(final):
        raise NotebookError(f"the book has {len(found)} defects:\n" + "\n".join(found[:40]))
    return final


if __name__ == "__main__":
    sys.exit(make(book))
