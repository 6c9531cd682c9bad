"""`make test-browser`: Chromium is a must there, and the time that each move took is printed."""

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


def pytest_terminal_summary(terminalreporter):
    rows = [
        row
        for report in terminalreporter.getreports("passed")
        for name, row in report.user_properties
        if name == "took"
    ]
    if rows:
        terminalreporter.section("how long it took")
        for row in sorted(rows):
            terminalreporter.line(row)
