"""What a request must be like before any route looks at it, and what a browser may do with the answer."""

import base64
import json
import socket
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from touchstone.annotate import pages
from touchstone.annotate.hosts import LOCAL_NAMES, allowed_hosts
from touchstone.annotate.safety import COOKIE, HEADERS, MEGABYTE
from touchstone.annotate.settings import database_url
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {},
    ],
)
def test_a_request_from_another_site_changes_nothing(sqlite_site, headers):
    person = sqlite_site.person("admin")
    del person.headers["Origin"]
    response = person.post("/api/projects", json={"name": "theirs", "task": "nli"}, headers=headers)
    assert (response.status_code, response.json()["error"]["code"]) == (403, "cross_origin")
    assert "theirs" not in [one["name"] for one in person.get("/api/projects").json()["projects"]]


def test_an_origin_with_another_port_or_scheme_is_another_site(sqlite_site):
    person = sqlite_site.person("admin")
    for origin in (sqlite_site.url.replace("http:", "https:"), "http://127.0.0.1:1", f"{sqlite_site.url}.evil.example"):
        response = person.post("/api/projects", json={"name": "x", "task": "nli"}, headers={"Origin": origin})
        assert response.status_code == 403


def test_a_browser_that_says_same_origin_is_believed(sqlite_site):
    person = sqlite_site.person("admin")
    del person.headers["Origin"]
    response = person.post("/api/projects", json={}, headers={"Sec-Fetch-Site": "same-origin"})
    assert response.status_code == 422


def test_every_answer_carries_the_headers_also_errors_and_files(sqlite_site):
    person, nobody = sqlite_site.person("admin"), sqlite_site.nobody()
    responses = [
        person.get("/"),
        person.get("/api/me"),
        nobody.get("/login"),
        nobody.get("/nowhere"),
        nobody.get("/api/nowhere"),
        nobody.get("/static/base.css"),
        nobody.get("/static/nothing.js"),
        nobody.post("/api/session", content=b"{", headers={"Content-Type": "application/json"}),
        nobody.post("/api/session", json={}, headers={"Origin": "https://elsewhere.example"}),
    ]
    for response in responses:
        for name, value in HEADERS.items():
            assert response.headers[name] == value, (response.url, name)


def test_the_policy_allows_no_inline_script_and_nothing_from_elsewhere():
    policy = dict(part.split(" ", 1) for part in HEADERS["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert (policy["require-trusted-types-for"], policy["trusted-types"]) == ("'script'", "touchstone-worker")
    assert not any("unsafe" in value or "http" in value for value in policy.values())


def test_the_one_trusted_type_names_the_one_worker_and_makes_no_markup():
    folder = Path(pages.__file__).parent / "static"
    scripts = {path: path.read_text() for path in folder.rglob("*.js")}
    assert sum(text.count("createPolicy(") for text in scripts.values()) == 1
    sinks = (
        "createHTML",
        "createScript:",
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "DOMParser",
        "document.write",
    )
    found = [
        (path.name, sink)
        for path, text in scripts.items()
        for sink in (*sinks, "document.write", "eval(")
        if sink in text
    ]
    assert found == []


def test_a_server_on_this_machine_answers_to_no_other_name(sqlite_site):
    assert sqlite_site.nobody().get("/api/health").status_code == 200
    refused = sqlite_site.nobody(Host="rebound.example:80").get("/api/health")
    assert (refused.status_code, refused.json()["error"]["message"]) == (403, "unknown host name")


def raw_status(site, *hosts):
    """Give the status of a request with these Host headers, sent byte by byte."""
    address = httpx.URL(site.url)
    lines = ["GET /api/health HTTP/1.1", *(f"Host: {host}" for host in hosts), "Connection: close", "", ""]
    with socket.create_connection((address.host, address.port), timeout=300) as sending:
        sending.sendall("\r\n".join(lines).encode("latin-1"))
        return int(sending.makefile("rb").readline().split()[1])


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("annotate.example.org", 200),
        ("annotate.example.org:8443", 200),
        ("Annotate.EXAMPLE.org", 200),
        ("annotate.example.org.", 200),
        ("annotate.example.org.:443", 200),
        ("[2001:db8::7]", 200),
        ("[2001:DB8:0::7]:8000", 200),
        ("annotate.example.org:", 200),
        ("", 403),
        ("evil.example", 403),
        ("annotate.example.org.evil.example", 403),
        ("evil.example:annotate.example.org", 403),
        ("evil@annotate.example.org", 403),
        ("annotate.example.org:port", 403),
        ("annotate.example.org..", 403),
        ("annotate.example.org/evil", 403),
        ("[2001:db8::8]", 403),
        ("2001:db8::7", 403),
        ("0.0.0.0", 403),
    ],
)
def test_only_the_names_of_the_server_are_answered_however_they_are_written(named_site, host, status):
    assert raw_status(named_site, host) == status


