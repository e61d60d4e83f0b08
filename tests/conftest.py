"""Fixtures shared by all tests."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# Tests neither read nor fill the cache of whoever runs them; those that ask for one name a folder of their own.
os.environ["TOUCHSTONE_CACHE"] = "off"
# Ray gives its workers the lowest priority but one: beside other programs that are busy they would not get anywhere.
os.environ.update(RAY_worker_niceness="0")

if os.environ.get("TOUCHSTONE_DATA"):
    # Tests change the working directory and start programs elsewhere, so a relative path is resolved once, here.
    os.environ["TOUCHSTONE_DATA"] = str(Path(os.environ["TOUCHSTONE_DATA"]).resolve())


@pytest.fixture(scope="session")
def data() -> Callable[[str], Path]:
    """Give the path of a folder of real data; skip aloud where TOUCHSTONE_DATA is not set, fail where it is wrong."""

    def folder(name: str) -> Path:
        root = os.environ.get("TOUCHSTONE_DATA")
        if not root:
            pytest.skip("real data: set TOUCHSTONE_DATA to its folder")
        path = Path(root) / name
        assert path.is_dir(), f"TOUCHSTONE_DATA is set but {name!r} is not in it"
        return path

    return folder


CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


PATIENCE_MS = 300_000
"""How long a page may take to be as a test expects: on a machine that is many times busier it takes minutes."""


def _patient(made):
    """Give a function that makes pages, or contexts of pages, which wait for what they expect."""

    def making(**options):
        waiting = made(**options)
        waiting.set_default_timeout(PATIENCE_MS)
        return waiting

    return making


@pytest.fixture(scope="session")
def browser():
    """Give a Chromium, the same for all tests, since one process drives but one at a time; skip if there is none."""
    if not CHROMIUM.exists():
        pytest.skip(f"no browser: {CHROMIUM} is not installed")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS, timeout=PATIENCE_MS)
        chromium.new_context, chromium.new_page = _patient(chromium.new_context), _patient(chromium.new_page)
        yield chromium
        chromium.close()


# A busy machine must not fail a property test: speed is measured by benchmarks.
settings.register_profile("touchstone", deadline=None)
settings.load_profile("touchstone")


def pytest_terminal_summary(terminalreporter):
    """Print what tests measured (``record_property("said", …)``), which a worker process cannot."""
    reports = [report for kind in terminalreporter.stats.values() for report in kind]
    for report in reports:
        for name, value in getattr(report, "user_properties", ()):
            if name == "said" and getattr(report, "when", "") == "call":
                terminalreporter.write_line(value)
