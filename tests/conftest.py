"""Fixtures shared by all tests."""

import ctypes
import functools
import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# Tests neither read nor fill the cache of whoever runs them; those that ask for one name a folder of their own.
os.environ["TOUCHSTONE_CACHE"] = "off"
# Ray gives its workers the lowest priority but one: beside other programs that are busy they would not get anywhere.
os.environ.update(RAY_worker_niceness="0")

# Networks compute on one core: the threads of two test processes would mostly wait for each other, at full speed.
os.environ.setdefault("OMP_NUM_THREADS", "1")

if os.environ.get("TOUCHSTONE_DATA"):
    # Tests change the working directory and start programs elsewhere, so a relative path is resolved once, here.
    os.environ["TOUCHSTONE_DATA"] = str(Path(os.environ["TOUCHSTONE_DATA"]).resolve())


def pytest_sessionstart():
    """Collect the tests without looking for garbage, which takes a third of the time that it takes to collect them."""
    gc.disable()


def pytest_collection_finish():
    """Look through what the tests made from now on, not again and again through a million objects of all modules."""
    gc.collect()
    gc.freeze()
    gc.enable()


GROWTH = 150
"""Megabytes by which a process may grow before it lets go of what its tests opened."""

OPENED = ("tests.conformance", "touchstone.neural", "touchstone.systems", "touchstone.tasks.mt", "touchstone.text")
"""Packages that keep what they read from large files for the life of a process, as users and tests of a module want."""


@pytest.fixture(scope="session")
def sizes() -> list[int]:
    """Give the size of this process in megabytes, first and whenever it has let go of something."""
    return [megabytes()]


@pytest.fixture(scope="module", autouse=True)
def _let_go(sizes):
    """Close the models and dictionaries that a module opened, where they are large: few other modules need the same."""
    yield
    if megabytes() > sizes[-1] + GROWTH:
        let_go()
        sizes.append(megabytes())


def megabytes() -> int:
    """Return how much memory this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


def let_go() -> None:
    """Clear the caches of what is opened once, and give their memory back to the system."""
    modules = [module for name, module in sys.modules.items() if name.startswith(OPENED)]
    for cached in {value for module in modules for value in vars(module).values() if is_cached(value)}:
        cached.cache_clear()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)


def is_cached(value: object) -> bool:
    """Return whether something is a function with a cache."""
    return isinstance(value, functools._lru_cache_wrapper)


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
    # Without a process that stands for a graphics card, a page takes a quarter less time.
    *("--in-process-gpu", "--disable-gpu-compositing", "--disable-software-rasterizer"),
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
