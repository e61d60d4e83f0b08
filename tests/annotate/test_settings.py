"""What an installation keeps is its owner's alone, and lies where such things lie."""

import pytest

from touchstone.annotate.hosts import is_local
from touchstone.annotate.settings import data_folder, database_url, installation_secret
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError


def test_the_data_folder_is_where_the_desktop_says_or_the_usual_place(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_folder() == tmp_path / "touchstone" / "annotate"
    assert database_url(None) == f"sqlite:///{tmp_path}/touchstone/annotate/annotate.sqlite"
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for unset in ("", "relative/folder"):
        monkeypatch.setenv("XDG_DATA_HOME", unset)
        assert data_folder() == tmp_path / "home" / ".local" / "share" / "touchstone" / "annotate"


def test_a_secret_is_made_once_and_only_its_owner_may_read_it(tmp_path):
    folder = tmp_path / "new" / "folder"
    first = installation_secret(folder)
    assert installation_secret(folder) == first
    assert len(first) == 32
    assert (folder / "secret").stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert installation_secret(tmp_path / "other") != first


def test_a_secret_that_others_may_read_is_refused(tmp_path):
    installation_secret(tmp_path)
    (tmp_path / "secret").chmod(0o644)
    with pytest.raises(TouchstoneError, match="other users can read"):
        installation_secret(tmp_path)


def test_a_secret_that_was_cut_short_is_refused(tmp_path):
    installation_secret(tmp_path)
    (tmp_path / "secret").write_bytes(b"short")
    with pytest.raises(TouchstoneError) as caught:
        installation_secret(tmp_path)
    assert caught.value.code == Code.UNREADABLE


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.0.2.7", False),
        ("example.org", False),
        ("localhost.example.org", False),
    ],
)
def test_only_loopback_addresses_are_this_machine_alone(host, local):
    assert is_local(host) is local


def test_another_kind_of_database_is_refused():
    with pytest.raises(TouchstoneError) as caught:
        database_url("mysql://somewhere")
    assert caught.value.code == Code.BAD_VALUE
