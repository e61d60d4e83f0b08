"""Small sets of pairs, and files that hold them."""

import pytest

from touchstone.base.files import Source
from touchstone.tasks.nli.model import GoldSet, Run


@pytest.fixture
def gold_of():
    """Give a gold set of the pairs handed over."""

    def made(pairs):
        return GoldSet(Source("pairs.jsonl", "0" * 64), pairs, list(range(1, len(pairs) + 1)))

    return made


@pytest.fixture
def run_of():
    """Give a run with the labels handed over."""

    def made(labels, name="mine"):
        source = Source(f"{name}.jsonl", "1" * 64)
        return Run(name, source, list(labels), list(labels.values()), list(range(1, len(labels) + 1)))

    return made


@pytest.fixture
def file(tmp_path):
    """Write a text to a file and give its path."""

    def written(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return written
