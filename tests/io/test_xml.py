"""XML is read safely: no entities of its own making, nothing fetched, faults with line and column."""

import contextlib
import http.server
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.base.errors import TouchstoneError
from touchstone.io.xml import parse_xml

BOMB = """<?xml version="1.0"?>
<!DOCTYPE lolz [
 <!ENTITY a "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa">
 <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
 <!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;">
 <!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;"><!ENTITY g "&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;">
]><corpus>&g;</corpus>"""


def refusal(raw: bytes | str) -> str:
    with pytest.raises(TouchstoneError) as caught:
        parse_xml(raw.encode() if isinstance(raw, str) else raw, "f.xml")
    return str(caught.value)


def test_well_formed_xml_gives_its_root():
    root = parse_xml(b"<corpus><lexelt item='a.n'/></corpus>", "f.xml")
    assert (root.tag, root[0].get("item")) == ("corpus", "a.n")


def test_an_entity_bomb_is_refused_before_it_grows():
    assert "entities" in refusal(BOMB)


def test_an_entity_that_reads_a_file_is_refused(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("the secret")
    said = refusal(f'<!DOCTYPE x [<!ENTITY s SYSTEM "{secret.as_uri()}">]><x>&s;</x>')
    assert "the secret" not in said
    assert "entities" in said


def test_a_parameter_entity_is_refused():
    assert "entities" in refusal('<!DOCTYPE x [<!ENTITY % p SYSTEM "http://localhost:9/x.dtd"> %p;]><x/>')


def test_a_dtd_that_is_named_is_not_looked_for(tmp_path):
    """ELS07 files name a DTD that is nowhere to be found."""
    assert parse_xml(b'<!DOCTYPE corpus SYSTEM "lexsub.dtd"><corpus/>', "f.xml").tag == "corpus"
    dtd = tmp_path / "x.dtd"
    dtd.write_text('<!ENTITY s "fetched">')
    said = refusal(f'<!DOCTYPE corpus SYSTEM "{dtd.as_uri()}"><corpus>&s;</corpus>')
    assert "fetched" not in said


def test_nothing_is_fetched_from_the_network():
    asked = []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(404)
            self.end_headers()

        def log_message(self, *arguments):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Server) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        parse_xml(f'<!DOCTYPE a SYSTEM "http://127.0.0.1:{server.server_port}/x.dtd"><a/>'.encode(), "f.xml")
        server.shutdown()
        thread.join()
    assert asked == []


@pytest.mark.parametrize(
    ("raw", "line", "column"),
    [("<a>\n<b></a>", 2, 5), ("<a>\n\n  &undefined;</a>", 3, 2), ("<a>" + " " * 141 + "<</a>", 1, 145), ("", 1, 0)],
)
def test_what_is_not_well_formed_is_refused_with_line_and_column(raw, line, column):
    """Line and column are those that expat counts: lines from 1, columns from 0."""
    said = refusal(raw)
    assert said.startswith(f"f.xml:{line}: ")
    assert f"column {column}" in said


@pytest.mark.parametrize(
    "raw",
    [
        b'<?xml version="1.0" encoding="no-such"?><a/>',
        b'<?xml version="1.0" encoding="utf-16"?><a/>',
        b"<a>\xff</a>",
        b"\xff\xfe<\x00a",
        b"<a>\x00</a>",
        b"<a/><b/>",
        b"plain text",
        b"<a b='1' b='2'/>",
    ],
)
def test_bytes_that_are_not_xml_are_refused_with_a_sentence(raw):
    assert refusal(raw).startswith("f.xml")


def test_a_declared_encoding_counts():
    assert parse_xml(b'<?xml version="1.0" encoding="iso-8859-1"?><a>caf\xe9</a>', "f.xml").text == "café"


def test_deep_nesting_is_read_or_refused_and_never_crashes():
    with contextlib.suppress(TouchstoneError):
        assert parse_xml(b"<a>" * 50_000 + b"</a>" * 50_000, "f.xml").tag == "a"


@given(st.binary(max_size=40) | st.text("<>/&;a='\" !?-[]", max_size=40).map(str.encode))
def test_any_bytes_are_xml_or_a_sentence(raw):
    with contextlib.suppress(TouchstoneError):
        parse_xml(raw, "f.xml")
