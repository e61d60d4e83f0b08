"""What the tests of lexical substitution share."""

import json
import sys

import pytest
from tests.tasks.lexsub.helpers import ANSWERS, GOLD, written

from touchstone import lexsub
from touchstone.cli import main


@pytest.fixture
def touchstone(monkeypatch, capsys):
    """Run the command line as a user does; give exit code, standard output and standard error."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["touchstone", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        return left.value.code or 0, *capsys.readouterr()

    return run


@pytest.fixture
def gold_of(tmp_path):
    return lambda text, **options: lexsub.read_gold(written(tmp_path, "g.gold", text), **options)


@pytest.fixture
def run_of(tmp_path):
    return lambda text, name="s.oot": lexsub.read_run(written(tmp_path, name, text))


@pytest.fixture
def files(tmp_path):
    """Write the gold and the answers of a case; give their paths."""
    return lambda gold=GOLD, answers=ANSWERS, suffix="oot": (
        written(tmp_path, "test.gold", gold),
        written(tmp_path, f"mine.{suffix}", answers),
    )


@pytest.fixture
def accepted(touchstone):
    def score(*arguments, measure="R"):
        code, out, err = touchstone("lexsub", "score", *arguments, "-m", measure, "--json", "--intervals", "none")
        assert code == 0, err
        (row,) = json.loads(out)["rows"]
        return row["value"], err

    return score
