"""Commands run in this process, as a user runs them: a process of its own costs half a second."""

import contextlib
import io
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch


def run_command(*words: object, folder: Path | None = None, **environment: str) -> SimpleNamespace:
    """Run a command, in a folder and with variables if they are given; give its exit code and what it prints."""
    from touchstone.cli import main

    out, err = io.StringIO(), io.StringIO()
    arguments = ["touchstone", *map(str, words)]
    with (
        contextlib.chdir(folder or Path.cwd()),
        patch.dict(os.environ, environment),
        patch.object(sys, "argv", arguments),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = 0
        try:
            main()
        except SystemExit as left:
            code = left.code or 0
    return SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=err.getvalue())
