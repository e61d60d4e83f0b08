"""Many people saving at once lose nothing, and nobody waits."""

import json
import os
import statistics
import time

import pytest

EVERY_S = 2.0
"""How often each person saves."""

WORDS = 250
"""Words of a model summary, as in DUC 2006."""

MODELS = ("ann", "ben", "cy", "dee")
TRANSLATION = {"system": "s", "hypothesis": "the cat", "reference": "a cat"}
SENTENCE = {"target": "bright", "pos": "a", "left": "a", "head": "bright", "right": "day"}


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def summaries(count):
    """Return model summaries of *count* sets, in which no word stands twice."""
    return {
        f"D{n}/{model}.txt": "\n".join(
            " ".join(f"{model}{word:03d}" for word in range(start, start + 10)) for start in range(0, WORDS, 10)
        )
        for n in range(count)
        for model in MODELS
    }


def substitutes(_, version):
    return {"body": {"substitutes": [f"word{version}", "sunny"], "none": False}}


def ratings(_, version):
    return {"body": {"adequacy": version % 5 + 1, "fluency": (version + 2) % 5 + 1}}


def one_unit_more(answer, version):
    """Return a pyramid with a unit for each version, of one word from each summary."""
    text = "\n".join(answer["item"]["view"]["lines"])
    units = [unit(text, number) for number in range(min(version + 1, WORDS))]
    numbers = {"unit": len(units) + 1, "contributor": len(MODELS) * len(units) + 1}
    return {"body": {**answer["body"], "units": units, "next": numbers}, "change": f"unit {version}", "seconds": 2}


def unit(text, number):
    marks = []
    for place, model in enumerate(MODELS, 1):
        words = f"{model}{number:03d}"
        start = text.index(words)
        part = {"label": words, "start": start, "end": start + len(words)}
        marks.append({"id": f"c{number * len(MODELS) + place}", "label": words, "comment": None, "parts": [part]})
    return {"uid": str(number + 1), "label": f"unit {number}", "comment": None, "contributors": marks}


def hands(site, admin, count, writer, pairs, fill_in):
    """Return *count* writers, a quarter at each task."""
    sets, people = count // 4, []
    work = [
        ("nli", {"p.jsonl": pairs(sets)}, fill_in),
        ("lexsub", {"s.jsonl": lines({"id": str(n), **SENTENCE} for n in range(sets))}, substitutes),
        ("mt", {"t.jsonl": lines({"segment": str(n), **TRANSLATION} for n in range(sets))}, ratings),
        ("pyramid", summaries(count - 3 * sets), one_unit_more),
    ]
    for task, files, content in work:
        project = site.project(admin, task, files)
        here = site.people(count - 3 * sets if task == "pyramid" else sets, project=project)
        site.assign(admin, project, here, per_item=1)
        people += [writer(one, one.next(project), content) for one in here]
    return people


def saving(person, delay, seconds, times, burst=1):
    """Return a job: save every two seconds, and take the milliseconds of each save for the server and for the client.

    As many saves as a *burst* has follow each other at once, then none for as long as these would have taken.
    Those of the client are what people wait; they also count its own threads, which share the cores with the server.
    """

    def job(stop):
        began = time.monotonic() + delay
        for number in range(int(seconds / EVERY_S)):
            if number % burst == 0:
                stop.wait(max(0.0, began + number * EVERY_S - time.monotonic()))
            sent = time.monotonic()
            response = person.save()
            waited = 1000 * (time.monotonic() - sent)
            assert response.status_code == 200, response.text
            times.append((float(response.headers["Server-Timing"].partition("dur=")[2]), waited))

    return job


def under_load(site, admin, count, seconds, hand_parts, *beside, burst=1):
    """Let *count* people save for some seconds, with further jobs *beside* them.

    Return the people, and the times of each save in milliseconds: that of the server, and that of the client.
    """
    working, *parts = hand_parts
    people, times = hands(site, admin, count, *parts), []
    apart = burst * EVERY_S / count
    jobs = [saving(person, place * apart, seconds, times, burst) for place, person in enumerate(people)]
    with working(*jobs, *beside):
        time.sleep(seconds)
    return people, times


