"""The website (`make book`): Sphinx over the checkout. Notebooks are shown as they were run, and nothing is fetched from the web."""

import importlib.resources
import posixpath
import sys
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "notebooks")]
from book import launch, pages, running  # noqa: E402

MATHJAX = str(importlib.resources.files("sphinx-mathjax-offline") / "static")

project = "schedlib: a textbook that runs"
author = "the schedlib project"
extensions = ["myst_nb", "sphinx_external_toc", "sphinx_multitoc_numbering", "sphinx_design", "sphinxcontrib.bibtex",
              "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.viewcode"]  # fmt: skip
external_toc_path = "notebooks/book/_toc.yml"
include_patterns = [
    "notebooks/*.ipynb",
    "notebooks/solutions/*.ipynb",
    "notebooks/book/*.md",
    "notebooks/book/api/*.md",
    "figures/*.md",
    "data/README.md",
]
exclude_patterns = [
    "notebooks/book/teaching.md",  # goes into the instructors' copy
    ".*",
    "build",
    "course",
    "data/*/**",
    "figures/*/**",
    "schedlib",
    "tests",
    *(
        f"mathjax/{part}"
        for part in (
            "a11y",
            "adaptors",
            "input",
            "sre",
            "ui",
            "output/svg",
            "mml-*",
            "tex-mml-*",
            "*svg*",
            "*full*",
            "node-*",
            "latest.js",
            "startup.js",
            "core.js",
            "loader.js",
        )
    ),
]
nb_execution_mode = "off"
nb_mime_priority_overrides = [
    ("html", "image/png", 5),
    ("html", "application/vnd.jupyter.widget-view+json", 90),
]
nb_render_markdown_format = "myst"
nb_ipywidgets_js: dict[str, dict] = {}
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath", "html_image"]
myst_heading_anchors = 4
bibtex_bibfiles = ["references.bib"]
autodoc_default_options = {"members": True}
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autosummary_generate = False
default_role = "code"
add_module_names = False
toc_object_entries = False
python_maximum_signature_line_length = 88
html_theme = "sphinx_book_theme"
html_title = project
html_static_path = ["style", "run", MATHJAX]
html_css_files = ["book.css", "run.css", "print.css"]
html_js_files = ["book.js", "explorers.js", "boxes.js", "run.js", "steps.js", "print.js"]
html_copy_source = html_show_copyright = html_show_sphinx = False
html_theme_options = {
    "navbar_persistent": [],
    "search_bar_text": "Search the book",
    "show_toc_level": 2,
    "use_download_button": False,
    **launch.options(),
}
mathjax_path = "mathjax/tex-chtml.js"
mathjax3_config = {"options": {"enableMenu": False}}


def linked(app, doctree, docname):
    """Leads links to a module of the library to the page that shows it, and those to a page's picture to the picture."""
    for node in list(doctree.findall(addnodes.download_reference)):
        file = posixpath.normpath(posixpath.join(posixpath.dirname(docname), node["reftarget"]))
        module = file.removesuffix(".py").removesuffix("/__init__")
        if getattr(app.env, "_viewcode_modules", {}).get(module.replace("/", ".")):
            place = app.builder.get_relative_uri(docname, f"_modules/{module}")
        elif file in app.env.images:
            _, name = app.env.images[file]
            place = posixpath.relpath(f"_images/{name}", posixpath.dirname(docname))
        else:
            continue
        node.replace_self(nodes.reference("", "", *node.children, refuri=place, internal=True))
        app.env.dlfiles.pop(Path(file), None)


def without_spares(app, error):
    """Removes the theme's source maps, and copies of files to which no link leads."""
    out = Path(app.outdir)
    kept = {out / "_downloads" / name for _, name in app.env.dlfiles.values()}
    for file in [*out.rglob("*.map"), *out.glob("_downloads/*/*")]:
        if file not in kept:
            file.unlink()


def setup(app):
    app.connect("source-read", pages.read)
    app.connect("source-read", launch.read)
    app.connect("doctree-resolved", linked)
    app.connect("html-page-context", pages.for_phones)
    app.connect("autodoc-process-docstring", pages.tables)
    app.connect("build-finished", running.write)
    app.connect("build-finished", without_spares)