def test_a_request_with_no_host_or_with_two_is_refused(named_site):
    assert raw_status(named_site) in (400, 403)
    assert raw_status(named_site, "annotate.example.org", "evil.example") in (400, 403)
    assert raw_status(named_site, "annotate.example.org", "annotate.example.org") in (400, 403)


@pytest.fixture(scope="module")
def named_site(tmp_path_factory):
    """Give a server with names of its own."""
    from tests.annotate.conftest import Site, start

    hosts = allowed_hosts("::", ["annotate.example.org", "[2001:db8:0::7]"])
    running = start(database_url(str(tmp_path_factory.mktemp("named") / "own.sqlite")), hosts=hosts)
    with ExitStack() as stack:
        yield Site(running, stack)
    running.stop()


def test_a_server_for_other_machines_needs_a_name_or_an_address_of_its_own():
    for host in ("0.0.0.0", "::", "[::]"):
        with pytest.raises(TouchstoneError) as caught:
            allowed_hosts(host, [])
        assert caught.value.code == Code.OPTION_NEEDED
    assert allowed_hosts("192.0.2.7", []) == ("192.0.2.7",)
    assert allowed_hosts("0.0.0.0", ["A.example"]) == (*LOCAL_NAMES, "a.example")
    assert allowed_hosts("127.0.0.1", ["a.example"]) == (*LOCAL_NAMES, "127.0.0.1", "a.example")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[" * 7_000, 400),
        (b"\xff\xfe{}", 400),
        (b'{"email": "\\ud800", "password": "c"}', 422),
        (b'{"email": "\\u0001\xef\xbf\xbf", "password": "c"}', 422),
        (b'{"email": "\\b", "password": "c"}', 422),
        (b'{"email": NaN, "password": "c"}', 400),
        (b'{"email": "a\\u0000b", "password": "c"}', 422),
        (b'{"email": "a", "password": ["c"]}', 422),
        (b"[]", 422),
        (b"null", 422),
        (b'{"email": 1e999, "password": "c"}', 400),
    ],
)
def test_what_is_no_proper_json_is_refused_with_a_sentence(sqlite_site, body, status):
    response = sqlite_site.nobody().post("/api/session", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code == status, response.text
    assert response.json()["error"]["message"]


def test_a_body_that_is_not_called_json_is_refused(sqlite_site):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        response = sqlite_site.nobody().post("/api/session", content=b"email=a", headers={"Content-Type": kind})
        assert (response.status_code, response.json()["error"]["code"]) == (415, "not_json")


def test_a_request_that_is_too_large_is_refused_announced_or_not(sqlite_site):
    person = sqlite_site.person("admin")
    large = json.dumps({"name": "x" * 5 * MEGABYTE, "task": "nli"}).encode()
    announced = person.post("/api/projects", content=large, headers={"Content-Type": "application/json"})
    in_pieces = person.post("/api/projects", content=iter([large]), headers={"Content-Type": "application/json"})
    assert [one.status_code for one in (announced, in_pieces)] == [413, 413]
    assert [one.json()["error"]["code"] for one in (announced, in_pieces)] == ["too_large", "too_large"]


def test_a_file_for_an_answer_is_no_larger_than_a_save_since_the_server_itself_reads_it(sqlite_site):
    project, name = sqlite_site.project("pyramid", {"S1/a.txt": "Cats sleep.\n", "S1/b.txt": "Dogs bark.\n"})
    person = sqlite_site.person("annotator", name)
    sqlite_site.assigned(project, person)
    answer = person.next(project)
    lines = b"<pyramid><text>" + b"<line>Cats sleep.</line>" * 200_000 + b"</text></pyramid>"
    file = {"name": "S1.pyr", "content": base64.b64encode(lines).decode(), "version": 0, "key": "a-good-key"}
    refused = person.post(f"/api/answers/{answer['id']}/read", json=file)
    assert (refused.status_code, refused.json()["error"]["code"]) == (413, "too_large")


def test_an_import_with_entities_is_refused_and_nothing_is_written(sqlite_site):
    entities = '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">'
    bomb = f"<!DOCTYPE pyramid [{entities}]><pyramid><text><line>&b;</line></text></pyramid>"
    project, _ = sqlite_site.project("pyramid")
    files = [{"name": "D1.pyr", "content": base64.b64encode(bomb.encode()).decode()}]
    response = sqlite_site.admin.post(f"/api/projects/{project}/imports", json={"files": files})
    assert (response.status_code, response.json()["error"]["code"]) == (422, "invalid")
    assert sqlite_site.admin.get(f"/api/projects/{project}/items").json()["total"] == 0


def test_content_that_is_not_base64_is_refused(sqlite_site):
    project, _ = sqlite_site.project("nli")
    response = sqlite_site.admin.post(
        f"/api/projects/{project}/imports", json={"files": [{"name": "x", "content": "%%%"}]}
    )
    assert response.status_code == 422


def test_text_of_people_stands_in_pages_as_text(sqlite_site):
    name = f"</script><script>alert({id(sqlite_site)})</script><img src=x onerror=alert(1)>"
    made = sqlite_site.admin.post("/api/projects", json={"name": name, "task": "nli"})
    assert made.status_code == 201
    for path in ("/", "/account"):
        page = sqlite_site.admin.get(path).text
        assert "<script>alert" not in page
        assert "<img" not in page
    assert f"alert({id(sqlite_site)})" in sqlite_site.admin.get("/").text


def test_pages_have_no_inline_script_style_or_handler(sqlite_site):
    nobody = sqlite_site.nobody()
    pages = [
        sqlite_site.admin.get("/"),
        sqlite_site.admin.get("/account"),
        nobody.get("/login"),
        nobody.get("/invitation/none"),
    ]
    for page in pages:
        assert " onclick=" not in page.text
        assert " style=" not in page.text
        assert "<style" not in page.text
        scripts = [part.split(">", 1) for part in page.text.split("<script")[1:]]
        assert all('src="/static/' in head or 'type="application/json"' in head for head, _ in scripts)


def test_a_failure_is_a_plain_sentence_and_its_reason_stays_in_the_log(sqlite_site, monkeypatch, caplog):
    from touchstone.annotate import showing

    def broken(*_, **__):
        raise ZeroDivisionError("the inner reason")

    person = sqlite_site.person("annotator")
    monkeypatch.setattr(showing, "project_object", broken)
    with sqlite_site.store.writing() as session:
        from touchstone.annotate.projects import create_project

        create_project(session, (person.id, person.name), f"theirs {person.id}", "nli")
    response = person.get("/api/projects")
    assert (response.status_code, response.json()["error"]["code"]) == (500, "failed")
    assert "inner reason" not in response.text
    assert "Content-Security-Policy" in response.headers
    assert "ZeroDivisionError" in caplog.text


MANY = {f"field{n}": 1 for n in range(300_000)}


@pytest.mark.parametrize("path", ["/api/session", "/api/setup", "/api/invitations/x", "/api/resets/x"])
def test_nobody_sends_more_than_a_few_kilobytes_before_logging_in(sqlite_site, path):
    nobody = sqlite_site.nobody()
    response = nobody.post(path, json=MANY)
    assert (response.status_code, response.json()["error"]["message"]) == (413, "more than 8 kB")
    chunks = (b" " * 4_000 for _ in range(10))
    response = nobody.post(path, content=chunks, headers={"Content-Type": "application/json"})
    assert response.status_code == 413


def test_a_body_is_not_read_before_the_person_is_known(sqlite_site):
    nobody = sqlite_site.nobody()
    for cookie in ({}, {"Cookie": f"{COOKIE}=forged"}):
        response = nobody.post(
            "/api/projects", content=b"[" * 1000, headers={"Content-Type": "application/json", **cookie}
        )
        assert (response.status_code, response.json()["error"]["code"]) == (401, "not_logged_in")


def test_a_request_with_many_unknown_fields_gets_a_short_answer(sqlite_site):
    some = {f"field{n}": 1 for n in range(90)}
    response = sqlite_site.nobody().post("/api/session", json=some)
    assert (response.status_code, len(response.json()["error"]["problems"])) == (422, 20)
    response = sqlite_site.person("admin").post("/api/projects", json=dict.fromkeys(list(MANY)[:100000], 1))
    assert (response.status_code, response.json()["error"]["problems"]) == (422, [])
    assert len(response.content) < 500


def test_every_response_says_how_long_the_server_took(sqlite_site):
    for path in ("/api/health", "/login", "/static/client.js", "/nowhere"):
        name, _, spent = sqlite_site.nobody().get(path).headers["Server-Timing"].partition(";dur=")
        assert name == "app"
        assert 0 <= float(spent) < 60_000
