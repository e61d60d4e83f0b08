"""Settings come from the command line, the environment, a file and defaults, and secrets are never printed."""

import pytest
from click.testing import CliRunner

from touchstone.annotate.configuring import Configuration, configured
from touchstone.annotate.database import open_store
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.cli.groups import plain_group

app = plain_group("annotate")

WHOLE = """
database = "postgresql://touchstone:s3cret@db/annotate"
data = "/srv/touchstone"
host = "0.0.0.0"
port = 8001
names = ["annotate.example.org", "annotate"]
workers = 4
log = "-"
metrics_token = "m3trics"
"""


def write(tmp_path, text):
    (tmp_path / "annotate.toml").write_text(text)
    return tmp_path / "annotate.toml"


def test_a_file_gives_every_setting(tmp_path):
    assert configured({}, write(tmp_path, WHOLE), {}) == Configuration(
        "postgresql://touchstone:s3cret@db/annotate",
        "/srv/touchstone",
        "0.0.0.0",
        8001,
        ("annotate.example.org", "annotate"),
        4,
        "-",
        "m3trics",
    )


def test_the_environment_gives_every_setting():
    environment = {
        "TOUCHSTONE_ANNOTATE_DATABASE": "postgresql://touchstone:s3cret@db/annotate",
        "TOUCHSTONE_ANNOTATE_DATA": "/srv/touchstone",
        "TOUCHSTONE_ANNOTATE_HOST": "0.0.0.0",
        "TOUCHSTONE_ANNOTATE_PORT": "8001",
        "TOUCHSTONE_ANNOTATE_NAMES": "annotate.example.org, annotate",
        "TOUCHSTONE_ANNOTATE_WORKERS": "4",
        "TOUCHSTONE_ANNOTATE_LOG": "-",
        "TOUCHSTONE_ANNOTATE_METRICS_TOKEN": "m3trics",
        "HOME": "/root",
    }
    found = configured({}, None, environment)
    assert (found.port, found.names, found.workers) == (8001, ("annotate.example.org", "annotate"), 4)
    assert (found.url, str(found.folder)) == (
        "postgresql+psycopg://touchstone:s3cret@db/annotate",
        "/srv/touchstone",
    )


def test_the_command_line_precedes_the_environment_and_that_the_file_and_that_the_defaults(tmp_path):
    file = write(tmp_path, 'host = "10.0.0.1"\nport = 1\nworkers = 2\n')
    environment = {"TOUCHSTONE_ANNOTATE_PORT": "2", "TOUCHSTONE_ANNOTATE_WORKERS": "3"}
    found = configured({"workers": 4, "host": None}, file, environment)
    assert (found.host, found.port, found.workers, found.log) == ("10.0.0.1", 2, 4, None)


def test_paths_in_a_file_are_relative_to_it(tmp_path):
    found = configured({}, write(tmp_path, 'database = "gold.sqlite"\ndata = "data"\nlog = "access.log"\n'), {})
    assert (found.url, found.folder) == (f"sqlite:///{tmp_path}/gold.sqlite", tmp_path / "data")
    assert found.log == f"{tmp_path}/access.log"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prot = 8000", 'unknown setting: "prot"; nearest valid setting "port"'),
        ("planet = 1", 'unknown setting: "planet"'),
        ("port = 0", "port must be a whole number from 1 to 65,535"),
        ("port = true", "port must be a whole number"),
        ('port = "8000"', "port must be a whole number"),
        ("workers = 100", "workers must be a whole number from 1 to 64"),
        ('names = "annotate.example.org"', "names must be a list of host names"),
        ('names = ["", "a"]', "names must be a list of host names"),
        ("host = 1", "host must be a text"),
        ("[server]\nport = 1", 'unknown setting: "server"'),
        ("port 8000", "is not TOML (expected '=' after a key in a key/value pair (at line 1, column 6))"),
    ],
)
def test_a_wrong_file_is_refused_with_a_sentence(tmp_path, text, said):
    with pytest.raises(TouchstoneError) as caught:
        configured({}, write(tmp_path, text), {})
    assert said in str(caught.value)
    assert "annotate.toml" in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(TouchstoneError) as caught:
        configured({}, tmp_path / "none.toml", {})
    assert caught.value.code == Code.NO_FILE


def test_a_misspelt_variable_is_told_what_is_near():
    with pytest.raises(TouchstoneError) as caught:
        configured({}, None, {"TOUCHSTONE_ANNOTATE_PROT": "1"})
    assert 'nearest valid variable "TOUCHSTONE_ANNOTATE_PORT"' in str(caught.value)
    with pytest.raises(TouchstoneError, match="PORT: port must be a whole number"):
        configured({}, None, {"TOUCHSTONE_ANNOTATE_PORT": "many"})


def test_a_password_on_the_command_line_is_refused_and_not_repeated():
    with pytest.raises(TouchstoneError) as caught:
        configured({"database": "postgresql://touchstone:s3cret@db/annotate"}, None, {})
    assert "TOUCHSTONE_ANNOTATE_DATABASE" in str(caught.value)
    assert "s3cret" not in str(caught.value)
    assert configured({"database": "postgresql://touchstone@db/annotate"}, None, {}).url.endswith("@db/annotate")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:s3cret@127.0.0.1:1/none",
        "postgresql://u:s3cret/x@127.0.0.1:1/none",
        "postgresql://u:s3cret@127.0.0.1:s3cret/none",
        "postgresql://u:s3cret@[::1/none",
        "postgresql://u@127.0.0.1:1/none?password=s3cret",
        "mysql://u:s3cret@db/none",
    ],
)
def test_no_error_contains_the_password_of_the_database(url, monkeypatch, tmp_path, caplog):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("TOUCHSTONE_ANNOTATE_DATABASE", url)
    result = CliRunner().invoke(app, ["user", "list"])
    assert isinstance(result.exception, TouchstoneError), result.exception
    assert "s3cret" not in str(result.exception) + result.output + caplog.text


def test_a_wrong_password_is_not_in_what_the_database_says(postgres):
    url = configured({}, None, {"TOUCHSTONE_ANNOTATE_DATABASE": postgres()}).url
    wrong = url.replace("postgres:@", "nobody:s3cret@")
    assert wrong != url
    with pytest.raises(TouchstoneError) as caught:
        open_store(wrong)
    assert caught.value.code == Code.DATABASE
    assert "s3cret" not in str(caught.value)


def test_values_of_statements_are_not_in_errors(fresh_store):
    from sqlalchemy import text
    from sqlalchemy.exc import DBAPIError

    with pytest.raises(DBAPIError) as caught, fresh_store.writing() as session:
        session.execute(text("SELECT * FROM nothing WHERE email = :email"), {"email": "ann@example.org"})
    assert "ann@example.org" not in str(caught.value)
