"""The command line, run as a user does."""

import sys

import pytest

from touchstone.cli import main


@pytest.fixture
def touchstone(monkeypatch, capsys):
    """Run the command line; give exit code, standard output and standard error."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["touchstone", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        return left.value.code or 0, *capsys.readouterr()

    return run
