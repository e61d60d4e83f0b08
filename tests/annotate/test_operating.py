"""Operators see whether the server works and how much it does, and nothing about anybody."""

import re
import time

from touchstone.annotate.database import Store
from touchstone.annotate.settings import database_url

LINE = re.compile(r"(?P<name>\w+)(?:{(?P<labels>[^}]*(?:}[^}]*)*)})? (?P<value>[0-9.e+-]+)")


def figures(text):
    """Give the figures of a text in the form of Prometheus; every line must be in that form."""
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            match = LINE.fullmatch(line)
            assert match, line
            labels = tuple(
                sorted(part for part in re.findall(r'(\w+)="([^"]*)"', match["labels"] or "") if part[0] != "worker")
            )
            found[match["name"], labels] = float(match["value"])
    return found


def test_health_says_that_the_database_answers(site):
    assert site.nobody().get("/api/health").json() == {"status": "ok", "database": "answers"}


def test_health_is_503_if_the_database_does_not_answer(start_server, postgres):
    site = start_server(database_url(postgres()))
    broken = Store(site.store.url.replace("/t", "/gone_t"))
    site.running.app.state.store = broken
    response = site.nobody().get("/api/health")
    assert (response.status_code, response.json()) == (503, {"status": "failed", "database": "does not answer"})
    site.running.app.state.store = site.store
    assert site.nobody().get("/api/health").status_code == 200
    broken.close()


def test_metrics_count_requests_durations_saves_and_sessions(start_server, tmp_path, pairs):
    site = start_server(database_url(str(tmp_path / "own.sqlite")))
    project, name = site.project("nli", {"p.jsonl": pairs})
    ann = site.person("annotator", name)
    site.assigned(project, ann)
    answer = ann.next(project)
    for _ in range(3):
        answer = {**answer, **ann.save(answer, {"q1": True, "q2": False, "q3": False}).json()}
    ann.get("/api/answers/999999")
    found = figures(site.nobody().get("/api/metrics").text)
    saves = (("method", "PUT"), ("route", "/api/answers/{answer_id}"), ("status", "200"))
    assert found["touchstone_requests_total", saves] == 3
    assert found["touchstone_saves_total", ()] == 3
    assert found["touchstone_sessions", ()] == 2
    route = ("route", "/api/answers/{answer_id}")
    buckets = [value for (metric, labels), value in found.items() if metric.endswith("_bucket") and route in labels]
    assert buckets == sorted(buckets)
    assert buckets[-1] == found["touchstone_request_seconds_count", (route,)] == 4
    assert found["touchstone_request_seconds_sum", (route,)] > 0


def test_metrics_and_the_access_log_say_nothing_about_anybody(start_server, tmp_path, pairs, password):
    log = tmp_path / "access.log"
    site = start_server(database_url(str(tmp_path / "own.sqlite")), log=str(log))
    project, name = site.project("nli", {"p.jsonl": pairs})
    person = site.person("annotator", name)
    client = site.nobody()
    client.post("/api/session", json={"email": person.email, "password": password})
    token = site.admin.post(f"/api/accounts/{person.id}/reset").json()["url"].rpartition("/")[2]
    client.get(f"/reset/{token}")
    client.get(f"/projects/{project}/guidelines?mine=secret-query")
    client.get("/nowhere/secret-path")
    client.request("SECRETMETHOD", "/api/me")
    client.get("/static/base.css")
    site.nobody(Host="secret.example").get("/api/me")
    # A line is written after its answer was sent, and those of two connections in either order.
    while not all(line in log.read_text() for line in (" 403 ", " /static 200 ")):
        time.sleep(0.01)
    lines = log.read_text().splitlines()
    assert all(re.fullmatch(r"[0-9T:.Z-]+ [A-Za-z]+ [/a-z_{}.-]+ [0-9]{3} [0-9]+\.[0-9]", line) for line in lines), (
        lines
    )
    said = [line.split()[1:4] for line in lines]
    assert ["GET", "/reset/{token}", "200"] in said
    assert ["GET", "/projects/{project_id}/guidelines", "200"] in said
    assert ["GET", "-", "404"] in said
    assert ["GET", "-", "403"] in said
    assert ["GET", "/static", "200"] in said
    both = log.read_text() + site.nobody().get("/api/metrics").text
    for private in (person.email, person.name, token, "secret", "SECRET", "127.0.0.1", name):
        assert private not in both, private


def test_there_is_no_access_log_unless_asked_for(sqlite_site, capfd):
    sqlite_site.nobody().get("/api/health")
    assert capfd.readouterr().out == ""


def test_metrics_are_for_this_machine_or_for_the_token(start_server, tmp_path):
    names = ("127.0.0.1", "annotate.example.org")
    site = start_server(database_url(str(tmp_path / "own.sqlite")), hosts=names, metrics_token="m3trics-token")
    assert site.nobody().get("/api/metrics").status_code == 200
    for headers in (
        {"X-Forwarded-For": "203.0.113.7"},
        {"Forwarded": "for=203.0.113.7"},
        {"Host": "annotate.example.org"},
        {"Host": "annotate.example.org", "Authorization": "Bearer wrong"},
        {"Host": "annotate.example.org", "Authorization": "Bearer"},
    ):
        refused = site.nobody(**headers).get("/api/metrics")
        assert (refused.status_code, "this needs a request" in refused.text) == (403, True), headers
    right = {"Host": "annotate.example.org", "Authorization": "Bearer m3trics-token"}
    assert site.nobody(**right).get("/api/metrics").status_code == 200


def test_without_a_token_none_is_right(start_server, tmp_path):
    site = start_server(database_url(str(tmp_path / "own.sqlite")), hosts=("127.0.0.1", "a.example"))
    for given in ("Bearer", "Bearer None", "None"):
        assert site.nobody(Host="a.example", Authorization=given).get("/api/metrics").status_code == 403


def test_a_failure_in_the_log_names_the_route_and_not_the_path(sqlite_site, monkeypatch, caplog):
    from touchstone.annotate import resetting

    def broken(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(resetting, "account_of", broken)
    assert sqlite_site.nobody().get("/reset/secret-token").status_code == 500
    assert "GET /reset/{token} failed" in caplog.text
    assert "secret-token" not in caplog.text
