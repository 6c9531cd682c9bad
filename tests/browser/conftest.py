"""`make test-browser`: Chromium is a must there."""

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
