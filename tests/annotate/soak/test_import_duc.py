"""All of DUC 2006 goes in at once, and every page is quick with it."""

import os
import statistics
import time
from pathlib import Path

import pytest

from touchstone.annotate import pages
from touchstone.annotate.api import accounts, managing, work

SETS, PEERS, FILES = 20, 440, 462
"""Counted in the files: 462 annotations of 440 summaries, 22 of which two people annotated."""

IMPORT_S, PAGE_MS, FIGURES_MS = 60, 200, 1000
ASKED = 5
"""How often each page is asked for in the long run; the middle time counts."""

NOT_A_PAGE = ("/answers/{answer_id}/feedback", "/api/answers/{answer_id}/feedback")
"""What there is of training items alone."""

COUNTED = ("/agreement", "/annotators", "/partner", "/disagreements")
"""Figures over all answers, which a page asks for when it is there already."""


def paths():
    """Return every path that can be asked for by those who are logged in."""
    modules = (accounts, work, managing, pages)
    routes = [route for module in modules for route in module.routes.routes if "GET" in route.methods]
    return [route.path for route in routes if "{token}" not in route.path and route.path not in NOT_A_PAGE]


def running_ms(process) -> float:
    """Return the milliseconds that a process has been on a processor, all its threads together."""
    tasks = Path(f"/proc/{process.pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e6


def time_of(site, client, path, asked):
    """Return the middle of the times that the server works on a page, and of those that its client waits, in ms."""
    worked, waited = [], []
    for _ in range(asked):
        before, at = running_ms(site.process), time.perf_counter()
        response = client.get(path)
        waited.append(1000 * (time.perf_counter() - at))
        worked.append(running_ms(site.process) - before)
        assert response.status_code < 500, (path, response.text)
    return statistics.median(worked), statistics.median(waited)


def opened(site, admin, project):
    """Let two annotators finish a pyramid and a peer; return one of them, and the ids of what is to be looked at."""
    people = site.people(2, project=project)
    site.assign(admin, project, people)
    items = admin.get(f"/api/projects/{project}/items", params={"limit": 500}).json()["items"]
    shown = [next(item["id"] for item in items if item["kind"] == kind) for kind in ("pyramid", "peer")]
    for person in people:
        answers = [person.post(f"/api/items/{item}/answer").json() for item in shown]
        for answer in answers:
            whole = {"version": 0, "key": "finished", "body": answer["body"], "done": True}
            saved = person.put(f"/api/answers/{answer['id']}", json=whole)
            assert saved.status_code == 200, saved.text
    return person, [
        {"project_id": project, "item_id": item, "answer_id": answer["id"], "version": 1}
        for item, answer in zip(shown, answers, strict=True)
    ]


def times_of_pages(site, admin, project, asked):
    """Return path, who asks, work and wait of every page, for a pyramid and for a peer."""
    person, places = opened(site, admin, project)
    wanted = {
        (path.format(**place), client.name, client)
        for path in paths()
        for place in places
        for client in (person, admin)
    }
    return sorted(
        ((path, who, *time_of(site, client, path, asked)) for path, who, client in wanted),
        key=lambda row: -row[2],
    )


def said(rows):
    busy = " ".join(f"{one:.1f}" for one in os.getloadavg())
    worst = "; ".join(f"{path} ({who}) {worked:.0f} ms, waited {waited:.0f}" for path, who, worked, waited in rows[:6])
    return f"pages: {len(rows)}, the slowest: {worst} (load average {busy})"


@pytest.fixture(scope="module")
def duc(data):
    return data("duc2006")


@pytest.mark.soak
def test_all_of_duc_2006_goes_in_within_a_minute_and_every_page_is_quick_with_it(installation, duc, record_property):
    site = installation("sqlite")
    at = time.monotonic()
    done = site.command(
        "project", "create", "DUC", "--task", "pyramid", "--import", duc / "pyr", "--import", duc / "pan"
    )
    took = time.monotonic() - at
    assert done.returncode == 0, done.stderr
    assert f"{SETS + PEERS} items, {SETS + FILES} answers" in done.stdout
    site.start()
    (admin,) = site.people(1, "admin")
    rows = times_of_pages(site, admin, admin.get("/api/projects").json()["projects"][0]["id"], ASKED)
    record_property("said", f"import of {SETS} pyramids and {FILES} peers by command: {took:.1f} s; {said(rows)}")
    assert took < IMPORT_S
    slow = [row for row in rows if row[2] > (FIGURES_MS if row[0].endswith(COUNTED) else PAGE_MS)]
    assert slow == []


@pytest.mark.soak
def test_all_of_duc_2006_goes_in_through_a_browser_within_a_minute(kind, installation, duc, importing, record_property):
    site = installation(kind)
    site.start()
    (admin,) = site.people(1, "admin")
    project = admin.post("/api/projects", json={"name": "DUC", "task": "pyramid"}).json()["id"]
    files = {str(path.relative_to(duc)): path.read_bytes() for path in sorted(duc.rglob("*.p[ya][rn]"))}
    at = time.monotonic()
    response = importing(admin, project, files)
    assert response.status_code == 202, response.text
    while (latest := admin.get(f"/api/projects/{project}/imports").json()["imports"][0])["state"] != "finished":
        assert latest["state"] != "failed", latest
        time.sleep(0.2)
    took = time.monotonic() - at
    assert (latest["items"], latest["answers"]) == (SETS + PEERS, SETS + FILES)
    record_property("said", f"import of {SETS} pyramids and {FILES} peers by request, {kind}: {took:.1f} s")
    assert took < IMPORT_S


def test_a_set_of_duc_2006_goes_in_and_every_page_answers(shared, duc, importing, record_property):
    site, admin = shared("sqlite")
    project = admin.post("/api/projects", json={"name": "one set of DUC", "task": "pyramid"}).json()["id"]
    files = {
        path.name: path.read_bytes() for path in (duc / "pyr" / "D0601.pyr", *sorted(duc.glob("pan/*.D0601.*"))[:5])
    }
    response = importing(admin, project, files)
    assert response.status_code == 201, response.text
    assert response.json()["items"] == len(files)
    record_property("said", said(times_of_pages(site, admin, project, 1)))