def import_beside(site, admin, importing, pairs, count):
    """Return a job that imports *count* pairs into a new project; and the number of its items afterwards."""
    made = admin.post("/api/projects", json={"name": f"import of {count}", "task": "nli"}).json()["id"]

    def job(stop):
        began = time.monotonic()
        response = importing(admin, made, {"p.jsonl": pairs(count)})
        assert response.status_code == 202, response.text
        while (latest := admin.get(f"/api/projects/{made}/imports").json()["imports"][0])["state"] != "finished":
            assert latest["state"] != "failed", latest
            time.sleep(0.2)
        job.seconds = time.monotonic() - began

    return job, lambda: admin.get(f"/api/projects/{made}/items?limit=1").json()["total"]


@pytest.fixture
def hand_parts(working, writer, pairs, fill_in):
    return working, writer, pairs, fill_in


def said(kind, people, times):
    busy = " ".join(f"{one:.1f}" for one in os.getloadavg())
    server, client = zip(*times, strict=True)
    return (
        f"load, {kind}: {len(people)} annotators, {len(times):,} saves; "
        f"server {figures(server)}; client {figures(client)} (load average {busy})"
    )


def figures(times):
    quantiles = statistics.quantiles(times, n=100, method="inclusive")  # none is longer than the longest
    parts = [f"p{n} {quantiles[n - 1]:.0f} ms" for n in (50, 95, 99)]
    return ", ".join([*parts, f"longest {max(times):.0f} ms"])


def check_nothing_lost(site, people, saves, faults_in):
    for person in people:
        assert [ack[1] for ack in person.acknowledged] == list(range(1, saves + 1))
        now = person.client.get(f"/api/answers/{person.answer['id']}").json()
        assert now["version"] == saves
    with site.store() as store:
        assert faults_in(store, people) == []
    assert "Traceback" not in site.log


def test_people_who_save_at_once_beside_an_import_lose_nothing_and_see_no_error(
    kind, shared, hand_parts, importing, pairs, faults_in, record_property
):
    site, admin = shared(kind)
    job, imported = import_beside(site, admin, importing, pairs, 15_000)
    people, times = under_load(site, admin, 30, 6, hand_parts, job)
    record_property("said", said(kind, people, times))
    check_nothing_lost(site, people, 3, faults_in)
    assert imported() == 15_000


@pytest.mark.soak
@pytest.mark.parametrize("items", [0, 200_000])
def test_fifty_people_save_for_three_minutes_and_nobody_waits(
    kind, items, installation, hand_parts, importing, pairs, faults_in, record_property
):
    site = installation(kind)
    site.start()
    (admin,) = site.people(1, "admin")
    job, imported = import_beside(site, admin, importing, pairs, items)
    people, times = under_load(site, admin, 50, 180, hand_parts, *([job] if items else []))
    beside = f", beside an import of {items:,} items in {job.seconds:.0f} s" if items else ""
    record_property("said", said(kind, people, times) + beside)
    check_nothing_lost(site, people, 90, faults_in)
    assert imported() == items
    assert statistics.quantiles([server for server, _ in times], n=100)[94] < 250


@pytest.mark.soak
def test_thirty_people_on_sqlite_wait_less_than_sixty_milliseconds(
    installation, hand_parts, faults_in, record_property
):
    """Three saves at a time: without TCP_NODELAY a response that soon follows another one is 40 ms late."""
    site = installation("sqlite")
    site.start()
    (admin,) = site.people(1, "admin")
    people, times = under_load(site, admin, 30, 60, hand_parts, burst=3)
    record_property("said", said("sqlite", people, times))
    check_nothing_lost(site, people, 30, faults_in)
    assert statistics.quantiles([client for _, client in times], n=100)[94] < 60  # on a machine without other work
    assert statistics.median(client - server for server, client in times) < 20
