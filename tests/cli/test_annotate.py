"""``touchstone annotate``: the commands beside the server."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest
from click.testing import CliRunner

from touchstone.base.errors import TouchstoneError
from touchstone.cli.groups import plain_group

app = plain_group("annotate")

PAIRS = "".join(
    json.dumps({"id": f"p{n}", "premise": f"premise {n}", "hypothesis": "h", "gold": "neutral"}) + "\n"
    for n in range(6)
)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Give a function that runs a command on an installation of this test's own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def command(*words, code=0):
        result = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
        assert result.exit_code == code, result.output
        return result.output

    return command


def test_a_project_is_made_filled_assigned_and_listed(run, tmp_path):
    (tmp_path / "pairs.jsonl").write_text(PAIRS)
    assert "6 items" in run("project", "create", "My pairs", "--task", "nli", "--import", tmp_path / "pairs.jsonl")
    with pytest.raises(TouchstoneError, match="already"):
        run("project", "create", "My pairs", "--task", "nli")
    said = run("user", "invite", "ann@example.org", "--project", "My pairs", "--url", "https://gold.example/")
    assert re.match(r"https://gold.example/invitation/[\w-]{40,}\n", said)
    listed = run("project", "list")
    assert re.search(r"My pairs +nli +6 +0 +0 +0", listed)


def test_nothing_is_written_where_a_file_cannot_be_read(run, tmp_path):
    (tmp_path / "bad.jsonl").write_text("{")
    with pytest.raises(TouchstoneError, match="not JSON"):
        run("project", "create", "P", "--task", "nli", "--import", tmp_path / "bad.jsonl")
    assert "P " not in run("project", "list")


def test_a_folder_is_imported_file_by_file(run, tmp_path):
    folder = tmp_path / "S1" / "peers"
    folder.mkdir(parents=True)
    for name in ("S1/a.txt", "S1/b.txt", "S1/peers/x.txt"):
        (tmp_path / name).write_text("Cats sleep.\n")
    (tmp_path / "S1" / "notes.md").write_text("not this one")
    assert "2 items" in run("project", "create", "P", "--task", "pyramid", "--import", tmp_path / "S1")
    (tmp_path / "empty").mkdir()
    with pytest.raises(TouchstoneError, match="no data of this task"):
        run("project", "import", "P", tmp_path / "empty")


def test_a_misspelt_project_or_address_is_told_what_is_near(run):
    run("project", "create", "pairs", "--task", "nli")
    with pytest.raises(TouchstoneError, match="no such project") as caught:
        run("export", "pears", "-o", "out")
    assert 'nearest valid name "pairs"' in str(caught.value)
    with pytest.raises(TouchstoneError, match="no such account"):
        run("user", "disable", "nobody@example.org")
    with pytest.raises(TouchstoneError, match="no such account"):
        run("project", "assign", "pairs", "nobody@example.org")


def test_someone_who_was_invited_and_has_not_accepted_is_told_from_someone_unknown(run, tmp_path):
    (tmp_path / "pairs.jsonl").write_text(PAIRS)
    run("project", "create", "pairs", "--task", "nli", "--import", tmp_path / "pairs.jsonl")
    run("user", "invite", "ann@example.org", "--project", "pairs", "--url", "https://gold.example/")
    with pytest.raises(TouchstoneError, match="invited, but has not accepted yet"):
        run("project", "assign", "pairs", "Ann@example.org")
    with pytest.raises(TouchstoneError, match="3 people per item, but there are only 0") as caught:
        run("project", "assign", "pairs", "--per-item", "3")
    assert "invited, but have not accepted yet: ann@example.org" in str(caught.value)


def test_a_public_address_is_refused_before_there_is_an_account(run):
    with pytest.raises(TouchstoneError, match="other machines can reach"):
        run("serve", "--host", "0.0.0.0", "--name", "a.example", "--no-browser")


def test_an_address_that_is_taken_gets_a_sentence(run):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(TouchstoneError, match="cannot listen on this address"):
            run("serve", "--no-browser", "--port", taken.getsockname()[1])


def test_a_database_that_cannot_be_opened_gets_a_sentence(run, tmp_path):
    (tmp_path / "text.sqlite").write_text("this is no database, and long enough to be looked at as one\n" * 20)
    with pytest.raises(TouchstoneError, match="cannot use the database"):
        run("project", "list", "--database", tmp_path / "text.sqlite")
    with pytest.raises(TouchstoneError, match="cannot use the database"):
        run("project", "list", "--database", "postgresql://nobody@127.0.0.1:1/none")
    with pytest.raises(TouchstoneError, match="no such database"):
        run("backup", tmp_path / "b.sqlite", "--database", tmp_path / "missing.sqlite")


def test_help_shows_examples_and_costs_no_web_framework():
    code = (
        "import sys; from touchstone.cli.groups import plain_group; app = plain_group('annotate'); "
        "loaded = [n for n in ('fastapi', 'sqlalchemy', 'uvicorn', 'argon2', 'numpy') if n in sys.modules]; "
        "assert not loaded, loaded"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    for words in (["serve"], ["project", "create"], ["user", "invite"], ["export"], ["backup"], ["restore"]):
        said = CliRunner().invoke(app, [*words, "--help"]).output
        assert "Example: touchstone annotate" in said


def test_without_the_extra_the_command_says_what_to_install(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "fastapi", None)
    with pytest.raises(TouchstoneError, match="needs fastapi") as caught:
        run("project", "list")
    assert "pip install 'touchstone-nlp[annotate]'" in str(caught.value)


@pytest.fixture
def served(tmp_path):
    """Give a server as a process of its own: its first line, and the process."""
    code = "from touchstone.cli.groups import plain_group; plain_group('annotate')()"
    command = [sys.executable, "-c", code, "serve", "--no-browser", "--port", "0"]
    command[-1] = str(_free_port())
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data"), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True)
    yield process.stdout.readline(), process
    process.send_signal(signal.SIGINT)
    process.wait(300)
    process.stdout.close()


def _free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def test_the_server_starts_and_gives_the_address_for_the_first_account(served, run, tmp_path):
    line, _ = served
    address = line.removeprefix("serving at ").strip()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/setup\?token=[\w-]{20,}", address)
    base, token = address.split("/setup?token=")
    with urllib.request.urlopen(address) as page:
        assert "Create the first account" in page.read().decode()
    body = {"token": token, "email": "root@example.org", "name": "Root", "password": "a long password"}
    headers = {"Content-Type": "application/json", "Origin": base}
    asked = urllib.request.Request(f"{base}/api/setup", json.dumps(body).encode(), headers, method="POST")
    with urllib.request.urlopen(asked) as made:
        assert made.status == 201
    assert re.search(r"Root +root@example.org +admin", run("user", "list"))
    run("backup", tmp_path / "b.sqlite")
    run("restore", tmp_path / "b.sqlite", "--database", tmp_path / "copy.sqlite")
    assert "Root" in run("user", "list", "--database", tmp_path / "copy.sqlite")
    database = tmp_path / "data" / "touchstone" / "annotate" / "annotate.sqlite"
    assert database.stat().st_mode & 0o777 == 0o600


def test_exported_answers_are_files(run, tmp_path):
    (tmp_path / "pairs.jsonl").write_text(PAIRS)
    run("project", "create", "P", "--task", "nli", "--import", tmp_path / "pairs.jsonl")
    assert "5 files" in run("export", "P", "-o", tmp_path / "out")
    assert len((tmp_path / "out" / "pairs.jsonl").read_text().splitlines()) == 6
