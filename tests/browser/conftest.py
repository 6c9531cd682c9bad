"""`make test-browser`, where Chromium is a must, and the page that most tests look at."""

import pytest

import lab


def pytest_addoption(parser):
    parser.addoption(
        "--need-chromium",
        action="store_true",
        help="fail, and do not skip, where there is no Chromium",
    )


def pytest_configure(config):
    if config.getoption("--need-chromium", default=False) and not lab.CHROMIUM:
        raise pytest.UsageError(lab.MISSING)


@pytest.fixture(scope="module")
def page(request):
    """A page without the web, as large as the module's SIZE says."""
    with lab.page(*getattr(request.module, "SIZE", ())) as shown:
        yield shown
