"""`SCHEDLIB_REPOSITORY=https://... make book`: links that open the book in Binder, Colab and Codespaces, and on its repository.

    python -m book.launch    the links for the README, to be put below its title

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
IN_COLAB = "!git clone -q --depth 1 {url} /content/book && cd /content/book && pip install -q -e '.[book]' && bash .binder/postBuild"
"""What Colab, which has no other file than the notebook that it opens, must run before it."""
FIRST_PAGE = "notebooks/book/index"


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


def words(url: str) -> str:
    """The paragraph with the links, for the site's first page and the README.

    >>> words("https://github.com/someone/schedlib").count("](https://")
    3
    """
    place = url.removeprefix("https://github.com/")
    services = ", ".join(f"[{name}]({form.format(place=place)})" for name, form in SERVICES.items())
    first = f"In Colab first run this, restart the session, then run all:\n\n```text\n{IN_COLAB.format(url=url)}\n```"
    return f"Run the book without an install: {services}. {first}\n"


def read(app: Any, docname: str, source: list[str]) -> None:
    """Put the paragraph below the first page (Sphinx's `source-read`), if there is a published repository."""
    url = repository()
    if url and docname == FIRST_PAGE:
        source[0] += f"\n{words(url)}"


def options() -> dict[str, Any]:
    """What the site's theme is told of the published repository: nothing without one."""
    url = repository()
    if not url:
        return {}
    return {
        "repository_url": url,
        "repository_branch": "HEAD",
        "use_repository_button": True,
        "use_edit_page_button": True,
    }


if __name__ == "__main__":
    try:
        found = repository()
    except ValueError as error:
        sys.exit(str(error))
    print(words(found) if found else "set SCHEDLIB_REPOSITORY=https://github.com/OWNER/NAME first")
