"""Fixtures of the neural models: one thread, made-up data."""

import pytest
from tests.tasks.nli.conftest import file, gold_of, run_of  # noqa: F401


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    torch = pytest.importorskip("torch", reason="the extra neural is not installed")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
