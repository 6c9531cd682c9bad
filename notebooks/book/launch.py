"""`SCHEDLIB_REPOSITORY=https://... make book`: links that open the book in Binder, Colab and Codespaces, and on its repository.

    python -m book.launch    the badges for the README, to be put below its title

Without that variable nothing here names a host.
"""

import os
import re
import sys
from typing import Any

SERVICES = {
    "Binder": "https://mybinder.org/v2/gh/{place}/HEAD?urlpath=lab/tree/notebooks/00-start-here.ipynb",
    "Colab": "https://colab.research.google.com/github/{place}/blob/HEAD/notebooks/00-start-here.ipynb",
    "Codespaces": "https://codespaces.new/{place}",
}
IN_COLAB = """!git clone -q --depth 1 {url} /content/book; pip install -q /content/book
import sys; sys.path[:0] = ["/content/book", "/content/book/notebooks"]"""
"""The first cell in Colab, which knows of no other file than the notebook that it opens."""


def repository() -> str:
    """The address of the published repository, "" without one. Raises ValueError on an address of another form.

    >>> os.environ["SCHEDLIB_REPOSITORY"] = "https://github.com/someone/schedlib/"
    >>> repository()
    'https://github.com/someone/schedlib'
    >>> del os.environ["SCHEDLIB_REPOSITORY"]
    """
    url = os.environ.get("SCHEDLIB_REPOSITORY", "").rstrip("/").removesuffix(".git")
    if url and not re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+", url):
        raise ValueError(
            f"SCHEDLIB_REPOSITORY: {url}; the services open https://github.com/OWNER/NAME"
        )
    return url


def links(url: str) -> dict[str, str]:
    """Where each service opens the book of a repository."""
    place = url.removeprefix("https://github.com/")
    return {name: form.format(place=place) for name, form in SERVICES.items()}


def badges(url: str) -> str:
    """The README's line of links to the services.

    >>> badges("https://github.com/someone/schedlib").count("](https://")
    3
    """
    return " · ".join(f"[Open in {name}]({link})" for name, link in links(url).items())


def options() -> dict[str, Any]:
    """What the site's theme is told of the published repository: nothing without one."""
    url = repository()
    if not url:
        return {}
    codespaces = {
        "name": "Open in Codespaces",
        "url": links(url)["Codespaces"],
        "icon": "fa-solid fa-terminal",
    }
    services = {
        "binderhub_url": "https://mybinder.org",
        "colab_url": "https://colab.research.google.com",
        "notebook_interface": "jupyterlab",
    }
    return {
        "repository_url": url,
        "repository_branch": "HEAD",
        "use_repository_button": True,
        "use_edit_page_button": True,
        "launch_buttons": services,
        "icon_links": [codespaces],
        "announcement": f"In Colab run this first: <code>{IN_COLAB.format(url=url)}</code>",
    }


if __name__ == "__main__":
    try:
        found = repository()
    except ValueError as error:
        sys.exit(str(error))
    print(badges(found) if found else "set SCHEDLIB_REPOSITORY=https://github.com/OWNER/NAME first")
